"""The facts by name and meaning, for `fsadvisor facts`; with a machine, also their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.pages.text import NARROWEST, WIDTH, wrapped
from fsadvisor.pages.values import said, short_name
from fsadvisor.report import shaping

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.catalogue import Entry
    from fsadvisor.storage import Storage


def fact_list(entries: Iterable[Entry], storage: Storage | None = None, *, width: int = WIDTH) -> Iterator[str]:
    """Each fact with its type, unit, meaning and source, and what every subject of the machine says."""
    columns = max(width, NARROWEST)
    told = _values(storage) if storage else {}
    for at, entry in enumerate(entries):
        if at:
            yield "\n"
        unit = f", in {entry.unit}" if entry.unit else ""
        yield from wrapped(f"{entry.name}: {entry.value}{unit}", columns, "", "    ")
        yield from wrapped(entry.doc, columns, "    ")
        yield from wrapped(f"source: {entry.source}", columns, "    ")
        for line in told.get(entry.name, ()):
            yield from wrapped(line, columns, "    - ")


def _values(storage: Storage) -> dict[str, list[str]]:
    told: dict[str, list[str]] = {}
    for subject in storage.subjects:
        for name, fact in shaping.own_facts(subject):
            told.setdefault(name, []).append(f"{short_name(subject)}: {said(name, fact, fact.source)}")
    return told
