"""The plan of the findings that were gathered, as rows and pages: no terminal."""

import pytest

from fsadvisor.machine.opening import open_machine
from fsadvisor.pages.glyphs import ASCII, UNICODE, Tone, columns
from fsadvisor.pages.screen import laid
from fsadvisor.plan.planning import chosen
from fsadvisor.plan.planning import plan as planned
from fsadvisor.report.finding_page import advice
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.tui.views import plan
from fsadvisor.tui.views.advice import Choice, pairs_of
from fsadvisor.tui.views.snapshot import Snapshot
from tests.cases import each, few
from tests.paths import FIXTURES
from tests.plan import composed
from tests.report import composed as reported
from tests.views.seen import snapshot_from, text

MACHINES = ("lab-ext4-tuned", "pm9a3-postgresql-volatile", "old-storage-server", "ext4-nobarrier")


def reader(machine):
    return open_machine(FIXTURES / "machines" / machine).read


def pairs(findings):
    return Choice(pair for one in findings for pair in pairs_of(one)).pairs


def all_of(machine):
    """The plan for everything that is found there."""
    snapshot = snapshot_from(machine)
    return plan.gathered(snapshot, pairs(snapshot.findings), reader(machine))


def snapshot_of(storage, rules):
    return Snapshot(number=1, storage=storage, verdicts=advise(storage, rules), about=reported.ABOUT)


def from_texts(storage, texts, rules=composed.RULES):
    """The same for a composed machine."""
    snapshot = snapshot_of(storage, rules)
    return plan.gathered(snapshot, pairs(snapshot.findings), composed.reader(texts))


def read(found, name=plan.STEPS, width=80, glyphs=UNICODE):
    return text(laid(plan.pages(found, glyphs)[name].blocks, width, unicode=glyphs is UNICODE))


def flat(page):
    return " ".join(page.split())


def fates(found):
    return {one.rule.id: found.fate(one) for one in found.findings}


def test_what_is_left_to_people_names_the_drives_that_the_finding_names():
    seen = 0
    for machine in MACHINES:
        found = all_of(machine)
        alone = {one.rule.id: one for one in found.findings if len(one.verdicts) == 1}
        left = [one for one in found.plan.manual if one.advice and one.finding.rule in alone]
        seen += len(left)
        for manual in left:
            assert manual.advice == advice(alone[manual.finding.rule]), manual.finding.rule
    assert seen > 5
    steps = flat(read(all_of("old-storage-server")))
    assert "smartctl -x /dev/sdb" in steps
    assert "/dev/NAME" not in steps


@each("machine", MACHINES)
def test_what_is_planned_is_what_the_command_plans(machine):
    snapshot = snapshot_from(machine)
    mine = plan.gathered(snapshot, pairs(plan.all_with_commands(snapshot)), reader(machine)).plan
    whole = planned(snapshot.storage, chosen(snapshot.storage, own_rulebook().rules, ()), reader(machine))
    assert (mine.steps, mine.files, mine.fstab) == (whole.steps, whole.files, whole.fstab)


@each("machine", MACHINES)
def test_every_finding_has_a_fate_and_nothing_that_is_left_out_lacks_a_reason(machine):
    found = all_of(machine)
    page = flat(read(found))
    for one in found.plan.refused:
        assert flat(one.reason) in page
    for one in found.plan.manual:
        assert one.finding.title in page
        assert flat(one.reason) in page
    assert all(fate.words and fate.words != "nothing to do" for fate in fates(found).values())


def test_the_steps_say_what_is_needed_and_what_changes():
    page = flat(read(from_texts(composed.server(), composed.TEXTS)))
    assert "1. Something is found by barriers-off" in page
    assert "no interruption" in page
    assert "nobarrier ▶" in page
    assert "- LABEL=data /srv/my\\040data ext4 rw,nobarrier,commit=30,nodev 0 2" in page
    assert "+ vm.dirty_bytes = 268435456" in page
    assert "Left to you, after the script" in page
    assert "it needs an unmount" in page


def test_findings_that_disagree_are_told_as_a_conflict_with_both_names():
    other = composed.writes("bfq", "disk.scheduler == 'mq-deadline'", "bfq", "disk.scheduler", "scheduler", kind="gain")
    rules = (composed.SCHEDULER, other)
    found = from_texts(composed.server(), composed.TEXTS, rules)
    lost = {rule: fate for rule, fate in fates(found).items() if fate.words.startswith("in conflict")}
    assert lost
    assert {fate.tone for fate in lost.values()} == {Tone.BAD}
    page = flat(read(found))
    assert "In conflict" in page
    assert "scheduler" in page
    assert "bfq" in page


def test_a_finding_that_is_gone_is_named():
    snapshot = snapshot_from("pm9a3-postgresql-volatile")
    found = plan.gathered(snapshot, [("no-longer-there", "disk:sda")], reader("pm9a3-postgresql-volatile"))
    assert found.findings == ()
    assert "no-longer-there was chosen and is no longer found on sda" in flat(read(found))


@pytest.mark.parametrize("name", ["plan.sh", "undo.sh", "fstab.diff"])
def test_a_file_is_shown_without_a_sign_lost(name):
    found = all_of("pm9a3-postgresql-volatile")
    shown = read(found, name, width=60).replace("\n↪ ", "").split("\n")
    assert shown == found.files[name].text.expandtabs().removesuffix("\n").split("\n")


def test_the_way_to_check_names_every_look():
    found = all_of("lab-ext4-tuned")
    page = read(found, plan.CHECK)
    assert all(command in flat(page.replace("\n  ↪ ", "")) for part in found.parts for command in part.verify)
    assert "sh undo.sh" in page


def test_a_rows_second_line_says_what_becomes_of_it():
    found = all_of("lab-ext4-tuned")
    lines = [text(row.lines) for row in plan.rows(found, 100, UNICODE)]
    assert any("left to you: it needs an unmount" in one for one in lines)
    assert any("left out: " in one for one in lines)
    assert "step 1" in lines[0]
    title = text([plan.title(found, len(found.findings))])
    assert f"Chosen  {len(found.findings)}  5 steps  2 left to you" in title


def test_before_anything_is_chosen_the_page_says_how():
    assert "a chooses all: 3 pieces of advice" in flat(text(laid(plan.how_to_choose(3).blocks, 80)))
    assert "no advice has commands" in flat(text(laid(plan.how_to_choose(0).blocks, 80)))


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize("width", few([40, 80, 200], 3))
def test_strangers_names_stay_text_and_within_the_width(width, glyphs):
    storage = reported.hostile()
    found = from_texts(storage, {}, reported.rules())
    pages = plan.pages(found, glyphs)
    lines = [one for page in pages.values() for one in laid(page.blocks, width, unicode=glyphs is UNICODE)]
    lines += [one for row in plan.rows(found, width, glyphs) for one in row.lines]
    assert len(lines) > 20
    for one in lines:
        assert all(piece.text.isprintable() for piece in one)
        assert columns(one) <= width
