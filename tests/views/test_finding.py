"""The page of a finding, as plain text: no terminal."""

import pytest

from fsadvisor.facts import TRUE
from fsadvisor.pages.document import Commands
from fsadvisor.pages.glyphs import ASCII, UNICODE, columns, plain
from fsadvisor.pages.screen import laid
from fsadvisor.report.rule_page import document
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.tui.views import finding
from fsadvisor.tui.views.snapshot import finding_key
from tests.cases import few
from tests.counted import calls
from tests.report import composed
from tests.views.seen import many_disks, session, snapshot_from, snapshot_of, text

MACHINES = ("ext4-nobarrier", "pm9a3-postgresql-volatile", "worn-nvme-database", "lab-fstab-that-would-not-boot")


def keys(snapshot):
    return [finding_key(one) for one in snapshot.findings]


def key_of(snapshot, rule):
    return next(key for key in keys(snapshot) if key.startswith(f"{rule}\n"))


def read(snapshot, key, width=80, glyphs=UNICODE, **more):
    return text(laid(finding.page(snapshot, key, glyphs, **more).whole.blocks, width, unicode=glyphs is UNICODE))


def flat(page):
    return " ".join(page.split())


@pytest.mark.parametrize("machine", MACHINES)
def test_every_finding_says_what_where_why_there_and_who_says_so(machine):
    snapshot = snapshot_from(machine)
    for at, (key, one) in enumerate(zip(keys(snapshot), snapshot.findings, strict=True), 1):
        page = flat(read(snapshot, key))
        assert one.title in page
        assert one.rule.severity.upper() in page
        assert f"{at} of {len(snapshot.findings)}" in page
        assert ("(] next)" in page) == (at < len(snapshot.findings))
        assert one.rule.id in page
        assert "References" in page


@pytest.mark.parametrize("machine", MACHINES)
def test_every_answer_is_told_by_a_sign_and_a_word(machine):
    snapshot = snapshot_from(machine)
    signs = {"yes": "✓", "no": "✗", "unknown": "?"}
    for key, one in zip(keys(snapshot), snapshot.findings, strict=True):
        page = read(snapshot, key)
        for truth in one.truths:
            word = {"true": "yes", "false": "no", "unknown": "unknown"}[truth.value]
            assert f"{signs[word]} {word}" in page


def test_the_facts_stand_below_the_ask_with_value_and_source():
    page = read(snapshot_from("ext4-nobarrier"), key_of(snapshot_from("ext4-nobarrier"), "nobarrier-unproven"))
    lines = [line.strip() for line in page.split("\n")]
    asked = next(at for at, line in enumerate(lines) if "told to send no flushes?" in line)
    assert lines[asked + 1] == "filesystem.barriers = no (/proc/fs/ext4/loop0/options)"


def test_where_not_all_is_safe_the_head_says_so_and_open_questions_come_first():
    snapshot = snapshot_from("ext4-nobarrier")
    page = read(snapshot, key_of(snapshot, "nobarrier-unproven"))
    assert "✗ No commands are shown, because not all is safe." in page
    safety = page[page.index("No commands are shown, because not all is safe\n") :]
    assert safety.index("✗ no") < safety.index("✓ yes")
    assert "Do now" not in page


def test_what_is_not_known_tells_how_to_learn_it():
    snapshot = snapshot_from("worn-nvme-database")
    withheld = next(one for one in snapshot.findings if one.outcome is Outcome.WITHHELD)
    cures = [fact.learn for fact in withheld.verdicts[0].to_learn().values() if fact.learn]
    page = flat(read(snapshot, finding_key(withheld)))
    assert cures
    assert all(f"to learn it: {' '.join(cure.split())}" in page for cure in cures)


def test_commands_are_blocks_of_their_own_and_the_undo_is_at_hand():
    snapshot = snapshot_from("pm9a3-postgresql-volatile")
    page = finding.page(snapshot, key_of(snapshot, "access-times-written"), UNICODE)
    blocks = {block.name: block.lines for block in page.todo if isinstance(block, Commands)}
    assert next(iter(blocks)) == "do now"
    assert "noatime" in blocks["do now"][0]
    assert blocks["undo"] == page.undo


def test_commands_are_those_of_the_report():
    snapshot = snapshot_from("worn-nvme-database")
    for key, one in zip(keys(snapshot), snapshot.findings, strict=True):
        blocks = [block for block in finding.page(snapshot, key, UNICODE).todo if isinstance(block, Commands)]
        said = {line for block in blocks for line in block.copied}
        for verdict in one.verdicts:
            todo = verdict.instructions()
            assert {*todo.now, *todo.undo, *todo.verify} <= said


def test_a_finding_that_has_gone_says_what_its_rule_says_now_or_calmly_that_it_has_gone():
    snapshot = snapshot_from("pm9a3-postgresql-volatile")
    passed = next(one for one in snapshot.verdicts if one.outcome is Outcome.OK)
    page = read(snapshot, f"{passed.rule.id}\n{passed.subject.id}")
    assert "CHECKED, NOT FOUND HERE: " in flat(page)
    assert "So nothing is advised" in flat(page)
    assert "Do now" not in page
    gone = flat(read(snapshot, "access-times-written\nmount:/not/there"))
    assert "No longer there" in gone
    assert "mount:/not/there is not on this machine now" in gone


def test_what_could_not_be_told_has_a_page_with_what_would_tell():
    snapshot = snapshot_from("pm9a3-postgresql-volatile")
    open_one = next(one for one in snapshot.verdicts if one.outcome is Outcome.UNDETERMINED)
    page = flat(read(snapshot, f"{open_one.rule.id}\n{open_one.subject.id}"))
    assert "COULD NOT BE TOLD HERE: " in page
    assert "It may be so, and may not" in page
    assert page.index("What is not known") < page.index("? unknown") < page.index("fsadvisor says")
    assert "? unknown" in page


@pytest.mark.parametrize("machine", few(MACHINES))
def test_what_a_rule_would_say_stands_below_a_line_that_says_that_it_is_not_so(machine):
    snapshot = snapshot_from(machine)
    for one in snapshot.verdicts:
        if not one.calls_for_action:
            page = flat(read(snapshot, f"{one.rule.id}\n{one.subject.id}"))
            said = flat(one.rule.why).replace("`", "")[:40]
            line = {Outcome.OK: "It is not so here. If it were", Outcome.UNDETERMINED: "It is not known to be so."}
            assert page.index(line[one.outcome]) < page.replace("`", "").index(said)
            assert "passed" not in page.partition(one.rule.title)[0].lower()


def test_why_nobarrier_is_not_advised_is_answered_by_the_cache_below():
    snapshot = snapshot_from("as-it-is")
    page = flat(read(snapshot, "nobarrier-unproven\nfilesystem:/dev/vda"))
    decided = page.index("The answer that decided")
    assert decided < page.index("✗ no Are barriers off?") < page.index("All else that it asks is so here")
    assert "NOT SO HERE, OR IT WOULD BE A CRITICAL RISK: nobarrier" in page
    asked = page.index("✓ yes Is there a drive below with a write cache that is not proven to survive power loss?")
    assert page.index("power-loss verdict", asked) < page.index("fsadvisor would say")


def test_where_something_else_than_the_answer_that_decided_stands_in_the_way_too_nothing_is_said_of_what_would_be():
    snapshot = snapshot_from("pm9a3-postgresql-no-volatile")
    for one in snapshot.verdicts:
        if one.outcome is Outcome.OK:
            truths = [ask.expression.evaluate(one.subject.scope) for ask in one.rule.conditions]
            alone = sum(truth is not TRUE for truth in truths) == 1
            more = any(ask.expression.evaluate(one.subject.scope) is TRUE for ask in one.rule.checks)
            page = flat(read(snapshot, f"{one.rule.id}\n{one.subject.id}"))
            assert ("NOT SO HERE, OR IT WOULD BE" in page) == (alone and more), one.rule.id


def test_next_and_before_walk_through_what_a_rule_does_not_advise():
    snapshot = snapshot_from("raid-lvm-crypt-server")
    same = [f"{it.rule.id}\n{it.subject.id}" for it in snapshot.verdicts if it.rule.id == "nobarrier-unproven"]
    quiet = [key for key in same if finding.found(snapshot, key).outcome is Outcome.OK]
    assert len(quiet) > 1
    assert [finding.beside(snapshot, one, 1) for one in quiet] == [*quiet[1:], None]
    assert [finding.beside(snapshot, one, -1) for one in quiet] == [None, *quiet[:-1]]
    assert f"(1 of {len(quiet)} filesystems, ] next)" in flat(read(snapshot, quiet[0]))


def test_what_holds_stands_before_what_a_guide_says_instead_and_no_number_of_ours_is_told():
    snapshot = snapshot_from("ext4-nobarrier")
    page = flat(read(snapshot, key_of(snapshot, "nobarrier-unproven")))
    guides = page[page.index("What guides say, and what is wrong with it") :]
    assert guides.index("power-loss protection says nothing") < guides.index("Unsafe, though told by")
    assert "(E2)" not in guides
    assert "seed" not in page


def test_a_finding_is_found_by_any_of_its_subjects():
    snapshot = snapshot_of(composed.many(3))
    one = next(one for one in snapshot.findings if len(one.verdicts) > 1)
    assert finding.found(snapshot, f"{one.rule.id}\n{one.verdicts[-1].subject.id}") is one


def test_next_and_before_walk_through_the_ranking_and_end():
    snapshot = snapshot_from("worn-nvme-database")
    every = keys(snapshot)
    assert finding.beside(snapshot, every[0], 1) == every[1]
    assert finding.beside(snapshot, every[1], -1) == every[0]
    assert finding.beside(snapshot, every[0], -1) is None
    assert finding.beside(snapshot, every[-1], 1) is None
    assert finding.beside(snapshot, "no-such-rule\nhost", 1) == every[0]


def test_a_page_about_ten_times_the_disks_costs_ten_times_as_much():
    few, many = snapshot_of(composed.many(12)), many_disks()
    assert keys(few) == keys(many)
    for key in keys(few):
        cost, ten_times = (calls(lambda one=one, key=key: finding.page(one, key, UNICODE)) for one in (few, many))
        assert ten_times < 11 * cost


def test_of_hundreds_of_disks_ten_have_their_commands_shown_and_all_are_copied():
    snapshot = many_disks()
    for key, one in zip(keys(snapshot), snapshot.findings, strict=True):
        page = finding.page(snapshot, key, UNICODE)
        assert len(laid(page.whole.blocks, 80)) < 400
        for block in page.todo:
            if isinstance(block, Commands) and block.name == "do now":
                assert len(block.lines) <= 10 * len(one.rule.remedy.now)


def test_a_waiver_and_the_choice_stand_in_the_head():
    snapshot = snapshot_from("pm9a3-postgresql-volatile")
    assert "Chosen for the plan" in read(snapshot, keys(snapshot)[0], chosen=1)
    assert "Chosen for the plan" not in read(snapshot, keys(snapshot)[0])


@pytest.mark.parametrize("width", few([40, 79, 158], 3))
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_hostile_names_stay_text_within_the_width(width, glyphs):
    snapshot = snapshot_of(composed.hostile())
    for key in keys(snapshot):
        page = finding.page(snapshot, key, glyphs)
        for line in laid(page.whole.blocks, width, unicode=glyphs is UNICODE):
            assert columns(line) <= width
            assert plain(line).isprintable()


def test_in_ascii_nothing_else_is_drawn_by_us():
    snapshot = snapshot_from("ext4-nobarrier")
    drawn = read(snapshot, keys(snapshot)[0], glyphs=ASCII)
    assert not set("✓✗•…█↪▶●") & set(drawn)


@pytest.mark.parametrize("part", few(range(5), 5))
def test_every_rule_has_a_page(part):
    for rule in session().rulebook.rules[part::5]:
        page = flat(text(laid(document(rule).blocks, 80)))
        assert rule.title in page
        assert all(reference.url in page.replace(" ", "") for reference in rule.references)


def test_what_would_unlock_it_is_a_key_of_the_explorer_and_no_command():
    snapshot = snapshot_from("pm9a3-postgresql-volatile")
    lines = [line for key in keys(snapshot) for line in read(snapshot, key, 400).split("\n") if "To unlock: " in line]
    assert any("answer 6 questions here: a" in line for line in lines)
    assert not any("fsadvisor attest" in line for line in lines)
