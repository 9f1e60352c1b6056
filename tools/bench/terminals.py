"""The explorer of machines of several sizes beside other programs of the terminal: one table, for docs/explore.md."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Final

from tools.bench.against import FSADVISOR
from tools.bench.explorer import ANSWERS, LOOKED, started
from tools.bench.generated import write_machine_in_child

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tools.bench.explorer import Terminal

_SIZE: Final = (40, 120)
_KEYS: Final = (b"\r", b"\x1b")
"""Enter and Esc, once each."""

_LETTERS: Final = (b"j", b"k")
_ARROWS: Final = (b"\x1b[B", b"\x1b[A")
_TABS: Final = (b"\t", b"\x1b[Z")
"""What moves the cursor there, on and back."""

_MOVES: Final = 60
_OURS: Final = (
    (b"\t", (b"j", b"\x1b[6~", b"k", b"\x1b[5~")),
    (b"G", (b"k", b"\x1b[5~", b"j", b"\x1b[6~")),
    (b"", (b"\x1b[5~", b"k", b"\x1b[5~", b"j")),
)
"""Keys of the explorer, each list after a key that leads there: at the board's start, at its end, and deep in it."""

_UNANSWERED: Final = 3
"""Moves without an answer, after which no more are tried: each takes as long as a key is waited for."""

_PICTURE: Final = 400
"""Bytes of which a first picture has more: setting up a terminal takes less."""

_ANSWER_S: Final = 5.0
_NONE_S: Final = 1.0
"""Where a key may rightly move nothing, as a page up does on a board that fits the screen."""

_START_S: Final = 300.0
_QUIET_S: Final = 1.0
_IDLE_S: Final = 10.0


def terminals(sizes: Sequence[int], scratch: Path) -> list[str]:
    """The table, as Markdown; the other programs first, because to write a machine of 5,000 disks takes minutes."""
    print("Bytes sent, time and processor on a pseudo-terminal of 120x40:\n")
    print(
        "| program | first picture | start | a move | Enter | Esc | move p50 | move p99 | longest | cpu a move | idle |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name, command, moves in _others():
        _row(name, command, moves, ())
    for disks in sizes:
        folder = scratch / f"{disks}-disks"
        if is_new := not folder.exists():
            write_machine_in_child(folder, disks)
        _row(f"fsadvisor, {disks:,} disks", [FSADVISOR, "--on", str(folder)], _LETTERS, (LOOKED, ANSWERS))
        if is_new:
            shutil.rmtree(folder)
    print()
    return []


def _others() -> Iterator[tuple[str, list[str], Sequence[bytes]]]:
    for name, more, moves in (("btop", (), _ARROWS), ("ncdu", ("/usr/share",), _LETTERS)):
        if program := shutil.which(name):
            yield name, [program, *more], moves
    yield "Textual's demo", [sys.executable, "-m", "textual"], _TABS


def _row(name: str, command: Sequence[str], moves: Sequence[bytes], words: Sequence[bytes]) -> None:
    terminal = started(command, _SIZE)
    picture = terminal.until_painted(_PICTURE)
    sent = [len(terminal.seen + terminal.told(*words, within_s=_START_S if words else _ANSWER_S, quiet_s=_QUIET_S))]
    for key in (moves[0], *_KEYS):
        os.write(terminal.descriptor, key)
        sent.append(len(terminal.told(within_s=_START_S if words else _ANSWER_S, quiet_s=_QUIET_S)))
    before = terminal.cpu_s()
    took = list(_moved(terminal, moves))
    terminal.drain()
    a_key = (terminal.cpu_s() - before) / len(took)
    if words:
        took += _moved_about(terminal)
        terminal.drain()
    idle = terminal.cpu_share(_IDLE_S)
    terminal.end()
    answered = sorted(one for one in took if one < _NONE_S)
    times = "nothing moves | | "
    if len(answered) > len(took) // 2:
        shown = (answered[int(len(answered) * share)] for share in (0.5, 0.99))
        times = " | ".join(f"{one * 1000:.0f} ms" for one in (*shown, answered[-1]))
    if silent := len(took) - len(answered):
        times += f", {silent} moved nothing"
    counts = " | ".join(f"{one:,}" if one else "nothing" for one in sent)
    print(f"| {name} | {picture:.1f} s | {counts} | {times} | {a_key * 1000:.0f} ms | {idle:.1%} |", flush=True)


def _moved_about(terminal: Terminal) -> Iterator[float]:
    """The same of the explorer's other keys and rows."""
    for way, keys in _OURS:
        if way:
            terminal.key_to_paint(way, _NONE_S)
        for at in range(_MOVES):
            yield terminal.key_to_paint(keys[at % len(keys)], _NONE_S)


def _moved(terminal: Terminal, moves: Sequence[bytes]) -> Iterator[float]:
    """Seconds from each of many keys to the first byte that answers it."""
    unanswered = 0
    for at in range(_MOVES):
        took = terminal.key_to_paint(moves[at % 2], _ANSWER_S)
        unanswered += took >= _ANSWER_S
        yield took
        if unanswered == _UNANSWERED:
            return
