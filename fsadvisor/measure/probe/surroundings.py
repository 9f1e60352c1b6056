"""What is around a target: the survey's facts of its mount and of all below, and what only the folder itself tells."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import TYPE_CHECKING, Final, TypeVar

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown, unreadable
from fsadvisor.machine.runner import decoded, encoded
from fsadvisor.machine.time_limits import within
from fsadvisor.measure.probe.target import DataFolder, Drive, PoolBelow, ProbePlace, Raid, Room, quota_left
from fsadvisor.readers import mount_tables
from fsadvisor.storage import Disk, Filesystem, Host, Layer, Service
from fsadvisor.survey import read_fact
from fsadvisor.survey.filesystem_types.registry import IN_MEMORY, ON_DEVICES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.machine.port import Machine
    from fsadvisor.measure.probe.target import Holder, Kind
    from fsadvisor.storage import Storage, Subject

T = TypeVar("T")

_PATIENCE_S: Final = 10.0
_DAY_S: Final = 86400
_FAILED: Final = {errno.EIO, errno.ENODEV, errno.ENXIO, errno.ESHUTDOWN}
"""What a filesystem says whose disk is gone, or which was shut down."""
_SUPPLIES: Final = "/sys/class/power_supply"
_UNSEEN: Final = Unknown(Cause.NOT_EXPOSED, "", "/proc/self/mountinfo")
_KINDS: Final[tuple[tuple[int, Kind], ...]] = (
    (stat.S_IFDIR, "folder"),
    (stat.S_IFREG, "file"),
    (stat.S_IFBLK, "block device"),
    (stat.S_IFCHR, "character device"),
    (stat.S_IFIFO, "FIFO"),
    (stat.S_IFSOCK, "socket"),
)
_MARKS: Final = (
    ("PG_VERSION", "PostgreSQL"),
    ("ibdata1", "MySQL or MariaDB"),
    ("WiredTiger", "MongoDB"),
    ("appendonlydir", "Redis"),
    ("member/wal", "etcd"),
)
"""Names that only the data directory of a database holds, also while it does not run."""


def real(target: str) -> str:
    """The target without links and '..', as text of our own form.

    What cannot be resolved stays as it is, as does what is on a filesystem that does not answer.
    """
    named = encoded(target)
    found = within(_PATIENCE_S, lambda: os.path.realpath(named))
    return decoded(os.path.abspath(named) if found is None else found)  # noqa: PTH100 - bytes


def kind_of(target: str) -> Fact[Kind]:
    """What a path is. A path on a filesystem that does not answer is not known."""
    found = within(_PATIENCE_S, lambda: _kind(target))
    return found if found is not None else Unknown(Cause.TIMED_OUT, "name a directory that answers", target)


def _kind(target: str) -> Fact[Kind]:
    try:
        mode = os.stat(encoded(target)).st_mode  # noqa: PTH116 - bytes
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return Known("absent", target)
    except PermissionError:
        return Known("not to be reached", target)
    except OSError as error:
        if error.errno in _FAILED:
            return Unknown(Cause.NOT_EXPOSED, f"look into the kernel's log ({os.strerror(error.errno)})", target)
        return unreadable(error.strerror or str(error), target)
    kind = next((name for bits, name in _KINDS if stat.S_IFMT(mode) == bits), None)
    return unreadable("no kind of file that is known", target) if kind is None else Known(kind, target)


def number_of(target: str) -> tuple[int, int] | None:
    """Device and inode, which tell it from what may be at that path later; None where it does not answer."""
    with contextlib.suppress(OSError, ValueError):
        found = within(_PATIENCE_S, lambda: os.stat(encoded(target)))  # noqa: PTH116 - bytes
        return (found.st_dev, found.st_ino) if found else None
    return None


def mount_of(target: str, machine: Machine) -> mount_tables.MountEntry | None:
    """The mount that a folder is on: by its number, which holds for subvolumes and hidden mounts, too."""
    record = read_fact.file_record(machine, "/proc/self/mountinfo", mount_tables.parse_mountinfo)
    if isinstance(record, Unknown):
        return None
    number = within(_PATIENCE_S, lambda: _mount_id(target))
    return next((it for it in record.mounts if it.mount_id == number), None)


def _mount_id(target: str) -> int | None:
    try:
        descriptor = os.open(encoded(target), os.O_PATH | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        with open(f"/proc/self/fdinfo/{descriptor}", encoding="ascii") as file:  # noqa: PTH123 - a path of ours
            return next((int(line.split()[1]) for line in file if line.startswith("mnt_id:")), None)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def place(target: str, machine: Machine, storage: Storage, *, busy: Fact[Holder]) -> ProbePlace:
    """All that the guard asks. `target` is real()."""
    kind = kind_of(target)
    answers = read_fact.value(kind) == "folder"  # whatever else is asked of one that does not would wait for ever
    not_told = kind if isinstance(kind, Unknown) else unreadable("no directory", target)
    mount = mount_of(target, machine) if answers else None
    around = _Around(storage, mount)
    filesystem, host = around.filesystem, around.host
    in_memory = mount is not None and mount.fs_type in IN_MEMORY
    return ProbePlace(
        target=target,
        kind=kind,
        may_write=Known(os.access(encoded(target), os.W_OK | os.X_OK), "access(2)") if answers else not_told,
        mount_point=_UNSEEN if mount is None else Known(mount.mount_point, _UNSEEN.source),
        fs_type=_UNSEEN if mount is None else Known(mount.fs_type, _UNSEEN.source),
        read_only=_UNSEEN if mount is None else Known(_is_read_only(mount, target), _UNSEEN.source),
        shut_down=filesystem.shut_down if filesystem else around.without,
        errors=filesystem.errors if filesystem else around.without,
        room=room_of(target) if answers else not_told,
        behind=around.behind(),
        quota=NOT_APPLICABLE if in_memory else quota_left(mount, filesystem, target),
        memory_bytes=host.available_bytes if in_memory and host else NOT_APPLICABLE,
        on_battery=on_battery(machine),
        drives=NOT_APPLICABLE if in_memory else around.drives(),
        raids=around.raids(machine),
        pools=around.pools(),
        data_folder=data_folder(target, storage) if answers else not_told,
        busy=busy,
    )


def _is_read_only(mount: mount_tables.MountEntry, target: str) -> bool:
    """By its options, or because it has become so since they were read: access(2) was asked before."""
    if "ro" in (*mount.options, *mount.super_options):
        return True
    try:
        return bool(os.statvfs(encoded(target)).f_flag & os.ST_RDONLY)
    except (OSError, ValueError):
        return False


def room_of(folder: str) -> Fact[Room]:
    """What may still be taken there: a project quota counts in it, and blocks kept for root do not."""
    try:
        found = os.statvfs(encoded(folder))
    except (OSError, ValueError) as error:
        return unreadable(str(getattr(error, "strerror", error)), f"statvfs {folder}")
    room = Room(
        where=folder,
        size_bytes=found.f_blocks * found.f_frsize,
        available_bytes=found.f_bavail * found.f_frsize,
        inodes=found.f_files,
        inodes_free=found.f_favail,
    )
    return Known(room, f"statvfs {folder}")


def on_battery(machine: Machine) -> Fact[bool]:
    """Whether a battery is being used up. A machine without any power supply in sysfs has none."""
    names = machine.entries(_SUPPLIES)
    if isinstance(names, Unknown):
        return Known(False, _SUPPLIES) if names.cause is Cause.NOT_EXPOSED else names
    found = [_used_up(machine, f"{_SUPPLIES}/{name}") for name in names]
    known = [it for it in found if isinstance(it, Known)]
    not_told = next((it for it in found if isinstance(it, Unknown)), None)
    return next((it for it in known if it.value), None) or not_told or Known(False, _SUPPLIES)


def _used_up(machine: Machine, supply: str) -> Fact[bool]:
    """Whether a power supply is a battery of the machine, or behind its plug (a UPS), that is being used up."""
    kind = read_fact.text(machine, f"{supply}/type")
    if isinstance(kind, Unknown):
        return kind
    if kind.value not in ("Battery", "UPS") or read_fact.value(read_fact.text(machine, f"{supply}/scope")) == "Device":
        return Known(False, supply)
    status = read_fact.text(machine, f"{supply}/status")
    if isinstance(status, Unknown):
        return status
    if status.value == "Unknown":  # the driver's own word
        return Unknown(Cause.NOT_EXPOSED, "", f"{supply}/status")
    return Known(status.value == "Discharging", f"{supply}/status")


def data_folder(target: str, storage: Storage) -> Fact[DataFolder | None]:
    """The data directory that the target is in: of a program that runs, or by what only a database's folder holds."""
    not_told: Unknown | None = None
    for subject in storage.subjects:
        service = subject.scope.get("service")
        if not isinstance(service, Service):
            continue
        if isinstance(service.directory, Unknown):
            not_told = service.directory
        elif _within(target, real(service.directory.value)) and service.directory.value != "/":
            found_one = DataFolder(
                program=read_fact.value(service.program) or "a program", folder=service.directory.value
            )
            return Known(found_one, "running processes")
    found = next(_marked(target), None)
    if found is not None:
        return Known(found, "entries in the directory")
    host = _facts(storage.subjects, Host)
    running = host[0].services if host else NOT_APPLICABLE
    return not_told or (running if isinstance(running, Unknown) else Known(None, "running processes"))


def _marked(target: str) -> Iterator[DataFolder]:
    folder = target
    while folder.strip("/"):
        for mark, program in _MARKS:
            if os.path.lexists(encoded(f"{folder}/{mark}")):
                yield DataFolder(program=program, folder=folder)
        folder = folder.rpartition("/")[0]


def _within(target: str, folder: str) -> bool:
    return f"{target}/".startswith(f"{folder.rstrip('/')}/")


def _facts(subjects: Iterable[Subject], kind: type[T]) -> list[T]:
    """The facts of this kind that subjects have of their own."""
    own = (it.scope.get(it.kind) for it in subjects)
    return [facts for facts in own if isinstance(facts, kind)]


class _Around:
    """The subjects under a mount."""

    def __init__(self, storage: Storage, mount: mount_tables.MountEntry | None) -> None:
        by_id = {it.id: it for it in storage.subjects}
        root = by_id.get(f"mount:{mount.mount_point}") if mount else None
        self._subjects: list[Subject] = []
        waiting = [root] if root is not None else []
        while waiting:
            subject = waiting.pop()
            if subject not in self._subjects:
                self._subjects.append(subject)
                waiting += [by_id[name] for name in subject.below if name in by_id]
        self.filesystem = next(iter(_facts(self._subjects, Filesystem)), None)
        self.host = next(iter(_facts(storage.subjects, Host)), None)
        in_memory = mount is not None and mount.fs_type in IN_MEMORY
        self._on_devices = mount is not None and mount.fs_type in ON_DEVICES
        self._seen = root is not None or in_memory  # the survey passes over those under /run and /dev
        self.without: Unknown = NOT_APPLICABLE if self._seen and not self._on_devices else _UNSEEN
        """What a filesystem says of itself that is not among the subjects."""

    @property
    def _not_followed(self) -> Unknown | None:
        """Why what is below is not known; None where all of it is."""
        below = self._subjects[0].scope.get("below") if self._subjects else None
        leaves = getattr(below, "disks", _UNSEEN)
        return leaves if isinstance(leaves, Unknown) else None

    def drives(self) -> Fact[tuple[Drive, ...]]:
        """The physical disks below."""
        return self._not_followed or Known(
            tuple(_drive(it, self.host) for it in _facts(self._subjects, Disk)), "the stack in sysfs"
        )

    def behind(self) -> Fact[tuple[Room, ...]]:
        """Room where the images of loop devices lie."""
        if (self._on_devices or not self._seen) and self._not_followed:
            return self._not_followed
        files = [it.backing_file for it in _facts(self._subjects, Layer) if read_fact.value(it.kind) == "loop"]
        rooms: list[Room] = []
        for file in files:
            room = file if isinstance(file, Unknown) else room_of(file.value.rpartition("/")[0] or "/")
            if isinstance(room, Unknown):
                return room
            rooms.append(room.value)
        return Known(tuple(rooms), "loop devices below")

    def raids(self, machine: Machine) -> Fact[tuple[Raid, ...]]:
        """md, LVM's RAID, ZFS, whose pool is asked; that none is found in a stack not followed tells nothing."""
        found = [_raid(layer, machine) for layer in _facts(self._subjects, Layer) if isinstance(layer.md_level, Known)]
        for fs in _facts(self._subjects, Filesystem):
            if isinstance(fs.zfs_pool, Known):
                health = read_fact.derive(fs.zfs_pool_health, lambda said: said != "ONLINE")
                found.append(Raid(name=f"pool {fs.zfs_pool.value}", degraded=health, action=NOT_APPLICABLE))
            if fs.missing_bytes != NOT_APPLICABLE:
                missing = read_fact.derive(fs.missing_bytes, bool)
                found.append(Raid(name="the Btrfs", degraded=missing, action=NOT_APPLICABLE))
        if not found and (self._on_devices or not self._seen) and self._not_followed:
            return self._not_followed
        return Known(tuple(found), "the stack in sysfs")

    def pools(self) -> Fact[tuple[PoolBelow, ...]]:
        """Thin volumes and snapshots below."""
        found = tuple(it for layer in _facts(self._subjects, Layer) for it in _pool(layer))
        if not found and (self._on_devices or not self._seen) and self._not_followed:
            return self._not_followed
        return Known(found, "the stack in sysfs")


def _pool(layer: Layer) -> Iterator[PoolBelow]:
    """A layer that takes its blocks from a pool, or may: the kind of a mapped device that is not told is not known."""
    name = read_fact.value(layer.name) or "?"
    if layer.fill_percent != NOT_APPLICABLE or isinstance(layer.kind, Unknown):
        not_told = Unknown(Cause.NO_TOOL, "run as root with dmsetup and lvm2 installed", name)
        fill = not_told if layer.fill_percent == NOT_APPLICABLE else layer.fill_percent
        yield PoolBelow(name=name, fill_percent=fill, metadata_percent=layer.pool_metadata_percent)


def _drive(disk: Disk, host: Host | None) -> Drive:
    uptime = host.uptime_seconds if host else Unknown(Cause.NOT_EXPOSED, "", "/proc/uptime")
    return Drive(
        name=read_fact.value(disk.name) or "?",
        size_bytes=disk.size_bytes,
        virtual=disk.virtual,
        rotational=disk.rotational,
        percentage_used=disk.percentage_used,
        smart_passed=disk.smart_passed,
        critical_warning=disk.critical_warning,
        day_bytes=_a_day(disk.written_bytes, uptime),
    )


def _a_day(written: Fact[int], uptime: Fact[int]) -> Fact[int]:
    """What is written on an average day, from bytes and seconds since boot."""
    if isinstance(uptime, Unknown):
        return uptime
    return read_fact.derive(written, lambda it: it * _DAY_S // max(uptime.value, _DAY_S))


def _raid(layer: Layer, machine: Machine) -> Raid:
    name = read_fact.value(layer.name) or "?"
    is_md = read_fact.value(layer.kind) == "md"
    action = read_fact.text(machine, f"/sys/block/{name}/md/sync_action") if is_md else NOT_APPLICABLE
    without = layer.md_level == Known("raid0", getattr(layer.md_level, "source", ""))
    return Raid(
        name=name,
        degraded=read_fact.derive(layer.md_degraded, bool),
        action=NOT_APPLICABLE if without else action,
    )
