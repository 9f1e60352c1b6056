"""Facts in HTML: nothing is cut, and sizes stand there to the byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsadvisor.catalogue import Kind, catalogue
from fsadvisor.facts import Unknown
from fsadvisor.pages.html import NOTHING, Markup, element, joined, prose
from fsadvisor.pages.values import bytes_text, cause, value_text

if TYPE_CHECKING:
    from fsadvisor.catalogue import Entry
    from fsadvisor.facts import Fact


def said(name: str, fact: Fact[Any]) -> Markup:
    """The value, or why it is not known and how to learn it; then the source."""
    source = element("small", f" {fact.source}", class_="source") if fact.source else NOTHING
    if not isinstance(fact, Unknown):
        return joined((_value(catalogue()[name], fact.value), source))
    cure = joined(("; to learn it: ", prose(fact.learn))) if fact.learn else NOTHING
    return joined((element("span", f"not known, {cause(fact)}", cure, class_="unknown"), source))


def _value(entry: Entry, value: Any) -> str:  # noqa: ANN401 - any type of the catalogue
    if entry.kind is Kind.TEXTS:
        return ", ".join(value) if value else "none"
    if isinstance(value, str):
        return value if value in entry.choices else f'"{value}"'
    if entry.unit == "bytes" and isinstance(value, int):
        short = bytes_text(value)
        return short if short.endswith(" bytes") else f"{short} ({value:,} bytes)"
    return value_text(entry, value)
