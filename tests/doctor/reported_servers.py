"""Servers as admins described them in forums and issue trackers: the kernel's lines, figures of iostat and vmstat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.measure.now.observe import called
from tests.doctor.situations import Task, disk, place, server, situation
from tests.doctor.stalled_servers import READ, database

if TYPE_CHECKING:
    from fsadvisor.measure.now import Window


def _log(*lines: str, at: float = 6000.0, every: float = 2.0) -> str:
    """The lines as dmesg has them, within the hour."""
    return "".join(f"[ {at + every * number:.6f}] {line}\n" for number, line in enumerate(lines))


@situation("memory-short:this machine", never=("device-", "Nothing"))
def a_load_of_67_on_a_machine_of_a_gigabyte() -> Window:
    """110 are blocked and 97 % wait, for 3,000 pages a second are swapped out: memory, not the disk."""
    swapped = ("io_schedule", "folio_wait_bit_common", "do_swap_page", "handle_mm_fault")
    tasks = [Task(pid=800 + n, name="httpd", stack=swapped, goes_on=True, share=0.9) for n in range(12)]
    busy = disk("sda", reads=90.0, read_ms=80.0, writes=700.0, write_ms=60.0, busy=1.0, queue=110.0)
    short = {"memory_some": 0.95, "memory_full": 0.9, "swap_bytes": 1.2e7, "memory_available": 0.03}
    return server(tasks, (place("/", "/dev/sda1", "sda"),), (busy,), io_some=0.97, **short)


_FROZEN: Final = (
    "ata1.00: exception Emask 0x0 SAct 0x1 SErr 0x0 action 0x6 frozen",
    "ata1.00: failed command: READ FPDMA QUEUED",
    "ata1.00: cmd 60/08:00:00:e1:59/00:00:a2:00:00/40 tag 0 ncq 4096 in",
    "         res 40/00:10:d0:5d:a8/00:00:b2:00:00/40 Emask 0x4 (timeout)",
    "ata1.00: status: { DRDY }",
    "ata1: hard resetting link",
    "ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)",
    "ata1.00: configured for UDMA/133",
    "ata1: EH complete",
)


@situation("device-resets-logged:sda")
def a_drive_whose_commands_freeze_now_and_then() -> Window:
    """sda's commands time out and its link is reset: cable, power, or the drive."""
    log = _log(*_FROZEN, at=4000) + _log(*_FROZEN, at=5000) + _log(*_FROZEN, at=6000)
    return server((), (place("/", "/dev/sda1", "sda"),), (disk("sda", called=("ata1",)),), log)


@situation("device-errors-logged:sda", never=("device-resets",))
def a_sector_that_can_not_be_read() -> Window:
    """sda can't read a sector (UNC): the drive's medium."""
    log = _log(
        "ata1.00: exception Emask 0x0 SAct 0x2000000 SErr 0x0 action 0x0",
        "ata1.00: irq_stat 0x40000008",
        "ata1.00: failed command: READ FPDMA QUEUED",
        "ata1.00: cmd 60/18:c8:28:84:bd/03:00:22:00:00/40 tag 25 ncq dma 405504 in",
        "         res 43/40:18:d8:84:bd/00:03:22:00:00/00 Emask 0x408 (media error) <F>",
        "ata1.00: status: { DRDY SENSE ERR }",
        "ata1.00: error: { UNC }",
        "ata1.00: configured for UDMA/133",
        "sd 0:0:0:0: [sda] tag#25 FAILED Result: hostbyte=DID_OK driverbyte=DRIVER_SENSE",
        "sd 0:0:0:0: [sda] tag#25 Sense Key : Medium Error [current] ",
        "sd 0:0:0:0: [sda] tag#25 Add. Sense: Unrecovered read error",
        "sd 0:0:0:0: [sda] tag#25 CDB: Read(16) 88 00 00 00 00 00 22 bd 84 28 00 00 03 18 00 00",
        "print_req_error: I/O error, dev sda, sector 582845656",
        "ata1: EH complete",
    )
    return server((), (place(source="/dev/sda1", device="sda"),), (disk("sda", called=("ata1", "0:0:0:0")),), log)


@situation("filesystem-turned-read-only:/mnt/backup", "device-errors-logged:sdb", never=("filesystem-damage-logged",))
def a_backup_disk_behind_usb_that_fails_writes() -> Window:
    """/mnt/backup is read-only, for sdb fails writes. After a boot it works again, until the next of them."""
    log = _log(
        "sd 2:0:1:0: [sdb] tag#53 ASC=0x44 ASCQ=0x0 ",
        "sd 2:0:1:0: [sdb] tag#53 CDB: opcode=0x2a 2a 00 25 87 d9 10 00 00 40 00",
        "blk_update_request: critical target error, dev sdb, sector 629659920 op 0x1:(WRITE) flags 0x800",
        "Aborting journal on device sdb1-8.",
        "EXT4-fs error (device sdb1): ext4_journal_check_start:61: Detected aborted journal",
        "EXT4-fs (sdb1): Remounting filesystem read-only",
        "Buffer I/O error on dev sdb1, logical block 0, lost sync page write",
        "EXT4-fs (sdb1): I/O error while writing superblock",
    )
    fs = place("/mnt/backup", super_options=("ro",))
    return server((), (fs,), (disk("sdb", called=("2:0:1:0",)),), log)


@situation("filesystem-turned-read-only:/pod/volume", "device-errors-logged:sda", never=("filesystem-damage-logged",))
def a_volume_of_longhorn_that_lost_its_engine() -> Window:
    """/pod/volume is read-only, for sda loses writes: what is below sda, here the volume's engine, and not the ext4."""
    log = _log(
        "Aborting journal on device sda-8.",
        "Buffer I/O error on dev sda, logical block 360448, lost sync page write",
        "JBD2: I/O error when updating journal superblock for sda-8.",
        "EXT4-fs (sda): ext4_do_writepages: jbd2_start: 9223372036854775807 pages, ino 13; err -30",
        "EXT4-fs error (device sda): ext4_journal_check_start:86: comm ganesha.nfsd: Detected aborted journal",
        "Buffer I/O error on dev sda, logical block 0, lost sync page write",
    )
    fs = place("/pod/volume", "/dev/sda", "sda", super_options=("ro",))
    return server((), (fs,), (disk("sda", reached_by="iscsi"),), log)


@situation("device-resets-logged:nvme0n1")
def an_nvme_whose_writes_time_out_since_an_update() -> Window:
    """nvme0's writes time out and it is reset, though SMART finds nothing: power saving, firmware or slot."""
    timeout = (
        "nvme nvme0: I/O tag 641 (c281) opcode 0x1 (I/O Cmd) QID 8 timeout, aborting req_op:WRITE(1) size:4096",
        "nvme nvme0: I/O tag 641 (c281) opcode 0x1 (I/O Cmd) QID 8 timeout, reset controller",
        "nvme nvme0: Abort status: 0x371",
    )
    fs = place("/", "/dev/nvme0n1p2", "nvme0n1")
    log = _log(*timeout, *timeout, *timeout, at=4000, every=30)
    return server((), (fs,), (disk("nvme0n1", called=("nvme0",)),), log)


@situation("device-errors-logged:nvme0n1")
def an_nvme_that_is_not_ready_any_more() -> Window:
    """nvme0 does not come back (CSTS=0x1), and every request fails: power it off, then power saving, firmware, slot."""
    error = "I/O error, dev nvme0n1, sector {} op 0x1:(WRITE) flags 0x0 phys_seg 1 prio class 2"
    log = _log(
        "nvme nvme0: Device not ready; aborting reset, CSTS=0x1",
        "nvme nvme0: Device not ready; aborting reset, CSTS=0x1",
        *(error.format(2623470496 + 8 * number) for number in range(4)),
        at=7100,
    )
    fs = place("/", "/dev/nvme0n1p2", "nvme0n1")
    return server((), (fs,), (disk("nvme0n1", called=("nvme0",), reads=0.0),), log)


@situation("device-silent:sda", words=("65 requests in flight", "kubelet (pid 800)"), never=("program-stuck",))
def a_megaraid_that_waits_for_65_commands() -> Window:
    """The controller ends nothing: 65 commands wait. kubelet and all else only wait for it."""
    wait = "megaraid_sas 0000:5a:00.0: [{}]waiting for 65 commands to complete for scsi0"
    log = _log(*(wait.format(number) for number in range(30, 65, 5)), at=7160, every=5)
    dead = disk("sda", reads=0.0, in_flight=65, busy=1.0, queue=65.0)
    stuck = Task(pid=800, name="kubelet", stack=READ, places=("/",))
    return server((stuck,), (place("/", "/dev/sda1", "sda"),), (dead,), log, io_some=1.0)


@situation("device-resets-logged:sdd")
def a_perc_that_resets_a_drive_under_the_backup() -> Window:
    """Reads of sdd time out behind the PERC and are reset, in the nightly backup: the drive or the controller."""
    reset = (
        "sd 2:2:3:0: [sdd] megasas: RESET cmd=28 retries=0",
        "megasas: [ 0]waiting for 1 commands to complete",
        "megaraid_sas: no pending cmds after reset",
        "megasas: reset successful ",
    )
    log = _log(*reset, *reset, *reset, at=5000, every=60)
    return server((), (place(source="/dev/sdd1", device="sdd"),), (disk("sdd", called=("2:2:3:0",)),), log)


@situation(
    "device-slow:sdb", words=("130 ms per request at queue depth 3", "another machine's"), never=("program-stuck",)
)
def a_zfs_pool_on_an_iscsi_disk_of_30_terabytes() -> Window:
    """txg_sync waits, for the disk of its pool takes 130 ms for each write: the target, not ZFS."""
    sync = ("io_schedule_timeout", "cv_wait_common", "zio_wait", "dsl_pool_sync", "spa_sync", "txg_sync_thread")
    txg = Task(pid=300, name="txg_sync", stack=sync, goes_on=True, share=0.95, kernel=True, places=())
    waits = Task(pid=800, name="rsync", stack=("cv_wait_common", "txg_wait_open"), goes_on=True, share=0.9)
    late = disk("sdb", reached_by="iscsi", reads=0.0, writes=25.0, write_bytes=3e6, write_ms=130.0, busy=1.0, queue=3.2)
    pool = place("/tank", "tank", "", type="zfs")
    return server((txg, waits), (pool,), (late,), _log("INFO: task txg_sync:5364 blocked for more than 120 seconds."),
                  io_some=0.95)  # fmt: skip


@situation("flushes-slow:vda", words=("vda: a flush takes 7,000 ms", "etcd (pid 800)"), never=("Nothing",))
def an_etcd_whose_fdatasync_takes_7_seconds() -> Window:
    """A flush of vda takes 7 s: the host's storage. That etcd loses its leader, and Patroni its lock, follows."""
    stack = ("submit_bio_wait", "blkdev_issue_flush", "ext4_sync_file", "do_fsync")
    slow = disk("vda", writes=0.6, write_ms=1.0, busy=0.02, flushes=0.14, flush_ms=7000.0, flush=1.0)
    return server((database(name="etcd", stack=stack),), (place("/", "/dev/vda1", "vda"),), (slow,), io_some=1.0)


@situation("filesystem-does-not-answer:/mnt/nfs4", never=("device-", "program-stuck"))
def an_nfs_server_that_comes_and_goes() -> Window:
    """192.168.0.1 does not answer again and again: that server, or the network to it."""
    log = _log(
        *("nfs: server 192.168.0.1 not responding, still trying", "nfs: server 192.168.0.1 OK") * 3,
        "nfs: server 192.168.0.1 not responding, still trying",
        at=7000,
    )
    waits = ("rpc_wait_bit_killable", "nfs4_proc_getattr", "vfs_statx")
    fs = (place(), place("/mnt/nfs4", "192.168.0.1:/srv", "", type="nfs4", answers=False))
    return server((Task(pid=800, name="ls", stack=waits, places=("/mnt/nfs4",)),), fs, None, log)


@situation("filesystem-turned-read-only:/mnt", never=("fsck", "device-"))
def a_btrfs_that_a_balance_left_without_room() -> Window:
    """/mnt is read-only since its balance found no room (-28): the Btrfs was all allocated. No drive failed."""
    log = _log(
        "BTRFS info (device sdb1): 1 enospc errors during balance",
        "BTRFS info (device sdb1): balance: ended with status: -28",
        "BTRFS: error (device sdb1) in reset_balance_state:3321: errno=-28 No space left",
        "BTRFS info (device sdb1): forced readonly",
        at=6900,
    )
    fs = place("/mnt", type="btrfs", super_options=("ro",), mounts=1)
    return server((), (fs,), None, log)


@situation("device-resets-logged:sda", words=("sda: 3 lines of resets",))
def a_smart_array_that_resets_its_volume() -> Window:
    """The Smart Array resets its volume again and again: a drive behind it that does not answer, or the controller."""
    reset = (
        "hpsa 0000:06:00.0: scsi 0:1:0:0: resetting logical  Direct-Access     HP       LOGICAL VOLUME   RAID-5",
        "hpsa 0000:06:00.0: scsi 0:1:0:0: reset logical  completed successfully Direct-Access     HP",
    )
    log = _log(*reset, *reset, *reset, at=5000, every=60)
    return server((), (place("/", "/dev/sda2", "sda"),), (disk("sda", called=("0:1:0:0",)),), log)


@situation("device-resets-logged:sdb", words=("sdb: 4 lines of resets",))
def an_adaptec_controller_that_aborts_commands_of_a_drive() -> Window:
    """The Adaptec controller aborts commands of one drive and is reset: that drive, its cable, or the controller."""
    abort = "aacraid: Host adapter abort request.\n               aacraid: Outstanding commands on (0,1,4,0):"
    reset = ("aacraid: Host bus reset request. SCSI hang ?", "aacraid 0000:0c:00.0: Controller reset type is 3")
    log = _log(abort, abort, *reset, abort, abort, *reset, at=5000, every=60)
    return server((), (place(source="/dev/sdb1", device="sdb"),), (disk("sdb", called=("0:1:4:0",)),), log)


@situation(
    "device-resets-logged:sdb", "program-stuck:postgres (pid 800)", words=("another machine's", "whether its server")
)
def a_zfs_pool_on_an_iscsi_disk_whose_session_is_lost_again_and_again() -> Window:
    """The pool's threads hang, for the session of sdb is lost: look at the server and the network, and then at ZFS."""
    stack = ("cv_wait_common", "zil_commit", "zfs_fsync")
    lost = (
        " connection1:0: ping timeout of 5 secs expired, recv timeout 5, last rx 4295, last ping 4300",
        " connection1:0: detected conn error (1022)",
        " session1: session recovery timed out after 120 secs",
    )
    log = _log(*lost, "INFO: task txg_sync:300 blocked for more than 120 seconds.", at=6600, every=60)
    names = called("sdb", "/sys/devices/platform/host2/session1/target2:0:0/2:0:0:0/block/sdb")
    tasks = (Task(pid=800, name="postgres", stack=stack, places=("/tank",)),)
    remote = disk("sdb", called=names, reached_by="iscsi")
    return server(tasks, (place("/tank", "tank", "", type="zfs"),), (remote,), log, io_some=1.0)


@situation("filesystem-turned-read-only:/data", "device-errors-logged:sdf")
def an_iscsi_target_that_answered_too_late() -> Window:
    """/data is read-only since the session of sdf was lost for over two minutes. It is back; the ext4 stays so."""
    log = _log(
        " connection10:0: ping timeout of 15 secs expired, recv timeout 5, last rx 10236428121, last ping 10236433125",
        " connection10:0: detected conn error (1011)",
        " session10: session recovery timed out after 120 secs",
        "sd 12:0:0:1: rejecting I/O to offline device",
        "I/O error, dev sdf, sector 1048584 op 0x1:(WRITE) flags 0x800 phys_seg 1 prio class 2",
        "Aborting journal on device sdf1-8.",
        "EXT4-fs error (device sdf1): ext4_journal_check_start:83: comm java: Detected aborted journal",
        "EXT4-fs (sdf1): Remounting filesystem read-only",
    )
    fs = place("/data", "/dev/sdf1", "sdf", super_options=("ro",))
    return server((), (fs,), (disk("sdf", called=("12:0:0:1",), reached_by="iscsi"),), log)


@situation("device-silent:sdb", "program-stuck:mysqld (pid 800)", never=("discards-at-work",))
def a_discard_beside_one_who_waits_nobody_knows_where() -> Window:
    """blkdiscard and mysqld wait. Where mysqld works is not told: sdb may hold it up, and is no mere discard."""
    trims = Task(pid=700, name="blkdiscard", stack=("submit_bio_wait", "blkdev_issue_discard"), places=("/dev/sdb",))
    unknown = Task(pid=800, name="mysqld", stack=READ, places=())
    silent = disk("sdb", reads=0.0, busy=1.0, queue=2.0, in_flight=2)
    return server((trims, unknown), None, (silent,), io_some=1.0)
