"""The survey: a machine's answers become its storage, in stages, each a function of what was found before.

The machine is asked once for what every stage needs, the tools side by side. Of the whole storage, one mount or disk
can be taken, with everything above and below it.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from fsadvisor.facts import Unknown
from fsadvisor.readers import block_files, dmsetup, json_text, mount_tables, volume_tools
from fsadvisor.readers.kernel_log import ARGV as KERNEL_LOG
from fsadvisor.storage import Layer, Storage, Subject
from fsadvisor.survey import (
    arrays,
    attested,
    block,
    configured,
    drive,
    faults,
    filesystems,
    host,
    hosting,
    layers,
    measured,
    members,
    programs,
    raid,
    read_fact,
    sleeping,
    trends,
)
from fsadvisor.survey.attachment import transport
from fsadvisor.survey.attested import Overlay
from fsadvisor.survey.below import fold_below
from fsadvisor.survey.disks import survey_disks, with_flush_shares, with_what_is_above
from fsadvisor.survey.filesystem_types import registry
from fsadvisor.survey.filesystems import survey_filesystems, trim_wanted
from fsadvisor.survey.host import survey_host
from fsadvisor.survey.identity import SubjectIdentities
from fsadvisor.survey.inventory import Inventory, Surveyed, build_stack
from fsadvisor.survey.layers import survey_layers
from fsadvisor.survey.mounts import survey_mounts
from fsadvisor.survey.services import survey_services
from fsadvisor.survey.tried import tried

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.dmsetup import Target
    from fsadvisor.readers.json_text import Json
    from fsadvisor.readers.mount_tables import MountEntry
    from fsadvisor.storage import Below, Disk, Facts, Filesystem, Host, Supposition
    from fsadvisor.storage.about import Kind, Workload
    from fsadvisor.survey.block import BlockTree
    from fsadvisor.survey.identity import Identity
    from fsadvisor.survey.programs import RunningProgram


def survey(machine: Machine, declared: Mapping[str, Workload], supposed: Iterable[Supposition] = ()) -> Storage:
    """Look at the whole machine; `declared` are workloads by mount point, `supposed` what is taken to be otherwise."""
    return survey_with_identities(machine, declared, supposed)[0]


def survey_with_identities(
    machine: Machine, declared: Mapping[str, Workload], supposed: Iterable[Supposition] = ()
) -> tuple[Storage, Callable[[str], Identity]]:
    """The same, and for the id of a subject which drives and which filesystem it is."""
    with _out_of_the_collectors_sight():
        storage, identities = _in_stages(machine, declared, supposed)
    return storage, identities.of


@contextmanager
def _out_of_the_collectors_sight() -> Iterator[None]:
    """Facts make no cycles: the collector would walk a million of them time and again, now and later, and free none."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()


def _in_stages(
    machine: Machine, declared: Mapping[str, Workload], supposed: Iterable[Supposition]
) -> tuple[Storage, SubjectIdentities]:
    overlay = Overlay(attested.read(machine), supposed)
    inventory = overlay.over_inventory(collect(machine))
    disks = survey_disks(inventory, overlay)
    layers = survey_layers(inventory, disks, overlay)
    disks = with_what_is_above(inventory, disks, layers, overlay)
    filesystems = survey_filesystems(inventory, disks, overlay)
    below = fold_below(inventory, disks, layers, filesystems, overlay)
    host = survey_host(inventory, disks, layers, filesystems, trim_wanted(filesystems, below), overlay)
    found = Surveyed(inventory=inventory, disks=disks, layers=layers, filesystems=filesystems, below=below, host=host)
    mounts = survey_mounts(found, declared, overlay)
    services = survey_services(found, mounts, overlay)
    probed, identifiers = inventory.probed, inventory.identifiers()
    tried_here = tuple(tried(probed.by_mount, mounts, services.values(), found.conditions))
    del found, inventory  # what was asked of a big machine is more than the subjects that are made now
    disks = with_flush_shares(disks, mounts, overlay)
    hardware = _hardware_up(disks, layers, filesystems, below, host, identifiers.stack.below)
    storage = Storage(
        machine=machine.name,
        subjects=(*hardware, *mounts.values(), *services.values()),
        waivers=overlay.attested.waivers(),
        ignored=(*overlay.attested.ignored(), *probed.ignored),
        tried=tried_here,
    )
    held_by = {subject.id: subject.below[0] for subject in (*mounts.values(), *services.values()) if subject.below}
    return storage, SubjectIdentities(identifiers, disks, held_by)


def _hardware_up(
    disks: Mapping[str, Disk],
    layers: Mapping[str, Layer],
    filesystems: Mapping[str, Filesystem],
    below: Mapping[str, Below],
    host: Host,
    under: Mapping[str, tuple[str, ...]],
) -> Iterator[Subject]:
    """The host first, then from the disks up to the filesystems; `under` are the ids right below each."""

    def subject(name: str, kind: Kind, **scope: Facts) -> Subject:
        return Subject(id=name, kind=kind, name=name.partition(":")[2] or name, below=under.get(name, ()), scope=scope)

    yield subject("host", "host", host=host)
    for name, disk in disks.items():
        yield subject(name, "disk", disk=disk, host=host)
    for name, layer in layers.items():
        yield subject(name, "layer", layer=layer, below=below[name], host=host)
    for name, filesystem in filesystems.items():
        yield subject(name, "filesystem", filesystem=filesystem, below=below[name], host=host)


_CHOSEN_KINDS = ("mount", "disk", "filesystem", "layer", "service")


def names(storage: Storage) -> list[str]:
    """What can be chosen: mount points, and devices with or without /dev."""
    return [subject.name for subject in storage.subjects if subject.kind in ("mount", "disk", "layer")]


def _called(subject: Subject) -> set[str]:
    """By its id, its name, and device mapper's name of a volume."""
    layer = subject.scope.get("layer")
    mapped = read_fact.value(layer.mapped_name) if subject.kind == "layer" and isinstance(layer, Layer) else None
    return {subject.id, subject.name, *([mapped] if mapped else ())}


def _wanted(target: str) -> set[str]:
    """A mount point, or a device with or without /dev, /dev/mapper; of /dev/VG/LV as device mapper names it, too."""
    device = target.removeprefix("/dev/")
    return {
        target.rstrip("/") or "/",
        device,
        device.removeprefix("mapper/"),
        device.replace("-", "--").replace("/", "-", 1),
    }


def only(storage: Storage, target: str) -> Storage | None:
    """The storage cut down to the subjects that stand on or under the target, and the host; None where it is not."""
    wanted = _wanted(target)
    chosen = [it.id for it in storage.subjects if it.kind in _CHOSEN_KINDS and wanted & _called(it)]
    if not chosen:
        return None
    under = {it.id: it.below for it in storage.subjects}
    above: dict[str, list[str]] = {}
    for at, below in under.items():
        for one in below:
            above.setdefault(one, []).append(at)
    kept = {"host", *_reached(chosen, under), *_reached(chosen, above)}
    return replace(storage, subjects=tuple(it for it in storage.subjects if it.id in kept))


def _reached(start: Iterable[str], edges: Mapping[str, Iterable[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = list(start)
    while waiting:
        subject = waiting.pop()
        if subject not in seen:
            seen.add(subject)
            waiting.extend(edges.get(subject, ()))
    return seen


def ask_ahead(machine: Machine) -> None:
    """Let the tools that every survey asks begin, where there is something else to do before it."""
    machine.expect(_OF_HOST)


_OF_HOST: Final[tuple[Argv, ...]] = (*host.COMMANDS, configured.MOUNT_UNITS, KERNEL_LOG)
_RUN_AHEAD = 256
_NO_BLOCK_DEVICES = block.BlockTree(devices={}, by_number={}, mapped={})


def collect(machine: Machine) -> Inventory:
    """List devices and mounts, then put every tool's question at once, side by side."""
    tree = block.walk(machine)
    known = _NO_BLOCK_DEVICES if isinstance(tree, Unknown) else tree
    table = _mounts(machine)
    mounts = () if isinstance(table, Unknown) else tuple(registry.visible_mounts(table))
    passed_over = frozenset[str]() if isinstance(table, Unknown) else registry.passed_over(table)
    by_udev = block.ask_udev(machine)
    labels_told = bool(by_udev.properties.get("ID_FS_UUID"))
    others = _commands(machine, known, labels_told)
    if any(map(sleeping.may_sleep, known.devices.values())):
        _run_ahead(machine, _of_host_and_drives(known))
    power_states = sleeping.power_states(machine, known)
    machine = sleeping.not_woken(machine, power_states, known, mounts)
    listed = registry.Listed(machine)
    first = registry.superblock_commands(listed, mounts, known)
    if first:
        _run_ahead(machine, [*first, *others])
    blocks = tuple(registry.superblocks(listed, mounts, known))
    _run_ahead(machine, [*others, *(argv for one in blocks for argv in filesystems.commands(one))])
    running = programs.running(machine)
    in_memory = () if isinstance(table, Unknown) else _with_databases(table, running)
    mounts, blocks = (*mounts, *in_memory), (*blocks, *registry.superblocks(listed, in_memory, known))
    probed, past = measured.read(machine), trends.read(machine)
    log = faults.read_log(machine)
    configured_mounts, no_fstab = configured.configured(machine)
    return Inventory(
        machine=machine,
        tree=known,
        queues={
            device.name: block.queue(machine, device.folder)
            for device in known.devices.values()
            if device.parent is None
        },
        power_states=power_states,
        stack=build_stack(machine, known, blocks, passed_over),
        configured=configured_mounts,
        no_fstab=no_fstab,
        programs=running if isinstance(running, Unknown) else tuple(running),
        probed=probed,
        seen_devices=tree if isinstance(tree, Unknown) else read_fact.fact_of(len(tree.devices), "/sys/block"),
        mounts=mounts,
        seen_mounts=table if isinstance(table, Unknown) else read_fact.fact_of(len(mounts), "/proc/self/mountinfo"),
        passed_over=passed_over,
        blocks={filesystem.id: filesystem for filesystem in blocks},
        kernel=host.kernel(machine),
        in_vm=hosting.virtual(machine),
        udev=by_udev,
        io=_io(machine, known),
        uptime=block.uptime_seconds(machine, hosting.container(machine)),
        log=log,
        past=past,
        lsblk_labels={} if labels_told else _lsblk_labels(machine),
        tables=_tables(machine, known),
        volumes=raid.volumes(machine) if _has_lvm(machine, known) else {},
    )


def _with_databases(table: Iterable[MountEntry], running: Iterable[RunningProgram] | Unknown) -> tuple[MountEntry, ...]:
    """The system's own mounts in memory that a database has its files on, such as /dev/shm."""
    own = {mount.mount_point: mount for mount in registry.mounts_of_the_system(table)}
    folders = [
        read_fact.value(it.directory) for it in (() if isinstance(running, Unknown) else running)
        if it.program.workload == "oltp"
    ]  # fmt: skip
    points = {registry.mount_point_of(folder, own) for folder in folders if folder}
    return tuple(mount for point, mount in own.items() if point in points)


def _run_ahead(machine: Machine, commands: list[Argv]) -> None:
    """Let tools run side by side before each answer is asked for; in parts, so that not all outputs are held here."""
    for at in range(0, len(commands), _RUN_AHEAD):
        machine.expect(commands[at : at + _RUN_AHEAD])


def _io(machine: Machine, tree: BlockTree) -> Json | Unknown:
    """What the disks wrote and read; other counters, and those of partitions and volumes, are let go."""
    document = read_fact.understood(machine.counters(), json_text.load)
    if isinstance(document, Unknown):
        return document
    disks = [device.name for device in tree.devices.values() if device.is_disk]
    counted = ("write_bytes", "read_bytes")
    return {"io": {name: {key: json_text.member(document, "io", name, key) for key in counted} for name in disks}}


def _lsblk_labels(machine: Machine) -> Mapping[str, str]:
    """The filesystems' labels by kernel name, as lsblk finds them on the devices where no udev runs."""
    record = read_fact.command_record(machine, block_files.LSBLK_LABELS_ARGV, block_files.parse_lsblk)
    devices = () if isinstance(record, Unknown) else record.devices
    return {it.name: it.label for it in devices if it.label is not None}


def _mounts(machine: Machine) -> tuple[MountEntry, ...] | Unknown:
    """/proc/self/mountinfo, else /proc/mounts, which archives keep (without numbers, roots and parents)."""
    record = read_fact.file_record(machine, "/proc/self/mountinfo", mount_tables.parse_mountinfo)
    if not isinstance(record, Unknown):
        return record.mounts
    lines = read_fact.file_record(machine, "/proc/mounts", mount_tables.parse_proc_mounts)
    if isinstance(lines, Unknown):
        return record
    return tuple(
        mount_tables.MountEntry(
            mount_id=number,
            parent_id=0,
            major_minor=line.source,
            root="/",
            mount_point=line.mount_point,
            options=line.options,
            fs_type=line.fs_type,
            source=line.source,
            super_options=line.options,
        )
        for number, line in enumerate(lines.mounts)
    )


def _commands(machine: Machine, tree: BlockTree, labels_told: bool) -> list[Argv]:
    """Every command that the survey will want the answer of, but for those about filesystems."""
    wanted = _of_host_and_drives(tree)
    if tree.devices and not labels_told:
        wanted.append(block_files.LSBLK_LABELS_ARGV)
    if _has_mapped(tree):
        wanted.append(dmsetup.DMSETUP_TABLE_ARGV)
    if members.has_any(machine, tree):
        wanted += [dmsetup.DMSETUP_STATUS_ARGV, dmsetup.MULTIPATHD_ARGV]
    if _has_lvm(machine, tree):
        wanted.append(volume_tools.LVS_ARGV)
    if any(it.startswith("LVM-") and it.endswith("-tpool") for it in _mapped_uuids(machine, tree)):
        wanted.append(raid.AUTOEXTEND)
    if any(it.startswith("stratis-") for it in _mapped_uuids(machine, tree)):
        wanted.append(dmsetup.DMSETUP_POOLS_ARGV)
    if arrays.has_arrays(tree):
        wanted += [arrays.MD_UNITS, arrays.MD_MAIL]
    return wanted


def _of_host_and_drives(tree: BlockTree) -> list[Argv]:
    """Those that read no disk."""
    wanted = [*_OF_HOST]
    for device in tree.devices.values():
        if device.is_disk:
            wanted += drive.commands(device, transport(device))
    return wanted


def _has_mapped(tree: BlockTree) -> bool:
    return any("dm" in device.holds for device in tree.devices.values())


def _has_lvm(machine: Machine, tree: BlockTree) -> bool:
    return any(it.startswith("LVM-") for it in _mapped_uuids(machine, tree))


def _mapped_uuids(machine: Machine, tree: BlockTree) -> list[str]:
    mapped = (it.folder for it in tree.devices.values() if "dm" in it.holds)
    return [read_fact.value(read_fact.text(machine, f"{folder}/dm/uuid")) or "" for folder in mapped]


def _tables(machine: Machine, tree: BlockTree) -> Mapping[str, tuple[Target, ...]] | Unknown:
    if not _has_mapped(tree):
        return {}
    return layers.mapped_tables(
        read_fact.command_record(machine, dmsetup.DMSETUP_TABLE_ARGV, dmsetup.parse_dmsetup_table)
    )
