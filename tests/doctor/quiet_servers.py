"""Servers on which nothing hurts, or whose filesystems do: full, damaged, shut down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.doctor.situations import Task, disk, place, server, situation

if TYPE_CHECKING:
    from fsadvisor.measure.now import Window


@situation()
def idle() -> Window:
    """Nothing."""
    return server()


@situation()
def idle_ubuntu_with_snaps_and_a_disc() -> Window:
    """Nothing: squashfs images and discs have no room by their nature."""
    read_only: dict[str, Any] = {"available": 0, "free": 0, "inodes_free": 0, "options": ("ro", "nodev", "relatime")}
    snap = place(
        "/snap/core20/2318", "/dev/loop3", "loop3", type="squashfs", size=66 << 20, inodes=12_000,
        super_options=("ro", "errors=continue"), **read_only,
    )  # fmt: skip
    disc = place("/mnt/cd", "/dev/sr0", "sr0", type="iso9660", super_options=("ro", "nojoliet"), **read_only)
    return server((), (place(), snap, disc), (disk("sdb"), disk("loop3")))


@situation()
def idle_guest_with_an_empty_floppy_drive_and_virtual_media() -> Window:
    """Nothing: whoever looks for a medium in an empty drive makes these lines."""
    log = (
        "[ 6900.000000] blk_update_request: I/O error, dev fd0, sector 0 op 0x0:(READ) flags 0x0 prio class 0\n"
        "[ 6901.000000] floppy: error 10 while reading block 0\n"
        "[ 6910.000000] Buffer I/O error on dev sr0, logical block 0, async page read\n"
    )
    return server((), None, (disk("sdb"), disk("fd0"), disk("sr0")), log)


@situation("device-errors-logged:sr0")
def a_disc_that_is_mounted_and_can_not_be_read() -> Window:
    """The disc in sr0 can't be read: it is mounted, so somebody wants it."""
    log = "[ 6910.000000] Buffer I/O error on dev sr0, logical block 9, async page read\n"
    return server((), (place("/mnt/cd", "/dev/sr0", "sr0", type="iso9660", options=("ro",)),), (disk("sr0"),), log)


@situation("device-at-its-limit:nvme0n1", words=("Nothing is broken here",))
def busy_transcoder() -> Window:
    """Busy, nothing is wrong: a quick NVMe that works."""
    works = disk("nvme0n1", reads=20_000.0, writes=8000.0, write_ms=0.1, busy=0.95, queue=4.0)
    fs = place(source="/dev/nvme0n1p1", device="nvme0n1")
    return server((), (fs,), (works,), running=("ffmpeg",) * 6, processor=0.7, io_some=0.08)


@situation("device-at-its-limit:sdb", words=("Nothing is broken here", "borg (pid 800)"))
def backup_at_idle_priority() -> Window:
    """Busy with a backup, nothing is wrong."""
    borg = Task(
        pid=800, name="borg", stack=("folio_wait_bit_common", "filemap_read"), goes_on=True, share=0.9, reads=1.4e8
    )
    return server((borg,), None, (disk("sdb", reads=1100.0, read_ms=2.0, busy=0.99, queue=2.3),), io_some=0.9)


@situation("program-waits-for-commits:postgres (pid 800)", words=("Nothing is broken here",))
def fsync_storm() -> Window:
    """postgres waits for its commits; the NVMe does what it can: nothing is broken."""
    commits = Task(
        pid=800, name="postgres", stack=("jbd2_log_wait_commit", "ext4_sync_file", "do_fsync"), goes_on=True, share=0.9
    )
    works = disk("nvme0n1", writes=900.0, write_ms=0.4, busy=0.7, queue=0.7, flushes=400.0, flush_ms=1.5, flush=0.6)
    return server((commits,), (place(source="/dev/nvme0n1p2", device="nvme0n1"),), (works,), io_some=0.9)


@situation("program-waits-for-commits:mysqld (pid 800)", words=("Nothing is broken here",))
def controller_in_write_through() -> Window:
    """mysqld waits 9 ms for each sync. Broken is nothing that a look shows: the audit tells of the battery."""
    commits = Task(
        pid=800, name="mysqld", stack=("jbd2_log_wait_commit", "ext4_sync_file", "do_fsync"), goes_on=True, share=0.9
    )
    return server((commits,), None, (disk("sdb", writes=110.0, write_ms=9.0, busy=0.99, queue=1.0),), io_some=0.9)


@situation("device-at-its-limit:sdb", words=("Nothing is broken here",))
def eight_guests_on_one_disk() -> Window:
    """The disk is shared by eight guests, none takes it from the others."""
    guests = [
        Task(pid=800 + n, name="qemu-system-x86", stack=("folio_wait_bit_common",), goes_on=True, share=0.5, writes=1e7)
        for n in range(8)
    ]
    return server(guests, None, (disk("sdb", writes=400.0, write_ms=40.0, busy=1.0, queue=16.0),), io_some=0.8)


@situation("filesystem-full:/", words=("/: 0 bytes free",), never=("overlay",))
def root_is_full_below_six_containers() -> Window:
    """/ is full. Once: not for each container above it."""
    room = {"size": 1 << 36, "free": 0, "available": 0}
    layers = [
        place(
            f"/var/lib/docker/overlay2/{n}/merged", "overlay", "", type="overlay",
            super_options=("rw", "lowerdir=/l", f"upperdir=/var/lib/docker/overlay2/{n}/diff", "workdir=/w"), **room,
        )
        for n in range(6)
    ]  # fmt: skip
    return server((), (place("/", "/dev/sda1", "sda", **room), *layers), (disk("sda"),))


@situation("filesystem-full:/")
def a_container_whose_root_is_full() -> Window:
    """/ is full: what is below the overlay can't be seen from within, so the overlay is told."""
    upper = "upperdir=/var/lib/docker/overlay2/1/diff"
    options = ("rw", "lowerdir=/l", upper, "workdir=/w")
    return server((), (place("/", "overlay", "", type="overlay", super_options=options, available=0),), ())


@situation("filesystem-full:/tank/a", "filesystem-full:/tank/quota")
def pool_is_full_below_six_datasets() -> Window:
    """The pool is full: once. A dataset that has used up its own quota is told besides."""
    alike = [
        place(f"/tank/{name}", f"tank/{name}", "", type="zfs", size=n << 30, free=1 << 20, available=1 << 20)
        for n, name in enumerate("abcdef", 1)
    ]
    own = place("/tank/quota", "tank/quota", "", type="zfs", size=9 << 30, free=0, available=0)
    return server((), (*alike, own), (disk("sdb"),))


@situation("inodes-gone:/srv")
def no_inodes() -> Window:
    """/srv has no inodes left."""
    return server((), (place(inodes_free=0),))


_SHUT_DOWN = (
    "[ 7000.000000] XFS (dm-3): log I/O error -5\n"
    "[ 7000.100000] XFS (dm-3): Filesystem has been shut down due to log error (0x2).\n"
    "[ 7000.200000] XFS (dm-3): Please unmount the filesystem and rectify the problem(s).\n"
)
_MOUNTED = "[ {}.000000] XFS (dm-3): Mounting V5 Filesystem\n[ {}.000000] XFS (dm-3): Ending clean mount\n"


def _on_dm(log: str) -> Window:
    fs = place(source="/dev/dm-3", device="dm-3", type="xfs")
    return server((), (fs,), (disk("dm-3", below=("sdb",)), disk("sdb")), log)


@situation(
    "filesystem-turned-read-only:/srv",
    words=("/srv: shut down by the kernel", "since: 2026-11-27T11:56:40", "xfs_repair -n"),
    never=("remounted read-only",),
)
def xfs_was_shut_down() -> Window:
    """The kernel has shut the XFS on /srv down after an error of its log: every call gets EIO since 11:56."""
    return _on_dm(_MOUNTED.format(100, 101) + _SHUT_DOWN)


@situation()
def xfs_was_shut_down_and_mounted_anew() -> Window:
    """Nothing now: it has been unmounted and mounted since."""
    return _on_dm(f"{_SHUT_DOWN}[ 7050.000000] XFS (dm-3): Unmounting Filesystem\n{_MOUNTED.format(7100, 7101)}")


@situation("filesystem-damage-logged:/srv", words=("e2fsck -fn", "since: 2026-11-27T11:55:00"))
def ext4_goes_on_after_errors() -> Window:
    """The ext4 on /srv is damaged since 11:55, and goes on all the same."""
    line = (
        "[ {}.000000] EXT4-fs error (device sdb1): ext4_lookup:1785: inode #2: comm ls: deleted inode referenced: 12\n"
    )
    return server((), (place(errors=2, turned=False),), None, line.format(6900) + line.format(6905))


@situation("filesystem-damage-logged:/srv", never=("/mnt/home", "/mnt/rclone", "/tank"))
def another_filesystem_is_damaged() -> Window:
    """The ext4 on sdb1 is damaged: not the NFS whose export has its name, the program's mount, or the ZFS."""
    line = "[ 6900.000000] EXT4-fs error (device sdb1): ext4_lookup:1785: inode #2: comm ls: deleted inode\n"
    return server(
        (),
        (
            place(errors=1, turned=False),
            place("/mnt/home", "filer:/export/sdb1", "", type="nfs4"),
            place("/mnt/rclone", "remote", "", type="fuse.rclone"),
            place("/tank", "tank/home", "", type="zfs"),
        ),
        None,
        line,
    )


@situation("device-errors-logged:sdb", never=("filesystem-damage-logged",))
def a_drive_fails_below_an_ext4() -> Window:
    """sdb has I/O errors: what the filesystem says is their echo."""
    log = (
        "[ 6900.000000] I/O error, dev sdb, sector 2048 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2\n"
        "[ 6900.100000] EXT4-fs error (device sdb1): ext4_wait_block_bitmap:580: comm ls: Cannot read block bitmap\n"
    )
    return server((), None, None, log)


@situation("tasks-hung-logged:this machine")
def a_task_hung_some_time_ago() -> Window:
    """Nothing hangs now; something did, 20 minutes ago: read the stack in the log."""
    return server(log="[ 6000.000000] INFO: task kworker/3:1:991 blocked for more than 122 seconds.\n")
