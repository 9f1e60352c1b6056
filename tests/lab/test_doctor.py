"""`fsadvisor doctor` on incidents that need the device mapper and md."""

import subprocess
import sys
from pathlib import Path

import pytest

from fsadvisor.measure.now.answer import answer
from fsadvisor.measure.now.look import look
from fsadvisor.rulebook.shelf import own_shelf
from tests.lab import null_blk
from tests.lab.scenario import run, wait_for

pytestmark = pytest.mark.lab
SYNCS = "import os\nf = os.open('one', os.O_CREAT | os.O_RDWR)\nwhile True: os.pwrite(f, bytes(4096), 0); os.fsync(f)"


def at_work(scenario, place):
    """A program that syncs without pause."""
    process = subprocess.Popen([sys.executable, "-c", SYNCS], cwd=place)
    scenario.undo(process.wait)
    scenario.undo(process.kill)
    return process


def causes():
    """Rule and subject of each cause that hurts."""
    found = answer(look(8), own_shelf().rules).found
    return {(one.verdict.rule.id, one.verdict.subject.name) for one in found if one.hurts}


def mapped(scenario, target):
    """An ext4 on a device-mapper device over a quick disk: its kernel name, and where it is mounted."""
    disk = null_blk.create(scenario, "nullb0", cache_size=64)
    sectors = int(run("blockdev", "--getsz", f"/dev/{disk}"))
    run("dmsetup", "create", "staged", "--table", f"0 {sectors} {target.format(disk=f'/dev/{disk}')}")
    scenario.undo(run, "dmsetup", "remove", "--retry", "staged")
    scenario.format("ext4", "/dev/mapper/staged")
    return Path("/dev/mapper/staged").resolve().name, scenario.mount("/dev/mapper/staged", "data")


def test_a_delayed_device_is_told_as_slow(scenario):
    """dm-delay of 100 ms under a program that syncs: the device that takes long, and not the program"""
    name, place = mapped(scenario, "delay {disk} 0 100")
    at_work(scenario, place)
    found = causes()
    scenario.tell(claim=f"device-slow of {name}", seen=", ".join(sorted(map(" ".join, found))))
    assert found == {("device-slow", name)}


def test_a_suspended_device_is_told_and_how_it_is_resumed(scenario):
    """dmsetup suspend under a program that syncs: the device that is suspended"""
    name, place = mapped(scenario, "linear {disk} 0")
    process = at_work(scenario, place)
    run("dmsetup", "suspend", "--nolockfs", "staged")
    scenario.undo(run, "dmsetup", "resume", "staged")
    state = Path(f"/proc/{process.pid}/stat")
    wait_for("the program to wait", lambda: state.read_text().rpartition(") ")[2][0] == "D")
    found = causes()
    scenario.tell(claim=f"device-suspended of {name}", seen=", ".join(sorted(map(" ".join, found))))
    assert found == {("device-suspended", name)}


def test_an_array_that_checks_itself_is_told_while_tasks_wait_for_it(scenario):
    """md check of a RAID 1 with a slow member, under a program that syncs: the array's own work"""
    slow = null_blk.create(scenario, "nullb0", cache_size=64, irqmode=2, completion_nsec=20_000_000)
    nodes = [f"/dev/{slow}", f"/dev/{scenario.attach('shelf')[0]}"]
    run("modprobe", "raid1")
    run("mdadm", "--create", "/dev/md/lab", "--run", "--quiet", "--assume-clean", "--level", "1", "-n", "2", *nodes)
    scenario.undo(run, "mdadm", "--stop", "/dev/md/lab")
    name = Path("/dev/md/lab").resolve().name
    scenario.format("ext4", f"/dev/{name}")
    at_work(scenario, scenario.mount(f"/dev/{name}", "data"))
    action = Path(f"/sys/block/{name}/md/sync_action")
    action.write_text("check")
    scenario.undo(action.write_text, "idle")
    wait_for("the check to begin", lambda: action.read_text().strip() == "check")
    found = causes()
    scenario.tell(claim=f"array-at-work of {name}", seen=", ".join(sorted(map(" ".join, found))))
    assert found == {("array-at-work", name)}
