"""Moments of machines that are made up."""

from fsadvisor.machine.port import Reply
from fsadvisor.machine.pulse import ProcessPulse, Pulse, Stacks

VMSTAT = "nr_dirty 100\nnr_writeback 10\nnr_dirty_threshold 1000\nnr_dirty_background_threshold 500\n"
PRESSURE = "some avg10=12.50 avg60=1.00 avg300=1.00 total=1\nfull avg10=3.00 avg60=1.00 avg300=1.00 total=1\n"
SYNCING = "[<0>] jbd2_log_wait_commit+0xd1/0x130\n[<0>] ext4_sync_file+0x182/0x350\n[<0>] do_fsync+0x38/0x70\n"
WAITING = "[<0>] do_epoll_wait+0x1/0x2\n"


STAT = "cpu  {busy} 0 0 {idle} 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\nprocs_running 1\nprocs_blocked 0\n"


def disk_line(minor, name, writes, flushes=0):
    """A line of /proc/diskstats: each write takes 2 ms for 4 KiB."""
    return f" 8 {minor} {name} 0 0 0 0 {writes} 0 {writes * 8} {writes * 2} 0 {writes} {writes * 2} 0 0 0 0 {flushes} 0"


def pulse(at_s, writes, flushes=0.0):
    """A moment at which disks have written so often since boot, by name; `flushes` come with each write."""
    lines = "".join(
        disk_line(at, name, number, round(number * flushes)) + "\n" for at, (name, number) in enumerate(writes.items())
    )
    return Pulse(
        at_s=at_s,
        cpu_s=at_s * 0.02,
        page_bytes=4096,
        diskstats=Reply(lines, "/proc/diskstats"),
        vmstat=Reply(VMSTAT, "/proc/vmstat"),
        pressure=Reply(PRESSURE, "/proc/pressure/io"),
        cpu_pressure=Reply(PRESSURE, "/proc/pressure/cpu"),
        memory_pressure=Reply(PRESSURE, "/proc/pressure/memory"),
        memory=Reply("MemTotal: 16000000 kB\nMemFree: 9000000 kB\nMemAvailable: 12000000 kB\n", "/proc/meminfo"),
        nodes=(),
        stat=Reply(STAT.format(busy=round(at_s * 25), idle=round(at_s * 75)), "/proc/stat"),
        devices=tuple(name.replace("/", "!") for name in writes),
    )


def processes(at_s, written, *, names=None, parents=None, started=1, gone=(), denied=0, cancelled=0):
    """What processes have written up to a moment, by pid."""
    names, parents = names or {}, parents or {}
    return ProcessPulse(
        at_s=at_s,
        io={
            pid: f"read_bytes: 0\nwrite_bytes: {number}\ncancelled_write_bytes: {cancelled}\n"
            for pid, number in written.items()
        },
        stat={
            pid: f"{pid} ({names.get(pid, 'writer')}) S {parents.get(pid, 1)} {'0 ' * 17}{started} 0\n"
            for pid in written
        },
        gone=frozenset(gone),
        seen=len(written) + denied,
        denied=denied,
        root=not denied,
    )


def stacks(at_s, texts, **told):
    """Where threads are."""
    return Stacks(at_s=at_s, stacks=texts, **told)
