"""What the kernel has stopped: disks that it gave up, filesystems whose device is gone, arrays that wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.survey import attachment, kernel_log, read_fact
from fsadvisor.survey.filesystem_types.registry import ON_DEVICES

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.kernel_log import KernelLog
    from fsadvisor.survey.block import BlockDevice, BlockTree
    from fsadvisor.survey.filesystem_types.base import Superblock

GONE: Final = ("offline", "transport-offline", "deleted", "cancel", "dead", "deleting", "deleting (no IO)")
"""States of SCSI devices (drivers/scsi/scsi_sysfs.c) and NVMe controllers (sysfs.c) that take no requests."""
_LOGGED_IN: Final = "LOGGED_IN"
_CONTAINER: Final = late(r"external:(?!/)")
"""An array in one says external:/md127/0."""
_WITH_A_STATE: Final = ("sd", "nvme")
_SESSION: Final = late(r"/(session\d+)/")
_DISK: Final = late(r"(sd[a-z]+|vd[a-z]+|(?:nvme\d+n|mmcblk)\d+(?=p\d|$))")


def of_disk(machine: Machine, device: BlockDevice) -> Fact[tuple[str, ...]]:
    """What says that requests to a disk fail; () where a state says that they do not.

    An NVMe disk of several paths has no state of its own: its paths' controllers have.
    """
    if not device.name.startswith(_WITH_A_STATE):
        return NOT_APPLICABLE
    states = [read_fact.text(machine, f"{folder}/device/state") for folder in attachment.path_folders(machine, device)]
    known = [state for state in states if isinstance(state, Known)]
    gone = [state for state in known if state.value in GONE]
    works = len(gone) < len(known)
    signs = [f"state '{state.value}'" for state in gone] if gone and len(gone) == len(states) else []
    if session := _SESSION.search(device.hardware):
        session_state = read_fact.text(machine, f"/sys/class/iscsi_session/{session[1]}/state")
        if isinstance(session_state, Known):
            known.append(session_state)
            signs += [f"iSCSI session '{session_state.value}'"] if session_state.value != _LOGGED_IN else []
    if signs or works:
        return Known(tuple(signs), ", ".join(state.source for state in known))
    unknown = [state for state in states if isinstance(state, Unknown)]
    return unknown[0] if unknown else Unknown(Cause.NOT_EXPOSED, "", device.folder)


def device_gone(
    machine: Machine, tree: BlockTree, block: Superblock, log: KernelLog | Unknown, uptime: Fact[int]
) -> Fact[bool]:
    """Whether the device that it was mounted from has left the machine, or has no capacity any more.

    An archive may lack a device that is there: only what the kernel's log lost as well is gone.
    """
    if block.type not in ON_DEVICES or not block.source.startswith("/dev/"):
        return NOT_APPLICABLE
    if block.devices:
        return Known(False, "/sys/block")
    name = block.source.removeprefix("/dev/")
    disk = _DISK.match(name)
    if disk is None or not tree.devices:
        return Unknown(Cause.NOT_EXPOSED, "", "/sys/block")
    size = read_fact.number(machine, f"/sys/block/{disk[1]}/size")
    if isinstance(size, Known):
        return read_fact.derive(size, lambda it: it == 0)
    errors = kernel_log.of_names(log, frozenset((name, disk[1])), uptime)
    if read_fact.value(errors):
        return Known(True, f"no {disk[1]} in /sys/block; {errors.source}")
    return Unknown(Cause.NOT_EXPOSED, "", "/sys/block")


def inactive_arrays(machine: Machine) -> Fact[tuple[str, ...]]:
    """The md arrays that have members and were not started: they have no size, and nothing can stand on them.

    A container of IMSM or DDF has members, and is never started: the arrays in it are.
    """
    found: list[str] = []
    unknown: list[Unknown] = []
    for name in (it for it in read_fact.names(machine.entries("/sys/block")) if it.startswith("md")):
        folder = f"/sys/block/{name}"
        size = read_fact.number(machine, f"{folder}/size")
        if isinstance(size, Known) and size.value:
            continue
        metadata = read_fact.text(machine, f"{folder}/md/metadata_version")
        state = read_fact.text(machine, f"{folder}/md/array_state")
        missing = [fact for fact in (size, metadata, state) if isinstance(fact, Unknown)]
        if missing:
            unknown.append(missing[0])
            continue
        if _CONTAINER.match(read_fact.value(metadata) or ""):
            continue
        members = [it for it in read_fact.names(machine.entries(f"{folder}/md")) if it.startswith("dev-")]
        if members and read_fact.value(state) == "inactive":
            wanted = read_fact.value(read_fact.number(machine, f"{folder}/md/raid_disks"))
            found.append(f"{name} with {len(members)}{f' of {wanted}' if wanted else ''} members")
    return unknown[0] if unknown and not found else Known(tuple(found), "/sys/block/md*/md/array_state")


def array_action(machine: Machine, folder: str) -> Fact[str]:
    """What an array does now; 'pending': a resync has to be done and has not begun, as mdstat's resync=PENDING says."""
    action = read_fact.text(machine, f"{folder}/md/sync_action")
    if read_fact.value(action) == "idle":
        begins = read_fact.number(machine, f"{folder}/md/resync_start")
        if isinstance(begins, Known):  # a sector; 'none' where nothing is left to do
            return Known("pending", begins.source)
    return action
