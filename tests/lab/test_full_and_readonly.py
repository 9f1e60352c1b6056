"""Full filesystems, read-only ones, and those that the kernel stopped."""

import contextlib
import re
from pathlib import Path

import pytest

from tests.lab.marks import thorough
from tests.lab.report import Unknown
from tests.lab.scenario import ToolError, run
from tests.lab.test_touching import database

pytestmark = pytest.mark.lab

POINT = "/srv/lab/data"


@pytest.fixture
def disk(scenario):
    """The device of a small virtual disk."""
    return f"/dev/{scenario.attach('virtio')[0]}"


def fill(folder):
    """Give files room, large and then small ones, until there is none."""
    for size in ("64M", "8M", "1M", "128K", "16K", "4K"):
        with contextlib.suppress(ToolError):
            for number in range(20):
                run("fallocate", "-l", size, f"{folder}/{size}-{number}")


def df(scenario, *columns):
    """What df says of the mount, in percent where it is one."""
    words = scenario.second("df", f"--output={','.join(columns)}", "--block-size=1", POINT).splitlines()[1].split()
    return [None if word == "-" else int(word.rstrip("%")) for word in words]


@pytest.mark.parametrize("kind", [thorough("ext4"), thorough("xfs"), "btrfs"])
def test_a_full_filesystem(scenario, disk, kind):
    """ext4, XFS and Btrfs without a free block"""
    scenario.format(kind, disk, *(["-m", "reflink=0"] if kind == "xfs" else []))
    scenario.mount(disk, "data")
    fill(POINT)

    report = scenario.audit()

    at = f"filesystem:{disk}"
    size, percent, inodes = df(scenario, "size", "pcent", "ipcent")
    assert report.fact(at, "filesystem.used_percent") == percent >= 99
    assert report.fact(at, "filesystem.size_bytes") == size
    assert report.facts(at).get("filesystem.inodes_used_percent") == (None if kind == "btrfs" else inodes)
    assert ("nearly-full", at) in report.advice()
    if kind == "btrfs":
        usage = scenario.second("btrfs", "filesystem", "usage", "-b", POINT)
        left = int(re.search(r"Device unallocated:\s+(\d+)", usage).group(1))
        assert report.fact(at, "filesystem.unallocated_percent") == 100 * left // (512 << 20)
        scenario.keep("lab-full-btrfs")


@pytest.mark.parametrize("kind", ["xfs", "ext4"])
def test_a_directory_whose_project_quota_is_nearly_used(scenario, disk, kind):
    """ext4 and XFS with room, and a database's directory at the end of its project quota; the quota is raised"""
    features = ["-O", "quota,project", "-E", "quotatype=prjquota"] if kind == "ext4" else []
    scenario.format(kind, disk, *features)
    scenario.mount(disk, "data", "prjquota")
    top = database(scenario, POINT)
    if kind == "xfs":
        run("xfs_quota", "-x", "-c", f"project -s -p {top} 42", "-c", "limit -p bhard=40m 42", POINT)
    else:
        run("chattr", "-R", "-p", "42", str(top))
        run("find", str(top), "-type", "d", "-exec", "chattr", "+P", "{}", "+")
        run("xfs_quota", "-f", "-x", "-c", "limit -p bhard=40m 42", POINT)
    run("fallocate", "-l", "36M", f"{top}/base/1/1000")
    run("sync")

    report = scenario.audit()

    at = f"service:postgresql {top}"
    percent = scenario.second("df", "--output=pcent", str(top)).splitlines()[1].strip(" %")
    assert abs(report.fact(at, "service.quota_used_percent") - int(percent)) <= 1
    assert report.fact(at, "service.quota_used_percent") > 90
    assert ("project-quota-nearly-used", at) in report.advice()
    assert report.fact(f"filesystem:{disk}", "filesystem.used_percent") < 60
    run("xfs_quota", *(["-f"] if kind == "ext4" else []), "-x", "-c", "limit -p bhard=120m 42", POINT)
    assert ("project-quota-nearly-used", at) not in scenario.audit().advice()


def test_an_ext4_without_a_free_inode(scenario, disk):
    """ext4 with room, and no inode left"""
    scenario.format("ext4", disk, "-N", "1024")
    scenario.mount(disk, "data")
    with pytest.raises(ToolError, match="No space left"):
        run("sh", "-c", f"for n in $(seq 3000); do : > {POINT}/$n || exit 1; done")

    report = scenario.audit()

    at = f"filesystem:{disk}"
    used, percent = df(scenario, "iused", "ipcent")
    assert report.fact(at, "filesystem.inodes_used_percent") == percent == 100
    assert abs(report.fact(at, "filesystem.inodes_used") - used) <= used // 20
    assert report.fact(at, "filesystem.used_percent") < 20
    assert ("ext4-inodes-nearly-gone", at) in report.advice()


@pytest.mark.parametrize("kind", ["ext4", thorough("xfs"), thorough("btrfs")])
def test_a_filesystem_that_somebody_mounted_read_only(scenario, disk, kind):
    """ext4, XFS and Btrfs mounted read-only, which is not stopped"""
    scenario.format(kind, disk)
    scenario.mount(disk, "data", "ro")

    report = scenario.audit()

    at = f"filesystem:{disk}"
    assert scenario.second("findmnt", "-no", "FS-OPTIONS", "--mountpoint", POINT).startswith("ro")
    assert report.fact(at, "filesystem.read_only") is True
    assert report.fact(f"mount:{POINT}", "mount.read_only") is True
    assert report.fact(at, "filesystem.shut_down") is False
    assert not {rule for rule, subject in report.advice() if subject == at}


@pytest.mark.kernels
@pytest.mark.parametrize("behaviour", [thorough("continue"), "remount-ro"])
def test_an_ext4_after_an_error_of_its_own(scenario, disk, behaviour):
    """ext4 that met an error, with errors=continue and errors=remount-ro"""
    name = disk.removeprefix("/dev/")
    # A thread that still writes inode tables meets the stopped journal, and counts an error more.
    scenario.format("ext4", disk, "-E", "lazy_itable_init=0,lazy_journal_init=0")
    scenario.mount(disk, "data", f"errors={behaviour}")
    Path(f"/sys/fs/ext4/{name}/trigger_fs_error").write_text("1")
    try:
        run("touch", f"{POINT}/after")
        stopped = False
    except ToolError:
        stopped = True
    assert stopped is (behaviour == "remount-ro")
    counted = int(scenario.second_file(f"/sys/fs/ext4/{name}/errors_count"))

    report = scenario.audit()

    at = f"filesystem:{disk}"
    after = int(scenario.second_file(f"/sys/fs/ext4/{name}/errors_count"))
    assert 0 < counted <= report.fact(at, "filesystem.errors") <= after, "each writer that comes counts one more"
    assert ("filesystem-errors", at) in report.advice()
    told = report.fact(at, "filesystem.shut_down")
    shown = scenario.second("findmnt", "-no", "FS-OPTIONS", "--mountpoint", POINT)
    assert isinstance(told, Unknown) if shown.startswith("rw") else told is stopped
    scenario.tell(claim=f"errors={behaviour}", stopped=stopped, shown=shown.strip(), told=str(told))
    if stopped:
        scenario.keep("lab-ext4-stopped")


def test_an_xfs_that_was_shut_down(scenario, disk):
    """XFS after a shutdown"""
    scenario.format("xfs", disk)
    scenario.mount(disk, "data")
    run("xfs_io", "-x", "-c", "shutdown", POINT)
    with pytest.raises(ToolError, match="Input/output error"):
        run("touch", f"{POINT}/after")

    report = scenario.audit()

    at = f"filesystem:{disk}"
    assert report.fact(at, "filesystem.shut_down") is True
    assert ("filesystem-shut-down", at) in report.advice()
    scenario.second("findmnt", "-no", "FS-OPTIONS", "--mountpoint", POINT)
    scenario.keep("lab-xfs-shut-down")


@pytest.mark.thorough
def test_a_btrfs_whose_device_fails_writes(scenario, disk):
    """Btrfs on a device that fails every write, so that its kernel made it read-only"""
    sectors = int(run("blockdev", "--getsz", disk))
    run("modprobe", "dm-flakey")
    run("dmsetup", "create", "lab-flaky", "--table", f"0 {sectors} linear {disk} 0")
    scenario.undo(run, "dmsetup", "remove", "--retry", "lab-flaky")
    scenario.format("btrfs", "/dev/mapper/lab-flaky")
    scenario.mount("/dev/mapper/lab-flaky", "data")
    run("dmsetup", "suspend", "--noflush", "--nolockfs", "lab-flaky")
    run("dmsetup", "load", "lab-flaky", "--table", f"0 {sectors} flakey {disk} 0 0 3600 1 error_writes")
    run("dmsetup", "resume", "lab-flaky")
    run("sh", "-c", f"touch {POINT}/after; sync", check=False)

    report = scenario.audit()

    tops = {at: report.facts(at).get("filesystem.mount_point") for at in report.subjects}
    (at,) = [at for at, point in tops.items() if point == POINT and at.startswith("filesystem:")]
    shown = scenario.second("findmnt", "-no", "VFS-OPTIONS,FS-OPTIONS", "--mountpoint", POINT).split()
    assert shown[0].startswith("rw")
    assert shown[1].startswith("ro")
    assert report.fact(at, "filesystem.shut_down") is True
    stats = scenario.second("btrfs", "device", "stats", POINT, check=False).split()[1::2]
    assert report.fact(at, "filesystem.errors") == sum(map(int, stats)) > 0
    assert {("filesystem-shut-down", at), ("filesystem-errors", at)} <= report.advice()


@pytest.mark.thorough
def test_a_btrfs_with_a_quota(scenario, disk):
    """Btrfs with quota groups: none has a limit, then one has"""
    scenario.format("btrfs", disk)
    scenario.mount(disk, "data")
    run("btrfs", "quota", "enable", POINT)
    run("btrfs", "quota", "rescan", "-w", POINT)
    at = f"filesystem:{disk}"
    report = scenario.audit()
    assert "none" in scenario.second("btrfs", "qgroup", "show", "-re", POINT)
    assert (report.fact(at, "filesystem.quota"), report.fact(at, "filesystem.quota_limits")) == ("qgroup", False)
    verdict = report.verdict("btrfs-quota-without-limits", at)
    assert verdict["verdict"] == "withheld"
    run("btrfs", "qgroup", "limit", "100M", POINT)
    assert "100.00MiB" in scenario.second("btrfs", "qgroup", "show", "-re", POINT)
    assert scenario.audit().fact(at, "filesystem.quota_limits") is True
    run("btrfs", "quota", "disable", POINT)
    assert scenario.audit().fact(at, "filesystem.quota") == "off"
