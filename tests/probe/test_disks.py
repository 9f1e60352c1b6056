"""The disks' counters, and which disks lie below a mount."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.machine.recorded import RecordedMachine
from fsadvisor.probe.disks import Flushes, between, counted, flushed, leaves
from fsadvisor.survey.whole import survey
from tests.paths import FIXTURES
from tests.probe.filesystems import ON_DISK, mounted

ROW = "10 0 80 5 20 1 160 7 0 9 12 0 0 0 0 3 4\n"


@pytest.fixture
def sysfs(tmp_path):
    def write(**stat):
        for disk, text in stat.items():
            (tmp_path / disk).mkdir(exist_ok=True)
            (tmp_path / disk / "stat").write_text(text)
        return tmp_path

    return write


def row(*changes):
    """The row above with columns added to: (column, how much)."""
    numbers = [int(number) for number in ROW.split()]
    for column, more in changes:
        numbers[column] += more
    return " ".join(map(str, numbers))


def test_differences_of_all_disks_are_summed(sysfs):
    before = counted(("sda", "sdb"), sysfs(sda=ROW, sdb=ROW))
    after = counted(("sda", "sdb"), sysfs(sda=row((4, 5), (6, 16), (15, 2), (16, 3)), sdb=row((0, 1), (2, 8), (15, 1))))
    work = between(before, after)
    assert (work.write_ios, work.written_bytes) == (5, 8192)
    assert (work.read_ios, work.read_bytes) == (1, 4096)
    assert (work.flushes, work.flush_us) == (3, 3000)


def test_the_disk_that_flushed_longest_speaks_for_a_mirror(sysfs):
    before = counted(("sda", "sdb"), sysfs(sda=ROW, sdb=ROW))
    after = counted(("sda", "sdb"), sysfs(sda=row((15, 9), (16, 30)), sdb=row((15, 9), (16, 40))))
    assert flushed(before, after) == Flushes(count=9, us=40_000)


def test_a_kernel_that_counts_no_flushes_is_no_disk_that_flushed_none(sysfs):
    old = counted(("sda",), sysfs(sda=" ".join(ROW.split()[:15])))
    assert between(old, old).flushes is None
    assert between(old, old).flush_us is None
    assert flushed(old, old) is None


def test_a_disk_that_went_away_or_came_back_tells_nothing(sysfs):
    before = counted(("sda",), sysfs(sda=ROW))
    assert counted(("sda", "sdb"), sysfs(sda=ROW)) is None
    assert between(before, None) is None
    assert between(before, counted(("sda",), sysfs(sda=" ".join(["0"] * 17)))) is None
    assert between(before, counted(("sdb",), sysfs(sdb=ROW))) is None


@pytest.mark.parametrize("text", ["", "1 2 3", "x " * 17])
def test_what_is_no_counter_file_tells_nothing(sysfs, text):
    assert counted(("sda",), sysfs(sda=text)) is None


def test_without_disks_there_is_nothing_to_tell():
    assert counted(None) is None
    assert counted(()) is None


@given(
    st.lists(st.integers(0, 2**40), min_size=17, max_size=17), st.lists(st.integers(0, 99), min_size=17, max_size=17)
)
def test_no_difference_is_ever_below_zero(tmp_path_factory, start, more):
    folder = tmp_path_factory.mktemp("sysfs") / "sda"
    folder.mkdir()
    (folder / "stat").write_text(" ".join(map(str, start)))
    before = counted(("sda",), folder.parent)
    (folder / "stat").write_text(" ".join(str(a + b) for a, b in zip(start, more, strict=True)))
    work = between(before, counted(("sda",), folder.parent))
    assert (work.flushes, work.flush_us) == (more[15], more[16] * 1000)
    assert (work.written_bytes, work.read_bytes) == (more[6] * 512, more[2] * 512)


@pytest.mark.parametrize("kind", ON_DISK)
def test_the_kernel_counts_the_flush_of_an_fsync(kind, tmp_path):
    with mounted(kind, tmp_path) as filesystem, (filesystem.folder / "file").open("wb") as file:
        before = counted(filesystem.leaves)
        file.write(b"x" * 65536)
        file.flush()
        os.fsync(file.fileno())
        work = between(before, counted(filesystem.leaves))
    volatile = Path(f"/sys/block/{filesystem.leaves[0]}/queue/write_cache").read_text() == "write back\n"
    assert (work.flushes > 0) == volatile  # somebody may have told the kernel that this loop device keeps what it has
    assert work.written_bytes >= 65536


def machines():
    return sorted(path.parent.name for path in (FIXTURES / "machines").glob("*/machine.toml"))


@pytest.mark.parametrize("name", machines())
def test_leaves_of_a_recorded_machine_are_its_disks_or_not_known(name):
    storage = survey(RecordedMachine(FIXTURES / "machines" / name), {})
    disks = {subject.name for subject in storage.subjects if subject.kind == "disk"}
    for mount in [subject for subject in storage.subjects if subject.kind == "mount"]:
        below = leaves(storage, mount.id.partition(":")[2])
        assert below is None or (below and set(below) <= disks)


def test_a_mount_that_is_not_there_has_no_leaves_that_we_know():
    storage = survey(RecordedMachine(FIXTURES / "machines" / machines()[0]), {})
    assert leaves(storage, "/nowhere") is None
