"""`python -m tools.screens.gallery FOLDER [MACHINE…]`: every place of the explorer at three sizes, as pictures.

A MACHINE is a folder of a recording; `live` is this one. Without any, the pictures of the docs are made (docs.py), as
SVG, which needs no browser.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tools.screens.docs import pictures
from tools.screens.picture import png, svg
from tools.screens.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT: Final = Path(__file__).resolve().parents[2]
PIXELS_A_COLUMN: Final = 10
SIZES: Final = ((80, 24), (120, 40), (200, 60))
PLACES: Final = (
    ("overview", ("1",)),
    ("finding", ("1", "Enter")),
    ("storage", ("Escape", "1", "Tab", "j", "j")),
    ("subject", ("Enter",)),
    ("help", ("?",)),
    ("unknowns", ("Escape", "Escape", "2")),
    ("what-if", ("3",)),
    ("probes", ("4",)),
    ("live", ("5",)),
    ("plan", ("6",)),
    ("plan-all", ("a",)),
    ("export", ("e",)),
    ("palette", ("Escape", "1", ":")),
)
"""What to press after the place before."""
WAITING: Final = ("Gathering", "Making the plan", "Being worked out", "One moment", "a few moments")
"""What a place says while it works; the picture is of what comes then."""


def captured(command: Sequence[str], columns: int, rows: int) -> Iterator[tuple[str, str]]:
    """Each place by name, with its screen (escapes and all)."""
    with Terminal(command, columns, rows) as terminal:
        terminal.until("Enter")
        terminal.still()
        for name, keys in PLACES:
            terminal.pressed(*keys)
            terminal.without(WAITING)
            yield name, terminal.text(colours=True)


def gallery(machine: str, sizes: Sequence[tuple[int, int]], out: Path) -> None:
    """Write the pictures of every place."""
    where = [] if machine == "live" else ["--on", machine]
    for columns, rows in sizes:
        for name, screen in captured([str(ROOT / ".venv/bin/fsadvisor"), *where], columns, rows):
            file = out / f"{Path(machine).name}-{columns}x{rows}-{name}.png"
            png(svg(screen, columns, "fsadvisor"), file.resolve(), columns * PIXELS_A_COLUMN)
            sys.stdout.write(f"{file}\n")


def main() -> int:
    """Make what is asked for."""
    folder, *machines = sys.argv[1:]
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    if not machines:
        for name, drawn in pictures():
            (out / f"{name}.svg").write_text(drawn)
    for machine in machines:
        gallery(machine, SIZES, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
