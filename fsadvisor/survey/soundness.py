"""Whether drives, arrays and filesystems are well: what the health gate asks before data is moved or rewritten.

One sign of trouble decides. Well is only what is known to be: a drive that can't be asked, a virtual one included,
stays unknown. What a kind of drive or filesystem does not count is no evidence either way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fsadvisor.storage import Disk, Filesystem, Layer

T = TypeVar("T")

_ONLY_WARM: Final = 0b10
_ONLY_READ_ONLY_CACHE: Final = 0b10000
"""Bits of the critical warning of NVMe that don't speak of the medium: temperature, backup of the volatile memory."""

_MANY_REALLOCATED: Final = 50
NEARLY_FULL_PERCENT: Final = 95
_LEAST_UNALLOCATED_PERCENT: Final = 2
NO_ARRAY: Final = Known(False, "layer.kind")
"""Of a partition, a volume, an encryption: it can't lack a member."""

_RAID_KINDS: Final = ("md", "dm-raid", "dm-mirror", "dm-multipath", "drbd")


def failing(disk: Disk) -> Fact[bool]:
    """Whether a drive fails or has errors."""
    if read_fact.value(disk.virtual) is True:
        return Unknown(Cause.NOT_EXPOSED, "ask whoever runs the hypervisor or the cloud", disk.virtual.source)
    spins = read_fact.value(disk.rotational) is True  # flash replaces blocks as it wears
    return _any(
        read_fact.value(disk.name) or "",
        (
            _sign(disk.smart_passed, lambda it: not it and not _only_warm(disk), "its own health test failed"),
            _sign(disk.critical_warning, lambda it: bool(it & ~_ONLY_WARM & ~_ONLY_READ_ONLY_CACHE), "it warns"),
            _sign(disk.pending_sectors, lambda it: it > 0, "sectors that it can't read"),
            _sign(disk.failing_attributes, bool, "attributes at their threshold"),
            _sign(disk.reallocated_sectors, lambda it: it > _MANY_REALLOCATED and spins, "sectors replaced"),
            _sign(disk.media_errors, lambda it: it > 0, "errors that it could not correct"),
            _sign(disk.damage_grown, bool, "counts of damage that grow"),
            _spare(disk),
            _sign(disk.raid_volume, lambda it: it != "optimal", "its RAID volume is"),
            _sign(disk.raid_sick_drives, bool, "drives behind the controller"),
            *(
                [_sign(disk.raid_drive_health, bool, "drives behind it")]
                if read_fact.value(disk.raid_drive_health)
                else ()
            ),
        ),
        needed=disk.smart_passed,
    )


def _only_warm(disk: Disk) -> bool:
    return read_fact.value(disk.critical_warning) == _ONLY_WARM


def _spare(disk: Disk) -> Fact[bool]:
    spare, threshold = disk.available_spare_percent, disk.available_spare_threshold_percent
    if isinstance(threshold, Unknown):
        return threshold
    return _sign(spare, lambda it: it <= threshold.value, "no spare blocks left")


def incomplete(layer: Layer) -> Fact[bool]:
    """Whether an array, mirror or multipath device lacks a member or is being rebuilt; of other layers never."""
    name = read_fact.value(layer.name) or ""
    if isinstance(layer.kind, Unknown):
        return layer.kind
    if layer.kind.value not in _RAID_KINDS:
        return NO_ARRAY
    signs = (
        _sign(layer.md_degraded, lambda it: it > 0, "members missing"),
        _sign(layer.md_action, lambda it: it in ("resync", "recover", "reshape", "pending"), "it is being rebuilt"),
        _sign(layer.lvm_health, bool, "LVM says what is wrong"),
        _sign(layer.drbd_replicas, lambda it: it != "in sync", "DRBD's copies"),
        _lost_paths(layer),
    )
    needed = {"dm-raid": layer.lvm_health, "dm-multipath": layer.usable_paths, "drbd": layer.drbd_replicas}
    return _any(name, signs, needed.get(layer.kind.value))


def _lost_paths(layer: Layer) -> Fact[bool]:
    paths, members = layer.usable_paths, layer.members
    if isinstance(paths, Unknown):
        return paths
    return read_fact.derive(members, lambda it: paths.value < it)


def sound(filesystem: Filesystem) -> Fact[bool]:
    """Whether a filesystem has no errors, all of its devices, and free space to work in."""
    sick = _any(
        read_fact.value(filesystem.mount_point) or "",
        (
            _sign(filesystem.errors, lambda it: it > 0, "errors recorded"),
            _sign(filesystem.shut_down, bool, "it was shut down"),
            _sign(filesystem.missing_bytes, lambda it: it > 0, "bytes of missing devices"),
            _sign(
                filesystem.zfs_pool_capacity_percent, lambda it: it >= NEARLY_FULL_PERCENT, "percent of the pool in use"
            ),
            _sign(filesystem.zfs_device_errors, bool, "errors of devices"),
            _sign(filesystem.zfs_data_errors, lambda it: it > 0, "files that can't be repaired"),
            _sign(filesystem.zfs_pool_health, lambda it: it != "ONLINE", "the pool's health"),
            _sign(filesystem.used_percent, lambda it: it >= NEARLY_FULL_PERCENT, "percent in use"),
            _sign(filesystem.inodes_used_percent, lambda it: it >= NEARLY_FULL_PERCENT, "percent of inodes in use"),
            _sign(filesystem.unallocated_percent, lambda it: it < _LEAST_UNALLOCATED_PERCENT, "percent unallocated"),
        ),
    )
    return read_fact.derive(sick, lambda it: not it)


def _sign(fact: Fact[T], bad: Callable[[T], bool], what: str) -> Fact[bool]:
    """Whether a count or a judgement is a sign of trouble; its source then says which."""
    if isinstance(fact, Unknown):
        return fact
    is_bad = bad(fact.value)
    shown = "" if isinstance(fact.value, bool) else f": {_shown(fact.value)}"
    return Known(is_bad, f"{what}{shown} ({fact.source})" if is_bad else fact.source)


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _any(name: str, signs: Iterable[Fact[bool]], needed: Fact[Any] | None = None) -> Fact[bool]:
    """One sign decides; else no sign, where all that the device has to tell is known, `needed` above all."""
    asked = [it for it in signs if it is not NOT_APPLICABLE]
    for sign in asked:
        if isinstance(sign, Known) and sign.value:
            return Known(True, f"{name}: {sign.source}")
    if isinstance(needed, Unknown):
        return needed
    unknown = [it for it in asked if isinstance(it, Unknown) and it.cause is not Cause.NOT_EXPOSED]
    if unknown:
        return read_fact.first(*unknown)
    return Known(False, ", ".join(dict.fromkeys(it.source for it in asked if isinstance(it, Known))) or name)
