"""Of msgspec.toml: a document as a type."""

from __future__ import annotations

import tomllib
from typing import Any

from msgspec import DecodeError
from msgspec._convert import convert


def decode(text: bytes | str, *, type: Any = Any) -> Any:
    """Raises DecodeError."""
    try:
        document = tomllib.loads(text.decode() if isinstance(text, bytes) else text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DecodeError(str(error)) from None
    return convert(document, type)
