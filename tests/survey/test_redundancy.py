"""What survives the loss of one drive: the root, and what is swapped to."""

from fsadvisor.facts import Unknown
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.panel import build, controllers, pools
from tests.panel.servers import swap_beside_mirror
from tests.told import stacked

HEADER = "Filename Type Size Used Priority\n"


def told(made):
    """Whether the root survives, and what swap does not; None where that is not known."""
    host = next(it for it in survey(made, {}).subjects if it.id == "host").scope["host"]
    facts = host.root_redundant, host.swap_without_redundancy
    return tuple(None if isinstance(it, Unknown) else it.value for it in facts)


def swapping(*areas, level="raid1"):
    return told(swap_beside_mirror.server(*(f"{it} 8388604 0 -2" for it in areas), level=level))


@each(
    ("area", "lost"),
    [
        ("/dev/sda2 partition", ("/dev/sda2",)),
        ("/dev/md0 partition", ()),
        ("/swap.img file", ()),  # on the root
        ("/srv/my\\040swap file", ()),
        ("/dev/zram0 partition", ()),  # memory
        ("/dev/zd0 partition", None),  # a volume of ZFS, which is not seen
        ("/run/swap file", None),
    ],
)
def test_swap_is_lost_that_no_copy_is_kept_of(area, lost):
    assert swapping(area) == (True, lost)


def test_one_area_that_is_lost_is_told_whatever_the_others_are():
    assert swapping("/dev/zd0 partition", "/dev/sdb2 partition", "/dev/zram0 partition") == (True, ("/dev/sdb2",))


def test_a_root_and_a_swap_file_on_a_striped_array_are_lost():
    assert swapping("/swap.img file", level="raid0") == (False, ("/swap.img",))


def test_what_a_controller_or_a_hypervisor_shows_may_have_copies():
    card, virtual = controllers.boss(""), build.virtio()
    for drive in (card, virtual):
        name, _ = drive.partition(2)
        area = {"/proc/swaps": f"{HEADER}/dev/{name} partition 1 0 -2\n"}
        assert told(build.server(drive, mounts=[build.root(drive)], files=area)) == (None, None)


def test_a_btrfs_with_copies_survives_and_the_swap_beside_it_does_not():
    disks = [build.hdd(at) for at in (0, 1)]
    root = pools.btrfs("/", disks)
    disks[0].partition(2)
    areas = {"/proc/swaps": f"{HEADER}/dev/sda2 partition 1 0 -2\n"}
    assert told(build.server(*disks, mounts=[root], files=areas)) == (True, ("/dev/sda2",))


@each(("areas", "lost"), [("", None), (HEADER, ()), (f"{HEADER}/dev/sda", None), (f"{HEADER}cut off\n", None)])
def test_a_table_that_is_not_whole_tells_of_no_swap(areas, lost):
    made = swap_beside_mirror.server()
    made.files["/proc/swaps"] = areas
    assert told(made) == (True, lost)


def test_a_volume_over_a_mirror_and_a_single_disk_does_not_survive():
    drives = [build.sata(at) for at in (0, 1, 2)]
    mirror = build.md("md0", "9:0", "raid1", ["sda", "sdb"])
    volume = build.volume("dm-0", "253:0", ["md0", "sdc"], "vg0-root")
    root = build.Mount("/", "mapper/vg0-root", "253:0")
    table = {"dmsetup table": "vg0-root: 0 100 linear 9:0 0\nvg0-root: 100 100 linear 8:32 0\n"}
    assert told(build.server(*drives, layers=[mirror, volume], mounts=[root], commands=table))[0] is False


@each(
    ("areas", "layers", "on_volume"),
    [
        (("/dev/zd0 partition",), [stacked("zd0", "230:0", ())], ("/dev/zd0",)),
        (
            ("/dev/dm-0 partition", "/dev/sda2 partition"),
            [stacked("zd0", "230:0", ()), stacked("dm-0", "253:0", ("zd0",), dm__name="crypt")],
            ("/dev/dm-0",),
        ),
        (("/dev/sda2 partition", "/swap.img file"), (), ()),
        (("/dev/zram0 partition",), (), ()),
        (("/dev/zd0 partition", "/dev/sda2 partition"), (), ()),  # that is gone
        (("/dev/zd1 partition",), [stacked("zd0", "230:0", ())], None),
    ],
)
def test_swap_on_a_volume_of_zfs_is_told_through_what_stands_on_it(areas, layers, on_volume):
    drive = build.sata()
    drive.partition(2)
    files = {"/proc/swaps": HEADER + "".join(f"{it} 1 0 -2\n" for it in areas)}
    made = build.server(drive, mounts=[build.root(drive)], layers=layers, files=files)
    host = next(it for it in survey(made, {}).subjects if it.id == "host").scope["host"]
    assert (None if isinstance(host.swap_on_zvol, Unknown) else host.swap_on_zvol.value) == on_volume
