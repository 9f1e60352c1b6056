"""What a supposition does to the advice, and what would unlock advice: pure, on every recorded machine."""

from functools import cache

import pytest
from msgspec import structs

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.machine.opening import open_machine
from fsadvisor.pages.glyphs import ASCII, UNICODE, columns, plain
from fsadvisor.pages.screen import laid
from fsadvisor.report.as_json import own_facts
from fsadvisor.report.model import Provenance
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.storage import Supposition
from fsadvisor.survey.whole import survey
from fsadvisor.tui.views import suppose, unlocking, what_if
from fsadvisor.tui.views.snapshot import Snapshot
from fsadvisor.tui.views.what_if import AdviceMark
from tests.cases import each, few
from tests.paths import FIXTURES
from tests.views.seen import snapshot_from

MACHINES = sorted(path.name for path in (FIXTURES / "machines").iterdir() if path.is_dir())
FEW = ["raid-lvm-crypt-server", "pm9a3-postgresql-volatile", "worn-nvme-database", "old-storage-server", "san-host"]
RULEBOOK = own_rulebook()
ASKED = suppose.asked_by(RULEBOOK.rules)
HOSTILE = "[bold]x[/] \x1b]0;t\x07\x1b[31m\u202e\udcff" + "y" * 4096


@cache
def opened(name):
    return open_machine(FIXTURES / "machines" / name)


def snapshot(name, *supposed):
    storage = survey(opened(name), {}, supposed)
    return Snapshot(
        number=1, storage=storage, verdicts=advise(storage, RULEBOOK.rules), about=Provenance(version="0", root=True)
    )


@cache
def real(name):
    return snapshot(name)


def texts(rows):
    return [plain(one) for row in rows for one in row.lines]


@pytest.mark.parametrize("name", few(MACHINES, 6))
def test_without_suppositions_everything_is_as_before(name):
    found = what_if.changes(real(name), snapshot(name))
    assert {one.mark for one in found} <= {AdviceMark.SAME}
    assert sum(len(one.subjects) for one in found) == sum(len(one.verdicts) for one in real(name).findings)


@pytest.mark.parametrize("name", few(MACHINES, 6))
def test_what_is_said_to_unlock_advice_does(name):
    for unlock in unlocking.unlocks(real(name)):
        then = snapshot(name, *unlock.suppositions)
        now = {(one.rule.id, one.subject.id): one for one in then.verdicts}
        for verdict in unlock.finding.verdicts:
            after = now[verdict.rule.id, verdict.subject.id]
            assert after.outcome is Outcome.ADVISE
            assert not after.open_answers()


@pytest.mark.parametrize("name", few(MACHINES, 6))
def test_what_would_unlock_is_as_little_as_it_can_be(name):
    for unlock in unlocking.unlocks(real(name)):
        for left_out in unlock.choices if len(unlock.choices) == 2 else ():
            rest = [one for one in unlock.suppositions if one.fact != left_out.fact]
            then = {(one.rule.id, one.subject.id): one for one in snapshot(name, *rest).verdicts}
            verdict = unlock.finding.verdicts[0]
            after = then.get((verdict.rule.id, verdict.subject.id))
            assert after is None or after.outcome is not Outcome.ADVISE or after.open_answers()


def test_pairs_are_named_where_no_single_fact_unlocks():
    sizes = {len(one.choices) for name in MACHINES for one in unlocking.unlocks(real(name))}
    assert {1, 2} < sizes


@pytest.mark.parametrize("name", FEW)
def test_what_is_gone_under_a_supposition_is_new_the_other_way_round(name):
    for unlock in unlocking.unlocks(real(name)):
        then = snapshot(name, *unlock.suppositions)
        there, back = what_if.changes(real(name), then), what_if.changes(then, real(name))
        turned = {
            AdviceMark.NEW: AdviceMark.GONE,
            AdviceMark.GONE: AdviceMark.NEW,
            AdviceMark.CHANGED: AdviceMark.CHANGED,
            AdviceMark.SAME: AdviceMark.SAME,
        }
        forth = sorted((turned[one.mark].name, one.rule.id, len(one.subjects)) for one in there)
        assert forth == sorted((one.mark.name, one.rule.id, len(one.subjects)) for one in back)


def test_marks_are_words_and_what_changed_comes_first():
    name = "raid-lvm-crypt-server"
    then = snapshot(name, Supposition("host", "host.fstrim_timer", "active"))
    found = what_if.changes(real(name), then)
    lines = texts(what_if.rows(found, 100, UNICODE))
    assert lines[0].startswith(" CHANGED")
    assert "was not safe here, now advised" in lines[1]
    assert lines[2].startswith(" GONE")
    assert "was advised, now passed" in lines[3]
    banner = [plain(one) for one in what_if.banner(real(name), then, found, 1, working=False)]
    assert "SUPPOSITION" in banner[0]
    assert "Nothing on the machine was changed" in banner[0]
    assert "0 new  1 changed  1 gone" in banner[1]


def test_a_change_from_near_has_both_answers_and_both_values():
    name = "raid-lvm-crypt-server"
    then = snapshot(name, Supposition("host", "host.fstrim_timer", "active"))
    change = what_if.changes(real(name), then)[0]
    page = "\n".join(plain(one) for one in laid(what_if.document(change, real(name), then, UNICODE).blocks, 100))
    assert "no -> yes" in page
    assert "host.fstrim_timer = active really inactive" in page


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize("width", few([20, 80, 300], 3))
@pytest.mark.parametrize("name", FEW)
def test_rows_fit_their_width(name, width, glyphs):
    now = real(name)
    mount = next(one.id for one in now.storage.subjects if one.kind == "mount")
    supposed = [Supposition("host", "host.virtual", None), Supposition(mount, "mount.workload", "oltp")]
    rows = [
        *what_if.rows(what_if.changes(now, snapshot(name, *supposed)), width, glyphs),
        *unlocking.rows(unlocking.unlocks(now), width, glyphs),
        *suppose.supposition_rows(now, supposed, width, glyphs),
        *suppose.subject_rows(now, width, glyphs),
        *suppose.fact_rows(now, mount, ASKED, width, glyphs),
        *suppose.value_rows("mount.workload", Known("oltp", ""), width, glyphs),
    ]
    assert all(columns(one) <= width for row in rows for one in row.lines)
    if glyphs is ASCII:
        assert all(plain(one).isascii() for row in rows for one in row.lines)


def hostile(name):
    """A machine whose every text says what could harm a terminal."""

    def told(facts):
        changed = {
            one: Known(HOSTILE, HOSTILE)
            for one in facts.__struct_fields__
            if isinstance(fact := getattr(facts, one), Known) and isinstance(fact.value, str)
        }
        return structs.replace(facts, **changed)

    now = real(name)
    subjects = tuple(
        structs.replace(one, name=HOSTILE, scope={key: told(facts) for key, facts in one.scope.items()})
        for one in now.storage.subjects
    )
    storage = structs.replace(now.storage, subjects=subjects)
    return structs.replace(now, storage=storage, verdicts=advise(storage, RULEBOOK.rules))


@pytest.mark.parametrize("name", FEW)
def test_strangers_texts_can_do_no_harm(name):
    bad, now = hostile(name), real(name)
    found = what_if.changes(now, bad)
    supposed = [Supposition("host", "host.product", HOSTILE), Supposition("disk:none", "disk.model", HOSTILE)]
    rows = [
        *what_if.rows(found, 200, UNICODE),
        *unlocking.rows(unlocking.unlocks(bad), 200, UNICODE),
        *suppose.supposition_rows(bad, supposed, 200, UNICODE),
        *suppose.subject_rows(bad, 200, UNICODE),
        *(row for one in bad.subjects for row in suppose.fact_rows(bad, one, ASKED, 200, UNICODE)),
    ]
    lines = [one for row in rows for one in row.lines]
    lines += [line for one in found for line in laid(what_if.document(one, now, bad, UNICODE).blocks, 80)]
    assert lines
    assert all(plain(one).isprintable() for one in lines)
    assert not any(r"\x0a" in plain(one) for one in lines)


@each("name", FEW)
def test_every_fact_that_a_rule_may_ask_of_a_subject_belongs_to_some_subject(name):
    now = real(name)
    for verdict in now.verdicts:
        for fact, unknown in verdict.to_learn().items():
            if unknown.cause is Cause.NOT_APPLICABLE:
                continue
            at = suppose.owner(now.subjects, verdict.subject, fact)
            assert at is not None
            assert fact in dict(own_facts(now.subjects[at]))


def test_a_newer_supposition_takes_the_place_of_an_older_one():
    one, two = Supposition("host", "host.virtual", True), Supposition("host", "host.virtual", False)
    other = Supposition("host", "host.container", True)
    assert suppose.with_more((one, other), [two]) == (other, two)


def test_values_are_listed_and_the_one_that_is_now_is_marked_and_offered_last():
    lines = texts(suppose.value_rows("disk.plp", Known("claimed", ""), 80, UNICODE))
    assert [one.split()[0] for one in lines] == ["proven", "partial", "absent", "failed", "unknown", "not", "claimed"]
    assert [one for one in lines if "as it is now" in one] == ["  claimed   as it is now"]


def test_what_is_not_known_can_not_be_forgotten():
    unknown = Unknown(Cause.DENIED, "run as root")
    rows = suppose.value_rows("disk.plp", unknown, 80, UNICODE)
    assert suppose.FORGET not in [row.key for row in rows]


def test_choices_stand_for_values():
    assert suppose.chosen("host.virtual", "yes") is True
    assert suppose.chosen("host.virtual", "no") is False
    assert suppose.chosen("disk.plp", "proven") == "proven"
    assert suppose.chosen("disk.plp", suppose.FORGET) is None


def test_facts_that_rules_ask_stand_first_and_the_others_say_that_none_does():
    now = real("pm9a3-postgresql-volatile")
    disk = next(one for one in now.subjects if one.startswith("disk:"))
    rows = suppose.fact_rows(now, disk, ASKED, 200, UNICODE)
    asked = [row.key in ASKED for row in rows]
    assert asked == sorted(asked, reverse=True)
    assert [("no rule asks it itself" not in plain(row.lines[1])) for row in rows] == asked


def test_what_is_as_before_is_one_row_that_says_how_much_that_is():
    real = snapshot_from("raid-lvm-crypt-server")
    found = what_if.changes(real, real)
    pieces = sum(len(one.subjects) for one in found)
    (only,) = what_if.rows(found, 80, UNICODE, folded=True)
    words = [plain(one) for one in only.lines]
    assert "Nothing changes" in words[0]
    assert f"all {pieces}" in words[1]
    assert len(what_if.rows(found, 80, UNICODE)) == len(found)
