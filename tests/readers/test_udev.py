"""udev's properties: values that are not escaped, outputs that were cut, and size."""

import xml.etree.ElementTree as ET

from fsadvisor.facts import Cause, Unknown
from fsadvisor.readers import block_files
from tests.cases import each
from tests.counted import steps
from tests.paths import CAPTURES, needs_captures

DISK = "P: /devices/x/block/sda\nN: sda\nS: disk/by-id/a\nE: DEVNAME=/dev/sda\nE: ID_MODEL=ONE\n"


def only(text):
    (device,) = block_files.parse_udev_export(text).devices
    return device


def test_a_property_that_a_device_lacks_is_none_and_an_empty_one_is_empty():
    device = only(f"{DISK}E: ID_FS_LABEL=\n\n")
    assert device.get("ID_FS_LABEL") == ""
    assert device.get("ID_SERIAL") is None


def test_a_value_keeps_its_equals_signs_and_blanks():
    assert only(f"{DISK}E: NOTE= a=b c \n\n").get("NOTE") == " a=b c "


@each("letter", "MRJUBTDILQVZ")
def test_a_letter_of_a_newer_udevadm_disturbs_nothing(letter):
    record = block_files.parse_udev_export(f"P: /devices/x/block/sda\n{letter}: 1\nN: sda\nE: A=1\n\n")
    assert record.devices[0].name == "sda"
    assert record.devices[0].get("A") == "1"


def test_a_value_with_a_line_feed_is_passed_over_and_not_half_a_value():
    record = block_files.parse_udev_export(f"{DISK}E: NAME=first\nsecond half\nE: NEXT=1\n\n")
    assert record.devices[0].get("NAME") is None
    assert record.devices[0].get("ID_MODEL") == "ONE"
    assert record.devices[0].get("NEXT") == "1"


def test_a_blank_line_within_a_value_ends_the_device_and_nothing_goes_to_the_next_one():
    record = block_files.parse_udev_export(
        f"{DISK}E: NAME=a\n\nE: ID_MODEL=FORGED\n\nP: /devices/x/block/sdb\nN: sdb\n\n"
    )
    assert [device.name for device in record.devices] == ["sda", "sdb"]
    assert record.devices[1].get("ID_MODEL") is None


def test_line_separators_that_are_no_line_feeds_stay_in_the_value():
    assert only(f"{DISK}E: NAME=a\x0bb\x1cc\u2028d\re\n\n").get("NAME") == "a\x0bb\x1cc\u2028d\re"


def test_an_output_cut_within_its_last_line_does_not_give_half_a_value():
    record = block_files.parse_udev_export(f"{DISK}E: ID_SERIAL=ABC")
    assert record.devices[0].get("ID_SERIAL") is None


def test_devices_without_a_blank_line_between_them_are_two():
    record = block_files.parse_udev_export(f"{DISK}{DISK.replace('sda', 'sdb')}")
    assert [device.name for device in record.devices] == ["sda", "sdb"]


def test_the_last_of_two_values_of_one_key_counts():
    assert only(f"{DISK}E: ID_MODEL=TWO\n\n").get("ID_MODEL") == "TWO"


def test_a_machine_without_block_devices_has_none_and_is_not_misunderstood():
    assert block_files.parse_udev_export("").devices == ()


def test_a_complaint_of_udevadm_is_unknown():
    assert block_files.parse_udev_export("Failed to scan devices: Permission denied\n").cause is Cause.DENIED


def cost(devices):
    text = "".join(f"P: /devices/{n}\nN: sd{n}\nE: A={n}\nE: B={n}\n\n" for n in range(devices))
    return steps(lambda: block_files.parse_udev_export(text))


def test_ten_times_the_devices_cost_ten_times_as_much():
    assert cost(2000) < 11 * cost(200)


@needs_captures
def test_a_capture_of_a_large_server_gives_each_of_its_devices():
    text = (CAPTURES / "checkbox/DISK_SAMSUNG_KIOXIA.txt").read_text()
    record = block_files.parse_udev_export(text)
    assert len(record.devices) == text.count("\nP: ") + text.startswith("P: ")
    assert sum(len(device.properties) for device in record.devices) == text.count("\nE: ")
    nodes = [device for device in record.devices if device.name]
    assert nodes
    assert all(device.get("DEVNAME") == f"/dev/{device.name}" for device in nodes)


@needs_captures
def test_recorded_answers_of_udevadm_info_are_read_whole():
    asked = 0
    for path in (CAPTURES / "libstorage-ng").glob("*-mockup.xml"):
        for command in ET.parse(path).iter("Command"):
            words = command.findtext("name").split()
            lines = [line.text or "" for line in command.findall("stdout")]
            if words[:2] != ["/usr/bin/udevadm", "info"] or not lines:
                continue
            record = block_files.parse_udev_export("\n".join([*lines, "", ""]))
            assert not isinstance(record, Unknown), (path, words)
            (device,) = record.devices
            assert device.name or device.properties, (path, words)
            asked += 1
    assert asked > 100


def test_a_device_with_an_empty_name_has_none():
    assert only("P: /devices/x/block/sda\nN: \n\n").name is None


def test_of_devices_without_a_blank_line_between_them_each_is_its_own():
    record = block_files.parse_udev_export("P: /devices/a\nN: a\nP: /devices/b\nN: b\nE: X=1\n")
    assert [(it.name, it.get("X")) for it in record.devices] == [("a", None), ("b", "1")]
