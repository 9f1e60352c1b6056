"""A message as one line of JSON, whatever text of strangers is in it: names of files need be no UTF-8."""

from __future__ import annotations

import json

import msgspec


def encoded(message: object) -> bytes:
    """As one line, without its end. Where it names what is no UTF-8, '?' stands for those bytes."""
    try:
        return msgspec.json.encode(message)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(message), ensure_ascii=False).encode("utf-8", "replace")
