"""RAID levels, volumes and caches: LVM, bcache and dm-cache, and the striping that a filesystem stands on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers import dm_target, mount_tables, volume_tools, whole
from fsadvisor.survey import read_fact
from fsadvisor.survey.arrays import COPIES
from fsadvisor.survey.filesystem_types.registry import mount_point_of, type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.dmsetup import Target
    from fsadvisor.readers.mount_tables import SwapArea
    from fsadvisor.readers.volume_tools import LogicalVolume
    from fsadvisor.storage import Disk, Filesystem, Layer
    from fsadvisor.survey.block import BlockDevice, BlockTree
    from fsadvisor.survey.inventory import Inventory, Stack

_NOT_SEEN_THROUGH = ("zvol",)
"""Kinds of layers of which only the tools of root tell whether they are RAID."""


def level_of(targets: tuple[Target, ...]) -> str | None:
    """The level of an LVM RAID volume, without its layout: 'raid5' of 'raid5_ls'."""
    raids = (it.detail for it in targets if isinstance(it.detail, dm_target.RaidTarget))
    return next((raid.level.partition("_")[0] for raid in raids), None)


def raid_levels(layers: Iterable[Layer]) -> Fact[tuple[str, ...]]:
    """The RAID levels among some layers; a hardware controller's RAID is not among them."""
    found: list[str] = []
    for layer in layers:
        if isinstance(layer.kind, Unknown):
            return layer.kind
        if layer.kind.value in _NOT_SEEN_THROUGH:
            return read_fact.fact_of(None, layer.kind.source, "run as root with dmsetup installed")
        if layer.kind.value in ("md", "dm-raid"):
            if isinstance(layer.md_level, Unknown):
                return layer.md_level
            found.append(layer.md_level.value)
    return read_fact.shared_fact(tuple(sorted(set(found))), "md/level and device-mapper tables of all layers")


_SOURCE = "lvs"


def volumes(machine: Machine) -> Mapping[str, LogicalVolume] | Unknown:
    """The volumes by their name in device mapper; a thin pool's own device has a suffix."""
    record = read_fact.command_record(machine, volume_tools.LVS_ARGV, volume_tools.parse_lvs)
    if isinstance(record, Unknown):
        return record
    found: dict[str, LogicalVolume] = {}
    for volume in record.volumes:
        name = (volume.dm_path or "").removeprefix("/dev/mapper/")
        found[name] = found[f"{name}-tpool"] = found[f"{name}-vpool"] = volume
    return found


def _promised(pool: LogicalVolume, known: Mapping[str, LogicalVolume] | Unknown) -> int | None:
    """What its volumes may hold together, snapshots too, in percent of what it has."""
    if isinstance(known, Unknown) or not pool.size_bytes:
        return None
    volumes = {
        it.lv_name: it.size_bytes for it in known.values() if (it.vg_name, it.pool_lv) == (pool.vg_name, pool.lv_name)
    }
    sizes = [it for it in volumes.values() if it is not None]
    return 100 * sum(sizes) // pool.size_bytes if len(sizes) == len(volumes) > 0 else None


OTHER_MANAGERS: Final = ("stratis", "another")
"""Who makes thin pools that LVM does not know: Stratis, Docker's devicemapper."""
AUTOEXTEND: Argv = ("lvmconfig", "--typeconfig", "full", "activation/thin_pool_autoextend_threshold")


def autoextend(machine: Machine, layers: Mapping[str, Layer]) -> dict[str, Fact[int]]:
    """From which fill LVM extends each thin pool; asked where there is one."""
    all_pools = {at: it for at, it in layers.items() if read_fact.value(it.kind) == "dm-thin-pool"}
    pools = [at for at, it in all_pools.items() if read_fact.value(it.manager) not in OTHER_MANAGERS]
    if not pools:
        return {}
    answer = machine.run([AUTOEXTEND])[0]
    source = "lvmconfig thin_pool_autoextend_threshold"
    told = answer if isinstance(answer, Unknown) else read_fact.fact_of(whole(answer.text.rpartition("=")[2]), source)
    return dict.fromkeys(pools, told)


def lvm_facts(name: str, kind: str, known: Mapping[str, LogicalVolume] | Unknown) -> dict[str, Any]:
    """What lvs adds to a device-mapper layer of this name and kind."""
    if isinstance(known, Unknown):
        volume: LogicalVolume | Unknown = known
    else:
        volume = known.get(name, Unknown(Cause.NOT_EXPOSED, "", _SOURCE))
    if kind == "dm-thin-pool":
        return {
            "fill_percent": read_fact.field(volume, _SOURCE, lambda it: it.data_percent),
            "pool_metadata_percent": read_fact.field(volume, _SOURCE, lambda it: it.metadata_percent),
            "promised_percent": read_fact.field(volume, _SOURCE, lambda it: _promised(it, known)),
        }
    if kind in ("dm-snapshot", "dm-vdo"):
        return {"fill_percent": read_fact.field(volume, _SOURCE, lambda it: it.data_percent)}
    if kind == "dm-raid":
        return {"lvm_health": read_fact.field(volume, _SOURCE, lambda it: it.health)}
    return {}


_STRIPED = frozenset(("raid0", "raid4", "raid5", "raid6", "raid10"))
_TABLE = "dmsetup table"
_NO_STRIPES = Known(0, "the stack in /sys/block")
_NOT_FOLLOWED = Unknown(Cause.NOT_EXPOSED, "", "the stack can't be followed to one array from here")
_NO_TABLE = Unknown(Cause.NOT_EXPOSED, "", f"{_TABLE}, which does not tell of the device below")
_NEVER_STRIPED = ("CRYPT-", "mpath-", "part")
"""What the UUIDs of mapped devices start with that have one place for each block."""


class Stripe(NamedTuple):
    """Bytes on one disk before the next one's turn, and on all data disks together; 0 where nothing is striped."""

    chunk_bytes: Fact[int]
    width_bytes: Fact[int]


def stripe(
    machine: Machine,
    tree: BlockTree,
    stack: Stack,
    tables: Mapping[str, tuple[Target, ...]] | Unknown,
    filesystem: str,
) -> Stripe:
    """The one array or striped volume below; of several, or below another filesystem's file, nothing can be said."""
    under = stack.under(filesystem)
    names = [at.partition(":")[2] for at in under if at.startswith("layer:")]
    layers = [tree.devices[name] for name in names if name in tree.devices]
    found = [one for one in (_of_layer(machine, it, tables) for it in layers) if one is not None]
    if not found and stack.followed(filesystem):
        return Stripe(_NO_STRIPES, _NO_STRIPES)
    not_told = next(
        (it.chunk_bytes for it in found if isinstance(it.chunk_bytes, Unknown) and it.chunk_bytes.learn), None
    )
    if not_told is not None:
        return Stripe(not_told, not_told)
    if len(found) != 1 or any(at.startswith("filesystem:") for at in under):
        return Stripe(_NOT_FOLLOWED, _NOT_FOLLOWED)
    return found[0]


def _of_layer(
    machine: Machine, device: BlockDevice, tables: Mapping[str, tuple[Target, ...]] | Unknown
) -> Stripe | None:
    """The striping of an array or a volume; None of what has no part in it."""
    if "md" in device.holds:
        return _of_array(machine, device.folder)
    if "dm" not in device.holds:
        return None
    if isinstance(tables, Unknown):
        uuid = read_fact.value(read_fact.text(machine, f"{device.folder}/dm/uuid")) or ""
        return None if uuid.startswith(_NEVER_STRIPED) else Stripe(tables, tables)
    targets = tables.get(read_fact.value(read_fact.text(machine, f"{device.folder}/dm/name")) or "")
    return _of_volume(machine, device.folder, targets) if targets else Stripe(_NO_TABLE, _NO_TABLE)


def _of_volume(machine: Machine, folder: str, targets: tuple[Target, ...]) -> Stripe | None:
    """One way of striping from the first block to the last."""
    stripes = [(it.detail, it.legs) for it in targets if isinstance(it.detail, dm_target.Striped)]
    striped = {(detail.chunk_bytes, len(legs or ())) for detail, legs in stripes}
    raids = [it for it in targets if isinstance(it.detail, dm_target.RaidTarget)]
    if not striped and not raids:
        return None
    if len(striped) == 1 and len(stripes) == len(targets):
        chunk, number = striped.pop()
        return Stripe(Known(chunk, _TABLE), Known(chunk * number, _TABLE))
    if len(targets) == 1 and isinstance(raids[0].detail, dm_target.RaidTarget):
        level = raids[0].detail.level.partition("_")[0]
        size: Fact[int] = Known(raids[0].detail.chunk_bytes if level in _STRIPED else 0, _TABLE)
        return Stripe(size, _width(machine, folder, size, len(raids[0].legs or ())) if level in _STRIPED else size)
    return Stripe(_NOT_FOLLOWED, _NOT_FOLLOWED)


def _of_array(machine: Machine, folder: str) -> Stripe:
    level = read_fact.text(machine, f"{folder}/md/level")
    if isinstance(level, Unknown):
        return Stripe(level, level)
    if level.value not in _STRIPED:
        return Stripe(Known(0, level.source), Known(0, level.source))
    chunk = read_fact.number(machine, f"{folder}/md/chunk_size")
    disks = read_fact.number(machine, f"{folder}/md/raid_disks")
    return Stripe(chunk, disks if isinstance(disks, Unknown) else _width(machine, folder, chunk, disks.value))


def _width(machine: Machine, folder: str, chunk: Fact[int], disks: int) -> Fact[int]:
    """What md tells its queue, where it is chunks of at most as many disks as there are.

    A member's own optimal_io_size may have been mixed into it.
    """
    width = read_fact.number(machine, f"{folder}/queue/optimal_io_size")
    if isinstance(chunk, Unknown):
        return chunk
    if isinstance(width, Unknown):
        return width
    sound = chunk.value > 0 and width.value % chunk.value == 0 and 0 < width.value // chunk.value <= disks
    return width if sound else Unknown(Cause.NOT_EXPOSED, "", width.source)


_PLAIN = ("nvme", "sata", "sas", "usb", "mmc")
_CACHE_LEG = {"cache": 1, "writecache": 1}
"""Which device below the target holds what is not written back yet; a mapping of dm_target.CacheTarget."""
_NOT_TOLD = Unknown(Cause.NOT_EXPOSED, "", "the cache device is not told")


def layers_that_cache(layers: Mapping[str, Layer]) -> list[str]:
    """The ids of the cache layers."""
    return [
        at for at, layer in layers.items() if read_fact.value(layer.kind) in ("bcache", "dm-cache", "dm-writecache")
    ]


def cache_devices(
    machine: Machine, tree: BlockTree, device: BlockDevice, tables: Mapping[str, tuple[Target, ...]] | Unknown
) -> tuple[str, ...] | Unknown:
    """The names of the devices that a cache layer caches on; () where none is attached."""
    if device.name.startswith("bcache"):
        return _of_bcache(machine, tree, device)
    if isinstance(tables, Unknown):
        return tables
    name = read_fact.value(read_fact.text(machine, f"{device.folder}/dm/name")) or ""
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
        it.name: read_fact.names(machine.entries(f"{it.folder}/bcache"))
        for it in (tree.devices.get(name) for name in device.slaves or ())
        if it is not None
    }
    found = tuple(name for name, names in holds.items() if "cache_replacement_policy" in names)
    told = len(holds) == len(device.slaves or ()) > 0 and all(found or "cache_mode" in it for it in holds.values())
    return found if told else _NOT_TOLD


def cache_redundant(
    names: tuple[str, ...] | Unknown, stack: Stack, layers: Mapping[str, Layer], disks: Mapping[str, Disk]
) -> Fact[bool]:
    """Whether the cache survives the loss of one device: a mirror or parity RAID below each part of it."""
    if isinstance(names, Unknown):
        return names
    if not names:
        return Known(True, "no cache device is attached: nothing is cached")
    tops = [f"disk:{name}" if f"disk:{name}" in disks else f"layer:{name}" for name in names]
    return read_fact.all_of(
        [Redundancy(stack, layers, disks).survives(top) for top in tops], f"all of {', '.join(names)}"
    )


class Redundancy:
    """What survives the loss of one drive; `filesystems` are those that may keep copies by themselves."""

    def __init__(
        self,
        stack: Stack,
        layers: Mapping[str, Layer],
        disks: Mapping[str, Disk],
        filesystems: Mapping[str, Filesystem] | None = None,
    ) -> None:
        self._stack = stack
        self._layers = layers
        self._disks = disks
        self._filesystems = filesystems or {}

    def survives(self, subject: str) -> Fact[bool]:
        """Whether a subject by its id does: by copies of its own, or as all parts of it do."""
        name = subject.partition(":")[2]
        not_told = Unknown(Cause.NOT_EXPOSED, "", f"what {name} is made of")
        if subject in self._disks:
            return _alone(self._disks[subject])
        layer = self._layers.get(subject)
        if layer is not None and read_fact.value(layer.md_level) in COPIES:
            return Known(True, f"{name} is {read_fact.value(layer.md_level)}")
        if layer is not None and read_fact.value(layer.kind) in (None, "dm-mirror", "dm-multipath"):
            return not_told
        parts = self._stack.below.get(subject, ())
        if not parts or subject in self._stack.under(subject):
            return not_told
        each = [*map(self.survives, parts), *([not_told] if subject in self._stack.open_ended else [])]
        whole = read_fact.all_of(each, f"all of {', '.join(it.partition(':')[2] for it in parts)}")
        filesystem = self._filesystems.get(subject)
        if filesystem is None:
            return whole
        own = type_of(read_fact.value(filesystem.type) or "").own_copies(filesystem)
        return read_fact.any_of((own, whole), whole.source)


def _alone(disk: Disk) -> Fact[bool]:
    """No for one drive; a controller or a hypervisor may keep copies of what it shows as one."""
    name = read_fact.value(disk.name)
    if read_fact.value(disk.transport) not in _PLAIN or read_fact.value(disk.controller) != "none":
        return Unknown(Cause.NOT_EXPOSED, "", f"{name}: a controller or a hypervisor may keep copies")
    if isinstance(disk.virtual, Unknown) and disk.virtual.learn:
        return disk.virtual
    if read_fact.value(disk.virtual) is not False:
        return Unknown(Cause.NOT_EXPOSED, "", f"{name}: what a virtual disk stands on")
    return Known(False, f"{name} is a single drive")


def without_redundancy(
    inventory: Inventory, layers: Mapping[str, Layer], disks: Mapping[str, Disk], filesystems: Mapping[str, Filesystem]
) -> dict[str, Any]:
    """Whether the root survives the loss of one drive, what is swapped to that does not, and what to ZFS volumes."""
    stack = inventory.stack
    survives = Redundancy(stack, layers, disks, filesystems).survives
    points = {mount.mount_point: block.id for block in inventory.blocks.values() for mount in block.mounts}

    def on_volume(subject: str) -> Fact[bool]:
        kinds = [layers[it].kind for it in (subject, *stack.under(subject)) if it in layers]
        untold = [] if stack.followed(subject) else [Unknown(Cause.NOT_EXPOSED, "", f"what {subject} is on")]
        return read_fact.any_of([*(read_fact.holds(it, "zvol".__eq__) for it in kinds), *untold], "the stack in sysfs")

    def of_areas(ask: Callable[[str], Fact[bool]], areas: Iterable[SwapArea]) -> dict[str, Fact[bool]]:
        """By path; zram is memory."""
        found: dict[str, Fact[bool]] = {}
        for area in areas:
            device = inventory.tree.named(area.path)
            on_device = device.id if device else None
            subject = points.get(mount_point_of(area.path, points) or "") if area.is_file else on_device
            untold = Unknown(Cause.NOT_EXPOSED, "", f"{_SWAPS}: what {area.path} is on")
            if not area.path.startswith("/dev/zram"):
                found[area.path] = ask(subject) if subject else untold
        return found

    record = read_fact.file_record(inventory.machine, _SWAPS, mount_tables.parse_swaps)
    root = survives(points["/"]) if "/" in points else Unknown(Cause.NOT_EXPOSED, "", "the root")
    volumes = read_fact.any_of((read_fact.holds(it.kind, "zvol".__eq__) for it in layers.values()), "/sys/block")
    on_zvol = Known((), "/sys/block: no volume of ZFS") if read_fact.value(volumes) is False else None
    if isinstance(record, Unknown):
        return {"root_redundant": root, "swap_without_redundancy": record, "swap_on_zvol": on_zvol or record}
    return {
        "root_redundant": root,
        "swap_without_redundancy": _those(of_areas(survives, record.areas), answer=False),
        "swap_on_zvol": on_zvol or _those(of_areas(on_volume, record.areas), answer=True),
    }


_SWAPS: Final = "/proc/swaps"


def _those(areas: Mapping[str, Fact[bool]], *, answer: bool) -> Fact[tuple[str, ...]]:
    """The paths of which that is the answer; none only where all are told."""
    found = {path: fact for path, fact in areas.items() if read_fact.value(fact) is answer}
    unknown = [fact for fact in areas.values() if isinstance(fact, Unknown)]
    if unknown and not found:
        return read_fact.first(*unknown)
    return Known(tuple(found), ", ".join((_SWAPS, *(fact.source for fact in found.values()))))
