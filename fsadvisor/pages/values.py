"""Facts in words: values in units that people read, and what stands in the way of those that are not known.

Numbers in five columns at most, for tables of disks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import FALSE, TRUE, UNKNOWN, Cause, Known, Unknown
from fsadvisor.pages.glyphs import clean
from fsadvisor.patterns import late
from fsadvisor.storage.catalogue import Kind, catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fsadvisor.facts import Fact
    from fsadvisor.storage import Subject
    from fsadvisor.storage.catalogue import FactEntry


MARKS: Final = {TRUE: "yes", FALSE: "no", UNKNOWN: "unknown"}
"""Answers in words."""

_LONGEST_NAME: Final = 80
_ONE_WORD: Final = late(r"[^\s,;:\"'()]+")
_PREFIXES: Final = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_SIGNS: Final = {"percent": "%"}
_LETTERS: Final = 2
"""A unit with more is a word: '1 error', but '1 ms'."""
_CAUSES: Final = {
    Cause.DENIED: "denied",
    Cause.NO_TOOL: "no tool",
    Cause.NOT_EXPOSED: "not exposed",
    Cause.TIMED_OUT: "timed out",
    Cause.UNREADABLE: "unreadable",
    Cause.ASLEEP: "asleep, not woken",
    Cause.NOT_MEASURED: "not measured",
    Cause.NOT_ATTESTED: "only a person can say",
    Cause.BEING_ASKED: "still being asked",
    Cause.NOT_APPLICABLE: "not applicable",
}


def cause(fact: Unknown) -> str:
    """Why a fact is not known, in a word or two."""
    return _CAUSES[fact.cause]


def fact_line(name: str, fact: Fact[Any], source: str) -> str:
    """'disk.plp = proven (source)', or why it is not known and how to learn it."""
    return f"{name}{': ' if isinstance(fact, Unknown) else ' = '}{fact_words(name, fact, source)}"


def fact_words(name: str, fact: Fact[Any], source: str) -> str:
    """The same without the name."""
    came_from = f" ({clean(source)})" if source else ""
    if isinstance(fact, Unknown):
        cure = f". To learn it: {clean(fact.learn)}" if fact.learn else ""
        return f"not known, {cause(fact)}{came_from}{cure}"
    return f"{value_text(catalogue()[name], fact.value)}{came_from}"


def value_text(entry: FactEntry, value: Any) -> str:  # noqa: ANN401 - any type of the catalogue
    """A value as people say it; free text stands in quotes, so that it can't pass for ours."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if entry.kind is Kind.TEXTS:
        return clean(", ".join(clean(text, None) for text in value)) if value else "none"
    if isinstance(value, str):
        return clean(value) if value in entry.choices else f'"{clean(value)}"'
    if entry.unit == "bytes":
        return bytes_text(value)
    if entry.unit[:1].isdigit():
        return f"{value} ({entry.unit})"
    unit = entry.unit.removesuffix("s") if value == 1 and len(entry.unit) > _LETTERS else entry.unit
    return f"{value} {_SIGNS.get(unit, unit)}".rstrip()


def counted(number: int, one: str, many: str = "") -> str:
    """'1 disk', '1,000 disks'."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(items: Iterable[str], last: str = "and") -> str:
    """'a, b and c'."""
    *before, final = items
    return f"{', '.join(before)} {last} {final}" if before else final


def bytes_text(size: int) -> str:
    """'256 GiB', '4.71 GiB', '512 bytes'."""
    power = min(max(abs(size).bit_length() - 1, 0) // 10, len(_PREFIXES) - 1)
    whole, left = divmod(size, 1024**power)
    if not left:
        return f"{whole} {_PREFIXES[power]}"
    scaled = size / 1024**power
    digits = 0 if abs(scaled) >= 100 else 1 if abs(scaled) >= 10 else 2
    return f"{scaled:.{digits}f} {_PREFIXES[power]}"


def short_name(subject: Subject) -> str:
    """A subject's name for a list; a filesystem's with its mount point; volumes as device mapper has them (VG-LV)."""
    if subject.kind == "host":
        return "this machine"
    if subject.kind == "mount":
        return quoted(subject.name)
    point = _text(subject, "mount_point") if subject.kind == "filesystem" else ""
    mapped = _text(subject, "mapped_name") if subject.kind in ("layer", "filesystem") else ""
    name = clean(mapped or subject.name, _LONGEST_NAME)
    return f"{name} on {quoted(point)}" if point and not subject.name.endswith(point) else name


def full_name(subject: Subject) -> str:
    """A subject's kind and name, and what helps to find it."""
    if subject.kind == "host":
        return "this machine"
    name = short_name(subject)
    fields = {"disk": ("model",), "layer": ("kind", "name")}.get(subject.kind, ())
    what = ", ".join(
        words for field in fields if (words := clean(_text(subject, field), _LONGEST_NAME)) and words != name
    )
    return f"{subject.kind} {name}" + (f" ({what})" if what else "")


def quoted(name: str) -> str:
    """In quotes where the name could pass for more than one, or for words of ours."""
    shown = clean(name, _LONGEST_NAME)
    return shown if _ONE_WORD.fullmatch(shown) else f'"{shown}"'


def _text(subject: Subject, field: str) -> str:
    fact = getattr(subject.scope.get(subject.kind), field, None) if field else None
    return fact.value if isinstance(fact, Known) else ""


def day_and_time(when: str) -> str:
    """Of what ISO 8601 has: '2026-11-26 13:55:58 UTC'; of another zone as it was written."""
    return clean(f"{when[:10]} {when[11:19]} UTC" if when.endswith("+00:00") else when)


def amount(number: float) -> str:
    """Bytes in five columns at most: '912K', '1.24M', '0'. K is KiB."""
    for unit in ("", "K", "M", "G", "T", "P"):
        if number < 999.5 or unit == "P":
            break
        number /= 1024
    if number < 0.05:
        return "0"
    digits = 0 if number >= 99.95 or not unit else 1 if number >= 9.995 else 2
    return f"{number:.{digits}f}{unit}" if number < 99_999.5 else "> 1E"


def rate(number: float | None) -> str:
    """How often a second, in five columns at most; '?' where it is not counted."""
    if number is None:
        return "?"
    if number >= 9_994.5:
        return f"{number / 1000:.1f}k" if number < 99_950 else f"{number / 1000:.0f}k" if number < 9e6 else "> 9M"
    return f"{number:,.0f}" if number >= 9.95 or number == 0 else f"{number:.1f}"


def duration(ms: float | None) -> str:
    """Milliseconds in five columns at most; nothing where no request ended."""
    if ms is None:
        return ""
    if ms < 0.005:
        return "0" if ms == 0 else "< .01"
    if ms < 9.995:
        return f"{ms:.2f}"
    return f"{ms:.1f}" if ms < 99.95 else f"{ms:.0f}" if ms < 99_999 else f"{ms / 1000:.0f}s" if ms < 9e6 else "> 9ks"
