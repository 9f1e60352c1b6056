"""What stands on devices without a filesystem of ours: disks of QEMU's guests, and a Ceph OSD of BlueStore.

The OSD's directory, in memory or on the root filesystem, has links alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Cause, Unknown
from fsadvisor.storage import Below
from fsadvisor.survey import read_fact
from fsadvisor.survey.below import NOT_FOLLOWED, Folding

if TYPE_CHECKING:
    from fsadvisor.machine.port import Answer
    from fsadvisor.survey.inventory import Surveyed
    from fsadvisor.survey.programs import RunningProgram

_NOT_FOLLOWED: Final = Below(**dict.fromkeys(Below.__struct_fields__, NOT_FOLLOWED))


def places(found: Surveyed, program: RunningProgram) -> tuple[str | None, str | None] | None:
    """The layers or disks with the files and with the log, each None where it can't be followed; None of others."""
    if program.device:
        disk = _at(found, program.device)
        return disk, disk
    directory = read_fact.value(program.directory)
    if program.program.name != "ceph-osd" or directory is None:
        return None
    machine = found.inventory.machine
    every = {name: machine.link(f"{directory}/{name}") for name in ("block.wal", "block.db", "block")}
    links = {name: it for name, it in every.items() if not (isinstance(it, Unknown) and it.cause is Cause.NOT_EXPOSED)}
    if not links:
        return None
    return _place(found, links.get("block")), _place(found, next(iter(links.values())))


def _place(found: Surveyed, link: Answer | None) -> str | None:
    return None if link is None or isinstance(link, Unknown) else _at(found, link.text)


def _at(found: Surveyed, target: str) -> str | None:
    group, _, volume = target.removeprefix("/dev/").partition("/")
    mapped = f"/dev/mapper/{group.replace('-', '--')}-{volume.replace('-', '--')}"
    device = found.inventory.tree.named(target) or found.inventory.tree.named(mapped)
    return None if device is None else f"{'disk' if device.is_disk else 'layer'}:{device.name}"


def below(found: Surveyed, place: str | None) -> Below:
    """What is under it: of a whole disk the disk."""
    if place is not None and place in found.disks:
        folding = Folding(found.inventory.stack, found.disks, {}, {})
        device = found.inventory.tree.devices[place.partition(":")[2]]
        queue = found.inventory.queue_of(device)
        return folding.below(place, (queue.discards,), queue.read_ahead_kib)
    return found.below.get(place or "", _NOT_FOLLOWED)
