"""The kernel's log, printed by a real kernel."""

import re
from pathlib import Path

import pytest

from tests.lab.scenario import run, settle

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
