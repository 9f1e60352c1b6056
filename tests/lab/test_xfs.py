"""XFS in its kinds: what it says of itself against xfs_db, xfs_io and findmnt."""

import re

import pytest

from tests.lab.marks import KERNEL, before, thorough
from tests.lab.scenario import ToolError, run

pytestmark = pytest.mark.lab


@pytest.fixture
def disk(scenario):
    """The device of an NVMe drive with a volatile cache."""
    return f"/dev/{scenario.attach('nvme')[0]}"


@pytest.fixture
def made(scenario, disk):
    """Format, mount at /srv/lab/data, audit; the report, and the facts of the filesystem."""

    def make(options="defaults", *words):
        scenario.format("xfs", disk, *words)
        scenario.mount(disk, "data", options)
        report = scenario.audit()
        return report, report.facts(f"filesystem:{disk}")

    return make


def superblock(scenario, disk):
    """The first superblock as xfs_db shows it: whole numbers, hexadecimal too."""
    said = scenario.second("xfs_db", "-r", "-c", "sb 0", "-c", "p", disk)
    pairs = re.findall(r"^(\w+) = (0x[0-9a-f]+|\d+)$", said, re.MULTILINE)
    return {name: int(value, 16 if value.startswith("0x") else 10) for name, value in pairs}


def same_as_superblock(facts, said):
    """Sizes and features, where xfs_info is not asked."""
    block = said["blocksize"]
    fifth = said["versionnum"] & 0xF == 5
    assert facts["filesystem.block_bytes"] == block
    assert facts["filesystem.inode_bytes"] == said["inodesize"]
    assert facts["filesystem.allocation_groups"] == said["agcount"]
    assert facts["filesystem.allocation_group_bytes"] == said["agblocks"] * block
    assert facts["filesystem.journal_bytes"] == said["logblocks"] * block
    assert facts["filesystem.stripe_unit_bytes"] == said["unit"] * block
    assert facts["filesystem.stripe_width_bytes"] == said["width"] * block
    assert facts["filesystem.xfs_crc"] is fifth
    incompatible = said.get("features_incompat", 0) if fifth else 0
    assert facts["filesystem.xfs_ftype"] is bool(incompatible & 1 or said["features2"] & 0x200)
    assert facts["filesystem.xfs_bigtime"] is bool(incompatible & 8)
    assert ("reflink" in facts["filesystem.features"]) is bool(fifth and said["features_ro_compat"] & 4)
    assert ("rmapbt" in facts["filesystem.features"]) is bool(fifth and said["features_ro_compat"] & 2)


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("options", "words", "log_buffer", "takes"),
    [
        ("defaults", (), 32, True),
        thorough("logbsize=256k,logbufs=4,allocsize=1m", ("-d", "su=64k,sw=4"), 256, True),
        pytest.param("defaults", ("-m", "crc=0", "-n", "ftype=0"), 32, True, marks=before(6, 18)),
        thorough("defaults", ("-m", "crc=0", "-l", "version=1"), 32, False, marks=[before(6, 18)]),
        thorough("defaults", ("-m", "bigtime=0,reflink=0,rmapbt=1", "-b", "size=1024", "-l", "su=96k"), 96, False),
    ],
)
def test_an_xfs_is_what_mkfs_made_of_it(scenario, made, disk, options, words, log_buffer, takes):
    """XFS as it comes, with stripes, of format 4, with an old log, with an odd log unit"""
    report, facts = made(options, *words)
    at = f"filesystem:{disk}"

    same_as_superblock(facts, superblock(scenario, disk))
    shown = scenario.second("findmnt", "-no", "FS-OPTIONS", "/srv/lab/data").strip().split(",")
    assert list(facts["filesystem.options"]) == shown
    assert f"logbsize={log_buffer}k" in shown
    assert facts["filesystem.log_buffer_bytes"] == log_buffer << 10
    assert facts["filesystem.log_takes_256k"] is takes
    assert facts["filesystem.barriers"] is True
    assert facts["filesystem.shut_down"] is False
    assert (("xfs-old-format", at) in report.advice()) is ("crc=0" in words)
    assert (("xfs-stripe-mismatch", at) in report.advice()) is False


@pytest.mark.thorough
def test_an_xfs_on_three_disks(scenario, disk):
    """XFS with its log on a second disk and realtime files on a third"""
    log, realtime = (f"/dev/{name}" for name in scenario.attach("shelf")[:2])
    scenario.format("xfs", disk, "-m", "reflink=0", "-l", f"logdev={log},size=64m", "-r", f"rtdev={realtime}")
    with pytest.raises(ToolError):
        run("mount", disk, "/mnt")
    scenario.mount(disk, "data", f"logdev={log},rtdev={realtime},discard,inode32,lazytime")

    report = scenario.audit()

    at, facts = f"filesystem:{disk}", report.facts(f"filesystem:{disk}")
    assert facts["filesystem.devices"] == [name.removeprefix("/dev/") for name in (disk, log, realtime)]
    assert facts["filesystem.device_count"] == 3
    assert facts["filesystem.online_discard"] == "sync"
    same_as_superblock(facts, superblock(scenario, disk))
    assert report.fact(at, "below.disks") == facts["filesystem.devices"]
    assert report.outcome("xfs-inode32", at) == "ok", "all inodes have small numbers in 768 MiB"
    scenario.keep("lab-xfs-three-disks")
    # A remount takes neither discard nor log buffers, and says so by no word: the advice must not be a remount.
    run("mount", "-o", "remount,nodiscard,logbsize=256k", "/srv/lab/data")
    assert scenario.audit().fact(at, "filesystem.online_discard") == "sync"


@pytest.mark.kernels
@pytest.mark.thorough
def test_an_fstab_line_that_xfs_refuses_is_told_before_the_boot(scenario, disk):
    """XFS that runs, with options in fstab that a mount refuses, one after another"""
    scenario.format("xfs", disk)
    point = scenario.mount(disk, "data")
    rules = {
        "nobarrier": "xfs-barrier-option",
        "barrier": "xfs-barrier-option",
        "delaylog": "xfs-removed-option",
        "noattr2": "xfs-noattr2-refused" if KERNEL < (6, 18) else None,
        "ikeep": None,
        "attr2": None,
    }
    for option, rule in rules.items():
        scenario.write("/etc/fstab", f"{disk} {point} xfs {option} 0 0\n")
        refused = False
        run("umount", point)
        try:
            scenario.second("mount", "-o", option, disk, point)
        except ToolError:
            refused = True
            run("mount", disk, point)
        advised = {rule for rule, at in scenario.audit().advice() if at == f"mount:{point}"}
        assert refused is (rule is not None), option
        assert (advised & set(filter(None, rules.values()))) == ({rule} if rule else set()), option
