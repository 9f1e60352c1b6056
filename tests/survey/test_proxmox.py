"""What Proxmox is configured with: asked of real files by the real grep."""

import subprocess

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.survey import tenants
from fsadvisor.survey.whole import survey
from tests.told import disk, machine

STORAGE = """dir: local
\tpath /var/lib/vz
\tcontent iso,backup

lvmthin: local-lvm
\tthinpool data
\tvgname pve

dir: backup
\tpath /mnt/backup
\tprune-backups keep-all=1

dir: guarded
\tpath /srv
\tis_mountpoint yes

zfspool: tank
\tpool tank
\tsparse 1

zfspool: thick
\tpool thick

pbs: far
\tserver 192.0.2.1
\tusername root@pam
"""
GUEST = """ide2: local:iso/debian.iso,media=cdrom,size=600M
scsi0: local-lvm:vm-104-disk-0,iothread=1,serial=SECRET,size=32G
scsi1: tank:vm-104-disk-1,discard=on,iothread=1,size=32G
scsi2: thick:vm-104-disk-3,size=32G
virtio0: tank:vm-104-disk-4,size=8G
virtio1: local:104/vm-104-disk-0.qcow2,size=8G
efidisk0: local-lvm:vm-104-disk-2
scsihw: virtio-scsi-single

[before]
scsi9: local-lvm:vm-104-disk-9,size=1G
"""
MOUNTS = [
    f"{40 + at} 1 8:0 / {point} rw,relatime - ext4 /dev/sda rw" for at, point in enumerate(("/", "/mnt/backup", "/srv"))
]
RUNS = [{"pid": 1, "name": "pmxcfs", "cwd": "/", "paths": [], "settings": [], "here": True}]


def asked(argv, place):
    """What grep prints of files that lie elsewhere, with the names that they have on a Proxmox server."""
    said = subprocess.run([*argv[:-1], place], capture_output=True, text=True, env={"LC_ALL": "C"}, check=False).stdout
    return {" ".join(argv): said.replace(str(place).rstrip("/"), argv[-1].rstrip("/"))}


def host(running=RUNS, commands=(), **more):
    made = machine(disk("sda"), mounts=MOUNTS, processes=running, commands=dict(commands), **more)
    return next(it.scope["host"] for it in survey(made, {}).subjects if it.id == "host")


@pytest.fixture
def told(tmp_path):
    (tmp_path / "storage.cfg").write_text(STORAGE)
    guests = tmp_path / "qemu-server"
    guests.mkdir()
    (guests / "104.conf").write_text(GUEST)
    (guests / "105.conf").write_text("scsi0: local-lvm:vm-105-disk-0,size=1G,discard=on\n")
    return asked(tenants.PROXMOX_STORAGES, tmp_path / "storage.cfg") | asked(tenants.PROXMOX_DISKS, f"{guests}/")


def test_disks_on_thin_storages_without_discard_are_told_and_no_others(told):
    assert host(commands=told).guests_without_discard.value == ("104 scsi0", "104 virtio0")


def test_a_directory_on_a_mount_of_its_own_is_told_unless_proxmox_knows_that_it_is_one(told):
    assert host(commands=told).unguarded_storages.value == ("backup (/mnt/backup)",)


def test_nothing_of_servers_people_and_serial_numbers_is_printed(told):
    assert not any(word in text for text in told.values() for word in ("192.0.2.1", "root@pam", "SECRET", "keep-all"))


def test_without_proxmox_there_is_none_and_an_ordinary_user_cannot_tell():
    assert host(running=[]).guests_without_discard.value == ()
    silent = {" ".join(it): "" for it in (tenants.PROXMOX_STORAGES, tenants.PROXMOX_DISKS)}
    found = host(commands=silent, root=False)
    assert isinstance(found.unguarded_storages, Unknown)
    assert found.unguarded_storages.cause is Cause.DENIED
