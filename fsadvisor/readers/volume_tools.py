"""What LVM and DRBD say of their volumes: `lvs` and `drbdsetup status`, both as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Unknown
from fsadvisor.readers import real, refusal, size_bytes
from fsadvisor.readers.json_text import integer, items, load, member, string

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.readers.json_text import Json


LVS_COLUMNS = (
    "vg_name",
    "lv_name",
    "lv_dm_path",
    "lv_attr",
    "lv_active",
    "lv_health_status",
    "lv_layout",
    "lv_size",
    "pool_lv",
    "origin",
    "data_percent",
    "metadata_percent",
    "cache_mode",
    "cache_dirty_blocks",
    "segtype",
    "seg_size",
    "stripes",
    "stripe_size",
    "chunk_size",
    "devices",
)

"""Not all are read here: recordings go by the command."""

LVS_ARGV: tuple[str, ...] = (
    "lvs", "--reportformat", "json", "--units", "b", "--nosuffix", "--all", "-o", ",".join(LVS_COLUMNS),
)  # fmt: skip


class LogicalVolume(Struct, frozen=True, kw_only=True):
    """One logical volume; None where the column was not asked, or does not apply."""

    vg_name: str | None
    lv_name: str
    """Without the brackets that LVM puts around a hidden volume's name."""
    dm_path: str | None
    """/dev/mapper/…"""
    health: str | None
    """'partial', 'refresh needed', 'mismatches exist', …; '' is healthy."""
    size_bytes: int | None
    pool_lv: str | None
    """The thin or cache pool that this one lives in."""
    data_percent: float | None
    """How full a snapshot, a thin pool or volume, or a cache is."""
    metadata_percent: float | None


class Lvs(Struct, frozen=True, kw_only=True):
    """The logical volumes in order; () where there are none."""

    volumes: tuple[LogicalVolume, ...]


def parse_lvs(text: str) -> Lvs | Unknown:
    """LVM's logical volumes: `lvs --reportformat json` with the columns of LVS_ARGV. Needs root.

    Written against LVM 2.03.16. Of one row per segment of a volume the first is read; hidden volumes are in brackets.

        {"report": [{"lv": [{"vg_name":"vg0", "lv_name":"root", "lv_size":"21474836480", "segtype":"striped",
          "stripes":"2", "stripe_size":"65536", "devices":"/dev/sda2(0),/dev/sdb2(0)", "cache_mode":"", …}]}]}

    https://man7.org/linux/man-pages/man8/lvs.8.html
    """
    document = load(text)
    if isinstance(document, Unknown):
        return refusal(text, "no JSON report of lvs")
    reports = [report for report in items(document, "report") if isinstance(member(report, "lv"), list)]
    if not reports:
        return refusal(text, "a JSON document that is no report of lvs")
    by_name: dict[tuple[str | None, str], LogicalVolume] = {}
    for report in reports:
        for row in items(report, "lv"):
            if name := _text(row, "lv_name"):
                by_name.setdefault((_text(row, "vg_name"), name), _volume(row))
    return Lvs(volumes=tuple(by_name.values()))


def _volume(row: Json) -> LogicalVolume:
    name = _text(row, "lv_name") or ""
    return LogicalVolume(
        vg_name=_text(row, "vg_name"),
        lv_name=_bare(name),
        dm_path=_text(row, "lv_dm_path"),
        health=_as_text(member(row, "lv_health_status")),
        size_bytes=size_bytes(_text(row, "lv_size")),
        pool_lv=_name(row, "pool_lv"),
        data_percent=real(_text(row, "data_percent")),
        metadata_percent=real(_text(row, "metadata_percent")),
    )


def _as_text(value: Json) -> str | None:
    """A cell; LVM prints numbers as strings, and with `json_std` (2.03.17) as numbers."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        return str(value)
    except ValueError:  # an integer of thousands of digits
        return None


def _text(row: Json, column: str) -> str | None:
    """A cell, or None where it is empty."""
    return _as_text(member(row, column)) or None


def _name(row: Json, column: str) -> str | None:
    name = _text(row, column)
    return None if name is None else _bare(name)


def _bare(name: str) -> str:
    """A volume's name without the brackets of a hidden one."""
    return name[1:-1] if name.startswith("[") and name.endswith("]") else name


DRBD_ARGV: Final = ("drbdsetup", "status", "--verbose", "--statistics", "--json")


class Peer(Struct, frozen=True, kw_only=True):
    """The copy of a device on another machine."""

    connection: str | None
    """Connected, Connecting, StandAlone, …"""
    replication: str | None
    """Established, SyncSource, SyncTarget, Off, …"""
    disk: str | None
    """UpToDate, Inconsistent, Outdated, DUnknown, Diskless, …"""


class DrbdDevice(Struct, frozen=True, kw_only=True):
    """A device by its minor number, drbd<minor>."""

    minor: int
    disk: str | None
    ordering: str | None
    """How writes are kept in order: flush; drain and none send no flushes."""
    peers: tuple[Peer, ...]


class DrbdStatus(Struct, frozen=True, kw_only=True):
    """All devices of all resources."""

    devices: tuple[DrbdDevice, ...] = ()


def parse_drbd(text: str) -> DrbdStatus | Unknown:
    """DRBD's replicated devices: `drbdsetup status --verbose --statistics --json`; an empty list has no resources.

    Written against drbd-utils 9.x, with the module of the kernel (8.4) and LINBIT's (9.x). Sample, cut:

        [{"name": "r0", "role": "Primary", "write-ordering": "flush",
          "devices": [{"volume": 0, "minor": 2, "disk-state": "UpToDate"}],
          "connections": [{"name": "b", "connection-state": "Connected", "peer_devices": [
             {"volume": 0, "replication-state": "Established", "peer-disk-state": "UpToDate"}]}]}]

    https://linbit.com/drbd-user-guide/drbd-guide-9_0-en/#s-check-status
    """
    document = load(text)
    if isinstance(document, Unknown):
        return document
    if not isinstance(document, list):
        return refusal(text, "no list of DRBD's resources")
    return DrbdStatus(devices=tuple(device for resource in document for device in _devices(resource)))


def _devices(resource: Json) -> Iterator[DrbdDevice]:
    for device in items(resource, "devices"):
        minor, volume = integer(device, "minor"), integer(device, "volume")
        if minor is not None:
            yield DrbdDevice(
                minor=minor,
                disk=string(device, "disk-state"),
                ordering=string(resource, "write-ordering"),
                peers=tuple(_peers(resource, volume)),
            )


def _peers(resource: Json, volume: int | None) -> Iterator[Peer]:
    for connection in items(resource, "connections"):
        for peer in items(connection, "peer_devices"):
            if integer(peer, "volume") == volume:
                yield Peer(
                    connection=string(connection, "connection-state"),
                    replication=string(peer, "replication-state"),
                    disk=string(peer, "peer-disk-state"),
                )
