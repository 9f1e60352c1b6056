"""Facts of a disk by tables of models: known faults of firmware, shingled drives, protection, what clouds give.

A fault that is known counts whatever people say. That all is well counts only where nobody has said otherwise.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec.structs import replace

from fsadvisor import drives
from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.survey import drive_health, read_fact

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fsadvisor.drives import Family
    from fsadvisor.readers.smartctl import SmartReport
    from fsadvisor.storage import Disk
    from fsadvisor.storage.about import FirmwareFault, ShingledBy

_FRESH: Final = dt.timedelta(days=366)
"""How long it counts that a page knew of no fault."""

_HOURS_A_DAY: Final = 24

_DIRECT: Final = late(
    r"(?:\.\./)*devices/pci[0-9a-f]{4}:[0-9a-f]{2}(?:/[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])+"
    r"/nvme/nvme\d+/(?:block/)?nvme\d+n\d+",
    re.ASCII,
)
"""Bridges and ports of the host's own PCI domains alone; behind Intel's VMD, a domain has five digits: pci10000:00."""

_BARE: Final = ("claimed", "partial", "absent")
"""What the drive table says of drives: a card that joins several under one NVMe name, such as Dell's BOSS, is none."""


def with_faults(disk: Disk, today: dt.date) -> Disk:
    """The disk with the faults that the table lists for its model and firmware revision."""
    if isinstance(disk.virtual, Unknown) or isinstance(disk.model, Unknown):
        unsure = disk.virtual if isinstance(disk.virtual, Unknown) else disk.model
        return replace(disk, firmware_fault=cast("Fact[FirmwareFault]", unsure))
    if disk.virtual.value:
        return disk
    revision = read_fact.value(disk.firmware)
    open_row: drives.Fault | None = None
    for row in drives.faults(disk.model.value):
        holds = row.holds(revision)
        if holds:
            return _with_fault(disk, row, today)
        open_row = open_row or (row if holds is None else None)
    if open_row is not None and open_row.effect != "handled":
        learn = f"compare its revision with the page: {open_row.what} ({open_row.cure})"
        return replace(disk, firmware_fault=Unknown(Cause.NOT_EXPOSED, learn, open_row.source))
    age = (today - drives.table()[0].read).days
    source = f"a table of {len(drives.table())} faults, {max(age, 0)} days old: this revision is in none"
    return replace(disk, firmware_fault=read_fact.shared_fact("none listed", source))


def faulty_behind(reports: Mapping[str, SmartReport | Unknown] | Unknown) -> Fact[tuple[str, ...]]:
    """'252:3: MO1600JVYPR HPD4: 25 days left' of each drive behind a controller whose firmware loses data.

    Where none is known to, and one did not answer or told neither model nor revision, it is not known.
    """
    if isinstance(reports, Unknown):
        return reports
    answers = {name: report for name, report in reports.items() if not isinstance(report, Unknown)}
    rows = {name: _losing(report) for name, report in answers.items()}
    found = tuple(
        f"{name}: {_words(answers[name], row)}" for name, row in rows.items() if isinstance(row, drives.Fault)
    )
    unsure = [one for one in (*reports.values(), *rows.values()) if isinstance(one, Unknown)]
    return unsure[0] if unsure and not found else Known(found, f"{drive_health.SOURCE}; the table of firmware")


def _losing(smart: SmartReport) -> drives.Fault | Unknown | None:
    """The row of the table that holds, None where none does."""
    if not smart.model_name:
        return Unknown(Cause.NOT_EXPOSED, "look at its model with `smartctl -d`", drive_health.SOURCE)
    open_row: drives.Fault | None = None
    for row in drives.faults(smart.model_name):
        if row.effect == "loses data" and row.holds(smart.firmware_version):
            return row
        if row.effect == "loses data" and row.holds(smart.firmware_version) is None:
            open_row = open_row or row
    if open_row is None:
        return None
    return Unknown(Cause.NOT_EXPOSED, f"compare its revision with the page: {open_row.what}", open_row.source)


def _words(smart: SmartReport, row: drives.Fault) -> str:
    """Model, revision and when it strikes."""
    left = None if row.hours is None or smart.power_on_hours is None else row.hours - smart.power_on_hours
    when = "" if left is None else f": {max(left, 0) // _HOURS_A_DAY:,} days left"
    return f"{drives.spellings(smart.model_name or '')[-1]} {smart.firmware_version or ''}".rstrip() + when


def _with_fault(disk: Disk, row: drives.Fault, today: dt.date) -> Disk:
    left: Fact[int] = NOT_APPLICABLE
    when = ""
    if row.hours is not None:
        limit = row.hours
        left = read_fact.derive(disk.power_on_hours, lambda it: max(limit - it, 0))
        when = _when(left)
    age = max((today - row.read).days, 0)
    cure = f"; free of it: {row.cure}" if row.cure else ""
    fault = Known(row.effect, f"{row.what}{when}{cure}; {row.says} ({row.page}, read {age} days ago)")
    disk = replace(disk, firmware_fault=fault, firmware_hours_left=left)
    return replace(disk, firmware_trusted=Known(False, row.source)) if row.effect == "loses data" else disk


def _when(left: Fact[int]) -> str:
    if isinstance(left, Unknown):
        return ", when is not known"
    return f", in {left.value // _HOURS_A_DAY:,} days without a break" if left.value else ", an age that it has reached"


def with_table_facts(disk: Disk, hardware: str, family: Family | None, today: dt.date) -> Disk:
    """The disk with facts that people may attest and nobody has; `hardware` is its folder in sysfs."""
    if isinstance(disk.virtual, Unknown) and isinstance(unsaid := disk.path_covered, Unknown):
        return replace(disk, path_covered=replace(unsaid, source=f"{unsaid.source}; {disk.virtual.source}"))
    if read_fact.value(disk.virtual) is not False:
        return disk
    known = {name: fact for name, fact in _known(disk, hardware, family, today) if _is_unsaid(getattr(disk, name))}
    changes: dict[str, Any] = known
    return replace(disk, **changes) if changes else disk


def _is_unsaid(fact: object) -> bool:
    return isinstance(fact, Unknown) and fact.cause is Cause.NOT_ATTESTED


def _known(disk: Disk, hardware: str, family: Family | None, today: dt.date) -> Iterator[tuple[str, Known[bool]]]:
    model, revision = read_fact.value(disk.model) or "", read_fact.value(disk.firmware)
    if (sheet := drives.datasheet(model)) is not None:
        yield "datasheet_plp", Known(True, sheet.source)
    for row in drives.faults(model):
        if revision in row.cured and today - row.read <= _FRESH:
            yield "firmware_trusted", Known(True, f"no fault of {revision} is known as of {row.read}: {row.source}")
    is_drive = family is not None and family.verdict in _BARE
    if is_drive and read_fact.value(disk.nvme_transport) == "pcie" and _DIRECT.fullmatch(hardware):
        yield "path_covered", Known(True, f"{hardware}: PCI Express only, no RAID controller, HBA or VMD on the way")


def with_shingles(disk: Disk) -> Disk:
    """The disk with whether it is shingled (SMR), and by what that is known."""
    if read_fact.value(disk.virtual) is True or read_fact.value(disk.rotational) is False:
        return disk
    for asked in (disk.virtual, disk.rotational):
        if isinstance(asked, Unknown):
            return replace(disk, shingled_by=asked)
    if isinstance(disk.model, Unknown):
        return replace(disk, shingled_by=disk.model)
    return replace(disk, shingled_by=_shingled(disk, disk.model.value))


def _shingled(disk: Disk, model: str) -> Fact[ShingledBy]:
    if read_fact.value(disk.zoned):
        return Known("zones", disk.zoned.source)
    if (page := drives.shingled(model)) is not None:
        return Known("model", page)
    if read_fact.value(disk.transport) == "sata" and read_fact.value(disk.discards):
        return Known("trim", f"it is rotational and takes TRIM: {disk.discards.source}")
    return Known(
        "no sign", f"no page of {len(drives.shingled_models())} models lists it; it has no zones and takes no TRIM"
    )
