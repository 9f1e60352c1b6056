"""Whether a terminal can show the explorer, and what it can draw. Asked before Textual is loaded."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

_CAN_NOT_MOVE: Final = frozenset(("", "dumb", "unknown"))
_SERIAL: Final = ("ttyS", "ttyAMA", "ttyUSB", "hvc", "xvc", "ttysclp")
_FEW_COLOURS: Final = ("vt", "linux", "ansi", "screen.linux", "xterm-mono", "xterm-16color")


class Terminal(Struct, frozen=True, kw_only=True):
    """What there is to draw on."""

    unicode: bool
    plain: bool
    """Whether to draw with the terminal's own 16 colours, or none."""

    colour: bool


def obstacle(environment: Mapping[str, str]) -> str:
    """Why the explorer can't run here, in words; '' where it can."""
    if not (sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()):
        return "input and output are not both a terminal"
    if environment.get("TERM", "") in _CAN_NOT_MOVE:
        return f"the terminal calls itself {environment.get('TERM', '')!r}"
    try:
        name = os.ttyname(sys.stdout.fileno())
    except OSError:
        return ""
    return "this is a serial console" if name.removeprefix("/dev/").startswith(_SERIAL) else ""


def terminal(environment: Mapping[str, str], *, plain: bool = False) -> Terminal:
    """What the environment says of it; `plain` asks for 16 colours and ASCII."""
    kind = environment.get("TERM", "")
    spoken = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG") or ""
    colour = not environment.get("NO_COLOR")
    return Terminal(
        unicode=not plain and "utf" in spoken.casefold().replace("-", "") and not kind.startswith("vt"),
        plain=plain or not colour or kind.startswith(_FEW_COLOURS),
        colour=colour,
    )
