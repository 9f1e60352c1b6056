"""The block devices and how they stand on each other, as /sys/block has them; what udev knows of each.

A block device's queue in sysfs: its settings, and what its counters tell of flushes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers import block_files, real
from fsadvisor.storage.about import WriteCache
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.block_files import IoCounters


_LAYER_PREFIXES = ("dm-", "md", "bcache", "loop", "zd", "drbd")
_SKIPPED_PREFIXES = ("sr", "fd")


class BlockDevice(Struct, frozen=True, kw_only=True, gc=False):
    """A disk, partition or layered device.

    `id` is its subject's, `name` the kernel's, `path` its node under /dev, `folder` its place in sysfs, `sectors` its
    size, `hardware` the path that /sys/block/D links to ('' for a partition), `slaves` the names right below it (None
    where they can't be listed), `holds` what its folder contains, partitions aside; `unlisted` why that is not known.
    """

    id: str
    name: str
    folder: str
    number: str
    sectors: Fact[int]
    parent: str | None
    hardware: str
    slaves: tuple[str, ...] | None
    holds: frozenset[str]
    unlisted: Unknown | None = None

    @property
    def path(self) -> str:
        """Its node; the kernel writes '/' in a name as '!'."""
        return f"/dev/{self.name.replace('!', '/')}"

    @property
    def is_disk(self) -> bool:
        """A leaf: neither a partition nor made of other devices, as far as is known."""
        return self.id.startswith("disk:")


class BlockTree(Struct, frozen=True, kw_only=True):
    """All block devices by kernel name, and the names by number, and by the path that device mapper gives some."""

    devices: Mapping[str, BlockDevice]
    by_number: Mapping[str, str]
    mapped: Mapping[str, str]

    def named(self, source: str) -> BlockDevice | None:
        """The device of a path such as /dev/mapper/vg-root, or None."""
        if not source.startswith("/dev/"):
            return None
        return self.devices.get(self.mapped.get(source) or source.removeprefix("/dev/").replace("/", "!"))

    def numbered(self, number: str) -> BlockDevice | None:
        """The device with 'major:minor', or None."""
        name = self.by_number.get(number)
        return self.devices.get(name) if name else None


def may_be_drive(name: str) -> bool:
    """By its name alone: not what stands on other devices, nor empty slots for media."""
    return not name.startswith((*_LAYER_PREFIXES, *_SKIPPED_PREFIXES, "ram"))


def walk(machine: Machine) -> BlockTree | Unknown:
    """Every block device in use; unbound loop devices, empty drives and hidden paths are left out."""
    names = machine.entries("/sys/block")
    if isinstance(names, Unknown):
        return names
    devices: dict[str, BlockDevice] = {}
    paths: dict[str, str] = {}
    for name in names:
        for device in _disk_and_partitions(machine, name):
            devices[device.name] = device
        if "dm" in (devices[name].holds if name in devices else ()):
            mapped = read_fact.value(read_fact.text(machine, f"/sys/block/{name}/dm/name"))
            if mapped:
                paths[f"/dev/mapper/{mapped}"] = name
    numbers = {device.number: name for name, device in devices.items() if device.number}
    return BlockTree(devices=devices, by_number=numbers, mapped=paths)


def _disk_and_partitions(machine: Machine, name: str) -> list[BlockDevice]:
    folder = f"/sys/block/{name}"
    holds = machine.entries(folder)
    if name.startswith(_SKIPPED_PREFIXES) or _unused(machine, folder, holds):
        return []
    sectors = read_fact.number(machine, f"{folder}/size")
    if read_fact.value(sectors) == 0:
        return []
    link = machine.link(folder)
    hardware = "" if isinstance(link, Unknown) else link.text
    disk = _device(machine, name, folder, sectors, holds, hardware)
    partitions = [entry for entry in read_fact.names(holds) if entry.startswith(name) and entry != name]
    parents = (name,)
    return [disk, *(_partition(machine, entry, f"{folder}/{entry}", parents) for entry in partitions)]


def _unused(machine: Machine, folder: str, holds: tuple[str, ...] | Unknown) -> bool:
    """Whether there is nothing to use: a loop device without a file, a hidden NVMe path."""
    if isinstance(holds, Unknown):
        return False
    if folder.startswith("/sys/block/loop") and "loop" not in holds:
        return True
    return "hidden" in holds and read_fact.value(read_fact.text(machine, f"{folder}/hidden")) == "1"


def _device(
    machine: Machine, name: str, folder: str, sectors: Fact[int], holds: tuple[str, ...] | Unknown, hardware: str
) -> BlockDevice:
    """A device whose folder or slaves can't be listed may stand on others that are not seen."""
    slaves: tuple[str, ...] | Unknown = holds if isinstance(holds, Unknown) else ()
    if "slaves" in read_fact.names(holds):
        slaves = machine.entries(f"{folder}/slaves")
        if name.startswith("bcache") and len(read_fact.names(slaves)) < 2:
            slaves = _backing_alone(machine, folder, slaves)
    is_disk = slaves == () and not name.startswith(_LAYER_PREFIXES)
    return BlockDevice(
        id=f"{'disk' if is_disk else 'layer'}:{name}",
        name=name,
        folder=folder,
        number=_number(machine, folder),
        sectors=sectors,
        parent=None,
        hardware=hardware,
        slaves=None if isinstance(slaves, Unknown) else slaves,
        holds=_shared(frozenset(entry for entry in read_fact.names(holds) if not entry.startswith(name))),
        unlisted=holds if isinstance(holds, Unknown) else None,
    )


def _backing_alone(machine: Machine, folder: str, slaves: tuple[str, ...] | Unknown) -> tuple[str, ...] | Unknown:
    """A bcache stands on its backing device alone where it says so; else a name is missing."""
    path = f"{folder}/bcache/state"
    state = read_fact.text(machine, path)
    if isinstance(state, Unknown):
        return state
    return slaves if state.value == "no cache" else Unknown(Cause.UNREADABLE, "", f"{folder}/slaves")


_NO_NAMES: Final[frozenset[str]] = frozenset()
"""Python makes another one each time."""


@lru_cache(maxsize=256)
def _shared(names: frozenset[str]) -> frozenset[str]:
    """One object for all devices of a kind: their folders hold the same."""
    return names


def _partition(machine: Machine, name: str, folder: str, parents: tuple[str]) -> BlockDevice:
    return BlockDevice(
        id=f"layer:{name}",
        name=name,
        folder=folder,
        number=_number(machine, folder),
        sectors=read_fact.number(machine, f"{folder}/size"),
        parent=parents[0],
        hardware="",
        slaves=parents,
        holds=_NO_NAMES,
    )


def _number(machine: Machine, folder: str) -> str:
    fact = read_fact.text(machine, f"{folder}/dev")
    return fact.value if isinstance(fact, Known) else ""


_KEYS: Final = (
    "DM_MULTIPATH_DEVICE_PATH",
    "DM_UUID",
    "ID_FS_LABEL",
    "ID_FS_TYPE",
    "ID_FS_UUID",
    "ID_MODEL",
    "ID_MODEL_ENC",
    "ID_PART_ENTRY_UUID",
    "ID_SERIAL",
    "ID_SERIAL_SHORT",
    "ID_VENDOR_ENC",
    "ID_WWN_WITH_EXTENSION",
    "MD_UUID",
)
_SOURCES: Final = {key: f"udev {key}" for key in _KEYS}
_NOTHING: Final[Mapping[str, str]] = {}


class Udev(Struct, frozen=True):
    """What the survey asks for: devices' values by property; `unread` is why there are none, if it was not asked."""

    properties: Mapping[str, Mapping[str, str]]
    unread: Unknown | None = None
    _having: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    def having(self, key: str) -> Mapping[str, list[str]]:
        """The devices by what a property of theirs says, in lower case: gone through once, however many mounts ask."""
        if key not in self._having:
            found = self._having[key] = {}
            for device, value in self.properties.get(key, _NOTHING).items():
                found.setdefault(value.lower(), []).append(device)
        return self._having[key]

    def get(self, device: str, key: str) -> str | None:
        """A property of a device, or None: for choosing among names, never for judging."""
        return self.properties.get(key, _NOTHING).get(device)

    def fact(self, device: str, key: str) -> Fact[str]:
        """A property in udev's own spelling; a device without it is one thing, a udev that was not asked another."""
        value = self.get(device, key)
        return self.missing(_SOURCES[key]) if value is None else Known(value, _SOURCES[key])

    def missing(self, source: str) -> Unknown:
        """Why a property is not there."""
        return self.unread or Unknown(Cause.NOT_EXPOSED, "", source)


def ask_udev(machine: Machine) -> Udev:
    """Ask it; the properties that nobody here wants are many, and are let go."""
    record = read_fact.understood(machine.udev(), block_files.parse_udev_export)
    if isinstance(record, Unknown):
        return Udev({}, record)
    found: dict[str, dict[str, str]] = {key: {} for key in _KEYS}
    for device in record.devices:
        for key, value in device.properties:
            if key in found and device.name:
                found[key][device.name] = value
    return Udev(found)


SECTOR_BYTES = 512
"""The unit of `size` and `start` in sysfs, whatever the device's block size."""
_PAGE = 4096
"""What filesystems write at once, as a rule."""


class Queue(Struct, frozen=True, kw_only=True):
    """What a whole device's queue says to its partitions, too; read once.

    `write_cache`: 'write back' makes the kernel send flushes, 'write through' makes it drop them. `discards`:
    whether the device takes them, queue/discard_max_bytes is 0 where it does not.
    """

    write_cache: Fact[WriteCache]
    discards: Fact[bool]
    physical_block_bytes: Fact[int]
    read_ahead_kib: Fact[int]


def queue(machine: Machine, folder: str) -> Queue:
    """Read the queue of a whole device."""
    return Queue(
        write_cache=read_fact.choice(read_fact.text(machine, f"{folder}/queue/write_cache"), WriteCache),
        discards=read_fact.derive(read_fact.number(machine, f"{folder}/queue/discard_max_bytes"), bool),
        physical_block_bytes=read_fact.number(machine, f"{folder}/queue/physical_block_size"),
        read_ahead_kib=read_fact.number(machine, f"{folder}/queue/read_ahead_kb"),
    )


def size_bytes(sectors: Fact[int]) -> Fact[int]:
    """Capacity."""
    return read_fact.derive(sectors, lambda count: count * SECTOR_BYTES)


def start_bytes(machine: Machine, folder: str) -> Fact[int]:
    """Where a partition starts."""
    return read_fact.derive(read_fact.number(machine, f"{folder}/start"), lambda sectors: sectors * SECTOR_BYTES)


def misaligned(machine: Machine, partition: str, start: Fact[int], physical: Fact[int]) -> Fact[bool]:
    """Whether a partition starts off the disk's physical blocks, 4 KiB at least.

    The kernel reckons `alignment_offset` from what the disk tells: its physical blocks, and where the first begins.
    Where it tells of none of 4 KiB, the start has to be a multiple of that, too: flash has larger ones.
    """
    offset = read_fact.number(machine, f"{partition}/alignment_offset")
    if isinstance(physical, Unknown):
        return physical
    if isinstance(offset, Unknown):
        return offset
    told = physical.value >= _PAGE
    return read_fact.derive(start, lambda at: offset.value != 0 or (not told and at % _PAGE != 0))


def off_blocks(offsets_sectors: Fact[tuple[int, ...]], physical: Fact[int]) -> Fact[bool]:
    """Whether data that starts at these offsets is off the physical blocks, 4 KiB at least."""
    if isinstance(physical, Unknown):
        return physical
    block = max(physical.value, _PAGE)
    return read_fact.derive(offsets_sectors, lambda offsets: any(it * SECTOR_BYTES % block for it in offsets))


UPTIME = "/proc/uptime"
_ENOUGH_SECONDS = 3600
"""Below this, counters since boot tell of the boot and not of the work."""


def uptime_seconds(machine: Machine, container: Fact[bool]) -> Fact[int]:
    """Time since boot; in a container the file may tell the container's own age (lxcfs), so it is not believed."""
    if isinstance(container, Unknown):
        return container
    if container.value:
        return Unknown(Cause.NOT_EXPOSED, "look from outside the container", container.source)
    text = read_fact.text(machine, UPTIME)
    if isinstance(text, Unknown):
        return text
    seconds = real(text.value.partition(" ")[0])
    return read_fact.fact_of(None if seconds is None else int(seconds), UPTIME)


def flush_average_ms(stat: IoCounters | Unknown, source: str) -> Fact[float]:
    """The average time of a flush; unknown where there was none yet."""
    if isinstance(stat, Unknown):
        return stat
    if stat.flushes is None or stat.flush_ms is None:
        return read_fact.fact_of(None, source)
    if stat.flushes == 0:
        return Unknown(Cause.NOT_MEASURED, "", f"{source}: no flush since boot")
    return Known(read_fact.steady(stat.flush_ms / stat.flushes), source)


def flush_percent_of_uptime(stat: IoCounters | Unknown, uptime: Fact[int], source: str) -> Fact[float]:
    """The share of the time since boot that the disk spent on flushes."""
    spent = read_fact.field(stat, source, lambda it: it.flush_ms)
    if isinstance(spent, Unknown):
        return spent
    if isinstance(uptime, Unknown):
        return uptime
    if uptime.value < _ENOUGH_SECONDS:
        return Unknown(Cause.NOT_MEASURED, "look again when the machine has run for an hour", uptime.source)
    return Known(read_fact.steady(spent.value / (uptime.value * 10)), f"{source}, {uptime.source}")
