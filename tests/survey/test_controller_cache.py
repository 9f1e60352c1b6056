"""The write cache of a RAID controller in front of a disk."""

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.readers import ssacli, storcli
from fsadvisor.survey.whole import survey
from tests.panel import controllers
from tests.panel.build import root, server
from tests.paths import FIXTURES
from tests.told import BARE_METAL, disk, machine

SLOT = "pci0000:00/0000:00:01.0/0000:03:00.0/host0/target0:2:0/0:2:0:0"
DRIVER = "/sys/class/scsi_host/host0/proc_name"
OUTPUTS = FIXTURES / "outputs"
REPORT = (OUTPUTS / "storcli" / "megaraid.out").read_text()
VOLUMES = (OUTPUTS / "storcli" / "volumes.out").read_text()
SMART_ARRAY = (OUTPUTS / "ssacli" / "config-detail.out").read_text()


def behind(vendor, model, commands, name="sda", where=SLOT, driver="megaraid_sas"):
    made = machine(
        disk(name, where=where, device__vendor=vendor, device__model=model),
        {DRIVER: driver} if driver else {},
        commands=BARE_METAL | dict(commands),
    )
    return next(it.scope["disk"] for it in survey(made, {}).subjects if it.id == f"disk:{name}")


def megaraid(report=REPORT, volumes=VOLUMES, **more):
    commands = {" ".join(storcli.argv()): report, " ".join(storcli.argv("storcli64", storcli.VOLUMES)): volumes}
    return behind("AVAGO", "MR9361-8i", commands, **more)


def smart_array(text=SMART_ARRAY):
    return behind("HPE", "LOGICAL VOLUME", {" ".join(ssacli.CONFIG_ARGV): text})


def test_a_volume_has_policy_battery_and_the_drives_own_caches():
    found = megaraid()
    assert found.controller.value == "storcli64"
    assert (found.controller_cache.value, found.controller_battery.value) == ("write back", "optimal")
    assert found.controller_drive_caches.value == "default"


@pytest.mark.parametrize(
    ("letters", "policy"), [("RAWBD", "always write back"), ("NRWTD", "write through"), ("RFWBD", "always write back")]
)
def test_the_policy_is_read_from_its_letters(letters, policy):
    assert megaraid(volumes=VOLUMES.replace("RWBD", letters)).controller_cache.value == policy


def test_a_battery_that_fails_is_told_from_one_that_charges():
    assert (
        megaraid(report=REPORT.replace('"State": "Optimal"', '"State": "Failed"')).controller_battery.value == "failed"
    )
    learning = REPORT.replace('"State": "Optimal"', '"State": "Learning"')
    assert megaraid(report=learning).controller_battery.value == "charging"


@pytest.mark.parametrize(
    ("bits", "battery"), [(1 << 13 | 1 << 6, "charging"), (1 << 6 | 1, None), (1 << 6 | 1 << 10, None), (1 << 12, None)]
)
def test_a_learn_cycle_during_which_the_state_is_unknown_is_told_by_the_status_word(bits, battery):
    report = REPORT.replace('"State": "Optimal"', '"State": "Unknown"').replace(
        '"BBU Status": 0', f'"BBU Status": {bits}'
    )
    found = megaraid(report=report).controller_battery
    assert battery == (None if isinstance(found, Unknown) else found.value)


@pytest.mark.parametrize("bits", [0, 1 << 6])
@pytest.mark.parametrize("word", ["Dgd (Needs Attention)", "Failed", "Degraded", "Missing"])
def test_a_battery_with_a_bad_word_has_failed_in_a_learn_cycle_too(word, bits):
    report = REPORT.replace('"State": "Optimal"', f'"State": "{word}"').replace(
        '"BBU Status": 0', f'"BBU Status": {bits}'
    )
    assert megaraid(report=report).controller_battery.value == "failed"


def test_a_smart_array_caches_on_only_where_it_is_told_to():
    found = smart_array()
    assert found.controller_battery.value == "charging"
    assert found.controller_drive_caches.value == "enabled"
    in_use = SMART_ARRAY.replace("Temporarily Disabled", "OK")
    assert smart_array(in_use).controller_cache.value == "write back"
    told = in_use.replace("No-Battery Write Cache: Disabled", "No-Battery Write Cache: Enabled")
    assert smart_array(told).controller_cache.value == "always write back"


def test_a_smart_array_whose_cache_is_disabled_writes_through_whatever_is_configured():
    for word in ("Temporarily Disabled", "Permanently Disabled"):
        told = SMART_ARRAY.replace("Temporarily Disabled", word)
        assert smart_array(told).controller_cache.value == "write through"


def test_without_the_tool_nothing_is_known_of_the_cache():
    found = behind("DELL", "PERC H755", {})
    assert found.controller.value == "perccli64"
    assert found.controller_cache.cause is Cause.NO_TOOL


def test_a_drive_of_its_own_has_no_controller_cache():
    found = behind("ATA", "SOME DISK", {})
    assert found.controller.value == "none"
    assert found.controller_cache.cause is Cause.NOT_APPLICABLE


def test_a_volume_of_which_neither_name_is_told_may_be_anything():
    made = machine(disk("sda", where=SLOT), commands=BARE_METAL)
    del made.files["/sys/block/sda/device/model"]
    found = next(it.scope["disk"] for it in survey(made, {}).subjects if it.id == "disk:sda")
    assert isinstance(found.controller, Unknown)


NEWER = {
    " ".join(storcli.argv("storcli2", question)): (OUTPUTS / "storcli" / f"{name}.out").read_text()
    for question, name in (
        (storcli.CONTROLLERS, "storcli2"),
        (storcli.VOLUMES, "storcli2-volumes"),
        (storcli.DRIVES, "storcli2-drives"),
    )
}


def newer(name, **changed):
    texts = NEWER
    for word, other in changed.items():
        texts = {command: text.replace(f'"{word}"', f'"{other}"') for command, text in texts.items()}
    return behind("AVAGO", "MR9660-16i", {" ".join(storcli.argv()): REPORT} | texts, name=name)


def test_a_volume_that_storcli2_lists_is_told_by_that_though_the_older_tool_answers():
    well, sick = newer("sda"), newer("sdb")
    assert (well.controller_cache.value, well.controller_battery.value) == ("write back", "optimal")
    assert well.controller_drive_caches.value == "disabled"
    assert (well.raid_volume.value, well.raid_sick_drives.value) == ("optimal", ())
    assert sick.controller_cache.value == "always write back"
    assert sick.raid_volume.value == "degraded"
    assert sick.raid_sick_drives.value == ("306:3 Rebuild", "306:2 predicted to fail")
    assert sick.raid_drive_errors.value == ("306:2: 7",)


def test_a_word_of_storcli2_that_is_not_known_is_neither_well_nor_sick():
    assert isinstance(newer("sda", Online="Resting").raid_sick_drives, Unknown)


def test_of_storcli2_no_foreign_drive_is_not_known_and_a_new_word_of_its_capacitor_is_no_failure():
    assert isinstance(newer("sda").raid_foreign_drives, Unknown)
    assert isinstance(newer("sda", Optimal="Resting").controller_battery, Unknown)
    assert newer("sda", Optimal="Failed").controller_battery.value == "failed"


def test_a_disk_that_a_tool_does_not_list_gets_nothing_of_another_controllers_volumes():
    found = behind(
        "AVAGO",
        "MR9660-16i",
        {" ".join(storcli.argv()): REPORT} | {" ".join(storcli.argv("storcli64", storcli.VOLUMES)): VOLUMES},
        name="sdz",
    )
    for fact in (found.controller_cache, found.controller_battery, found.raid_volume, found.raid_sick_drives):
        assert isinstance(fact, Unknown)
    assert found.raid_volume.learn == "install storcli2, where storcli64 does not list /dev/sdz"


@pytest.mark.parametrize(
    ("drives", "kernel", "spins"),
    [
        (("SSD", "SSD"), "1", False),
        (("HDD", "HDD"), "0", True),
        (("SSD", "HDD"), "1", None),
        (("SSD", "HDD"), "0", None),
        (("?", "?"), "1", None),
        (("HDD", "HDD"), "1", True),
    ],
)
def test_whether_a_volume_rotates_its_drives_tell_and_not_the_kernel(drives, kernel, spins):
    volume = controllers.megaraid(0, drives=("Onln",) * len(drives))
    volume.made[0]["/sys/block/sda/queue/rotational"] = kernel
    asked = " ".join(storcli.argv("storcli64"))
    first, *rest = volume.commands[asked].split('"Med": "HDD"')
    volume.commands[asked] = first + "".join(f'"Med": "{it}"{piece}' for it, piece in zip(drives, rest, strict=True))
    made = server(volume, mounts=[root(volume)])
    found = next(it.scope["disk"] for it in survey(made, {}).subjects if it.kind == "disk")
    assert isinstance(found.rotational, Unknown) if spins is None else found.rotational.value is spins


@pytest.mark.parametrize(("vendor", "model"), [("DELL", "PERC H730P Mini"), ("HPE", "LOGICAL VOLUME"), ("Areca", "a")])
def test_whether_the_drives_of_a_volume_rotate_the_kernel_alone_does_not_know(vendor, model):
    assert isinstance(behind(vendor, model, {}).rotational, Unknown)


@pytest.mark.parametrize(
    ("vendor", "model", "tool"),
    [
        ("HPE", "MR416i-p Gen10+", "storcli64"),
        ("AVAGO", "HW-SAS3508", "storcli64"),
        ("DELL", "PERC H755 Front", "perccli64"),
        ("HPE", "LOGICAL VOLUME", "ssacli"),
        ("NVMe", "SAMSUNG MZQL23T8", "none"),
        ("ATA", "ST8000NM0055-1RM", "none"),
        ("QEMU", "QEMU HARDDISK", "none"),
    ],
)
def test_where_megaraid_sas_has_its_volumes_a_disk_is_one_by_whatever_name(vendor, model, tool):
    assert behind(vendor, model, {}).controller.value == tool
    assert behind("HPE", "EG001200JWJNQ", {}, where=SLOT.replace("0:2:0", "0:0:0")).controller.value == "none"


def test_a_disk_where_megaraid_sas_has_volumes_is_one_by_that_driver_alone():
    name = ("HP", "EG0600FBDSR")
    assert behind(*name, {}, driver="hpsa").controller.value == "none"
    assert behind(*name, {}).controller.value == "storcli64"
    assert isinstance(behind(*name, {}, driver="").controller, Unknown)
