"""Drives behind a network: the kernel's NVMe target over TCP, under good names."""

import json
from pathlib import Path

import pytest

from tests.lab import nvmet
from tests.lab.marks import since

pytestmark = [pytest.mark.lab, since(5, 15)]  # before, the target's serial number was a number

PROTECTED = ("S64HNE0T000001", "SAMSUNG MZQL23T8HCLS-00A07")
CONSUMER = ("S7DNNJ0T000001", "Samsung SSD 990 PRO 2TB")


def _by_nvme_list(scenario, name):
    """What `nvme list` says of a disk, and the transport of its only controller."""
    listed = json.loads(scenario.second("nvme", "list", "--output-format=json"))["Devices"]
    told = next(it for it in listed if it["DevicePath"] == f"/dev/{name}")
    (folder,) = (it for it in scenario.second("ls", f"/sys/block/{name}/device/").split() if f"{it}n1" == name)
    return told, scenario.second_file(f"/sys/class/nvme/{folder}/transport")


def test_a_good_name_behind_a_network_promises_nothing(scenario):
    """NVMe over TCP: one drive that calls itself a PM9A3, one a 990 PRO"""
    names = nvmet.connect(scenario, **dict([PROTECTED, CONSUMER]))
    scenario.format("ext4", f"/dev/{names[0]}")
    scenario.mount(f"/dev/{names[0]}", "data")

    report = scenario.audit()

    for name, (serial, model) in zip(names, (PROTECTED, CONSUMER), strict=True):
        facts = report.facts(f"disk:{name}")
        told, transport = _by_nvme_list(scenario, name)
        assert facts["disk.transport"] == "nvme"
        assert facts["disk.nvme_transport"] == transport == "tcp"
        assert facts["disk.model"] == told["ModelNumber"] == model
        assert facts["disk.udev_serial"] == told["SerialNumber"] == serial
        assert facts["disk.firmware"] == told["Firmware"]
        assert facts["disk.size_bytes"] == told["PhysicalSize"]
        assert facts["disk.logical_block_bytes"] == told["SectorSize"]
        assert facts["disk.virtual"] is True
        assert facts["disk.plp"] == "unknown"
        assert "target stands between" in facts["disk.plp_evidence"][-1]
        for rule in ("flushes-on-protected-nvme", "pcie-link-reduced", "flushes-without-protection"):
            assert report.outcome(rule, f"disk:{name}") in (None, "ok")
    assert report.fact(f"disk:{names[0]}", "disk.outage_seconds") == 600
    (file,) = Path("/sys/class/nvme").glob(f"{names[0][:-2]}/ctrl_loss_tmo")
    scenario.write(str(file), "10")
    assert ("network-disk-fails-soon", f"disk:{names[0]}") in scenario.audit().advice()
    scenario.write(str(file), "600")
    assert scenario.second_file(str(file)) == "600"
    assert ("network-disk-fails-soon", f"disk:{names[0]}") not in scenario.audit().advice()
    scenario.keep("lab-nvme-tcp")


@pytest.mark.thorough
def test_an_override_above_a_network_drive_is_found(scenario):
    """NVMe over TCP whose cache somebody hid from the kernel, trusting its name"""
    (name,) = nvmet.connect(scenario, **dict([PROTECTED]))
    scenario.write(f"/sys/block/{name}/queue/write_cache", "write through")

    report = scenario.audit()

    assert scenario.second_file(f"/sys/block/{name}/queue/write_cache") == "write through"
    assert report.outcome("volatile-cache-not-flushed", f"disk:{name}") == "advise"
