"""What the explorer sends for a key, beside other programs of the terminal, at 120 columns and 40 lines."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tools.bench.explorer import started

if TYPE_CHECKING:
    from collections.abc import Sequence

_SIZE: Final = (40, 120)
_MACHINE: Final = Path(__file__).resolve().parents[2] / "fixtures/machines/old-storage-server"
_KEYS: Final = ((b"j", "j"), (b"\r", "Enter"), (b"\x1b", "Esc"), (b"2", "2"), (b"1", "1"))
_OTHERS: Final = (("btop", ()), ("ncdu", ("/usr/share",)), ("posting", ()))
_START_QUIET_S: Final = 2.0
_LIMITS: Final = {"start": 20_300, "j": 2_000, "Enter": 10_800, "Esc": 17_100}
"""One and a half of the smallest difference between the screens of November 2026; of j, with the finding beside."""


def wire(fsadvisor: str) -> list[str]:
    """The table; returns the limits that were missed."""
    print("Bytes sent, on a pseudo-terminal of 120x40:")
    ours = _row("fsadvisor", [fsadvisor, "--on", str(_MACHINE)])
    for name, more in _OTHERS:
        if program := shutil.which(name):
            _row(name, [program, *more])
        else:
            print(f"{name:>12} is not installed")
    print(f"{'at 9,600 baud':>14} " + "  ".join(f"{key} {sent / 960:.1f} s" for key, sent in ours.items()))
    return [f"{key} sends {ours[key]:,} bytes; limit {most:,}" for key, most in _LIMITS.items() if ours[key] > most]


def _row(name: str, command: Sequence[str]) -> dict[str, int]:
    terminal = started(command, _SIZE)
    sent = {"start": terminal.counted(_START_QUIET_S)}
    for key, spelt in _KEYS:
        os.write(terminal.descriptor, key)
        sent[spelt] = terminal.counted()
    terminal.end()
    print(f"{name:>12} " + "  ".join(f"{key} {number:>7,}" for key, number in sent.items()), flush=True)
    return sent
