"""What was found, in the shape in which it is published as JSON: numbers in six digits, texts that can be encoded.

A shape takes from an object what it has a name for. What is called otherwise, or is nowhere an attribute, is given by
name. Facts are told apart by "known": of a record its fields stand beside it, of anything else its value.

What the lines of a big machine's report share is encoded once, and facts without an object in between, in pieces: the
UTF-8 of a JSON value, as msgspec embeds it. tests/report hold them against the shapes of model.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from enum import Enum
from math import isfinite
from typing import Any, TypeVar

import msgspec

from fsadvisor.facts import Known, Unknown
from fsadvisor.pages.escape import json_escaped, without_surrogates
from fsadvisor.version import Version

S = TypeVar("S", bound=msgspec.Struct)


def published(shape: type[S], *found: object, **named: object) -> S:
    """The shape's fields: those that are named, the rest from the first object that has them."""
    return msgspec.convert(_Overlaid(*found, **named), shape, from_attributes=True)


def document(shape: msgspec.Struct) -> str:
    """The JSON on one line, escaped as in the report."""
    return json_escaped(msgspec.json.encode(shape).decode()) + "\n"


def document_in_lines(head: msgspec.Struct, items: Iterable[msgspec.Struct]) -> str:
    """The same with items, each on a line of its own, in the last field, which is empty in `head`."""
    opened = document(head).removesuffix("]}\n")
    lines = ",\n".join(document(item).removesuffix("\n") for item in items)
    inside = f"\n{lines}\n" if lines else ""
    return f"{opened}{inside}]}}\n"


class _Overlaid:
    """Objects as a conversion sees them: an attribute is what is named, or the first object's that has it."""

    __slots__ = ("_found", "_named")

    def __init__(self, *found: object, **named: object) -> None:
        self._found = found
        self._named = named

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a field holds
        if name in self._named:
            return _value(self._named[name])
        for one in self._found:
            if hasattr(one, name):
                return _value(getattr(one, name))
        raise AttributeError(name)


def _value(content: object) -> object:  # noqa: C901 - a case each
    match content:
        case float():
            return float(f"{content:.6g}")  # more digits would tell of the clock
        case str():
            return without_surrogates(content)
        case Enum():
            return content.value
        case Unknown():
            return _Overlaid(content, known="no")
        case Known(value=int() | float() | str()):
            return _Overlaid(content, known="yes")
        case Known():
            return _Overlaid(content.value, content, known="yes")
        case None | int():
            return content
        case msgspec.Struct() if content.__struct_config__.forbid_unknown_fields:
            return content  # a shape
        case Mapping():
            return {name: _value(one) for name, one in content.items()}
        case tuple() | list():
            return [_value(one) for one in content]
    return _Overlaid(content)


_encode = msgspec.json.Encoder().encode


def encodable(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    """The same value with lone surrogates made visible in its texts."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, dict):
        return {encodable(key): encodable(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [encodable(member) for member in value]
    return value


def piece(value: Any) -> bytes:  # noqa: ANN401 - whatever JSON holds
    """Any value of model.py, or one inside."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        plain = encodable(msgspec.to_builtins(value))
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()


def fact_value(value: Any) -> Any:  # noqa: ANN401 - any type of the catalogue
    """A fact's value as JSON has it; None where it is a number that JSON has no word for."""
    kind = value.__class__
    if kind is str:
        return value if value.isascii() else without_surrogates(value)
    if kind is tuple:
        return value if all(map(str.isascii, value)) else tuple(map(without_surrogates, value))
    if kind is Version:
        return str(value)
    return None if kind is float and not isfinite(value) else value
