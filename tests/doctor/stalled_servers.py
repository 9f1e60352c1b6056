"""Servers on which somebody waits: for a device, a server, a job of the kernel's, memory or a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.measure.now import Group
from tests.doctor.situations import Task, disk, place, server, situation

if TYPE_CHECKING:
    from fsadvisor.measure.now import Window

COMMIT: Final = ("jbd2_log_wait_commit", "ext4_sync_file", "do_fsync")
READ: Final = ("folio_wait_bit_common", "filemap_update_page", "filemap_read")


def database(**facts: object) -> Task:
    """It waits for its commits."""
    told = {"pid": 800, "name": "mysqld", "stack": COMMIT, "goes_on": True, **facts}
    return Task(**told)  # type: ignore[arg-type]


@situation(
    "device-slow:sdb",
    words=("sdb: 180 ms per request", "jbd2/sdb1-8 (pid 300)", "mysqld (pid 800)"),
    never=("Nothing",),
)
def the_journal_waits_for_a_slow_disk() -> Window:
    """sdb is slow: 180 ms a request, and no queue. The journal's thread and mysqld wait for it."""
    journal = Task(
        pid=300, name="jbd2/sdb1-8", stack=("__wait_on_buffer", "jbd2_journal_commit_transaction"), kernel=True
    )
    slow = disk("sdb", reads=0.0, writes=5.5, write_ms=180.0, busy=0.99, queue=1.1)
    return server((journal, database()), None, (slow,), io_some=0.95)


@situation("filesystem-does-not-answer:/mnt/home", words=("nfs4 on filer1:/home", "bash (pid 902)"), never=("sdb",))
def a_dead_nfs_server() -> Window:
    """The server of /mnt/home does not answer. Three shells wait for it; no disk of ours does."""
    stack = ("rpc_wait_bit_killable", "__rpc_execute", "nfs4_call_sync_sequence", "nfs4_proc_getattr")
    tasks = [Task(pid=900 + n, name="bash", stack=stack, places=("/mnt/home",)) for n in range(3)]
    gone = place(
        "/mnt/home", "filer1:/home", "", type="nfs4", answers=False, size=None, available=None, inodes=None,
        inodes_free=None,
    )  # fmt: skip
    log = "[ 6900.000000] nfs: server filer1 not responding, still trying\n"
    return server(tasks, (place(), gone), None, log, io_some=0.9)


@situation("device-silent:nvme0n1", words=("nvme0n1: 32 requests in flight",), never=("program-stuck",))
def nvme_commands_time_out() -> Window:
    """nvme0n1 completes nothing; its commands time out, and the controller is reset."""
    log = (
        "[ 7100.000000] nvme nvme0: I/O tag 123 (d07b) opcode 0x1 (I/O Cmd) QID 5 timeout, aborting req_op:WRITE(1)\n"
        "[ 7130.000000] nvme nvme0: I/O tag 123 (d07b) opcode 0x1 (I/O Cmd) QID 5 timeout, reset controller\n"
    )
    silent = disk("nvme0n1", reads=0.0, called=("nvme0",), in_flight=32, busy=1.0, queue=32.0)
    fs = place(source="/dev/nvme0n1p1", device="nvme0n1")
    return server((Task(pid=800, name="mysqld", stack=READ),), (fs,), (silent,), log, io_some=1.0)


@situation("thin-pool-stopped:dm-2", words=("out_of_data_space", "qemu (pid 800)"), never=("program-stuck",))
def a_full_thin_pool() -> Window:
    """The thin pool is full: writes wait until it grows."""
    thin = disk("dm-5", reads=0.0, below=("dm-2",), in_flight=4, queue=4.0, busy=1.0)
    pool = disk("dm-2", reads=0.0, below=("sdb",), pool_mode="out_of_data_space")
    log = "[ 7000.000000] device-mapper: thin: 253:2: switching pool to out-of-data-space (queue IO) mode\n"
    fs = place(source="/dev/dm-5", device="dm-5")
    return server((Task(pid=800, name="qemu", stack=COMMIT),), (fs,), (thin, pool, disk("sdb")), log, io_some=1.0)


@situation("journal-full:/srv", "device-at-its-limit:sdb", words=("xlog_grant_head_wait",))
def an_xfs_log_without_room() -> Window:
    """The log of the XFS on /srv is full: four rm wait for room in it while old entries are written in place."""
    stack = ("xlog_grant_head_wait", "xlog_grant_head_check", "xfs_log_reserve", "xfs_trans_alloc", "xfs_inactive")
    tasks = [Task(pid=800 + n, name="rm", stack=stack, goes_on=True, share=0.8) for n in range(4)]
    busy = disk("sdb", writes=180.0, write_ms=40.0, busy=0.99, queue=9.0)
    return server(tasks, (place(type="xfs"),), (busy,), io_some=0.8)


@situation("btrfs-at-work:/srv", words=("balance runs",), never=("program-stuck", "device-at-its-limit"))
def a_balance_of_btrfs() -> Window:
    """A balance runs on /srv, and a transaction of it is waited for."""
    stack = ("wait_current_trans", "start_transaction", "btrfs_rename2")
    waits = Task(pid=800, name="mv", stack=stack, goes_on=True, share=0.8)
    busy = disk("sdb", reads=200.0, read_ms=20.0, busy=0.99, queue=4.0)
    return server((waits,), (place(type="btrfs", job="balance"),), (busy,), io_some=0.8)


@situation("memory-short:this machine", never=("device-", "disk-taken"))
def a_swap_storm() -> Window:
    """Memory is short: all wait for swap. The disk is only what is swapped to."""
    swapped = ("folio_wait_bit_common", "do_swap_page", "handle_mm_fault")
    tasks = [Task(pid=800 + n, name="java", stack=swapped, goes_on=True, share=0.9, reads=3e7) for n in range(3)]
    busy = disk("sdb", reads=8000.0, read_ms=3.0, writes=2000.0, write_ms=3.0, busy=1.0, queue=24.0)
    short = {"memory_some": 0.7, "memory_full": 0.4, "swap_bytes": 9e7, "memory_available": 0.02}
    return server(tasks, None, (busy,), io_some=0.8, **short)


@situation("group-at-its-limit:/b.service", words=("1,048,576 bytes read per second of sdb",), never=("device-",))
def a_control_group_at_its_limit() -> Window:
    """The limit of b.service holds fio back; the disk is idle."""
    limited = Group(path="/b.service", limit="1,048,576 bytes read per second", device="sdb", of_limit=1.0)
    waits = Task(pid=800, name="fio", stack=("blkdev_direct_IO",), goes_on=True, group="/b.service", reads=1e6)
    return server((waits,), None, None, groups=(limited,), io_some=0.9)


@situation("filesystem-frozen:/srv", words=("fsfreeze --unfreeze /srv",), never=("program-stuck",))
def a_filesystem_left_frozen() -> Window:
    """/srv is frozen."""
    stack = ("percpu_rwsem_wait", "__percpu_down_read", "ext4_page_mkwrite")
    return server((Task(pid=800, name="mysqld", stack=stack),), None, (disk("sdb"),))


@situation("discards-at-work:sdb", words=("fstrim (pid 700)", "mysqld (pid 800)"))
def a_trim_at_noon() -> Window:
    """fstrim keeps sdb busy, and mysqld waits."""
    trims = Task(pid=700, name="fstrim", stack=("submit_bio_wait", "blkdev_issue_discard"), goes_on=True)
    busy = disk("sdb", writes=40.0, write_ms=300.0, busy=1.0, queue=20.0, discards=7.0, discard=0.97)
    return server((trims, database(share=0.8)), None, (busy,), io_some=0.9)
