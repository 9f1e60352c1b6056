"""Drives judged by captured outputs alone: their power-loss verdict and whether a volatile cache is in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.captures.recognising import by_name
from fsadvisor.drives import find
from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.readers.nvme_get_feature import Feature
from fsadvisor.readers.nvme_id_ctrl import IdCtrl
from fsadvisor.readers.nvme_ocp_smart_log import OcpSmartLog
from fsadvisor.readers.nvme_smart_log import SmartLog
from fsadvisor.readers.smart_record import SmartReport
from fsadvisor.survey import controllers
from fsadvisor.survey.attachment import emulated
from fsadvisor.survey.drive import Drive
from fsadvisor.survey.power_loss import Controller, DriveEvidence, PowerLossVerdict, weakest, weigh

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from fsadvisor.captures.recognising import Parts, Record
    from fsadvisor.storage import Transport

_NAMELESS = "add an output that names the drive's model"
_BRIDGES = ("sntasmedia", "sntjmicron", "sntrealtek", "usb")
"""smartctl's -d types of USB bridges."""
_FIELDS = {IdCtrl: "id_ctrl", SmartLog: "smart_log", OcpSmartLog: "ocp", Feature: "cache_feature", SmartReport: "smart"}


class Judged(Struct, frozen=True, kw_only=True):
    """One drive. `volatile_cache` is None where the outputs do not tell."""

    model: str | None
    volatile_cache: bool | None
    plp: PowerLossVerdict


def judged(found: Iterable[Parts]) -> list[Judged]:
    """The drives of several texts; those of one model and serial number are one."""
    return [_judge(parts) for parts in by_name(found)]


def _judge(parts: Parts) -> Judged:
    """Where one output is there several times (taken on several days), the one that speaks worst counts."""
    whole = list(_drives(parts.records))
    weighed = [weigh(_case(parts, drive)) for drive in whole]
    worst = weakest(it.verdict for it in weighed)
    at = next(at for at, it in enumerate(weighed) if it.verdict == worst)
    return Judged(model=parts.model, volatile_cache=_volatile_cache(whole[at]), plp=weighed[at])


def _drives(records: Collection[Record]) -> Iterator[Drive]:
    """The drive by its last outputs, then by each other output of a kind that is there several times."""
    last = {type(record): record for record in records}
    yield _drive(last)
    for record in records:
        if last[type(record)] is not record:
            yield _drive(last | {type(record): record})


def _drive(records: Mapping[type[Record], Record]) -> Drive:
    return Drive(**{_FIELDS[kind]: record for kind, record in records.items()})  # type: ignore[arg-type]


def _case(parts: Parts, drive: Drive) -> DriveEvidence:
    smart = None if isinstance(drive.smart, Unknown) else drive.smart
    model = Unknown(Cause.NOT_EXPOSED, _NAMELESS) if parts.model is None else Known(parts.model, "the captured output")
    vendor = _told(smart.scsi_vendor if smart else None)
    product = _told(smart.scsi_product if smart else None)
    volume = controllers.tool(vendor, product)
    return DriveEvidence(
        transport=_transport(drive),
        model=model,
        family=find(parts.model) if parts.model else None,
        virtual=model if isinstance(model, Unknown) else _virtual(model.value),
        drive=drive,
        controller=None if volume is None else Controller(missing=(controllers.unasked(volume),)),
    )


def _told(text: str | None) -> Fact[str]:
    return NOT_APPLICABLE if text is None else Known(text, "smartctl")


def _virtual(model: str) -> Fact[bool]:
    """Told by the model alone: whether the machine was a virtual one is not in these outputs."""
    return Known(emulated(model), f"model {model}")


def _transport(drive: Drive) -> Transport | None:
    smart = None if isinstance(drive.smart, Unknown) else drive.smart
    if smart is not None and (smart.device_type or "").startswith(_BRIDGES):
        return "usb"
    nvme = (drive.id_ctrl, drive.smart_log, drive.ocp, drive.cache_feature)
    if any(not isinstance(it, Unknown) for it in nvme) or (smart is not None and smart.protocol == "NVMe"):
        return "nvme"
    if smart is not None and smart.nvme is not None:
        return "nvme"
    by_protocol: dict[str | None, Transport] = {"ATA": "sata", "SCSI": "sas"}
    return by_protocol.get(smart.protocol) if smart is not None else None


def _volatile_cache(drive: Drive) -> bool | None:
    """Of an NVMe drive vwc bit 0, unless feature 6 says that it is off; of others what smartctl says is on."""
    smart = None if isinstance(drive.smart, Unknown) else drive.smart.write_cache_enabled
    present = None if isinstance(drive.id_ctrl, Unknown) else drive.id_ctrl.volatile_write_cache
    feature = None if isinstance(drive.cache_feature, Unknown) else drive.cache_feature.volatile_write_cache_enabled
    if present is None:
        return smart if feature is None else feature
    if present and feature is not None:
        return feature
    return None if feature else present
