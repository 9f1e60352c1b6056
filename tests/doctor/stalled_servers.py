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
        pid=300,
        name="jbd2/sdb1-8",
        stack=("__wait_on_buffer", "jbd2_journal_commit_transaction"),
        kernel=True,
        places=("/",),
    )
    slow = disk("sdb", reads=0.0, writes=5.5, write_ms=180.0, busy=0.99, queue=1.1)
    root = place("/", "/dev/sda2", "sda")
    return server((journal, database()), (root, place()), (disk("sda"), slow), io_some=0.95)


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


_FLUSH: Final = ("submit_bio_wait", "blkdev_issue_flush", "ext4_sync_file", "do_fsync")
_LOG: Final = ("xlog_wait_on_iclog", "xfs_log_force_seq", "xfs_file_fsync", "do_fsync")
_RECORD: Final = ("jbd2_journal_commit_transaction", "kjournald2")
_IDLE: Final = {"reads": 0.0, "busy": 0.0}


@situation(
    "device-silent:sdb",
    words=("sdb: 1 request in flight", "by threads that wait for one flush all the time", "mysqld (pid 800)"),
    never=("program-", "power-loss"),
)
def a_flush_that_does_not_end() -> Window:
    """sdb ends nothing: a flush of it hangs, for which mysqld waits. The counters of Linux 6.1 call it idle."""
    return server((database(stack=_FLUSH, goes_on=False),), None, (disk("sdb", **_IDLE), disk("sda")), io_some=1.0)


@situation("device-silent:sdb", words=("jbd2/sdb1-8 (pid 300)", "mysqld (pid 800)"), never=("program-", "power-loss"))
def a_commit_whose_flush_does_not_end() -> Window:
    """sdb ends nothing: the journal's last write, which begins with a flush, hangs. mysqld waits for the commit."""
    journal = Task(pid=300, name="jbd2/sdb1-8", stack=_RECORD, kernel=True, places=())
    return server((database(goes_on=False), journal), None, (disk("sdb", **_IDLE),), io_some=1.0)


@situation("device-silent:sdb", words=("mysqld (pid 800)",), never=("program-", "power-loss"))
def a_write_of_the_log_of_xfs_that_does_not_end() -> Window:
    """sdb ends nothing: what XFS writes to its log begins with a flush, and that hangs. mysqld waits for it."""
    fs = place(source="/dev/sdb1", device="sdb", type="xfs")
    return server((database(stack=_LOG, goes_on=False),), (fs,), (disk("sdb", **_IDLE),), io_some=1.0)


@situation("program-waits-for-commits:mysqld (pid 800)", never=("device-silent",))
def a_flush_that_waits_behind_others_work() -> Window:
    """mysqld waits for one flush all the time, and sdb ends requests of others meanwhile: it is not silent."""
    volume = disk("dm-1", below=("sdb",), **_IDLE)
    fs = place(source="/dev/mapper/vg-db", device="dm-1")
    busy = disk("sdb", reads=60.0, read_ms=9.0, busy=0.6, queue=0.7)
    return server((database(stack=_FLUSH, goes_on=False),), (fs,), (volume, busy), io_some=1.0)


@situation("program-waits-for-commits:mysqld (pid 800)", never=("device-silent",))
def a_flush_of_which_it_is_not_told_where() -> Window:
    """mysqld has files on two disks, and waits for a flush of one of them: none is called silent by a guess."""
    here = database(stack=_FLUSH, goes_on=False, places=("/srv", "/log"))
    disks = (disk("sdb", **_IDLE), disk("sdc", **_IDLE))
    return server((here,), (place(), place("/log", "/dev/sdc1", "sdc")), disks, io_some=1.0)


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


@situation("discards-at-work:sdb", words=("no request ended in 5 s", "blkdiscard (pid 700)"), never=("device-silent",))
def a_discard_that_takes_longer_than_the_look() -> Window:
    """blkdiscard works on sdb, whose one request is under way all the time. Nobody else waits for it."""
    trims = Task(pid=700, name="blkdiscard", stack=("submit_bio_wait", "blkdev_issue_discard"), places=("/dev/sdb",))
    return server((trims,), None, (disk("sdb", reads=0.0, busy=1.0, queue=1.0, in_flight=1),), io_some=1.0)


@situation("device-silent:sdb", words=("mysqld (pid 800)",), never=("discards-at-work",))
def a_disk_that_ends_neither_discards_nor_reads() -> Window:
    """fstrim and mysqld wait for sdb, which ends nothing."""
    trims = Task(pid=700, name="fstrim", stack=("submit_bio_wait", "blkdev_issue_discard"))
    silent = disk("sdb", reads=0.0, busy=1.0, queue=2.0, in_flight=2)
    return server((trims, Task(pid=800, name="mysqld", stack=READ)), None, (silent,), io_some=1.0)


@situation(
    "paths-gone:dm-3", words=("(mpatha, /srv)", "oracle (pid 800)", "multipath -ll"), never=("program-stuck", "8:16")
)
def all_paths_of_a_multipath_device_are_down() -> Window:
    """mpatha has no path left; what is to be written waits for one (queue_if_no_path). The device counts as idle."""
    log = "".join(
        f"[ {7000 + n}.000000] device-mapper: multipath: 253:3: Failing path 8:{16 * (n + 1)}.\n" for n in range(4)
    )
    disks = [disk(f"sd{letter}", reads=0.0) for letter in "bcde"]
    volume = disk("dm-3", mapped="mpatha", below=("sdb", "sdc", "sdd", "sde"), is_multipath=True, reads=0.0, paths=0)
    waits = Task(pid=800, name="oracle", stack=("blk_mq_get_tag", "__blkdev_direct_IO"))
    return server((waits,), (place(source="/dev/mapper/mpatha", device="dm-3"),), (volume, *disks), log, io_some=1.0)


@situation()
def one_of_two_paths_is_down() -> Window:
    """Nothing hurts now: the other path works. That it is alone is for the audit to say."""
    volume = disk("dm-3", mapped="mpatha", below=("sdb", "sdc"), is_multipath=True, paths=1)
    fs = place(source="/dev/mapper/mpatha", device="dm-3")
    log = "[ 7000.000000] device-mapper: multipath: 253:3: Failing path 8:16.\n"
    return server((), (fs,), (volume, disk("sdb"), disk("sdc")), log)


@situation(
    "pool-suspended:/tank", words=("zpool clear POOL", "mv (pid 800)"), never=("program-stuck", "txg_sync (pid 70)")
)
def a_suspended_zfs_pool() -> Window:
    """The pool tank is suspended: bring its devices back, then zpool clear. mv only waits for it."""
    stack = ("cv_wait_common", "__cv_wait", "txg_wait_synced_impl", "txg_wait_synced", "dmu_tx_wait")
    sync = ("cv_wait_common", "__cv_wait_io", "zio_wait", "spa_sync", "txg_sync_thread")
    tasks = (
        Task(pid=800, name="mv", stack=stack, places=("/tank/home",)),
        Task(pid=70, name="txg_sync", stack=sync, kernel=True, places=()),
    )
    sets = [place(f"/{name}", name, "", type="zfs", pool_state="SUSPENDED") for name in ("tank", "tank/home")]
    log = "[ 7000.000000] WARNING: Pool 'tank' has encountered an uncorrectable I/O failure and has been suspended.\n"
    return server(tasks, sets, None, log, io_some=1.0)


@situation("array-at-work:md0", words=("md recover runs", "mysqld (pid 800)"), never=("md1", "device-"))
def a_rebuild_takes_the_bandwidth() -> Window:
    """md0 is rebuilt, and mysqld waits for it. Let it end. md1 only waits for its turn."""
    devices = (
        disk("md0", below=("sda", "sdb"), reads=40.0, read_ms=60.0, busy=0.99, queue=3.0, md_action="recover"),
        disk("md1", below=("sda", "sdb"), md_action="recover", md_done="delayed"),
        disk("sda", reads=300.0, read_ms=20.0, busy=1.0, queue=6.0),
        disk("sdb", writes=300.0, write_ms=18.0, busy=1.0, queue=6.0),
    )
    resync = Task(pid=301, name="md0_resync", stack=("md_do_sync", "md_thread"), kernel=True, places=())
    waits = Task(pid=800, name="mysqld", stack=READ, goes_on=True, share=0.9, reads=1e6)
    fs = (place(source="/dev/md0", device="md0"), place("/boot", "/dev/md1", "md1"))
    return server((waits, resync), fs, devices, "[ 6000.000000] md: recovery of RAID array md0\n", io_some=0.9)


@situation("array-at-work:md0", words=("md check runs",))
def a_check_of_an_array_whose_disks_hold_another() -> Window:
    """The check of md0 takes the disks from md1, on which mysqld waits: they are partitions of the same disks."""
    devices = (
        disk("md0", below=("sda",), md_action="check", md_done="1000 / 900000"),
        disk("md1", below=("sda",), reads=40.0, read_ms=30.0, busy=0.9, queue=1.2),
        disk("sda", reads=300.0, read_ms=20.0, busy=1.0, queue=6.0),
    )
    waits = Task(pid=800, name="mysqld", stack=READ, goes_on=True, share=0.9, reads=1e6)
    return server((waits,), (place(source="/dev/md1", device="md1"),), devices, io_some=0.9)


@situation("device-slow:sdz", never=("md0", "array"))
def a_check_on_other_disks_than_those_that_hurt() -> Window:
    """sdz is slow. The check of md0 is on other disks, and has nothing to do with it."""
    devices = (
        disk("md0", below=("sda", "sdb"), md_action="check", md_done="1000 / 900000"),
        disk("sda", reads=300.0, read_ms=3.0, busy=0.6, queue=1.0),
        disk("sdz", reads=0.0, writes=5.0, write_ms=190.0, busy=1.0, queue=1.0),
    )
    fs = (place(source="/dev/sdz1", device="sdz"), place("/backup", "/dev/md0", "md0"))
    return server((database(),), fs, devices, io_some=0.9)


@situation(
    "filesystem-does-not-answer:/nfs", words=("qemu (pid 800)", "loop0 (pid 90)"), never=("device-silent", "cable")
)
def a_loop_device_whose_nfs_server_is_dead() -> Window:
    """The NFS server does not answer. loop0, whose file is there, only waits for it, and so does qemu."""
    tasks = (
        Task(pid=800, name="qemu", stack=READ, places=("/vm",)),
        Task(pid=90, name="loop0", stack=("rpc_wait_bit_killable", "nfs_file_write"), kernel=True),
    )
    gone = place("/nfs", "filer:/vm", "", type="nfs4", answers=False, size=None, available=None, inodes=None)
    image = place("/vm", "/dev/loop0", "loop0")
    silent = disk("loop0", reads=0.0, stands_on="/nfs", in_flight=8, busy=1.0, queue=8.0)
    return server(tasks, (image, gone), (silent,), io_some=1.0)


@situation("device-slow:sdb", words=("queue depth 1 (/srv)",), never=("loop0",))
def a_loop_device_on_a_slow_disk() -> Window:
    """sdb is slow, and loop0 with it, for its file is there."""
    devices = (
        disk("sdb", reads=0.0, writes=5.0, write_ms=190.0, busy=1.0, queue=1.0),
        disk("loop0", reads=0.0, stands_on="/srv", writes=4.0, write_ms=260.0, busy=1.0, queue=1.0),
    )
    return server((database(places=("/vm",)),), (place(), place("/vm", "/dev/loop0", "loop0")), devices, io_some=1.0)


@situation("device-silent:rbd0", words=("ceph health detail", "another machine's"), never=("program-",))
def a_ceph_cluster_that_lost_too_many_osds() -> Window:
    """rbd0 completes nothing: that is the cluster's, or the network's. Look at its health."""
    log = "[ 7000.000000] libceph: osd3 (1)10.0.0.3:6801 socket closed (con state OPEN)\n"
    silent = disk("rbd0", reads=0.0, reached_by="rbd", in_flight=16, busy=1.0, queue=16.0)
    tasks = (database(goes_on=False),)
    return server(tasks, (place(source="/dev/rbd0", device="rbd0"),), (silent,), log, io_some=1.0)


@situation(
    "program-stuck:nginx (pid 800)", words=("in state D for 5 s, in ceph_osdc_wait_request", "ceph health detail")
)
def a_cephfs_whose_osds_do_not_answer() -> Window:
    """nginx waits in a request to Ceph's OSDs. The monitors answer (df does), so look at the OSDs' health."""
    waits = Task(pid=800, name="nginx", stack=("ceph_osdc_wait_request", "ceph_sync_read"), places=("/ceph",))
    return server((waits,), (place("/ceph", "10.0.0.1:/", "", type="ceph"),), (disk("sda"),))


@situation("program-stuck:(udev-worker) (pid 800)", words=("scsi_block_when_processing_errors", "scsi_host/*/state"))
def udev_waits_for_a_disk_in_error_recovery() -> Window:
    """udev opens a disk whose errors the SCSI layer handles: the log names it."""
    stack = ("scsi_block_when_processing_errors", "sd_open", "blkdev_get_whole", "blkdev_open")
    return server((Task(pid=800, name="(udev-worker)", stack=stack, places=()),))


@situation("program-stuck:mv (pid 800)", words=("1 thread in state D for 5 s, in wait_current_trans",))
def a_btrfs_transaction_that_does_not_end() -> Window:
    """mv waits for the transaction before. What that waits for is not told by this: see what btrfs-transaction does."""
    waits = Task(pid=800, name="mv", stack=("wait_current_trans", "start_transaction", "btrfs_rename2"))
    busy = ("btrfs-transacti",)
    return server((waits,), (place(type="btrfs", job="none"),), None, running=busy, io_some=0.3)


@situation("program-stuck:cp (pid 800)", words=("in xlog_grant_head_wait",))
def an_xfs_log_that_nobody_writes_out() -> Window:
    """cp waits for room in the log, and the disk is idle: it is not the disk. Tell where it waits."""
    stack = ("xlog_grant_head_wait", "xlog_grant_head_check", "xfs_log_reserve", "xfs_trans_alloc")
    log = "[ 7000.000000] INFO: task cp:800 blocked for more than 120 seconds.\n"
    return server((Task(pid=800, name="cp", stack=stack),), (place(type="xfs"),), None, log, io_some=0.8)


@situation(words=("is not known", "backup (pid 800) waits in 90 % of the looks, in rq_qos_wait"), never=("Nothing",))
def a_writer_that_the_block_layer_holds_back() -> Window:
    """The disk is idle. backup waits in rq_qos_wait: writeback throttling, io.latency or io.cost holds it back."""
    stack = ("rq_qos_wait", "wbt_wait", "__rq_qos_throttle", "blk_mq_submit_bio")
    writes = Task(pid=800, name="backup", stack=stack, goes_on=True, share=0.9, writes=1e6)
    return server((writes,), None, (disk("sdb", writes=60.0, write_ms=2.0, busy=0.2),), io_some=0.9)


@situation(words=("Nothing hurts now",))
def a_reader_of_small_files() -> Window:
    """Nothing: it reads one block after the other, and each takes what a block takes."""
    reads = Task(pid=800, name="grep", stack=READ, goes_on=True, share=0.8, reads=1e7)
    return server((reads,), None, (disk("sdb", reads=900.0, read_ms=0.8, busy=0.7, queue=0.7),), io_some=0.8)


_OF_NFS: Final = ("nfs_wait_on_request", "nfs_wb_all", "nfs_file_fsync", "do_fsync")
_NO_ANSWER: Final = {"answers": False, "size": None, "available": None, "inodes": None, "inodes_free": None}


@situation("filesystem-does-not-answer:/mnt/db", words=("mysqld (pid 800)",), never=("fsync", "power-loss"))
def a_database_on_a_dead_nfs_server() -> Window:
    """The server of /mnt/db is gone. That mysqld waits in fsync is nothing besides: no drive helps."""
    gone = place("/mnt/db", "filer1:/db", "", type="nfs4", **_NO_ANSWER)
    log = "[ 6900.000000] nfs: server filer1 not responding, still trying\n"
    return server((database(stack=_OF_NFS, goes_on=False, places=("/mnt/db",)),), (place(), gone), None, log)


@situation("filesystem-does-not-answer:/mnt/db", never=("throttled", "dirty"))
def a_dead_nfs_server_whose_dirty_pages_hold_all_writers_back() -> Window:
    """The server of /mnt/db is gone. What cannot be written to it fills the limit of dirty pages, so all wait."""
    held = Task(pid=700, name="rsync", stack=("balance_dirty_pages", "generic_perform_write"), goes_on=True, writes=1e5)
    gone = place("/mnt/db", "filer1:/db", "", type="nfs4", **_NO_ANSWER)
    return server((held,), (place(), gone), None, dirty=990 << 20, io_some=0.9)


@situation("network-filesystem-slow:/mnt/db", words=("mysqld (pid 800)",), never=("power-loss",))
def a_database_on_a_slow_nfs_server() -> Window:
    """Each operation on /mnt/db takes 400 ms, at the server: its disks first."""
    slow = place("/mnt/db", "filer1:/db", "", type="nfs4", operations=20.0, operation_ms=400.0, server_ms=390.0)
    return server((database(stack=_OF_NFS, places=("/mnt/db",)),), (place(), slow), None, io_some=0.9)


@situation("device-suspended:dm-2", words=("dmsetup resume /dev/dm-2",), never=("program-stuck",))
def a_volume_left_suspended_by_a_snapshot() -> Window:
    """vg0-srv is suspended: lvm died in the middle of a snapshot."""
    volume = disk("dm-2", mapped="vg0-srv", below=("sdb",), suspended=True, reads=0.0)
    fs = place(source="/dev/dm-2", device="dm-2")
    return server((database(goes_on=False),), (fs,), (volume, disk("sdb")), io_some=1.0)


@situation("group-short-of-memory:/db.service", words=("MemoryMax",), never=("device-", "disk-taken"))
def a_container_that_rereads_its_own_program() -> Window:
    """/db.service is at its memory limit, and reads its files again and again. The disk is only what is read."""
    short = Group(path="/db.service", memory_some=0.6, memory_hits=300, memory_limit=1 << 30, memory_used=1 << 30)
    stack = ("folio_wait_bit_common", "filemap_fault", "handle_mm_fault")
    java = Task(pid=800, name="java", stack=stack, goes_on=True, share=0.8, group="/db.service", reads=2e8)
    busy = disk("sdb", reads=1500.0, read_ms=8.0, busy=0.99, queue=12.0)
    return server((java,), None, (busy,), groups=(short,), io_some=0.8)


@situation("disk-taken-by-one:sdb", words=("dd (pid 700)", "mysqld (pid 800)"), never=("Nothing", "program-waits"))
def one_copy_beside_a_database() -> Window:
    """dd moves nearly all of the data, and mysqld waits behind it."""
    copies = Task(pid=700, name="dd", stack=READ, goes_on=True, share=0.9, reads=1.6e8)
    busy = disk("sdb", reads=700.0, read_bytes=1.6e8, read_ms=20.0, writes=30.0, write_ms=60.0, busy=1.0, queue=16.0)
    return server((copies, database(share=0.9, writes=2e5)), None, (busy,), io_some=0.9)
