"""The kernel's log, printed by a real kernel."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.lab.scenario import run, settle, wait_for
from tools.lab.devices import UNREADABLE_SECTOR

pytestmark = pytest.mark.lab


def test_what_the_kernels_log_tells_of_a_disk_and_of_a_filesystem(scenario):
    """The kernel's log: an unreadable sector of a SCSI disk, an ext4 that found an error and stopped"""
    disk = f"/dev/{scenario.attach('virtio')[0]}"
    scenario.format("ext4", disk, "-E", "lazy_itable_init=0,lazy_journal_init=0")
    scenario.mount(disk, "data", "errors=remount-ro")
    Path(f"/sys/fs/ext4/{disk.removeprefix('/dev/')}/trigger_fs_error").write_text("1")
    run("modprobe", "scsi_debug", "opts=2", "dev_size_mb=64", "delay=0")  # a medium error at sectors 0x1234 to 0x123d
    scenario.undo(run, "rmmod", "scsi_debug")
    settle()
    models = {it.parents[1].name: it.read_text().strip() for it in Path("/sys/block").glob("sd*/device/model")}
    (broken,) = [name for name, model in models.items() if model == "scsi_debug"]
    run("dd", f"if=/dev/{broken}", "of=/dev/null", "bs=4096", "skip=582", "count=1", check=False)

    report = scenario.audit()

    said = scenario.second("dmesg")
    medium = len(re.findall(rf"critical medium error, dev {broken},", said))
    assert report.fact(f"disk:{broken}", "disk.log_errors") >= medium > 0
    assert ("disk-errors-in-log", f"disk:{broken}") in report.advice()
    stopped = len(
        re.findall(rf"EXT4-fs error \(device {disk.removeprefix('/dev/')}\)|Remounting filesystem read", said)
    )
    assert report.fact(f"filesystem:{disk}", "filesystem.log_errors") >= stopped > 0
    assert report.fact(f"disk:{disk.removeprefix('/dev/')}", "disk.log_errors") == 0
    scenario.tell(claim="the kernel's log", medium=medium, stopped=stopped)


@pytest.mark.parametrize("kind", ["sata-failing", "nvme-failing"])
def test_what_the_kernels_drivers_say_of_a_sector_that_a_drive_can_not_read(scenario, kind):
    """The kernel's log: a SATA disk and an NVMe drive with a sector that QEMU's blkdebug makes unreadable"""
    (name,) = scenario.attach(kind)
    before = scenario.audit()
    seen = run("dmesg").splitlines()[-1]  # the name may have been another disk's
    page = UNREADABLE_SECTOR * 512 // 4096
    run("dd", f"if=/dev/{name}", "of=/dev/null", "bs=4096", f"skip={page}", "count=1", "iflag=direct", check=False)

    report = scenario.audit()

    printed = re.findall(rf"(?:I/O|medium) error, dev {name},? ", scenario.second("dmesg").rpartition(seen)[2])
    assert before.fact(f"disk:{name}", "disk.log_errors") == 0
    assert report.fact(f"disk:{name}", "disk.log_errors") >= len(printed) > 0
    assert ("disk-errors-in-log", f"disk:{name}") in report.advice()
    scenario.tell(claim="blkdebug", kind=kind, printed=len(printed))


def failing(scenario, name, disk):
    """A device over a disk, and what makes all of its writes fail from now on."""
    sectors = int(run("blockdev", "--getsz", disk))
    run("modprobe", "dm-flakey")
    run("dmsetup", "create", name, "--table", f"0 {sectors} linear {disk} 0")
    scenario.undo(run, "dmsetup", "remove", "--retry", name)

    def fail():
        run("dmsetup", "suspend", "--noflush", "--nolockfs", name)
        run("dmsetup", "load", name, "--table", f"0 {sectors} flakey {disk} 0 0 3600 1 error_writes")
        run("dmsetup", "resume", name)

    return f"/dev/mapper/{name}", fail


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [
        ("xfs", r"XFS \({0}\): .*(error|rror detected|Shutting down|shut down)"),
        ("btrfs", r"BTRFS (error|critical) \(device {0}\b|BTRFS: error \(device {0}\b"),
        ("f2fs", r"F2FS-fs \({0}\): "),
    ],
)
def test_what_the_kernel_prints_of_a_filesystem_whose_disk_fails(scenario, kind, pattern):
    """The kernel's log: XFS, Btrfs and F2FS whose disk fails every write"""
    disk = f"/dev/{scenario.attach('virtio')[0]}"
    device, fail = failing(scenario, f"lab-{kind}", disk)
    scenario.format(kind, device)
    point = scenario.mount(device, "data")
    fail()
    run("sh", "-c", f"for n in 1 2 3; do echo x >{point}/$n; sync; done; touch {point}/4; sync", check=False)

    report = scenario.audit()

    name = run("readlink", "-f", device).strip()
    said = re.findall(pattern.format(name.removeprefix("/dev/")), scenario.second("dmesg"))
    scenario.tell(claim=f"the kernel's log of a failing {kind}", lines=len(said))
    assert said, "the kernel prints nothing that is known"
    assert report.fact(f"filesystem:{name}", "filesystem.log_errors") > 0
    assert ("filesystem-errors-in-log", f"filesystem:{name}") in report.advice()


def test_a_task_that_hangs_is_in_the_kernels_log(scenario):
    """The kernel's log: a task that waits for a frozen ext4 for longer than hung_task_timeout_secs"""
    disk = f"/dev/{scenario.attach('virtio')[0]}"
    scenario.format("ext4", disk)
    point = scenario.mount(disk, "data")
    scenario.write("/proc/sys/kernel/hung_task_timeout_secs", "1\n")
    before = run("dmesg").count("blocked for more than")
    run("fsfreeze", "--freeze", point)
    with subprocess.Popen(("touch", f"{point}/waits")) as waits:
        try:
            wait_for("the kernel to say so", lambda: run("dmesg").count("blocked for more than") > before, 60)
            report = scenario.audit()
        finally:
            run("fsfreeze", "--unfreeze", point)
        assert waits.wait(60) == 0

    assert 0 < report.fact("host", "host.log_hung_tasks") <= scenario.second("dmesg").count("blocked for more than")
    assert ("tasks-hung-in-log", "host") in report.advice()
