"""Block caches (bcache, dm-cache, dm-writecache): whether what they hold stands on more than one device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.survey import folds, look

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.dmsetup import Target
    from fsadvisor.storage import Disk, Layer
    from fsadvisor.survey.block import BlockDevice, BlockTree
    from fsadvisor.survey.stack import Stack

_COPIES = ("raid1", "raid10", "raid4", "raid5", "raid6")
_PLAIN = ("nvme", "sata", "sas", "usb", "mmc")
_CACHE_LEG = {"cache": 1, "writecache": 1}
"""Which device below the target holds what is not written back yet; a mapping of dm_target.Cache."""
_NOT_TOLD = Unknown(Cause.NOT_EXPOSED, "", "the cache device is not told")


def layers_that_cache(layers: Mapping[str, Layer]) -> list[str]:
    """The ids of the cache layers."""
    return [at for at, layer in layers.items() if look.value(layer.kind) in ("bcache", "dm-cache", "dm-writecache")]


def cache_devices(
    machine: Machine, tree: BlockTree, device: BlockDevice, tables: Mapping[str, tuple[Target, ...]] | Unknown
) -> tuple[str, ...] | Unknown:
    """The names of the devices that a cache layer caches on; () where none is attached."""
    if device.name.startswith("bcache"):
        return _of_bcache(machine, tree, device)
    if isinstance(tables, Unknown):
        return tables
    name = look.value(look.text(machine, f"{device.folder}/dm/name")) or ""
    found = []
    for target in tables.get(name, ()):
        leg = _CACHE_LEG.get(target.kind)
        if leg is not None and target.legs is not None and len(target.legs) > leg:
            below = tree.numbered(target.legs[leg].device)
            found += [below.name] if below else []
    return tuple(found) or _NOT_TOLD


def _of_bcache(machine: Machine, tree: BlockTree, device: BlockDevice) -> tuple[str, ...] | Unknown:
    """A cache device's folder has its replacement policy, a backing device's has its cache mode."""
    holds = {
        it.name: look.names(machine.entries(f"{it.folder}/bcache"))
        for it in (tree.devices.get(name) for name in device.slaves or ())
        if it is not None
    }
    found = tuple(name for name, names in holds.items() if "cache_replacement_policy" in names)
    told = len(holds) == len(device.slaves or ()) > 0 and all(found or "cache_mode" in it for it in holds.values())
    return found if told else _NOT_TOLD


def redundant(
    names: tuple[str, ...] | Unknown, stack: Stack, layers: Mapping[str, Layer], disks: Mapping[str, Disk]
) -> Fact[bool]:
    """Whether the cache survives the loss of one device: a mirror or parity RAID anywhere below it."""
    if isinstance(names, Unknown):
        return names
    if not names:
        return Known(True, "no cache device is attached: nothing is cached")
    return folds.all_of([_one_is(name, stack, layers, disks) for name in names], f"all of {', '.join(names)}")


def _one_is(name: str, stack: Stack, layers: Mapping[str, Layer], disks: Mapping[str, Disk]) -> Fact[bool]:
    top = f"disk:{name}" if f"disk:{name}" in disks else f"layer:{name}"
    reached = (top, *stack.under(top))
    for at in reached:
        layer = layers.get(at)
        if layer is not None and look.value(layer.md_level) in _COPIES:
            return Known(True, f"{at.partition(':')[2]} is {look.value(layer.md_level)}")
        if layer is not None and look.value(layer.kind) in (None, "dm-mirror", "stacked"):
            return Unknown(Cause.NOT_EXPOSED, "", f"what {at.partition(':')[2]} is made of")
    leaves = [disks[at] for at in reached if at in disks]
    if not leaves or not stack.followed(top) or any(look.value(it.transport) not in _PLAIN for it in leaves):
        return Unknown(Cause.NOT_EXPOSED, "", f"{name}: a controller or a hypervisor may keep copies")
    not_told = next((it.virtual for it in leaves if isinstance(it.virtual, Unknown)), None)
    if not_told is not None and not_told.learn:
        return not_told
    if any(look.value(it.virtual) is not False for it in leaves):
        return Unknown(Cause.NOT_EXPOSED, "", f"{name}: what a virtual disk stands on")
    return Known(False, f"{name} stands on single drives: {', '.join(str(look.value(it.name)) for it in leaves)}")
