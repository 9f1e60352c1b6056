"""NVMe namespaces of 4 KiB blocks, and of zones."""

import json

import pytest

from tests.lab import remedies
from tests.lab.scenario import ask_udevd, run, settle

pytestmark = pytest.mark.lab


def _queue(scenario, name, what):
    return scenario.second_file(f"/sys/block/{name}/queue/{what}")


@pytest.mark.thorough
def test_a_drive_of_4_kib_blocks(scenario):
    """NVMe formatted with blocks of 4 KiB, with an XFS"""
    (name,) = scenario.attach("nvme-4k")
    scenario.format("xfs", f"/dev/{name}")
    point = scenario.mount(f"/dev/{name}", "data")

    report = scenario.audit()

    facts = report.facts(f"disk:{name}")
    (sizes,) = json.loads(scenario.second("lsblk", "-bJo", "NAME,LOG-SEC,PHY-SEC,SIZE", f"/dev/{name}"))["blockdevices"]
    assert facts["disk.logical_block_bytes"] == sizes["log-sec"] == 4096
    assert facts["disk.physical_block_bytes"] == sizes["phy-sec"] == 4096
    assert facts["disk.size_bytes"] == sizes["size"]
    assert facts["disk.better_block_bytes"] == 0
    used = json.loads(scenario.second("nvme", "id-ns", f"/dev/{name}", "--output-format=json"))
    assert 1 << used["lbafs"][used["flbas"]]["ds"] == facts["disk.logical_block_bytes"]
    assert report.outcome("nvme-small-blocks") in (None, "ok")
    assert "sectsz=4096" in scenario.second("xfs_info", point)
    scenario.keep("lab-nvme-4k")


@pytest.mark.thorough
def test_a_scheduler_in_front_of_a_drive_is_taken_away_again(scenario):
    """NVMe of a single queue: the kernel puts mq-deadline before it"""
    (name,) = scenario.attach("nvme-4k")
    scenario.write(f"/sys/block/{name}/queue/scheduler", "mq-deadline")

    found = scenario.audit().verdict("nvme-with-scheduler")

    assert found["verdict"] == "advise"
    remedies.apply(found)
    assert "[none]" in _queue(scenario, name, "scheduler")
    assert scenario.audit().outcome("nvme-with-scheduler") in (None, "ok")
    remedies.undo(found)
    assert "[mq-deadline]" in _queue(scenario, name, "scheduler")
    for file in remedies.keep(scenario, found):
        assert file.startswith("/etc/udev/rules.d/")
    ask_udevd("control", "--reload")
    run("udevadm", "trigger", "--action=change", f"/sys/block/{name}")
    settle()
    assert "[none]" in _queue(scenario, name, "scheduler")


@pytest.mark.thorough
def test_a_zoned_drive_gets_no_advice_for_ordinary_ones(scenario):
    """Zoned NVMe: its zones must be written in order"""
    (name,) = scenario.attach("nvme-zoned")
    scenario.write(f"/sys/block/{name}/queue/scheduler", "mq-deadline")

    report = scenario.audit()

    assert report.fact(f"disk:{name}", "disk.zoned") is (_queue(scenario, name, "zoned") == "host-managed") is True
    assert scenario.second("lsblk", "-dno", "ZONED", f"/dev/{name}").strip() == "host-managed"
    assert {rule for rule, subject in report.advice() if subject == f"disk:{name}"} == set()
    scenario.keep("lab-nvme-zoned")


@pytest.mark.kernels
def test_a_zoned_drive_without_scheduler_is_a_risk_before_6_10(scenario):
    """Zoned NVMe without mq-deadline: up to 6.9 nothing keeps its writes in order"""
    (name,) = scenario.attach("nvme-zoned")
    scenario.write(f"/sys/block/{name}/queue/scheduler", "none")

    report = scenario.audit()

    kernel = tuple(int(part) for part in scenario.second("uname", "-r").split(".")[:2])
    found = report.verdict("zoned-without-write-order")
    assert report.fact(f"disk:{name}", "disk.scheduler") == "none"
    assert (found is not None and found["verdict"] == "advise") is (kernel < (6, 10))
    if found is None:
        return
    remedies.apply(found)
    assert "[mq-deadline]" in _queue(scenario, name, "scheduler")
    assert scenario.audit().outcome("zoned-without-write-order") in (None, "ok")
    remedies.undo(found)
    assert "[none]" in _queue(scenario, name, "scheduler")
    remedies.keep(scenario, found)
    ask_udevd("control", "--reload")
    run("udevadm", "trigger", "--action=change", f"/sys/block/{name}")
    settle()
    assert "[mq-deadline]" in _queue(scenario, name, "scheduler")
