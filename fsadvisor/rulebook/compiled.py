"""Our own rules as they were compiled when the program was installed (tools/compile_rules.py), found by their content.

The file is data, never code, and is believed only where nobody else may change it. What is not in it, or does not fit,
is parsed from its TOML.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING, Final

import msgspec

from fsadvisor.machine import safe_files
from fsadvisor.machine.port import MachineError
from fsadvisor.rulebook.shape import RuleShape

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LARGEST: Final = 16 << 20
"""Bytes that the compiled rules may have."""

_DECODER: Final = msgspec.json.Decoder(RuleShape)


def compiled_rule(text: str, rules: Path) -> RuleShape | None:
    """What a rule file with this text holds, where it was compiled beside the directory `rules`."""
    raw = _documents(rules.with_suffix(".json")).get(hashlib.sha256(text.encode()).hexdigest())
    try:
        return None if raw is None else _DECODER.decode(raw)
    except msgspec.ValidationError:  # compiled by another version: the rule's own text tells what is wrong
        return None


@cache
def _documents(file: Path) -> Mapping[str, msgspec.Raw]:
    try:
        return msgspec.json.decode(safe_files.read(file, LARGEST) or b"{}", type=dict[str, msgspec.Raw])
    except (MachineError, msgspec.DecodeError):
        return {}
