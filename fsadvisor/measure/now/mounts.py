"""The filesystems of the window: their space, what they say of themselves, and what NFS counted."""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from fsadvisor.facts import Unknown
from fsadvisor.machine import symptoms
from fsadvisor.machine.symptoms import Space
from fsadvisor.measure.now import Device, Filesystem
from fsadvisor.readers.mount_tables import parse_mountinfo
from fsadvisor.readers.server_files import ETAB, parse_nfs_exports
from fsadvisor.survey.filesystem_types.registry import TYPES
from fsadvisor.survey.program_files import written_layer
from fsadvisor.version import Version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fsadvisor.machine.symptoms import Holds
    from fsadvisor.measure.now import Logged, Program, Window
    from fsadvisor.readers.mount_tables import MountEntry

_OTHERS: Final = frozenset({"overlay", "tmpfs", "nfs", "nfs4", "cifs", "smb3", "ceph", "9p", "virtiofs"})
"""Filesystems of files that are on no block device of this machine's, or on several."""


_FEW_INODES: Final = 16


def pool_of(fs: Filesystem) -> str:
    """The ZFS pool that it is of: 'tank' of tank/home."""
    own = TYPES.get(fs.type)
    return "" if own is None or own.on_devices else fs.source.partition("/")[0]


def times_mounted(text: str) -> Counter[str]:
    """How often each filesystem is mounted, by its device number."""
    read = parse_mountinfo(text)
    return Counter() if isinstance(read, Unknown) else Counter(one.major_minor for one in read.mounts)


def table(text: str) -> tuple[MountEntry, ...]:
    """The mounts that hold files, each filesystem once: by its own root where that is mounted."""
    read = parse_mountinfo(text)
    if isinstance(read, Unknown):
        return ()
    first: dict[str, MountEntry] = {}
    for mount in read.mounts:
        fs_type = mount.fs_type
        if not (mount.source.startswith("/dev/") or fs_type in {*TYPES, *_OTHERS} or fs_type.startswith("fuse.")):
            continue
        known = first.get(mount.major_minor)
        if known is None or (known.root != "/" and mount.root == "/"):
            first[mount.major_minor] = mount
    return tuple(first.values())


def filesystems(
    mounts: tuple[MountEntry, ...],
    space: Mapping[str, Space | str | None],
    jobs: Mapping[str, str],
    nfs: Mapping[str, tuple[float, float, float]],
    times: Mapping[str, int],
) -> tuple[Filesystem, ...]:
    """Each, with what was found out."""
    made = (_filesystem(one, space, jobs, nfs, times) for one in mounts)
    return tuple(one for one in made if one.type != "tmpfs" or _is_used_up(one))


def _is_used_up(fs: Filesystem) -> bool:
    """Of a filesystem in memory nothing else is told; one without a limit has none to reach."""
    if not fs.size or "ro" in fs.options:
        return False
    return (fs.available or 0) < fs.size / 100 or bool(fs.inodes and (fs.inodes_free or 0) < _FEW_INODES)


def _kernel_name(source: str) -> str:
    """'dm-0' of /dev/mapper/vg-data: the kernel's own folders know no other name. Links of /dev hang nowhere."""
    real = os.path.realpath(source) if source.startswith("/dev/") and source != "/dev/fuse" else ""
    return os.path.basename(real)  # noqa: PTH119 - text alone


_SHOWS_EMERGENCY_RO: Final = Version(6, 15)


def add_turned(known: tuple[Filesystem, ...], log: tuple[Logged, ...] | None, release: str) -> None:
    """What the kernel's log tells of an ext4 with errors, and of an XFS: this does not show that it was shut down."""
    sure = [line for line in log or () if not line.doubtful]
    since = {line.device: line.first for line in sure if line.kind == "read-only"}
    version = Version.parse(release)
    for fs in known:
        _add_shut_down(fs, [line for line in sure if line.device == _kernel_name(fs.source)])
    for fs in (each for each in known if each.errors):
        moment = since.get(_kernel_name(fs.source))
        if moment is not None:
            fs.turned, fs.turned_at = True, moment
        elif version is not None and version >= _SHOWS_EMERGENCY_RO:
            fs.turned = False


def _add_shut_down(fs: Filesystem, logged: list[Logged]) -> None:
    """Once it was shut down, until it is mounted anew: where the options do not show it, its type has a pattern."""
    own = [line for line in logged if line.pattern == f"{fs.type}-shutdown"]
    mounted = max((line.last for line in logged if line.kind == "mounted"), default="")
    since = [max(line.first, mounted) for line in own if line.last > mounted]
    if since:
        fs.turned, fs.turned_at = True, min(since)


_ASKED_FOR: Final = ("scrub", "balance")


def add_scrubs(known: tuple[Filesystem, ...], programs: Iterable[Program], held: Mapping[int, Holds]) -> None:
    """Who asked for a scrub or a balance; it lasts as long as the call of the tool that has the type's name.

    The kernel tells of a balance by itself, of a scrub it does not.
    """
    for program in programs:
        for fs in known:
            mine = fs.job is not None and program.name == fs.type and fs.mount_point in program.places
            verb = held[program.pid].verb
            if mine and verb in _ASKED_FOR:
                program.job = verb
                fs.job = "scrub" if verb == "scrub" and fs.job == "none" else fs.job


def _filesystem(
    mount: MountEntry,
    space: Mapping[str, Space | str | None],
    jobs: Mapping[str, str],
    nfs: Mapping[str, tuple[float, float, float]],
    times: Mapping[str, int],
) -> Filesystem:
    of_fuse = mount.fs_type.partition(".")[0] == "fuse"  # any user names what he mounts with it
    source = "" if of_fuse else _kernel_name(mount.source)
    device = symptoms.device_name(mount.major_minor) or source
    made = Filesystem(
        mount_point=mount.mount_point,
        type=mount.fs_type,
        source=mount.source,
        device=device,
        number=mount.major_minor,
        mounts=times[mount.major_minor],
        options=mount.options,
        super_options=mount.super_options,
        job=jobs.get(source),
    )
    if mount.mount_point in space:
        answer = space[mount.mount_point]
        made.answers = None if _asks_its_owner_alone(mount) else isinstance(answer, Space)
        made.refuses = answer if isinstance(answer, str) else ""
        if isinstance(answer, Space):
            made.size, made.free, made.available = answer.size, answer.free, answer.available
            made.inodes, made.inodes_free = answer.inodes, answer.inodes_free
    own = TYPES.get(mount.fs_type)
    made.wider = own is not None and own.devices_untold and not _fits(made)
    if pool_of(made):
        made.pool_state = symptoms.text(f"/proc/spl/kstat/zfs/{pool_of(made)}/state")
    errors = symptoms.text(f"/sys/fs/ext4/{source}/errors_count") if source else None
    made.errors = int(errors) if errors and errors.isdecimal() else None
    if mount.mount_point in nfs:
        made.operations, made.operation_ms, made.server_ms = nfs[mount.mount_point]
    return made


def gone(known: Iterable[Filesystem], numbers: Mapping[str, str]) -> Iterator[Device]:
    """The devices that were removed while they are mounted: pulled, or off their bus. Another may have the name now.

    `numbers` are those that the kernel has, by name.
    """
    names = frozenset(numbers.values())
    for fs in known:
        if numbers and fs.number not in numbers and fs.number.partition(":")[0] not in ("", "0"):
            whole = _PARTITION.sub("", fs.device)
            fs.device = fs.number if fs.device in names else fs.device
            idle = Device(name=fs.device, state="gone", flushes=0.0, flush=0.0, discards=0.0, discard=0.0)
            yield replace(idle, called=() if whole in names else (whole,))


def _fits(fs: Filesystem) -> bool:
    """Whether it is known to live on its device alone: of more, of which nothing tells, an F2FS is larger."""
    sectors = symptoms.text(f"/sys/dev/block/{fs.number}/size") or ""
    return fs.size is not None and sectors.isdecimal() and fs.size < int(sectors) * 512


def _asks_its_owner_alone(mount: MountEntry) -> bool:
    """A FUSE mount of another user's, at which the kernel answers us by itself."""
    ours = {"allow_other", f"user_id={os.geteuid()}"}
    return mount.fs_type.startswith("fuse") and not ours & set(mount.super_options)


def works_on(program: Program, device: str, window: Window) -> bool:
    """Whether a filesystem that the program works in stands on the device, or it works on the device itself."""
    return any(device in devices_of(place, window) for place in program.places)


def devices_of(place: str, window: Window) -> frozenset[str]:
    """The device of a mount point, or the one that is called so (/dev/sdb), and all those below it."""
    return with_below(uppermost(place, window), window)


def uppermost(place: str, window: Window) -> tuple[str, ...]:
    """The device of a mount point, or the one that is called so, without those below it."""
    mounted = (one.device for one in window.filesystems if one.mount_point == place)
    return (*mounted, *(one.name for one in window.devices if f"/dev/{one.name}" == place))


_OTHER_LOG: Final = re.compile(r"(logdev|rtdev)=", re.ASCII)


def flushed_by(places: Iterable[str], window: Window) -> frozenset[str]:
    """The devices that a flush of these places may go to; none where an XFS or F2FS may have sent it to another."""
    flushed = frozenset(places)
    split = (one for one in window.filesystems if one.wider or any(map(_OTHER_LOG.match, one.super_options)))
    if any(one.mount_point in flushed for one in split):
        return frozenset()
    return frozenset(name for place in flushed for name in uppermost(place, window))


def with_below(devices: Iterable[str], window: Window) -> frozenset[str]:
    """The devices, and all that they are made of: the filesystem of a loop device's file, too, by its mount point."""
    under = {one.mount_point: one.device for one in window.filesystems}
    below = {one.name: (*one.below, one.stands_on, under.get(one.stands_on, "")) for one in window.devices}
    left = list(devices)
    found: set[str] = set()
    while left:
        name = left.pop()
        if name and name not in found:
            found.add(name)
            left += below.get(name, ())
    return frozenset(found)


_NUMBERED: Final = re.compile(r"([a-z0-9]+)_(?:flush|gc|discard|ckpt)-(\d+(?::\d*)?)", re.ASCII)
"""Threads of F2FS."""
_CUT: Final = 15
"""Characters of a name that is as long as any: before Linux 5.17 the kernel cut those of its threads there."""

_PARTITION: Final = re.compile(r"(?:(?<=\d)p)?\d+$", re.ASCII)


class _MountTable:
    """The device numbers of filesystems, by the ids of mounts and by paths, as a process sees them."""

    def __init__(self, text: str) -> None:
        read = parse_mountinfo(text)
        self.mounts: Final = () if isinstance(read, Unknown) else read.mounts
        self.by_id: Final = {one.mount_id: one.major_minor for one in self.mounts}
        self._longest_first: Final = sorted(self.mounts, key=lambda one: len(one.mount_point))[::-1]

    def of_path(self, path: str) -> str:
        """'' where none holds it; of several mounts at one place the last holds it."""
        for one in self._longest_first:
            if path == one.mount_point or path.startswith(one.mount_point.rstrip("/") + "/"):
                return one.major_minor
        return ""


class Places:
    """Which of the window's filesystems a process's mounts and paths belong to."""

    def __init__(self, text: str, known: tuple[Filesystem, ...], devices: frozenset[str], exports: str) -> None:
        """`text` is the table of mounts; `devices` are the names of whole block devices; `exports` is nfsd's table."""
        self.all: Final = tuple(one.mount_point for one in known)
        self._devices = devices
        self._seen = _MountTable(text)
        self._at = {fs.number: fs.mount_point for fs in known}
        for overlay in (one for one in self._seen.mounts if one.fs_type == "overlay" and one.mount_point != "/"):
            below = self.of_path(written_layer(overlay) or "")
            self._at |= {overlay.major_minor: below} if below else {}
        self._by_device = [(each, fs.mount_point) for fs in known for each in (_kernel_name(fs.source), fs.device)]
        self._by_number = [(fs.type, fs.number, fs.mount_point) for fs in known]
        self._served = self._only_one(exports)

    def of(self, held: Holds) -> tuple[str, ...]:
        """Mount points of the files that a process has open, those it writes to first.

        Of `dd if=/dev/sdb` it is /dev/sdb: the directory in which it happens to be is not what it reads.
        """
        raw = {path: name for path in held.paths if (name := self._of_device(path))}
        devices = [*raw.values(), *self._raw(held.devices)]
        files = [path for path in held.paths if path not in raw] + ([] if devices else [held.directory])
        return tuple(dict.fromkeys((*self._held(held, held.written, ()), *devices, *self._held(held, (), files))))

    def _held(self, held: Holds, ids: Iterable[int], paths: Iterable[str]) -> Iterator[str]:
        """Mount points of the filesystems that these mounts and paths are of, as the process sees them."""
        seen = self._seen if held.mounts == "" else _MountTable(held.mounts or "")
        numbers = (*(seen.by_id.get(one, "") for one in ids), *map(seen.of_path, paths))
        return filter(None, (self._at.get(number, "") for number in filter(None, numbers)))

    def _raw(self, names: Iterable[str]) -> list[str]:
        return [f"/dev/{name}" for name in names if name in self._devices]

    def _of_device(self, path: str) -> str:
        """'/dev/sdb' of it, and of its partitions and links; '' of what is no block device."""
        name = _kernel_name(path)
        whole = (name, _PARTITION.sub("", name))
        return next((f"/dev/{one}" for one in whole if one in self._devices), "")

    def _only_one(self, exports: str) -> tuple[str, ...]:
        """The filesystem that NFS serves: none where there are several, for which it is at work nothing tells."""
        read = parse_nfs_exports("\n".join(line for line in exports.split("\n") if not line.startswith("#")))
        if isinstance(read, Unknown) or read.unread:
            return ()
        found = {self.of_path(one.path) for one in read.exports if "v4root" not in one.options}
        return tuple(found) if len(found) == 1 and "" not in found else ()

    def of_thread(self, name: str) -> tuple[str, ...]:
        """Of a thread of the kernel, which works in no directory: where its name has a device of it (jbd2/sdb1-8)."""
        if name == "nfsd":
            return self._served
        if numbered := _NUMBERED.fullmatch(name):
            return self._numbered(numbered[1], numbered[2], cut=len(name) == _CUT)
        inside = name.partition("/")[2] or name.partition("_")[0]
        called = {inside, inside.rpartition("-")[0]} - {""}
        return tuple(dict.fromkeys(point for device, point in self._by_device if device in called))

    def _numbered(self, fs_type: str, number: str, *, cut: bool) -> tuple[str, ...]:
        """That of a device number, or of what is left of one: then where no other can be meant."""
        alike = (pair for kind, *pair in self._by_number if kind == fs_type)
        found = [place for own, place in alike if own == number or (cut and own.startswith(number))]
        return tuple(found) if len(found) == 1 else ()

    def of_waiting(self, held: Holds) -> tuple[str, ...]:
        """Where a thread waits that is about to write: in a file that is open, or in one that it makes or renames."""
        known = held.waits_in or held.waits_on
        found = self._held(held, held.waits_in, () if known else (*held.paths, held.directory))
        return tuple(dict.fromkeys((*found, *self._raw(held.waits_on if known else held.devices))))

    def of_path(self, path: str) -> str:
        """The mount point of the filesystem that holds it, '' where none of the window's does."""
        return self._at.get(self._seen.of_path(path), "")


def exports() -> str:
    """What the kernel's NFS server has in use, and what it was told to serve; '' where none runs."""
    used = symptoms.text("/proc/fs/nfs/exports")
    return f"{used}\n{symptoms.text(ETAB) or ''}" if used else ""


def places(text: str, known: tuple[Filesystem, ...], devices: Iterable[str], exports: str = "") -> Places:
    """Ready to be asked."""
    return Places(text, known, frozenset(devices), exports)


_RTT, _EXECUTE = 6, 7
"""Sums in ms of one line of operations: operations, transmissions, time-outs, bytes, bytes, queue, round trip, all."""


def nfs_between(before: str, after: str, seconds: float) -> dict[str, tuple[float, float, float]]:
    """Operations per second, what one took, and what of that the server and the network took; by mount point."""
    then, now = _nfs(before), _nfs(after)
    found: dict[str, tuple[float, float, float]] = {}
    for mount_point, (count, server, whole) in now.items():
        if mount_point not in then or seconds <= 0:
            continue
        more = count - then[mount_point][0]
        if more > 0:
            found[mount_point] = (
                more / seconds,
                (whole - then[mount_point][2]) / more,
                (server - then[mount_point][1]) / more,
            )
    return found


def _nfs(text: str) -> dict[str, tuple[int, int, int]]:
    sums: dict[str, tuple[int, int, int]] = {}
    mount_point, inside = "", False
    for line in text.split("\n"):
        if line.startswith("device "):
            mount_point, inside = line.partition(" mounted on ")[2].partition(" with fstype ")[0], False
        elif line.strip() == "per-op statistics":
            inside = "statvers" in text
            sums[mount_point] = (0, 0, 0)
        elif inside and ": " in line:
            numbers = line.partition(": ")[2].split()
            if len(numbers) > _EXECUTE and all(map(str.isdecimal, numbers)):
                count, server, whole = sums[mount_point]
                sums[mount_point] = (
                    count + int(numbers[0]),
                    server + int(numbers[_RTT]),
                    whole + int(numbers[_EXECUTE]),
                )
    return sums
