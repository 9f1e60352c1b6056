"""Settings of programs as facts: what stands in their files or arguments, else what the program does without."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from fsadvisor.facts import Cause, Fact, Known, Unknown, unreadable
from fsadvisor.survey import look

if TYPE_CHECKING:
    from collections.abc import Mapping

Settings: TypeAlias = "Mapping[str, Known[str]]"
"""The value of each name that is set, and where."""

_SIZE = re.compile(r"(\d{1,18}(?:\.\d{1,6})?)\s*([a-z]*)", re.ASCII)
_YES = ("on", "true", "yes", "1")
_NO = ("off", "false", "no", "0")


def text(settings: Settings | Unknown, name: str, default: Fact[str]) -> Fact[str]:
    """The value of a setting; nothing may be concluded where the settings could not be read."""
    return settings if isinstance(settings, Unknown) else settings.get(name, default)


def switch(fact: Fact[str]) -> Fact[bool]:
    """A setting that is on or off; a beginning of the word will do, as long as it is clear."""
    if isinstance(fact, Unknown):
        return fact
    word = fact.value.strip().lower()
    yes, no = (word and any(full.startswith(word) for full in words) for words in (_YES, _NO))
    if bool(yes) == bool(no):
        return unreadable(f"{word[:20]!r} is neither on nor off", fact.source)
    return Known(bool(yes), fact.source)


def size_bytes(fact: Fact[str], units: Mapping[str, int]) -> Fact[int]:
    """An amount of memory; `units` are those that the program knows, in lower case, '' for a bare number."""
    if isinstance(fact, Unknown):
        return fact
    found = _SIZE.fullmatch(fact.value.strip().lower())
    if found is None or found[2] not in units:
        return unreadable(f"{fact.value[:20]!r} is no size", fact.source)
    return Known(int(float(found[1]) * units[found[2]]), fact.source)


def whole(fact: Fact[str]) -> Fact[int]:
    """A whole number."""
    if isinstance(fact, Unknown):
        return fact
    value = fact.value.strip()
    if not value.isascii() or not value.isdigit() or len(value) > 9:
        return unreadable(f"{value[:20]!r} is no whole number", fact.source)
    return Known(int(value), fact.source)


def lower(fact: Fact[str]) -> Fact[str]:
    """A word whose case does not matter."""
    return look.derive(fact, lambda word: word.strip().lower())


def is_absent(unknown: Unknown) -> bool:
    """Whether a file is known not to be there, rather than not to have been recorded."""
    return unknown.cause is Cause.NOT_EXPOSED and not unknown.learn
