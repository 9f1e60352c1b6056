"""What the explorer sends for a key, beside other programs of the terminal and beside the smallest difference."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tools.bench.explorer import ANSWERS, started
from tools.screens.emulated import CellStyle, Emulated, Seen

if TYPE_CHECKING:
    from collections.abc import Sequence

_SIZE: Final = (40, 120)
_SMALL: Final = (24, 80)
_MACHINE: Final = Path(__file__).resolve().parents[2] / "fixtures/machines/old-storage-server"
_KEYS: Final = ((b"j", "j"), (b"\r", "Enter"), (b"\x1b", "Esc"), (b"2", "2"), (b"1", "1"))
_OTHERS: Final = (("btop", ()), ("ncdu", ("/usr/share",)))
_START_S: Final = 30.0
_ANSWER_S: Final = 5.0
"""For which a key is given to be answered: some of the others' do nothing."""

_QUIET_S: Final = 1.0
"""Less than btop waits between two pictures."""
_BAUD: Final = 960
"""Bytes a second of a serial line of 9,600 baud."""

_MOST: Final = 1.5
"""Times the smallest difference between two screens."""

_NEAR: Final = 5
"""Unchanged cells that a reference writes again: to move on takes as many bytes."""


def wire(fsadvisor: str) -> list[str]:
    """The table; returns the limits that were missed."""
    print("Bytes sent, on a pseudo-terminal of 120x40; in brackets how many times the smallest difference:")
    command = [fsadvisor, "--on", str(_MACHINE)]
    ours, smallest = _row("fsadvisor", command, _SIZE, known=True)
    for name, more in _OTHERS:
        if program := shutil.which(name):
            _row(name, [program, *more], _SIZE)
        else:
            print(f"{name:>12} is not installed")
    print("On one of 80x24:")
    _row("fsadvisor", command, _SMALL, known=True)
    plain, _ = _row("--plain", [*command, "--plain"], _SMALL, known=True)
    print(f"{'9,600 baud':>12} " + "  ".join(f"{key} {sent / _BAUD:.1f} s" for key, sent in plain.items()) + "\n")
    return [
        f"{key} sends {sent:,} bytes; the smallest difference is {smallest[key]:,}"
        for key, sent in ours.items()
        if sent > _MOST * smallest[key]
    ]


def _row(
    name: str, command: Sequence[str], size: tuple[int, int], *, known: bool = False
) -> tuple[dict[str, int], dict[str, int]]:
    """Bytes of each key; and of the smallest difference, where it sends nothing that the emulated terminal lacks."""
    terminal, shown = started(command, size), Emulated(size[1], size[0])
    sent, smallest = {}, {}
    for key, spelt in ((b"", "start"), *_KEYS):
        os.write(terminal.descriptor, key)
        words = [ANSWERS] if known and not key else []
        told = terminal.told(*words, within_s=_ANSWER_S if key else _START_S, quiet_s=_QUIET_S)
        sent[spelt] = len(told)
        if known:
            before = [list(line) for line in shown.cells]
            shown.feed(told.decode())
            smallest[spelt] = smallest_difference(before, shown.cells)
    terminal.end()
    cells = (f"{key} {told:>7,}" + (f" ({told / smallest[key]:.1f})" if known else "") for key, told in sent.items())
    print(f"{name:>12} " + "  ".join(cells), flush=True)
    return sent, smallest


def smallest_difference(before: Sequence[list[Seen]], after: Sequence[list[Seen]]) -> int:
    """Bytes of a reference: each changed cell once, line by line, a colour and a move only where one is needed."""
    total, style = 0, CellStyle()
    for old, new in zip(before, after, strict=True):
        end = None
        for x, (one, other) in enumerate(zip(old, new, strict=True)):
            if one == other:
                continue
            gap = x if end is None else x - end
            total += 0 if gap == 0 else min(gap, _NEAR) if end is not None else len("\x1b[10;10H")
            wanted = CellStyle(style.how, style.ink, other.ground)
            if other.inked:
                wanted = CellStyle(other.inked[1], other.inked[0], other.ground)
            total += _turned(style, wanted) + len(other.sign.encode())
            style, end = wanted, x + 1
    return total


def _turned(before: CellStyle, after: CellStyle) -> int:
    numbers = [one for one, was in ((after.ink, before.ink), (after.ground, before.ground)) if one != was]
    numbers += ["1"] * len(before.how ^ after.how)
    return len("\x1b[m" + ";".join(numbers)) if numbers else 0
