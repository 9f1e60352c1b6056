"""LVM's logical volumes, as `lvs --reportformat json` prints them with the columns of ARGV. Needs root.

Written against LVM 2.03.16. One row per segment of a volume; hidden volumes are in brackets.

    {"report": [{"lv": [{"vg_name":"vg0", "lv_name":"root", "lv_size":"21474836480", "segtype":"striped",
      "stripes":"2", "stripe_size":"65536", "devices":"/dev/sda2(0),/dev/sdb2(0)", "cache_mode":"", …}]}]}

https://man7.org/linux/man-pages/man8/lvs.8.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.facts import Unknown
from fsadvisor.patterns import late
from fsadvisor.readers.json_text import items, load, member
from fsadvisor.readers.parsing import real, refusal, size_bytes, whole

if TYPE_CHECKING:
    from fsadvisor.readers.json_text import Json

COLUMNS = (
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

ARGV: tuple[str, ...] = (
    "lvs", "--reportformat", "json", "--units", "b", "--nosuffix", "--all", "-o", ",".join(COLUMNS),
)  # fmt: skip

_DEVICE = late(r"(.+?)\(\d+\)(?:,|$)")


class Segment(Struct, frozen=True, kw_only=True):
    """A run of a volume that is laid out in one way."""

    segtype: str | None
    """'linear', 'striped', 'raid1', 'raid5_ls', 'thin', 'thin-pool', 'cache', …"""
    size_bytes: int | None
    stripes: int | None
    """Or the number of mirror legs; 1 for linear."""
    stripe_size_bytes: int | None
    """None where it is not striped."""
    chunk_size_bytes: int | None
    """Of a snapshot, thin pool or cache; None elsewhere."""
    devices: tuple[str, ...] | None
    """Physical volumes, or other logical volumes by name; () where LVM names none."""


class LogicalVolume(Struct, frozen=True, kw_only=True):
    """One logical volume; None where the column was not asked, or does not apply."""

    vg_name: str | None
    lv_name: str
    """Without the brackets that LVM puts around a hidden volume's name."""
    hidden: bool
    dm_path: str | None
    """/dev/mapper/…"""
    attr: str | None
    """lvs(8)'s ten letters."""
    active: str | None
    """'active', 'inactive', …"""
    health: str | None
    """'partial', 'refresh needed', 'mismatches exist', …; '' is healthy."""
    layout: tuple[str, ...] | None
    """'linear', 'striped', 'raid', 'raid5', 'thin,pool', …"""
    size_bytes: int | None
    pool_lv: str | None
    """The thin or cache pool that this one lives in."""
    origin: str | None
    data_percent: float | None
    """How full a snapshot, a thin pool or volume, or a cache is."""
    metadata_percent: float | None
    cache_mode: str | None
    """'writethrough', 'writeback' or 'passthrough'."""
    cache_dirty_blocks: int | None
    segments: tuple[Segment, ...]


class Lvs(Struct, frozen=True, kw_only=True):
    """The logical volumes in order; () where there are none."""

    volumes: tuple[LogicalVolume, ...]


def parse(text: str) -> Lvs | Unknown:
    """Read the report, with the segments of a volume gathered."""
    document = load(text)
    if isinstance(document, Unknown):
        return refusal(text, "no JSON report of lvs")
    reports = [report for report in items(document, "report") if isinstance(member(report, "lv"), list)]
    if not reports:
        return refusal(text, "a JSON document that is no report of lvs")
    by_name: dict[tuple[str | None, str], list[Json]] = {}
    for report in reports:
        for row in items(report, "lv"):
            if name := _text(row, "lv_name"):
                by_name.setdefault((_text(row, "vg_name"), name), []).append(row)
    return Lvs(volumes=tuple(_volume(rows) for rows in by_name.values()))


def _volume(rows: list[Json]) -> LogicalVolume:
    row = rows[0]
    name = _text(row, "lv_name") or ""
    hidden = name.startswith("[") and name.endswith("]")
    layout = _text(row, "lv_layout")
    return LogicalVolume(
        vg_name=_text(row, "vg_name"),
        lv_name=_bare(name),
        hidden=hidden,
        dm_path=_text(row, "lv_dm_path"),
        attr=_text(row, "lv_attr"),
        active=_text(row, "lv_active"),
        health=_as_text(member(row, "lv_health_status")),
        layout=tuple(layout.split(",")) if layout else None,
        size_bytes=size_bytes(_text(row, "lv_size")),
        pool_lv=_name(row, "pool_lv"),
        origin=_name(row, "origin"),
        data_percent=real(_text(row, "data_percent")),
        metadata_percent=real(_text(row, "metadata_percent")),
        cache_mode=_text(row, "cache_mode"),
        cache_dirty_blocks=whole(_text(row, "cache_dirty_blocks")),
        segments=tuple(_segment(each) for each in rows),
    )


def _segment(row: Json) -> Segment:
    devices = _as_text(member(row, "devices"))
    return Segment(
        segtype=_text(row, "segtype"),
        size_bytes=size_bytes(_text(row, "seg_size")),
        stripes=whole(_text(row, "stripes")),
        stripe_size_bytes=size_bytes(_text(row, "stripe_size")) or None,
        chunk_size_bytes=size_bytes(_text(row, "chunk_size")) or None,
        devices=None if devices is None else tuple(_bare(name) for name in _DEVICE.findall(devices)),
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
