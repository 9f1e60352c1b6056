"""Software RAID: md arrays in sysfs, and LVM's RAID volumes, which are md inside a device-mapper target.

https://docs.kernel.org/admin-guide/md.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsadvisor.facts import Fact, Known, Unknown
from fsadvisor.readers.dm_target import Raid
from fsadvisor.survey import look

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.dmsetup import Target
    from fsadvisor.storage import Layer

_PARITY = ("raid4", "raid5", "raid6")
_WITHOUT_COPIES = ("raid0", "linear")
_NOT_SEEN_THROUGH = ("zvol", "stacked")
"""Kinds of layers of which only the tools of root tell whether they are RAID."""


def array(machine: Machine, folder: str) -> dict[str, Any]:
    """The facts of an md array."""
    level = look.text(machine, f"{folder}/md/level")
    found: dict[str, Any] = {
        "kind": Known("md", folder),
        "md_level": level,
        "md_chunk_bytes": look.number(machine, f"{folder}/md/chunk_size"),
        "md_consistency": look.text(machine, f"{folder}/md/consistency_policy"),
    }
    if look.value(level) not in _WITHOUT_COPIES:
        found["md_degraded"] = look.number(machine, f"{folder}/md/degraded")
        found["md_mismatches"] = look.number(machine, f"{folder}/md/mismatch_cnt")
        found["md_action"] = look.text(machine, f"{folder}/md/sync_action")
        found["md_last_action"] = look.text(machine, f"{folder}/md/last_sync_action")
    if look.value(level) in _PARITY:
        found["md_stripe_cache"] = look.number(machine, f"{folder}/md/stripe_cache_size")
    return found


def data_offsets(machine: Machine, folder: str) -> Fact[tuple[int, ...]]:
    """Where the data starts on each member, in sectors."""
    names = machine.entries(f"{folder}/md")
    if isinstance(names, Unknown):
        return names
    found: list[int] = []
    for name in names:
        if name.startswith("dev-"):
            offset = look.number(machine, f"{folder}/md/{name}/offset")
            if isinstance(offset, Unknown):
                return offset
            found.append(offset.value)
    return look.told(tuple(found) or None, f"{folder}/md/dev-*/offset")


def level_of(targets: tuple[Target, ...]) -> str | None:
    """The level of an LVM RAID volume, without its layout: 'raid5' of 'raid5_ls'."""
    return next((it.detail.level.partition("_")[0] for it in targets if isinstance(it.detail, Raid)), None)


def levels(layers: Iterable[Layer]) -> Fact[tuple[str, ...]]:
    """The RAID levels among some layers; a hardware controller's RAID is not among them."""
    found: list[str] = []
    for layer in layers:
        if isinstance(layer.kind, Unknown):
            return layer.kind
        if layer.kind.value in _NOT_SEEN_THROUGH:
            return look.told(None, layer.kind.source, "run as root with dmsetup installed")
        if layer.kind.value in ("md", "dm-raid"):
            if isinstance(layer.md_level, Unknown):
                return layer.md_level
            found.append(layer.md_level.value)
    return Known(tuple(sorted(set(found))), "md/level and device-mapper tables of all layers")
