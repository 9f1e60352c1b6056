"""docs/probes.md: a section for each part, kept from earlier runs where a part is not run again."""

from __future__ import annotations

import os
import platform
import re
import statistics
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tools.probes.rows import Kept

TITLES: Final[Mapping[str, str]] = {
    "long": "Short against long",
    "noise": "How noisy",
    "ratio": "Against fio alone",
    "kills": "Killed at random moments",
}
"""Part -> its heading, in the order of the page."""
_HEAD: Final = (
    "# Probes, held against the truth\n\n"
    "Made by `make measure`; every section says when and where. Figures are those of one machine: a place to look, and"
    " what to expect of the method.\n"
)


def noted(line: str) -> None:
    """Tell the person who waits."""
    print(f"measure: {line}", file=sys.stderr, flush=True)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Markdown; short rows are filled up."""
    lines = [heads, ["---"] * len(heads), *([*row, *[""] * (len(heads) - len(row))] for row in rows)]
    return "".join(f"| {' | '.join(_cell(cell) for cell in line)} |\n" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def percent(shares: Sequence[float]) -> str:
    """The median of shares, in percent."""
    return f"{100 * statistics.median(shares):.1f} %" if shares else ""


def put(page: Path, part: str, text: str, rows: Sequence[Kept]) -> None:
    """Put a part's section into the page, anew or for the first time; its rows tell when and where it was measured."""
    sections = _sections(page.read_text(encoding="utf-8")) if page.exists() else {}
    sections[part] = f"## {TITLES[part]}\n\n{_when(rows)}\n\n{text.rstrip()}\n"
    body = "\n".join(sections[name] for name in TITLES if name in sections)
    page.write_text(f"{_HEAD}\n{body}", encoding="utf-8")


def _when(rows: Sequence[Kept]) -> str:
    """From the first row to the last, all of the same conditions, and how busy the machine was."""
    loads = [row.load for row in rows]
    busy = f"load {min(loads):.1f} to {max(loads):.1f} at the end of rows"
    return f"{min(row.began for row in rows)} to {max(row.ended for row in rows)} UTC; {rows[0].conditions}; {busy}."


def _sections(text: str) -> dict[str, str]:
    found = {}
    for piece in re.split(r"(?m)^(?=## )", text)[1:]:
        title = piece.partition("\n")[0].removeprefix("## ")
        for part, known in TITLES.items():
            if title == known:
                found[part] = f"{piece.rstrip()}\n"
    return found


def conditions(where: str) -> str:
    """On what is measured: figures of other conditions stand in no table together."""
    fio = subprocess.run(["fio", "--version"], capture_output=True, text=True, check=False).stdout.strip()
    source = subprocess.run(
        ["findmnt", "-n", "-o", "SOURCE,FSTYPE,OPTIONS", "-T", where], capture_output=True, text=True, check=False
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 30
    told = (
        f"{os.cpu_count()} processors ({_model()}), {memory} GiB",
        f"Linux {platform.release()}",
        fio,
        f"{where} on {' '.join(source.stdout.split())}",
    )
    return "; ".join(told)


def _model() -> str:
    found = re.search(r"(?m)^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return found[1] if found else platform.machine()
