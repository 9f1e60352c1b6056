"""The disks' counters, and which disks lie below a mount."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.machine.recorded import RecordedMachine
from fsadvisor.measure.probe.disks import (
    Flushes,
    Way,
    between,
    counted,
    flushed,
    flushed_below,
    have_fua,
    leaves,
    way,
)
from fsadvisor.survey.whole import survey
from tests.cases import few
from tests.paths import FIXTURES
from tests.probe.filesystems import ON_DISK, mounted
from tests.told import disk as told_disk
from tests.told import machine as told_machine
from tests.told import partition, stacked

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
    before = counted(Way.straight_to("sda", "sdb"), sysfs(sda=ROW, sdb=ROW))
    after = counted(
        Way.straight_to("sda", "sdb"),
        sysfs(sda=row((4, 5), (6, 16), (15, 2), (16, 3)), sdb=row((0, 1), (2, 8), (15, 1))),
    )
    work = between(before, after)
    assert (work.write_ios, work.written_bytes) == (5, 8192)
    assert (work.read_ios, work.read_bytes) == (1, 4096)
    assert (work.flushes, work.flush_us) == (3, 3000)


def test_the_disk_that_flushed_longest_speaks_for_a_mirror(sysfs):
    before = counted(Way.straight_to("sda", "sdb"), sysfs(sda=ROW, sdb=ROW))
    after = counted(Way.straight_to("sda", "sdb"), sysfs(sda=row((15, 9), (16, 30)), sdb=row((15, 9), (16, 40))))
    assert flushed(before, after) == Flushes(count=9, us=40_000)


ON_A_LOOP = Way(leaves=("vda",), flushed=("loop8",), top=("loop8",))


def test_flushes_are_those_of_the_nearest_device_that_counts_them_and_bytes_those_of_the_disks(sysfs):
    before = counted(ON_A_LOOP, sysfs(vda=ROW, loop8=ROW))
    after = counted(ON_A_LOOP, sysfs(vda=row((15, 2), (16, 1), (6, 64)), loop8=row((15, 1), (16, 9), (6, 8))))
    assert flushed(before, after) == Flushes(count=1, us=9000)
    assert flushed_below(before, after) == Flushes(count=2, us=1000)
    work = between(before, after)
    assert (work.sent_flushes, work.flushes, work.flush_us) == (1, 2, 1000)
    assert (work.sent_bytes, work.written_bytes) == (4096, 64 * 512)


def test_where_the_disks_are_the_nearest_nothing_is_told_twice(sysfs):
    before = counted(Way.straight_to("vda"), sysfs(vda=ROW))
    after = counted(Way.straight_to("vda"), sysfs(vda=row((15, 2), (16, 1))))
    assert flushed_below(before, after) is None
    assert between(before, after).sent_flushes == between(before, after).flushes == 2


def test_a_disk_that_counts_no_flushes_is_none_that_was_sent_none(sysfs):
    silent = Way(leaves=("pmem0",), flushed=None, top=("pmem0",), silent=("pmem0",))
    before, after = counted(silent, sysfs(pmem0=ROW)), counted(silent, sysfs(pmem0=row((6, 8))))
    work = between(before, after)
    assert (work.flushes, work.flush_us, work.sent_flushes) == (None, None, None)
    assert work.written_bytes == 4096
    assert flushed(before, after) is flushed_below(before, after) is None


def test_a_device_on_top_whose_counters_cannot_be_read_leaves_the_rest_told(sysfs):
    found = Way(leaves=("vda",), flushed=("vda",), top=("gone",))
    work = between(counted(found, sysfs(vda=ROW)), counted(found, sysfs(vda=row((6, 8)))))
    assert (work.sent_bytes, work.written_bytes) == (None, 4096)


def test_fua_is_asked_of_the_devices_that_count_flushes(sysfs):
    for name, fua in (("vda", "1\n"), ("loop8", "0\n")):
        (sysfs(**{name: ROW}) / name / "queue").mkdir()
        (sysfs() / name / "queue/fua").write_text(fua)
    assert have_fua(Way.straight_to("vda"), sysfs())
    assert have_fua(ON_A_LOOP, sysfs()) is False


def test_fua_is_unknown_where_the_devices_that_count_flushes_are_or_do_not_tell(sysfs):
    assert have_fua(None, sysfs()) is None
    assert have_fua(Way(leaves=("pmem0",), flushed=None, top=("pmem0",), silent=("pmem0",)), sysfs()) is None
    assert have_fua(Way.straight_to("gone"), sysfs()) is None


def a_way(sysfs, parts, mount, queued, through=()):
    """The way below /srv on a composed machine, of whose devices some queue requests."""
    folder = sysfs()
    for name in queued:
        (folder / name / "mq").mkdir(parents=True, exist_ok=True)
    for name in through:
        (folder / name / "queue").mkdir(parents=True, exist_ok=True)
        (folder / name / "queue/write_cache").write_text("write through\n")
    return way(survey(told_machine(*parts, mounts=[mount]), {}), "/srv", folder)


ON_DM = "36 1 253:0 / /srv rw,relatime shared:1 - ext4 /dev/dm-0 rw"
MIRROR = (told_disk("sda"), told_disk("sdb", number="8:16"), stacked("dm-0", "253:0", ["sda", "sdb"]))


def test_layers_that_queue_no_requests_are_passed_on_the_way_down(sysfs):
    found = a_way(sysfs, MIRROR, ON_DM, queued=("sda", "sdb"))
    assert found == Way(leaves=("sda", "sdb"), flushed=("sda", "sdb"), top=("dm-0",))
    assert found.straight


def test_a_layer_that_queues_requests_is_where_flushes_are_counted(sysfs):
    """As multipath, nbd, rbd and loop devices do."""
    found = a_way(sysfs, MIRROR, ON_DM, queued=("sda", "sdb", "dm-0"))
    assert found == Way(leaves=("sda", "sdb"), flushed=("dm-0",), top=("dm-0",))
    assert not found.straight


def test_an_image_on_a_filesystem_is_flushed_at_its_loop_device(sysfs):
    """The newcomer's: ext4 on a loop device whose image lies on a partition's filesystem."""
    parts = (
        told_disk("vda", number="252:0"),
        partition("vda", "vda1", "252:1"),
        stacked("loop8", "7:8", [], loop__backing_file="/img", loop__dio="0"),
    )
    outer = "35 1 252:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw"
    inner = "36 35 7:8 / /srv rw,relatime shared:2 - ext4 /dev/loop8 rw"
    folder = sysfs()
    for name in ("vda", "loop8"):
        (folder / name / "mq").mkdir(parents=True)
    (folder / "vda/vda1").mkdir()
    (folder / "vda/vda1/stat").write_text(ROW)
    storage = survey(told_machine(*parts, mounts=[outer, inner]), {})
    assert way(storage, "/srv", folder) == Way(leaves=("vda",), flushed=("loop8",), top=("loop8",))
    assert way(storage, "/", folder) == Way(leaves=("vda",), flushed=("vda",), top=("vda/vda1",))


def test_where_one_leg_counts_no_flushes_there_is_no_telling(sysfs):
    found = a_way(sysfs, MIRROR, ON_DM, queued=("sda",))
    assert (found.flushed, found.silent) == (None, ("sdb",))


def test_a_leg_that_is_sent_no_flush_need_count_none(sysfs):
    found = a_way(sysfs, MIRROR, ON_DM, queued=("sda",), through=("sdb",))
    assert (found.flushed, found.silent) == (("sda", "sdb"), ())


def test_a_mount_that_is_not_there_has_no_way_down(sysfs):
    assert way(survey(told_machine(*MIRROR, mounts=[ON_DM]), {}), "/nowhere", sysfs()) is None


def test_a_kernel_that_counts_no_flushes_is_no_disk_that_flushed_none(sysfs):
    old = counted(Way.straight_to("sda"), sysfs(sda=" ".join(ROW.split()[:15])))
    assert between(old, old).flushes is None
    assert between(old, old).flush_us is None
    assert flushed(old, old) is None


def test_a_disk_that_went_away_or_came_back_tells_nothing(sysfs):
    before = counted(Way.straight_to("sda"), sysfs(sda=ROW))
    assert counted(Way.straight_to("sda", "sdb"), sysfs(sda=ROW)) is None
    assert between(before, None) is None
    assert between(before, counted(Way.straight_to("sda"), sysfs(sda=" ".join(["0"] * 17)))) is None
    assert between(before, counted(Way.straight_to("sdb"), sysfs(sdb=ROW))) is None


@pytest.mark.parametrize("text", ["", "1 2 3", "x " * 17])
def test_what_is_no_counter_file_tells_nothing(sysfs, text):
    assert counted(Way.straight_to("sda"), sysfs(sda=text)) is None


def test_without_disks_there_is_nothing_to_tell():
    assert counted(None) is None


@given(
    st.lists(st.integers(0, 2**40), min_size=17, max_size=17), st.lists(st.integers(0, 99), min_size=17, max_size=17)
)
def test_no_difference_is_ever_below_zero(tmp_path_factory, start, more):
    folder = tmp_path_factory.mktemp("sysfs") / "sda"
    folder.mkdir()
    (folder / "stat").write_text(" ".join(map(str, start)))
    before = counted(Way.straight_to("sda"), folder.parent)
    (folder / "stat").write_text(" ".join(str(a + b) for a, b in zip(start, more, strict=True)))
    work = between(before, counted(Way.straight_to("sda"), folder.parent))
    assert (work.flushes, work.flush_us) == (more[15], more[16] * 1000)
    assert (work.written_bytes, work.read_bytes) == (more[6] * 512, more[2] * 512)


@pytest.mark.parametrize("kind", ON_DISK)
def test_the_kernel_counts_the_flush_of_an_fsync(kind, tmp_path):
    with mounted(kind, tmp_path) as filesystem, (filesystem.folder / "file").open("wb") as file:
        before = counted(filesystem.way)
        file.write(b"x" * 65536)
        file.flush()
        os.fsync(file.fileno())
        work = between(before, counted(filesystem.way))
    volatile = Path(f"/sys/block/{filesystem.way.leaves[0]}/queue/write_cache").read_text() == "write back\n"
    assert (work.flushes > 0) == volatile  # somebody may have told the kernel that this loop device keeps what it has
    assert work.written_bytes >= 65536


def machines():
    return sorted(path.parent.name for path in (FIXTURES / "machines").glob("*/machine.toml"))


@pytest.mark.parametrize("name", few(machines(), 6))
def test_leaves_of_a_recorded_machine_are_its_disks_or_not_known(name):
    storage = survey(RecordedMachine(FIXTURES / "machines" / name), {})
    disks = {subject.name for subject in storage.subjects if subject.kind == "disk"}
    for mount in [subject for subject in storage.subjects if subject.kind == "mount"]:
        below = leaves(storage, mount.id.partition(":")[2])
        assert below is None or (below and set(below) <= disks)


def test_a_mount_that_is_not_there_has_no_leaves_that_we_know():
    storage = survey(RecordedMachine(FIXTURES / "machines" / machines()[0]), {})
    assert leaves(storage, "/nowhere") is None
