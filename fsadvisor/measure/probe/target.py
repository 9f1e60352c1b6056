"""Where a probe would run, as far as it can be told, which the guard judges; and sentences that speak against it.

One probe at a time on a filesystem, as far as its own user starts them: a lock that nobody else can hold. It is a file
of the filesystem's device in a directory where only this user writes, and is taken away afterwards. The directory where
the filesystem is mounted is locked too, for other users' probes to see; but anybody who may read it can lock it for as
long as they like, so that a lock of another's there is no more than a warning.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import stat
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown, unreadable
from fsadvisor.machine import safe_files
from fsadvisor.machine.kept_files import user_probes_path
from fsadvisor.machine.port import MachineError
from fsadvisor.machine.runner import encoded
from fsadvisor.measure.probe.processes import boot
from fsadvisor.survey.filesystem_types.registry import OVERLAY, type_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fsadvisor.readers.mount_tables import MountEntry
    from fsadvisor.storage import Filesystem


Holder: TypeAlias = Literal["nobody", "you", "another"]
"""Who else probes a filesystem: another probe of this user, or whoever has locked where it is mounted."""
Kind: TypeAlias = Literal[
    "folder", "absent", "file", "block device", "character device", "FIFO", "socket", "not to be reached"
]


class Room(Struct, frozen=True, kw_only=True):
    """What statvfs(2) tells: bytes and inodes that an ordinary user may still take. No inode table: both are 0."""

    where: str
    size_bytes: int
    available_bytes: int
    inodes: int
    inodes_free: int


class Quota(Struct, frozen=True, kw_only=True):
    """The tightest quota that counts for us in the folder: what is left of it, None where that has no limit."""

    bytes_left: int | None
    inodes_left: int | None


class Drive(Struct, frozen=True, kw_only=True):
    """A leaf disk."""

    name: str
    size_bytes: Fact[int]
    virtual: Fact[bool]
    rotational: Fact[bool]
    percentage_used: Fact[int]
    smart_passed: Fact[bool]
    critical_warning: Fact[int]
    day_bytes: Fact[int]
    """Written on an average day since boot."""


class Raid(Struct, frozen=True, kw_only=True):
    """A software RAID, a volume of LVM's or a ZFS pool."""

    name: str
    degraded: Fact[bool]
    action: Fact[str]
    """'idle', or what md is at: resync, recover, reshape, check, repair."""


class PoolBelow(Struct, frozen=True, kw_only=True):
    """A thin pool or snapshot that the blocks come from."""

    name: str
    fill_percent: Fact[float]
    metadata_percent: Fact[float]


class DataFolder(Struct, frozen=True, kw_only=True):
    """A folder that a program keeps its data in."""

    program: str
    folder: str


class ProbePlace(Struct, frozen=True, kw_only=True):
    """A folder, its mount, and all below it."""

    target: str
    """As it was named, made absolute and without symbolic links."""
    kind: Fact[Kind]
    may_write: Fact[bool]
    mount_point: Fact[str]
    fs_type: Fact[str]
    read_only: Fact[bool]
    shut_down: Fact[bool]
    """The kernel stopped writing to it."""
    errors: Fact[int]
    room: Fact[Room]
    behind: Fact[tuple[Room, ...]]
    """Filesystems that hold the images behind loop devices below."""
    quota: Fact[Quota | None]
    memory_bytes: Fact[int] = NOT_APPLICABLE
    """Memory to be had, where the files would lie in memory."""
    on_battery: Fact[bool]
    drives: Fact[tuple[Drive, ...]]
    raids: Fact[tuple[Raid, ...]]
    pools: Fact[tuple[PoolBelow, ...]]
    data_folder: Fact[DataFolder | None]
    """The program's folder that the target is, or is in."""
    busy: Fact[Holder]
    """Another probe runs on the same mount."""


_SOURCE: Final = "quotactl(2)"
_GET_QUOTA: Final = 0x800007
_USER, _GROUP = 0, 1
_DQBLK: Final = struct.Struct("=8QI4x")
"""struct if_dqblk: hard and soft limit in KiB, bytes in use; the same for inodes; two times; what is valid."""
_OFF: Final = (errno.ESRCH, errno.ENOSYS, errno.EINVAL)
"""Quotas are not on, the kernel or the filesystem has none."""


def quota_left(mount: MountEntry | None, filesystem: Filesystem | None, folder: str) -> Fact[Quota | None]:
    """The tightest of what counts for a file of ours in the folder; Known(None) where none does."""
    if mount is None:
        return Unknown(Cause.NOT_EXPOSED, "", "/proc/self/mountinfo")
    told_by = type_of(mount.fs_type).quotas
    if told_by == "none":
        return Known(None, f"{mount.fs_type} has no quotas")
    if told_by == "own":
        return _btrfs(filesystem)
    if told_by == "not told" or mount.fs_type == OVERLAY or not mount.source.startswith("/dev/"):
        return Unknown(Cause.NOT_EXPOSED, "", _SOURCE)
    try:
        groups = {os.getegid(), group_of(os.stat(encoded(folder)), (*mount.options, *mount.super_options))}  # noqa: PTH116 - bytes
    except OSError as error:
        return unreadable(error.strerror or str(error), folder)
    asked = [_asked(mount.source, _GROUP, group) for group in sorted(groups)]
    return _tightest([_asked(mount.source, _USER, os.geteuid()), *asked])


def group_of(folder: os.stat_result, options: Iterable[str]) -> int:
    """The group of a file that we make in a folder: ours, or the folder's own by its bit or the mount's option."""
    inherits = folder.st_mode & stat.S_ISGID or {"grpid", "bsdgroups"} & set(options)
    return folder.st_gid if inherits else os.getegid()


def _btrfs(filesystem: Filesystem | None) -> Fact[Quota | None]:
    """Its quota groups; how much one with a limit leaves is not asked."""
    limits = filesystem.quota_limits if filesystem else Unknown(Cause.NOT_EXPOSED, "", "/sys/fs/btrfs")
    if isinstance(limits, Unknown):
        off = filesystem is not None and isinstance(filesystem.quota, Known) and filesystem.quota.value == "off"
        return Known(None, "/sys/fs/btrfs/*/qgroups") if off else limits
    if limits.value:
        return Unknown(Cause.NOT_EXPOSED, "look with `btrfs qgroup show -r`", limits.source)
    return Known(None, limits.source)


def _tightest(found: list[Fact[Quota | None]]) -> Fact[Quota | None]:
    unknown = next((it for it in found if isinstance(it, Unknown)), None)
    if unknown is not None:
        return unknown
    quotas = [it.value for it in found if isinstance(it, Known) and it.value is not None]
    if not quotas:
        return Known(None, _SOURCE)
    return Known(
        Quota(
            bytes_left=min((it.bytes_left for it in quotas if it.bytes_left is not None), default=None),
            inodes_left=min((it.inodes_left for it in quotas if it.inodes_left is not None), default=None),
        ),
        _SOURCE,
    )


def _asked(device: str, kind: int, number: int) -> Fact[Quota | None]:
    """The quota of one user or group, by quotactl(2)."""
    answer = ctypes.create_string_buffer(_DQBLK.size)
    call = ctypes.CDLL(None, use_errno=True).quotactl
    status = call(ctypes.c_int(_GET_QUOTA << 8 | kind), os.fsencode(device), ctypes.c_int(number), answer)
    if status == 0:
        return Known(parsed_quota(answer.raw), _SOURCE)
    number = ctypes.get_errno()
    if number in _OFF:
        return Known(None, _SOURCE)
    if number in (errno.EPERM, errno.EACCES):
        return Unknown(Cause.DENIED, "run as root", _SOURCE)
    return unreadable(os.strerror(number), _SOURCE)


def parsed_quota(record: bytes) -> Quota | None:
    """What a struct if_dqblk leaves below the lower of both limits; None where there is no limit."""
    hard, soft, used, files_hard, files_soft, files, *_ = _DQBLK.unpack(record)
    limits = [it for it in (hard, soft) if it]
    file_limits = [it for it in (files_hard, files_soft) if it]
    if not limits and not file_limits:
        return None
    return Quota(
        bytes_left=max(0, min(limits) * 1024 - used) if limits else None,
        inodes_left=max(0, min(file_limits) - files) if file_limits else None,
    )


Question: TypeAlias = Literal[
    "kind", "type", "writable", "errors", "space", "behind", "quota", "memory", "battery", "drives", "raid", "pool",
    "database", "busy"
]  # fmt: skip

WARNED: Final[frozenset[Question]] = frozenset(("errors", "quota", "battery", "drives", "raid", "database", "busy"))
"""Questions of which the unknown is a warning, though a bad answer refuses."""


class Objection(Struct, frozen=True, kw_only=True):
    """Something that speaks against it, in a sentence: what, where, and the nearest valid choice."""

    level: Literal["refused", "warning"]
    question: Question
    says: str


def refused(question: Question, says: str) -> Objection:
    """An objection for which nothing may start."""
    return Objection(level="refused", question=question, says=says)


def warning(question: Question, says: str) -> Objection:
    """It may, and people should know."""
    return Objection(level="warning", question=question, says=says)


def unknown(question: Question, what: str, fact: Unknown, otherwise: str) -> Iterator[Objection]:
    """One finding for what could not be told; none where the question makes no sense here."""
    if fact.cause is Cause.NOT_APPLICABLE:
        return
    learn = f"; to learn it: {fact.learn}" if fact.learn else ""
    level: Literal["refused", "warning"] = "warning" if question in WARNED else "refused"
    yield Objection(level=level, question=question, says=f"{what} could not be told: {otherwise}{learn}")


def bytes_text(size: int) -> str:
    """Bytes in words, as the cost is told."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 1 << power:
            return f"{size / (1 << power):.3g} {unit}" if size < 1000 << power else f"{size >> power:,} {unit}"
    return f"{size} bytes"


_OF_ROOT: Final = Path("/run/fsadvisor")


@contextlib.contextmanager
def probe_lock(mount: MountEntry | None) -> Iterator[Fact[Holder]]:
    """Holds the locks while in it, where they can be had; tells who else has one."""
    if mount is None:
        yield Unknown(Cause.NOT_EXPOSED, "", "/proc/self/mountinfo")
        return
    with contextlib.ExitStack() as stack:
        try:
            own = _own(f"{boot()}-{mount.major_minor}", stack)
        except BlockingIOError:
            yield Known("you", f"the lock of {mount.major_minor}")
            return
        yield _seen(mount.mount_point, stack, own=own)


def _own(name: str, stack: contextlib.ExitStack) -> bool:
    """Whether the lock is ours; False where there is no place for it. Raises BlockingIOError where another has it."""
    try:
        directory = safe_files.directory(_directory(os.environ), 0o700)
    except (MachineError, FileNotFoundError):
        return False
    stack.callback(os.close, directory)
    try:
        descriptor = safe_files.locked(directory, name, wait=False)
    except BlockingIOError:
        raise
    except OSError:
        return False
    stack.callback(_given_back, descriptor, directory, name)
    return True


def _given_back(descriptor: int, directory: int, name: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(name, dir_fd=directory)
    os.close(descriptor)


def _directory(environment: Mapping[str, str]) -> Path:
    """Raises FileNotFoundError where an ordinary user has none."""
    if os.geteuid() == 0:
        return _OF_ROOT
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime):  # noqa: PTH117 - the specification: relative ones are ignored
        return Path(runtime, "fsadvisor")
    results = user_probes_path(environment)
    if results is None:
        raise FileNotFoundError
    return results.with_name("locks")


def _seen(mount_point: str, stack: contextlib.ExitStack, *, own: bool) -> Fact[Holder]:
    """What the lock that everybody sees tells. Without a lock of our own it has to be had."""
    source = f"flock {mount_point}"
    try:
        descriptor = os.open(encoded(mount_point), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        stack.callback(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return Known("another", source)
    except PermissionError:
        return Known("nobody", source) if own else Unknown(Cause.DENIED, "run as root", source)
    except (OSError, ValueError) as error:
        return Known("nobody", source) if own else unreadable(str(getattr(error, "strerror", error)), source)
    return Known("nobody", source)
