"""How a program's files lie on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers import file_attributes
from fsadvisor.survey import look

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.file_attributes import FolderExtents

CROWDED = 100_000
"""Names in one folder from which rules speak of it."""
_GIB = 1 << 30


def facts(machine: Machine, directory: str) -> dict[str, Any]:
    """Facts by the largest files below a folder."""
    answer = machine.extents(directory)
    record = look.understood(answer, file_attributes.parse_file_extents)
    if isinstance(record, Unknown):
        return dict.fromkeys(("extents", "extents_per_gib", "largest_folder"), record)
    source = answer.source
    extents = sum(file.extents for file in record.files)
    mapped = sum(file.mapped_bytes for file in record.files)
    return {
        "extents": Known(look.steady(extents), source),
        "extents_per_gib": _density(record, extents, mapped, source),
        "largest_folder": _largest_folder(record, source),
    }


def _density(record: FolderExtents, extents: int, mapped: int, source: str) -> Fact[int]:
    """Extents per GiB. Of compressed files each 128 KiB is one by construction, so they tell nothing."""
    if any(file.encoded for file in record.files):
        return Unknown(Cause.NOT_EXPOSED, "", f"{source}: some are compressed")
    return Known(look.steady(extents * _GIB // mapped) if mapped else 0, source)


def _largest_folder(record: FolderExtents, source: str) -> Fact[int]:
    """Where counting stopped early, a small number says nothing; a large one is large all the same."""
    if record.whole or record.largest_folder > CROWDED:
        return Known(look.steady(record.largest_folder), source)
    return Unknown(Cause.NOT_EXPOSED, "", f"{source}: there are too many to look at all")
