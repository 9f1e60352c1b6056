"""Paths of multipath devices that work, and those that do not."""

import pytest

from fsadvisor.facts import Unknown
from fsadvisor.readers import dmsetup_status, dmsetup_table
from fsadvisor.survey.whole import survey
from tests.told import disk, machine, stacked

TABLE = " ".join(dmsetup_table.ARGV)


def layer(*parts, **more):
    found = survey(machine(*parts, **more), {}).subjects
    return next(it.scope["layer"] for it in found if it.id == "layer:dm-0")


def mapped(*slaves):
    return stacked("dm-0", "253:0", slaves, dm__name="mpatha", dm__uuid="mpath-35000c500fade0001")


PATHS = "multipath 2 0 0 0 1 1 A 0 2 2 8:0 {} 1 0 1 8:16 {} 0 0 1"


@pytest.mark.parametrize(
    ("states", "offline", "usable"),
    [("AA", "running", 2), ("FA", "running", 1), ("FF", "running", 0), ("AA", "offline", 1), ("FA", "offline", 1)],
)
def test_a_path_counts_where_neither_device_mapper_nor_scsi_gave_it_up(states, offline, usable):
    paths = disk("sda", device__state=offline), disk("sdb", number="8:16", device__state="running")
    commands = {
        TABLE: "mpatha: 0 4096 multipath 0 0 1 1 service-time 0 2 2 8:0 1 1 8:16 1 1\n",
        " ".join(dmsetup_status.ARGV): f"mpatha: 0 4096 {PATHS.format(*states)} \n",
    }
    mapped_to = mapped("sda", "sdb")
    found = layer(*paths, mapped_to, commands=commands)
    assert (found.members.value, found.usable_paths.value) == (2, usable)


def test_paths_that_nobody_tells_of_are_not_taken_for_working_ones():
    mapped_to = mapped("sda")
    told = {TABLE: "mpatha: 0 4096 multipath 0 0 1 1 service-time 0 1 2 8:0 1 1\n"}
    assert isinstance(layer(disk("sda"), mapped_to, commands=told).usable_paths, Unknown)
    silent = told | {" ".join(dmsetup_status.ARGV): "other: 0 4096 multipath 2 0 0 0 0 1 \n"}
    assert isinstance(layer(disk("sda"), mapped_to, commands=silent).usable_paths, Unknown)
