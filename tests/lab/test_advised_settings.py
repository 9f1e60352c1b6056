"""Remedies in words, done by hand: of md arrays, thin pools, multipath devices and fstab. Each is undone, too."""

import subprocess
import time
from pathlib import Path

import pytest

from tests.lab.hurting import hurting
from tests.lab.scenario import ToolError, ask_udevd, run, settle, unload, wait_for
from tests.waiting import comes_to

pytestmark = pytest.mark.lab

LARGE = "240G"
"""mdadm itself makes no bitmap below 100 GB, and the rule says nothing there."""


@pytest.fixture
def nodes(scenario):
    """Six SAS disks, which udev puts together to nothing by itself."""
    scenario.write("/etc/udev/rules.d/64-md-raid-assembly.rules", "")
    ask_udevd("control", "--reload")
    found = [f"/dev/{name}" for name in scenario.attach("shelf")]
    run("modprobe", "--all", "raid1", "raid456", "dm-mod")
    return found


def array(scenario, level, members, *options):
    """Make an array; its device."""
    scenario.undo(lambda: [run("wipefs", "-aq", node) for node in members])
    words = ("--level", level, "--raid-devices", str(len(members)), *members)
    run("mdadm", "--create", "/dev/md/lab", "--run", "--quiet", *options, *words)
    scenario.undo(run, "mdadm", "--stop", "/dev/md/lab")
    settle()
    return run("readlink", "-f", "/dev/md/lab").strip()


def at(device):
    """The id of a layer."""
    return f"layer:{device.removeprefix('/dev/')}"


def detail(scenario, device, key):
    """One line of `mdadm --detail`."""
    lines = scenario.second("mdadm", "--detail", device).splitlines()
    return next(line.partition(" : ")[2].strip() for line in lines if line.strip().startswith(f"{key} :"))


def large(scenario, name):
    """A loop device of 240 GiB over a sparse file."""
    file = Path("/run/lab") / name
    run("truncate", "-s", LARGE, str(file))
    scenario.undo(file.unlink)
    device = run("losetup", "--find", "--show", str(file)).strip()
    scenario.undo(run, "losetup", "--detach", device)
    settle()
    return device


def test_a_large_array_without_a_bitmap_gets_one_and_loses_it(scenario):
    """md RAID 1 of 240 GiB without a bitmap: mdadm --grow --bitmap=internal, and none again"""
    scenario.write("/etc/udev/rules.d/64-md-raid-assembly.rules", "")
    run("modprobe", "--all", "loop", "raid1")
    scenario.undo(unload, "loop")
    members = [large(scenario, name) for name in ("large-a", "large-b")]
    md = array(scenario, "1", members, "--assume-clean", "--bitmap=none")

    def told():
        report = scenario.audit()
        assert report.fact(at(md), "layer.md_consistency") == detail(scenario, md, "Consistency Policy")
        return report.outcome("md-without-bitmap", at(md))

    assert told() == "advise"
    run("mdadm", "--grow", "--bitmap=internal", md)
    assert told() == "ok"
    run("mdadm", "--grow", "--bitmap=none", md)
    assert told() == "advise"


def test_a_raid_5_of_six_disks_gets_a_spare_and_loses_it(scenario, nodes):
    """md RAID 5 of six disks without a spare: a seventh is added, and removed again"""
    spare = f"/dev/{scenario.attach('virtio')[0]}"
    md = array(scenario, "5", nodes, "--assume-clean", "--bitmap=none")

    def told():
        report = scenario.audit()
        assert report.fact(at(md), "layer.md_spares") == int(detail(scenario, md, "Spare Devices"))
        return report.outcome("md-without-spare", at(md))

    assert told() == "advise"
    run("mdadm", "--add", md, spare)
    settle()
    assert told() == "ok"
    run("mdadm", md, "--remove", spare)
    run("wipefs", "-aq", spare)
    assert told() == "advise"


def test_a_rebuild_at_its_limit_ends_once_the_limit_is_lifted(scenario, nodes):
    """md RAID 1 that is rebuilt at its speed limit: sync_speed_max is raised while it runs"""
    md = array(scenario, "1", nodes[:2], "--assume-clean", "--bitmap=none")
    folder = Path(f"/sys/block/{md.removeprefix('/dev/')}/md")
    (folder / "sync_speed_min").write_text("100")
    (folder / "sync_speed_max").write_text("400")
    run("mdadm", md, "--fail", nodes[1], "--remove", nodes[1])
    run("mdadm", "--zero-superblock", nodes[1])
    run("mdadm", md, "--add", nodes[1])
    speed = folder / "sync_speed"
    wait_for("its speed to be counted", lambda: speed.read_text().strip().isdigit() and int(speed.read_text()) > 0, 90)
    held = comes_to(lambda: scenario.audit().outcome("md-rebuild-held-back", at(md)) == "advise")
    assert held, f"{speed.read_text()} of {(folder / 'sync_speed_max').read_text()}"
    assert "recovery" in scenario.second_file("/proc/mdstat")

    (folder / "sync_speed_max").write_text("1000000")

    wait_for("the rebuild to end", lambda: (folder / "sync_action").read_text().strip() == "idle", 90)
    assert scenario.audit().outcome("md-rebuild-held-back", at(md)) is None
    assert detail(scenario, md, "State").startswith("clean")
    (folder / "sync_speed_max").write_text("system")
    assert "(system)" in (folder / "sync_speed_max").read_text()


def test_someone_is_told_of_an_array_and_it_is_checked(scenario, nodes):
    """md arrays of which nobody is told: PROGRAM in mdadm.conf, a test message, a job in cron.d, a check"""
    md = array(scenario, "1", nodes[:2], "--assume-clean", "--bitmap=none")
    heard, tell = Path("/run/lab/heard"), Path("/run/lab/tell")
    tell.write_text(f'#!/bin/sh\necho "$@" >>{heard}\n')
    tell.chmod(0o755)
    scenario.write("/etc/mdadm/mdadm.conf", "# nobody\n")
    assert scenario.audit().outcome("md-nobody-told", "host") == "advise"

    scenario.write("/etc/mdadm/mdadm.conf", f"PROGRAM {tell}\n")
    scenario.second("mdadm", "--monitor", "--scan", "--test", "--oneshot")
    assert f"TestMessage {md}" in heard.read_text().replace("/dev/md/lab", md)
    report = scenario.audit()
    assert report.fact("host", "host.md_mail") is True
    assert report.outcome("md-nobody-told", "host") != "advise"

    scenario.write("/etc/cron.d/mdadm", "57 0 * * 0 root /usr/share/mdadm/checkarray --cron --all --idle --quiet\n")
    assert scenario.audit().outcome("md-check-not-scheduled", "host") == "ok"
    action = Path(f"/sys/block/{md.removeprefix('/dev/')}/md/sync_action")
    action.write_text("check")
    wait_for("the check to end", lambda: action.read_text().strip() == "idle", 90)
    assert (action.parent / "mismatch_cnt").read_text().strip().isdigit()


def test_a_thin_pool_that_promises_too_much_is_extended_or_fails_at_once(scenario, nodes):
    """LVM thin pool that promises more than it has: LVM extends it, errorwhenfull fails at once; both undone"""
    run("modprobe", "--all", "dm-thin-pool")
    run("pvcreate", "-qy", *nodes[:3])
    scenario.undo(run, "pvremove", "-q", *nodes[:3])
    run("vgcreate", "-q", "vg", *nodes[:3])
    scenario.undo(run, "vgremove", "-qfy", "vg")
    run("lvcreate", "-qy", "--type", "thin-pool", "-L", "96M", "-n", "pool", "vg")
    run("lvcreate", "-qy", "-n", "thin", "-V", "512M", "-T", "vg/pool")
    settle()
    layer = at(run("readlink", "-f", "/dev/mapper/vg-pool-tpool").strip())

    size = ("lvs", "--noheadings", "--units", "m", "--nosuffix", "-o", "lv_size", "vg/pool")

    def megabytes():
        return float(scenario.second(*size))

    def outcomes(*, fails, threshold):
        before = megabytes()
        report = scenario.audit()
        after = megabytes()  # dmeventd may extend the pool while it is audited
        words = scenario.second("dmsetup", "table", "vg-pool-tpool").split()
        full = scenario.second("lvs", "--noheadings", "-o", "lv_when_full", "vg/pool").strip()
        assert (
            report.fact(layer, "layer.fails_when_full") is ("error_if_no_space" in words) is (full == "error") is fails
        )
        said = scenario.second("lvmconfig", "--type", "full", "activation/thin_pool_autoextend_threshold")
        assert report.fact(layer, "layer.autoextend_percent") == int(said.partition("=")[2]) == threshold
        assert 51200 // after <= report.fact(layer, "layer.promised_percent") <= 51200 // before
        return [report.outcome(rule, layer) for rule in ("thin-pool-promises-too-much", "thin-pool-holds-writes")]

    assert outcomes(fails=False, threshold=100)[0] == "advise"

    run("lvchange", "-q", "--errorwhenfull", "y", "vg/pool")
    assert outcomes(fails=True, threshold=100) == ["advise", "ok"]
    begun = time.monotonic()
    with pytest.raises(ToolError, match=r"Input/output error|No space left"):
        run("dd", "if=/dev/zero", "of=/dev/vg/thin", "bs=1M", "count=128", "oflag=direct", "status=none")
    scenario.tell(claim="a full pool with error_if_no_space", seen=f"fails after {time.monotonic() - begun:.0f} s")
    run("lvchange", "-q", "--errorwhenfull", "n", "vg/pool")

    settings = "activation {\n thin_pool_autoextend_threshold = 80\n thin_pool_autoextend_percent = 20\n}\n"
    conf = Path("/etc/lvm/lvm.conf")
    scenario.undo(conf.write_text, conf.read_text())
    conf.write_text(settings)
    assert outcomes(fails=False, threshold=80) == ["ok", "ok"]
    run("lvextend", "-q", "--use-policies", "vg/pool")  # what dmeventd runs, where it was not quicker
    assert megabytes() > 96


def test_a_multipath_device_that_waits_for_ever_fails_once_told_to(scenario):
    """multipath that queues without a path: requests hang, and fail after fail_if_no_path"""
    names = scenario.attach("path-a", "path-b")
    scenario.write("/etc/multipath.conf", "defaults {\n user_friendly_names yes\n find_multipaths no\n}\n")
    run("modprobe", "--all", "dm_multipath", "dm_service_time")
    run("multipath", "-v0")
    scenario.undo(run, "dmsetup", "remove", "--retry", "mpatha")
    wait_for("/dev/mapper/mpatha", Path("/dev/mapper/mpatha").exists)
    settle()
    layer = at(run("readlink", "-f", "/dev/mapper/mpatha").strip())

    def queues():
        told = "queue_if_no_path" in scenario.second("dmsetup", "table", "mpatha")
        assert (scenario.audit().fact(layer, "layer.queues_without_paths") is False) is not told
        return told

    run("dmsetup", "message", "mpatha", "0", "queue_if_no_path")
    assert queues()
    for name in names:
        scenario.write(f"/sys/block/{name}/device/state", "offline\n")
    argv = ("dd", "if=/dev/mapper/mpatha", "of=/dev/null", "bs=4096", "count=1", "iflag=direct")
    with subprocess.Popen(argv, stderr=subprocess.DEVNULL) as reader:
        state = Path(f"/proc/{reader.pid}/stat")
        wait_for("the read to hang", lambda: state.read_text().rpartition(") ")[2][0] == "D")
        told = [(one.rule.id, one.subject.name) for one in hurting()]
        run("dmsetup", "message", "mpatha", "0", "fail_if_no_path")
        assert reader.wait(60) != 0, "it fails now"
    assert told[0] == ("paths-gone", layer.partition(":")[2])
    assert {name for _, name in told[1:]} <= {f"dd (pid {reader.pid})"}, "its mount is none, so it may be told as stuck"
    assert not queues()


def test_two_devices_with_one_uuid_and_a_filesystem_that_is_never_checked(scenario):
    """fstab with a UUID that two ext4 have, and pass 0: tune2fs -U random, and pass 2"""
    first, copy = (f"/dev/{scenario.attach(name)[0]}" for name in ("virtio", "virtio-through"))
    uuid = "0aa0c0de-0000-4000-8000-000000000001"
    for device in (first, copy):
        scenario.format("ext4", device, "-U", uuid)
    point = scenario.mount(first, "data")
    line = f"UUID={uuid} {point} ext4 defaults 0"
    scenario.write("/etc/fstab", f"{line} 0\n")
    run("udevadm", "trigger", "--settle", first, copy)

    report, mount = scenario.audit(), f"mount:{point}"
    assert sorted(report.fact(mount, "mount.same_uuid")) == sorted(name.removeprefix("/dev/") for name in (first, copy))
    assert scenario.second("blkid", "-o", "value", "-s", "UUID", first, copy).split() == [uuid, uuid]
    assert report.outcome("uuid-on-two-devices", mount) == "advise"
    assert report.outcome("fsck-never-at-boot", mount) == "advise"

    run("e2fsck", "-fp", copy)
    run("tune2fs", "-U", "random", copy)
    run("udevadm", "trigger", "--settle", copy)
    scenario.write("/etc/fstab", f"{line} 2\n")
    after = scenario.audit()
    assert after.fact(mount, "mount.same_uuid") == []
    assert after.outcome("uuid-on-two-devices", mount) == "ok"
    told = scenario.second("findmnt", "--fstab", "-no", "PASSNO", "--target", point).strip()
    assert after.fact(mount, "mount.fsck_pass") == int(told) == 2
    assert after.outcome("fsck-never-at-boot", mount) == "ok"
