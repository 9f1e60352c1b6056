"""JSON as tools print it: warnings before the document, half documents, wrong types, huge numbers."""

from __future__ import annotations

import math
from typing import TypeAlias, cast

from fsadvisor import strict_json
from fsadvisor.facts import Unknown, unreadable
from fsadvisor.readers import within

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def load(text: str, *, repeats: bool = False) -> Json | Unknown:
    """The first JSON object or list in `text`; lines before it (a tool's warnings) are passed over.

    NaN and Infinity, which are not JSON, are refused, and a key that stands twice in one object, unless `repeats`.
    """
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    if start < 0:
        return unreadable("no JSON in the output")
    try:
        document, _ = (strict_json.LENIENT if repeats else strict_json.DECODER).raw_decode(text, start)
    except strict_json.RepeatedKeyError as repeated:
        return unreadable(str(repeated))
    except (ValueError, RecursionError):
        return unreadable("the JSON is broken or cut short")
    return cast("Json", document)


def repeated_key(document: Json | Unknown) -> Unknown | None:
    """Why a document is refused, where that is a key that stands twice: it is not to be read in another way."""
    return document if isinstance(document, Unknown) and document.learn.startswith(strict_json.TWICE) else None


def member(document: Json, *path: str) -> Json:
    """The value at a path of keys, or None where any step is missing or not an object."""
    for key in path:
        if not isinstance(document, dict):
            return None
        document = document.get(key)
    return document


def integer(document: Json, *path: str) -> int | None:
    """The whole number at a path, or None: true and false are no numbers, nor is what 128 bits do not hold."""
    value = member(document, *path)
    return within(value) if type(value) is int else None


def real(document: Json, *path: str) -> float | None:
    """The finite number at a path, or None."""
    value = member(document, *path)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def string(document: Json, *path: str) -> str | None:
    """The string at a path, or None."""
    value = member(document, *path)
    return value if isinstance(value, str) else None


def boolean(document: Json, *path: str) -> bool | None:
    """The boolean at a path, or None."""
    value = member(document, *path)
    return value if isinstance(value, bool) else None


def items(document: Json, *path: str) -> list[Json]:
    """The list at a path, or an empty one."""
    value = member(document, *path)
    return value if isinstance(value, list) else []
