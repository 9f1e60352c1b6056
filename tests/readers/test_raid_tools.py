"""storcli and ssacli: the cache policies that decide whether a flush may be dropped."""

import json

import pytest

from fsadvisor.facts import Cause
from fsadvisor.readers import ssacli, storcli
from tests.cases import each
from tests.paths import CAPTURES, FIXTURES, needs_captures


def sample(reader, case):
    return (FIXTURES / "outputs" / reader / f"{case}.out").read_text()


def one_volume(letters):
    response = {"VD LIST": [{"DG/VD": "0/0", "Cache": letters}]}
    document = {"Controllers": [{"Command Status": {"Controller": 0}, "Response Data": response}]}
    return storcli.parse(json.dumps(document)).controllers[0].virtual_drives[0].cache_policy


@each(
    ("letters", "policy"),
    [
        ("NRWTD", "write through"),
        ("RWBD", "write back"),
        ("RAWBD", "always write back"),
        ("NRAWBC", "always write back"),
        ("NRFWBD", "always write back"),
        ("RWB", "write back"),
        ("NRWB", "write back"),
        ("XWBD", None),
        ("-", None),
    ],
)
def test_cache_letters_are_decoded_or_left_alone(letters, policy):
    assert one_volume(letters) == policy


def test_a_drives_own_cache_policy_is_that_of_its_group():
    first, old = storcli.parse(sample("storcli", "megaraid")).controllers
    assert [volume.disk_cache_policy for volume in first.virtual_drives] == ["disabled", "default"]
    assert old.virtual_drives[0].disk_cache_policy is None
    assert old.bbu_status is None


def test_a_controller_without_an_energy_pack_has_none_rather_than_a_good_one():
    assert storcli.parse(sample("storcli", "it-mode")).controllers[0].energy_packs == ()


def test_both_shapes_of_the_capacitor_listing_are_read():
    assert storcli.parse(sample("storcli", "cachevault-properties")).controllers[0].energy_packs[0] == "Degraded"
    assert storcli.parse(sample("storcli", "megaraid")).controllers[0].energy_packs[0] == "Optimal"


def test_finding_no_controller_is_not_the_answer_that_there_is_none():
    assert storcli.parse(sample("storcli", "none-found")).cause is Cause.NOT_EXPOSED
    assert ssacli.parse(sample("ssacli", "none-found")).cause is Cause.NOT_EXPOSED
    assert ssacli.parse(sample("ssacli", "not-root")).cause is Cause.DENIED


def test_a_volume_of_ssacli_keeps_its_own_status_and_not_a_ports():
    first, second = ssacli.parse(sample("ssacli", "config-detail")).controllers
    assert (first.logical_drives[0].status, first.logical_drives[0].device) == ("OK", "/dev/sda")
    assert (first.no_battery_write_cache, second.no_battery_write_cache) == (False, True)
    assert second.drive_write_cache is None


@needs_captures
def test_a_megaraid_of_the_captures_has_what_its_file_says():
    (controller,) = storcli.parse((CAPTURES / "netdata/storcli/megaraid-controllers-info.json").read_text()).controllers
    assert (controller.bbu_status, controller.bbu, controller.energy_packs) == (0, "Present", ("Optimal",))
    (volume,) = controller.virtual_drives
    assert (volume.cache_policy, volume.disk_cache_policy) == ("write back", "disabled")


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


def controllers(*entries):
    return storcli.parse(json.dumps({"Controllers": list(entries)}))


def answered(number=0, **response):
    return {"Command Status": {"Controller": number, "Status": "Success"}, "Response Data": response}


def failed(description, number=0):
    return {"Command Status": {"Controller": number, "Status": "Failure", "Description": description}}


def test_json_of_something_else_is_not_storclis():
    assert storcli.parse("{}").cause is Cause.UNREADABLE
    assert storcli.parse('{"Controllers": []}').cause is Cause.UNREADABLE


@pytest.mark.parametrize("said", ["Permission denied", "needs root privileges", "Run as ROOT"])
def test_a_controller_that_wants_root_is_denied(said):
    refused = controllers(failed(said))
    assert (refused.cause, refused.learn) == (Cause.DENIED, "run as root")


def test_a_controller_that_failed_without_a_word_has_failed():
    first, second = controllers(answered(), failed(None, number=1)).controllers
    assert (first.failure, second.failure) == (None, "")
    (only,) = controllers({"Command Status": {"Status": "Failure"}}, answered()).controllers
    assert only.failure is None


@each(
    ("said", "policy"),
    [("Disabled", "disabled"), ("Enabled", "enabled"), ("Disk's Default", "default"), ("other", None)],
)
def test_a_volumes_properties_say_the_policy_of_its_drives_caches(said, policy):
    volumes = {
        "/c0/v7": [{"DG/VD": "0/7"}],
        "VD7 Properties": {"Disk Cache Policy": said},
        "/c0/v7x": [{"DG/VD": "1/1"}],
    }
    (controller,) = controllers(answered(**volumes)).controllers
    assert [(it.id, it.disk_cache_policy) for it in controller.virtual_drives] == [("0/7", policy)]


@each(
    ("question", "asked"),
    [
        ("CONTROLLERS", "perccli64 /call show all J"),
        ("VOLUMES", "perccli64 /call/vall show all J"),
        ("DRIVES", "perccli64 /call/eall/sall show all J"),
        ("PATROL_READ", "perccli64 /call show patrolread J"),
    ],
)
def test_storcli_is_only_asked_to_show(question, asked):
    assert " ".join(storcli.argv("perccli64", getattr(storcli, question))) == asked


def test_ssacli_is_only_asked_to_show():
    assert " ".join(ssacli.CONFIG_ARGV) == "ssacli ctrl all show config detail"


def test_an_empty_value_of_ssacli_is_none_and_both_words_of_a_switch_are_read():
    text = sample("ssacli", "config-detail")
    first = ssacli.parse(text.replace("Cache Status: Temporarily Disabled", "Cache Status:")).controllers[0]
    assert first.cache_status is None
    for word, value in (("Enable", True), ("Enabled", True), ("Disable", False), ("Disabled", False), ("On", None)):
        changed = ssacli.parse(text.replace("No-Battery Write Cache: Disabled", f"No-Battery Write Cache: {word}"))
        assert changed.controllers[0].no_battery_write_cache is value
