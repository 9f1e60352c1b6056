"""What tables tell of a disk: a page that was read, the way to it in sysfs, the models that clouds give.

A fault that is known counts whatever people say. That all is well counts only where nobody has said otherwise.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from fsadvisor.drives import pages
from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.drives import Family
    from fsadvisor.storage import CloudDisk, Disk

_FRESH: Final = dt.timedelta(days=366)
"""How long it counts that a page knew of no fault."""

_DIRECT: Final = re.compile(
    r"(?:\.\./)*devices/pci[0-9a-f]{4}:[0-9a-f]{2}(?:/[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])+"
    r"/nvme/nvme\d+/(?:block/)?nvme\d+n\d+",
    re.ASCII,
)
"""Bridges and ports of the host's own PCI domains alone; behind Intel's VMD, a domain has five digits: pci10000:00."""

_BARE: Final = ("claimed", "partial", "absent")
"""What the drive table says of drives: a card that joins several under one NVMe name, such as Dell's BOSS, is none."""


def with_faults(disk: Disk) -> Disk:
    """With the faults that pages tell of its firmware."""
    if read_fact.value(disk.virtual) is not False:
        return disk
    firmware = read_fact.value(disk.firmware)
    for page in pages.firmware(read_fact.value(disk.model) or ""):
        if firmware in page.faulty:
            return replace(disk, firmware_trusted=Known(False, page.source))
    return disk


def with_looked_up(disk: Disk, hardware: str, family: Family | None, today: dt.date) -> Disk:
    """With what nobody had to say, and nobody has said; `hardware` is its place in sysfs."""
    if read_fact.value(disk.virtual) is not False:
        return disk
    known = {name: fact for name, fact in _known(disk, hardware, family, today) if _is_unsaid(getattr(disk, name))}
    changes: dict[str, Any] = known
    return replace(disk, **changes) if changes else disk


def _is_unsaid(fact: object) -> bool:
    return isinstance(fact, Unknown) and fact.cause is Cause.NOT_ATTESTED


def _known(disk: Disk, hardware: str, family: Family | None, today: dt.date) -> Iterator[tuple[str, Known[bool]]]:
    model, firmware = read_fact.value(disk.model) or "", read_fact.value(disk.firmware)
    if (sheet := pages.datasheet(model)) is not None:
        yield "datasheet_plp", Known(True, sheet.source)
    for page in pages.firmware(model):
        if firmware in page.cured and today - page.read <= _FRESH:
            yield "firmware_trusted", Known(True, f"no fault of {firmware} is known as of {page.read}: {page.source}")
    is_drive = family is not None and family.verdict in _BARE
    if is_drive and read_fact.value(disk.nvme_transport) == "pcie" and _DIRECT.fullmatch(hardware):
        yield "path_covered", Known(True, f"{hardware}: PCI Express only, no RAID controller, HBA or VMD on the way")


_BY_MODEL: tuple[tuple[re.Pattern[str], CloudDisk], ...] = (
    (re.compile(r"Amazon Elastic Block Store$|nvme_card-pd$|PersistentDisk$|MSFT NVMe Accelerator"), "network"),
    (re.compile(r"Amazon EC2 NVMe Instance Storage$|nvme_card\d*$|EphemeralDisk$|Microsoft NVMe Direct Disk"), "local"),
)


def cloud_disk(model: Fact[str], in_vm: Fact[bool]) -> Fact[CloudDisk]:
    """By the model's name; other names say nothing inside a virtual machine."""
    if isinstance(model, Known):
        for pattern, kind in _BY_MODEL:
            if pattern.match(model.value):
                return Known(kind, f"model {model.value}")
    if isinstance(in_vm, Unknown):
        return in_vm
    if not in_vm.value:
        return Known("none", in_vm.source)
    return Unknown(Cause.NOT_EXPOSED, "", "a model's name that no cloud is known to use")
