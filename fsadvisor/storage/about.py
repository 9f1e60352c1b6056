"""How a field of a storage type says what it means."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fsadvisor.facts import NOT_APPLICABLE


@dataclass(frozen=True, slots=True)
class About:
    """What a fact means, where it is read, and its unit ('' where it has none)."""

    doc: str
    source: str
    unit: str = ""


def about(doc: str, source: str, unit: str = "") -> Any:  # noqa: ANN401 - dataclasses.field has no better type
    """Declare a fact that every subject of the kind has."""
    return field(metadata={"about": About(doc, source, unit)})


def some(doc: str, source: str, unit: str = "") -> Any:  # noqa: ANN401 - dataclasses.field has no better type
    """Declare a fact that only some subjects of the kind have."""
    return field(default=NOT_APPLICABLE, metadata={"about": About(doc, source, unit)})
