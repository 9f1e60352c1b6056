"""The file that people's attestations and waivers are kept in: the one thing that fsadvisor writes on a machine.

A recording holds it without what may name people or their servers: who said it, why, links and comments.
"""

from __future__ import annotations

import re
import stat
import tomllib
from typing import TYPE_CHECKING

from fsadvisor.machine import rewriting
from fsadvisor.machine.error import MachineError
from fsadvisor.machine.runner import OUTPUT_CAP_BYTES, decoded, encoded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATH = "/etc/fsadvisor/attest.toml"

_KEPT = frozenset(("fact", "rule", "subject", "value", "model", "serial", "uuid"))
_LEFT_OUT = '"left out"'
_NO_TOML = "= left out, for it is not TOML\n"
_STRING = r'"""(?s:(?:[^"\\]|\\.|"(?!""))*)"""+|\'\'\'(?s:.*?)\'\'\'+|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\''
_KEY = r"""["']?(?P<key>[\w-]+)["']?[ \t]*=[ \t]*"""
_PIECES = re.compile(rf"(?P<before>{_KEY})(?P<told>{_STRING})|(?P<alone>{_STRING})|(?P<comment>\#[^\n]*)")


def without_people(text: str) -> str:
    """The text of such a file with stand-ins for all that people wrote in their own words."""
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
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise MachineError(str(path), "not a regular file", "name another")
        with path.open("rb") as file:
            content = file.read(OUTPUT_CAP_BYTES + 1)
    except FileNotFoundError:
        if must_exist:
            raise MachineError(str(path), "no such file", "write it with `fsadvisor attest`") from None
        return ""
    except OSError as error:
        raise MachineError(str(path), error.strerror or "can't be read", "read it as root, or name another") from None
    if len(content) > OUTPUT_CAP_BYTES:
        raise MachineError(str(path), "too long for a file of attestations", "name another")
    return decoded(content)


def rewrite(path: Path, change: Callable[[str], str]) -> None:
    """Change the file's text, in one step for those who read it; folder and file are made where there are none.

    Whoever else wants to change it meanwhile waits. Raises MachineError, and what `change` raises.
    """
    try:
        target = path.resolve()
        target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        with rewriting.locked(target.parent) as folder:
            rewriting.replace(folder, target.name, encoded(change(text_of(target))), 0o644)
    except (OSError, RuntimeError) as error:
        what = error.strerror if isinstance(error, OSError) else "a loop of links"
        choice = "run as root, or name a file of yours by --attestations"
        raise MachineError(str(path), what or "can't be written", choice) from None
