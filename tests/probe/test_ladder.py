"""The fsync ladder: the parts of a commit from measured turns, and the turns on real filesystems."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from fsadvisor.measure.probe import DiskWork, EngineError, ladder
from fsadvisor.measure.probe.disks import Flushes, Way
from fsadvisor.measure.probe.jobs import Ladder
from fsadvisor.measure.probe.ladder import BLOCK_BYTES, PARTS, Turns, parts
from tests.loops import run
from tests.probe.filesystems import ON_DISK, mounted, needs_root

WORK = Ladder(file_bytes=4 << 20)
OPERATIONS = 50
BESIDE = ("flush_counted", "flush_disks", "dsync")
EXT4 = [one for one in ON_DISK if one.values == ("ext4",)]


def turns_of(total_us, sync_us=0.0, flushes=0.0, flush_us=0.0, written_bytes=BLOCK_BYTES):
    """Turns in which all operations were alike: per operation so many flushes that took `flush_us` each."""
    count = round(flushes * OPERATIONS)
    return Turns(
        seconds=total_us * OPERATIONS / 1e6,
        total_ns=[round(total_us * 1000)] * OPERATIONS,
        sync_ns=[round(sync_us * 1000)] * OPERATIONS,
        operations=[OPERATIONS],
        work=[
            DiskWork(
                flushes=count,
                flush_us=count * flush_us,
                write_ios=OPERATIONS,
                written_bytes=written_bytes * OPERATIONS,
                read_ios=0,
                read_bytes=0,
            )
        ],
        flushes=[Flushes(count=count, us=count * flush_us)],
    )


def below(turns, share):
    """The same turns above other devices, that count such a share of the time of syncs as flushes."""
    turns.flushes_below = [Flushes(count=OPERATIONS, us=share * sum(turns.sync_ns) / 1000)]
    return turns


def steps(write, datasync, commit, dsync=None):
    return {"write": write, "datasync": datasync, "commit": commit, "dsync": dsync or write}


def test_on_a_disk_without_fua_a_commit_has_two_flushes():
    """Data 40, then a flush of 200, two journal blocks of 40 each and the second flush."""
    found = parts(
        steps(turns_of(40), turns_of(250, 210, 1, 200), turns_of(540, 530, 2, 200)),
        fua=False,
    )
    assert found["data"] == 40
    assert found["flush_counted"] == pytest.approx(400)
    assert found["flush"] == pytest.approx(410)  # the 10 µs that a flush takes above the disk, once: the second is ours
    assert found["journal"] == pytest.approx(530 - 40 - 410)


def test_with_fua_every_flush_was_asked_for():
    found = parts(steps(turns_of(40), turns_of(250, 210, 1, 200), turns_of(340, 330, 1, 200)), fua=True)
    assert found["flush"] == pytest.approx(210)


def test_a_layer_that_delays_flushes_is_seen_though_the_disk_counts_none_of_it():
    """dm-delay with 5 ms for a flush and 2 ms for a write, over a disk that flushes in 100 µs and has no FUA."""
    found = parts(
        steps(turns_of(2000), turns_of(7100, 5100, 1, 100), turns_of(11_300, 11_200, 2, 100)),
        fua=False,
    )
    assert found["flush"] == pytest.approx(5200)
    assert found["journal"] == pytest.approx(4000)
    assert found["flush_counted"] == pytest.approx(200)


def test_a_disk_that_writes_through_is_sent_no_flush():
    found = parts(steps(turns_of(40), turns_of(42, 2), turns_of(140, 130)), fua=True)
    assert (found["flush"], found["flush_counted"]) == (0, 0)
    assert found["journal"] == pytest.approx(90)


def test_where_a_datasync_writes_a_log_only_what_the_disk_counts_is_flush():
    btrfs = turns_of(2000, 1900, 2, 300, written_bytes=16 * BLOCK_BYTES)
    found = parts(steps(turns_of(100), btrfs, turns_of(2100, 2000, 2, 300)), fua=False)
    assert found["flush"] == found["flush_counted"] == pytest.approx(600)


def test_on_a_loop_device_its_own_flushes_count_and_those_of_the_disk_are_told_beside_them():
    """A flush of the loop device is an fsync of its image: 600 µs, of which the disk below takes 25."""
    found = parts(
        steps(turns_of(28), below(turns_of(660, 630, 1, 600), 0.04), below(turns_of(965, 937, 1, 600), 25 / 937)),
        fua=True,
    )
    assert found["flush_counted"] == pytest.approx(600)
    assert found["flush"] == pytest.approx(630)
    assert found["journal"] == pytest.approx(937 - 28 - 630)
    assert found["flush_disks"] == pytest.approx(25)


def test_what_the_disks_write_below_an_image_is_nothing_that_the_filesystem_writes():
    """The image's own journal: the loop device counts 4 KiB for a datasync, the disk below five times that."""
    write, datasync, commit = turns_of(30), turns_of(660, 630, 1, 600, 5 * BLOCK_BYTES), turns_of(965, 937, 1, 600)
    for one in (write, datasync, commit):
        one.work = [structs.replace(work, sent_bytes=BLOCK_BYTES * OPERATIONS) for work in one.work]
    assert parts(steps(write, datasync, commit), fua=True)["flush"] == pytest.approx(630)


def test_without_counters_only_what_was_timed_is_told():
    blind = turns_of(250, 210)
    blind.flushes, blind.work = [None], [None]
    assert set(parts(steps(turns_of(40), blind, blind), fua=False)) == {"data", "dsync"}


def test_outliers_do_not_count_for_more_in_one_part_than_in_another():
    """A neighbour stalls one commit in ten for 20 ms, half of it in a flush: the shares are those of the others."""
    stalled = turns_of(440, 400, 2, 100)
    for at in range(0, OPERATIONS, 10):
        stalled.sync_ns[at] += 20_000_000
    stalled.flushes = [Flushes(count=100, us=100 * 100 + 5 * 10_000)]
    found = parts(steps(turns_of(40), turns_of(140, 100, 1, 100), stalled), fua=False)
    assert found["flush"] == pytest.approx(200)


@given(
    st.builds(turns_of, st.floats(1, 1e6)),
    st.builds(
        turns_of, st.floats(1, 1e6), st.floats(1, 1e6), st.floats(0, 4), st.floats(0, 1e6), st.integers(0, 10**6)
    ),
    st.builds(
        turns_of, st.floats(1, 1e6), st.floats(1, 1e6), st.floats(0, 4), st.floats(0, 1e6), st.integers(0, 10**6)
    ),
    st.booleans(),
)
def test_no_part_is_below_zero_and_none_of_flush_and_journal_is_longer_than_the_commit(write, datasync, commit, fua):
    found = parts(steps(write, datasync, commit), fua=fua)
    whole = commit.sync_ns[0] / 1000
    assert all(value >= 0 for value in found.values())
    assert found["flush"] + found["journal"] <= whole * (1 + 1e-9)
    if found["data"] + found["flush"] <= whole:
        assert sum(found[name] for name in PARTS) == pytest.approx(whole)


@pytest.mark.parametrize("kind", ON_DISK)
def test_a_window_tells_the_parts_of_its_commits_and_leaves_nothing(kind, tmp_path):
    with mounted(kind, tmp_path) as filesystem:
        free = filesystem.free_bytes()
        with ladder.session(WORK, filesystem.folder, filesystem.way) as session:
            for _ in range(2):
                window = session.window(0.2)
                assert set(window.parts_us) == {*PARTS, *BESIDE} - {"flush_disks"}
                assert window.operations == sum(window.sync_ns.values()) == sum(window.latencies_ns.values()) >= 3
                assert window.asked_bytes == window.operations * BLOCK_BYTES
                assert window.beside_bytes >= 9 * BLOCK_BYTES
                assert window.disks.written_bytes >= window.asked_bytes
                assert window.seconds > 0
            assert session.engine.startswith("fsadvisor ")
        assert {entry.name for entry in filesystem.folder.iterdir()} <= {"lost+found"}
        filesystem.remount()
        assert filesystem.has_back(free)


@pytest.mark.parametrize("kind", EXT4)
def test_the_flushes_of_an_image_on_a_filesystem_are_those_of_its_own_loop_device(kind, tmp_path):
    """Both count: the image's loop device, whose flush is an fsync, and the one below it, as if it were the disk."""
    with mounted(kind, tmp_path, megabytes=192) as outer, mounted(kind, outer.folder, megabytes=64) as inner:
        way = Way(leaves=outer.way.leaves, flushed=inner.way.leaves, top=inner.way.leaves)
        with ladder.session(WORK, inner.folder, way) as session:
            window = session.window(0.5)
        below, above = (Path(f"/sys/block/{one.way.leaves[0]}/queue/write_cache").read_text() for one in (outer, inner))
    assert set(window.parts_us) == {*PARTS, *BESIDE}
    assert window.parts_us["flush_counted"] <= window.parts_us["flush"]
    if above == "write back\n":  # an earlier user of a loop device may have told the kernel that it keeps what it has
        assert window.disks.sent_flushes >= window.operations
    assert (window.disks.flushes > 0) == (below == above == "write back\n")


@pytest.mark.parametrize("kind", ON_DISK)
def test_where_the_disks_are_not_known_the_window_tells_what_was_timed(kind, tmp_path):
    with mounted(kind, tmp_path) as filesystem, ladder.session(WORK, filesystem.folder, None) as session:
        window = session.window(0.01)
        assert set(window.parts_us) == {"data", "dsync"}
        assert window.disks is None
        assert window.operations >= 3


@needs_root
def test_a_filesystem_that_fills_up_is_told(tmp_path):
    with (
        mounted("tmpfs", tmp_path, megabytes=6) as filesystem,
        ladder.session(WORK, filesystem.folder, None) as session,
        (filesystem.folder / "other").open("wb") as other,
    ):
        os.posix_fallocate(other.fileno(), 0, filesystem.free_bytes())
        with pytest.raises(EngineError, match=f"measuring in {filesystem.folder}: there is no space left"):
            session.window(0.01)


@needs_root
def test_a_filesystem_without_direct_io_is_told(tmp_path):
    run("mount", "-t", "ramfs", "ramfs", str(tmp_path))
    try:
        with (
            pytest.raises(EngineError, match=f"filesystem of {tmp_path} has no direct I/O"),
            ladder.session(WORK, tmp_path, None),
        ):
            pass
    finally:
        run("umount", str(tmp_path))


@pytest.mark.long
@needs_root
def test_the_file_that_grows_never_takes_more_than_the_cost_says(tmp_path):
    """In memory a commit takes next to nothing, so that a window has more of them than the file has room for."""
    work = Ladder(file_bytes=8 << 20)
    with mounted("tmpfs", tmp_path) as place, ladder.session(work, place.folder, None) as one:
        sizes = []
        for _ in range(3):
            done = one.window(0.5)
            sizes.append(os.fstat(one.growing.descriptor).st_size)
    assert all(size <= work.file_bytes for size in sizes)
    assert done.asked_bytes > 0
