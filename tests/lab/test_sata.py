"""SATA drives behind AHCI: what they are called, and their write caches, which hdparm, smartctl and the kernel set."""

import os
import re

import pytest

from tests.lab import scsi
from tests.lab.scenario import run

pytestmark = pytest.mark.lab
HIDDEN = "volatile-cache-not-flushed"
EVO, PM893 = "Samsung SSD 870 EVO 1TB", "SAMSUNG MZ7L3960HCJR-00A07"


@pytest.fixture
def evo(scenario):
    """The name of a consumer's SSD."""
    return scenario.attach("sata-ssd")[0]


def caches(report, name):
    """What the kernel believes of the cache, and what the drive says."""
    return report.fact(f"disk:{name}", "disk.write_cache"), report.fact(f"disk:{name}", "disk.volatile_cache")


def drive_cache(scenario, name):
    """The drive's own setting, by hdparm and by smartctl."""
    by_hdparm = "=  1 (on)" in scenario.second("hdparm", "-W", f"/dev/{name}")
    assert scsi.smart(scenario, name)["Write cache is"] == ("Enabled" if by_hdparm else "Disabled")
    return by_hdparm


def test_sata_ssds_are_known_by_their_whole_names_and_their_families(scenario):
    """SATA SSDs: one sold with power-loss protection by its model's family, one without"""
    names = scenario.attach("sata-ssd")

    report = scenario.audit()

    for name, model, plp in zip(names, (EVO, PM893), ("absent", "claimed"), strict=True):
        disk, identify = f"disk:{name}", scsi.pairs(scenario.second("hdparm", "-I", f"/dev/{name}"))
        scsi.agree_with_lsblk(scenario, report, name)
        assert report.fact(disk, "disk.model") == identify["Model Number"] == model
        assert report.fact(disk, "disk.firmware") == identify["Firmware Revision"]
        assert identify["Nominal Media Rotation Rate"] == "Solid State Device"
        assert report.fact(disk, "disk.rotational") is False
        assert report.fact(disk, "disk.transport") == "sata"
        assert report.fact(disk, "disk.virtual") is False
        assert report.fact(disk, "disk.plp") == plp
        assert caches(report, name) == ("write back", drive_cache(scenario, name))
        assert report.fact(disk, "disk.smart_passed") is True
        udev = scsi.pairs(scenario.second("udevadm", "info", "--query=property", f"/dev/{name}").replace("=", ":"))
        assert report.fact(disk, "disk.udev_serial") == udev["ID_SERIAL_SHORT"] == identify["Serial Number"]
        assert udev["ID_ATA"] == "1"
    scenario.keep("lab-sata-ssd")


@pytest.mark.thorough
def test_libata_and_we_know_the_same_families_that_mishandle_queued_trim(scenario):
    """SATA SSDs, one of a family that gets no queued TRIM from libata"""
    names = scenario.attach("sata-ssd")

    report = scenario.audit()

    found = {name: report.fact(f"disk:{name}", "disk.trim_command") for name in names}
    numbers = [re.search(r"/ata(\d+)/", os.path.realpath(f"/sys/block/{name}"))[1] for name in names]
    ports = [f"/sys/class/ata_device/dev{number}.0/trim" for number in numbers]
    assert list(found.values()) == [scenario.second_file(path) for path in ports] == ["forced_unqueued", "unqueued"]
    assert [report.fact(f"disk:{name}", "disk.queued_trim_trouble") for name in names] == [True, False]
    assert not {subject for rule, subject in report.advice() if rule == "queued-trim-trouble"}


@pytest.mark.thorough
def test_hard_disks_lose_their_cache_and_one_has_it_off(scenario):
    """SATA hard disks, one with its write cache switched off"""
    names = scenario.attach("sata-hdd")

    report = scenario.audit()

    for name, on in zip(names, (True, False), strict=True):
        disk, identify = f"disk:{name}", scsi.pairs(scenario.second("hdparm", "-I", f"/dev/{name}"))
        scsi.agree_with_lsblk(scenario, report, name)
        assert identify["Nominal Media Rotation Rate"] == "5400"
        assert report.fact(disk, "disk.rotational") is True
        assert drive_cache(scenario, name) is on
        assert caches(report, name) == ("write back" if on else "write through", on)
        assert report.fact(disk, "disk.driver_flushes") is on
        assert report.fact(disk, "disk.plp") == "absent"
        assert report.fact(disk, "disk.fua") is bool(int(scenario.second_file(f"/sys/block/{name}/queue/fua")))
        assert report.outcome(HIDDEN, disk) == "ok"
    scenario.keep("lab-sata-hard-disks")


@pytest.mark.thorough
def test_the_kernel_follows_hdparm_when_it_switches_the_cache_off(scenario, evo):
    """SATA SSD whose write cache hdparm switched off, and smartctl on again"""
    scenario.second("hdparm", "-W0", f"/dev/{evo}")
    assert drive_cache(scenario, evo) is False
    scenario.tell(claim="libata passes hdparm -W0 on to sd, without a rescan", seen=scsi.cache_type(evo).read_text())
    assert caches(scenario.audit(), evo) == ("write through", False)

    scenario.second("smartctl", "-s", "wcache,on", f"/dev/{evo}")
    assert drive_cache(scenario, evo) is True
    assert caches(scenario.audit(), evo) == ("write back", True)


def test_write_through_in_cache_type_switches_the_drives_own_cache_off(scenario, evo):
    """SATA SSD with 'write through' written to cache_type"""
    scenario.write(scsi.cache_type(evo), "write through")

    report = scenario.audit()

    assert drive_cache(scenario, evo) is False
    assert caches(report, evo) == ("write through", False)
    assert report.outcome(HIDDEN, f"disk:{evo}") == "ok"


@pytest.mark.kernels
def test_temporary_write_through_ends_flushes_and_only_cache_type_brings_them_back(scenario, evo):
    """SATA SSD with 'temporary write through' in cache_type: the drive caches on, and gets no flushes"""
    scenario.write(scsi.cache_type(evo), "temporary write through")
    scenario.undo(scsi.cache_type(evo).write_text, "write back")

    report = scenario.audit()

    disk, setting = f"disk:{evo}", f"/sys/block/{evo}/queue/write_cache"
    assert drive_cache(scenario, evo) is True
    assert scenario.second_file(setting) == scenario.second_file(scsi.cache_type(evo)) == "write through"
    assert caches(report, evo) == ("write through", True)
    verdict = report.verdict(HIDDEN, disk)
    assert (verdict["verdict"], verdict["remedy"]["now"]) == ("advise", [])
    assert report.fact(disk, "disk.driver_flushes") is False
    scenario.keep("lab-sata-flushes-hidden")

    scenario.second("/bin/sh", "-c", f"echo 'write back' > {setting}", check=False)
    assert scenario.second_file(setting) == "write through", "the kernel took what the rule says that it does not"
    run("/bin/sh", "-ec", f"echo 'write back' | tee /sys/block/{evo}/device/scsi_disk/*/cache_type")
    assert caches(scenario.audit(), evo) == ("write back", drive_cache(scenario, evo))


@pytest.mark.thorough
def test_an_override_of_the_queue_is_taken_back_by_the_rules_own_command(scenario, evo):
    """SATA SSD with 'write through' in queue/write_cache, set back as the rule says, and undone"""
    setting = f"/sys/block/{evo}/queue/write_cache"
    scenario.write(setting, "write through")
    report = scenario.audit()
    assert drive_cache(scenario, evo) is True
    assert report.fact(f"disk:{evo}", "disk.driver_flushes") is True
    assert report.outcome(HIDDEN, f"disk:{evo}") == "advise"

    take_back = scsi.follow(report, HIDDEN, f"disk:{evo}")
    assert scenario.second_file(setting) == "write back"
    assert scenario.audit().outcome(HIDDEN, f"disk:{evo}") == "ok"
    take_back()
    assert scenario.second_file(setting) == "write through"
