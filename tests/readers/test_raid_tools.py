"""storcli and ssacli: the cache policies that decide whether a flush may be dropped."""

import json

import pytest

from fsadvisor.facts import Cause
from fsadvisor.readers import ssacli, storcli
from tests.paths import CAPTURES, FIXTURES, needs_captures


def sample(reader, case):
    return (FIXTURES / "outputs" / reader / f"{case}.out").read_text()


def one_volume(letters):
    response = {"VD LIST": [{"DG/VD": "0/0", "Cache": letters}]}
    document = {"Controllers": [{"Command Status": {"Controller": 0}, "Response Data": response}]}
    return storcli.parse(json.dumps(document)).controllers[0].virtual_drives[0].cache


@pytest.mark.parametrize(
    ("letters", "read_ahead", "write", "io"),
    [
        ("NRWTD", False, "write through", "direct"),
        ("RWBD", True, "write back", "direct"),
        ("RAWBD", True, "always write back", "direct"),
        ("NRAWBC", False, "always write back", "cached"),
        ("NRFWBD", False, "always write back", "direct"),
        ("RWB", True, "write back", None),
        ("NRWB", False, "write back", None),
        ("XWBD", None, None, None),
        ("-", None, None, None),
    ],
)
def test_cache_letters_are_decoded_or_left_alone(letters, read_ahead, write, io):
    policy = one_volume(letters)
    assert (policy.letters, policy.read_ahead, policy.write, policy.io) == (letters, read_ahead, write, io)


def test_a_drives_own_cache_policy_is_that_of_its_group():
    first, old = storcli.parse(sample("storcli", "megaraid")).controllers
    assert [volume.disk_cache_policy for volume in first.virtual_drives] == ["disabled", "default"]
    assert [drive.disk_cache_policy for drive in first.physical_drives] == ["disabled", "disabled", "default", None]
    assert old.virtual_drives[0].disk_cache_policy is None
    assert old.bbu_status is None


def test_a_controller_without_an_energy_pack_has_none_rather_than_a_good_one():
    assert storcli.parse(sample("storcli", "it-mode")).controllers[0].energy_packs == ()


def test_both_shapes_of_the_capacitor_listing_are_read():
    assert storcli.parse(sample("storcli", "cachevault-properties")).controllers[0].energy_packs[0].state == "Degraded"
    assert storcli.parse(sample("storcli", "megaraid")).controllers[0].energy_packs[0].state == "Optimal"


def test_finding_no_controller_is_not_the_answer_that_there_is_none():
    assert storcli.parse(sample("storcli", "none-found")).cause is Cause.NOT_EXPOSED
    assert ssacli.parse(sample("ssacli", "none-found")).cause is Cause.NOT_EXPOSED
    assert ssacli.parse(sample("ssacli", "not-root")).cause is Cause.DENIED


def test_a_volume_of_ssacli_keeps_its_own_status_and_not_a_ports():
    first, second = ssacli.parse(sample("ssacli", "config-detail")).controllers
    assert (first.status, first.logical_drives[0].status, first.logical_drives[0].device) == ("OK", "OK", "/dev/sda")
    assert [drive.array for drive in first.physical_drives] == ["A", None]
    assert (first.no_battery_write_cache, second.no_battery_write_cache) == (False, True)
    assert second.drive_write_cache is None


@needs_captures
def test_a_megaraid_of_the_captures_has_what_its_file_says():
    (controller,) = storcli.parse((CAPTURES / "netdata/storcli/megaraid-controllers-info.json").read_text()).controllers
    assert (controller.status, controller.bbu_status, controller.bbu) == ("Optimal", 0, "Present")
    (pack,), (volume,) = controller.energy_packs, controller.virtual_drives
    assert (pack.kind, pack.model, pack.state) == ("bbu", "iBBU08", "Optimal")
    assert (volume.cache.write, volume.disk_cache_policy) == ("write back", "disabled")
    assert {(drive.media, drive.disk_cache_policy) for drive in controller.physical_drives} == {("HDD", "disabled")}


@needs_captures
@pytest.mark.parametrize(("file", "volumes", "drives"), [("P408i-a", 1, 4), ("P400ar", 2, 8)])
def test_a_smart_array_of_the_captures_has_what_its_file_says(file, volumes, drives):
    text = (CAPTURES / f"netdata/hpssa/ssacli-{file}.txt").read_text()
    (controller,) = ssacli.parse(text).controllers
    assert (controller.cache_status, controller.battery_status) == ("OK", "OK")
    assert controller.no_battery_write_cache is True
    assert len(controller.logical_drives) == text.count("Logical Drive: ") == volumes
    assert len(controller.physical_drives) == drives
    assert all(volume.caching is True and volume.device for volume in controller.logical_drives)
