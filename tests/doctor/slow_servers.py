"""Servers whose devices are slow, reset or gone in ways that their latency alone does not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from fsadvisor.measure.now.mounts import gone
from tests.doctor.situations import Task, disk, place, server, situation
from tests.doctor.stalled_servers import READ, database

if TYPE_CHECKING:
    from fsadvisor.measure.now import Device, Window


@situation("device-slow:sdb", words=("sdb: 8 requests per second, 4,000 ms each",), never=("Nothing",))
def a_shingled_disk_that_cleans_up() -> Window:
    """sdb ends eight small requests in a second: that is no load, that is the disk (SMR, or sick)."""
    slow = disk("sdb", reads=0.0, writes=8.0, write_bytes=1e6, write_ms=4000.0, busy=1.0, queue=32.0)
    return server((database(name="rsync", goes_on=False, writes=2e6),), None, (slow,), io_some=1.0)


@situation("device-at-its-limit:sdb", words=("Nothing is broken here",))
def a_disk_that_writes_large_requests() -> Window:
    """Busy: few requests, but of 10 MB each."""
    busy = disk("sdb", reads=0.0, writes=15.0, write_bytes=1.5e8, write_ms=900.0, busy=1.0, queue=14.0)
    return server((Task(pid=800, name="dd", stack=READ, goes_on=True, writes=1.5e8),), None, (busy,), io_some=0.9)


@situation("flushes-slow:sdb", words=("sdb: a flush takes 900 ms", "mysqld (pid 800)"), never=("Nothing",))
def a_drive_whose_flushes_take_a_second() -> Window:
    """Each flush of sdb takes 900 ms, with hardly anything to write. Its cache makes the writes look quick."""
    stack = ("blkdev_issue_flush", "ext4_sync_file", "do_fsync")
    slow = disk("sdb", writes=3.0, busy=0.02, flushes=1.1, flush_ms=900.0, flush=0.99)
    return server((database(stack=stack),), None, (slow,), io_some=1.0)


@situation("program-waits-for-commits:mysqld (pid 800)", words=("Nothing is broken here",))
def a_hard_disk_that_empties_a_full_cache() -> Window:
    """Busy: a flush takes 900 ms, for the cache is full of scattered writes."""
    works = disk("sdb", writes=240.0, busy=0.6, queue=0.8, flushes=1.1, flush_ms=900.0, flush=0.99)
    return server((database(),), None, (works,), io_some=1.0)


_CRYPT_QUEUE = ("What it is made of is mostly idle", "no_read_workqueue")


@situation("device-at-its-limit:dm-0", words=("dm-0: busy 100 %", *_CRYPT_QUEUE))
def requests_queue_in_dm_crypt() -> Window:
    """The queue is in the encryption, not at the NVMe below: that is mostly idle."""
    devices = (
        disk("dm-0", below=("nvme0n1",), reads=3000.0, read_ms=30.0, busy=1.0, queue=90.0),
        disk("nvme0n1", reads=3000.0, read_ms=0.1, busy=0.2, queue=0.3),
    )
    reads = Task(pid=800, name="fio", stack=("blkdev_direct_IO",), goes_on=True, reads=4e8)
    return server((reads,), (place(source="/dev/dm-0", device="dm-0"),), devices, processor=0.6, io_some=0.9)


@situation("device-slow:dm-0", words=_CRYPT_QUEUE, never=("nvme0n1:",))
def dm_crypt_is_late() -> Window:
    """dm-0 takes 60 ms a request, the NVMe below it 0.1: the layer is late."""
    devices = (
        disk("dm-0", below=("nvme0n1",), reads=30.0, read_ms=60.0, busy=1.0, queue=2.0),
        disk("nvme0n1", reads=30.0, read_ms=0.1, busy=0.01),
    )
    reads = Task(pid=800, name="fio", stack=("blkdev_direct_IO",), goes_on=True, reads=4e5)
    return server((reads,), (place(source="/dev/dm-0", device="dm-0"),), devices, io_some=0.9)


@situation("device-slow:sdb", never=("mostly idle", "dm-0"))
def a_volume_on_a_slow_disk() -> Window:
    """sdb is slow; the volume on it is only as slow. Once."""
    devices = (
        disk("dm-0", mapped="vg0-srv", below=("sdb",), reads=0.0, writes=5.0, write_ms=191.0, busy=1.0, queue=1.0),
        disk("sdb", reads=0.0, writes=5.0, write_ms=190.0, busy=1.0, queue=1.0),
    )
    return server((database(),), (place(source="/dev/dm-0", device="dm-0"),), devices, io_some=0.9)


@situation("device-slow:dm-0", never=("mostly idle",))
def a_volume_whose_disk_came_during_the_look() -> Window:
    """dm-0 is slow. What its disk did is not known, for it came meanwhile: nothing is said of the layer."""
    late = disk("dm-0", mapped="vg0-srv", below=("sdb",), reads=0.0, writes=5.0, write_ms=191.0, busy=1.0, queue=1.0)
    fs = place(source="/dev/dm-0", device="dm-0")
    return server((database(),), (fs,), (late,), uncounted=("sdb",), io_some=0.9)


@situation("device-slow:sdc", never=("mostly idle", "md0", "sdb"))
def one_half_of_a_mirror_is_slow() -> Window:
    """sdc takes 158 ms where the other half takes 0.4: that drive, before it fails."""
    devices = (
        disk("md0", below=("sdb", "sdc"), reads=0.0, writes=6.0, write_ms=160.0, busy=1.0, queue=1.0),
        disk("sdb", writes=6.0, write_ms=0.4),
        disk("sdc", reads=0.0, writes=6.0, write_ms=158.0, busy=0.99, queue=1.0),
    )
    return server((database(),), (place(source="/dev/md0", device="md0"),), devices, io_some=0.9)


@situation("device-slow:drbd0", words=("another machine's",))
def a_drbd_peer_that_is_late() -> Window:
    """drbd0 takes 200 ms: its peer, or the network to it."""
    slow = disk("drbd0", reads=0.0, reached_by="drbd", writes=5.0, write_ms=200.0, busy=1.0, queue=1.0)
    return server((database(),), (place(source="/dev/drbd0", device="drbd0"),), (slow,), io_some=1.0)


@situation(
    "writers-held-back:this machine", "device-at-its-limit:sdc",
    words=("longest queue: sdc of /media/stick, 140 requests", "dd (pid 700)"), never=("of /srv",),
)  # fmt: skip
def a_slow_stick_holds_all_writers_back() -> Window:
    """dd fills the page cache with what the USB stick is slow to take, so all writers are held back: sdc, and dd."""
    throttled = ("balance_dirty_pages", "balance_dirty_pages_ratelimited_flags", "generic_perform_write")
    tasks = (
        Task(pid=700, name="dd", stack=throttled, goes_on=True, share=0.95, places=("/media/stick",), writes=9e6),
        Task(pid=800, name="mysqld", stack=throttled, goes_on=True, share=0.6, writes=1e5),
    )
    stick = disk("sdc", reads=0.0, writes=75.0, write_bytes=9e6, write_ms=1900.0, busy=1.0, queue=140.0)
    fs = (place(), place("/media/stick", "/dev/sdc1", "sdc", type="vfat"))
    return server(tasks, fs, (disk("sdb", writes=20.0, write_ms=0.3), stick), dirty=900 << 20, io_some=0.9)


_RESET = (
    "[ {0}.000000] ata3.00: exception Emask 0x10 SAct 0x1ffe0 SErr 0x400100 action 0x6 frozen\n"
    "[ {0}.100000] ata3.00: failed command: WRITE FPDMA QUEUED\n"
    "[ {0}.200000] ata3: hard resetting link\n"
    "[ {0}.900000] ata3: SATA link up 3.0 Gbps (SStatus 123 SControl 320)\n"
)


@situation("device-slow:sdb", "device-resets-logged:sdb", words=("Check cable, backplane",), never=("program-stuck",))
def a_link_that_is_reset_again_and_again() -> Window:
    """sdb hangs for seconds each time that its link is reset: cable, backplane, power. Since 11:40."""
    log = "".join(_RESET.format(6000 + 60 * number) for number in range(8))
    slow = disk("sdb", called=("ata3",), reads=0.0, writes=0.4, write_ms=4000.0, in_flight=4, busy=1.0, queue=4.0)
    return server((Task(pid=800, name="mysqld", stack=READ),), None, (slow,), log, io_some=0.9)


_ABORTS = (
    "[ {0}.000000] sd 11:0:1:0: attempting task abort!scmd(0x00000000ef8da38c), outstanding for 30098 ms\n"
    "[ {0}.100000] sd 11:0:1:0: [sdc] tag#4639 CDB: Write(10) 2a 00 2d 22 52 80 00 00 80 00\n"
    "[ {0}.900000] sd 11:0:1:0: task abort: SUCCESS scmd(0x00000000ef8da38c)\n"
)


@situation("device-resets-logged:sdc", words=("sdc: 5 lines of resets",))
def a_sas_disk_whose_commands_are_aborted() -> Window:
    """Commands of sdc take half a minute until the controller gives them up."""
    log = "".join(_ABORTS.format(6800 + 40 * number) for number in range(5))
    disks = (disk("sdc", called=("11:0:1:0",), writes=2.0, write_ms=30.0, busy=0.5, queue=0.5), disk("sdd"))
    return server((), (place(source="/dev/sdc1", device="sdc"),), disks, log, io_some=0.4)


@situation("device-errors-logged:sdb", never=("sdd",))
def a_disk_that_was_taken_offline_a_while_ago() -> Window:
    """sdb was taken offline: the line has no name of it, only its SCSI address."""
    log = "[ 6800.000000] sd 3:0:0:0: Device offlined - not ready after error recovery\n"
    return server((), None, (disk("sdb", called=("3:0:0:0",)), disk("sdd", called=("4:0:0:0",))), log)


@situation()
def a_disk_that_was_put_in_place_of_one_that_was_offline() -> Window:
    """Nothing: the disk that was taken offline is gone, another stands at its address."""
    log = (
        "[ 6800.000000] sd 3:0:0:0: Device offlined - not ready after error recovery\n"
        "[ 7000.000000] sd 3:0:0:0: [sdb] Attached SCSI disk\n"
    )
    return server((), None, (disk("sdb", called=("3:0:0:0",)),), log)


@situation("device-offline:sdf", words=("in state 'blocked'", "another machine's"), never=("device-silent",))
def an_iscsi_session_is_lost() -> Window:
    """sdf is blocked: the session to its server is lost, and the kernel waits for it to come back."""
    log = "[ 7000.000000]  connection13:0: detected conn error (1022)\n"
    lost = disk("sdf", reads=0.0, state="blocked", reached_by="iscsi", in_flight=8, busy=1.0, queue=8.0)
    fs = place(source="/dev/sdf1", device="sdf")
    return server((database(goes_on=False),), (fs,), (lost,), log, io_some=1.0)


@situation()
def one_path_of_two_is_blocked() -> Window:
    """Nothing hurts: the volume goes on by its other path."""
    return _one_path_blocked(1)


@situation()
def one_path_of_two_is_blocked_and_dmsetup_may_not_be_asked() -> Window:
    """As an ordinary user sees it: whether the volume goes on by its other path is not known."""
    return _one_path_blocked(None)


@situation("paths-gone:dm-3")
def one_path_of_two_is_blocked_and_the_other_failed() -> Window:
    """The volume, and not each of its paths."""
    return _one_path_blocked(0)


def _one_path_blocked(working: int | None) -> Window:
    volume = disk("dm-3", mapped="mpatha", below=("sdb", "sdc"), is_multipath=True, paths=working)
    disks = (volume, disk("sdb", state="blocked", reads=0.0), disk("sdc", state="running"))
    return server((), (place(source="/dev/mapper/mpatha", device="dm-3"),), disks)


_RAW: Final = Task(pid=700, name="dd", stack=READ, goes_on=True, share=0.9, places=("/dev/sdb1",), cwd="/", reads=1.6e8)


@situation("disk-taken-by-one:sdb", words=("dd (pid 700)", "mysqld (pid 800)"), never=("sda", "program-waits"))
def a_backup_of_the_raw_device_beside_a_database() -> Window:
    """dd reads /dev/sdb1 past the filesystem, and mysqld waits behind it. That dd was started in / says nothing."""
    busy = disk("sdb", reads=700.0, read_bytes=1.6e8, read_ms=20.0, writes=30.0, write_ms=60.0, busy=1.0, queue=16.0)
    works = disk("sda", reads=300.0, read_ms=12.0, busy=0.85, queue=3.0)
    root = place("/", "/dev/sda2", "sda")
    log = Task(pid=900, name="rsyslogd", stack=READ, goes_on=True, share=0.2, places=("/",), reads=1e5)
    return server((_RAW, database(share=0.9, writes=2e5), log), (root, place()), (works, busy), io_some=0.9)


_SYNC: Final = ("wb_wait_for_completion", "sync_inodes_sb", "sync_inodes_one_sb", "iterate_supers", "ksys_sync")


@situation("filesystem-does-not-answer:/mnt/db", words=("sync (pid 800)",), never=("power-loss", "program-stuck"))
def a_sync_behind_a_dead_nfs_server() -> Window:
    """The server of /mnt/db is gone, and sync(2) waits for all filesystems. Nothing is to be said of a drive."""
    gone = place("/mnt/db", "filer1:/db", "", type="nfs4", answers=False, size=None, available=None, inodes=None)
    return server((Task(pid=800, name="sync", stack=_SYNC, places=("/",)),), (place("/"), gone), None)


@situation("network-filesystem-slow:/mnt/db", words=("sync (pid 800)",), never=("power-loss", "program-stuck"))
def a_sync_behind_a_slow_nfs_server() -> Window:
    """Each operation on /mnt/db takes 400 ms, and sync(2) waits for thousands of them: the server's disks first."""
    slow = place("/mnt/db", "filer1:/db", "", type="nfs4", operations=20.0, operation_ms=400.0, server_ms=390.0)
    return server((Task(pid=800, name="sync", stack=_SYNC, places=("/",)),), (place("/"), slow), None, io_some=0.9)


@situation("program-waits-for-commits:sync (pid 800)", words=("/, /srv, /d0, /d1, /d2 and 2 more",))
def a_sync_of_many_filesystems() -> Window:
    """Nothing is slow by itself: sync(2) is of all filesystems, of which the first are named."""
    several = (place(f"/d{n}", f"/dev/sd{n}", "sdb") for n in range(5))
    return server((Task(pid=800, name="sync", stack=_SYNC, goes_on=True),), (place("/"), place(), *several), None)


_NFSD: Final = Task(
    pid=640,
    name="nfsd",
    stack=("jbd2_log_wait_commit", "ext4_sync_file", "nfsd_commit", "nfsd_dispatch"),
    goes_on=True,
    kernel=True,
    places=(),
)
_EXPORTS: Final = (
    "# Version 1.1\n# Path Client(Flags) # IPs\n"
    "/srv/data\t192.0.2.0/24(rw,root_squash,sync,wdelay,no_subtree_check,uuid=01234567:89abcdef:01234567:89abcdef,sec=1)\n"
    "/\t192.0.2.0/24(ro,root_squash,sync,no_wdelay,no_subtree_check,v4root,fsid=0,sec=1)\n"
)


@situation("device-slow:sdb", words=("nfsd (pid 640)",))
def an_nfs_server_whose_only_export_is_on_a_slow_disk() -> Window:
    """Clients wait for /srv, the only filesystem that is served: nfsd's threads wait for the commits on slow sdb."""
    return server((_NFSD,), (place("/", "/dev/sda2", "sda"), place()), (disk("sda"), _late()), exports=_EXPORTS)


@situation("device-slow:sdb", "program-waits-for-commits:nfsd (pid 640)")
def an_nfs_server_with_exports_on_two_disks_one_of_which_is_slow() -> Window:
    """sdb is slow. For /srv on it or for /home on sda: for which of them nfsd waits, nothing tells."""
    two = _EXPORTS + "/home\t192.0.2.0/24(rw,root_squash,sync,wdelay,no_subtree_check,sec=1)\n"
    home = place("/home", "/dev/sda3", "sda")
    return server((_NFSD,), (place("/", "/dev/sda2", "sda"), home, place()), (disk("sda"), _late()), exports=two)


def _late() -> Device:
    return disk("sdb", reads=0.0, writes=5.5, write_ms=180.0, busy=0.99, queue=1.1)


_MERGED: Final = ("f2fs_issue_flush", "f2fs_do_sync_file", "f2fs_sync_file", "do_fsync")


def _on_f2fs(thread: str, **facts: object) -> Window:
    """Two programs sync, and the thread of the filesystem sends one flush for both."""
    flush = ("submit_bio_wait", "blkdev_issue_flush", "issue_flush_thread", "kthread")
    sends = Task(pid=310, name=thread, stack=flush, kernel=True, places=())
    fs = place(source="/dev/sdb1", device="sdb", type="f2fs", number="259:177", **facts)
    other = place("/old", "/dev/sdc1", "sdc", type="f2fs", number="259:2")
    waits = database(stack=_MERGED, goes_on=False)
    return server((waits, sends), (fs, other), (disk("sdb", reads=0.0, busy=0.0), disk("sdc")), io_some=1.0)


@situation("device-silent:sdb", words=("sdb: 2 requests in flight", "f2fs_flush-259:177 (pid 310)", "mysqld (pid 800)"))
def a_flush_of_an_f2fs_that_does_not_end() -> Window:
    """sdb ends nothing: the flush hangs that the thread of its F2FS sent for mysqld."""
    return _on_f2fs("f2fs_flush-259:177")


@situation("device-silent:sdb", words=("sdb: 1 request in flight",), never=("f2fs_flush-259: (",))
def a_flush_of_one_of_two_f2fs_by_a_thread_whose_name_is_cut() -> Window:
    """sdb ends nothing, as mysqld shows. Of which F2FS the thread is its name no longer tells: of neither, then."""
    return _on_f2fs("f2fs_flush-259:")


@situation("program-waits-for-commits:mysqld (pid 800)", never=("device-silent",))
def a_flush_of_an_f2fs_that_is_on_more_devices() -> Window:
    """The flush may have gone to a device of the F2FS that nothing names: none is called silent."""
    return _on_f2fs("f2fs_flush-259:177", wider=True)


@situation(
    "device-errors-logged:sdb",
    words=("2 lines of I/O errors", "at least: the log left out 2,861 more, of this or of other devices"),
)
def a_flood_of_errors_of_which_the_log_keeps_a_few() -> Window:
    """sdb fails thousands of requests. The log names ten in five seconds, and of the others says how many."""
    log = "".join(
        f"[ 70{n:02}.000000] blk_print_req_error: {many} callbacks suppressed\n"
        f"[ 70{n:02}.000001] I/O error, dev sdb, sector 8 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2\n"
        f"[ 70{n:02}.000002] buffer_io_error: {many} callbacks suppressed\n"
        for n, many in ((10, 59), (15, 2802))
    )
    return server((), None, None, log)


_LAZY: Final = Task(
    pid=320,
    name="ext4lazyinit",
    stack=("submit_bio_wait", "blkdev_issue_zeroout", "ext4_init_inode_table", "ext4_lazyinit_thread"),
    goes_on=True,
    share=0.9,
    kernel=True,
    places=(),
)


@situation("device-slow:sdb", words=("ext4lazyinit (pid 320): waits in 90 % of the looks", "ends by itself"))
def a_new_ext4_whose_inode_tables_are_written() -> Window:
    """sdb is slow because of the ext4 made on it today: the kernel writes its inode tables, which ends by itself."""
    return server((_LAZY, database()), (place("/", "/dev/sda2", "sda"), place()), (disk("sda"), _late()), io_some=0.9)


@situation("device-slow:sdb", never=("ext4lazyinit",))
def a_new_ext4_on_one_of_two_busy_disks() -> Window:
    """sdb is slow. Inode tables are written, on it or on sda, which is busy as well: that is not to be guessed."""
    busy = disk("sda", reads=0.0, writes=40.0, write_ms=20.0, busy=0.8, queue=0.8)
    return server((_LAZY, database()), (place("/", "/dev/sda2", "sda"), place()), (busy, _late()), io_some=0.9)


@situation("device-slow:sdb", never=("ends by itself",))
def a_program_that_calls_itself_like_a_thread_of_the_kernel() -> Window:
    """sdb is slow, and a program works there whose name says nothing of what it is."""
    return server((replace(_LAZY, kernel=False, places=("/srv",)), database()), None, (_late(),), io_some=0.9)


@situation("device-slow:sdb", words=("mysqld (pid 800)",), never=("fsync",))
def a_container_on_a_slow_disk() -> Window:
    """sdb is slow, on which Docker keeps what the containers write: mysqld in one of them waits for it."""
    merged = "/var/lib/docker/overlay2/1/merged"
    upper = ("rw", "lowerdir=/l", "upperdir=/var/lib/docker/overlay2/1/diff", "workdir=/w")
    fs = (
        place("/", "/dev/sda2", "sda"),
        place("/var/lib/docker"),
        place(merged, "overlay", "", type="overlay", super_options=upper),
    )
    return server((database(places=(merged,)),), fs, (disk("sda"), _late()), io_some=0.9)


_PULLED: Final = (
    "[ 6000.000000] usb 2-1: USB disconnect, device number 2\n"
    "[ 6000.500000] Buffer I/O error on dev sdc1, logical block 1234, lost async page write\n"
    "[ 6001.000000] Aborting journal on device sdc1-8.\n"
)


@situation("device-offline:sdc1", words=("/backup", "umount -l", "rsync (pid 800)"), never=("program-stuck", "e2fsck"))
def a_usb_disk_that_came_back_under_another_name() -> Window:
    """The disk of /backup is gone: what is mounted there is dead, and sdd is the same disk again."""
    rsync = Task(pid=800, name="rsync", stack=READ, places=("/backup",), writes=1e5)
    dead = place("/backup", "/dev/sdc1", "sdc1", number="8:33", super_options=("ro",))
    fs = (place("/", "/dev/sda2", "sda", number="8:2"), dead)
    (lost,) = gone(fs, {"8:0": "sda", "8:2": "sda2", "8:48": "sdd", "8:49": "sdd1"})
    return server((rsync,), fs, (disk("sda"), disk("sdd"), lost), _PULLED, io_some=0.9)


@situation("device-at-its-limit:sdb", words=("waits: mysqld",), never=("who:", "disk-taken"))
def a_volume_that_is_moved_to_another_disk() -> Window:
    """pvmove takes sdb: the kernel copies, no program. Of the programs mysqld moves most, which is next to nothing."""
    moves = {"busy": 1.0, "queue": 6.0, "read_bytes": 2e8, "read_ms": 12.0, "reads": 400.0}
    devices = (
        disk("dm-0", mapped="vg-srv", below=("dm-7",), reads=30.0, read_ms=45.0, busy=0.8, queue=1.5),
        disk("dm-7", mapped="vg-pvmove0", below=("sdb",), reads=30.0, read_ms=45.0, busy=0.8, queue=1.5),
        disk("sdb", **moves),
    )
    tasks = (
        database(stack=READ, share=0.9, reads=5e5),
        Task(pid=801, name="sshd", stack=READ, share=0.5, goes_on=True),
    )
    return server(tasks, (place(source="/dev/dm-0", device="dm-0"),), devices, io_some=0.9)
