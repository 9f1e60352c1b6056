"""What failed in a guest, in few enough lines to stand at the end of a log."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MOST = 40
"""Lines for one part: logs are kept by their ends, and several parts may fail."""
_LAST = 8
"""Lines of a run that ended without a summary, such as one that took too long."""
_SUMMARY = re.compile(r"=+ short test summary info =+")
_HEADING = re.compile(r"_{2,} (?P<test>\S.*) _{2,}")
_REASON = re.compile(r"E\s")
_FAILED = ("FAILED ", "ERROR ")
_PANIC = "Kernel panic - not syncing"
_MAYBE = "]  ? "
"""What stands before a trace's functions that were only found on the stack."""


def told(results: Path) -> list[str]:
    """Why the part with this folder failed: from what pytest printed, or as far as the console shows that."""
    for name in ("pytest.txt", "console.txt"):
        if (file := results / name).exists():
            return failures(lines_of(file))
    return []


def lines_of(file: Path) -> list[str]:
    """A console's lines, or those of pytest."""
    return file.read_text("utf-8", "replace").replace("\r", "").split("\n")


def failures(lines: Sequence[str], most: int = MOST) -> list[str]:
    """Assertion lines under the names of their tests, then pytest's summary: at most so many lines.

    Where there are more, reasons give way: the summary names every test. Without one, a panic of the guest's kernel
    tells why, or else the last lines how far it got.
    """
    at = max((at for at, line in enumerate(lines) if _SUMMARY.fullmatch(line)), default=len(lines))
    summary = [line for line in lines[at:] if line.startswith(_FAILED)]
    if not summary:
        return _cut(_panic(lines), most) or [line for line in lines if line.strip()][-_LAST:]
    summary = _cut(summary, most)
    return [*_cut(_reasons(lines[:at]), most - len(summary)), *summary]


def _cut(lines: list[str], room: int) -> list[str]:
    """The first of them, the last line saying how many more there are."""
    if len(lines) <= room:
        return lines
    return [*lines[: room - 1], f"… and {len(lines) - room + 1} lines more"] if room else []


def _panic(lines: Sequence[str]) -> list[str]:
    """From the last scenario's name on, what the guest's kernel said as it ended, without guesses of its trace."""
    start = next((number for number, line in enumerate(lines) if _PANIC in line), len(lines))
    scenario = [line for line in lines[:start] if "::" in line][-1:]
    return scenario + [line for line in lines[start:] if line.strip() and _MAYBE not in line] if lines[start:] else []


def _reasons(lines: Sequence[str]) -> list[str]:
    found, heading = [], ""
    for line in lines:
        if named := _HEADING.fullmatch(line):
            heading = named["test"]
        elif _REASON.match(line):
            found += [f"{heading}:"] if heading else []
            heading = ""
            found.append(line)
    return found
