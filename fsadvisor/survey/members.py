"""What joins disks: multipath devices by how many of their paths work, arrays and pools; and disks that none joins."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import dmsetup
from fsadvisor.survey import read_fact
from fsadvisor.survey.arrays import COPIES, SPARED, WITHOUT_COPIES
from fsadvisor.survey.faults import GONE
from fsadvisor.survey.filesystem_types.registry import IN_POOLS
from fsadvisor.survey.filesystem_types.zfs import ZFS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.dmsetup import Maps, Path
    from fsadvisor.storage import Disk, Layer
    from fsadvisor.storage.about import MemberOf
    from fsadvisor.survey.block import BlockTree, Udev
    from fsadvisor.survey.inventory import Inventory, Stack

_MEMBERS: Final = ("zfs_member", "mpath_member")

_LOOK_BELOW = "run as root with dmsetup installed: a device that may join the paths is not known whole"
_SAME_DISK = "udev ID_WWN_WITH_EXTENSION, ID_SERIAL"
_BY_SEVERAL_PATHS = ("sas", "fc", "iscsi", "scsi", "virtio")
"""How a disk is attached that may have them; SATA and USB have one, and makers that gave one WWN to many disks."""


def has_any(machine: Machine, tree: BlockTree) -> bool:
    """Whether there is a device of multipath-tools to ask about."""
    mapped = (it.folder for it in tree.devices.values() if "dm" in it.holds)
    return any(
        (read_fact.value(read_fact.text(machine, f"{folder}/dm/uuid")) or "").startswith("mpath-") for folder in mapped
    )


def usable(machine: Machine, tree: BlockTree, layers: Mapping[str, Layer]) -> Mapping[str, Fact[int]]:
    """The number of working paths of each multipath layer, by its id."""
    wanted = [at for at, layer in layers.items() if read_fact.value(layer.kind) == "dm-multipath"]
    if not wanted:
        return {}
    record = read_fact.command_record(machine, dmsetup.DMSETUP_STATUS_ARGV, dmsetup.parse_dmsetup_status)
    if isinstance(record, Unknown):
        return dict.fromkeys(wanted, record)
    paths = {it.name: it.paths for it in record.devices}
    names = {
        at: read_fact.value(read_fact.text(machine, f"/sys/block/{at.partition(':')[2]}/dm/name")) or ""
        for at in wanted
    }
    return {at: _usable(machine, tree, paths.get(name)) for at, name in names.items()}


def queueing(machine: Machine, layers: Mapping[str, Layer]) -> Mapping[str, Fact[bool]]:
    """Whether requests wait for ever without a path: where the kernel keeps them now, multipathd knows how long."""
    found: dict[str, Fact[bool]] = {}
    for layer_id, layer in layers.items():
        if read_fact.value(layer.queues_without_paths):
            record = read_fact.command_record(machine, dmsetup.MULTIPATHD_ARGV, dmsetup.parse_multipathd)
            words = read_fact.field(record, "multipathd", partial(_queueing, read_fact.value(layer.mapped_name)))
            found[layer_id] = read_fact.derive(words, "on".__eq__)
    return found


def _queueing(name: str | None, record: Maps) -> str | None:
    return next((one.queueing for one in record.maps if one.name == name), None)


_SESSION: Final = late(r"/(session\d+)/")


def recovery(machine: Machine, tree: BlockTree, layers: Mapping[str, Layer]) -> Mapping[str, Fact[int]]:
    """The longest recovery time of the iSCSI sessions that the paths go through; other paths have none."""
    found: dict[str, Fact[int]] = {}
    for layer_id, layer in layers.items():
        if read_fact.value(layer.kind) == "dm-multipath":
            names = tree.devices[_name(layer_id)].slaves or ()
            places = (_SESSION.search(tree.devices[name].hardware) for name in names if name in tree.devices)
            files = [f"/sys/class/iscsi_session/{match[1]}/recovery_tmo" for match in places if match is not None]
            times = [read_fact.number(machine, file) for file in files]
            known = [it for it in times if isinstance(it, Known)]
            if times:
                found[layer_id] = (
                    max(known, key=lambda it: it.value)
                    if len(known) == len(times)
                    else read_fact.first(*(it for it in times if isinstance(it, Unknown)))
                )
    return found


_ADAPTER: Final = late(r".*/([0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])/")


def adapters(tree: BlockTree, layers: Mapping[str, Layer]) -> Mapping[str, Fact[int]]:
    """How many adapters the paths go through: two ports of one card are two functions of it, and one card."""
    found: dict[str, Fact[int]] = {}
    for layer_id, layer in layers.items():
        if read_fact.value(layer.kind) == "dm-multipath":
            slaves = tree.devices[layer_id.partition(":")[2]].slaves or ()
            places = [_ADAPTER.match(tree.devices[name].hardware) for name in slaves if name in tree.devices]
            cards = {it[1].partition(".")[0] for it in places if it is not None}
            known = bool(places) and None not in places
            found[layer_id] = read_fact.fact_of(len(cards) if known else None, "/sys/block/*/device")
    return found


def _usable(machine: Machine, tree: BlockTree, paths: tuple[Path, ...] | None) -> Fact[int]:
    if paths is None:
        return Unknown(Cause.NOT_EXPOSED, "", "dmsetup status")
    states = [_state(machine, tree, path) for path in paths if path.state == "active"]
    works = 0
    for state in states:
        if isinstance(state, Unknown):
            return state
        works += state.value not in GONE
    return Known(works, "dmsetup status, device/state")


def _state(machine: Machine, tree: BlockTree, path: Path) -> Fact[str]:
    """What its driver says of it; that the kernel gave it up, device mapper learns at the next request only."""
    device = tree.numbered(path.device)
    if device is None:
        return Unknown(Cause.NOT_EXPOSED, "", f"/sys/dev/block/{path.device}")
    return read_fact.text(machine, f"{device.folder}/device/state")


def unjoined(
    disks: Mapping[str, Disk], layers: Mapping[str, Layer], stack: Stack, udev: Udev
) -> Mapping[str, Fact[tuple[str, ...]]]:
    """For each disk that may have several paths, by its id, the names of others that are the same one.

    Without those under the same multipath device.
    """
    wanted = [subject for subject, disk in disks.items() if _may_have_several(disk)]
    unclear = [subject for subject, layer in layers.items() if isinstance(layer.kind, Unknown)]
    scsi = {
        subject: _identity(udev, _name(subject)) for subject in (*wanted, *unclear) if _name(subject).startswith("sd")
    }
    alike: dict[str, list[str]] = {}
    for subject, own in scsi.items():
        alike.setdefault(own or subject, []).append(subject)
    joined: dict[str, set[str]] = {}
    may_join: dict[str, Fact[str]] = {}
    for subject, layer in layers.items():
        paths = stack.under(subject)
        if read_fact.value(layer.kind) == "dm-multipath":
            for path in paths:
                joined.setdefault(path, set()).update(paths)
        if _name(subject).startswith("dm-") and read_fact.value(layer.kind) in (None, "dm-multipath"):
            is_whole = stack.followed(subject)
            may_join |= dict.fromkeys(() if is_whole and isinstance(layer.kind, Known) else scsi, layer.kind)
    found: dict[str, Fact[tuple[str, ...]]] = dict.fromkeys(wanted, Known((), "no SCSI disk"))
    nameless = {subject for subject, own in scsi.items() if own is None}
    for subject in wanted:
        if subject not in scsi:
            continue
        own = scsi[subject]
        under_one = joined.get(subject, set())
        others = tuple(_name(it) for it in alike[own or subject] if it != subject and it not in under_one)
        is_sure = bool(others) or not (set(scsi) if own is None else nameless) - under_one - {subject}
        found[subject] = Known(others, _SAME_DISK) if is_sure else udev.missing(_SAME_DISK)
        if others and subject in may_join:
            found[subject] = Unknown(Cause.NOT_EXPOSED, _LOOK_BELOW, may_join[subject].source)
    return found


def _may_have_several(disk: Disk) -> bool:
    return isinstance(disk.transport, Unknown) or disk.transport.value in _BY_SEVERAL_PATHS


def _identity(udev: Udev, device: str) -> str | None:
    """What is the same by every path: the WWN, else vendor, model and serial number, as multipath-tools has it."""
    return udev.get(device, "ID_WWN_WITH_EXTENSION") or udev.get(device, "ID_SERIAL")


def _name(at: str) -> str:
    return at.partition(":")[2]


def with_sorting(disks: Mapping[str, Disk], inventory: Inventory, layers: Mapping[str, Layer]) -> dict[str, Disk]:
    """The disks, each with whether a multipath device or ZFS stands on it, which orders requests itself."""
    pools = {block.id for block in inventory.blocks.values() if block.type in IN_POOLS}
    partitions: dict[str, list[str]] = {}
    for device in inventory.tree.devices.values():
        if device.parent is not None:
            partitions.setdefault(device.parent, []).append(device.name)
    multipath = {
        below
        for subject, under in inventory.stack.below.items()
        if subject in layers and read_fact.value(layers[subject].kind) == "dm-multipath"
        for below in under
    }
    found: dict[str, Disk] = {}
    for subject, disk in disks.items():
        name = subject.partition(":")[2]
        devices = (name, *partitions.get(name, ()))
        above = inventory.stack.filesystems_on(subject)
        if subject in multipath or pools.intersection(above):
            fact: Fact[bool] = Known(True, "the stack in sysfs")
        else:
            fact = _by_udev(devices, inventory.udev, maybe=bool(pools) and not above)
        found[subject] = replace(disk, sorted_above=fact)
    return found


_LOST_WITH_ITS_DISK: Final = ("partition", "dm-linear", "dm-striped", "dm-crypt", "dm-integrity")
_NEAR_TWO: Final = 0x102
"""md/layout of RAID 10 with two copies side by side, of the members 0 and 1, 2 and 3, …"""
_OTHER_LAYOUT: Final = "run `mdadm --detail`: which members hold the same copies"


def arrays_on_disks(
    machine: Machine, disks: Mapping[str, Disk], layers: Mapping[str, Layer], stack: Stack
) -> dict[str, Layer]:
    """The arrays with what follows from how their members lie on the disks.

    Of parity and RAID 10 it is the disks that take more members with them than it can lose: a RAID 1 lives on with any.
    A disk that a controller or a hypervisor shows is none: copies may be behind it. Of a mirror it is the members on
    hard disks that md reads like the SSDs beside them.
    """
    found: dict[str, Layer] = {}
    for subject, layer in layers.items():
        level = read_fact.value(layer.md_level)
        if level in (*SPARED, "raid10"):
            found[subject] = replace(layer, md_fatal_disks=_fatal(machine, subject, disks, layers, stack))
        elif level == "raid1" and read_fact.value(layer.kind) == "md":
            found[subject] = replace(layer, md_slow_members=_slow(machine, subject, disks, stack))
    return found


def _fatal(
    machine: Machine, array: str, disks: Mapping[str, Disk], layers: Mapping[str, Layer], stack: Stack
) -> Fact[tuple[str, ...]]:
    level = read_fact.value(layers[array].md_level) or ""
    on_disk: dict[str, list[str]] = {}
    for member in stack.below.get(array, ()):
        if not _is_metadata(layers.get(member)):
            leaves = _lost_with(member, disks, layers, stack)
            if isinstance(leaves, Unknown):
                return leaves
            for drive in {min([leaf, *_other_parts(disks[leaf])]) for leaf in leaves}:
                on_disk.setdefault(drive, []).append(member)
    shared = {leaf: members for leaf, members in on_disk.items() if len(members) > SPARED.get(level, 1)}
    facts = {_name(leaf): _takes_it(machine, array, level, it, disks[leaf]) for leaf, it in shared.items()}
    fatal = tuple(sorted(name for name, fact in facts.items() if read_fact.value(fact)))
    unknown = [fact for fact in facts.values() if isinstance(fact, Unknown)]
    return unknown[0] if unknown and not fatal else Known(fatal, "the stack in /sys/block, md/dev-*/state")


def _other_parts(disk: Disk) -> list[str]:
    return [f"disk:{name}" for name in read_fact.value(disk.same_drive) or ()]


def _is_metadata(layer: Layer | None) -> bool:
    """LVM keeps the state of each leg of its RAID in a volume of its own, beside it."""
    return layer is not None and "_rmeta_" in (read_fact.value(layer.mapped_name) or "")


def _lost_with(
    member: str, disks: Mapping[str, Disk], layers: Mapping[str, Layer], stack: Stack
) -> tuple[str, ...] | Unknown:
    """The disks each of which takes the member with it; none where it is itself an array with copies."""
    reached = (member, *stack.under(member))
    for subject in reached:
        layer = layers.get(subject)
        kind, level = (read_fact.value(layer.kind), read_fact.value(layer.md_level)) if layer else (None, None)
        if level in COPIES:
            return ()
        if layer is not None and kind not in _LOST_WITH_ITS_DISK and level not in WITHOUT_COPIES:
            return Unknown(Cause.NOT_EXPOSED, "", f"what {_name(subject)} is made of")
    if not stack.followed(member):
        return Unknown(Cause.NOT_EXPOSED, "", f"{_name(member)}: what it stands on")
    return tuple(at for at in reached if at in disks)


def _takes_it(machine: Machine, array: str, level: str, members: Sequence[str], disk: Disk) -> Fact[bool]:
    """Whether the array is lost with these members, all of which are on the disk."""
    folder = f"/sys/block/{_name(array)}/md"
    by_itself = read_fact.both(
        read_fact.holds(disk.controller, "none".__eq__), read_fact.derive(disk.virtual, lambda it: not it), "disk"
    )
    if read_fact.value(by_itself) is False or not _name(array).startswith("md"):
        of_lvm = Known(True, "dmsetup table")
        other = Unknown(Cause.NOT_EXPOSED, "run `lvs -a -o name,devices`: which legs hold the same copies", "LVM")
        return read_fact.both(by_itself, of_lvm if level in SPARED else other, "disk.controller, disk.virtual")
    states = {it: read_fact.text(machine, f"{folder}/dev-{_name(it)}/state") for it in members}
    unknown = [it for it in states.values() if isinstance(it, Unknown)]
    if unknown:
        return unknown[0]
    at_work = [it for it, state in states.items() if "in_sync" in (read_fact.value(state) or "").split(",")]
    lost = Known(len(at_work) > SPARED.get(level, 1), f"{folder}/dev-*/state")
    return read_fact.both(by_itself, lost if level in SPARED else _pair(machine, folder, at_work), f"{folder}/dev-*")


def _pair(machine: Machine, folder: str, members: Sequence[str]) -> Fact[bool]:
    """Whether both copies of a RAID 10 are on two of the members."""
    layout = read_fact.number(machine, f"{folder}/layout")
    wanted = read_fact.number(machine, f"{folder}/raid_disks")
    slots = [read_fact.number(machine, f"{folder}/dev-{_name(it)}/slot") for it in members]
    unknown = [it for it in (layout, wanted, *slots) if isinstance(it, Unknown)]
    if unknown or read_fact.value(layout) != _NEAR_TWO or (read_fact.value(wanted) or 1) % 2:
        return unknown[0] if unknown else Unknown(Cause.NOT_EXPOSED, _OTHER_LAYOUT, layout.source)
    pairs = [it.value // 2 for it in slots if isinstance(it, Known)]
    return Known(len(set(pairs)) < len(pairs), f"{folder}/layout, {folder}/dev-*/slot")


def _slow(machine: Machine, array: str, disks: Mapping[str, Disk], stack: Stack) -> Fact[tuple[str, ...]]:
    """A virtual disk says that it spins whatever is behind it, and is neither."""
    spins: dict[str, Fact[bool]] = {}
    for member in stack.below.get(array, ()):
        leaves = [disks[it] for it in (member, *stack.under(member)) if it in disks]
        if not stack.followed(member) or any(read_fact.value(it.virtual) is not False for it in leaves):
            return Unknown(Cause.NOT_EXPOSED, "", f"{_name(member)}: what it stands on")
        spins[_name(member)] = read_fact.any_of((it.rotational for it in leaves), "queue/rotational")
    unknown = [it for it in spins.values() if isinstance(it, Unknown)]
    slow = [name for name, fact in spins.items() if read_fact.value(fact)]
    if unknown or len(slow) in (0, len(spins)):
        return unknown[0] if unknown else Known((), "queue/rotational of the members' disks")
    states = {it: read_fact.text(machine, f"/sys/block/{_name(array)}/md/dev-{it}/state") for it in slow}
    missing = [it for it in states.values() if isinstance(it, Unknown)]
    read = (name for name, it in states.items() if "write_mostly" not in (read_fact.value(it) or "").split(","))
    return missing[0] if missing else Known(tuple(sorted(read)), "queue/rotational, md/dev-*/state")


def with_mount_points(disks: Mapping[str, Disk], inventory: Inventory) -> dict[str, Disk]:
    """The disks, those that fail or are offline with what is mounted from them, as far as the stack tells."""

    def points(subject: str) -> tuple[str, ...]:
        on_it = inventory.stack.filesystems_on(subject)
        return tuple(sorted({mount.mount_point for at in on_it for mount in inventory.blocks[at].mounts}))

    def with_them(subject: str, disk: Disk) -> Disk:
        in_trouble = read_fact.value(disk.offline) or read_fact.value(disk.failing)
        found = points(subject) if in_trouble else ()
        return replace(disk, mount_points=Known(found, "the stack, /proc/self/mountinfo")) if found else disk

    return {subject: with_them(subject, disk) for subject, disk in disks.items()}


def with_membership(disks: Mapping[str, Disk], inventory: Inventory, layers: Mapping[str, Layer]) -> dict[str, Disk]:
    """The hard disks, each with whether md with redundancy or ZFS stands on it, which rebuild onto it."""
    arrays = [at for at, layer in layers.items() if read_fact.value(layer.md_level) in COPIES]
    members = {below for at in arrays for below in inventory.stack.under(at)}
    unsure = {
        below: layer.md_level
        for at, layer in layers.items()
        if isinstance(layer.md_level, Unknown) and layer.md_level.cause is not Cause.NOT_APPLICABLE
        for below in inventory.stack.under(at)
    }
    pools = {block.id for block in inventory.blocks.values() if block.type == ZFS.name}
    pooled = {
        device.parent or device.name
        for device in inventory.tree.devices.values()
        if inventory.udev.get(device.name, "ID_FS_TYPE") == "zfs_member"
    }

    def member(subject: str) -> Fact[MemberOf]:
        if subject in members:
            return Known("array", "the stack in sysfs")
        if subject.partition(":")[2] in pooled or pools.intersection(inventory.stack.filesystems_on(subject)):
            return Known("pool", "the stack, udev ID_FS_TYPE")
        if pools and inventory.udev.unread is not None:
            return inventory.udev.unread
        if subject in unsure:
            return unsure[subject]
        return read_fact.shared_fact("neither", "the stack, udev ID_FS_TYPE")

    def with_it(subject: str, disk: Disk) -> Disk:
        if isinstance(disk.rotational, Unknown):
            return replace(disk, member_of=disk.rotational)
        return replace(disk, member_of=member(subject)) if disk.rotational.value else disk

    return {subject: with_it(subject, disk) for subject, disk in disks.items()}


def _by_udev(devices: Sequence[str], udev: Udev, *, maybe: bool) -> Fact[bool]:
    types = [udev.get(device, "ID_FS_TYPE") for device in devices]
    if any(it in _MEMBERS for it in types) or any(udev.get(it, "DM_MULTIPATH_DEVICE_PATH") == "1" for it in devices):
        return Known(True, "udev ID_FS_TYPE")
    if maybe and not any(it is not None for it in types):
        return udev.missing("udev ID_FS_TYPE")
    return read_fact.shared_fact(False, "the stack in sysfs")
