"""A volatile write cache on NVMe: as it comes, switched off in the drive, hidden from the kernel, under nobarrier."""

import json

import pytest

from tests.lab import remedies
from tests.lab.scenario import run, settle

pytestmark = pytest.mark.lab

RULE = "volatile-cache-not-flushed"
QUIET = (None, "ok")


@pytest.fixture
def mounted(scenario):
    """(scenario, device) with an ext4 on an NVMe drive."""
    (name,) = scenario.attach("nvme")
    scenario.format("ext4", f"/dev/{name}")
    scenario.mount(f"/dev/{name}", "data")
    return scenario, name


def _asked(scenario, *argv):
    return json.loads(scenario.second(*argv))


def _feature_6(scenario, name):
    words = scenario.second("nvme", "get-feature", "--feature-id=6", f"/dev/{name}")
    return int(words.partition("Current value:")[2].split()[0], 16)


def _switch_off(scenario, name):
    controller = f"/dev/{name[:-2]}"
    run("nvme", "set-feature", controller, "--feature-id=6", "--value=0")
    scenario.undo(run, "nvme", "set-feature", controller, "--feature-id=6", "--value=1")


def _queue(scenario, name, what):
    return scenario.second_file(f"/sys/block/{name}/queue/{what}")


def test_a_volatile_cache_is_seen_by_identify_and_feature_6(mounted):
    """NVMe with a volatile write cache, switched on"""
    scenario, name = mounted

    report = scenario.audit()

    disk = f"disk:{name}"
    vwc = _asked(scenario, "nvme", "id-ctrl", f"/dev/{name}", "--output-format=json")["vwc"]
    assert report.fact(disk, "disk.volatile_cache") is bool(vwc & 1 and _feature_6(scenario, name)) is True
    assert report.fact(disk, "disk.write_cache") == _queue(scenario, name, "write_cache") == "write back"
    assert report.fact(disk, "disk.fua") is True
    assert report.outcome(RULE) in QUIET
    scenario.keep("lab-nvme-volatile-cache")


def test_what_the_drive_and_its_link_say_is_what_is_told(mounted):
    """NVMe: identity, health and PCIe link against nvme-cli, smartctl and sysfs"""
    scenario, name = mounted

    facts = scenario.audit().facts(f"disk:{name}")

    node = f"/dev/{name}"
    identity = _asked(scenario, "nvme", "id-ctrl", node, "--output-format=json")
    health = _asked(scenario, "nvme", "smart-log", node, "--output-format=json")
    smart = _asked(scenario, "smartctl", "--json=o", "-x", node)
    assert facts["disk.model"] == identity["mn"].strip() == smart["model_name"]
    assert facts["disk.firmware"] == identity["fr"].strip() == smart["firmware_version"]
    assert facts["disk.udev_serial"] == identity["sn"].strip() == smart["serial_number"]
    assert facts["disk.udev_model"] == scenario.second("lsblk", "-dno", "MODEL", node).strip()
    assert facts["disk.size_bytes"] == smart["user_capacity"]["bytes"]
    assert facts["disk.logical_block_bytes"] == smart["logical_block_size"]
    assert facts["disk.smart_passed"] is smart["smart_status"]["passed"]
    for fact, by_nvme, by_smart in (
        ("critical_warning", "critical_warning", "critical_warning"),
        ("percentage_used", "percent_used", "percentage_used"),
        ("available_spare_percent", "avail_spare", "available_spare"),
        ("available_spare_threshold_percent", "spare_thresh", "available_spare_threshold"),
        ("media_errors", "media_errors", "media_errors"),
        ("unsafe_shutdowns", "unsafe_shutdowns", "unsafe_shutdowns"),
    ):
        said = smart["nvme_smart_health_information_log"][by_smart]
        assert facts[f"disk.{fact}"] == int(health[by_nvme]) == said, fact
    link = f"/sys/block/{name}/device/device/current_link_"
    speed, width = scenario.second_file(f"{link}speed"), scenario.second_file(f"{link}width")
    assert facts["disk.pcie_link"] == f"{float(speed.split()[0]):g} GT/s x{width}"
    assert facts["disk.pcie_link_reduced"] is False
    assert facts["disk.nvme_transport"] == scenario.second_file(f"/sys/block/{name}/device/transport") == "pcie"


def test_a_cache_switched_off_in_the_drive_goes_unnoticed_by_the_kernel(mounted):
    """NVMe whose volatile cache was switched off by feature 6, while the kernel goes on flushing"""
    scenario, name = mounted
    _switch_off(scenario, name)
    run("nvme", "ns-rescan", f"/dev/{name[:-2]}")

    report = scenario.audit()

    facts = report.facts(f"disk:{name}")
    assert _feature_6(scenario, name) == 0
    assert facts["disk.volatile_cache"] is False
    assert facts["disk.write_cache"] == _queue(scenario, name, "write_cache") == "write back"
    evidence = "\n".join(facts["disk.plp_evidence"])
    for words in ("vwc 7 bit 0", "switched off", "'write back': the kernel sends flushes"):
        assert words in evidence
    assert facts["disk.plp"] == "unknown"
    assert report.outcome(RULE) in QUIET
    scenario.keep("lab-nvme-cache-switched-off")


def test_an_override_hides_the_cache_and_is_found(mounted):
    """NVMe with a volatile write cache that somebody hid from the kernel"""
    scenario, name = mounted
    scenario.write(f"/sys/block/{name}/queue/write_cache", "write through")

    found = scenario.audit().verdict(RULE)

    assert (found["verdict"], found["severity"]) == ("advise", "critical")
    scenario.keep("lab-nvme-override")
    remedies.apply(found)
    assert _queue(scenario, name, "write_cache") == "write back"
    assert scenario.audit().outcome(RULE) in QUIET
    remedies.undo(found)
    assert _queue(scenario, name, "write_cache") == "write through"


@pytest.mark.thorough
def test_an_override_is_no_danger_once_the_drives_cache_is_off(mounted):
    """NVMe whose volatile cache is switched off in the drive first, then in the kernel's view"""
    scenario, name = mounted
    _switch_off(scenario, name)
    scenario.write(f"/sys/block/{name}/queue/write_cache", "write through")

    report = scenario.audit()

    assert report.fact(f"disk:{name}", "disk.volatile_cache") is (_feature_6(scenario, name) == 1) is False
    assert report.outcome(RULE) in QUIET


@pytest.mark.kernels
def test_how_long_an_override_lasts(scenario):
    """An override of write_cache, and a rescan of the drive after it: up to 6.10 it is gone"""
    (name,) = scenario.attach("nvme")
    scenario.write(f"/sys/block/{name}/queue/write_cache", "write through")

    run("nvme", "ns-rescan", f"/dev/{name[:-2]}")
    run("nvme", "reset", f"/dev/{name[:-2]}")
    settle()

    kernel = tuple(int(part) for part in scenario.second("uname", "-r").split(".")[:2])
    seen = _queue(scenario, name, "write_cache")
    expected = "write back" if kernel < (6, 11) else "write through"
    scenario.tell(claim="'write through' after a rescan and a reset of the drive", seen=seen, expected=expected)
    assert seen == expected


def test_nobarrier_above_a_volatile_cache_is_found(mounted):
    """ext4 mounted nobarrier on NVMe with a volatile write cache"""
    scenario, _ = mounted
    point = str(scenario.folder / "data")
    run("mount", "-o", "remount,nobarrier", point)

    found = scenario.audit().verdict("nobarrier-unproven")

    assert (found["verdict"], found["severity"]) == ("advise", "critical")
    assert "nobarrier" in scenario.second("findmnt", "-no", "OPTIONS", "--mountpoint", point)
    scenario.keep("lab-nvme-nobarrier")
    remedies.apply(found)
    assert "nobarrier" not in scenario.second("findmnt", "-no", "OPTIONS", "--mountpoint", point)
    assert scenario.audit().outcome("nobarrier-unproven") in QUIET
    remedies.undo(found)
    assert "nobarrier" in scenario.second("findmnt", "-no", "OPTIONS", "--mountpoint", point)
