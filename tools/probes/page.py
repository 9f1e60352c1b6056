"""docs/probes.md: a section for each part, kept from earlier runs where a part is not run again."""

from __future__ import annotations

import datetime as dt
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


def put(page: Path, part: str, text: str, where: str) -> None:
    """Put a part's section into the page, anew or for the first time."""
    sections = _sections(page.read_text(encoding="utf-8")) if page.exists() else {}
    sections[part] = f"## {TITLES[part]}\n\n{_conditions(where)}\n\n{text.rstrip()}\n"
    body = "\n".join(sections[name] for name in TITLES if name in sections)
    page.write_text(f"{_HEAD}\n{body}", encoding="utf-8")


def _sections(text: str) -> dict[str, str]:
    found = {}
    for piece in re.split(r"(?m)^(?=## )", text)[1:]:
        title = piece.partition("\n")[0].removeprefix("## ")
        for part, known in TITLES.items():
            if title == known:
                found[part] = f"{piece.rstrip()}\n"
    return found


def _conditions(where: str) -> str:
    """When, on what and in which company it was measured."""
    fio = subprocess.run(["fio", "--version"], capture_output=True, text=True, check=False).stdout.strip()
    source = subprocess.run(
        ["findmnt", "-n", "-o", "SOURCE,FSTYPE,OPTIONS", "-T", where], capture_output=True, text=True, check=False
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 30
    told = (
        f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%d %H:%M} UTC",
        f"{os.cpu_count()} processors ({_model()}), {memory} GiB",
        f"Linux {platform.release()}",
        fio,
        f"{where} on {' '.join(source.stdout.split())}",
        f"load {os.getloadavg()[0]:.1f} at the end",
    )
    return "; ".join(told) + "."


def _model() -> str:
    found = re.search(r"(?m)^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return found[1] if found else platform.machine()
