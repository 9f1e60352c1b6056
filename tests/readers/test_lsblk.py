"""lsblk's JSON in the spellings of its versions."""

import json

from fsadvisor.facts import Cause, Unknown
from fsadvisor.readers.block_files import parse_lsblk
from tests.cases import each
from tests.counted import steps
from tests.paths import CAPTURES, FIXTURES, needs_captures


def parse(*entries):
    return parse_lsblk(json.dumps({"blockdevices": list(entries)}))


def test_a_padded_name_loses_its_blanks_and_a_label_keeps_them():
    (device,) = parse({"name": "sda ", "label": " x "}).devices
    assert (device.name, device.label) == ("sda", " x ")


def test_a_device_is_called_as_the_kernel_calls_it_and_one_without_a_label_has_none():
    devices = parse({"name": "vg0-root", "kname": "dm-0", "label": ""}, {"name": "sda", "kname": None}).devices
    assert [(it.name, it.label) for it in devices] == [("dm-0", None), ("sda", None)]


def test_a_device_below_two_disks_is_one_device():
    record = parse_lsblk((FIXTURES / "outputs/lsblk/util-linux-2.31-raid.out").read_text())
    names = [device.name for device in record.devices]
    assert sorted(names) == sorted(set(names))
    assert len(names) == 5


def array(disks):
    record = parse(*({"name": f"sd{n}", "children": [{"name": "md0"}]} for n in range(disks)))
    assert len(record.devices) == disks + 1


def test_an_array_of_ten_times_the_disks_costs_ten_times_as_much():
    assert steps(lambda: array(500)) < 11 * steps(lambda: array(50))


def test_a_deep_tree_is_flattened():
    text = '{"blockdevices": [' + '{"name": "a", "children": [' * 150 + "]}" * 150 + "]}"
    assert len(parse_lsblk(text).devices) == 1


def test_a_tree_too_deep_for_json_is_unknown():
    assert isinstance(parse_lsblk('{"blockdevices": ' + "[" * 200_000), Unknown)


def test_an_entry_without_a_name_is_passed_over_and_the_others_are_read():
    record = parse({"size": 1}, 7, {"name": "sdb"})
    assert [device.name for device in record.devices] == ["sdb"]


@each(
    ("text", "cause"),
    [
        ("lsblk: failed to access sysfs directory: /sys/dev/block: No such file or directory\n", Cause.NOT_EXPOSED),
        ("lsblk: /dev/sdz: not a block device\n", Cause.UNREADABLE),
        ("lsblk: unrecognized option '--json'\n", Cause.UNREADABLE),
        ('{"filesystems": []}', Cause.UNREADABLE),
        ('{"blockdevices": [{"name": "sda"', Cause.UNREADABLE),
    ],
)
def test_what_is_no_listing_is_unknown_with_its_cause(text, cause):
    assert parse_lsblk(text).cause is cause


@needs_captures
def test_captured_listings_have_the_devices_of_their_files():
    read = 0
    for path in CAPTURES.glob("checkbox/*.lsblk.json"):
        given = json.loads(path.read_text())["blockdevices"]
        record = parse_lsblk(path.read_text())
        assert [it.name for it in record.devices] == [entry["kname"] for entry in given]
        assert [it.label for it in record.devices] == [entry.get("label") for entry in given]
        read += 1
    assert read == 7
