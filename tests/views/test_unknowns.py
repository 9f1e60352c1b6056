"""What could not be told, as things to do: pure, on every recorded machine."""

from functools import cache

import pytest
from msgspec import structs

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.opening import open_machine
from fsadvisor.pages.glyphs import ASCII, UNICODE, columns, plain
from fsadvisor.pages.screen import laid
from fsadvisor.report.model import Provenance
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.survey.whole import survey
from fsadvisor.tui.views import unknowns
from fsadvisor.tui.views.snapshot import Snapshot
from fsadvisor.tui.views.unknowns import Means, packages_of, probe_of
from tests.cases import each, few
from tests.paths import FIXTURES

MACHINES = sorted(path.name for path in (FIXTURES / "machines").iterdir() if path.is_dir())
RULEBOOK = own_rulebook()
RULES = {rule.id: rule for rule in RULEBOOK.rules}
HOSTILE = "[bold]x[/] \x1b]0;t\x07\x1b[31m\u202e\udcff" + "y" * 4096


def snapshot_of(storage):
    return Snapshot(
        number=1, storage=storage, verdicts=advise(storage, RULEBOOK.rules), about=Provenance(version="0", root=True)
    )


@cache
def snapshot(name):
    return snapshot_of(survey(open_machine(FIXTURES / "machines" / name), {}))


def page(task, width=80, os_release="", live=True):
    return "\n".join(plain(one) for one in laid(unknowns.document(task, RULES, os_release, live=live).blocks, width))


@pytest.mark.parametrize("name", few(MACHINES, 6))
def test_every_open_verdict_and_every_withheld_finding_has_a_task(name):
    tasks = unknowns.tasks(snapshot(name))
    rules = {rule for task in tasks for rule in task.cure.rules}
    held = {rule for task in tasks for rule in task.cure.held_back}
    assert rules >= {one.rule.id for one in snapshot(name).verdicts if one.outcome is Outcome.UNDETERMINED}
    assert held == {one.rule.id for one in snapshot(name).verdicts if one.outcome is Outcome.WITHHELD}


@pytest.mark.parametrize("name", few(MACHINES, 6))
def test_the_gravest_come_first_and_keys_are_all_different(name):
    tasks = unknowns.tasks(snapshot(name))
    gravity = [task.cure.gravity for task in tasks]
    assert gravity == sorted(gravity)
    assert len({task.key for task in tasks}) == len(tasks)


@pytest.mark.parametrize("name", few(MACHINES, 6))
def test_every_task_says_how_it_is_done_or_that_it_can_not_be(name):
    for task in unknowns.tasks(snapshot(name)):
        text = " ".join(page(task).split())
        assert "It would tell" in text
        if task.means is Means.NONE:
            assert "Nothing can be learnt here" in text
        if task.means is Means.ATTEST:
            assert task.attestable
            assert "fsadvisor attest" in text
        if task.means is Means.MEASURE:
            assert all(f"fsadvisor probe {job}" in text for job, _ in task.probes)


@pytest.mark.parametrize("width", few([20, 80, 300], 3))
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_rows_fit_their_width(width, glyphs):
    for name in MACHINES:
        rows = unknowns.rows(unknowns.tasks(snapshot(name)), width, glyphs)
        assert all(columns(one) <= width for row in rows for one in row.lines)
        assert {len(row.lines) for row in rows} <= {2}


def test_strangers_texts_can_do_no_harm():
    now = snapshot("raid-lvm-crypt-server")

    def told(facts):
        changed = {
            one: Unknown(fact.cause, f"{fact.learn} {HOSTILE}" if fact.learn else "", HOSTILE)
            for one in facts.__struct_fields__
            if isinstance(fact := getattr(facts, one), Unknown)
        }
        return structs.replace(facts, **changed)

    subjects = tuple(
        structs.replace(one, name=HOSTILE, scope={key: told(facts) for key, facts in one.scope.items()})
        for one in now.storage.subjects
    )
    tasks = unknowns.tasks(snapshot_of(structs.replace(now.storage, subjects=subjects)))
    assert tasks
    lines = [plain(one) for row in unknowns.rows(tasks, 200, UNICODE) for one in row.lines]
    for task in tasks:
        lines += page(task, os_release=f"ID={HOSTILE}").split("\n")
    assert all(one.isprintable() for one in lines)


@each(
    ("learn", "expected"),
    [
        ("`fsadvisor probe commit-fdatasync /srv`", ("commit-fdatasync", "/srv")),
        ("`fsadvisor probe fsync-ladder '/srv/a b'`: the interval is wider than ± 15 %", ("fsync-ladder", "/srv/a b")),
        ("`fsadvisor probe fsync-ladder '/a`b'`: it was `x`", ("fsync-ladder", "/a`b")),
        ("run as root", None),
        ("", None),
    ],
)
def test_a_probe_is_read_from_its_cure(learn, expected):
    assert probe_of(learn) == expected


@each(
    ("learn", "expected"),
    [
        ("install nvme-cli", ("nvme-cli",)),
        ("install libudev1 and python3-pyudev", ("libudev1", "python3-pyudev")),
        ("install smartmontools 7.0 or later", ("smartmontools",)),
        ("install it", ()),
        ("install storcli64 from the controller's vendor", ()),
        ("run as root with dmsetup and lvm2 installed", ()),
        ("install $(reboot)", ()),
    ],
)
def test_packages_are_read_from_a_cure(learn, expected):
    assert packages_of(learn) == expected


def task_for(cause, learn, fact="disk.percentage_used"):
    """A task for a fact of a disk that is not known for this reason."""
    now = snapshot("worn-nvme-database")
    subjects = tuple(
        structs.replace(one, scope={**one.scope, "disk": _with(one.scope["disk"], fact, Unknown(cause, learn))})
        if one.kind == "disk"
        else one
        for one in now.storage.subjects
    )
    tasks = unknowns.tasks(snapshot_of(structs.replace(now.storage, subjects=subjects)))
    return next(one for one in tasks if fact in one.cure.facts)


def _with(facts, name, fact):
    return structs.replace(facts, **{name.partition(".")[2]: fact})


@each(
    ("cause", "learn", "means", "words"),
    [
        (Cause.NO_TOOL, "install nvme-cli", Means.INSTALL, "apt-get install nvme-cli"),
        (Cause.DENIED, "run as root", Means.ROOT, "sudo fsadvisor"),
        (Cause.TIMED_OUT, "retry with a longer --timeout", Means.AGAIN, "Look again"),
        (Cause.BEING_ASKED, "wait for the answer", Means.WAIT, "has not answered yet"),
        (Cause.NOT_EXPOSED, "", Means.NONE, "Nothing can be learnt here"),
        (Cause.UNREADABLE, "send the directory that `fsadvisor capture` writes", Means.HAND, "by hand"),
    ],
)
def test_each_way_of_cure_is_told_plainly(cause, learn, means, words):
    task = task_for(cause, learn)
    assert task.means is means
    assert words in " ".join(page(task, os_release="ID=debian").split())


def test_where_the_distribution_is_not_known_the_package_is_named():
    text = page(task_for(Cause.NO_TOOL, "install nvme-cli"))
    assert "nvme-cli" in text
    assert "apt-get" not in text
    assert "distribution is not known" in " ".join(text.split())


def test_what_to_do_follows_from_why_each_drive_says_nothing():
    ways = {unknowns.heading(one): one for one in unknowns.tasks(snapshot("old-storage-server"))}
    assert not any("smartmontools" in heading for heading in ways)
    behind = next(one for heading, one in ways.items() if "drive behind the controller" in heading)
    assert (behind.means, list(behind.cure.subjects)) == (Means.HAND, ["disk:sda"])
    assert "smartctl" not in snapshot("old-storage-server").missing_tools


def test_a_recording_in_which_mount_was_not_asked_lacks_no_tool():
    assert snapshot("cloud-vm").missing_tools == ()
