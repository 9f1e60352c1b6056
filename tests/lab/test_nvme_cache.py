"""A volatile write cache on NVMe: switched off in the drive, and hidden from the kernel."""

import pytest

pytestmark = pytest.mark.lab


@pytest.fixture
def mounted(scenario):
    """(scenario, device) with an ext4 on an NVMe drive."""
    (name,) = scenario.attach("nvme")
    scenario.format("ext4", f"/dev/{name}")
    scenario.mount(f"/dev/{name}", "data")
    return scenario, name


def test_a_volatile_cache_is_seen_by_identify_and_feature_6(mounted):
    """NVMe with a volatile write cache, switched on"""
    scenario, name = mounted

    report = scenario.audit()

    disk = f"disk:{name}"
    assert "vwc       : 0x7" in scenario.second("nvme", "id-ctrl", f"/dev/{name}")
    assert "Current value:0x00000001" in scenario.second("nvme", "get-feature", "-f", "6", f"/dev/{name}")
    assert report.fact(disk, "disk.volatile_cache") is True
    assert report.fact(disk, "disk.write_cache") == "write back"
    scenario.keep("lab-nvme-volatile-cache")
