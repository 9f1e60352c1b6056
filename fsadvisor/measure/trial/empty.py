"""A device that is proven empty, and two halves of it. What could not be asked is never taken for empty.

Asked are: signatures (blkid -p, wipefs -n), partitions and holders (sysfs), mounts, swap, fstab and crypttab by any
tag, and the kernel itself, by opening it with O_EXCL, which it refuses to all who do not hold it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Unknown
from fsadvisor.measure.probe import EngineError
from fsadvisor.measure.trial import mounting
from fsadvisor.measure.trial.testbed import DevicePart
from fsadvisor.readers.mount_tables import parse_swaps

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLKGETSIZE64: Final = 0x80081272
_SECONDS: Final = 30.0
_BLKID_NOTHING: Final = 2
"""blkid's exit status where it found nothing; with -p also where it could not look, so the device is read as well."""
_NAMING: Final = (("/etc/fstab", 0), ("/etc/crypttab", 1))
"""Files whose lines name devices, and in which word."""
_OF_ITS_PLACE: Final = ("DEVNAME", "PART_ENTRY_")
"""How blkid's words on the device itself, and on its line in the partition table, begin."""
_FOR_LINUX_DATA: Final = frozenset(("0x83", "0fc63daf-8483-4772-8e79-3d69d8477de4"))
"""Types of partitions that nothing but their content says the use of; a boot loader's may be full of zeros."""
_ALIGNED: Final = 1 << 20
_HEAD_BYTES: Final = 1 << 20
_MOST_BYTES: Final = 64 << 30
"""Of a half that is used: what mkfs writes grows with it, a GiB of inodes on so large an ext4, at every turn."""


def full_name(device: str) -> str:
    """The kernel's name of a device given by any path: 'sdb', 'loop3'. Raises EngineError where it is none."""
    try:
        mode = os.stat(device)  # noqa: PTH116 - links are followed
    except OSError as error:
        raise EngineError(f"{device}: {os.strerror(error.errno or 0).lower()}") from error
    if not stat.S_ISBLK(mode.st_mode):
        raise EngineError(f"{device} is no block device")
    link = Path(f"/sys/dev/block/{os.major(mode.st_rdev)}:{os.minor(mode.st_rdev)}")
    try:
        return link.resolve(strict=True).name
    except OSError as error:
        raise EngineError(f"{device}: the kernel does not tell of it in /sys") from error


def used(device: str) -> tuple[str, ...]:
    """Every reason to take a device for used, () where all was asked and nothing found. Raises EngineError."""
    with _alone(full_name(device), os.O_RDONLY) as (_, reasons):
        return reasons


@contextlib.contextmanager
def _alone(name: str, how: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The device, had alone from before it is asked to the block's end, and every reason to take it for used.

    The descriptor is -1 where it cannot be had alone. Raises EngineError.
    """
    path = f"/dev/{name}"
    try:
        descriptor = os.open(path, how | os.O_EXCL | os.O_CLOEXEC)
    except OSError as error:
        why = f"the kernel does not give it to us alone: {os.strerror(error.errno or 0).lower()}"
        yield -1, (*_found(name), why)
        return
    try:
        number = os.fstat(descriptor).st_rdev
        if _text(f"/sys/class/block/{name}/dev").strip() != f"{os.major(number)}:{os.minor(number)}":
            raise EngineError(f"{path} is not the device that the kernel calls so")
        yield descriptor, (*_found(name), *_content(descriptor))
    finally:
        os.close(descriptor)


def _found(name: str) -> Iterator[str]:
    path, sysfs = f"/dev/{name}", Path("/sys/class/block", name)
    yield from (f"it has a partition, {it.parent.name}" for it in sorted(sysfs.glob("*/partition")))
    yield from (f"{it.name} stands on it" for it in _entries(sysfs / "holders"))
    yield from _mounted(name)
    yield from _swapping(path)
    yield from _configured(path)
    yield from _signatures(path)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise EngineError(f"{folder} could not be read, so that nobody knows who uses the device") from error


def _text(path: str) -> str:
    try:
        return Path(path).read_bytes().decode(errors="surrogateescape")
    except OSError as error:
        raise EngineError(f"{path} could not be read, so that nobody knows who uses the device") from error


def _mounted(name: str) -> Iterator[str]:
    number = _text(f"/sys/class/block/{name}/dev").strip()
    for line in _text("/proc/self/mountinfo").split("\n")[:-1]:
        fields = line.split(" ")
        if fields[2] == number or fields[-2] == f"/dev/{name}":
            yield f"it is mounted on {fields[4]}"


def _swapping(path: str) -> Iterator[str]:
    swaps = parse_swaps(_text("/proc/swaps"))
    if isinstance(swaps, Unknown):
        raise EngineError("/proc/swaps could not be read, so that nobody knows who uses the device")
    if any(Path(area.path).resolve() == Path(path) for area in swaps.areas):
        yield "it is swapped to"


def _configured(path: str) -> Iterator[str]:
    """Its path and all other names that it has in /dev/disk, and the tags that those stand for."""
    names = {path}
    for link in Path("/dev/disk").glob("*/*"):
        if link.resolve() == Path(path):
            names |= {str(link), f"{link.parent.name.removeprefix('by-').upper()}={link.name}"}
    for file, at in _NAMING:
        for line in _text(file).splitlines() if os.path.lexists(file) else ():
            words = line.split()[at : at + 1]
            if words and not line.lstrip().startswith("#") and _is_it(words[0], path, names):
                yield f"{file} names it: {words[0]}"


def _is_it(word: str, path: str, names: set[str]) -> bool:
    return word.replace('"', "") in names or (word.startswith("/dev/") and Path(word).resolve() == Path(path))


def _signatures(path: str) -> Iterator[str]:
    status, out = mounting.status_of(
        "blkid", ("-p", "-o", "export", path), _SECONDS, f"looking for signatures on {path}"
    )
    if status not in (0, _BLKID_NOTHING):
        raise EngineError(f"blkid ended with {status}, so that nobody knows whether {path} is empty")
    properties = dict(line.partition("=")[::2] for line in out.splitlines() if line.strip())
    found = " ".join(f"{key}={value}" for key, value in properties.items() if not key.startswith(_OF_ITS_PLACE))
    if found:
        yield f"blkid finds something on it: {found[:200]}"
    kind = properties.get("PART_ENTRY_TYPE", "")
    if properties.keys() & {"PART_ENTRY_SCHEME", "PART_ENTRY_TYPE"} and kind not in _FOR_LINUX_DATA:
        yield f"its partition's type is {kind or 'not told'}, not that of data of Linux"
    listed = mounting.run("wipefs", ("-n", "--noheadings", path), _SECONDS, f"looking for signatures on {path}")
    if listed.strip():
        yield f"wipefs finds something on it: {' '.join(listed.split())[:200]}"


def _content(descriptor: int) -> Iterator[str]:
    """Why the device's first MiB speaks against it being empty; nothing where all is zeros."""
    try:
        if any(os.pread(descriptor, _HEAD_BYTES, 0)):
            yield "its first MiB is not all zeros: if it is to be lost, wipe it first (blkdiscard -z, or dd)"
    except OSError as error:
        yield f"it cannot be read: {os.strerror(error.errno or 0).lower()}"


def size_of(device: str) -> int:
    """Bytes of a block device. Raises EngineError."""
    try:
        descriptor = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise EngineError(f"{device} cannot be opened: {os.strerror(error.errno or 0).lower()}") from error
    try:
        return _size(descriptor)
    finally:
        os.close(descriptor)


def _size(descriptor: int) -> int:
    return int(struct.unpack("=Q", fcntl.ioctl(descriptor, _BLKGETSIZE64, bytes(8)))[0])


@contextlib.contextmanager
def halves(device: str) -> Iterator[tuple[DevicePart, DevicePart]]:
    """Two halves of a device, held alone, and asked meanwhile once more whether it is empty.

    What is written to it stays there, but for the first MiB of each half, which is zeroed at the end, so that no
    signature of ours is found. Raises EngineError.
    """
    with _alone(full_name(device), os.O_RDWR) as (descriptor, reasons):
        if reasons:
            raise EngineError(f"{device} is not empty: {'; '.join(reasons)}")
        half = _size(descriptor) // 2 // _ALIGNED * _ALIGNED
        size = min(half, _MOST_BYTES)
        try:
            yield (
                DevicePart(descriptor=descriptor, offset=0, size_bytes=size),
                DevicePart(descriptor=descriptor, offset=half, size_bytes=size),
            )
        finally:
            _wipe(descriptor, half)


def _wipe(descriptor: int, half: int) -> None:
    with contextlib.suppress(OSError):
        flags = fcntl.fcntl(descriptor, fcntl.F_GETFL) & ~os.O_DIRECT
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags)
        for at in (0, half):
            os.pwrite(descriptor, bytes(_HEAD_BYTES), at)
        os.fsync(descriptor)
