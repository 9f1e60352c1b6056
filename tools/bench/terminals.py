"""The explorer of machines of several sizes beside other programs of the terminal: one table, for docs/explore.md."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Final

from tools.bench.against import FSADVISOR
from tools.bench.explorer import ANSWERS, LOOKED, started
from tools.bench.generated import write_machine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tools.bench.explorer import Terminal

_SIZE: Final = (40, 120)
_KEYS: Final = ((b"j", "j"), (b"\r", "Enter"), (b"\x1b", "Esc"))
_MOVES: Final = 60
_PICTURE: Final = 400
"""Bytes of which a first picture has more: setting up a terminal takes less."""

_ANSWER_S: Final = 5.0
_START_S: Final = 300.0
_QUIET_S: Final = 1.0
_IDLE_S: Final = 10.0


def terminals(sizes: Sequence[int], scratch: Path) -> list[str]:
    """The table, as Markdown."""
    print("Bytes sent, time and processor on a pseudo-terminal of 120x40:\n")
    print("| program | first picture | start | j | Enter | Esc | key p50 | key p99 | cpu a key | idle |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for disks in sizes:
        folder = scratch / f"shown-{disks}"
        write_machine(folder, disks)
        _row(f"fsadvisor, {disks:,} disks", [FSADVISOR, "--on", str(folder)], (LOOKED, ANSWERS))
        shutil.rmtree(folder)
    for name, command in _others():
        _row(name, command, ())
    print()
    return []


def _others() -> Iterator[tuple[str, list[str]]]:
    for name, more in (("btop", ()), ("ncdu", ("/usr/share",))):
        if program := shutil.which(name):
            yield name, [program, *more]
    yield "Textual's demo", [sys.executable, "-m", "textual"]


def _row(name: str, command: Sequence[str], words: Sequence[bytes]) -> None:
    terminal = started(command, _SIZE)
    picture = terminal.until_painted(_PICTURE)
    sent = [len(terminal.seen + terminal.told(*words, within_s=_START_S if words else _ANSWER_S, quiet_s=_QUIET_S))]
    for key, _ in _KEYS:
        os.write(terminal.descriptor, key)
        sent.append(len(terminal.told(within_s=_ANSWER_S, quiet_s=_QUIET_S)))
    before = terminal.cpu_s()
    moves = sorted(_moved(terminal))
    terminal.drain()
    a_key = (terminal.cpu_s() - before) / len(moves)
    idle = terminal.cpu_share(_IDLE_S)
    terminal.end()
    times = f"{moves[len(moves) // 2] * 1000:.0f} ms | {moves[int(len(moves) * 0.99)] * 1000:.0f} ms"
    counts = " | ".join(f"{one:,}" if one else "nothing" for one in sent)
    print(f"| {name} | {picture:.1f} s | {counts} | {times} | {a_key * 1000:.0f} ms | {idle:.1%} |", flush=True)


def _moved(terminal: Terminal) -> Iterator[float]:
    """Seconds from each of many keys to the first byte that answers it."""
    for at in range(_MOVES):
        yield terminal.key_to_paint(b"kj"[at % 2 :][:1], _ANSWER_S)
