"""lsblk's JSON in the spellings of its versions."""

import json

from fsadvisor.facts import Cause, Unknown
from fsadvisor.readers import lsblk
from tests.cases import each
from tests.counted import steps
from tests.paths import CAPTURES, FIXTURES, needs_captures


def parse(*entries):
    return lsblk.parse(json.dumps({"blockdevices": list(entries)}))


def only(**columns):
    (device,) = parse({"name": "sda", **{key.replace("_", "-"): value for key, value in columns.items()}}).devices
    return device


@each(
    ("given", "read"), [("1", True), ("0", False), (True, True), (False, False), (1, True), (None, None), ("2", None)]
)
def test_rotational_is_read_as_a_string_and_as_a_boolean(given, read):
    assert only(rota=given).rota is read


@each(("given", "read"), [(512, 512), ("512", 512), ("-1", -1), ("10G", None), (True, None), ([], None)])
def test_numbers_are_read_as_strings_too_and_rounded_sizes_are_not_taken_for_bytes(given, read):
    assert only(size=given).size_bytes == read


def test_a_column_that_is_missing_is_none_and_not_zero():
    device = only()
    assert (device.size_bytes, device.rota, device.mountpoints, device.fstype) == (None, None, None, None)


def test_null_among_the_mount_points_is_no_mount_point():
    assert only(mountpoints=[None]).mountpoints == ()
    assert only(mountpoints=["/", None, "/srv"]).mountpoints == ("/", "/srv")
    assert only(mountpoint="[SWAP]").mountpoints == ("[SWAP]",)
    assert only(mountpoint=None).mountpoints == ()


def test_a_padded_device_number_loses_its_blanks_and_a_label_keeps_them():
    (device,) = parse({"name": "sda", "maj:min": "  8:0 ", "label": " x "}).devices
    assert device.maj_min == "8:0"
    assert device.label == " x "


def test_a_device_below_two_disks_is_one_device_with_two_parents():
    record = lsblk.parse((FIXTURES / "outputs/lsblk/util-linux-2.31-raid.out").read_text())
    parents = {device.name: device.parents for device in record.devices}
    assert parents == {"sda": (), "sda1": ("sda",), "md0": ("sda1", "sdb"), "vg0-srv": ("md0",), "sdb": ()}


def test_the_flat_form_knows_the_parent_from_its_column():
    record = parse({"name": "sda", "pkname": None}, {"name": "sda1", "pkname": "sda"})
    assert [device.parents for device in record.devices] == [(), ("sda",)]


def array(disks):
    record = parse(*({"name": f"sd{n}", "children": [{"name": "md0"}]} for n in range(disks)))
    assert len(record.devices) == disks + 1
    assert len(record.devices[1].parents) == disks


def test_an_array_of_ten_times_the_disks_costs_ten_times_as_much():
    assert steps(lambda: array(500)) < 11 * steps(lambda: array(50))


def test_a_deep_tree_is_flattened():
    text = '{"blockdevices": [' + '{"name": "a", "children": [' * 150 + "]}" * 150 + "]}"
    assert len(lsblk.parse(text).devices) == 1


def test_a_tree_too_deep_for_json_is_unknown():
    assert isinstance(lsblk.parse('{"blockdevices": ' + "[" * 200_000), Unknown)


def test_an_entry_without_a_name_is_told_and_the_others_are_read():
    record = parse({"size": 1}, 7, {"name": "sdb"})
    assert [device.name for device in record.devices] == ["sdb"]
    assert len(record.unread) == 2


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
    assert lsblk.parse(text).cause is cause


@needs_captures
def test_captured_listings_have_the_devices_of_their_files():
    read = 0
    for path in CAPTURES.glob("checkbox/*.lsblk.json"):
        given = json.loads(path.read_text())["blockdevices"]
        record = lsblk.parse(path.read_text())
        assert [device.kname for device in record.devices] == [entry["kname"] for entry in given]
        assert [device.size_bytes for device in record.devices] == [entry["size"] for entry in given]
        mounted = [device.mountpoints for device in record.devices]
        assert mounted == [(entry["mountpoint"],) if entry["mountpoint"] else () for entry in given]
        read += 1
    assert read == 7


def test_what_is_no_text_is_no_mount_point():
    assert only(mountpoints=["/", 5, "", "/srv"]).mountpoints == ("/", "/srv")
