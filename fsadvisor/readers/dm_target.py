"""The arguments of device-mapper targets (no source of its own: part of dmsetup_table).

Written against drivers/md of Linux 6.12; each target's arguments are described below
https://docs.kernel.org/admin-guide/device-mapper/index.html
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from fsadvisor.readers import whole

if TYPE_CHECKING:
    from collections.abc import Callable

SECTOR_BYTES = 512


class Leg(Struct, frozen=True, kw_only=True):
    """A device below a target."""

    device: str
    """'major:minor' as a rule."""
    offset_sectors: int | None
    """Of 512 bytes; None where the target takes no offset."""


class Crypt(Struct, frozen=True, kw_only=True):
    """Of `crypt`; the key, or its name in a keyring, is never kept."""

    flags: tuple[str, ...]
    """'allow_discards', 'same_cpu_crypt', 'no_read_workqueue', 'no_write_workqueue', …"""
    sector_size_bytes: int
    """512 unless the table says otherwise."""


class Striped(Struct, frozen=True, kw_only=True):
    """The parameters of a `striped` target."""

    chunk_bytes: int


class RaidTarget(Struct, frozen=True, kw_only=True):
    """Of `raid` (LVM's RAID on top of md)."""

    level: str
    """'raid1', 'raid5_ls', …"""
    chunk_bytes: int
    """0 for raid1."""


class CacheTarget(Struct, frozen=True, kw_only=True):
    """Of `cache` and `writecache`. Legs: the metadata, cache and origin devices; the origin and the cache."""

    mode: str
    """'writethrough', 'writeback' or 'passthrough'; a writecache is always 'writeback'."""


class ThinPool(Struct, frozen=True, kw_only=True):
    """Of `thin-pool`. Legs: the metadata and the data device."""

    features: tuple[str, ...]
    """'skip_block_zeroing', 'ignore_discard', 'no_discard_passdown', …"""


class MultipathTarget(Struct, frozen=True, kw_only=True):
    """Of `multipath`. Legs: the paths."""

    features: tuple[str, ...]
    """'queue_if_no_path', …"""


Detail: TypeAlias = Crypt | Striped | RaidTarget | CacheTarget | ThinPool | MultipathTarget


class TargetError(ValueError):
    """The arguments are not those of the target."""


class Words:
    """The arguments, taken from the front."""

    def __init__(self, text: str) -> None:
        self._words = text.split()
        self._at = 0

    def word(self) -> str:
        """The next word of the table's line. Raises TargetError at its end."""
        if self._at >= len(self._words):
            raise TargetError
        self._at += 1
        return self._words[self._at - 1]

    def number(self) -> int:
        """The next one, a number."""
        number = whole(self.word())
        if number is None or number < 0:
            raise TargetError
        return number

    def some(self, count: int) -> tuple[str, ...]:
        """The next `count` words. Raises TargetError where there are fewer."""
        if count > len(self._words) - self._at:
            raise TargetError
        self._at += count
        return tuple(self._words[self._at - count : self._at])

    def counted(self) -> tuple[str, ...]:
        """A count and that many; none where nothing is left."""
        return self.some(self.number()) if self.left() else ()

    def sectors(self) -> int:
        """The next one, in sectors, as bytes."""
        return self.number() * SECTOR_BYTES

    def leg(self) -> Leg:
        """The next word, as a device."""
        return Leg(device=self.word(), offset_sectors=None)

    def leg_at(self) -> Leg:
        """A device and an offset."""
        return Leg(device=self.word(), offset_sectors=self.number())

    def left(self) -> bool:
        """Whether there are more."""
        return self._at < len(self._words)

    def rest_as_legs(self) -> tuple[Leg, ...]:
        """All that is left, as devices."""
        return tuple(Leg(device=each, offset_sectors=None) for each in self._words[self._at :])


Read: TypeAlias = tuple[tuple[Leg, ...], Detail | None]


def read(kind: str, arguments: str) -> Read | None:
    """The legs and details of a target; None for an unknown one or arguments that don't fit."""
    reader = _READERS.get(kind)
    if reader is None:
        return None
    try:
        return reader(Words(arguments))
    except TargetError:
        return None


def _nothing(_: Words) -> Read:
    return (), None


def _leg_at(words: Words) -> Read:
    return (words.leg_at(),), None


def _leg(words: Words) -> Read:
    return (words.leg(),), None


def _two_legs(words: Words) -> Read:
    return (words.leg(), words.leg()), None


def _verity(words: Words) -> Read:
    words.word()  # the hash format's version
    return (words.leg(), words.leg()), None


def _delay(words: Words) -> Read:
    legs = []
    while words.left():  # for reads, and where given for writes and for flushes
        legs.append(words.leg_at())
        words.number()
    return tuple(legs), None


def _integrity(words: Words) -> Read:
    leg = words.leg_at()
    words.some(2)  # the tag's size and the mode
    others = [each.partition(":")[2] for each in words.counted() if each.startswith("meta_device:")]
    return (leg, *(Leg(device=each, offset_sectors=None) for each in others)), None


def _vdo(words: Words) -> Read:
    words.word()  # the arguments' version
    return (words.leg(),), None


def _thin(words: Words) -> Read:
    pool = words.leg()
    words.number()  # the device's number in the pool
    return (pool, *words.rest_as_legs()), None  # at most the external origin


def _crypt(words: Words) -> Read:
    words.word()  # the cipher
    words.word()  # the key
    words.number()  # the IV's offset
    leg = words.leg_at()
    options = words.counted()
    # dm-crypt prints sector_size only where it is not 512 (crypt_status, Linux 4.12 and later)
    sizes = [whole(option.partition(":")[2]) for option in options if option.startswith("sector_size:")]
    flags = tuple(option for option in options if ":" not in option)
    size = sizes[0] if sizes else SECTOR_BYTES
    if size is None:
        raise TargetError
    return (leg,), Crypt(flags=flags, sector_size_bytes=size)


def _striped(words: Words) -> Read:
    count, chunk = words.number(), words.sectors()
    return tuple(words.leg_at() for _ in range(count)), Striped(chunk_bytes=chunk)


def _raid(words: Words) -> Read:
    level = words.word()
    parameters = words.counted()
    chunk = whole(parameters[0]) if parameters else None
    if chunk is None:
        raise TargetError
    journals = tuple(value for name, value in pairwise(parameters) if name == "journal_dev")
    devices = (*words.some(2 * words.number()), *journals)
    legs = tuple(Leg(device=device, offset_sectors=None) for device in devices if device != "-")
    return legs, RaidTarget(level=level, chunk_bytes=chunk * SECTOR_BYTES)


def _mirror(words: Words) -> Read:
    words.word()  # the log's type
    log_arguments = words.counted()
    log = tuple(Leg(device=each, offset_sectors=None) for each in log_arguments if ":" in each)
    return (*(words.leg_at() for _ in range(words.number())), *log), None


def _cache(words: Words) -> Read:
    legs = (words.leg(), words.leg(), words.leg())
    words.number()  # sectors of a block
    features = words.counted()
    modes = [each for each in features if each in ("writethrough", "writeback", "passthrough")]
    # the table repeats what it was made of; where that names no mode it is writeback, as `dmsetup status` then says
    return legs, CacheTarget(mode=modes[0] if modes else "writeback")


def _writecache(words: Words) -> Read:
    words.word()  # p: persistent memory, s: SSD
    return (words.leg(), words.leg()), CacheTarget(mode="writeback")


def _thin_pool(words: Words) -> Read:
    legs = (words.leg(), words.leg())
    words.some(2)  # sectors of a block, the low water mark
    return legs, ThinPool(features=words.counted())


def _multipath(words: Words) -> Read:
    features = words.counted()
    words.counted()  # the hardware handler
    groups = words.number()
    words.number()  # the first group to use
    paths: list[Leg] = []
    for _ in range(groups):
        words.word()  # the path selector
        words.counted()
        count, arguments = words.number(), words.number()
        for _ in range(count):
            paths.append(words.leg())
            words.some(arguments)
    return tuple(paths), MultipathTarget(features=features)


_READERS: dict[str, Callable[[Words], Read]] = {
    "cache": _cache,
    "crypt": _crypt,
    "delay": _delay,
    "era": _two_legs,
    "error": _nothing,
    "flakey": _leg_at,
    "integrity": _integrity,
    "linear": _leg_at,
    "mirror": _mirror,
    "multipath": _multipath,
    "raid": _raid,
    "snapshot": _two_legs,
    "snapshot-merge": _two_legs,
    "snapshot-origin": _leg,
    "striped": _striped,
    "thin": _thin,
    "thin-pool": _thin_pool,
    "vdo": _vdo,
    "verity": _verity,
    "writecache": _writecache,
    "zero": _nothing,
}
