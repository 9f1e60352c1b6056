"""Answers that were not had, or make no sense, are no answers."""

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.survey import configured
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.told import BARE_METAL, disk, machine

ROOT_MOUNT = "1 0 8:0 / / rw,relatime - ext4 /dev/sda rw"
PROC = "2 1 0:4 / /proc rw - proc proc rw,hidepid={}"
VIRTIO = "pci0000:00/0000:00:02.0/virtio1"


def scopes(made):
    return {subject.id: subject.scope for subject in survey(made, {}).subjects}


@pytest.mark.parametrize(("said", "expected"), [("write back", True), ("write through", False)])
def test_a_virtual_disks_cache_is_what_its_driver_says(said, expected):
    found = scopes(machine(disk("vda", where=VIRTIO, cache_type=said)))
    assert found["disk:vda"]["disk"].volatile_cache.value is expected


@each("said", ["", "write", "\x00", "none of your business"])
def test_a_word_that_no_driver_says_is_no_cache_setting(said):
    virtio = scopes(machine(disk("vda", where=VIRTIO, cache_type=said)))
    scsi = scopes(machine(disk("sda", device__scsi_disk__0_0_0_0__cache_type=said)))
    assert isinstance(virtio["disk:vda"]["disk"].volatile_cache, Unknown)
    assert isinstance(scsi["disk:sda"]["disk"].volatile_cache, Unknown)


def test_a_limit_that_may_not_be_read_is_not_taken_for_none():
    group = "/sys/fs/cgroup/system.slice"
    made = machine(files={"/sys/fs/cgroup/cgroup.controllers": "io", f"{group}/io.max": "8:0 wbps=1048576"})
    assert scopes(made)["host"]["host"].io_limits.value == ("system.slice",)

    made.files[f"{group}/io.max"] = Unknown(Cause.DENIED, "run as root")
    assert scopes(made)["host"]["host"].io_limits.cause is Cause.DENIED


@pytest.mark.parametrize(
    "where",
    [
        "pci0000:00/0000:00:01.0/nvme/nvme0",
        "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0",
        "pci0000:00/0000:00:1f.2/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0",
    ],
)
@pytest.mark.parametrize("lost", ["device/model", "device/vendor"])
def test_a_disk_whose_name_is_not_known_may_be_a_hypervisors(where, lost):
    name = "nvme0n1" if "nvme" in where else "sda"
    made = machine(disk(name, where=where, device__vendor="SEAGATE"), commands=BARE_METAL)
    assert scopes(made)[f"disk:{name}"]["disk"].virtual.value is False

    del made.files[f"/sys/block/{name}/{lost}"]
    found = scopes(made)[f"disk:{name}"]["disk"].virtual
    assert isinstance(found, Unknown) is (lost == "device/model" or "end_device" in where)


def test_without_the_mount_table_no_mount_is_taken_for_one_that_is_not_there():
    made = machine(disk("sda"), mounts=[ROOT_MOUNT], files={"/etc/fstab": "/dev/sda / ext4 data=writeback 0 1\n"})
    made.files["/proc/self/mountinfo"] = Unknown(Cause.DENIED, "run as root")
    found = scopes(made)["mount:/"]["mount"]
    assert all(
        isinstance(it, Unknown) and it.learn for it in (found.mounted, found.options, found.options_not_in_force)
    )


def test_a_device_whose_directory_can_not_be_listed_is_of_no_known_kind():
    made = machine(disk("sda"))
    made.entries = lambda path, entries=made.entries: (
        Unknown(Cause.DENIED, "run as root") if path in ("/sys/block/sda", "/sys/block/sda/slaves") else entries(path)
    )
    assert isinstance(scopes(made)["layer:sda"]["layer"].kind, Unknown)


def test_mount_units_of_a_systemd_that_does_not_answer_may_be_there():
    made = machine(disk("sda"), mounts=[ROOT_MOUNT])
    assert scopes(made)["mount:/"]["mount"].configured.value is False

    made.commands[" ".join(configured.MOUNT_UNITS)] = Unknown(Cause.TIMED_OUT, "retry with a longer --timeout")
    assert scopes(made)["mount:/"]["mount"].configured.cause is Cause.TIMED_OUT


def test_an_fstab_that_was_not_recorded_is_not_taken_for_one_that_is_not_there():
    made = machine(disk("sda"), mounts=[ROOT_MOUNT])
    made.files["/etc/fstab"] = Unknown(Cause.NOT_EXPOSED, "capture the machine again with this fsadvisor")
    assert isinstance(scopes(made)["mount:/"]["mount"].configured, Unknown)


@pytest.mark.parametrize(("hidepid", "root", "hidden"), [("2", False, True), ("2", True, False), ("0", False, False)])
def test_processes_that_proc_hides_from_an_ordinary_user_are_not_taken_for_none(hidepid, root, hidden):
    found = scopes(machine(disk("sda"), mounts=[ROOT_MOUNT, PROC.format(hidepid)], root=root))
    assert isinstance(found["host"]["host"].services, Unknown) is hidden
    assert isinstance(found["mount:/"]["mount"].atime_readers, Unknown) is hidden


def test_a_mail_program_whose_folder_may_not_be_seen_may_keep_its_files_anywhere():
    running = [{"pid": 1, "name": "dovecot", "user": "x", "cwd": None, "paths": [], "denied": True}]
    found = scopes(machine(disk("sda"), mounts=[ROOT_MOUNT], processes=running, root=False))
    assert found["mount:/"]["mount"].atime_readers.cause is Cause.DENIED


CONFIGURED = "/dev/sda / ext4 defaults 0 1\n/dev/sda1 /wal xfs noauto 0 0\n"
MONGO = {"pid": 1, "name": "mongod", "user": "x", "cwd": "/wal/db", "paths": [], "settings": [], "here": True}


def test_a_program_has_its_files_on_no_mount_that_is_only_configured():
    found = scopes(machine(disk("sda"), mounts=[ROOT_MOUNT], fstab=CONFIGURED, processes=[MONGO]))
    assert found["service:mongodb /wal/db"]["service"].mount_point.value == "/"
    assert found["mount:/"]["mount"].workload.value == "oltp"
    assert isinstance(found["mount:/wal"]["mount"].workload, Unknown)


def test_without_the_mount_table_the_place_of_a_programs_files_is_as_unknown_as_the_table():
    made = machine(disk("sda"), fstab=CONFIGURED, processes=[MONGO, {**MONGO, "cwd": "/r"}])
    made.files["/proc/self/mountinfo"] = Unknown(Cause.DENIED, "run as root")
    found = scopes(made)
    service = found["service:mongodb /wal/db"]["service"]
    derived = (service.mount_point, service.shares_disk, service.commit_plp, found["mount:/wal"]["mount"].workload)
    assert {it.cause for it in derived} == {Cause.DENIED}


SATA = "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0"
NVME = "pci0000:00/0000:00:01.0/nvme/nvme0"
USB = "pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0/host6/target6:0:0/6:0:0:0"


def named(name, where=SATA, **more):
    return disk(name, where=where, device__vendor="ATA", **more)


@each(
    ("disks", "megabytes"),
    [
        ([named("sda", queue__rotational="1")], 4 * 200),
        ([named("sda")], 4 * 400),
        ([named("nvme0n1", NVME)], 4 * 1000),
        ([named("nvme0n1", NVME), named("sda")], 4 * 400),
        ([named("nvme0n1", NVME), named("sda", queue__rotational="?")], 4 * 200),
        ([named("sdb", USB)], 4 * 200),
        ([disk("vda", where=VIRTIO)], 4 * 200),
        ([named("sda"), disk("vda", where=VIRTIO)], 4 * 200),
    ],
)
def test_what_a_disk_writes_in_a_second_is_assumed_by_its_kind_and_as_a_hard_disk_where_that_is_not_told(
    disks, megabytes
):
    found = scopes(machine(*disks, commands=BARE_METAL))["host"]["host"].dirty_wanted_bytes
    assert found.value == megabytes * 1_000_000
