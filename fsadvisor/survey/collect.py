"""Asks the machine once for what every stage of the survey needs, the tools side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.facts import Unknown
from fsadvisor.readers import dmsetup, json_text, lsblk, lvs, mount_tables
from fsadvisor.readers.kernel_log import ARGV as KERNEL_LOG
from fsadvisor.survey import (
    block,
    configured,
    drive,
    filesystems,
    host,
    hosting,
    kernel_log,
    layers,
    looks,
    measured,
    multipath,
    programs,
    raid,
    read_fact,
    sleeping,
    superblocks,
)
from fsadvisor.survey.attachment import transport
from fsadvisor.survey.inventory import Inventory, build_stack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.dmsetup import Target
    from fsadvisor.readers.json_text import Json
    from fsadvisor.readers.mount_tables import Mount
    from fsadvisor.survey.block import BlockTree

_RUN_AHEAD = 256
_NO_BLOCK_DEVICES = block.BlockTree(devices={}, by_number={}, by_path={})


def collect(machine: Machine) -> Inventory:
    """List devices and mounts, then put every tool's question at once, side by side."""
    tree = block.walk(machine)
    known = _NO_BLOCK_DEVICES if isinstance(tree, Unknown) else tree
    table = _mounts(machine)
    mounts = () if isinstance(table, Unknown) else tuple(superblocks.visible(table))
    by_udev = block.ask_udev(machine)
    labels_told = any("ID_FS_UUID" in properties for properties in by_udev.properties.values())
    others = _commands(machine, known, labels_told)
    if any(map(sleeping.may_sleep, known.devices.values())):
        _run_ahead(machine, _of_host_and_drives(known))
    power_states = sleeping.power_states(machine, known)
    machine = sleeping.not_woken(machine, power_states, known, mounts)
    listed = superblocks.Listed(machine)
    first = superblocks.commands(listed, mounts, known)
    if first:
        _run_ahead(machine, [*first, *others])
    blocks = tuple(superblocks.superblocks(listed, mounts, known))
    _run_ahead(machine, [*others, *(argv for one in blocks for argv in filesystems.commands(one))])
    configured_mounts, no_fstab = configured.configured(machine)
    running = programs.running(machine)
    return Inventory(
        machine=machine,
        tree=known,
        queues={
            device.name: block.queue(machine, device.folder)
            for device in known.devices.values()
            if device.parent is None
        },
        power_states=power_states,
        stack=build_stack(machine, known, blocks),
        configured=configured_mounts,
        no_fstab=no_fstab,
        programs=running if isinstance(running, Unknown) else tuple(running),
        probed=measured.read(machine),
        seen_devices=tree if isinstance(tree, Unknown) else read_fact.fact_of(len(tree.devices), "/sys/block"),
        mounts=mounts,
        seen_mounts=table if isinstance(table, Unknown) else read_fact.fact_of(len(mounts), "/proc/self/mountinfo"),
        blocks={filesystem.id: filesystem for filesystem in blocks},
        kernel=host.kernel(machine),
        in_vm=hosting.virtual(machine),
        udev=by_udev,
        io=_io(machine, known),
        uptime=block.uptime_seconds(machine, hosting.container(machine)),
        log=kernel_log.read(machine),
        past=looks.read(machine),
        lsblk_labels={} if labels_told else _lsblk_labels(machine),
        tables=_tables(machine, known),
        volumes=raid.volumes(machine) if _has_lvm(machine, known) else {},
    )


def _run_ahead(machine: Machine, commands: list[Argv]) -> None:
    """Let tools run side by side before each answer is asked for; in parts, so that not all outputs are held here."""
    for at in range(0, len(commands), _RUN_AHEAD):
        machine.expect(commands[at : at + _RUN_AHEAD])


def _io(machine: Machine, tree: BlockTree) -> Json | Unknown:
    """The I/O counters of the disks; those of partitions and volumes are let go."""
    document = read_fact.understood(machine.counters(), json_text.load)
    if isinstance(document, Unknown):
        return document
    disks = (device.name for device in tree.devices.values() if device.is_disk)
    return {"io": {name: json_text.member(document, "io", name) for name in disks}}


def _lsblk_labels(machine: Machine) -> Mapping[str, str]:
    """The filesystems' labels by kernel name, as lsblk finds them on the devices where no udev runs."""
    record = read_fact.command_record(machine, lsblk.LABELS_ARGV, lsblk.parse)
    devices = () if isinstance(record, Unknown) else record.devices
    return {it.kname or it.name: it.label for it in devices if it.label is not None}


def _mounts(machine: Machine) -> tuple[Mount, ...] | Unknown:
    """/proc/self/mountinfo, else /proc/mounts, which archives keep (without numbers, roots and parents)."""
    record = read_fact.file_record(machine, "/proc/self/mountinfo", mount_tables.parse_mountinfo)
    if not isinstance(record, Unknown):
        return record.mounts
    lines = read_fact.file_record(machine, "/proc/mounts", mount_tables.parse_proc_mounts)
    if isinstance(lines, Unknown):
        return record
    return tuple(
        mount_tables.Mount(
            mount_id=number,
            parent_id=0,
            major_minor=line.source,
            root="/",
            mount_point=line.mount_point,
            options=line.options,
            optional=(),
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
        wanted.append(lsblk.LABELS_ARGV)
    if _has_mapped(tree):
        wanted.append(dmsetup.DMSETUP_TABLE_ARGV)
    if multipath.has_any(machine, tree):
        wanted += [dmsetup.DMSETUP_STATUS_ARGV, dmsetup.MULTIPATHD_ARGV]
    if _has_lvm(machine, tree):
        wanted.append(lvs.ARGV)
    if any(it.startswith("LVM-") and it.endswith("-tpool") for it in _mapped_uuids(machine, tree)):
        wanted.append(raid.AUTOEXTEND)
    if any(it.startswith("stratis-") for it in _mapped_uuids(machine, tree)):
        wanted.append(dmsetup.DMSETUP_POOLS_ARGV)
    if raid.has_arrays(tree):
        wanted += [raid.MD_UNITS, raid.MD_MAIL]
    return wanted


def _of_host_and_drives(tree: BlockTree) -> list[Argv]:
    """Those that read no disk."""
    wanted: list[Argv] = [*host.COMMANDS, configured.MOUNT_UNITS, KERNEL_LOG]
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
