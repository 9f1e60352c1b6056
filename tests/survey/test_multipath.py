"""Paths of multipath devices that work, and those that do not."""

import pytest

from fsadvisor.facts import NOT_APPLICABLE, Cause, Unknown
from fsadvisor.readers import dmsetup
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.told import disk, machine, stacked

TABLE = " ".join(dmsetup.DMSETUP_TABLE_ARGV)


def layer(*parts, **more):
    found = survey(machine(*parts, **more), {}).subjects
    return next(it.scope["layer"] for it in found if it.id == "layer:dm-0")


def mapped(*slaves):
    return stacked("dm-0", "253:0", slaves, dm__name="mpatha", dm__uuid="mpath-35000c500fade0001")


PATHS = "multipath 2 0 0 0 1 1 A 0 2 2 8:0 {} 1 0 1 8:16 {} 0 0 1"


@each(
    ("states", "offline", "usable"),
    [("AA", "running", 2), ("FA", "running", 1), ("FF", "running", 0), ("AA", "offline", 1), ("FA", "offline", 1)],
)
def test_a_path_counts_where_neither_device_mapper_nor_scsi_gave_it_up(states, offline, usable):
    paths = disk("sda", device__state=offline), disk("sdb", number="8:16", device__state="running")
    commands = {
        TABLE: "mpatha: 0 4096 multipath 0 0 1 1 service-time 0 2 2 8:0 1 1 8:16 1 1\n",
        " ".join(dmsetup.DMSETUP_STATUS_ARGV): f"mpatha: 0 4096 {PATHS.format(*states)} \n",
    }
    mapped_to = mapped("sda", "sdb")
    found = layer(*paths, mapped_to, commands=commands)
    assert (found.members.value, found.usable_paths.value) == (2, usable)


def test_paths_that_nobody_tells_of_are_not_taken_for_working_ones():
    mapped_to = mapped("sda")
    told = {TABLE: "mpatha: 0 4096 multipath 0 0 1 1 service-time 0 1 2 8:0 1 1\n"}
    assert isinstance(layer(disk("sda"), mapped_to, commands=told).usable_paths, Unknown)
    silent = told | {" ".join(dmsetup.DMSETUP_STATUS_ARGV): "other: 0 4096 multipath 2 0 0 0 0 1 \n"}
    assert isinstance(layer(disk("sda"), mapped_to, commands=silent).usable_paths, Unknown)


@pytest.mark.parametrize("state", ["offline", "transport-offline", "dead"])
def test_a_path_whose_state_can_not_be_read_is_not_taken_for_a_working_one(state):
    commands = {
        TABLE: "mpatha: 0 4096 multipath 0 0 1 1 service-time 0 2 2 8:0 1 1 8:16 1 1\n",
        " ".join(dmsetup.DMSETUP_STATUS_ARGV): f"mpatha: 0 4096 {PATHS.format('A', 'A')} \n",
    }
    silent = disk("sda"), disk("sdb", number="8:16", device__state=state)
    assert isinstance(layer(*silent, mapped("sda", "sdb"), commands=commands).usable_paths, Unknown)


def udev(**wwns):
    return "".join(f"P: /x/{name}\nN: {name}\nE: ID_WWN_WITH_EXTENSION={wwn}\n\n" for name, wwn in wwns.items())


def unjoined(*parts, **more):
    found = survey(machine(*parts, **more), {}).subjects
    return {it.id.partition(":")[2]: it.scope["disk"].unjoined_paths for it in found if it.kind == "disk"}


FC = "pci0000:00/0000:00:03.0/host1/rport-1:0-0/target1:0:0/1:0:0:{}"
LUN = {
    f"sd{letter}": disk(f"sd{letter}", where=FC.format(letter), number=f"8:{at}") for at, letter in enumerate("abcd")
}


def test_disks_with_one_wwn_are_one_disk_by_several_paths():
    found = unjoined(*LUN.values(), udev=udev(sda="0x1", sdb="0x2", sdc="0x1"))
    assert (found["sda"].value, found["sdc"].value) == (("sdc",), ("sda",))
    assert isinstance(found["sdd"], Unknown)


def test_a_disk_that_does_not_say_which_it_is_may_be_another_path_to_any():
    assert isinstance(unjoined(*LUN.values(), udev=udev(sda="0x1", sdb="0x2", sdc="0x1"))["sdb"], Unknown)
    assert unjoined(*LUN.values(), udev=udev(sda="0x1", sdb="0x2", sdc="0x1", sdd="0x3"))["sdb"].value == ()


def test_paths_under_one_multipath_device_are_joined_and_one_that_came_later_is_not():
    told = {TABLE: "mpatha: 0 4096 multipath 0 0 1 1 service-time 0 2 2 8:0 1 1 8:1 1 1\n"}
    wwns = udev(sda="0x1", sdb="0x1", sdc="0x1", sdd="0x2")
    found = unjoined(*LUN.values(), mapped("sda", "sdb"), commands=told, udev=wwns)
    assert (found["sda"].value, found["sdb"].value) == (("sdc",), ("sdc",))
    assert (found["sdc"].value, found["sdd"].value) == (("sda", "sdb"), ())


def test_a_serial_number_tells_where_there_is_no_wwn_and_a_disk_alone_has_no_other_path():
    said = udev(sda="X").replace("ID_WWN_WITH_EXTENSION", "ID_SERIAL") + udev(sdb="0x1")
    found = unjoined(LUN["sda"], LUN["sdb"], LUN["sdc"], udev=said)
    assert isinstance(found["sdc"], Unknown)
    assert unjoined(LUN["sda"], LUN["sdb"], udev=said)["sda"].value == ()
    assert unjoined(LUN["sda"])["sda"].value == ()
    assert unjoined(disk("vda", where="pci0000:00/0000:00:02.0/virtio1"))["vda"].value == ()


def test_sata_drives_have_one_path_whatever_wwn_their_maker_gave_them():
    found = unjoined(disk("sda"), disk("sdb", number="8:16"), udev=udev(sda="0x5", sdb="0x5"))
    assert found["sda"] == found["sdb"] == NOT_APPLICABLE


def test_paths_of_which_udev_could_not_be_asked_are_not_known_for_its_reason():
    made = machine(LUN["sda"], LUN["sdb"])
    made.udev = lambda: Unknown(Cause.DENIED, "run as root", "udev")
    found = {it.id: it.scope for it in survey(made, {}).subjects}
    assert found["disk:sda"]["disk"].unjoined_paths == Unknown(Cause.DENIED, "run as root", "udev")
