"""Remedies that change the format of an ext4 or Btrfs, or its files, and not its mount options."""

import pytest

from fsadvisor.rulebook.rule import Outcome
from tests.loops import loops, needs_loop_devices, run
from tests.rules.test_remedies_on_loops import DATABASE, GIVEN, RULES, shell, verdict

pytestmark = [pytest.mark.loop, pytest.mark.usefixtures("own_mounts"), needs_loop_devices]
SILENT = (Outcome.OK, Outcome.NOT_APPLICABLE)


@pytest.fixture
def loop(tmp_path):
    with loops(tmp_path) as made:
        yield made


def follow(rule, place, given, look, fstab="/dev/null"):
    """Do what the rule says, see it fall silent, undo it; `look` gives what must change and come back."""
    given = GIVEN | given
    before, first = look(), verdict(RULES[rule], place, given)
    assert first.outcome is Outcome.ADVISE
    todo = first.instructions()
    assert not todo.no_commands
    shell(todo.now, fstab)
    assert look() != before
    assert verdict(RULES[rule], place, given).outcome in SILENT
    shell(todo.verify, fstab)
    shell(todo.undo, fstab)
    assert look() == before
    assert verdict(RULES[rule], place, given).outcome is Outcome.ADVISE


def profiles(place):
    """Kind and profile of each sort of block groups."""
    return sorted(line.split(":")[0] for line in run("btrfs", "filesystem", "df", place).splitlines())


def test_a_small_journal_is_made_anew(loop):
    device = loop.device("disk", 3000)
    run("mkfs.ext4", "-q", "-J", "size=8", device)
    place = loop.mount(device, "srv")
    fstab = loop.folder / "fstab"
    fstab.write_text(f"{device} {place} ext4 defaults 0 0\n")

    def journal():
        return next(it for it in run("dumpe2fs", "-h", device).splitlines() if it.startswith("Total journal size"))

    given = {"filesystem.size_bytes": 1 << 40, "filesystem.commit_us": 20_000}
    follow("ext4-small-journal", place, given | dict(DATABASE), journal, fstab)


def test_metadata_gets_a_second_copy(loop):
    device = loop.device("disk", 400)
    run("mkfs.btrfs", "-q", "-m", "single", device)
    place = loop.mount(device, "srv")

    follow("btrfs-single-metadata", place, {}, lambda: profiles(place))


@pytest.mark.long
def test_metadata_leaves_raid_5(loop):
    devices = [loop.device(name, 400) for name in "abc"]
    run("mkfs.btrfs", "-q", "-m", "raid5", "-d", "raid5", *devices)
    place = loop.mount(devices[0], "srv")

    follow("btrfs-parity-metadata", place, {"filesystem.unallocated_percent": 50}, lambda: profiles(place))


def test_quota_groups_are_switched_off(loop):
    device = loop.device("disk", 200)
    run("mkfs.btrfs", "-q", device)
    place = loop.mount(device, "srv")
    run("btrfs", "quota", "enable", place)
    folder = f"/sys/fs/btrfs/{run('findmnt', '-no', 'UUID', place).strip()}"

    follow("btrfs-quota-without-limits", place, {"filesystem.quota_used": False}, lambda: run("ls", folder))
