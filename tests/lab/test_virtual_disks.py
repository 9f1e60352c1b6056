"""Disks in a guest that says that it is one: what nobody can see from inside is claimed of none of them."""

import json

import pytest

from tests.lab import scsi

pytestmark = pytest.mark.lab
HIDDEN = "volatile-cache-not-flushed"


def queue_setting(name):
    """What the kernel believes of a disk's cache."""
    return f"/sys/block/{name}/queue/write_cache"


def test_virtio_disks_tell_their_cache_and_nothing_behind_it(scenario):
    """Virtual machine with virtio disks, one with a write cache, one without"""
    names = scenario.attach("virtio", "virtio-through")
    for name, kind in zip(names, ("ext4", "xfs"), strict=True):
        scenario.format(kind, f"/dev/{name}")
        scenario.mount(f"/dev/{name}", kind)

    report = scenario.audit()

    assert report.fact("host", "host.virtual") is (scenario.second("systemd-detect-virt", "--vm").strip() != "none")
    for name, on in zip(names, (True, False), strict=True):
        disk, filesystem = f"disk:{name}", f"filesystem:/dev/{name}"
        scsi.agree_with_lsblk(scenario, report, name)
        (row,) = json.loads(scenario.second("lsblk", "-d", "-J", "-o", "SUBSYSTEMS", f"/dev/{name}"))["blockdevices"]
        assert report.fact(disk, "disk.transport") == "virtio"
        assert "virtio" in row["subsystems"].split(":")
        assert report.fact(disk, "disk.virtual") is True
        assert scenario.second_file(f"/sys/block/{name}/cache_type") == ("write back" if on else "write through")
        assert report.fact(disk, "disk.write_cache") == scenario.second_file(queue_setting(name))
        assert report.fact(disk, "disk.volatile_cache") is on
        assert report.fact(disk, "disk.plp") == "unknown"
        assert report.fact(disk, "disk.thin").cause == "not_attested"
        assert report.fact(filesystem, "below.any_write_back") is on
        assert report.fact(filesystem, "below.any_unprotected_cache") is on
        assert report.fact(filesystem, "below.any_rotational") is False, "virtio says 1 whatever is behind it"
        assert report.outcome(HIDDEN, disk) == "ok"
    assert report.advice() == set()
    scenario.keep("lab-virtual-virtio")


@pytest.mark.thorough
def test_a_virtio_disk_takes_write_through_in_cache_type_itself(scenario):
    """Virtual machine whose virtio disk was told 'write through' by cache_type, then by the queue only"""
    (name,) = scenario.attach("virtio")
    disk, own = f"disk:{name}", f"/sys/block/{name}/cache_type"
    scenario.write(own, "write through")
    report = scenario.audit()
    assert scenario.second_file(queue_setting(name)) == "write through"
    assert report.fact(disk, "disk.volatile_cache") is False
    assert report.outcome(HIDDEN, disk) == "ok"

    scenario.write(own, "write back")
    scenario.write(queue_setting(name), "write through")
    report = scenario.audit()
    assert report.fact(disk, "disk.volatile_cache") is True
    assert report.outcome(HIDDEN, disk) == "advise"
    take_back = scsi.follow(report, HIDDEN, disk)
    assert scenario.second_file(queue_setting(name)) == "write back"
    assert scenario.audit().outcome(HIDDEN, disk) == "ok"
    take_back()
    assert scenario.second_file(queue_setting(name)) == "write through"


def test_names_of_protected_drives_prove_nothing_in_a_virtual_machine(scenario):
    """Virtual machine with SATA, SCSI and NVMe disks, of which some bear the names of protected drives"""
    names = scenario.attach("sata-ssd", "sas-ssd", "nvme")

    report = scenario.audit()

    virtual = {name: report.fact(f"disk:{name}", "disk.virtual") for name in names}
    kinds = {name: report.fact(f"disk:{name}", "disk.transport") for name in names}
    assert sorted(kinds.values()) == ["nvme", "sata", "sata", "virtio", "virtio"]
    for name in names:
        scsi.agree_with_lsblk(scenario, report, name)
        assert report.fact(f"disk:{name}", "disk.plp") == "unknown"
        assert report.fact(f"disk:{name}", "disk.volatile_cache") is True
        if kinds[name] == "sata":
            assert virtual[name].cause == "not_exposed", "it may be passed through"
            model = scsi.pairs(scenario.second("hdparm", "-I", f"/dev/{name}"))["Model Number"]
            told = report.subjects[f"disk:{name}"]["facts"]
            assert report.fact(f"disk:{name}", "disk.model") == model, told["disk.smart_passed"]
        else:
            assert virtual[name] is True
    nvme = next(name for name in names if kinds[name] == "nvme")
    assert "QEMU NVMe Ctrl" in scenario.second("nvme", "list")
    assert report.fact(f"disk:{nvme}", "disk.model") == "QEMU NVMe Ctrl"
    scenario.keep("lab-virtual-named-drives")
