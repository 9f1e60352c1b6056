"""JSON in pieces: what a big machine's lines share is encoded once, and facts without an object in between.

A piece is the UTF-8 of a JSON value, as msgspec embeds it. tests/report hold it against the shapes of model.py.
"""

from __future__ import annotations

import json
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any

import msgspec

from fsadvisor.facts import Cause, Unknown
from fsadvisor.pages.escape import without_surrogates
from fsadvisor.version import Version

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fsadvisor.facts import Fact

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


def facts(found: Iterable[tuple[str, Fact[Any]]]) -> bytes:
    """Facts by name; names are the catalogue's, in ASCII."""
    return b"{%b}" % b",".join([b'"%b":%b' % (name.encode(), fact(one)) for name, one in found])


def fact(found: Fact[Any]) -> bytes:
    """A fact; a number that JSON has no word for is not known."""
    if isinstance(found, Unknown):
        return _unknown(found)
    value = found.value
    if value.__class__ is Version:
        value = str(value)
    elif value.__class__ is float and not isfinite(value):
        return _unknown(Unknown(Cause.UNREADABLE, "", found.source))
    try:
        return b'{"value":%b,"source":%b}' % (_encode(value), _encode(found.source))
    except UnicodeEncodeError:
        return b'{"value":%b,"source":%b}' % (piece(value), piece(found.source))


@lru_cache(maxsize=1024)
def _unknown(why: Unknown) -> bytes:
    return b'{"unknown":%b,"learn":%b,"source":%b}' % (piece(why.cause), piece(why.learn), piece(why.source))
