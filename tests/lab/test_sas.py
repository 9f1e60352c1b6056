"""SCSI disks with the names of SAS drives, behind virtio-scsi: their caches by mode page 8, FUA, 512e."""

import json

import pytest

from tests.lab import scsi
from tests.lab.scenario import settle

pytestmark = pytest.mark.lab
HIDDEN = "volatile-cache-not-flushed"


def caches(report, name):
    """What the kernel believes of the cache, and what the drive says."""
    return report.fact(f"disk:{name}", "disk.write_cache"), report.fact(f"disk:{name}", "disk.volatile_cache")


def drive_cache(scenario, name):
    """The drive's own setting, by mode page 8 and by smartctl."""
    on = bool(scsi.wce(scenario, name))
    assert scsi.smart(scenario, name)["Writeback Cache is"] == ("Enabled" if on else "Disabled")
    return on


def test_scsi_disks_tell_their_names_caches_and_rotation(scenario):
    """SCSI hard disks behind virtio-scsi, one with its write cache off"""
    names = scenario.attach("sas-hdd")

    report = scenario.audit()

    for name, on in zip(names, (True, False), strict=True):
        disk, inquiry = f"disk:{name}", scsi.smart(scenario, name)
        scsi.agree_with_lsblk(scenario, report, name)
        assert report.fact(disk, "disk.vendor") == inquiry["Vendor"] == "SEAGATE"
        assert report.fact(disk, "disk.model") == inquiry["Product"] == "ST4000NM0034"
        assert report.fact(disk, "disk.firmware") == inquiry["Revision"] == "E004"
        assert report.fact(disk, "disk.udev_serial") == inquiry["Serial number"]
        assert (report.fact(disk, "disk.rotational"), inquiry["Rotation Rate"]) == (True, "7200 rpm")
        assert drive_cache(scenario, name) is on
        assert caches(report, name) == ("write back" if on else "write through", on)
        assert report.fact(disk, "disk.driver_flushes") is on
        assert report.fact(disk, "disk.plp") == "unknown", "nothing is proven through virtio"
    scenario.keep("lab-scsi-hard-disks")


@pytest.mark.thorough
def test_a_virtio_controller_is_told_as_what_it_is_whatever_its_disks_are_called(scenario):
    """SCSI disks with SAS drives' names behind virtio-scsi"""
    names = scenario.attach("sas-ssd")

    report = scenario.audit()

    (tree,) = (json.loads(scenario.second("lsblk", "-d", "-J", "-o", "TRAN,HCTL", f"/dev/{names[0]}")),)
    assert tree["blockdevices"][0]["tran"] is None, "lsblk knows SAS by its transport class, which virtio has not"
    for name in names:
        assert report.fact(f"disk:{name}", "disk.transport") == "virtio"
        assert report.fact(f"disk:{name}", "disk.virtual") is True
        assert report.fact(f"disk:{name}", "disk.plp") == "unknown"


def test_fua_goes_through_where_the_disk_takes_dpo_and_fua(scenario):
    """SCSI SSD that takes FUA beside a 512e hard disk that does not"""
    ssd, disk512e = scenario.attach("sas-ssd")

    report = scenario.audit()

    for name, fua, rotational, physical in ((ssd, True, False, 512), (disk512e, False, True, 4096)):
        disk = f"disk:{name}"
        scsi.agree_with_lsblk(scenario, report, name)
        taken = "DpoFua=1" in scenario.second("sg_modes", "--page=8", f"/dev/{name}")
        assert (report.fact(disk, "disk.fua"), taken) == (fua, fua)
        assert report.fact(disk, "disk.rotational") is rotational
        assert report.fact(disk, "disk.logical_block_bytes") == 512
        capacity = scsi.pairs(scenario.second("sg_readcap", "--16", f"/dev/{name}").replace("=", ":"))
        exponent = int(capacity["Logical blocks per physical block exponent"].split()[0])
        assert report.fact(disk, "disk.physical_block_bytes") == 512 << exponent == physical
    scenario.keep("lab-scsi-fua-512e")


@pytest.mark.thorough
def test_the_drives_cache_is_told_as_the_drive_has_it_after_a_change_by_mode_page(scenario):
    """SCSI disk whose write cache sdparm switched off, then on again"""
    name, _ = scenario.attach("sas-hdd")
    for command, on in (("--clear=WCE", False), ("--set=WCE", True)):
        scenario.second("sdparm", command, f"/dev/{name}")
        settle()
        assert drive_cache(scenario, name) is on
        seen = caches(scenario.audit(), name)
        assert seen[1] is on
        assert seen[0] == scenario.second_file(f"/sys/block/{name}/queue/write_cache")
        scenario.tell(claim=f"after sdparm {command} the kernel believes", seen=seen[0])


@pytest.mark.thorough
def test_a_scsi_override_is_seen_through_virtio_too(scenario):
    """SCSI disk behind virtio-scsi with 'temporary write through' in cache_type"""
    name, _ = scenario.attach("sas-hdd")
    scenario.write(scsi.cache_type(name), "temporary write through")
    scenario.undo(scsi.cache_type(name).write_text, "write back")

    report = scenario.audit()

    assert drive_cache(scenario, name) is True
    assert caches(report, name) == ("write through", True)
    assert report.fact(f"disk:{name}", "disk.driver_flushes") is False
    verdict = report.verdict(HIDDEN, f"disk:{name}")
    assert (verdict["verdict"], verdict["remedy"]["now"]) == ("advise", [])
