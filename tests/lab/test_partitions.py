"""Partitions on and off the physical blocks of 512e disks, by both kinds of table; a disk whose blocks are shifted."""

import contextlib
import json
from pathlib import Path

import pytest

from fsadvisor.machine import symptoms
from tests.lab import scsi
from tests.lab.marks import thorough
from tests.lab.report import Unknown
from tests.lab.scenario import ToolError, disks, run, settle, wait_for

pytestmark = pytest.mark.lab
RULE = "misaligned-partition"


@pytest.fixture
def disk512e(scenario):
    """The name of a disk with logical blocks of 512 and physical ones of 4096 bytes."""
    name = scenario.attach("sas-ssd")[1]
    scenario.undo(settle)
    scenario.undo(run, "wipefs", "--all", "--quiet", f"/dev/{name}")  # the next scenario's disk has no partitions
    return name


def partition(name, table, *starts):
    """Make a table with partitions that start at these sectors and end 64 MiB before the next; the last fills up."""
    made = ["mklabel", table]
    ends = [f"{at - 131072}s" for at in starts[1:]] + ["100%"]
    for start, end in zip(starts, ends, strict=True):
        made += ["mkpart", *(["primary"] if table == "msdos" else ["part"]), f"{start}s", end]
    run("parted", "--script", "--align=none", f"/dev/{name}", *made)
    settle()


def is_aligned(scenario, name, number, kind="minimal"):
    """By parted: minimal is the disk's own physical block, optimal a whole MiB."""
    with contextlib.suppress(ToolError):
        scenario.second("parted", "--script", f"/dev/{name}", "align-check", kind, str(number))
        return True
    return False


def by_lsblk(scenario, name):
    """Start in bytes and alignment offset of each partition."""
    said = json.loads(scenario.second("lsblk", "-b", "-J", "-o", "NAME,TYPE,START,ALIGNMENT", f"/dev/{name}"))
    rows = said["blockdevices"][0].get("children", [])
    return {row["name"]: (row["start"] * 512, row["alignment"]) for row in rows}


@pytest.mark.parametrize(("table", "first"), [("msdos", 63), thorough("gpt", 34)])
def test_a_partition_off_the_physical_blocks_is_found(scenario, disk512e, table, first):
    """512e disk with a partition from sector 63 (MBR) or 34 (GPT), and one that is aligned"""
    partition(disk512e, table, first, 2516992)
    scenario.format("ext4", f"/dev/{disk512e}1")
    scenario.mount(f"/dev/{disk512e}1", "data")

    report = scenario.audit()

    told = by_lsblk(scenario, disk512e)
    for number, aligned in ((1, False), (2, True)):
        part = f"{disk512e}{number}"
        layer = f"layer:{part}"
        assert is_aligned(scenario, disk512e, number) is aligned
        assert report.fact(layer, "layer.kind") == "partition"
        assert report.fact(layer, "layer.start_bytes") == told[part][0]
        assert (told[part][1] == 0) is aligned
        assert report.fact(layer, "layer.misaligned") is not aligned
        assert report.fact(layer, "layer.size_bytes") == int(scenario.second("blockdev", "--getsize64", f"/dev/{part}"))
        assert report.fact(layer, "layer.physical_block_bytes") == 4096
        assert report.outcome(RULE, layer) == ("ok" if aligned else "withheld")
    assert report.fact(f"filesystem:/dev/{disk512e}1", "below.disks") == [disk512e]
    scenario.keep(f"lab-misaligned-{table}")


@pytest.mark.thorough
def test_a_disk_without_partitions_is_all_there_is(scenario, disk512e):
    """512e disk with a filesystem and no partition table"""
    scenario.format("xfs", f"/dev/{disk512e}")
    scenario.mount(f"/dev/{disk512e}", "data")

    report = scenario.audit()

    assert by_lsblk(scenario, disk512e) == {}
    assert not [at for at in report.subjects if at.startswith("layer:")]
    assert report.fact(f"filesystem:/dev/{disk512e}", "below.disks") == [disk512e]
    assert report.verdict(RULE) is None


@pytest.mark.thorough
def test_extended_and_logical_partitions_are_told_apart_from_the_disk(scenario, disk512e):
    """512e disk with an extended MBR partition and a logical one from sector 63 of it"""
    commands = ["mklabel", "msdos", "mkpart", "extended", "2048s", "100%", "mkpart", "logical", "2111s", "100%"]
    run("parted", "--script", "--align=none", f"/dev/{disk512e}", *commands)
    settle()

    report = scenario.audit()

    told = by_lsblk(scenario, disk512e)
    assert set(told) == {f"{disk512e}1", f"{disk512e}5"}
    assert report.fact(f"layer:{disk512e}1", "layer.size_bytes") == 1024, "an extended partition is its table only"
    assert report.outcome(RULE, f"layer:{disk512e}1") is None
    assert is_aligned(scenario, disk512e, 5) is False
    assert report.outcome(RULE, f"layer:{disk512e}5") == "withheld"


@pytest.fixture
def shifted(scenario):
    """A disk whose physical blocks of 4096 bytes begin at logical block 7, as some 512e disks were sold."""
    before = disks()
    run("modprobe", "scsi_debug", "dev_size_mb=96", "physblk_exp=3", "lowest_aligned=7")
    scenario.undo(run, "modprobe", "--remove", "scsi_debug")
    scenario.undo(settle)
    wait_for("the disk of scsi_debug", lambda: disks() - before)
    settle()
    (name,) = disks() - before
    return name


@pytest.mark.thorough
def test_where_physical_blocks_begin_later_sector_63_is_right_and_1_mib_is_wrong(scenario, shifted):
    """Disk whose physical blocks begin at logical block 7, with partitions from sector 63 and from 1 MiB"""
    run(
        "parted",
        "--script",
        "--align=none",
        f"/dev/{shifted}",
        "mklabel",
        "msdos",
        "mkpart",
        "primary",
        "63s",
        "40000s",
    )
    run("parted", "--script", "--align=none", f"/dev/{shifted}", "mkpart", "primary", "40960s", "100%")
    settle()

    report = scenario.audit()

    scsi.agree_with_lsblk(scenario, report, shifted)
    told = by_lsblk(scenario, shifted)
    for number, aligned in ((1, True), (2, False)):
        part = f"{shifted}{number}"
        assert is_aligned(scenario, shifted, number) is aligned
        assert (told[part][1] == 0) is aligned
        assert report.fact(f"layer:{part}", "layer.misaligned") is not aligned
    disk = f"disk:{shifted}"
    assert report.fact(disk, "disk.transport") == "scsi"
    assert not isinstance(report.fact(disk, "disk.vendor"), Unknown)
    scenario.keep("lab-shifted-blocks")


def test_a_volume_on_a_partition_is_on_its_disk(scenario, disk512e):
    """a device-mapper volume on a partition: the doctor's disk below it"""
    partition(disk512e, "gpt", 2048)
    run("dmsetup", "create", "lab", "--table", f"0 8192 linear /dev/{disk512e}1 0")
    scenario.undo(run, "dmsetup", "remove", "--retry", "lab")
    name = Path("/dev/mapper/lab").resolve().name
    said = scenario.second("ls", f"/sys/block/{name}/slaves").split()
    scenario.tell(claim=f"on {disk512e}", seen=f"{symptoms.below(name)}, slaves: {said}")
    assert (said, symptoms.below(name)) == ([f"{disk512e}1"], (disk512e,))
