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
from fsadvisor.pages.glyphs import visible
from fsadvisor.version import Version

S = TypeVar("S", bound=msgspec.Struct)


def without_surrogates(text: str) -> str:
    """The same text with lone surrogates made visible, so that it can be encoded."""
    return "".join(visible(sign) if "\ud800" <= sign <= "\udfff" else sign for sign in text)


def encodable(value: Any) -> Any:  # noqa: ANN401 - whatever msgspec.to_builtins makes
    """Dictionaries, lists and texts, with lone surrogates made visible in every text, keys included."""
    if isinstance(value, str):
        return value if value.isascii() else without_surrogates(value)
    if isinstance(value, dict):
        return {encodable(name): encodable(inside) for name, inside in value.items()}
    return [encodable(inside) for inside in value] if isinstance(value, (list, tuple)) else value


def json_escaped(document: str) -> str:
    """A JSON text with every character that is not printable as a JSON escape; these stand in its strings only."""
    if document.isprintable():
        return document
    return "".join(sign if sign.isprintable() else _json_escape(sign) for sign in document)


def _json_escape(sign: str) -> str:
    units = sign.encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


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
        for found in self._found:
            if hasattr(found, name):
                return _value(getattr(found, name))
            if isinstance(found, msgspec.Struct) and found.__struct_config__.tag_field == name:
                return found.__struct_config__.tag
        raise AttributeError(name)


def _value(content: object) -> object:
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
        case Mapping():
            return {name: _value(one) for name, one in content.items()}
        case tuple() | list():
            return [_value(one) for one in content]
    return _Overlaid(content)


_encode = msgspec.json.Encoder().encode


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
