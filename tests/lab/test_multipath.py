"""One disk by two paths: with a multipath device above them, with a path that failed."""

import json
from pathlib import Path

import pytest

from tests.lab.scenario import ToolError, run, settle, wait_for

pytestmark = pytest.mark.lab
WWN = "0x5000c500fade0001"
RULE = "multipath-one-path"
CONFIGURATION = "defaults {\n user_friendly_names yes\n find_multipaths no\n}\n"


@pytest.fixture
def paths(scenario):
    """Names of the two paths to one disk, with an XFS on the multipath device above them, mounted."""
    names = scenario.attach("path-a", "path-b")
    scenario.write("/etc/multipath.conf", CONFIGURATION)
    run("modprobe", "--all", "dm_multipath", "dm_service_time")
    run("multipath", "-v0")
    scenario.undo(run, "dmsetup", "remove", "--retry", "mpatha")
    wait_for("/dev/mapper/mpatha", Path("/dev/mapper/mpatha").exists)
    settle()
    scenario.format("xfs", "/dev/mapper/mpatha")
    scenario.mount("/dev/mapper/mpatha", "data")
    return names


@pytest.fixture
def layer(paths):
    """The id of the multipath device above the paths."""
    return f"layer:{Path('/dev/mapper/mpatha').resolve().name}" if paths else None


def states(scenario):
    """State of each path by device mapper: A or F."""
    words = scenario.second("dmsetup", "status", "mpatha").split()
    return {word: words[at + 1] for at, word in enumerate(words) if ":" in word}


def set_state(scenario, name, state):
    """Set the SCSI device's state, `running` again at the end; the kernel wants the end of line."""
    scenario.write(f"/sys/block/{name}/device/state", f"{state}\n")


def read_anew():
    """Read from the disk itself, so that device mapper finds out which path is gone."""
    run("dd", "if=/dev/mapper/mpatha", "of=/dev/null", "bs=4096", "count=64", "iflag=direct", "status=none")


def test_two_paths_stand_below_one_multipath_device(scenario, paths, layer):
    """One disk by two paths, joined by a multipath device with XFS"""
    report = scenario.audit()

    tree = json.loads(scenario.second("lsblk", "-J", "-o", "NAME,TYPE,WWN"))["blockdevices"]
    above = {row["name"]: row for row in tree if row["name"] in paths}
    assert {row["wwn"] for row in above.values()} == {WWN}
    assert {child["type"] for row in above.values() for child in row["children"]} == {"mpath"}
    listed = scenario.second("multipath", "-ll")
    assert all(f" {name} " in listed for name in paths)
    assert report.fact(layer, "layer.kind") == "dm-multipath"
    assert report.fact(layer, "layer.members") == len(scenario.second("dmsetup", "deps", "mpatha").split("(")) - 1 == 2
    assert report.fact(layer, "layer.usable_paths") == list(states(scenario).values()).count("A") == 2
    assert report.fact(layer, "below.disks") == paths
    assert report.fact(layer, "below.plp") == "unknown"
    assert report.outcome(RULE, layer) == "ok"
    assert [report.fact(f"disk:{name}", "disk.unjoined_paths") for name in paths] == [[], []]
    mounted = f"filesystem:/dev/{layer.partition(':')[2]}"
    assert report.fact(mounted, "below.disks") == paths
    with pytest.raises(ToolError, match=r"already mounted|busy"):
        run("mount", f"/dev/{paths[0]}", "/mnt")
    scenario.keep("lab-multipath")


@pytest.mark.thorough
def test_a_failed_path_stays_a_member_and_is_not_counted_as_working(scenario, paths, layer):
    """One disk by two paths of which one failed"""
    set_state(scenario, paths[0], "offline")
    assert list(states(scenario).values()) == ["A", "A"], "device mapper learns it at the next request"
    report = scenario.audit()
    assert (report.fact(layer, "layer.members"), report.fact(layer, "layer.usable_paths")) == (2, 1)
    read_anew()
    assert sorted(states(scenario).values()) == ["A", "F"]

    report = scenario.audit()

    assert (report.fact(layer, "layer.members"), report.fact(layer, "layer.usable_paths")) == (2, 1)
    assert "offline" in scenario.second("multipath", "-ll")
    assert report.outcome(RULE, layer) == "advise"
    scenario.keep("lab-multipath-path-failed")

    set_state(scenario, paths[0], "running")
    number = Path(f"/sys/block/{paths[0]}/dev").read_text().strip()
    report = scenario.audit()
    assert report.fact(layer, "layer.usable_paths") == 1, "SCSI runs again, device mapper has not taken it back"
    run("dmsetup", "message", "mpatha", "0", "reinstate_path", number)
    assert scenario.audit().outcome(RULE, layer) == "ok"


def test_two_paths_without_a_multipath_device_are_told_to_be_one_disk(scenario):
    """One disk by two paths, mounted by one of them, without multipath"""
    names = scenario.attach("path-a", "path-b")
    scenario.format("ext4", f"/dev/{names[0]}")
    scenario.mount(f"/dev/{names[0]}", "data")

    report = scenario.audit()

    inquiries = [scenario.second("sg_vpd", "--page=di", "--quiet", f"/dev/{name}") for name in names]
    assert all(WWN in said for said in inquiries)
    for name, other in zip(names, reversed(names), strict=True):
        assert report.fact(f"disk:{name}", "disk.unjoined_paths") == [other]
        assert report.outcome("paths-not-joined", f"disk:{name}") == "advise"
    scenario.keep("lab-paths-not-joined")
