"""Moments, looks and measures that are made up."""

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.machine.port import Reply
from fsadvisor.machine.pulse import KernelCounters, Pulse, ThreadSample, WaitingThread
from fsadvisor.measure.waits.rules import Measures
from fsadvisor.measure.waits.window import NOT_TRACED, window

NOT_KNOWN = Unknown(Cause.DENIED, "run as root", "made up")
FSYNC = "[<0>] jbd2_log_wait_commit+0xd1/0x130\n[<0>] ext4_sync_file+0x182/0x350\n[<0>] do_fsync+0x38/0x70"
JOURNALLING = "[<0>] folio_wait_bit_common+0x13d/0x350\n[<0>] jbd2_journal_commit_transaction+0x95d/0x1a00"
DIRECTORY = "[<0>] rwsem_down_write_slowpath+0x2ab/0x6d0\n[<0>] do_filp_open+0xc3/0x170"


def measures(**known):
    """The named ones are known, all others are not."""
    return Measures(
        **{one: Known(known[one], "made up") if one in known else NOT_KNOWN for one in Measures.__struct_fields__}
    )


def stat(busy=0, idle=0, iowait=0, steal=0, processors=2):
    """/proc/stat in ticks; half of what is busy is the kernel's."""
    each = "".join(f"cpu{number} 0 0 0 0 0 0 0 0 0 0\n" for number in range(processors))
    return f"cpu  {busy - busy // 2} 0 {busy // 2} {idle} {iowait} 0 0 {steal} 0 0\n{each}procs_running 1\n"


def disk(name="vda", writes=0, write_ms=0, busy_ms=0, queue_ms=0, flushes=0, flush_ms=0, number=0):
    """A line of /proc/diskstats."""
    return (
        f" 253 {number} {name} 0 0 0 0 {writes} 0 {writes * 8} {write_ms} 0 {busy_ms} {queue_ms} 0 0 0 0 "
        f"{flushes} {flush_ms}\n"
    )


def stalled(us):
    """A file of pressure."""
    return (
        f"some avg10=0.00 avg60=0.00 avg300=0.00 total={us}\nfull avg10=0.00 avg60=0.00 avg300=0.00 total={us // 2}\n"
    )


def meminfo(free=60, available=80):
    """Of 100 kB."""
    return f"MemTotal: 100 kB\nMemFree: {free} kB\nMemAvailable: {available} kB\n"


def moment(at_s, disks="", cpu=None, io_us=0, cpu_us=0, memory_us=0, jbd2=None, xfs=None, btrfs=None, **answers):
    """A moment; what `answers` names is as given."""
    names = tuple(line.split()[2].replace("/", "!") for line in disks.splitlines())
    given = {
        "at_s": at_s,
        "cpu_s": at_s * 0.02,
        "page_bytes": 4096,
        "diskstats": Reply(disks, "/proc/diskstats"),
        "vmstat": Reply("", "/proc/vmstat"),
        "pressure": Reply(stalled(io_us), "/proc/pressure/io"),
        "cpu_pressure": Reply(stalled(cpu_us), "/proc/pressure/cpu"),
        "memory_pressure": Reply(stalled(memory_us), "/proc/pressure/memory"),
        "memory": Reply(meminfo(), "/proc/meminfo"),
        "nodes": (),
        "stat": Reply(stat() if cpu is None else cpu, "/proc/stat"),
        "devices": names,
    }
    files = {"jbd2": jbd2, "xfs": xfs, "btrfs": btrfs}
    return KernelCounters(
        pulse=Pulse(**{**given, **answers}),
        **{
            kind: {name: Reply(text, f"{kind} of {name}") for name, text in (texts or {}).items()}
            for kind, texts in files.items()
        },
    )


def look(at_s=1.0, running=(), waiting=(), threads=100, unknown=None):
    """`running` are names, `waiting` pairs of name and stack."""
    return ThreadSample(
        at_s=at_s,
        threads=threads,
        running=tuple((number, number, name) for number, name in enumerate(running, 500)),
        waiting=tuple(
            WaitingThread(pid=number, thread=number, name=name, where=where)
            for number, (name, where) in enumerate(waiting, 900)
        ),
        unknown=unknown,
    )


def syncing(locks=NOT_TRACED, name="vda"):
    """Ten seconds of a machine that waits for flushes, with two threads in fsync and the journal's own."""
    jbd2 = (
        "{} transactions ({} requested), each up to 8192 blocks\naverage: \n"
        "  9ms running transaction\n  0ms logging transaction\n"
        "  {}us average transaction commit time\n"
    )
    before = moment(0.0, disk(name), cpu=stat(0, 0), jbd2={"vda1-8": jbd2.format(10, 9, 9000)})
    after = moment(
        10.0,
        disk(name, writes=4000, write_ms=20_000, busy_ms=3000, queue_ms=20_000, flushes=1000, flush_ms=7200),
        cpu=stat(200, 1000, 800),
        io_us=9_100_000,
        jbd2={"vda1-8": jbd2.format(1010, 1009, 9400)},
    )
    waiting = (("writer", FSYNC), ("writer", FSYNC), ("jbd2/vda1-8", JOURNALLING))
    looks = [look(at / 10, ("python3",) if at % 4 == 0 else (), waiting) for at in range(100)]
    return window(before, after, looks, locks)
