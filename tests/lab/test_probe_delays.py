"""Probes of disks whose delays are known: null_blk, and dm-delay over it."""

from pathlib import Path
from statistics import median

import pytest

from fsadvisor.measure.probe import ladder
from fsadvisor.measure.probe.jobs import Ladder
from tests.lab import null_blk
from tests.lab.scenario import run

pytestmark = pytest.mark.lab
DELAY_MS = 100
"""Long beside what an emulated processor takes for the filesystem's own part."""
WINDOWS = 5
WINDOW_SECONDS = 4

JOURNAL_WRITES = {"ext4": 2, "xfs": 1, "btrfs": 2}
"""ext4's descriptor and commit block, one after the other; XFS's log record; Btrfs's log tree, then its superblock."""


def climbed(folder, disk):
    """The medians of a few windows: parts in ms, the commit, and flushes per commit."""
    with ladder.session(Ladder(file_bytes=4 << 20), Path(folder), (disk,)) as session:
        windows = [session.window(WINDOW_SECONDS) for _ in range(WINDOWS)]
    parts = {name: median(window.parts_us[name] for window in windows) / 1000 for name in windows[0].parts_us}
    whole = median(sorted(window.sync_ns)[len(window.sync_ns) // 2] for window in windows) / 1e6
    flushes = sum(window.disks.flushes for window in windows) / sum(window.operations for window in windows)
    return parts, whole, flushes


def rounded(parts):
    return ", ".join(f"{name} {value:.1f}" for name, value in parts.items())


def close_to(milliseconds):
    return pytest.approx(milliseconds, rel=0.1, abs=1)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs"])
@pytest.mark.parametrize("cached", [True, False], ids=["write back", "write through"])
def test_the_ladder_tells_the_parts_of_a_commit_on_a_disk_of_known_delay(scenario, kind, cached):
    """null_blk that takes 100 ms a request, flushes among them: data, journal and flush of an fsync"""
    slow = {"irqmode": 2, "completion_nsec": DELAY_MS * 1_000_000}
    disk = null_blk.create(scenario, "nullb0", **slow, volatile_cache=cached)
    scenario.format(kind, f"/dev/{disk}")
    folder = scenario.mount(f"/dev/{disk}", "data")

    parts, whole, flushes = climbed(folder, disk)

    flush, journal = DELAY_MS * cached, DELAY_MS * JOURNAL_WRITES[kind]
    scenario.tell(
        claim=f"{kind}: {DELAY_MS} + {journal} + {flush} ms",
        seen=f"{rounded(parts)}, {whole:.1f} ms, {flushes:.2f} flushes",
    )
    assert parts["data"] == close_to(DELAY_MS)
    assert parts["flush"] == close_to(flush)
    assert parts["flush_counted"] == close_to(flush)
    assert parts["journal"] == close_to(journal)
    assert whole == close_to(DELAY_MS + journal + flush)
    assert flushes == pytest.approx(1 if cached else 0, rel=0.1)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs"])
def test_the_ladder_sees_a_flush_that_a_layer_above_the_disk_delays(scenario, kind):
    """dm-delay: 100 ms for a write and 200 ms for a flush, over a disk that takes next to nothing"""
    disk = null_blk.create(scenario, "nullb0", volatile_cache=True)
    sectors = int(run("blockdev", "--getsz", f"/dev/{disk}"))
    legs = " ".join(f"/dev/{disk} 0 {delay}" for delay in (0, DELAY_MS, 2 * DELAY_MS))
    run("dmsetup", "create", "slow", "--table", f"0 {sectors} delay {legs}")
    scenario.undo(run, "dmsetup", "remove", "--retry", "slow")
    scenario.format(kind, "/dev/mapper/slow")
    folder = scenario.mount("/dev/mapper/slow", "data")

    parts, whole, flushes = climbed(folder, disk)

    flush, journal = 2 * DELAY_MS, DELAY_MS * JOURNAL_WRITES[kind]
    if kind == "btrfs":  # its fdatasync writes a log, too, so there is no telling a layer's part in a flush
        flush, journal = 0, journal + flush
    scenario.tell(
        claim=f"{kind}: {DELAY_MS} + {journal} + {flush} ms",
        seen=f"{rounded(parts)}, {whole:.1f} ms, {flushes:.2f} flushes",
    )
    assert parts["data"] == close_to(DELAY_MS)
    assert parts["flush"] == (close_to(flush) if flush else pytest.approx(0, abs=DELAY_MS / 10))
    assert parts["flush_counted"] < DELAY_MS / 2
    assert parts["journal"] == close_to(journal)
    assert whole == close_to(DELAY_MS + journal + flush)
