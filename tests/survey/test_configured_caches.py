"""Flushes that a configuration drops, as grep finds them in real files."""

import subprocess

import pytest

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.survey import tenants
from tests.told import ToldMachine

LIBVIRT = "<driver name='qemu' type='qcow2' cache='unsafe' io='threads'/>"
PROXMOX = "scsi0: local-zfs:vm-104-disk-0,cache=unsafe,size=32G"


def grep(argv, *places):
    return subprocess.run([*argv[:3], *map(str, places)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("line", "found"), [(LIBVIRT, True), (PROXMOX, True), ("cache='none'", False)])
def test_a_guest_whose_disk_drops_flushes_is_found_in_either_form(line, found, tmp_path):
    (tmp_path / "104.conf").write_text(f"name: db\n{line}\n")
    said = grep(tenants.UNSAFE_GUESTS, tmp_path)
    assert (said.stdout == f"{tmp_path}/104.conf\n") is found


@pytest.mark.parametrize(("status", "known"), [(1, True), (2, True), (0, False), (137, False)])
def test_that_grep_named_no_guest_counts_where_it_came_to_its_end_alone(status, known):
    asked = " ".join(tenants.UNSAFE_GUESTS)
    machine = ToldMachine(commands={asked: ""}, root=True)
    machine.statuses = {asked: status}
    fact = tenants.unsafe_guests(machine, Known(True, "a test"))
    assert fact.value == () if known else fact.cause is Cause.UNREADABLE


@pytest.mark.parametrize(
    ("text", "ignored"),
    [
        ("[global]\n  strict sync = no\n", True),
        ("[share]\n\tStrict Sync=False\n", True),
        ("# strict sync = no\n[share]\npath = /srv\n", None),  # by default it dropped them before Samba 4.7
        ("[global]\nstrict sync = yes\n", False),
        ("[global]\ninclude = /etc/samba/%m.conf\n", None),
    ],
)
def test_samba_drops_flushes_as_its_configuration_says(text, ignored, tmp_path):
    file = tmp_path / "smb.conf"
    file.write_text(text)
    said = grep(tenants.SAMBA, file)
    asked = " ".join(tenants.SAMBA)
    machine = ToldMachine(commands={asked: said.stdout})
    machine.statuses = {asked: said.returncode}
    fact = tenants.flushes_ignored(machine)
    assert isinstance(fact, Unknown) if ignored is None else fact.value is ignored
