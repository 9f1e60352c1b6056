"""ext4 in its kinds: what it says of itself against /proc/fs/ext4, dumpe2fs and findmnt."""

import pytest

from tests.lab import remedies
from tests.lab.report import Unknown
from tests.lab.scenario import run

pytestmark = pytest.mark.lab

MIB = 1 << 20


@pytest.fixture
def disk(scenario):
    """The device of an NVMe drive with a volatile cache."""
    return f"/dev/{scenario.attach('nvme')[0]}"


@pytest.fixture
def made(scenario, disk):
    """Format, mount at /srv/lab/data, audit; the facts of the filesystem, and the report."""

    def make(options="defaults", *words, kind="ext4"):
        scenario.format(kind, disk, *words)
        scenario.mount(disk, "data", options, kind)
        report = scenario.audit()
        return report, report.facts(f"filesystem:{disk}")

    return make


def header(scenario, device):
    """dumpe2fs -h, by the names that it prints."""
    pairs = (line.partition(":") for line in scenario.second("dumpe2fs", "-h", device).splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


def in_force(scenario, device):
    """/proc/fs/ext4, in the kernel's order."""
    return scenario.second_file(f"/proc/fs/ext4/{device.removeprefix('/dev/')}/options").splitlines()


def same_as_header(facts, said):
    """What dumpe2fs prints in another unit, or by another name."""
    block = int(said["Block size"])
    assert facts["filesystem.block_bytes"] == block
    assert facts["filesystem.inode_bytes"] == int(said["Inode size"])
    assert list(facts["filesystem.features"]) == said["Filesystem features"].split()
    assert facts["filesystem.stripe_unit_bytes"] == int(said.get("RAID stride", 0)) * block
    assert facts["filesystem.stripe_width_bytes"] == int(said.get("RAID stripe width", 0)) * block
    if "Total journal size" in said:
        assert facts["filesystem.journal_bytes"] == int(said["Total journal size"].rstrip("M")) * MIB
    assert facts["filesystem.inodes_used"] == int(said["Inode count"]) - int(said["Free inodes"])


def test_an_ext4_as_it_comes(scenario, made, disk):
    """ext4 as mkfs and mount make it, on NVMe"""
    report, facts = made()

    same_as_header(facts, header(scenario, disk))
    assert list(facts["filesystem.options"]) == in_force(scenario, disk)
    assert facts["filesystem.barriers"] is True
    assert facts["filesystem.data_mode"] == "ordered"
    assert facts["filesystem.commit_seconds"] == 5
    assert facts["filesystem.online_discard"] == "none"
    assert facts["filesystem.journal"] is True
    assert facts["filesystem.shut_down"] is False
    assert facts["filesystem.devices"] == [disk.removeprefix("/dev/")]
    assert scenario.second("findmnt", "-no", "SOURCE", "/srv/lab/data").strip() == disk
    assert not {rule for rule, subject in report.advice() if subject == f"filesystem:{disk}"}


def test_an_ext4_tuned_against_its_safety(scenario, made, disk):
    """ext4 with nobarrier, data=writeback, journal_async_commit, commit=60 and discard on NVMe"""
    options = "nobarrier,noatime,data=writeback,journal_async_commit,commit=60,discard,noauto_da_alloc,nodelalloc"
    report, facts = made(options)
    at = f"filesystem:{disk}"

    said = in_force(scenario, disk)
    assert list(facts["filesystem.options"]) == said
    assert (facts["filesystem.barriers"], "nobarrier" in said) == (False, True)
    assert (facts["filesystem.data_mode"], "data=writeback" in said) == ("writeback", True)
    assert (facts["filesystem.commit_seconds"], "commit=60" in said) == (60, True)
    assert (facts["filesystem.online_discard"], "discard" in said) == ("sync", True)
    assert report.fact("mount:/srv/lab/data", "mount.atime") == "noatime"
    assert {
        ("nobarrier-unproven", at),
        ("ext4-long-commit", at),
        ("ext4-replaced-files-not-flushed", at),
        ("ext4-async-commit", "mount:/srv/lab/data"),
        ("ext4-stale-data-exposed", "mount:/srv/lab/data"),
    } <= report.advice()
    scenario.keep("lab-ext4-tuned")
    rules = ("nobarrier-unproven", "ext4-long-commit", "ext4-replaced-files-not-flushed")
    verdicts = [report.verdict(rule, at) for rule in rules]
    for verdict in verdicts:
        remedies.apply(verdict)
    assert not {(rule, at) for rule in rules} & scenario.audit().advice()
    for verdict in reversed(verdicts):
        remedies.undo(verdict)
    assert {(rule, at) for rule in rules} <= scenario.audit().advice()


@pytest.mark.thorough
def test_the_journal_of_an_ext4_is_on_another_disk(scenario, disk):
    """ext4 with nobarrier, its journal on a hard disk with a volatile cache"""
    journal = f"/dev/{scenario.attach('shelf')[0]}"
    run("mke2fs", "-q", "-F", "-b", "4096", "-O", "journal_dev", journal)
    scenario.format("ext4", disk, "-b", "4096", "-J", f"device={journal}")
    point = scenario.mount(disk, "data", "nobarrier")
    run("touch", f"{point}/file")
    run("sync", "--file-system", point)

    report = scenario.audit()

    facts = report.facts(f"filesystem:{disk}")
    names = [name.removeprefix("/dev/") for name in (disk, journal)]
    assert scenario.second("ls", "/proc/fs/jbd2").split() == names[1:]
    assert facts["filesystem.devices"] == names
    assert facts["filesystem.device_count"] == 2
    assert facts["filesystem.journal"] is True
    assert not isinstance(facts["filesystem.commit_us"], Unknown)
    assert sorted(report.fact(f"filesystem:{disk}", "below.disks")) == names
    assert ("nobarrier-unproven", f"filesystem:{disk}") in report.advice()
    scenario.keep("lab-ext4-outer-journal")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "words", "journal", "mode"),
    [
        ("ext3", (), True, "ordered"),
        ("ext2", (), False, None),
        ("ext4", ("-O", "^has_journal"), False, None),
        ("ext4", ("-O", "fast_commit,^64bit,^metadata_csum", "-N", "1024", "-I", "128"), True, "ordered"),
        ("ext4", ("-b", "1024", "-E", "stride=16,stripe_width=64"), True, "ordered"),
    ],
)
def test_an_ext4_of_another_make(scenario, made, disk, kind, words, journal, mode):
    """ext2, ext3, and ext4 without journal, with fast commits, small inodes or stripes"""
    report, facts = made("defaults", *words, kind=kind)

    same_as_header(facts, header(scenario, disk))
    assert facts["filesystem.type"] == kind
    assert list(facts["filesystem.options"]) == in_force(scenario, disk)
    assert facts["filesystem.journal"] is journal
    told = facts["filesystem.data_mode"]
    assert told == mode if mode else isinstance(told, Unknown)
    at = f"filesystem:{disk}"
    assert (("ext4-without-journal", at) in report.advice()) is (kind == "ext4" and not journal)
    assert (report.outcome("ext4-without-checksums", at) == "withheld") is (
        kind == "ext4" and "^64bit" in "".join(words)
    )


@pytest.mark.thorough
def test_an_ext4_whose_journal_is_left_alone(made):
    """ext4 mounted writable with noload, which uses no journal"""
    _, facts = made("noload")

    assert facts["filesystem.journal"] is False
    assert facts["filesystem.read_only"] is False
