"""What a window comes to: windows made by hand, and the command on them."""

import json
from datetime import UTC, datetime

import jsonschema
import msgspec
import pytest

from fsadvisor.machine.pulse import ThreadSample, WaitingThread
from fsadvisor.machine.symptoms import Limited
from fsadvisor.measure.now import Device, Filesystem, Group, Program, Window, mounts, programs
from fsadvisor.measure.now.answer import answer
from fsadvisor.measure.now.observe import pool_modes, recent
from fsadvisor.measure.now.programs import by_process, groups_of, unit_of
from fsadvisor.measure.now.stored_windows import as_line
from fsadvisor.report.doctor_page import as_json
from fsadvisor.report.schema import schema
from fsadvisor.rulebook.loading import own_rulebook
from tests.cases import each
from tests.command import fsadvisor

RULES = own_rulebook().rules
QUIET = {
    "processor": 0.1, "steal": 0.0, "cpu_some": 0.0, "io_some": 0.0, "memory_some": 0.0, "memory_full": 0.0,
    "swap_bytes": 0.0, "dirty": 1 << 20, "dirty_limit": 1 << 30, "waiting": 0.0, "running": 0.2, "kinds": {"lock": 0.0},
    "directory_waiting": 0.0, "log": (),
}  # fmt: skip
PLACE = {
    "mount_point": "/srv",
    "type": "ext4",
    "source": "/dev/sdb1",
    "device": "sdb",
    "answers": True,
    "size": 1 << 40,
}
ROOM = {"available": 1 << 39, "inodes": 1 << 20, "inodes_free": 1 << 19, "options": ("rw",), "super_options": ("rw",)}


def window(**parts):
    return Window(when="2027-01-01T00:00:00+00:00", seconds=5.0, looks=90, root=True, **{**QUIET, **parts})


def place(**facts):
    return Filesystem(**{**PLACE, **ROOM, **facts})


def program(pid, name, **facts):
    return Program(pid=pid, name=name, places=("/srv",), **facts)


def told(**parts):
    return [one.verdict.rule.id for one in answer(window(**parts), RULES).found]


def test_a_quiet_window_has_no_cause():
    assert told(devices=(Device(name="sdb", reads=3.0, read_ms=0.2, busy=0.01),), filesystems=(place(),)) == []


def test_one_that_writes_beside_one_that_waits_is_named_as_the_cause():
    busy = Device(name="sdb", writes=900.0, write_ms=12.0, busy=0.99, queue=11.0)
    dd, database = program(7, "dd", write_bytes=2e8), program(8, "postgres", waiting=0.7, write_bytes=1e6)
    (found,) = answer(window(devices=(busy,), filesystems=(place(),), programs=(dd, database)), RULES).found
    assert found.verdict.rule.id == "disk-taken-by-one"
    assert [one.partition(":")[0] for one in found.culprits] == ["dd (pid 7)"]
    assert [one.partition(":")[0] for one in found.waiters] == ["postgres (pid 8)"]


def test_a_busy_disk_that_nobody_waits_for_is_work_and_no_fault():
    busy = Device(name="sdb", reads=5000.0, read_ms=12.0, busy=0.99, queue=60.0)
    reader = program(7, "fio", read_bytes=3e8)
    (found,) = answer(window(devices=(busy,), filesystems=(place(),), programs=(reader,)), RULES).found
    assert (found.verdict.rule.id, found.hurts) == ("device-at-its-limit", False)
    assert found.culprits == ("fio (pid 7): reads 300.0 MB/s",)


def test_a_device_below_others_that_is_silent_explains_who_is_stuck():
    silent = Device(name="sdb", in_flight=4, queue=4.0, busy=1.0)
    stuck = program(9, "cp", waiting=1.0, stuck=1)
    assert told(devices=(silent,), filesystems=(place(),), programs=(stuck,)) == ["device-silent"]


def test_a_device_in_trouble_does_not_explain_a_program_that_works_on_another():
    silent = Device(name="sdc", in_flight=4, queue=4.0, busy=1.0)
    syncs = program(9, "cp", waiting=1.0, syncing=1.0)
    assert told(devices=(silent,), filesystems=(place(),), programs=(syncs,)) == [
        "device-silent",
        "program-waits-for-commits",
    ]


def test_a_thin_pool_without_space_explains_who_waits_on_its_volume():
    pool = Device(name="dm-2", pool_mode="out_of_data_space")
    thin = Device(name="sdb", below=("dm-2",), in_flight=4, queue=4.0, busy=1.0)
    stuck = program(9, "cp", waiting=1.0, stuck=1, syncing=1.0)
    devices = (pool, thin)
    assert told(devices=devices, filesystems=(place(),), programs=(stuck,)) == ["thin-pool-stopped"]
    assert told(devices=(Device(name="dm-2", pool_mode="rw"),)) == []


def test_the_mode_of_a_thin_pool_is_read_from_its_status():
    text = (
        "vg-p-tpool: 0 196608 thin-pool 1 12/4096 1536/1536 - out_of_data_space discard_passdown queue_if_no_space\n"
        "vg-q: 0 8192 thin-pool 0 1/9 2/9 - rw no_discard_passdown error_if_no_space needs_check 24 \n"
        "a: b: 0 8192 thin-pool Fail\nvg-r: 0 8 thin-pool Error\nNo devices found\n"
    )
    assert pool_modes(text) == {"vg-p-tpool": "out_of_data_space", "vg-q": "rw", "a: b": "Fail"}


def test_a_suspended_device_is_the_cause_of_a_silent_one():
    silent = Device(name="dm-3", in_flight=4, queue=4.0, busy=1.0, suspended=True)
    assert told(devices=(silent,)) == ["device-suspended"]


@each(
    ("facts", "cause"),
    [
        ({"available": 0}, ["filesystem-full"]),
        ({"inodes_free": 0}, ["inodes-gone"]),
        ({"answers": False}, ["filesystem-does-not-answer"]),
        ({"super_options": ("ro",)}, ["filesystem-turned-read-only"]),
        ({"super_options": ("rw", "shutdown")}, ["filesystem-turned-read-only"]),
        ({"super_options": ("ro",), "mounts": 2, "errors": 0}, []),
        ({"super_options": ("ro",), "mounts": 2, "errors": 3}, ["filesystem-turned-read-only"]),
        ({"super_options": ("ro",), "options": ("ro",)}, []),
        ({"errors": 3, "turned": True}, ["filesystem-turned-read-only"]),
        ({"errors": 3, "turned": False}, []),
        ({"errors": 3}, []),
        ({"operations": 20.0, "operation_ms": 400.0}, ["network-filesystem-slow"]),
    ],
)
def test_a_filesystem_in_trouble_is_told_and_nothing_else(facts, cause):
    assert told(filesystems=(place(**facts),)) == cause


def test_names_that_are_no_text_can_be_kept_and_told_as_json():
    strange = program(7, "a\udcff\x1b", waiting=1.0)
    there = window(programs=(strange,), filesystems=(place(mount_point="/srv/\u202e\udcfe", available=0),))
    kept = msgspec.json.decode(as_line(there), type=Window)
    assert kept.programs[0].name == "a\\xff\x1b"
    printed = as_json(answer(there, RULES))
    assert all(line.isprintable() for line in printed.split("\n"))
    assert json.loads(printed)["found"][0]["subject"] == "/srv/\u202e\\xfe"


def test_the_kernels_log_tells_what_an_ext4_hides_and_since_when():
    log = "[    0.100000] EXT4-fs (dm-0): Remounting filesystem read-only\n"
    now = datetime(2026, 11, 24, 12, tzinfo=UTC)

    def turned(text, release, **facts):
        one = place(source="/dev/dm-0", errors=1, **facts)
        mounts.add_turned((one,), recent(text, 7200.0, now), release)
        return one.turned, one.turned_at

    told_in_log = turned(log, "6.12.1")
    assert told_in_log[0] is True
    assert told_in_log[1] == "2026-11-24T10:00:00+00:00"
    assert turned(log.replace("dm-0", "dm-1"), "6.12.1") == (None, "")
    assert turned("", "6.12.1") == (None, "")
    assert turned("", "6.18.44") == (False, "")


@each(
    ("facts", "cause"),
    [
        ({"memory_some": 0.6}, ["memory-short"]),
        ({"steal": 0.3}, ["processor-taken"]),
        ({"processor": 1.0, "cpu_some": 0.9}, ["processors-busy"]),
        ({"kinds": {"lock": 5.0}}, ["locks-waited-for"]),
    ],
)
def test_a_machine_in_trouble_is_told(facts, cause):
    assert told(**facts) == cause


def test_writers_that_are_held_back_are_told_only_where_much_is_dirty():
    held = (program(7, "dd", held_back=0.9, waiting=0.9),)
    assert told(programs=held, dirty=900 << 20) == ["writers-held-back"]
    assert told(programs=held) == []


def test_discards_that_hold_a_device_up_are_told_with_the_mount_that_sends_them():
    trims = Device(name="sdb", busy=1.0, queue=30.0, writes=40.0, write_ms=300.0, discards=7.0, discard=0.97)
    parts = {"devices": (trims,), "io_some": 0.9, "programs": (program(7, "dd", waiting=0.9, write_bytes=1e6),)}
    (found,) = answer(window(filesystems=(place(options=("rw", "discard")),), **parts), RULES).found
    assert found.verdict.rule.id == "discards-at-work"
    assert found.culprits == ("/srv: mounted with discard",)
    assert told(devices=(Device(name="sdb", discards=7.0, discard=0.2),), io_some=0.9) == []


def test_a_full_journal_is_blamed_on_a_filesystem_only_where_it_can_be_no_other():
    busy, calm = Device(name="sdb", busy=0.9), Device(name="sda", busy=0.1)
    root = place(mount_point="/", device="sda", source="/dev/sda1")
    waits = Program(pid=7, name="mv", places=("/", "/srv"), waiting=0.9, journal_full=0.6, journal_at=("/",))
    places = (place(), root)
    (found,) = answer(window(devices=(busy, calm), filesystems=places, programs=(waits,)), RULES).found
    assert (found.verdict.rule.id, found.verdict.subject.name) == ("journal-full", "/srv")
    both = answer(window(devices=(busy, Device(name="sda", busy=0.9)), filesystems=places, programs=(waits,)), RULES)
    assert [one.verdict.subject.name for one in both.found] == ["/"]
    nowhere = answer(window(devices=(calm, Device(name="sdb")), filesystems=places, programs=(waits,)), RULES)
    assert not nowhere.found


def test_tasks_that_wait_for_a_directory_are_told_with_where_they_work():
    waits = program(7, "mv", waiting=0.9, directory=0.9, works_in="/srv/spool")
    (found,) = answer(window(directory_waiting=3.0, kinds={"lock": 3.0}, programs=(waits,)), RULES).found
    assert (found.verdict.rule.id, found.place, found.hurts) == ("directory-locks", "they work in /srv/spool", False)


LOG = (
    "[ 3600.000000] md: data-check of RAID array md0\n"
    "[ 6900.000000] EXT4-fs error (device sdb1): ext4_lookup:1785: inode #2: comm ls: deleted inode referenced\n"
    "[ 6990.000000] I/O error, dev sdb, sector 8 op 0x0:(READ) flags 0x0\n"
    "[ 7000.000000] ata3: hard resetting link\n[ 7010.000000] ata3: hard resetting link\n"
    "[ 7020.000000] ata3: hard resetting link\n[ 7100.000000] INFO: task mv:77 blocked for more than 120 seconds.\n"
)


def test_the_kernels_log_of_the_last_hour_is_kept_and_told_with_since_when():
    log = recent(LOG, 7200.0, datetime(2026, 11, 24, 12, tzinfo=UTC))
    sdb, md = Device(name="sdb", called=("ata3",)), Device(name="md0", md_action="check")
    found = answer(window(log=log, devices=(sdb, md), filesystems=(place(),), io_some=0.5), RULES).found
    since = {one.verdict.rule.id: (one.since[11:19], one.since_by) for one in found}
    assert since == {
        "device-errors-logged": ("11:56:30", "by the kernel's log"),
        "array-at-work": ("11:00:00", "by the kernel's log"),
    }
    resets = answer(window(log=log, devices=(Device(name="sdc", called=("ata3",)),)), RULES).found
    assert [one.verdict.rule.id for one in resets] == ["device-resets-logged"]
    later = recent(LOG, 10_900.0, datetime(2026, 11, 24, 12, tzinfo=UTC))
    assert {one.pattern for one in later} == {"md-began"}


def test_an_error_that_may_be_of_the_loop_device_before_is_neither_told_nor_excluded():
    text = "[7000.0] I/O error, dev loop0, sector 8\n[7001.0] set_capacity_and_notify: 6 callbacks suppressed\n"
    told = answer(window(log=recent(text, 7200.0, datetime.now(UTC)), devices=(Device(name="loop0"),)), RULES)
    assert not told.found
    assert "device-errors-logged" in {one.rule.id for one in told.open}


def test_a_log_that_may_not_be_read_is_no_quiet_log():
    user = answer(window(log=None, devices=(Device(name="sdb"),)), RULES)
    assert "device-errors-logged" in {one.rule.id for one in user.open}
    assert "device-errors-logged" in {
        one.rule.id for one in answer(window(log=(), devices=(Device(name="sdb"),)), RULES).excluded
    }


def test_what_stands_still_began_when_its_threads_last_ran():
    silent = Device(name="sdb", in_flight=4, queue=4.0, busy=1.0)
    stuck = program(9, "cp", waiting=1.0, stuck=1, stuck_s=3605.0)
    (found,) = answer(window(devices=(silent,), filesystems=(place(),), programs=(stuck,)), RULES).found
    assert (found.since, found.since_by) == ("2026-12-31T22:59:55+00:00", "when cp (pid 9) last ran")


@each(
    ("stack", "directory", "kind"),
    [
        ("[<0>] path_openat+0x1/0x2\n[<0>] do_filp_open+0x1/0x2", True, "lock"),
        ("[<0>] rwsem_down_write_slowpath+0x1/0x2\n[<0>] do_unlinkat+0x1/0x2", True, "lock"),
        ("[<0>] ext4_buffered_write_iter+0x1/0x2\n[<0>] vfs_write+0x1/0x2", False, "lock"),
        ("[<0>] __wait_on_buffer+0x1/0x2\n[<0>] ext4_find_entry+0x1/0x2\n[<0>] path_openat+0x1/0x2", False, "disk"),
    ],
)
def test_a_stack_whose_innermost_function_takes_a_directorys_lock_waits_for_it(stack, directory, kind):
    waits = WaitingThread(pid=1, thread=1, name="mv", where=stack)
    samples = [ThreadSample(at_s=float(n), threads=1, running=(), waiting=(waits,)) for n in range(20)]
    process = by_process(samples)[1]
    assert (process.directory > 0, process.places.most_common(1)[0][0][0]) == (directory, kind)


def test_an_array_that_rebuilds_is_the_cause_where_tasks_wait():
    rebuilding = Device(name="md0", md_action="recover")
    assert told(devices=(rebuilding,), io_some=0.5) == ["array-at-work"]
    assert told(devices=(rebuilding,), io_some=0.5, waiting=None) == ["array-at-work"]
    assert told(devices=(rebuilding,)) == []


def test_what_was_not_seen_is_not_excluded_and_not_blamed():
    blind = Window(when="2027-01-01T00:00:00+00:00", seconds=5.0, filesystems=(Filesystem(**PLACE),))
    found = answer(blind, RULES)
    assert found.found == ()
    assert {"memory-short", "filesystem-frozen"} <= {one.rule.id for one in found.open}
    assert not {"memory-short", "filesystem-frozen"} & {one.rule.id for one in found.excluded}


def test_what_a_subject_has_not_is_not_excluded_on_it():
    def excluded(action):
        found = answer(window(devices=(Device(name="md0", md_action=action),), filesystems=(place(),)), RULES)
        return {one.rule.id for one in found.excluded}

    assert "array-at-work" in excluded("idle")
    assert not {"array-at-work", "btrfs-at-work"} & excluded(None)


def test_what_root_alone_may_see_is_not_excluded_for_a_user():
    user = msgspec.structs.replace(
        window(filesystems=(place(),), programs=(program(7, "dd", waiting=0.5),)), root=False
    )
    told_to_root = answer(msgspec.structs.replace(user, root=True), RULES)
    hidden = {"filesystem-frozen", "program-waits-for-commits", "program-stuck", "locks-waited-for"}
    assert hidden <= {one.rule.id for one in told_to_root.excluded}
    found = answer(user, RULES)
    assert hidden <= {one.rule.id for one in found.open}
    assert not hidden & {one.rule.id for one in found.excluded}


def test_writers_that_wait_on_a_filesystem_whose_device_writes_are_not_blamed_on_a_freeze():
    waits = program(7, "touch", waiting=1.0, stuck=1, frozen=1, frozen_at=("/srv",))
    calm, writing = Device(name="sdb"), Device(name="sdb", writes=10.0)
    assert told(devices=(calm,), filesystems=(place(),), programs=(waits,)) == ["filesystem-frozen"]
    assert told(devices=(writing,), filesystems=(place(),), programs=(waits,)) == ["program-stuck"]


def test_units_and_containers_are_named():
    assert unit_of("0::/system.slice/postgresql@15-main.service") == "postgresql@15-main.service"
    assert unit_of(f"0::/system.slice/docker-{'ab' * 32}.scope") == "container abababababab"
    assert unit_of("0::/") == ""


def test_the_nearest_of_several_limits_of_a_group_is_told():
    before = Limited(path="/a", files={"io.max": "8:0 rbps=1000 wbps=max riops=10 wiops=max", "io.stat": ""})
    after = Limited(path="/a", files={**before.files, "io.stat": "8:0 rbytes=2500 wbytes=9 rios=50 wios=1"})
    (found,) = programs.groups_between((before,), (after,), 5.0)
    assert (found.limit, found.of_limit) == ("10 reads per second", 1.0)


def test_those_who_wait_at_a_limit_are_the_programs_of_the_group_and_of_those_below_it():
    limited = Group(path="/a.slice", device="sdb", limit="10 reads per second", of_limit=1.0)
    inside = program(7, "fio", waiting=0.9, groups=("/a.slice/b.service",))
    other = program(8, "dd", waiting=0.9, groups=("/a.slice2", "/ab"))
    (found,) = answer(window(groups=(limited,), programs=(inside, other)), RULES).found
    assert [one.partition(":")[0] for one in found.waiters] == ["fio (pid 7)"]
    assert groups_of("3:cpu,blkio:/x\n2:memory:/y\n0::/z/w\n1:name=systemd:/") == ("/x", "/y", "/z/w")


def test_a_limit_on_one_disk_explains_nothing_of_another():
    limited = Group(path="/a.slice", device="sdc", limit="10 reads per second", of_limit=1.0)
    busy = Device(name="sdb", reads=5000.0, read_ms=12.0, busy=0.99, queue=60.0)
    disks = (busy, Device(name="sdc"))
    assert told(groups=(limited,), devices=disks) == ["group-at-its-limit", "device-at-its-limit"]
    above = (Device(name="sdc"), Device(name="dm-0", below=("sdc",), busy=0.99, queue=60.0))
    assert told(groups=(limited,), devices=above) == ["group-at-its-limit"]


def test_nfs_is_told_by_what_its_operations_took_between_two_moments():
    head = "device s:/x mounted on /n with fstype nfs4 statvers=1.1\n\tper-op statistics\n"
    text = head + "\t        READ: {} 1 0 9 9 3 {} {} 0\n"
    assert mounts.nfs_between(text.format(10, 100, 200), text.format(20, 300, 700), 5.0) == {"/n": (2.0, 50.0, 20.0)}


def test_a_kept_window_is_judged_again_and_the_answer_fits_its_schema(tmp_path):
    kept = tmp_path / "windows.jsonl"
    lines = [window(), window(io_some=0.9, filesystems=(place(available=0),))]
    kept.write_bytes(b"\n".join(map(msgspec.json.encode, lines)) + b"\n")
    done = fsadvisor("doctor", "--on", str(kept), "--json")
    found = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schema("doctor")).validate(found)
    assert (done.returncode, [one["rule"] for one in found["found"]]) == (1, ["filesystem-full"])
    (tmp_path / "answer.json").write_bytes(done.stdout)
    again = fsadvisor("doctor", "--on", str(tmp_path / "answer.json"))
    assert again.stdout.decode().split("\n")[2].startswith("/srv: 0 bytes free (0 %): ENOSPC.")


@each(
    ("argv", "says"),
    [
        (["--on", "/nowhere/window.json"], "No such file"),
        (["999999999"], "no process has this number"),
        (["/no/such/path"], "there is no such path"),
        (["full", "nosuch"], "name a path that exists"),
        (["fsync", "/no/such/path"], "name a path that exists"),
    ],
)
def test_what_is_not_there_is_refused_in_a_sentence(argv, says):
    done = fsadvisor("doctor", *argv)
    assert done.returncode == 2
    assert says in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


@each(("ran", "stuck"), [((5, 5, 5), 1), ((5, 6, 7), 1), ((5, 90, 200), 0), ((None,) * 3, 1)])
def test_a_thread_at_one_place_in_all_looks_is_stuck_unless_it_ran_between_them(ran, stuck):
    def look(number, times):
        waits = WaitingThread(pid=7, thread=7, name="fio", where="[<0>] io_schedule+0x1/0x2", ran=times)
        return ThreadSample(at_s=number, threads=1, running=(), waiting=(waits,))

    looks = [look(number, times) for number, times in enumerate(ran * 5)]
    assert by_process(looks)[7].stuck == stuck


@pytest.mark.parametrize(("reached", "said"), [("iscsi", True), ("", False)])
def test_the_server_is_named_where_a_disk_below_is_another_machines_and_nowhere_else(reached, said):
    slow = {"writes": 9.0, "write_ms": 200.0, "busy": 1.0, "queue": 1.0, "in_flight": 1}
    devices = (Device(name="dm-0", below=("sdb",), **slow), Device(name="sdb", reached_by=reached, **slow))
    found = answer(window(devices=devices), RULES).found
    assert {one.verdict.rule.id for one in found} == {"device-slow"}
    assert all(("another machine's" in one.verdict.instructions().advice) is said for one in found)
