"""What /proc tells of a process.

parse_process_stat: What a process is: /proc/PID/stat.

Written against Linux 6.18. The name is the program's own choice and may hold spaces and brackets.

    25993 (cat) R 25986 25986 13809 0 -1 4194304 103 0 0 0 0 0 0 0 20 0 1 0 1372763 3133440 390 …

https://docs.kernel.org/filesystems/proc.html, proc_pid_stat(5)

parse_process_io: What a process has read and written since it began: /proc/PID/io.

Written against Linux 6.18 (CONFIG_TASK_IO_ACCOUNTING). Only root may read that of others. Bytes count for whoever
made the pages dirty, when it did, not for the kernel's thread that writes them later; those of children that were
waited for come on top.

    rchar: 6976
    wchar: 0
    syscr: 10
    syscw: 0
    read_bytes: 0
    write_bytes: 0
    cancelled_write_bytes: 0

https://docs.kernel.org/filesystems/proc.html#proc-pid-io

parse_process_stack: Where in the kernel a thread is: /proc/PID/task/TID/stack.

Written against Linux 6.18 (CONFIG_STACKTRACE); root only. Innermost first. A thread that runs its own code has none.

    [<0>] jbd2_log_wait_commit+0xd1/0x130
    [<0>] ext4_sync_file+0x182/0x350
    [<0>] do_fsync+0x38/0x70
    [<0>] __x64_sys_fdatasync+0x13/0x20

https://docs.kernel.org/filesystems/proc.html

parse_deleted_files: Files that were deleted and are still open, so that their space is not free: device number, inode,
512-byte blocks and one descriptor of each, as DELETED_FILES_ARGV prints them. Names of files are not asked for.

Written against findutils 4.9 and coreutils 9.1; root only. What `find` complains of stands between.

    65024 9986052 9768 /proc/8044/fd/3

https://man7.org/linux/man-pages/man5/proc_pid_fd.5.html

parse_descriptor_info: By which mount a file was opened, and for what: /proc/PID/fdinfo/FD.

Written against Linux 6.18 (the inode since 5.14). The flags are those of open(2), in octal.

    pos:	0
    flags:	0100002
    mnt_id:	29
    ino:	9986052

https://man7.org/linux/man-pages/man5/proc_pid_fdinfo.5.html
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers import counts, refusal, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_STATE, _PARENT, _STARTED = 0, 1, 19
"""Fields after the name, from 0."""


class ProcessStat(Struct, frozen=True, kw_only=True):
    """A process."""

    name: str
    parent: int
    started: int
    """Clock ticks after boot; with the pid it tells which process it is."""


def parse_process_stat(text: str) -> ProcessStat | Unknown:
    """Read the file."""
    number, opened, rest = text.partition(" (")
    name, closed, after = rest.rpartition(") ")
    fields = after.split()
    if not opened or not closed or len(fields) <= _STARTED:
        return refusal(text, "no line of /proc/PID/stat")
    pid, parent, started = whole(number), whole(fields[_PARENT]), whole(fields[_STARTED])
    if pid is None or parent is None or started is None:
        return refusal(text, "no line of /proc/PID/stat")
    return ProcessStat(name=name, parent=parent, started=started)


class ProcessIo(Struct, frozen=True, kw_only=True):
    """In bytes, at the storage."""

    read_bytes: int
    write_bytes: int
    cancelled_write_bytes: int
    """Written to files that were cut or removed before they reached a disk; in `write_bytes`, too."""


def parse_process_io(text: str) -> ProcessIo | Unknown:
    """Read the file."""
    numbers = counts(text, ": ")
    if "write_bytes" not in numbers or "read_bytes" not in numbers:
        return refusal(text, "no write_bytes line")
    return ProcessIo(
        read_bytes=numbers["read_bytes"],
        write_bytes=numbers["write_bytes"],
        cancelled_write_bytes=numbers.get("cancelled_write_bytes", 0),
    )


_FRAME = late(r"\[<[0-9a-f]+>\] (\S+?)\+0x", re.ASCII)
_SYNCING = late(
    r"vfs_fsync_range|do_fsync|(?:__\w+_)?sys_(?:fsync|fdatasync|sync|syncfs|msync|sync_file_range2?)|ksys_sync"
    r"|sync_filesystem|\w+_sync_file|\w+_file_fsync|blkdev_fsync|zpl_fsync",
    re.ASCII,
)
"""All ways into a sync: the calls, writes of files opened with O_SYNC, and io_uring's workers."""


class ProcessStack(Struct, frozen=True, kw_only=True):
    """The functions, innermost first."""

    functions: tuple[str, ...]
    syncing: bool
    """It waits in fsync, fdatasync, sync, msync, or a write that syncs."""


def parse_process_stack(text: str) -> ProcessStack | Unknown:
    """Read the file; an empty one is a thread that is not in the kernel."""
    functions = tuple(_FRAME.findall(text))
    if not functions and text.strip():
        return refusal(text, "no stack of the kernel")
    return ProcessStack(
        functions=functions, syncing=any(_SYNCING.fullmatch(name.partition(".")[0]) for name in functions)
    )


DELETED_FILES_ARGV: tuple[str, ...] = (
    "find", "/proc", "-mindepth", "1", "-maxdepth", "3",
    "(", "-path", "/proc/[!0-9]*", "-prune", ")", "-o",
    "(", "-path", "/proc/*/*", "!", "-path", "/proc/*/fd", "!", "-path", "/proc/*/fd/*", "-prune", ")", "-o",
    "(", "-lname", "/*(deleted)", "-exec", "stat", "-L", "-c", "%d %i %b %n", "{}", "+", ")",
)  # fmt: skip
_DELETED = late(r"(\d{1,19}) (\d{1,20}) (\d{1,20}) /proc/(\d{1,10})/fd/(\d{1,10})")


_FLAGS = late(r"^flags:\t([0-7]{1,12})$", re.ASCII | re.MULTILINE)


class DeletedFile(Struct, frozen=True, kw_only=True):
    """A file without a name that a process holds open."""

    device: int
    """st_dev of stat(2)."""
    inode: int
    allocated_bytes: int
    pid: int
    """The first process that holds it."""
    descriptor: int
    """One that it holds it by."""


class DeletedFiles(Struct, frozen=True, kw_only=True):
    """Each file once."""

    files: tuple[DeletedFile, ...]
    all_seen: bool
    """No process kept its descriptors from us."""


def parse_deleted_files(text: str) -> DeletedFiles | Unknown:
    """The files; that there is none is an answer."""
    found: dict[tuple[int, int], DeletedFile] = {}
    for line in text.split("\n"):
        read = _DELETED.fullmatch(line)
        if read:
            device, inode, blocks, pid, descriptor = map(int, read.groups())
            one = DeletedFile(device=device, inode=inode, allocated_bytes=512 * blocks, pid=pid, descriptor=descriptor)
            found.setdefault((device, inode), one)
    if not found and text.strip():
        return refusal(text, "no files in it")
    return DeletedFiles(files=tuple(found.values()), all_seen="Permission denied" not in text)


class DescriptorInfo(Struct, frozen=True, kw_only=True):
    """An open file."""

    mount_id: int
    """As tables of mounts have it."""
    inode: int | None
    written: bool
    """It was opened for writing."""


def parse_descriptor_info(text: str) -> DescriptorInfo | Unknown:
    """Read the file."""
    numbers = counts(text, ":\t")
    flags = _FLAGS.search(text)
    if "mnt_id" not in numbers or flags is None:
        return refusal(text, "no mnt_id or flags line")
    return DescriptorInfo(
        mount_id=numbers["mnt_id"], inode=numbers.get("ino"), written=int(flags[1], 8) & os.O_ACCMODE != os.O_RDONLY
    )
