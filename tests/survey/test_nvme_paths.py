"""What carries an NVMe drive's commands, and what that means for a model's good name."""

from fsadvisor.facts import Unknown
from fsadvisor.survey.read_fact import value
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.told import BARE_METAL, disk, machine

HEAD = "virtual/nvme-subsystem/nvme-subsys0"
OWN = "pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0"
FABRICS = "virtual/nvme-fabrics/ctl/nvme0"


def path(number, where, word=None, **more):
    """(files, links) of a hidden path to nvme0n1, one of the controllers that lead to it."""
    name = f"nvme0c{number}n1"
    files, _ = disk(name, number="0:0", hidden="1", **({} if word is None else {"device__transport": word}), **more)
    return files, {f"/sys/block/{name}": f"../devices/{where}/{name}"}


def drive(where, *paths, vm="none", **more):
    shown = disk("nvme0n1", where=where, number="259:0", device__model="SAMSUNG MZQL23T8HCLS-00A07", **more)
    made = machine(shown, *paths, commands=BARE_METAL | {"systemd-detect-virt --vm": f"{vm}\n"})
    return next(it.scope["disk"] for it in survey(made, {}).subjects if it.id == "disk:nvme0n1")


@each("words", [("tcp",), ("tcp", "tcp"), ("rdma",), ("fc",), ("loop",), (None,)])
def test_a_drive_behind_a_network_is_not_hardware_whatever_its_name(words):
    found = drive(HEAD, *(path(number, FABRICS, word) for number, word in enumerate(words)))
    assert found.nvme_transport.value == (words[0] or "fabrics")
    assert found.virtual.value is True
    assert found.plp.value == "unknown"
    assert not isinstance(found.pcie_link, type(found.virtual))


def test_one_path_over_a_network_is_enough():
    found = drive(HEAD, path(0, OWN), path(1, FABRICS, "tcp"))
    assert (found.nvme_transport.value, found.virtual.value) == ("pcie and tcp", True)


def test_two_ports_of_a_drive_in_the_machine_are_hardware():
    found = drive(HEAD, path(0, OWN), path(1, OWN))
    assert (found.nvme_transport.value, found.virtual.value) == ("pcie", False)


def test_without_its_paths_nothing_is_said_of_it():
    found = drive(HEAD)
    assert isinstance(found.nvme_transport, Unknown)
    assert isinstance(found.virtual, Unknown)
    assert found.plp.value == "unknown"


def test_without_multipath_the_place_says_that_it_is_a_network_and_the_controller_which():
    found = drive(FABRICS, device__transport="rdma")
    assert (found.nvme_transport.value, found.virtual.value) == ("rdma", True)


def test_a_drive_in_the_machine_needs_no_further_word():
    found = drive(OWN)
    assert (found.nvme_transport.value, found.virtual.value) == ("pcie", False)


def test_inside_a_virtual_machine_a_network_is_still_seen():
    assert drive(HEAD, path(0, FABRICS, "tcp"), vm="kvm").virtual.value is True


def test_null_blk_lives_in_memory():
    made = machine(disk("nullb0", where="virtual", number="254:0"), commands=BARE_METAL)
    found = next(it.scope["disk"] for it in survey(made, {}).subjects if it.id == "disk:nullb0")
    assert (found.transport.value, found.plp.value) == ("ram", "absent")


@each(
    ("states", "lost"),
    [
        (("live", "live"), ()),
        (("live", "connecting"), ("nvme0c1n1 connecting",)),
        (("dead", None), ("nvme0c0n1 dead",)),
        (("live", None), None),
        (("live", "resetting"), ()),
        (("connecting",), ()),
        ((), None),
    ],
)
def test_of_several_paths_those_are_lost_whose_controllers_do_not_answer(states, lost):
    paths = [
        path(number, FABRICS, "tcp", **({} if state is None else {"device__state": state}))
        for number, state in enumerate(states)
    ]
    assert value(drive(HEAD, *paths).lost_paths) == lost
