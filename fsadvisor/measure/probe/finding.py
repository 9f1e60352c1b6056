"""A sentence that speaks against a probe, and how the unknown is dealt with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct

from fsadvisor.facts import Cause

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.facts import Unknown

Question: TypeAlias = Literal[
    "kind", "type", "writable", "errors", "space", "behind", "quota", "memory", "battery", "drives", "raid", "pool",
    "database", "busy"
]  # fmt: skip

WARNED: Final[frozenset[Question]] = frozenset(("errors", "quota", "battery", "drives", "raid", "database", "busy"))
"""Questions of which the unknown is a warning, though a bad answer refuses."""


class Finding(Struct, frozen=True, kw_only=True):
    """Something that speaks against it, in a sentence: what, where, and the nearest valid choice."""

    level: Literal["refused", "warning"]
    question: Question
    says: str


def refused(question: Question, says: str) -> Finding:
    """It may not start."""
    return Finding(level="refused", question=question, says=says)


def warning(question: Question, says: str) -> Finding:
    """It may, and people should know."""
    return Finding(level="warning", question=question, says=says)


def unknown(question: Question, what: str, fact: Unknown, otherwise: str) -> Iterator[Finding]:
    """One finding for what could not be told; none where the question makes no sense here."""
    if fact.cause is Cause.NOT_APPLICABLE:
        return
    learn = f"; to learn it: {fact.learn}" if fact.learn else ""
    level: Literal["refused", "warning"] = "warning" if question in WARNED else "refused"
    yield Finding(level=level, question=question, says=f"{what} could not be told: {otherwise}{learn}")


def bytes_text(size: int) -> str:
    """Bytes in words, as the cost is told."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 1 << power:
            return f"{size / (1 << power):.3g} {unit}" if size < 1000 << power else f"{size >> power:,} {unit}"
    return f"{size} bytes"
