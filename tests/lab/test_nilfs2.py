"""NILFS2: against findmnt, nilfs-tune and sysfs."""

import pytest

from tests.lab import remedies
from tests.lab.scenario import run

pytestmark = pytest.mark.lab

POINT = "/srv/lab/data"


@pytest.fixture
def disk(scenario):
    """The device of an NVMe drive with a volatile cache."""
    return f"/dev/{scenario.attach('nvme')[0]}"


def test_a_nilfs2_as_it_comes(scenario, disk):
    """NILFS2 as mkfs and mount make it, on NVMe"""
    scenario.format("nilfs2", disk, "-L", "songs")
    scenario.mount(disk, "data", "nogc", "nilfs2")

    report = scenario.audit()

    facts = report.facts(f"filesystem:{disk}")
    tuned = scenario.second("nilfs-tune", "-l", disk)
    said = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in tuned.splitlines())}
    assert facts["filesystem.label"] == said["Filesystem volume name"] == "songs"
    assert facts["filesystem.barriers"] is True
    assert facts["filesystem.online_discard"] == "none"
    assert facts["filesystem.type"] == "nilfs2"
    size = int(scenario.second("stat", "-f", "-c", "%b", POINT)) * 4096
    assert facts["filesystem.size_bytes"] == size
    assert report.fact(f"mount:{POINT}", "mount.atime") == "relatime"
    assert not {rule for rule, at in report.advice() if at == f"filesystem:{disk}"}


@pytest.mark.kernels
def test_a_nilfs2_tuned_against_its_safety(scenario, disk):
    """NILFS2 with nobarrier, order=relaxed and discard on NVMe"""
    scenario.format("nilfs2", disk)
    scenario.write("/etc/fstab", f"{disk} {POINT} nilfs2 nobarrier,order=relaxed,discard,noatime,nogc 0 0\n")
    scenario.mount(disk, "data", "nobarrier,order=relaxed,discard,noatime,nogc", "nilfs2")
    at = f"filesystem:{disk}"

    report = scenario.audit()

    shown = scenario.second("findmnt", "-no", "FS-OPTIONS", "--mountpoint", POINT).strip().split(",")
    assert set(report.fact(at, "filesystem.options")) == set(shown) - {"nogc"}
    assert report.fact(at, "filesystem.barriers") is False
    assert report.fact(at, "filesystem.online_discard") == "sync"
    assert report.fact(f"mount:{POINT}", "mount.options_not_in_force") == []
    verdict = report.verdict("nobarrier-unproven", at)
    assert verdict["verdict"] == "advise"
    scenario.keep("lab-nilfs2-nobarrier")
    remedies.apply(verdict)
    after = scenario.audit()
    assert after.fact(at, "filesystem.barriers") is True
    assert after.fact(at, "filesystem.online_discard") == "sync"
    assert after.outcome("nobarrier-unproven", at) != "advise"
    remedies.undo(verdict)
    assert scenario.audit().outcome("nobarrier-unproven", at) == "advise"
    run("sync")
