"""A power cut at every point of a short history of writes: what was acknowledged before must be whole after it.

The disk is a RAM disk under dm-log-writes, which is a drive with a volatile cache that empties only when told to: its
log holds each write at the place where a flush, or the write's own FUA, made it safe (see log_writes). Each point where
something became safe is tried twice: with what was safe alone, as if the cache had died whole, and with half of the
writes that were still in the cache, as if the drive had been writing it back in an order of its own. A mark in the log
is an acknowledgement: it is set after fsync has returned.

At the end the disk is pulled from under the mounted filesystem: an unmount would write on. Without barriers nothing is
safe before that moment, so the log names no points: there, random halves of all that was written are tried.
"""

import os
import random
from contextlib import suppress
from pathlib import Path

import pytest

from tests.lab.log_writes import apply, entries
from tests.lab.marks import thorough
from tests.lab.scenario import ToolError, run, settle, unload

pytestmark = pytest.mark.lab

BLOCK = 4096
MEGABYTES = 112
FILES = 3
HALVES = 6
"""How many random halves are tried where there are no points."""
DISK, LOG, LOOP, NAME = "/dev/ram0", "/dev/ram1", "/dev/loop0", "cut"
WHOLE, CUT_OFF = Path("/tmp/whole.img"), Path("/tmp/cut-off.img")
KEEPS = [("ext4", ""), thorough("xfs", ""), thorough("btrfs", ""), thorough("f2fs", "")]
LOSES = [("ext4", "nobarrier"), thorough("btrfs", "nobarrier")]


def content(number, generation):
    return f"{number:11d} {generation:3d}\n".encode() * (BLOCK // 16)


def prepare(scenario, kind):
    """A filesystem with two files to overwrite on the RAM disk, kept as WHOLE."""
    run("modprobe", "brd", "rd_nr=2", f"rd_size={MEGABYTES << 10}")
    scenario.undo(run, "modprobe", "--remove", "brd")
    run("modprobe", "loop", "max_loop=1")
    scenario.undo(unload, "loop")
    scenario.undo(settle)
    CUT_OFF.write_bytes(b"")
    os.truncate(CUT_OFF, MEGABYTES << 20)
    run("losetup", LOOP, str(CUT_OFF))
    scenario.undo(run, "losetup", "--detach", LOOP)
    # mkfs.xfs makes a small filesystem only for its makers' own tests; each point copies what is not zero.
    os.environ |= dict.fromkeys(("TEST_DIR", "TEST_DEV", "QA_CHECK_FS"), "lab")
    # ext4's thread that writes inode tables later flushes once, whatever the mount's options (ext4_init_inode_table).
    scenario.format(kind, DISK, *(("-E", "lazy_itable_init=0,lazy_journal_init=0") if kind == "ext4" else ()))
    point = Path("/srv/points")
    point.mkdir(parents=True, exist_ok=True)
    run("mount", "-t", kind, DISK, str(point))
    (point / "pages").write_bytes(b"".join(content(number, 0) for number in range(FILES)))
    (point / "folder").mkdir()
    run("umount", str(point))
    run("dd", f"if={DISK}", f"of={WHOLE}", "bs=1M", "conv=sparse")
    return point


def mark(name):
    run("dmsetup", "message", NAME, "0", "mark", name)


def write(point):
    """New files and overwritten pages by turns, each with fsync, each acknowledged by a mark."""
    folder = os.open(point / "folder", os.O_RDONLY)
    pages = os.open(point / "pages", os.O_WRONLY)
    for number in range(FILES):
        file = os.open(str(number), os.O_WRONLY | os.O_CREAT | os.O_EXCL, dir_fd=folder)
        os.write(file, content(number, 1))
        os.fsync(file)
        os.fsync(folder)
        os.close(file)
        mark(f"folder/{number}")
        os.pwrite(pages, content(number, 1), number * BLOCK)
        os.fdatasync(pages)
        mark(f"pages/{number}")
    os.close(pages)
    os.close(folder)


def pull_disk(sectors):
    """Take the disk away as it is: dm-log-writes then logs what was never flushed."""
    run("dmsetup", "load", NAME, "--table", f"0 {sectors} error")
    run("dmsetup", "suspend", "--nolockfs", "--noflush", NAME)
    run("dmsetup", "resume", NAME)


def logged(scenario, kind, options):
    """Write on a filesystem and pull the disk; the log."""
    point = prepare(scenario, kind)
    sectors = int(run("blockdev", "--getsz", DISK))
    run("dmsetup", "create", NAME, "--table", f"0 {sectors} log-writes {DISK} {LOG}")
    try:
        run("mount", "-t", kind, "-o", options or "defaults", f"/dev/mapper/{NAME}", str(point))
        try:
            write(point)
            pull_disk(sectors)
        finally:
            run("umount", str(point))
        return list(entries(LOG))
    finally:
        run("dmsetup", "remove", "--retry", NAME)


def is_whole(point, acknowledged):
    """Whether a write is there after the cut."""
    kind, number = acknowledged.split("/")
    if kind == "pages":
        data = (point / "pages").read_bytes()[int(number) * BLOCK : (int(number) + 1) * BLOCK]
    else:
        with suppress(FileNotFoundError):
            data = (point / acknowledged).read_bytes()
            return data == content(int(number), 1)
        return False
    return data == content(int(number), 1)


def copy(source, target):
    """A sparse copy into a file that a loop device keeps open."""
    target.truncate(0)
    target.truncate(MEGABYTES << 20)
    place = 0
    with suppress(OSError):
        while True:
            place = os.lseek(source.fileno(), place, os.SEEK_DATA)
            end = os.lseek(source.fileno(), place, os.SEEK_HOLE)
            target.seek(place)
            target.write(os.pread(source.fileno(), end - place, place))
            place = end


def missing(kind, acknowledged, more):
    """Which acknowledged writes are not whole on a copy of WHOLE with more writes; None where it does not mount."""
    with WHOLE.open("rb") as source, CUT_OFF.open("r+b") as target:
        copy(source, target)
        for entry in more:
            apply(entry, target)
    point = Path("/srv/points")
    try:
        run("mount", "-t", kind, LOOP, str(point))
    except ToolError:
        return None
    try:
        return [name for name in acknowledged if not is_whole(point, name)]
    except OSError:
        return list(acknowledged)
    finally:
        run("umount", str(point))


def points(log):
    """(marks so far, entries that became safe, entries that may be in the cache then) of each point."""
    ends = [index for index, entry in enumerate(log) if entry.is_durable_point]
    start, acknowledged = 0, []
    for end, following in zip(ends, [*ends[1:], len(log)], strict=True):
        acknowledged += [entry.mark for entry in log[start : end + 1] if entry.mark]
        yield list(acknowledged), log[start : end + 1], log[end + 1 : following]
        start = end + 1


@pytest.mark.parametrize(("kind", "options"), KEEPS)
def test_with_barriers_each_point_keeps_what_was_acknowledged(scenario, kind, options):
    """A power cut at every flush of a drive with a volatile cache: filesystems that flush"""
    log = logged(scenario, kind, options)
    chance = random.Random(kind)
    tried, lost = 0, []
    for acknowledged, safe, cached in points(log):
        with WHOLE.open("r+b") as file:
            for entry in safe:
                apply(entry, file)
        some = [entry for entry in cached if chance.random() < 0.5]
        for more in [[], some] if some else [[]]:
            tried += 1
            gone = missing(kind, acknowledged, more)
            if gone or gone is None:
                lost.append((tried, len(more), gone))

    assert [entry.mark for entry in log if entry.mark][: FILES * 2] == [
        f"{what}/{number}" for number in range(FILES) for what in ("folder", "pages")
    ]
    assert tried >= FILES * 2
    assert lost == []
    scenario.tell(claim="each point keeps what was acknowledged", filesystem=f"{kind} {options}".strip(), points=tried)


@pytest.mark.parametrize(("kind", "options"), LOSES)
def test_without_barriers_acknowledged_writes_are_lost(scenario, kind, options):
    """A power cut of a drive with a volatile cache: filesystems that send no flush"""
    log = logged(scenario, kind, options)
    acknowledged = [entry.mark for entry in log if entry.mark and "/" in entry.mark]
    chance = random.Random(kind)

    marked = [index for index, entry in enumerate(log) if entry.mark]
    first, last = marked[0], marked[-1]
    assert [entry for entry in log[first : last + 1] if entry.is_durable_point] == []
    # What the mount itself made safe, before the first write.
    with WHOLE.open("r+b") as file:
        for entry in log[:first]:
            apply(entry, file)
    cached = [entry for entry in log[first:] if not entry.is_durable_point]  # one may come as the disk is pulled
    assert missing(kind, acknowledged, []) == acknowledged
    outcomes = [
        missing(kind, acknowledged, [entry for entry in cached if chance.random() < 0.5]) for _ in range(HALVES)
    ]
    assert all(outcome is None or outcome for outcome in outcomes)
    scenario.tell(
        claim="acknowledged writes are lost",
        filesystem=f"{kind} {options}",
        halves=HALVES,
        refused=outcomes.count(None),
        missing=[len(outcome) for outcome in outcomes if outcome is not None],
        acknowledged=len(acknowledged),
    )
