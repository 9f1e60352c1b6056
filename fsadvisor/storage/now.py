"""What a look of some seconds saw: the facts that rules of causes ask, `rules/now/`.

One namespace for the machine, a device, a filesystem, a program and a control group: `now.what` says which it is, and a
fact of another kind does not apply.
"""

from __future__ import annotations

from typing import Literal

from fsadvisor.facts import Fact
from fsadvisor.storage.about import Described, about, some

_LOOK = "`fsadvisor doctor`"


class Now(Described, frozen=True, kw_only=True):
    """One thing that was looked at."""

    what: Fact[Literal["machine", "device", "filesystem", "program", "group"]] = about("kind of thing", _LOOK)
    name: Fact[str] = about("its name: a device, a mount point, a process, a control group", _LOOK)
    seconds: Fact[float] = about("how long the look took", _LOOK, "s")
    # the machine
    processor_percent: Fact[float] = some("processors busy", "/proc/stat", "percent")
    steal_percent: Fact[float] = some("the hypervisor ran others", "/proc/stat", "percent")
    processor_some_percent: Fact[float] = some("a thread waited for a processor", "/proc/pressure/cpu", "percent")
    io_some_percent: Fact[float] = about("a thread waited for I/O", "/proc/pressure/io", "percent")
    memory_some_percent: Fact[float] = some("a thread waited for memory", "/proc/pressure/memory", "percent")
    memory_full_percent: Fact[float] = some("all threads waited for memory", "/proc/pressure/memory", "percent")
    swapped_bytes: Fact[float] = some("read from and written to swap, per second", "/proc/vmstat", "bytes")
    dirty_percent: Fact[float] = some(
        "dirty pages and those under writeback, of the limit at which writers must wait", "/proc/vmstat", "percent"
    )
    held_back_percent: Fact[float] = some(
        "looks in which a program was held back in its writes, of the one that was most", "/proc/PID/stack", "percent"
    )
    memory_waiting_percent: Fact[float] = some(
        "looks in which a program waited for swap or free memory, of the one that waited most",
        "/proc/PID/stack",
        "percent",
    )
    memory_available_percent: Fact[float] = some("memory that is available, of all", "/proc/meminfo", "percent")
    log_hung_tasks: Fact[int] = some("tasks of which the log says that they hung, last hour", "dmesg", "tasks")
    directory_waiting: Fact[float] = some(
        "threads that waited for the lock of a directory, on average", "/proc/PID/stack"
    )
    lock_waiting: Fact[float] = some("threads that waited for a lock of the kernel, on average", "/proc/PID/stack")
    # a device
    busy_percent: Fact[float] = some("time with a request under way", "/proc/diskstats", "percent")
    queue: Fact[float] = some("requests under way, on average", "/proc/diskstats")
    in_flight: Fact[int] = some("requests begun and not ended at the end of the look", "/proc/diskstats")
    completed: Fact[int] = some("reads, writes, discards and flushes that ended", "/proc/diskstats")
    requests: Fact[float] = some("reads and writes per second", "/proc/diskstats")
    latency_ms: Fact[float] = some("what a read or write took, on average", "/proc/diskstats", "ms")
    flush_percent: Fact[float] = some("flushes under way on average, of one", "/proc/diskstats", "percent")
    discard_percent: Fact[float] = some("discards (TRIM) under way on average, of one", "/proc/diskstats", "percent")
    discards: Fact[float] = some("discards (TRIM) per second", "/proc/diskstats")
    reached_by: Fact[str] = some("how a disk of another machine is reached: nbd, rbd, iscsi, …", "/sys/block")
    log_errors: Fact[int] = some("lines of the kernel's log on errors of it, last hour", "dmesg", "lines")
    log_resets: Fact[int] = some("lines of the kernel's log on its resets and time-outs, last hour", "dmesg", "lines")
    mover_percent: Fact[float] = some(
        "of what programs read and wrote there, the share of those that moved most", "/proc/PID/io", "percent"
    )
    movers: Fact[int] = some(
        "programs that moved most: one, those with a fifth each, or those of one unit", "/proc/PID/io", "programs"
    )
    others_waiting_percent: Fact[float] = some(
        "looks in which another program at work there waited for it, of the one that waited most",
        "/proc/PID/stack",
        "percent",
    )
    suspended: Fact[bool] = some("the device mapper holds all requests back", "/sys/block/DEVICE/dm/suspended")
    pool_mode: Fact[str] = some("how a thin pool works: rw, ro, out_of_data_space or Fail", "`dmsetup status`")
    md_action: Fact[str] = some("work of the array's own", "/sys/block/DEVICE/md/sync_action")
    # a filesystem
    type: Fact[str] = some("type of the filesystem", "/proc/self/mountinfo")
    answers: Fact[bool] = some("statfs returned within its time-out", "statfs(2)")
    statfs: Fact[str] = some("how statfs ended: answered, no answer, or an error such as ENOTCONN", "statfs(2)")
    frozen_waiters: Fact[int] = some("threads that waited all the time to begin a write", "/proc/PID/stack", "threads")
    turned_read_only: Fact[bool] = some(
        "the kernel turned it read-only, or shut it down, because of an error",
        "/proc/self/mountinfo, /sys/fs/ext4/DEVICE/errors_count",
    )
    available_percent: Fact[float] = some("space that programs may still use, of all", "statfs(2)", "percent")
    available_bytes: Fact[int] = some("space that programs may still use", "statfs(2)", "bytes")
    inodes_free: Fact[int] = some("inodes that are free", "statfs(2)", "inodes")
    job: Fact[str] = some("work of the filesystem's own that runs", "/sys/fs/btrfs/UUID/exclusive_operation, threads")
    log_damage: Fact[int] = some("lines of the kernel's log on damage of it, last hour", "dmesg", "lines")
    journal_full_percent: Fact[float] = some(
        "looks in which a program waited for space in the journal, of the one that waited most",
        "/proc/PID/stack",
        "percent",
    )
    network_ms: Fact[float] = some(
        "what an operation took from its beginning to its end", "/proc/self/mountstats", "ms"
    )
    # a program
    waiting_percent: Fact[float] = some("looks in which a thread of it waited in state D", "/proc/PID/stack", "percent")
    sync_percent: Fact[float] = some("looks in which a thread of it waited in a sync", "/proc/PID/stack", "percent")
    kernel_thread: Fact[bool] = some("it is a thread of the kernel", "/proc/PID/cmdline")
    stuck_threads: Fact[int] = some("threads that waited at one place in all looks", "/proc/PID/stack", "threads")
    # a control group
    limit_percent: Fact[float] = some("what it did, of its nearest limit", "io.max, blkio.throttle.*", "percent")
    group_memory_percent: Fact[float] = some("a task of it waited for memory", "memory.pressure", "percent")
    memory_limit_hits: Fact[int] = some("times that its memory reached its limit", "memory.events", "times")
    memory_limit_percent: Fact[float] = some(
        "memory that it uses, of its own limit", "memory.current, memory.usage_in_bytes", "percent"
    )
