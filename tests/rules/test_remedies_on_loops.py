"""Each remedy that ext4, XFS or Btrfs can show here: the kernel takes it, the rule falls silent, the undo brings back.

What the disk below is (a virtual one) and where we run (it looks like a container) would withhold the commands; those
facts are given, everything else is surveyed.
"""

import dataclasses
import os
import subprocess

import pytest
from msgspec import structs

from fsadvisor.facts import Known
from fsadvisor.machine.live import LiveMachine
from fsadvisor.rulebook import gate
from fsadvisor.rulebook.advise import judge
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.survey.whole import survey
from fsadvisor.version import Version
from tests.cases import few
from tests.loops import loops, needs_loop_devices, run

pytestmark = [pytest.mark.loop, pytest.mark.usefixtures("own_mounts"), needs_loop_devices]

RULES = {rule.id: rule for rule in own_rulebook().rules}
GIVEN = gate.OPEN | {
    "host.container": False,
    "host.fstrim_timer": "active",
    "below.any_thin": False,
    "below.any_unprotected_cache": True,
    "below.any_discards": True,
    "below.any_removable": False,
    "mount.configured": True,
    "mount.atime_readers": (),
    "mount.sync_needed": False,
}
MKFS = {"ext4": ("mkfs.ext4", "-q"), "xfs": ("mkfs.xfs", "-q"), "btrfs": ("mkfs.btrfs", "-q")}
SIZES = {"ext4": 64, "xfs": 320, "btrfs": 160}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Case:
    """A rule, a filesystem mounted so that it advises, and facts that the case gives beside GIVEN."""

    rule: str
    fs: str
    options: str
    given: tuple[tuple[str, object], ...] = ()
    features: tuple[str, ...] = ()

    def __str__(self):
        return f"{self.rule}-{self.fs}-{self.options}"


BUSY = (("mount.workload", "metadata-heavy"),)
DATABASE = (("mount.workload", "oltp"),)
CASES = [
    Case(rule="nobarrier-unproven", fs="ext4", options="nobarrier"),
    Case(rule="nobarrier-unproven", fs="btrfs", options="nobarrier"),
    Case(rule="nobarrier-without-gain", fs="ext4", options="nobarrier", given=(("below.any_write_back", False),)),
    Case(rule="nobarrier-without-gain", fs="btrfs", options="nobarrier", given=(("below.any_write_back", False),)),
    Case(rule="access-times-written", fs="ext4", options="relatime", given=BUSY),
    Case(rule="access-times-written", fs="ext4", options="strictatime", given=BUSY),
    Case(rule="access-times-written", fs="xfs", options="relatime", given=BUSY),
    Case(rule="access-times-written", fs="btrfs", options="relatime", given=BUSY),
    Case(rule="sync-mount", fs="ext4", options="sync"),
    Case(rule="sync-mount", fs="xfs", options="sync"),
    Case(rule="ext4-online-discard", fs="ext4", options="discard"),
    Case(rule="xfs-small-log-buffers", fs="xfs", options="logbsize=32k", given=BUSY),
    Case(rule="ext4-stale-data-exposed", fs="ext4", options="data=writeback"),
    Case(
        rule="ext4-ordered-data-slow",
        fs="ext4",
        options="data=ordered",
        given=(*DATABASE, ("filesystem.journal_flushing_ms", 40), ("filesystem.stale_data_acceptable", True)),
    ),
    Case(rule="ext4-replaced-files-not-flushed", fs="ext4", options="noauto_da_alloc"),
    Case(rule="ext4-delayed-allocation-off", fs="ext4", options="nodelalloc"),
    Case(rule="ext4-long-commit", fs="ext4", options="commit=60"),
    Case(rule="btrfs-autodefrag", fs="btrfs", options="autodefrag", given=DATABASE),
    Case(rule="btrfs-discard-at-commit", fs="btrfs", options="discard"),
    Case(rule="btrfs-long-commit", fs="btrfs", options="commit=600"),
    Case(
        rule="btrfs-old-space-cache",
        fs="btrfs",
        options="space_cache=v1",
        features=("-R", "^free-space-tree"),
    ),
    Case(
        rule="xfs-inode32",
        fs="xfs",
        options="inode32",
        given=(("filesystem.size_bytes", 1 << 44), ("filesystem.inode32_needed", False)),
    ),
    Case(
        rule="timestamps-written-at-once",
        fs="ext4",
        options="defaults",
        given=(*DATABASE, ("filesystem.timestamps_expendable", True)),
    ),
    Case(
        rule="timestamps-written-at-once",
        fs="xfs",
        options="defaults",
        given=(*DATABASE, ("filesystem.timestamps_expendable", True)),
    ),
]


def shell(commands, fstab):
    """Run commands as a person would, with this fstab in place of the machine's."""
    for command in commands:
        done = subprocess.run(
            command,
            shell=True,
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, "LIBMOUNT_FSTAB": str(fstab)},
        )
        assert done.returncode == 0, (command, done.stderr)


def verdict(rule, place, given):
    """What a rule says of the mount, filesystem or program at a place, surveyed anew."""
    for subject in survey(LiveMachine(), {}).subjects:
        mount, filesystem = subject.scope.get("mount"), subject.scope.get("filesystem")
        point = mount.point if mount else filesystem.mount_point if filesystem else None
        if subject.kind == rule.subject and point == Known(place, point.source):
            scope = {name: with_given(name, facts, given) for name, facts in subject.scope.items()}
            return judge(rule, structs.replace(subject, scope=scope))
    raise AssertionError(f"no {rule.subject} at {place}")


def with_given(space, facts, given):
    """Facts of a scope with the given ones put in."""
    fields = set(facts.__struct_fields__)
    ours = {name.partition(".")[2]: fact for name, fact in given.items() if name.partition(".")[0] == space}
    return structs.replace(facts, **{name: Known(fact, "given") for name, fact in ours.items() if name in fields})


def options(place):
    return run("findmnt", "-no", "VFS-OPTIONS,FS-OPTIONS", "--mountpoint", place)


@pytest.mark.parametrize("case", few(CASES, 12), ids=str)
def test_the_kernel_takes_the_remedy_the_rule_falls_silent_and_the_undo_restores(case, tmp_path):
    there_and_back(case, tmp_path, GIVEN)


OLD = [
    case for case in CASES if case.rule in ("access-times-written", "sync-mount", "btrfs-long-commit", "xfs-inode32")
]


@pytest.mark.parametrize("case", few(OLD, 8), ids=str)
def test_with_the_mount_of_el_7_the_remedy_keeps_every_other_option_too(case, tmp_path):
    """Each case is mounted noexec, of which its fstab does not know."""
    case = dataclasses.replace(case, options=f"{case.options},noexec")
    done = there_and_back(case, tmp_path, GIVEN | {"host.util_linux": Version(2, 23, 2)})
    assert not [command for command in done if "--options-source" in command or "--mountpoint" in command]


def there_and_back(case, tmp_path, known):
    """The remedy done and undone, on a filesystem of whose mount fstab has the first option; what was done."""
    rule, given = RULES[case.rule], known | dict(case.given)
    with loops(tmp_path) as loop:
        device = loop.device("disk", SIZES[case.fs])
        run(*MKFS[case.fs], *case.features, device)
        place = loop.mount(device, "odd name", case.options)
        fstab = tmp_path / "fstab"
        configured = case.options.removesuffix(",noexec")
        fstab.write_text(f"{device} {place.replace(' ', chr(92) + '040')} {case.fs} {configured} 0 0\n")
        before, first = options(place), verdict(rule, place, given)
        assert first.outcome is Outcome.ADVISE
        todo = first.instructions()
        assert not todo.no_commands

        shell(todo.now, fstab)
        assert options(place) != before
        assert ("noexec" in options(place)) is ("noexec" in case.options)
        assert verdict(rule, place, given).outcome in (Outcome.OK, Outcome.NOT_APPLICABLE)
        shell([command for command in todo.verify if not command.startswith("systemctl")], fstab)

        shell(todo.undo, fstab)
        assert options(place) == before
        assert verdict(rule, place, given).outcome is Outcome.ADVISE
    return (*todo.now, *todo.verify, *todo.undo)


REFUSED = [
    ("ext4", "defaults", "remount,data=writeback"),
    ("xfs", "logbsize=32k", "remount,logbsize=256k"),
    ("xfs", "discard", "remount,nodiscard"),
    ("xfs", "defaults", "remount,nobarrier"),
]


@pytest.mark.parametrize(("fs", "first", "then"), REFUSED)
def test_what_the_kernel_refuses_or_ignores_on_remount_is_offered_by_no_rule(fs, first, then, tmp_path):
    with loops(tmp_path) as loop:
        device = loop.device("disk", SIZES[fs])
        run(*MKFS[fs], device)
        place = loop.mount(device, "srv", first)
        before = options(place)
        subprocess.run(["mount", "-o", then, place], capture_output=True, check=False)
        assert options(place) == before

    offered = [
        command
        for rule in RULES.values()
        if rule.id.startswith(fs)
        for command in map(str, (piece for template in rule.remedy.now for piece in template.pieces))
        if then in command
    ]
    assert offered == []


def test_no_copy_on_write_does_not_take_on_a_file_with_content(tmp_path):
    with loops(tmp_path) as loop:
        device = loop.device("disk", SIZES["btrfs"])
        run(*MKFS["btrfs"], device)
        place = loop.mount(device, "srv")
        file = tmp_path / "srv" / "full"
        file.write_bytes(b"x" * 100_000)
        run("sync")
        subprocess.run(["chattr", "+C", str(file)], capture_output=True, check=False)
        assert "C" not in run("lsattr", str(file)).split()[0]
        assert place
