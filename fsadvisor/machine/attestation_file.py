"""The file that people's attestations and waivers are kept in: the one thing that fsadvisor writes on a machine.

A recording holds it without what may name people or their servers: who said it, why, links and comments.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fsadvisor.machine import safe_files
from fsadvisor.machine.error import MachineError
from fsadvisor.machine.runner import OUTPUT_CAP_BYTES, decoded, encoded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATH = "/etc/fsadvisor/attest.toml"

_KEPT = frozenset(("fact", "rule", "subject", "value", "model", "serial", "firmware", "uuid"))
_LEFT_OUT = '"left out"'
_NO_TOML = "= left out, for it is not TOML\n"
_STRING = r'"""(?s:(?:[^"\\]|\\.|"(?!""))*)"""+|\'\'\'(?s:.*?)\'\'\'+|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\''
_KEY = r"""["']?(?P<key>[\w-]+)["']?[ \t]*=[ \t]*"""
_PIECES = re.compile(rf"(?P<before>{_KEY})(?P<told>{_STRING})|(?P<alone>{_STRING})|(?P<comment>\#[^\n]*)")


def without_people(text: str) -> str:
    """The text of such a file with stand-ins for all that people wrote in their own words."""
    import tomllib

    try:
        tomllib.loads(text)
    except (ValueError, RecursionError):
        return _NO_TOML
    return _PIECES.sub(_stand_in, text)


def _stand_in(match: re.Match[str]) -> str:
    if match["key"] in _KEPT:
        return match[0]
    if match["comment"]:
        return ""
    return f"{match['before'] or ''}{_LEFT_OUT}"


def text_of(path: Path, *, must_exist: bool = False) -> str:
    """What is in the file, '' where there is none, unless it must exist. Raises MachineError."""
    content = safe_files.read(path, OUTPUT_CAP_BYTES)
    if content is None and must_exist:
        raise MachineError(str(path), "no such file", "write it with `fsadvisor attest`")
    return decoded(content or b"")


def rewrite(path: Path, change: Callable[[str], str]) -> None:
    """Change the file's text, in one step for those who read it. Raises MachineError, and what `change` raises."""

    def changed(before: bytes) -> bytes:
        return encoded(change(decoded(before)))

    choice = "run as root, or name a file of yours by --attestations"
    safe_files.rewrite(path, changed, OUTPUT_CAP_BYTES, safe_files.PUBLIC, choice)
