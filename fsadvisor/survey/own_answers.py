"""Answers of a drive that must be its own: what names another drive, or contradicts this one, is no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers import nvme_id_ctrl, nvme_id_ns, nvme_logs, nvme_output, smartctl, smartctl_text
from fsadvisor.survey import read_fact
from fsadvisor.survey.block import SECTOR_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.nvme_id_ctrl import IdCtrl
    from fsadvisor.readers.nvme_id_ns import IdNs
    from fsadvisor.readers.nvme_logs import OcpSmartLog, SmartLog
    from fsadvisor.readers.smart_record import SmartReport
    from fsadvisor.survey.block import BlockDevice

R = TypeVar("R")


def smart(machine: Machine, device: BlockDevice) -> SmartReport | Unknown:
    """What smartctl says of the drive; an answer that names another device is no answer."""
    report = read_fact.command_record(machine, smartctl.argv(device.path), _smart)
    if isinstance(report, Unknown) or report.device_name in (None, device.path):
        return report
    learn = f"find out why smartctl answers for {report.device_name} instead of {device.path}"
    return Unknown(Cause.UNREADABLE, learn, " ".join(smartctl.argv(device.path)))


def _smart(text: str) -> SmartReport | Unknown:
    """JSON as we ask for it, or the text that archives have instead."""
    return smartctl_text.parse(text) if text.startswith("smartctl ") else smartctl.parse(text)


def controller(machine: Machine, device: BlockDevice, model: Fact[str]) -> IdCtrl | Unknown:
    """What the controller says of itself; an answer that names another model than the kernel does is no answer."""
    record = either(machine, nvme_id_ctrl.argv, device.path, nvme_id_ctrl.parse)
    if isinstance(record, Unknown) or not isinstance(model, Known) or record.mn is None:
        return record
    if record.mn.split() == model.value.split() or not f"{record.mn}{model.value}".isascii():
        return record
    learn = f"find out why nvme id-ctrl answers for {record.mn} instead of {model.value}"
    return Unknown(Cause.UNREADABLE, learn, " ".join(nvme_id_ctrl.argv(device.path)))


def namespace(machine: Machine, device: BlockDevice) -> IdNs | Unknown:
    """What the namespace says of itself; an answer about one of another size is no answer."""
    argv = nvme_id_ns.argv(device.path)
    record = either(machine, nvme_id_ns.argv, device.path, nvme_id_ns.parse)
    if isinstance(record, Unknown) or not (sectors := read_fact.value(device.sectors)):
        return record
    used = record.lba_format_in_use
    if not record.nsze or used is None or used.data_size_bytes is None:
        return record
    told, real = record.nsze * used.data_size_bytes, sectors * SECTOR_BYTES
    if told == real:
        return record
    learn = f"find out why nvme id-ns answers for {told} bytes where {device.path} has {real}"
    return Unknown(Cause.UNREADABLE, learn, f"{' '.join(argv)}; {device.sectors.source}")


_MOST_COMPRESSED: Final = 8
"""Times that a drive may have been written more by its host than it wrote: those that compress promise 4 at most."""


def ocp(machine: Machine, device: BlockDevice, written: int | None, others: Iterable[str]) -> OcpSmartLog | Unknown:
    """The drive's OCP log, which names no drive: one that contradicts its SMART log is no answer.

    Nor is one that another drive gives byte for byte: drives differ in what they wrote, if they ever wrote.
    """
    argv = nvme_logs.ocp_smart_log_argv(device.path)
    record = read_fact.command_record(machine, argv, nvme_logs.parse_nvme_ocp_smart_log)
    if isinstance(record, Unknown) or record.physical_media_written_bytes is None:
        return record
    source = " ".join(argv)
    if written is not None and written > _MOST_COMPRESSED * record.physical_media_written_bytes:
        learn = f"find out why nvme ocp smart-add-log counts so few bytes written to {device.path}: is it another's?"
        return Unknown(Cause.UNREADABLE, learn, source)
    own = machine.run([argv])[0]
    for path in others if record.physical_media_written_bytes else ():
        answer = machine.run([nvme_logs.ocp_smart_log_argv(path)])[0]
        if not isinstance(answer, Unknown) and not isinstance(own, Unknown) and answer.text == own.text:
            learn = f"find out why nvme ocp smart-add-log says the same of {device.path} and {path}, byte for byte"
            return Unknown(Cause.UNREADABLE, learn, source)
    return record


def host_written(log: SmartLog | Unknown, smart: SmartReport | Unknown) -> int | None:
    """Bytes that hosts wrote: nvme-cli's word, else smartctl's."""
    if not isinstance(log, Unknown) and log.written_bytes is not None:
        return log.written_bytes
    units = None if isinstance(smart, Unknown) or smart.nvme is None else smart.nvme.data_units_written
    return None if units is None else units * nvme_logs.BYTES_PER_DATA_UNIT


def either(machine: Machine, argv: Callable[..., Argv], path: str, parse: Callable[[str], R | Unknown]) -> R | Unknown:
    """By the command's name before nvme-cli 3.0, else by the new one: 3.0 may be built without the old names."""
    record = read_fact.command_record(machine, argv(path), parse)
    if isinstance(record, Unknown) and record.learn == nvme_output.TOOL_TOO_OLD:
        return read_fact.command_record(machine, argv(path, since_3=True), parse)
    return record
