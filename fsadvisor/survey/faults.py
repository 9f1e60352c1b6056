"""Faults that the kernel knows of: what its log says, as far as it is recent, and what it has stopped.

Stopped are disks that it gave up, filesystems whose device is gone, arrays that wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import kernel_log
from fsadvisor.survey import attachment, read_fact
from fsadvisor.survey.filesystem_types.registry import ON_DEVICES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.kernel_log import Class, Event, KernelLog
    from fsadvisor.survey.block import BlockDevice, BlockTree
    from fsadvisor.survey.filesystem_types import Superblock

_DAY: Final = 86_400
_RECENT: Final = 7 * _DAY
_PORT: Final = late(r"/(ata\d+|nvme\d+)(?=/)")
_ADDRESS: Final = late(r"/([0-9a-f]{4,5}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])(?=/)")
_CONTROLLER: Final = late(r"(nvme\d+)n\d+$")
_SHOWN: Final = 3


_READ_THEM: Final = "Read the log by its times: loop devices of the same name came and went, more than it names."

_WHOLE_SINCE: Final = 60
"""Seconds after boot in which the oldest line stands, where nothing is lost."""


def read_log(machine: Machine) -> KernelLog | Unknown:
    """The kernel's ring, with what told it: of an archive that may be another source than dmesg.

    The journal's lines of this boot where the ring lost its beginning, or may not be read.
    """
    (answer,) = machine.run([kernel_log.ARGV])
    begins = read_fact.record_of(machine, answer, kernel_log.oldest)
    if isinstance(begins, Unknown) or begins > _WHOLE_SINCE:
        journal = _read(machine, kernel_log.JOURNAL_ARGV)
        if not isinstance(journal, Unknown) and (isinstance(begins, Unknown) or begins > journal.since):
            return journal
    return _read(machine, kernel_log.ARGV)


def _read(machine: Machine, argv: Argv) -> KernelLog | Unknown:
    (answer,) = machine.run([argv])
    record = read_fact.record_of(machine, answer, kernel_log.parse)
    return record if isinstance(record, Unknown) else replace(record, source=answer.source)


def names_of(name: str, hardware: str) -> frozenset[str]:
    """What the log calls a disk: its name, its port or controller, its place on the PCI bus (an HBA's is many's)."""
    named = {name, *_PORT.findall(hardware)}
    if "/nvme/" in hardware:
        named.update(_ADDRESS.findall(hardware)[-1:])
    elif not hardware and (controller := _CONTROLLER.match(name)):  # known by a log alone
        named.add(controller[1])
    return frozenset(named)


def logged_on_disk(log: KernelLog | Unknown, device: BlockDevice, uptime: Fact[int], kind: Class) -> Fact[int]:
    """Lines of a class about a disk in the last seven days."""
    return _logged(log, names_of(device.name, device.hardware), uptime, kind)


def said_of_disk(log: KernelLog | Unknown, device: BlockDevice, uptime: Fact[int]) -> Fact[str]:
    """What is said most of the lines on I/O errors that `logged_on_disk` counts."""
    names = names_of(device.name, device.hardware)
    return _said(log, uptime, lambda it: it.kind == "io" and it.device in names, names)


def logged_on_filesystem(log: KernelLog | Unknown, devices: Iterable[str], uptime: Fact[int]) -> Fact[int]:
    """Lines about a filesystem's errors in the last seven days, by the names of its devices; jbd2 adds an inode."""
    names = frozenset(devices)
    return _count(log, uptime, _RECENT, _on_filesystem(names), names)


def said_of_filesystem(log: KernelLog | Unknown, devices: Iterable[str], uptime: Fact[int]) -> Fact[str]:
    """What is said most of these lines; that it stopped writing comes before all else."""
    names = frozenset(devices)
    return _said(log, uptime, _on_filesystem(names), names)


def _on_filesystem(names: frozenset[str]) -> Callable[[Event], bool]:
    def wanted(event: Event) -> bool:
        on = names & {event.device, event.device.rpartition("-")[0]}
        return event.kind in ("filesystem", "read-only") and bool(on)

    return wanted


def _said(
    log: KernelLog | Unknown, uptime: Fact[int], wanted: Callable[[Event], bool], names: frozenset[str]
) -> Fact[str]:
    if isinstance(log, Unknown):
        return log
    if isinstance(uptime, Unknown):
        return uptime
    since = uptime.value - _RECENT
    found = [it for it in log.about(names) if wanted(it) and it.last >= since and not it.doubtful]
    if not found:
        return NOT_APPLICABLE
    return Known(max(found, key=lambda it: (it.kind == "read-only", it.count)).says, log.source)


def logged_on_names(log: KernelLog | Unknown, names: frozenset[str], uptime: Fact[int]) -> Fact[int]:
    """Lines about failed reads and writes, or a loss, of devices by name, in the last seven days."""
    return _logged(log, names, uptime, "io")


def _logged(log: KernelLog | Unknown, names: frozenset[str], uptime: Fact[int], kind: Class) -> Fact[int]:
    """A least count of I/O errors where the log left some out in these days."""
    found = _count(log, uptime, _RECENT, lambda it: it.kind == kind and it.device in names, names)
    if isinstance(log, Unknown) or isinstance(uptime, Unknown) or kind != "io" or not read_fact.value(found):
        return found
    since = uptime.value - _RECENT
    left_out = sum(it.count for it in log.events if it.kind == "left-out" and it.last >= since)
    return replace(found, source=f"{found.source}; {kernel_log.least(left_out)}") if left_out else found


def hung_tasks(log: KernelLog | Unknown, uptime: Fact[int]) -> Fact[int]:
    """Tasks that hung in the last day."""
    return _count(log, uptime, _DAY, lambda it: it.kind == "hung")


def _count(
    log: KernelLog | Unknown,
    uptime: Fact[int],
    recent: int,
    wanted: Callable[[Event], bool],
    names: frozenset[str] | None = None,
) -> Fact[int]:
    if isinstance(log, Unknown):
        return log
    found = [it for it in (log.events if names is None else log.about(names)) if wanted(it)]
    if not found:
        return read_fact.shared_fact(0, log.source)
    if isinstance(uptime, Unknown):
        return uptime
    recent_ones = [it for it in found if uptime.value - it.last <= recent]
    young = [it for it in recent_ones if not it.doubtful]
    if recent_ones and not young:
        return Unknown(Cause.NOT_EXPOSED, _READ_THEM, log.source)
    told = sorted(young, key=lambda it: -it.count)[:_SHOWN]
    return Known(sum(it.count for it in young), "; ".join([log.source, *(_sentence(it, uptime.value) for it in told)]))


def _sentence(event: Event, uptime: int) -> str:
    last = _ago(uptime - event.last)
    if event.count == 1:
        return f"{event.says}, {last} ago"
    return f"{event.says} {event.count:,} times, first {_ago(uptime - event.first)} ago, last {last} ago"


def _ago(seconds: float) -> str:
    whole = max(int(seconds), 0)
    for size, unit in ((_DAY, "days"), (3600, "h"), (60, "min")):
        if whole >= 2 * size:
            return f"{whole // size} {unit}"
    return f"{whole} s"


GONE: Final = ("offline", "transport-offline", "deleted", "cancel", "dead", "deleting", "deleting (no IO)")
"""States of SCSI devices (drivers/scsi/scsi_sysfs.c) and NVMe controllers (sysfs.c) that take no requests."""
_LOGGED_IN: Final = "LOGGED_IN"
_WITH_A_STATE: Final = ("sd", "nvme")
_SESSION: Final = late(r"/(session\d+)/")
_MOST_BELOW: Final = 200
_DISK: Final = late(r"(sd[a-z]+|vd[a-z]+|(?:nvme\d+n|mmcblk)\d+(?=p\d|$))")


def offline(machine: Machine, device: BlockDevice) -> Fact[tuple[str, ...]]:
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


_AWAY: Final = ("connecting", *GONE)
"""Between its attempts the controller of a lost path is 'connecting'."""


def lost_paths(machine: Machine, device: BlockDevice) -> Fact[tuple[str, ...]]:
    """The paths of an NVMe disk of several paths whose controllers do not answer.

    One that did not come back in ctrl_loss_tmo (ten minutes, if nobody set another) is deleted, and seen no more.
    """
    if not device.name.startswith("nvme"):
        return NOT_APPLICABLE
    folders = attachment.path_folders(machine, device)
    if not folders:
        return Unknown(Cause.NOT_EXPOSED, "", "/sys/block")
    if len(folders) < 2:
        return Known((), device.folder)
    states = {folder: read_fact.text(machine, f"{folder}/device/state") for folder in folders}
    known = {folder.rpartition("/")[2]: it.value for folder, it in states.items() if isinstance(it, Known)}
    lost = tuple(f"{name} {state}" for name, state in known.items() if state in _AWAY)
    unknown = [state for state in states.values() if isinstance(state, Unknown)]
    return unknown[0] if unknown and not lost else Known(lost, f"{', '.join(known)}: device/state")


def device_gone(
    machine: Machine, tree: BlockTree, block: Superblock, log: KernelLog | Unknown, uptime: Fact[int]
) -> Fact[bool]:
    """Whether the device that it was mounted from has left the machine, or has no capacity any more.

    An archive may lack a device that is there: only what the kernel's log lost as well is gone.
    """
    if block.type not in ON_DEVICES or not block.source.startswith("/dev/"):
        return NOT_APPLICABLE

    def lost(name: str, above: str) -> Fact[bool]:
        disk = _DISK.match(name)
        errors = logged_on_names(log, frozenset((*block.devices, above, name, disk[1] if disk else name)), uptime)
        if read_fact.value(errors):
            return Known(True, f"{above} stands on {name}, which is not in /sys/block; {errors.source}")
        return Unknown(Cause.NOT_EXPOSED, "", f"/sys/block/{above}/slaves")

    if block.devices:
        known: dict[str, Fact[bool]] = {}
        return _of_all([_lost_below(tree, it, lost, known) for it in block.devices]) or Unknown(
            Cause.NOT_EXPOSED, "", "/sys/block"
        )
    name = block.source.removeprefix("/dev/")
    disk = _DISK.match(name)
    if disk is None or not tree.devices:
        return Unknown(Cause.NOT_EXPOSED, "", "/sys/block")
    size = read_fact.number(machine, f"/sys/block/{disk[1]}/size")
    if isinstance(size, Known):
        return read_fact.derive(size, lambda it: it == 0)
    errors = logged_on_names(log, frozenset((name, disk[1])), uptime)
    if read_fact.value(errors):
        return Known(True, f"no {disk[1]} in /sys/block; {errors.source}")
    return Unknown(Cause.NOT_EXPOSED, "", "/sys/block")


def _lost_below(
    tree: BlockTree, name: str, lost: Callable[[str, str], Fact[bool]], known: dict[str, Fact[bool]], above: str = ""
) -> Fact[bool]:
    """Whether what stands on one device alone has lost it: device mapper keeps its volumes, and the device's name.

    An array lets a lost member go by itself, and of several devices below a volume its data may be on the others.
    """
    device = tree.devices.get(name)
    if device is None:
        return lost(name, above)
    if device.is_disk or not (device.parent or name.startswith("dm-")):
        return read_fact.shared_fact(False, "/sys/block")
    unclear = Unknown(Cause.NOT_EXPOSED, "", f"{device.folder}/slaves")
    if name not in known and len(known) < _MOST_BELOW:
        known[name] = unclear
        known[name] = _of_all([_lost_below(tree, it, lost, known, name) for it in device.slaves or ()]) or unclear
    return known.get(name, unclear)


def _of_all(devices: list[Fact[bool]]) -> Fact[bool] | None:
    """What holds of one device, or of several that are all there; None where the data may be on the others."""
    alike = len(devices) == 1 or all(read_fact.value(it) is False for it in devices)
    return devices[0] if devices and alike else None
