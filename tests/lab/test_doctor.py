"""`fsadvisor doctor` on incidents that need the device mapper, md, or a control group's own memory."""

import contextlib
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from fsadvisor.measure.now.answer import answer
from fsadvisor.measure.now.observe import observe
from fsadvisor.rulebook.loading import own_rulebook
from tests.lab import null_blk, remedies
from tests.lab.flushes import writes_ended
from tests.lab.hurting import at_work, causes, hurting
from tests.lab.scenario import disks, run, settle, wait_for

pytestmark = pytest.mark.lab
GROUPS = Path("/sys/fs/cgroup")
MEMORY_MIB = 64
OF_THE_TIME = 0.1995
"""From here on, rounded to a tenth of a percent, the rule's bound is reached: a fifth."""
TOUCHES = "import random\nb = bytearray(b'x' * (160 << 20))\nn = len(b)\nwhile True: b[random.randrange(n)] ^= 1"
SLOWEST_KIBS = "2000"
"""What an array's own work is limited to, so that it outlasts the look on a quick host."""
READS = "import os\nf = os.open('big', os.O_RDONLY)\nwhile True:\n os.lseek(f, 0, 0)\n while os.read(f, 1 << 20): pass"


def mapped(scenario, target):
    """An ext4 on a device-mapper device over a quick disk: its kernel name, and where it is mounted."""
    disk = null_blk.create(scenario, "nullb0", volatile_cache=True)
    sectors = int(run("blockdev", "--getsz", f"/dev/{disk}"))
    run("dmsetup", "create", "staged", "--table", f"0 {sectors} {target.format(disk=f'/dev/{disk}')}")
    scenario.undo(run, "dmsetup", "remove", "--retry", "staged")
    scenario.format("ext4", "/dev/mapper/staged")
    return Path("/dev/mapper/staged").resolve().name, scenario.mount("/dev/mapper/staged", "data")


def test_a_delayed_device_is_told_as_slow(scenario):
    """dm-delay of 100 ms under a program that syncs: the device that takes long, and not the program"""
    name, place = mapped(scenario, "delay {disk} 0 100")
    at_work(scenario, place)
    found = causes()
    scenario.tell(claim=f"device-slow of {name}", seen=", ".join(sorted(map(" ".join, found))))
    assert found == {("device-slow", name)}


def test_a_discard_of_minutes_is_no_silent_device(scenario):
    """blkdiscard of a dm-delay device that takes 30 s for it: discards at work, and no device that is gone"""
    disk = f"/dev/{null_blk.create(scenario, 'nullb0', discard=1)}"
    sectors = run("blockdev", "--getsz", disk).strip()
    run("dmsetup", "create", "staged", "--table", f"0 {sectors} delay {disk} 0 0 {disk} 0 30000")
    scenario.undo(run, "dmsetup", "remove", "--retry", "staged")
    name = Path("/dev/mapper/staged").resolve().name
    process = subprocess.Popen(["blkdiscard", "--length", "1M", "/dev/mapper/staged"])
    scenario.undo(process.wait)
    state = Path(f"/proc/{process.pid}/stat")
    wait_for("the discard to begin", lambda: state.read_text().rpartition(") ")[2][0] == "D")
    found = causes()
    scenario.tell(claim=f"discards-at-work of {name}", seen=", ".join(sorted(map(" ".join, found))))
    assert found == {("discards-at-work", name)}


def test_a_suspended_device_is_told_and_how_it_is_resumed(scenario):
    """dmsetup suspend under a program that syncs: the device that is suspended"""
    name, place = mapped(scenario, "linear {disk} 0")
    process = at_work(scenario, place)
    run("dmsetup", "suspend", "--nolockfs", "staged")
    scenario.undo(run, "dmsetup", "resume", "staged")
    state = Path(f"/proc/{process.pid}/stat")
    wait_for("the program to wait", lambda: state.read_text().rpartition(") ")[2][0] == "D")
    writes = writes_ended(name)
    (found,) = hurting()
    scenario.tell(claim=f"device-suspended of {name}", seen=f"{found.rule.id} {found.subject.name}")
    assert (found.rule.id, found.subject.name) == ("device-suspended", name)
    remedies.run_commands(found.instructions().now)
    wait_for("the program to go on", lambda: writes_ended(name) > writes)
    process.kill()
    process.wait()
    remedies.run_commands(found.instructions().undo)
    assert Path(f"/sys/block/{name}/dm/suspended").read_text() == "1\n"


def test_an_array_that_checks_itself_is_told_while_tasks_wait_for_it(scenario):
    """md check of a RAID 1 with a slow member, under a program that syncs: the array's own work"""
    slow = null_blk.create(scenario, "nullb0", volatile_cache=True, irqmode=2, completion_nsec=20_000_000)
    nodes = [f"/dev/{slow}", f"/dev/{scenario.attach('shelf')[0]}"]
    run("modprobe", "raid1")
    scenario.undo(run, "wipefs", "-aq", nodes[1])  # else udev takes the disk for an array when it comes again
    run("mdadm", "--create", "/dev/md/lab", "--run", "--quiet", "--assume-clean", "--level", "1", "-n", "2", *nodes)
    scenario.undo(run, "mdadm", "--stop", "/dev/md/lab")
    name = Path("/dev/md/lab").resolve().name
    scenario.format("ext4", f"/dev/{name}")
    at_work(scenario, scenario.mount(f"/dev/{name}", "data"))
    action = Path(f"/sys/block/{name}/md/sync_action")
    (action.parent / "sync_speed_max").write_text(SLOWEST_KIBS)
    action.write_text("check")
    scenario.undo(action.write_text, "idle")
    wait_for("the check to begin", lambda: action.read_text().strip() == "check")
    found = causes()
    scenario.tell(claim=f"array-at-work of {name}", seen=", ".join(sorted(map(" ".join, found))))
    assert found == {("array-at-work", name)}


def test_an_array_that_is_rebuilt_is_told_while_tasks_wait_for_it(scenario):
    """a member put back into a RAID 1, slow to be written, under a program that syncs: the array's own work"""
    slow = null_blk.create(scenario, "nullb0", volatile_cache=True, irqmode=2, completion_nsec=20_000_000)
    quick = null_blk.create(scenario, "nullb1", volatile_cache=True)
    run("modprobe", "raid1")
    run("mdadm", "--create", "/dev/md/lab", "--run", "--quiet", "--level", "1", "-n", "2", f"/dev/{quick}", "missing")
    scenario.undo(run, "mdadm", "--stop", "/dev/md/lab")
    name = Path("/dev/md/lab").resolve().name
    scenario.format("ext4", f"/dev/{name}")
    at_work(scenario, scenario.mount(f"/dev/{name}", "data"))
    action = Path(f"/sys/block/{name}/md/sync_action")
    (action.parent / "sync_speed_max").write_text(SLOWEST_KIBS)
    run("mdadm", "/dev/md/lab", "--quiet", "--add", f"/dev/{slow}")
    wait_for("the rebuild to begin", lambda: action.read_text().strip() == "recover")
    found = causes()
    scenario.tell(claim=f"array-at-work of {name}", seen=", ".join(sorted(map(" ".join, found))))
    assert found == {("array-at-work", name)}


def test_a_thin_pool_that_has_no_space_is_told_and_not_its_volume(scenario):
    """a thin pool of 64 MiB under a volume of 256 MiB that is written: the pool that takes no more"""
    disk = null_blk.create(scenario, "nullb0", volatile_cache=True)
    run("modprobe", "dm-thin-pool")
    patience = Path("/sys/module/dm_thin_pool/parameters/no_space_timeout")
    scenario.undo(patience.write_text, patience.read_text())
    patience.write_text("0")  # writes wait until they are let go, however long the look takes on a busy host
    run("dmsetup", "create", "meta", "--table", f"0 8192 linear /dev/{disk} 0")
    scenario.undo(run, "dmsetup", "remove", "--retry", "meta")
    run("dmsetup", "create", "store", "--table", f"0 131072 linear /dev/{disk} 8192")
    scenario.undo(run, "dmsetup", "remove", "--retry", "store")
    table = "0 131072 thin-pool /dev/mapper/meta /dev/mapper/store 128 0"
    run("dmsetup", "create", "pool", "--table", table)
    scenario.undo(run, "dmsetup", "remove", "--retry", "pool")
    run("dmsetup", "message", "/dev/mapper/pool", "0", "create_thin 0")
    run("dmsetup", "create", "thin", "--table", "0 524288 thin /dev/mapper/pool 0")
    scenario.undo(run, "dmsetup", "remove", "--retry", "thin")
    writer = subprocess.Popen(["dd", "if=/dev/zero", "of=/dev/mapper/thin", "bs=1M", "oflag=direct", "status=none"])
    scenario.undo(writer.wait)
    scenario.undo(run, "dmsetup", "resume", "pool")  # the writes that waited fail
    scenario.undo(run, "dmsetup", "suspend", "--noflush", "pool")
    scenario.undo(run, "dmsetup", "load", "pool", "--table", f"{table} 1 error_if_no_space")
    wait_for("the pool to be full", lambda: "out_of_data_space" in run("dmsetup", "status", "pool"))
    found = causes()
    name = Path("/dev/mapper/pool").resolve().name
    scenario.tell(claim=f"thin-pool-stopped of {name}", seen=", ".join(sorted(map(" ".join, found))))
    assert ("thin-pool-stopped", name) in found
    assert {rule for rule, _ in found} <= {"thin-pool-stopped", "program-stuck"}


def test_a_filesystem_that_its_disk_made_read_only_is_told(scenario):
    """dm-flakey that fails all writes under a program that syncs: the filesystem that the kernel turned read-only"""
    _, place = mapped(scenario, "linear {disk} 0")
    run("mount", "-o", "remount,errors=remount-ro", place)
    sectors, disk = run("dmsetup", "table", "staged").split()[1], "/dev/nullb0"
    run("modprobe", "dm-flakey")
    run("dmsetup", "load", "staged", "--table", f"0 {sectors} flakey {disk} 0 0 600 1 error_writes")
    run("dmsetup", "suspend", "--nolockfs", "staged")
    run("dmsetup", "resume", "staged")
    makes = f"n=0; while :; do n=$((n+1)); : > {place}/$n; sync {place}/$n; sleep 0.1; done"
    process = subprocess.Popen(["sh", "-c", makes], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    scenario.undo(process.wait)
    scenario.undo(process.kill)
    wait_for("the journal to be aborted", lambda: "Aborting journal" in run("dmesg"))
    found = causes()
    scenario.tell(claim=f"filesystem-turned-read-only of {place}", seen=", ".join(sorted(map(" ".join, found))))
    assert found == {("filesystem-turned-read-only", place), ("device-errors-logged", "dm-0")}


NFSD = Path("/proc/fs/nfsd")


def serve(folder):
    """Start the kernel's own NFS server, of version 4 alone, with one export and no helpers. A stop forgets it all."""
    later = 2147483647
    # 0x2412: NFSEXP_INSECURE_PORT, _ASYNC, _NOSUBTREECHECK and _FSID, which is 0
    for cache, words in (
        ("auth.unix.ip", f"nfsd 127.0.0.1 {later} lab"),
        ("nfsd.export", f"lab {folder} {later} {0x2412} 65534 65534 0"),
        ("nfsd.fh", f"lab 1 \\x00000000 {later} {folder}"),
    ):
        Path(f"/proc/net/rpc/{cache}/channel").write_text(f"{words}\n")
    for name, words in (("versions", "-3 +4"), ("nfsv4leasetime", "10"), ("nfsv4gracetime", "10")):
        (NFSD / name).write_text(f"{words}\n")
    (NFSD / "portlist").write_text("tcp 2049\n")
    (NFSD / "threads").write_text("2\n")


def test_an_nfs_server_that_stops_is_told_with_who_waits(scenario):
    """an NFS server that is stopped under a program that writes: the mount that does not answer"""
    folder, place = Path("/run/lab-export"), Path("/run/lab-nfs")
    for one in (folder, place):
        one.mkdir(exist_ok=True)
    run("modprobe", "--all", "nfsd", "nfsv4")
    if not (NFSD / "threads").exists():
        run("mount", "-t", "nfsd", "nfsd", str(NFSD))
        scenario.undo(run, "umount", str(NFSD))
    serve(folder)
    scenario.undo((NFSD / "threads").write_text, "0\n")
    options = "vers=4.2,addr=127.0.0.1,clientaddr=127.0.0.1,proto=tcp,soft,timeo=200,retrans=2"
    run("mount", "-i", "-t", "nfs4", "-o", options, "127.0.0.1:/", str(place))
    scenario.undo(run, "umount", "-f", "-l", str(place))
    process = at_work(scenario, place)
    scenario.undo(serve, folder)  # else the program waits for ever, although it is killed
    wait_for("the program to write", (folder / "one").exists)
    (NFSD / "threads").write_text("0\n")
    state = Path(f"/proc/{process.pid}/stat")
    wait_for("the program to wait", lambda: state.read_text().rpartition(") ")[2][0] == "D")
    found = causes()
    scenario.tell(claim=f"filesystem-does-not-answer of {place}", seen=", ".join(sorted(map(" ".join, found))))
    assert found == {("filesystem-does-not-answer", str(place))}


class LateLink(threading.Thread):
    """Hands on what a target answers to its initiator, each piece after 150 ms."""

    def __init__(self, port, to):
        super().__init__(daemon=True)
        self.listening, self.to = socket.create_server(("127.0.0.1", port)), to

    def run(self):
        with self.listening:
            asking, _ = self.listening.accept()
        with asking, socket.create_connection(self.to) as answering:
            threading.Thread(target=self.hand_on, args=(asking, answering, 0), daemon=True).start()
            self.hand_on(answering, asking, 0.15)

    @staticmethod
    def hand_on(source, sink, seconds):
        """Until either end goes."""
        with contextlib.suppress(OSError):
            while piece := source.recv(1 << 20):
                time.sleep(seconds)
                sink.sendall(piece)


ISCSI, BACKS = Path("/sys/kernel/config/target/iscsi"), Path("/sys/kernel/config/target/core")
TARGET = "iqn.2026-11.test.fsadvisor:lags"


def made(scenario, folder):
    """A folder of configfs, which goes at the end."""
    folder.mkdir(parents=True)
    scenario.undo(folder.rmdir)
    return folder


def offer(scenario, port):
    """The kernel's own iSCSI target, with one disk that is memory."""
    run("modprobe", "--all", "target_core_mod", "iscsi_target_mod", "iscsi_tcp")
    for folder in (BACKS / "rd_mcp_0", ISCSI, ISCSI / TARGET):
        if not folder.exists():
            made(scenario, folder)
    disk = made(scenario, BACKS / "rd_mcp_0" / "disk")
    (disk / "control").write_text("rd_pages=16384")
    (disk / "enable").write_text("1")
    group = made(scenario, ISCSI / TARGET / "tpgt_1")
    for name in ("generate_node_acls", "cache_dynamic_acls"):
        (group / "attrib" / name).write_text("1")
    for name in ("authentication", "demo_mode_write_protect"):
        (group / "attrib" / name).write_text("0")
    made(scenario, group / "np" / f"127.0.0.1:{port}")
    unit = made(scenario, group / "lun" / "lun_0")
    link = unit / "disk"
    link.symlink_to(disk)
    scenario.undo(link.unlink)
    (group / "enable").write_text("1")
    scenario.undo((group / "enable").write_text, "0")


def test_an_iscsi_target_that_lags_is_told_as_slow(scenario):
    """an iSCSI target whose answers are 150 ms under way, under a program that syncs: the device, and whose it is"""
    offer(scenario, 3261)
    LateLink(3260, ("127.0.0.1", 3261)).start()
    before = disks()
    scenario.undo(wait_for, "the disk to go", lambda: disks() == before)
    run("iscsistart", "-i", "iqn.2026-11.test.fsadvisor:host", "-t", TARGET, "-g", "1", "-a", "127.0.0.1", "-p", "3260")
    wait_for("the disk to be there", lambda: disks() - before)
    (name,) = disks() - before
    scenario.undo(Path(f"/sys/block/{name}/device/delete").write_text, "1")
    settle()
    run("mkfs.ext2", "-q", "-F", "-I", "256", f"/dev/{name}")
    at_work(scenario, scenario.mount(f"/dev/{name}", "data"))
    seen = observe(8)
    told = answer(seen, own_rulebook().rules).found
    found = {(one.verdict.rule.id, one.verdict.subject.name) for one in told if one.hurts}
    scenario.tell(claim=f"device-slow of {name}", seen=", ".join(sorted(map(" ".join, found))))
    assert found == {("device-slow", name)}, [one for one in seen.devices if one.name == name]
    assert "another machine's" in told[0].verdict.instructions().advice


def slow_disk(scenario, name, milliseconds):
    return null_blk.create(scenario, name, volatile_cache=True, irqmode=2, completion_nsec=milliseconds * 1_000_000)


def in_group(scenario, code, place):
    """A Python program in a control group of 64 MiB, of which it needs more; the group's folder."""
    (GROUPS / "cgroup.subtree_control").write_text("+memory +io")
    group = GROUPS / "staged"
    group.mkdir()
    scenario.undo(group.rmdir)
    scenario.undo(wait_for, "the group to be empty", lambda: not (group / "cgroup.procs").read_text())
    (group / "memory.max").write_text(str(MEMORY_MIB << 20))
    enter = ("sh", "-c", f'echo $$ > {group}/cgroup.procs; exec "$@"', "sh")
    process = subprocess.Popen([*enter, sys.executable, "-c", code], cwd=place)
    scenario.undo(process.wait)
    scenario.undo(process.kill)
    return group


def told_causes(scenario, claim):
    """The causes that doctor told, and the most that a control group waited for memory, of the time."""
    seen = observe(8)
    found = {(one.verdict.rule.id, one.verdict.subject.name) for one in answer(seen, own_rulebook().rules).found}
    waits = max((one.for_memory for one in seen.programs), default=0.0)
    pressure = max((one.memory_some or 0.0 for one in seen.groups), default=0.0)
    told = ", ".join(sorted(map(" ".join, found))) or "nothing"
    machine = f"the machine's {100 * (seen.memory_some or 0):.0f} % with {100 * (seen.memory_free or 0):.0f} % free"
    scenario.tell(
        claim=claim,
        seen=f"{told}; pressure {100 * pressure:.0f} %, {machine}, in swap {100 * waits:.0f} % of the looks",
    )
    return found, pressure


@pytest.mark.parametrize("milliseconds", [1, 5])
@pytest.mark.kernels
def test_a_swap_storm_in_a_control_group_is_told_by_where_its_program_waits(scenario, milliseconds):
    """swap storm of a program of 160 MiB in a control group of 64 MiB: the group's limit, and not the swap disk"""
    disk = slow_disk(scenario, "nullb0", milliseconds)
    run("mkswap", f"/dev/{disk}")
    run("swapon", f"/dev/{disk}")
    scenario.undo(run, "swapoff", f"/dev/{disk}")
    group = in_group(scenario, TOUCHES, "/")
    swapped = group / "memory.swap.current"
    wait_for("the program to be swapped out", lambda: int(swapped.read_text()) > 80 << 20)
    found, _ = told_causes(scenario, "group-short-of-memory of /staged")
    assert found == {("group-short-of-memory", "/staged")}


@pytest.mark.kernels
def test_a_control_group_that_reads_files_past_its_limit_is_no_swap_storm(scenario):
    """a reader of 150 MiB of files in a control group of 64 MiB, which never waits for memory: nothing"""
    disk = slow_disk(scenario, "nullb0", 1)
    scenario.format("ext4", f"/dev/{disk}")
    place = scenario.mount(f"/dev/{disk}", "data")
    (Path(place) / "big").write_bytes(bytes(150 << 20))
    run("sync")
    Path("/proc/sys/vm/drop_caches").write_text("1")
    group = in_group(scenario, READS, place)
    limit = (MEMORY_MIB - 8) << 20
    wait_for("its memory to be used up", lambda: int((group / "memory.current").read_text()) > limit)
    found, pressure = told_causes(scenario, "nothing of memory")
    told = {rule for rule, _ in found}
    assert "memory-short" not in told
    # the kernel counts pages that are read again soon after they went: 6 to 18 % on a quiet host, more on a busy one
    assert ("group-short-of-memory" in told) == (pressure >= OF_THE_TIME)


@pytest.mark.thorough
@pytest.mark.kernels
def test_a_machine_that_is_short_of_memory_is_told_and_not_the_disks_that_it_swaps_to(scenario):
    """a program of 200 MiB more than there is, swapped to three hard disks: the machine is short of memory"""
    for disk in scenario.attach("shelf")[:3]:
        run("mkswap", f"/dev/{disk}")
        run("swapon", f"/dev/{disk}")
        scenario.undo(run, "swapoff", f"/dev/{disk}")
    wanted = kib("MemAvailable") * 1024 + (200 << 20)
    free = kib("SwapFree")
    process = subprocess.Popen([sys.executable, "-c", TOUCHES.replace("b'x' * (160 << 20)", str(wanted))])
    scenario.undo(process.wait)
    scenario.undo(process.kill)
    wait_for("the program to be swapped out", lambda: kib("SwapFree") < free - (100 << 10), 400)
    found, _ = told_causes(scenario, "memory-short of this machine")
    assert ("memory-short", "this machine") in found


def kib(name):
    """One of the sizes in /proc/meminfo."""
    lines = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
    return next(int(words[1]) for words in lines if words[0] == f"{name}:")
