"""What a captured text is, told by its content: the outputs that it holds, those of one drive together.

JSON of nvme-cli and smartctl (alone, in an envelope, or several documents in one text), their plain text, and the raw
structures of nvme-cli. An output that names no drive belongs to the only drive that the text names, else to none.

Drives judged by captured outputs alone: their power-loss verdict and whether a volatile cache is in use.
"""

from __future__ import annotations

import json
import re
from collections import deque
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct, field

from fsadvisor import strict_json
from fsadvisor.drives import find
from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown, unreadable
from fsadvisor.machine.identity_sources import is_placeholder
from fsadvisor.readers import json_text, nvme_identify, nvme_logs, nvme_output, smartctl, smartctl_text
from fsadvisor.readers.nvme_identify import IdCtrl
from fsadvisor.readers.nvme_logs import OcpSmartLog, SmartLog
from fsadvisor.readers.nvme_output import VOLATILE_WRITE_CACHE, Feature
from fsadvisor.readers.smartctl import SmartReport
from fsadvisor.survey import controller_tools
from fsadvisor.survey.attachment import emulated
from fsadvisor.survey.drive import Drive
from fsadvisor.survey.power_loss import ControllerEvidence, DriveEvidence, PowerLossVerdict, weakest, weigh

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from fsadvisor.readers.json_text import Json
    from fsadvisor.storage.about import Transport


Record: TypeAlias = IdCtrl | SmartLog | OcpSmartLog | Feature | SmartReport

_DEEPEST = 8
_SECTION = re.compile(
    r"^(?=smartctl (?:version )?[0-9]|NVME Identify Controller|Smart Log for NVME device"
    r"|[ \t]{0,8}SMART Cloud Attributes|get-feature:)",
    re.MULTILINE,
)
"""Where an output begins in a text that may hold several."""
_SERIAL = re.compile(r"^Serial [Nn]umber: +(\S.*)$", re.MULTILINE)
_TAKEN_OUT = re.compile("redacted|removed|hidden|anonym|xxx", re.IGNORECASE)
"""Where a serial number was taken out, many drives have the same words there."""
_TELLING = ("vid", "critical", "capacitor", "feature", "volatile", "current")
"""Starts of a key that one of nvme-cli's outputs has."""
_WORKED_UP = ("nvme_smart_health_information_log", "nvme_error_information_log", "output")
"""Keys of smartctl's JSON below which nothing of nvme-cli's stands."""


class Parts(Struct):
    """The outputs of one drive, with what names it, where something does."""

    model: str | None = None
    serial: str | None = None
    records: dict[Record, None] = field(default_factory=dict)

    @property
    def named(self) -> bool:
        """Whether an output names the drive."""
        return self.model is not None

    @property
    def name(self) -> tuple[str, str] | None:
        """Model and serial number, where both are told: what makes outputs those of one drive."""
        if self.model is None or self.serial is None or is_placeholder(self.serial) or _TAKEN_OUT.search(self.serial):
            return None
        return self.model, self.serial

    def take(self, other: Parts) -> None:
        """Add another's outputs to this drive's."""
        self.model, self.serial = self.model or other.model, self.serial or other.serial
        self.records |= other.records


def refused(text: str) -> str | None:
    """Why no document of a text is taken: one that has a key twice."""
    try:
        deque(_documents(text), 0)
    except strict_json.RepeatedKeyError as repeated:
        return str(repeated)
    return None


def recognised(text: str) -> list[Parts]:
    """The drives of a text; empty where nothing in it is known, or where it is refused."""
    if refused(text) is not None:
        return []
    structure = nvme_output.raw_structure(text)
    if structure is not None:
        return _joined(_raw(text))
    return _joined(part for document in _documents(text) for part in _in_json(document)) or _joined(_in_text(text))


def by_name(found: Iterable[Parts]) -> list[Parts]:
    """Those of one model and serial number as one drive, in the order of the first."""
    drives: dict[object, Parts] = {}
    for parts in found:
        one = drives.setdefault(parts.name or id(parts), parts)
        if one is not parts:
            one.take(parts)
    return list(drives.values())


def _joined(found: Iterable[Parts]) -> list[Parts]:
    """One drive for each name; what names none goes to the only one there is."""
    drives = by_name(found)
    named = [parts for parts in drives if parts.named]
    nameless = [parts for parts in drives if not parts.named]
    if len(named) > 1:
        return named + nameless
    only, *others = named + nameless or [Parts()]
    for parts in others:
        only.take(parts)
    return [only] if only.records else []


def _raw(text: str) -> Iterator[Parts]:
    """The OCP page has its GUID where the SMART page is empty, so either reader refuses the other's."""
    yield from map(_parts, _records(text))


def _documents(text: str) -> Iterator[Json]:
    """Every JSON document that starts a line."""
    offset = 0
    starts = re.compile(r"^[ \t]*[{\[]", re.MULTILINE)
    while (start := starts.search(text, offset)) is not None:
        try:
            document, offset = strict_json.DECODER.raw_decode(text, start.end() - 1)
        except strict_json.RepeatedKeyError:
            raise
        except (ValueError, RecursionError):
            return
        yield document


def _in_json(document: Json, depth: int = 0) -> list[Parts]:
    """The outputs in a document: itself one, or an envelope of several."""
    if depth > _DEEPEST:
        return []
    if isinstance(document, list):
        return [parts for entry in document for parts in _in_json(entry, depth + 1)]
    if not isinstance(document, dict):
        return []
    own = _output(document) or (None if depth else _fragment(document))
    entries = (entry for key, entry in document.items() if key not in _WORKED_UP)
    found = [parts for entry in entries for parts in _in_json(entry, depth + 1)]
    if own is None:
        return _joined(found)
    for parts in found:
        if parts.model in (None, own.model):
            own.take(parts)
    return [own, *(parts for parts in found if parts.model not in (None, own.model))]


def _fragment(document: dict[str, Json]) -> Parts | None:
    """smart_status alone, as issue reports cite it."""
    if "passed" not in document or not document.keys() <= {"passed", "nvme", "scsi"}:
        return None
    return _smart(smartctl.parse(json.dumps({"smart_status": document})), None)


def _output(document: dict[str, Json]) -> Parts | None:
    """The record of an object that is an output itself."""
    if "smartctl" in document or "json_format_version" in document:
        return _smart(smartctl.parse(json.dumps(document)), json_text.string(document, "serial_number"))
    told = any(key.lower().startswith(_TELLING) for key in document)
    record = next(_records(json.dumps(document)), None) if told else None
    return None if record is None else _parts(record)


def _in_text(text: str) -> Iterator[Parts]:
    for section in filter(str.strip, _SECTION.split(text)):
        serial = _SERIAL.search(section)
        smart = _smart(smartctl_text.parse(section), serial[1].strip() if serial else None)
        if smart is not None:
            yield smart
        else:
            yield from map(_parts, _records(section))


def _cache_feature(text: str) -> Feature | Unknown:
    record = nvme_output.parse_nvme_get_feature(text)
    if isinstance(record, Feature) and record.fid != VOLATILE_WRITE_CACHE:
        return unreadable("another feature")
    return record


def _records(text: str) -> Iterator[Record]:
    """What nvme-cli's readers find in a text."""
    for parse in _NVME_CLI:
        record = parse(text)
        if not isinstance(record, Unknown):
            yield record


def _parts(record: Record) -> Parts:
    if isinstance(record, IdCtrl):
        return Parts(record.mn, record.sn, {record: None})
    return Parts(records={record: None})


def _smart(record: SmartReport | Unknown, serial: str | None) -> Parts | None:
    if isinstance(record, Unknown):
        return None
    return Parts(record.model_name, serial, {record: None})


_NVME_CLI: tuple[Callable[[str], Record | Unknown], ...] = (
    nvme_identify.parse_nvme_id_ctrl,
    nvme_logs.parse_nvme_smart_log,
    nvme_logs.parse_nvme_ocp_smart_log,
    _cache_feature,
)


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
    vendor = _fact(smart.scsi_vendor if smart else None)
    product = _fact(smart.scsi_product if smart else None)
    volume = controller_tools.tool(vendor, product)
    return DriveEvidence(
        transport=_transport(drive),
        model=model,
        family=find(parts.model) if parts.model else None,
        virtual=model if isinstance(model, Unknown) else _virtual(model.value),
        drive=drive,
        controller=None if volume is None else ControllerEvidence(missing=(controller_tools.unasked(volume),)),
    )


def _fact(text: str | None) -> Fact[str]:
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
