"""JSON that says one thing: a key that stands twice, NaN, Infinity and 1e999 are refused.

Python's own reader takes the last of two; whoever wrote the document may have meant the first.
"""

from __future__ import annotations

import json
from math import isfinite

TWICE = "the JSON has a key twice: "


class RepeatedKeyError(ValueError):
    """An object has a key twice."""

    def __init__(self, key: str) -> None:
        super().__init__(f"{TWICE}{key[:40]!r}")


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        seen: set[str] = set()
        raise RepeatedKeyError(next(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]
    return members


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _finite(number: str) -> float:
    if not isfinite(value := float(number)):
        _refuse(number)
    return value


DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refuse, parse_float=_finite)
"""Raises ValueError, of which RepeatedKeyError is one, and RecursionError."""
LENIENT = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
"""The same for what may say things twice: the last one counts."""
