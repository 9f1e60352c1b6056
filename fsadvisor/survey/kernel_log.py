"""What the kernel's log says of a disk, a filesystem and the host, as far as it is recent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import kernel_log as reader
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.kernel_log import Class, Event, KernelLog
    from fsadvisor.survey.block import BlockDevice

_DAY: Final = 86_400
_RECENT: Final = 7 * _DAY
_PORT: Final = late(r"/(ata\d+|nvme\d+)(?=/)")
_ADDRESS: Final = late(r"/([0-9a-f]{4,5}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])(?=/)")
_CONTROLLER: Final = late(r"(nvme\d+)n\d+$")
_SHOWN: Final = 3


_READ_THEM: Final = "Read the log by its times: loop devices of the same name came and went, more than it names."

_WHOLE_SINCE: Final = 60
"""Seconds after boot in which the oldest line stands, where nothing is lost."""


def read(machine: Machine) -> KernelLog | Unknown:
    """The kernel's ring, with what told it: of an archive that may be another source than dmesg.

    The journal's lines of this boot where the ring lost its beginning, or may not be read.
    """
    ring = _read(machine, reader.ARGV)
    if not isinstance(ring, Unknown) and ring.since <= _WHOLE_SINCE:
        return ring
    journal = _read(machine, reader.JOURNAL_ARGV)
    if isinstance(journal, Unknown) or (not isinstance(ring, Unknown) and ring.since <= journal.since):
        return ring
    return journal


def _read(machine: Machine, argv: Argv) -> KernelLog | Unknown:
    (answer,) = machine.run([argv])
    record = read_fact.record_of(machine, answer, reader.parse)
    return record if isinstance(record, Unknown) else replace(record, source=answer.source)


def names_of(name: str, hardware: str) -> frozenset[str]:
    """What the log calls a disk: its name, its port or controller, its place on the PCI bus (an HBA's is many's)."""
    named = {name, *_PORT.findall(hardware)}
    if "/nvme/" in hardware:
        named.update(_ADDRESS.findall(hardware)[-1:])
    elif not hardware and (controller := _CONTROLLER.match(name)):  # known by a log alone
        named.add(controller[1])
    return frozenset(named)


def of_disk(log: KernelLog | Unknown, device: BlockDevice, uptime: Fact[int], kind: Class) -> Fact[int]:
    """Lines of a class about a disk in the last seven days."""
    names = names_of(device.name, device.hardware)
    return _count(log, uptime, _RECENT, lambda it: it.kind == kind and it.device in names)


def of_filesystem(log: KernelLog | Unknown, devices: Iterable[str], uptime: Fact[int]) -> Fact[int]:
    """Lines about a filesystem's errors in the last seven days, by the names of its devices; jbd2 adds an inode."""
    names = frozenset(devices)
    kinds = ("filesystem", "read-only")

    def wanted(event: Event) -> bool:
        return event.kind in kinds and bool(names & {event.device, event.device.rpartition("-")[0]})

    return _count(log, uptime, _RECENT, wanted)


def of_names(log: KernelLog | Unknown, names: frozenset[str], uptime: Fact[int]) -> Fact[int]:
    """Lines about failed reads and writes, or a loss, of devices by name, in the last seven days."""
    return _count(log, uptime, _RECENT, lambda it: it.kind == "io" and it.device in names)


def hung(log: KernelLog | Unknown, uptime: Fact[int]) -> Fact[int]:
    """Tasks that hung in the last day."""
    return _count(log, uptime, _DAY, lambda it: it.kind == "hung")


def _count(log: KernelLog | Unknown, uptime: Fact[int], recent: int, wanted: Callable[[Event], bool]) -> Fact[int]:
    if isinstance(log, Unknown):
        return log
    found = [it for it in log.events if wanted(it)]
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
