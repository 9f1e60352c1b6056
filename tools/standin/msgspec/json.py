"""Of msgspec.json: writing and reading, with the types that are asked for."""

from __future__ import annotations

import datetime as dt
import json
import re
from base64 import b64encode
from decimal import Decimal
from enum import Enum
from json.encoder import encode_basestring as _text
from math import isfinite
from pathlib import Path
from typing import Any

from msgspec import UNSET, DecodeError, Raw, Struct, shown
from msgspec._convert import convert


def _float(value: float) -> str:
    """As msgspec writes it: the exponent without plus and leading zero, from 1e16 and below 1e-5."""
    if not isfinite(value):
        return "null"
    text = repr(value)
    if "e" not in text:
        return text
    digits, _, power = text.partition("e")
    number = int(power)
    if number == -5:  # repr begins one power earlier
        return format(Decimal(text), "f")
    return f"{digits}e{number}"


def _piece(value: Any) -> str:
    kind = value.__class__
    if kind is str:
        return _text(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return int.__repr__(value)
    if kind is float:
        return _float(value)
    if kind is dict:
        return "{" + ",".join([_key(key) + ":" + _piece(one) for key, one in value.items() if one is not UNSET]) + "}"
    if kind is Raw:
        return value.decode("utf-8", "surrogateescape")
    return _other(value)


def _key(key: Any) -> str:
    found = key.value if isinstance(key, Enum) else key
    return _text(found if isinstance(found, str) else str(found))


def _other(value: Any) -> str:
    if isinstance(value, Struct):
        config = value.__struct_config__
        pairs = [] if config.tag is None else [f"{_text(config.tag_field)}:{_piece(config.tag)}"]
        pairs += [f'"{name}":{_piece(one)}' for name, one in shown(value)]
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, Enum):
        return _piece(value.value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return "[" + ",".join(map(_piece, value)) + "]"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, (bytes, bytearray)):
        return f'"{b64encode(value).decode()}"'
    if isinstance(value, (dt.datetime, dt.date)):
        return f'"{_moment(value)}"'
    if isinstance(value, dict):
        return _piece(dict(value))
    raise TypeError(f"Encoding objects of type {type(value).__name__} is unsupported")


def _moment(value: Any) -> str:
    text = value.isoformat()
    return f"{text[:-6]}Z" if text.endswith("+00:00") else text


def encode(value: Any) -> bytes:
    """Raises UnicodeEncodeError where a text holds what is no UTF-8."""
    text = _piece(value)
    try:
        return text.encode()
    except UnicodeEncodeError:
        if isinstance(value, Raw):
            return bytes(value)
        raise


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def format(text: bytes) -> bytes:
    """The same, with two spaces for each level; numbers stay as they are written."""
    made, depth, before = [], 0, ""
    for token in _TOKEN.findall(text.decode()):
        depth -= token in "}]"
        opened, closes = before in ("{", "["), token in ("}", "]")
        if (opened or closes or before == ",") and not (opened and closes):
            made.append("\n" + "  " * depth)
        made.append(": " if token == ":" else token)
        depth += token in "{["
        before = token
    return "".join(made).encode()


class Encoder:
    """Writes, as `encode` does."""

    encode = staticmethod(encode)


def decode(text: bytes | str, *, type: Any = Any) -> Any:
    """Raises DecodeError."""
    try:
        document = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise DecodeError(f"JSON is malformed: {error}") from None
    return convert(document, type, from_json=True)


def _refuse(name: str) -> Any:
    raise ValueError(f"invalid number {name}")


class Decoder:
    """Reads documents of one type."""

    def __class_getitem__(cls, _: Any) -> Any:
        return cls

    def __init__(self, type: Any = Any) -> None:
        self._type = type

    def decode(self, text: bytes | str) -> Any:
        """Raises DecodeError."""
        return decode(text, type=self._type)

    def decode_lines(self, text: bytes | str) -> list[Any]:
        """A document a line, of lines that hold more than blanks. Raises DecodeError."""
        return [self.decode(line) for line in text.split(b"\n" if isinstance(text, bytes) else "\n") if line.strip()]


def schema(shape: Any) -> Any:
    """As msgspec made it when this was packed."""
    return json.loads(Path(__file__).with_name("schemas").joinpath(f"{shape.__name__}.json").read_text("utf-8"))
