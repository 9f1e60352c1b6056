"""What dmsetup lists of device-mapper devices, and multipathd of its maps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers import dm_target, read_lines, refusal, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.facts import Unknown

DMSETUP_TABLE_ARGV: tuple[str, ...] = ("dmsetup", "table")

_LINE = late(r"(.+): (\d+) (\d+) ([a-z][a-z0-9-]*)(?: (.*))?")
_NO_TABLE = late(r"(\S.*):\s*")
_NO_DEVICES = "No devices found"


class Target(Struct, frozen=True, kw_only=True):
    """A run of sectors of a device, and what it maps to."""

    kind: str
    """The target type: 'linear', 'crypt', 'thin', …"""
    legs: tuple[dm_target.Leg, ...] | None
    """The devices below; () has none (zero, error); None where the target is not known here."""
    detail: dm_target.Detail | None
    """What else the target says; None where it has no more, or is not known here."""


class MappedDevice(Struct, frozen=True, kw_only=True):
    """One device."""

    name: str
    """As in /dev/mapper, where the tool does not mangle it."""
    targets: tuple[Target, ...]
    """() where no table is loaded."""


class DmsetupTable(Struct, frozen=True, kw_only=True):
    """The devices in order; () where there are none."""

    devices: tuple[MappedDevice, ...]


def parse_dmsetup_table(text: str) -> DmsetupTable | Unknown:
    """What device-mapper devices are made of, as `dmsetup table` prints it. Needs root.

    Written against libdevmapper 1.02.185. The tool prints keys as zeros; this reader drops the whole key field,
    and of a line that it does not understand it keeps nothing that could be a key.

        cr_data: 0 16744448 crypt aes-xts-plain64 :64:logon:cryptsetup:… 0 8:3 32768 1 allow_discards
        vg0-root: 0 41943040 striped 2 128 8:2 2048 8:18 2048
        vg0-root: 41943040 8388608 linear 8:34 2048

    https://man7.org/linux/man-pages/man8/dmsetup.8.html
    """
    devices: dict[str, list[Target]] = {}
    for line in text.split("\n"):
        if match := _LINE.fullmatch(line):
            devices.setdefault(match[1], []).append(_target(match))
        elif bare := _NO_TABLE.fullmatch(line):
            devices.setdefault(bare[1], [])
    if not any(devices.values()) and text.strip() != _NO_DEVICES:
        return refusal(text, "no device-mapper table in the output")
    found = tuple(MappedDevice(name=name, targets=tuple(targets)) for name, targets in devices.items())
    return DmsetupTable(devices=found)


def _target(match: re.Match[str]) -> Target:
    legs, detail = dm_target.read(match[4], match[5] or "") or (None, None)
    return Target(
        kind=match[4],
        legs=legs,
        detail=detail,
    )


DMSETUP_STATUS_ARGV: tuple[str, ...] = ("dmsetup", "status", "--noflush", "--target", "multipath")

_DMSETUP_STATUS_LINE = late(r"(.+): \d+ \d+ multipath (.+)")


class Path(Struct, frozen=True, kw_only=True):
    """A path."""

    device: str
    """major:minor."""
    state: Literal["active", "failed"]


class Multipath(Struct, frozen=True, kw_only=True):
    """A multipath device."""

    name: str
    """As in /dev/mapper, where the tool does not mangle it."""
    paths: tuple[Path, ...]


class DmsetupStatus(Struct, frozen=True, kw_only=True):
    """The multipath devices in order; () where there are none."""

    devices: tuple[Multipath, ...]


def parse_dmsetup_status(text: str) -> DmsetupStatus | Unknown:
    """Which paths of multipath devices work, as `dmsetup status` prints it. Needs root.

    A line of another form than expected is kept out whole.

    Written against libdevmapper 1.02.185 and Linux 6.1 (drivers/md/dm-mpath.c, multipath_status): features, handler,
    groups, and in each group its state, what its selector says, and the paths with their state, failures and selector's
    words.

        mpatha: 0 1048576 multipath 2 0 0 0 1 1 A 0 2 2 8:0 F 1 0 1 8:16 A 0 0 1

    https://docs.kernel.org/admin-guide/device-mapper/index.html
    """
    devices, others = read_lines(text, _multipath)
    if any(line.strip() != _NO_DEVICES for line in others) and not devices:
        return refusal(text, "no status of multipath devices in the output")
    return DmsetupStatus(devices=devices)


def _multipath(line: str) -> Multipath | None:
    match = _DMSETUP_STATUS_LINE.fullmatch(line)
    paths = None if match is None else _paths(match[2].split())
    return None if match is None or paths is None else Multipath(name=match[1], paths=paths)


def _paths(words: list[str]) -> tuple[Path, ...] | None:
    """The paths of all groups, None where the words do not add up."""
    left = iter(words)
    try:
        _skip(left, _number(left))
        _skip(left, _number(left))
        groups = _number(left)
        _skip(left, 1)
        found = [path for _ in range(groups) for path in _group(left)]
    except (StopIteration, ValueError):
        return None
    return tuple(found) if next(left, None) is None else None


def _group(left: Iterator[str]) -> list[Path]:
    _skip(left, 1)
    _skip(left, _number(left))
    count, more = _number(left), _number(left)
    return [_path(left, more) for _ in range(count)]


def _path(left: Iterator[str], more: int) -> Path:
    device, letter, _failures = next(left), next(left), next(left)
    if letter not in ("A", "F"):
        raise ValueError(letter)
    _skip(left, more)
    return Path(device=device, state="active" if letter == "A" else "failed")


def _number(left: Iterator[str]) -> int:
    number = whole(next(left))
    if number is None or not 0 <= number <= 4096:
        raise ValueError
    return number


def _skip(left: Iterator[str], count: int) -> None:
    for _ in range(count):
        next(left)


DMSETUP_POOLS_ARGV: tuple[str, ...] = ("dmsetup", "status", "--noflush", "--target", "thin-pool")
_POOL_LINE = late(r"(?P<name>.+): \d+ \d+ thin-pool \d+ (?P<metadata>\d+/\d+) (?P<data>\d+/\d+) .*")


class ThinPoolStatus(Struct, frozen=True, kw_only=True):
    """A pool and how full it is."""

    name: str
    data_percent: float | None
    metadata_percent: float | None


class DmsetupPools(Struct, frozen=True, kw_only=True):
    """The thin pools; one that failed tells nothing."""

    pools: tuple[ThinPoolStatus, ...] = ()


def parse_dmsetup_pools(text: str) -> DmsetupPools | Unknown:
    """How full thin pools are, as `dmsetup status` prints it. Needs root; it writes without --noflush.

    Written against the kernel's own description, below: transaction, metadata and data in blocks used and of all, a
    held root, modes. Asked of pools that LVM does not know.

        stratis-1-private-5e1a…-thinpool-pool: 0 209715200 thin-pool 3 2301/16384 92160/102400 - rw discard_passdown …

    https://docs.kernel.org/admin-guide/device-mapper/thin-provisioning.html
    """
    found = [match for line in text.split("\n") if (match := _POOL_LINE.fullmatch(line.strip()))]
    if not found and " thin-pool " not in text and text.strip() not in ("", _NO_DEVICES):
        return refusal(text, "no status of thin pools in the output")
    return DmsetupPools(
        pools=tuple(
            ThinPoolStatus(name=it["name"], data_percent=_share(it["data"]), metadata_percent=_share(it["metadata"]))
            for it in found
        )
    )


def _share(blocks: str) -> float | None:
    used, _, all_ = blocks.partition("/")
    done, most = whole(used), whole(all_)
    return None if done is None or not most else round(100 * done / most, 2)


MULTIPATHD_ARGV: tuple[str, ...] = ("multipathd", "show", "maps", "raw", "format", "%n|%Q")
_MULTIPATHD_LINE = late(r"(?P<name>[^|\s][^|]{0,255})\|(?P<queueing>on|off|-|[0-9]{1,9} (?:chk|sec))", re.ASCII)


class Map(Struct, frozen=True, kw_only=True):
    """A multipath device."""

    name: str
    queueing: str
    """'on': for ever; 'off'; '18 chk' or '30 sec': for as long; '-': nothing was set."""


class Maps(Struct, frozen=True, kw_only=True):
    """The devices that multipathd keeps."""

    maps: tuple[Map, ...]


def parse_multipathd(text: str) -> Maps | Unknown:
    """What multipath devices do when no path is left: `multipathd show maps raw format '%n|%Q'`.

    Written against multipath-tools 0.4.5 to 0.11 (libmultipath/print.c, snprint_queueing). The kernel's table alone
    does not tell: multipathd sets queue_if_no_path for as long as no_path_retry counts, too.

        mpatha|on
        mpathb|18 chk
        mpathc|off

    https://man7.org/linux/man-pages/man5/multipath.conf.5.html
    """
    found, _ = read_lines(text, lambda line: _MULTIPATHD_LINE.fullmatch(line.rstrip()))
    if not found:
        return refusal(text, "the output is not that of multipathd")
    maps = tuple(Map(name=match["name"], queueing=match["queueing"]) for match in found)
    return Maps(maps=maps)
