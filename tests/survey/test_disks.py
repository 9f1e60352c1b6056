"""What is found out about a single disk: flush counters, links, TRIM, names, formats."""

import json

import pytest

from fsadvisor.facts import Unknown
from fsadvisor.readers import nvme_identify, smartctl
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.told import BARE_METAL, disk, machine

SATA = "pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0"
PORT = "pci0000:00/0000:00:01.0"
NVME = f"{PORT}/0000:01:00.0/nvme/nvme0"
STAT = "100 0 800 10 2000 0 16000 900 0 500 910 0 0 0 0 {flushes} {flush_ms}"


def facts(name, where, number="8:0", files=(), commands=(), udev="", **more):
    made = machine(
        disk(name, where=where, number=number, **more),
        files=dict(files),
        commands=BARE_METAL | dict(commands),
        udev=udev,
    )
    return next(it.scope["disk"] for it in survey(made, {}).subjects if it.id == f"disk:{name}")


def link(folder, which, speed, lanes):
    return {
        f"/sys/devices/{folder}/{which}_link_speed": f"{speed} GT/s PCIe\n",
        f"/sys/devices/{folder}/{which}_link_width": f"{lanes}\n",
    }


def links(current, drive, slot):
    own = NVME.removesuffix("/nvme/nvme0")
    return link(own, "current", *current) | link(own, "max", *drive) | link(PORT, "max", *slot)


def flushed(flushes, flush_ms, uptime="10000.00 900.00\n", container="none"):
    return facts(
        "sda",
        SATA,
        files={"/proc/uptime": uptime},
        commands={"systemd-detect-virt --container": f"{container}\n"},
        stat=STAT.format(flushes=flushes, flush_ms=flush_ms),
    )


def test_flushes_are_averaged_and_set_against_the_time_since_boot():
    found = flushed(5000, 2_500_000)
    assert found.flush_ms_avg.value == 500
    assert found.flush_time_percent.value == 25


def test_without_a_flush_there_is_no_average_but_a_share_of_nothing():
    found = flushed(0, 0)
    assert isinstance(found.flush_ms_avg, Unknown)
    assert found.flush_time_percent.value == 0


def test_soon_after_boot_a_share_tells_of_the_boot_only():
    assert isinstance(flushed(5, 900, uptime="600.00 900.00\n").flush_time_percent, Unknown)


def test_the_uptime_that_a_container_shows_is_not_believed():
    found = flushed(500, 250_000, container="lxc")
    assert found.flush_ms_avg.value == 500
    assert isinstance(found.flush_time_percent, Unknown)


def test_an_old_kernel_counts_no_flushes():
    found = facts("sda", SATA, stat="100 0 800 10 2000 0 16000 900 0 500 910", files={"/proc/uptime": "10 9"})
    assert isinstance(found.flush_ms_avg, Unknown)
    assert isinstance(found.flush_time_percent, Unknown)


@each(
    ("current", "drive", "slot", "reduced"),
    [
        (("16.0", 4), ("16.0", 4), ("16.0", 16), False),
        (("8.0", 4), ("16.0", 4), ("8.0", 4), False),
        (("2.5", 4), ("16.0", 4), ("8.0", 4), True),
        (("8.0", 2), ("8.0", 4), ("8.0", 4), True),
    ],
)
def test_a_link_is_reduced_only_below_what_drive_and_slot_both_can(current, drive, slot, reduced):
    found = facts("nvme0n1", NVME, number="259:0", files=links(current, drive, slot))
    assert found.pcie_link_reduced.value is reduced
    assert found.pcie_link.value == f"{float(current[0]):g} GT/s x{current[1]}"


@pytest.mark.parametrize("lost", ["current_link_speed", "max_link_width"])
def test_a_link_that_is_not_wholly_told_is_not_judged(lost):
    files = {path: text for path, text in links(("8.0", 4), ("8.0", 4), ("8.0", 4)).items() if lost not in path}
    assert isinstance(facts("nvme0n1", NVME, number="259:0", files=files).pcie_link_reduced, Unknown)


def test_an_unknown_speed_and_several_paths_are_no_link():
    files = links(("Unknown", 4), ("8.0", 4), ("8.0", 4))
    assert isinstance(facts("nvme0n1", NVME, number="259:0", files=files).pcie_link_reduced, Unknown)
    several = "virtual/nvme-subsystem/nvme-subsys0"
    assert isinstance(facts("nvme0n1", several, number="259:0").pcie_link_reduced, Unknown)


def test_how_trim_is_sent_is_read_from_the_drives_own_port():
    found = facts("sda", SATA, files={"/sys/class/ata_device/dev3.0/trim": "queued\n"})
    assert found.trim_command.value == "queued"


@each(
    ("model", "trouble"),
    [
        ("Samsung SSD 860 EVO 1TB", True),
        ("SAMSUNG MZ7LH960HAJR-00005", True),
        ("Crucial_CT512MX100SSD1", True),
        ("Micron_1100_MTFDDAK512TBN", True),
        ("ZA960NM10001-2ZH100", True),
        ("Seagate IronWolf ZA960NM10001", True),
        ("ZA1000NM1A002-2ZG100", False),
        ("CT500MX500SSD1", False),
        ("INTEL SSDSC2KB960G8", False),
        ("Samsung SSD 870", True),
        ("Samsung SSD 8700 PRO", False),
    ],
)
def test_families_that_mishandle_queued_trim_are_known_by_name(model, trouble):
    assert facts("sda", SATA, device__model=model).queued_trim_trouble.value is trouble


@pytest.mark.parametrize("cut", ["Crucial_CT512MX1", "Crucial_CT1024M5", "Seagate IronWolf"])
def test_a_name_that_the_kernel_cut_before_it_tells_the_family_leaves_it_open(cut):
    assert isinstance(facts("sda", SATA, device__model=cut).queued_trim_trouble, Unknown)


def smart(**said):
    return {" ".join(smartctl.argv("/dev/sda")): json.dumps({"smartctl": {"exit_status": 0}, **said})}


def test_a_sata_drive_is_called_by_its_whole_name_not_by_what_scsi_has_room_for():
    said = smart(model_name="Crucial_CT512MX100SSD1", firmware_version="MU01_604Q")
    found = facts("sda", SATA, commands=said, device__model="Crucial_CT512MX1", device__rev="604Q")
    assert (found.model.value, found.model.source) == ("Crucial_CT512MX100SSD1", "smartctl model")
    assert found.queued_trim_trouble.value is True
    assert found.firmware.value == "MU01_604Q"


def test_udev_knows_the_whole_name_too():
    udev = "P: /x\nN: sda\nE: ID_MODEL_ENC=SAMSUNG\\x20MZ7L3960HCJR-00A07\\x20\\x20\nE: DEVNAME=/dev/sda\n"
    found = facts("sda", SATA, udev=udev, device__model="SAMSUNG MZ7L3960")
    assert found.model.value == "SAMSUNG MZ7L3960HCJR-00A07"


@pytest.mark.parametrize(("name", "rev"), [("SEAGATE ST4000NM0034", "E00"), ("ST4000NM0034-XYZ", "E005")])
def test_what_another_source_says_of_another_drive_does_not_replace_the_kernels_word(name, rev):
    said = smart(model_name=name, firmware_version=rev)
    found = facts("sda", SATA, commands=said, device__model="ST4000NM0034", device__rev="E004")
    assert (found.model.value, found.firmware.value) == ("ST4000NM0034", "E004")


@each(
    ("model", "kind"),
    [
        ("Amazon Elastic Block Store", "network"),
        ("Amazon EC2 NVMe Instance Storage", "local"),
        ("nvme_card-pd", "network"),
        ("nvme_card0", "local"),
        ("nvme_card", "local"),
        ("MSFT NVMe Accelerator v1.0", "network"),
        ("Microsoft NVMe Direct Disk v2", "local"),
        ("SAMSUNG MZQL21T9HCJR-00A07", "none"),
    ],
)
def test_clouds_name_their_disks(model, kind):
    assert facts("nvme0n1", NVME, number="259:0", device__model=model).cloud_disk.value == kind


def test_another_name_inside_a_virtual_machine_says_nothing_about_a_cloud():
    found = facts("sda", SATA, commands={"systemd-detect-virt --vm": "kvm\n"}, device__model="QEMU HARDDISK")
    assert isinstance(found.cloud_disk, Unknown)


def test_model_and_serial_for_a_udev_rule_are_udevs_own_words():
    told = "P: /devices/x/block/sda\nN: sda\nE: ID_MODEL=SOME_DISK\nE: ID_SERIAL_SHORT=S1\n\n"
    found = facts("sda", SATA, udev=told)
    assert (found.udev_model.value, found.udev_serial.value) == ("SOME_DISK", "S1")


@pytest.mark.parametrize(
    ("ratings", "better"), [(((9, 2, 0), (12, 0, 0)), 4096), (((9, 0, 0), (12, 0, 0)), 0), (((9, 2, 0), (12, 1, 8)), 0)]
)
def test_a_better_format_is_one_that_the_drive_rates_so_and_that_has_no_metadata(ratings, better):
    formats = [{"ms": ms, "ds": ds, "rp": rp} for ds, rp, ms in ratings]
    text = json.dumps({"nsze": 1 << 21, "flbas": 0, "nlbaf": 1, "lbafs": formats})
    command = " ".join(nvme_identify.id_ns_argv("/dev/nvme0n1"))
    assert facts("nvme0n1", NVME, number="259:0", commands={command: text}).better_block_bytes.value == better


SCSI_CACHE = {"device__scsi_disk__2_0_0_0__cache_type": "write through"}


@pytest.mark.parametrize("where", [SATA, "pci0000:00/0000:00:07.0/virtio3/host0/target0:0:0/0:0:0:0"])
def test_the_scsi_drivers_write_through_is_not_the_drives_own_word(where):
    found = facts("sda", where, cache="write through", **SCSI_CACHE)
    assert isinstance(found.volatile_cache, Unknown)
    assert found.driver_flushes.value is False

    asked = facts("sda", where, commands=smart(model_name="X", write_cache={"enabled": True}), **SCSI_CACHE)
    assert asked.volatile_cache.value is True


@each(
    ("name", "cache", "more", "expected"),
    [
        ("sda", "write back", {}, True),
        ("sda", "write through", {"device__scsi_disk__2_0_0_0__cache_type": "write back"}, True),
        ("sda", "write through", SCSI_CACHE, False),
        ("nvme0n1", "write through", {}, True),
    ],
)
def test_the_queues_setting_decides_only_where_the_driver_is_ready_to_flush(name, cache, more, expected):
    where = SATA if name == "sda" else NVME
    assert facts(name, where, number="8:0", cache=cache, **more).driver_flushes.value is expected


def test_a_scsi_driver_that_does_not_tell_leaves_it_open():
    assert isinstance(facts("sda", SATA, cache="write through").driver_flushes, Unknown)
