"""Several paths to one disk: how many of a multipath device's work, and disks that none joins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers import dmsetup_status
from fsadvisor.survey import look

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.dmsetup_status import Path
    from fsadvisor.storage import Disk, Layer
    from fsadvisor.survey.block import BlockTree
    from fsadvisor.survey.stack import Stack

_GONE = ("offline", "transport-offline", "deleted", "cancel")
"""States of a SCSI device in which it answers nothing (drivers/scsi/scsi_sysfs.c)."""

_BY_SEVERAL_PATHS = ("sas", "fc", "iscsi", "scsi", "virtio")
"""How a disk is attached that may have them; SATA and USB have one, and makers that gave one WWN to many disks."""


def has_any(machine: Machine, tree: BlockTree) -> bool:
    """Whether there is a device of multipath-tools to ask about."""
    mapped = (it.folder for it in tree.devices.values() if "dm" in it.holds)
    return any((look.value(look.text(machine, f"{folder}/dm/uuid")) or "").startswith("mpath-") for folder in mapped)


def usable(machine: Machine, tree: BlockTree, layers: Mapping[str, Layer]) -> Mapping[str, Fact[int]]:
    """The number of working paths of each multipath layer, by its id."""
    wanted = [at for at, layer in layers.items() if look.value(layer.kind) == "dm-multipath"]
    if not wanted:
        return {}
    record = look.command_record(machine, dmsetup_status.ARGV, dmsetup_status.parse)
    if isinstance(record, Unknown):
        return dict.fromkeys(wanted, record)
    paths = {it.name: it.paths for it in record.devices}
    names = {at: look.value(look.text(machine, f"/sys/block/{at.partition(':')[2]}/dm/name")) or "" for at in wanted}
    return {at: _usable(machine, tree, paths.get(name)) for at, name in names.items()}


def _usable(machine: Machine, tree: BlockTree, paths: tuple[Path, ...] | None) -> Fact[int]:
    if paths is None:
        return Unknown(Cause.NOT_EXPOSED, "", "dmsetup status")
    works = sum(path.state == "active" and not _gone(machine, tree, path) for path in paths)
    return Known(works, "dmsetup status, device/state")


def _gone(machine: Machine, tree: BlockTree, path: Path) -> bool:
    """Whether the kernel gave it up, which device mapper learns at the next request only."""
    device = tree.numbered(path.device)
    return device is not None and look.value(look.text(machine, f"{device.folder}/device/state")) in _GONE


def unjoined(
    disks: Mapping[str, Disk], layers: Mapping[str, Layer], stack: Stack, udev: Mapping[str, Mapping[str, str]]
) -> Mapping[str, Fact[tuple[str, ...]]]:
    """For each SCSI disk, by its id, the names of others with the same WWN, save those under the same multipath."""
    wwns = {
        at: udev.get(at.partition(":")[2], {}).get("ID_WWN_WITH_EXTENSION")
        for at, disk in disks.items()
        if look.value(disk.transport) in _BY_SEVERAL_PATHS
    }
    alike: dict[str, list[str]] = {}
    for at, wwn in wwns.items():
        if wwn:
            alike.setdefault(wwn, []).append(at)
    joined: dict[str, set[str]] = {}
    for at, layer in layers.items():
        if look.value(layer.kind) == "dm-multipath":
            paths = stack.under(at)
            for path in paths:
                joined.setdefault(path, set()).update(paths)
    return {
        at: look.told(
            tuple(it.partition(":")[2] for it in alike[wwn] if it != at and it not in joined.get(at, ()))
            if wwn
            else None,
            "udev ID_WWN_WITH_EXTENSION",
        )
        for at, wwn in wwns.items()
    }
