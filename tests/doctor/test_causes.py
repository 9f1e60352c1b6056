"""Windows made by hand: several culprits at once, and filesystems in memory."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fsadvisor.machine import symptoms
from fsadvisor.machine.symptoms import Holds, Space
from fsadvisor.measure.now import Device, Group, Program, mounts
from fsadvisor.measure.now.answer import answer
from fsadvisor.measure.now.observe import actions_of, paths_of, pool_modes
from fsadvisor.report.doctor_page import as_json
from tests.doctor.staging import program as running
from tests.doctor.test_answer import RULES, place, program, told, window
from tests.loops import loops, needs_loop_devices, run
from tests.waiting import comes_to


def test_two_programs_that_fill_a_disk_together_are_told_and_not_those_that_balance_it():
    disk = Device(name="sdb", writes=300.0, write_ms=40.0, busy=1.0, queue=9.0)
    both = [program(pid, "tar", waiting=0.9, write_bytes=3e7) for pid in (7, 8)]
    victim = program(9, "mysqld", waiting=1.0, syncing=1.0, write_bytes=1e5)
    parts = {"io_some": 0.9, "devices": (disk,)}
    (found,) = answer(window(filesystems=(place(),), programs=(*both, victim), **parts), RULES).found
    assert (found.verdict.rule.id, len(found.culprits)) == ("disk-taken-by-one", 2)
    assert [one.split(":")[0] for one in found.waiters] == ["mysqld (pid 9)"]
    many = [program(pid, "worker", waiting=0.9, write_bytes=1e7 + pid, unit="batch.service") for pid in range(20, 28)]
    (found,) = answer(window(filesystems=(place(),), programs=(*many, victim), **parts), RULES).found
    assert found.culprits[0] == "batch.service: 8 programs move 80.0 MB/s together"
    assert [one.split(" (")[0] for one in (*found.culprits[1:], *found.waiters)] == [*["worker"] * 3, "mysqld"]
    alone = [program(pid, "worker", waiting=0.9, write_bytes=1e7) for pid in range(20, 28)]
    found = answer(window(filesystems=(place(),), programs=(*alone, victim), **parts), RULES).found
    assert "disk-taken-by-one" not in {one.verdict.rule.id for one in found}
    balances = program(7, "btrfs", waiting=1.0, write_bytes=3e7, job="balance")
    moving = place(type="btrfs", job="balance")
    (found,) = answer(window(filesystems=(moving,), programs=(balances, victim), **parts), RULES).found
    assert (found.verdict.rule.id, found.culprits[0].split(":")[0]) == ("btrfs-at-work", "btrfs (pid 7)")


def test_a_tmpfs_is_told_where_it_is_used_up_and_left_out_else():
    def tmpfs(mount_id, point, options="rw"):
        return f"{mount_id} 1 0:{mount_id} / {point} {options} - tmpfs tmpfs rw\n"

    table = mounts.table(tmpfs(31, "/dev/shm") + tmpfs(32, "/tmp") + tmpfs(33, "/run/ro", "ro") + tmpfs(34, "/free"))
    room = {"size": 1 << 30, "free": 1 << 29, "available": 1 << 29, "inodes": 1000, "inodes_free": 500}
    spaces = {
        "/dev/shm": Space(**{**room, "available": 0}),
        "/tmp": Space(**{**room, "inodes_free": 0}),
        "/run/ro": Space(**{**room, "available": 0}),
        "/free": Space(**room),
    }
    kept = mounts.filesystems(table, spaces, {}, {}, mounts.times_mounted(""))
    found = answer(window(filesystems=kept), RULES).found
    told = [(one.verdict.rule.id, one.verdict.subject.name) for one in found]
    assert sorted(told) == [("filesystem-full", "/dev/shm"), ("inodes-gone", "/tmp")]


@pytest.mark.namespaces
def test_a_container_is_not_called_healthy_for_what_it_does_not_see():
    look = [sys.executable, "-m", "fsadvisor", "doctor", "--seconds", "1"]
    done = subprocess.run(
        ["unshare", "--pid", "--fork", "--mount-proc", *look], capture_output=True, text=True, check=False
    )
    told = " ".join(done.stdout.split())
    assert "outside of this container can't be seen" in told
    assert "Nothing hurts now" not in told
    assert "Nothing is broken here" not in told


def test_processes_of_one_unit_that_wait_at_one_place_are_told_once_and_others_apart():
    waiting = {
        21: ("rsync", "backup.service", 0.4),
        22: ("rsync", "backup.service", 0.5),
        23: ("rsync", "b.service", 0.6),
    }
    waiting |= dict.fromkeys(range(30, 40), ("rsync", "backup.service", 0.35)) | {50: ("mongod", "m.service", 0.45)}
    programs = tuple(
        program(pid, name, unit=unit, syncing=share, waiting=share) for pid, (name, unit, share) in waiting.items()
    )
    told = answer(window(filesystems=(place(),), programs=programs, waiting=1.0), RULES)
    commits = [one for one in told.found if one.verdict.rule.id == "program-waits-for-commits"]
    assert [(one.verdict.subject.name, one.alike) for one in commits] == [
        ("rsync (pid 23, b.service)", 0),
        ("rsync (pid 22, backup.service)", 11),
        ("mongod (pid 50, m.service)", 0),
    ]
    assert [one.partition(":")[0] for one in commits[1].culprits] == [
        "rsync (pid 22, backup.service)",
        "rsync (pid 21, backup.service)",
        "rsync (pid 30, backup.service)",
    ]
    in_json = [one["alike"] for one in json.loads(as_json(told))["found"] if one["rule"] == "program-waits-for-commits"]
    assert in_json == [0, 11, 0]


def test_a_group_short_of_memory_hides_nothing_that_happens_on_other_storage():
    small = Group(path="/a.service", memory_some=0.7, memory_limit=40 << 20, memory_used=40 << 20)
    reads = program(7, "java", waiting=0.8, read_bytes=2e7, groups=("/a.service",))
    syncs = Program(pid=8, name="postgres", places=("/other",), waiting=0.8, syncing=0.8)
    places = (place(), place(mount_point="/other", source="/dev/sdc1", device="sdc"))
    parts = {"groups": (small,), "memory_some": 0.7, "memory_available": 0.5, "filesystems": places}
    assert told(programs=(reads, syncs), **parts) == ["group-short-of-memory", "program-waits-for-commits"]


def test_a_copy_from_a_device_is_told_where_it_writes_although_its_directory_may_not_be_asked():
    table = "31 1 8:17 / /srv rw - ext4 /dev/sdb1 rw\n32 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    root = place(mount_point="/", source="/dev/sda1", device="sda", number="8:1")
    where = mounts.places(table, (place(number="8:17"), root), ["sda", "sdb"])
    copies = ("/dev/sda", "/srv/image")
    assert where.of(Holds(paths=copies)) == ("/dev/sda", "/srv")
    assert where.of(Holds(paths=copies, directory="/root")) == ("/dev/sda", "/srv")
    assert where.of(Holds(paths=("/srv/image",), directory="/root")) == ("/srv", "/")
    unseen = Holds(paths=copies, mounts=None)
    assert where.of(unseen) == ("/dev/sda",), "whose mounts are not told may be a container's: its paths tell nothing"


@needs_loop_devices
def test_a_raw_device_that_a_program_has_open_is_where_it_works_though_no_argument_names_it(tmp_path):
    with loops(tmp_path) as made:
        device = made.device("raw", 1)
        where = mounts.places("", (), [Path(device).name])
        with running(f"import time\nheld = open({device!r}, 'rb')\ntime.sleep(9999)", tmp_path) as pid:
            assert comes_to(lambda: where.of(symptoms.holds(pid)) == (device,))


def test_a_flush_of_a_raw_device_is_not_one_of_the_filesystem_that_its_program_was_started_in():
    root = place(mount_point="/", source="/dev/sda1", device="sda", number="8:1")
    where = mounts.places("32 1 8:1 / / rw - ext4 /dev/sda1 rw\n", (root,), ["sda", "sdb"])
    assert where.of_waiting(Holds(devices=("sdb",), waits_on=("sdb",), directory="/root")) == ("/dev/sdb",)
    assert where.of_waiting(Holds(devices=("sdb",), directory="/root")) == ("/", "/dev/sdb")
    assert where.of(Holds(devices=("sdb",), directory="/root")) == ("/dev/sdb",)


def test_since_when_a_device_is_silent_is_told_by_who_uses_the_device_itself():
    silent = Device(name="sdb", in_flight=1, busy=1.0, queue=1.0)
    copies = Program(pid=9, name="dd", places=("/dev/sdb",), waiting=1.0, stuck=1, stuck_s=3600.0)
    (found,) = answer(window(devices=(silent,), programs=(copies,), waiting=1.0), RULES).found
    assert (found.verdict.rule.id, found.since_by) == ("device-silent", "when dd (pid 9) last ran")


IN_CONTAINER = 'mount --bind "$0" /srv && cd /srv && exec "$@"'
HOLDS = "import os, time\nfile = open('file', 'w')\nos.write(1, b'.')\ntime.sleep(9999)"


@needs_loop_devices
def test_what_a_container_has_mounted_is_told_by_the_mount_of_the_host_and_not_by_the_path_that_it_sees(tmp_path):
    with loops(tmp_path) as made:
        device = made.device("volume", 20)
        run("mkfs.ext4", "-q", device)
        volume = made.mount(device, "volume")
        table = symptoms.mount_table()
        known = mounts.filesystems(mounts.table(table), {}, {}, {}, mounts.times_mounted(table))
        where = mounts.places(table, known, [])
        argv = ("unshare", "--mount", "--propagation", "private", "sh", "-c", IN_CONTAINER, volume)
        with running(HOLDS, tmp_path, *argv, sys.executable, "-c", HOLDS) as pid:
            assert where.of(symptoms.holds(pid)) == (volume,)


def test_a_mounted_device_is_gone_where_the_kernel_lists_others_and_not_its_number():
    def lost(numbers, **facts):
        return [(one.name, one.called) for one in mounts.gone((place(number="8:17", device="sdb1", **facts),), numbers)]

    assert lost({"8:0": "sda", "8:1": "sda1"}) == [("sdb1", ("sdb",))]
    assert lost({"8:16": "sdb", "8:33": "sdb1"}) == [("8:17", ())]
    assert lost({"8:16": "sdb", "8:17": "sdb1"}) == lost({}) == []
    assert list(mounts.gone((place(number="0:40"),), {"8:0": "sda"})) == []


def test_what_the_raid_of_lvm_does_is_told_in_the_words_of_md():
    text = (
        "vg-a: 0 2097152 raid raid1 2 Aa 1024/2097152 recover 0 0 -\n"
        "vg-b: 0 2097152 raid raid5_ls 3 AAA 2097152/2097152 check 128 0 -\n"
        "vg-c: 0 2097152 raid raid1 2 AA 2097152/2097152 idle 0\n"
        "vg-old: 0 2097152 raid raid1 2 AA 2097152/2097152\n"
    )
    assert actions_of(text) == {"vg-a": "recover", "vg-b": "check", "vg-c": "idle"}


def test_one_answer_of_the_device_mapper_tells_of_pools_paths_and_arrays():
    text = (
        "vg-lv: 0 2048 linear \n"
        "mpatha: 0 1048576 multipath 2 0 0 0 1 1 A 0 2 2 8:0 F 1 0 1 8:16 F 1 0 1 \n"
        "vg-p-tpool: 0 4096 thin-pool 1 12/1024 2048/2048 - out_of_data_space no_discard_passdown\n"
        "vg-a: 0 2097152 raid raid1 2 Aa 1024/2097152 recover 0 0 -\n"
        "luks: 0 2048 crypt \n"
    )
    assert paths_of(text) == {"mpatha": 0}
    assert pool_modes(text) == {"vg-p-tpool": "out_of_data_space"}
    assert actions_of(text) == {"vg-a": "recover"}
