"""Which machine was looked at, and names that outlive the kernel's."""

import re

import pytest

from fsadvisor.facts import Known
from fsadvisor.machine.kept_files import WithFile
from fsadvisor.machine.opening import open_machine
from fsadvisor.survey.block import _KEYS
from fsadvisor.survey.identity import _LAYER_KEYS, Identity, SeenDrive, Which
from fsadvisor.survey.whole import survey_with_identities
from tests.paths import FIXTURES
from tests.report import composed

SERVER = FIXTURES / "machines" / "raid-lvm-crypt-server"
ID = "0123456789abcdef0123456789abcdef"
SERIAL = "S4YZ1234567"
HASH = re.compile(r"[0-9a-f]{32}")


def which(machine_id=ID, *, plain=False):
    machine = open_machine(SERVER)
    return Which(WithFile(machine, "/etc/machine-id", f"{machine_id}\n", "") if machine_id else machine, plain=plain)


def drive(name, serial=SERIAL):
    told = {"model": Known("EXAMPLE", ""), "serial": Known(serial, ""), "firmware": Known("1", "")}
    return Identity(drives=(SeenDrive(name=name, **told),))


def stable(name, identity, it):
    on = composed.host()
    return it.stable(composed.machine("m", on, composed.disk(name, on)), lambda _: identity).get(f"disk:{name}")


def test_a_drive_that_the_kernel_names_otherwise_keeps_its_name_and_another_has_another():
    names = [stable(name, drive(name), which()) for name in ("sda", "sdb")]
    assert names[0] == names[1]
    assert HASH.fullmatch(names[0])
    assert stable("sda", drive("sda", "OTHER"), which()) != names[0]


def test_neither_the_serial_number_nor_the_machines_id_can_be_found_by_trying_all_without_the_other():
    here, elsewhere = (stable("sda", drive("sda"), which(machine_id)) for machine_id in (ID, ID[::-1]))
    assert here != elsewhere
    assert SERIAL not in here


def test_without_the_machines_id_there_are_no_names_and_no_id():
    it = which("")
    assert (it.id, it.boot, stable("sda", drive("sda"), it)) == (None, None, None)


def test_the_id_is_a_hash_of_it_unless_it_is_asked_for():
    assert HASH.fullmatch(which().id)
    assert which().id == which().id != ID
    assert which(plain=True).id == ID


@pytest.mark.parametrize("machine", ["lab-btrfs-degraded", "lab-bcache-writeback"])
def test_disks_filesystems_and_mounts_of_a_machine_have_names_no_two_alike(machine):
    storage, identity = survey_with_identities(open_machine(SERVER.with_name(machine)), {})
    named = which().stable(storage, identity)
    assert {subject.partition(":")[0] for subject in named} >= {"disk", "filesystem", "mount"}
    assert len(set(named.values())) == len(named)


def test_a_layer_is_named_by_its_uuid_whatever_the_kernel_calls_it():
    on = composed.host()
    told = {f"dm-{at}": Identity(device=Known("LVM-abc", "udev DM_UUID")) for at in (0, 1)}
    layers = composed.machine("m", on, *(composed.subject("layer", name, host=on) for name in told))
    named = which().stable(layers, lambda subject: told.get(subject.partition(":")[2], Identity()))
    assert len(named) == 2
    assert len(set(named.values())) == 1


def test_the_properties_that_name_layers_are_among_those_that_are_kept_of_udev():
    assert set(_LAYER_KEYS) <= set(_KEYS)


def test_a_recording_says_its_day_and_not_the_moment_that_it_is_read():
    assert which().time(live=False) == open_machine(SERVER).today.isoformat()
