"""`python -m tools.screens OUT.png COLUMNSxROWS 'KEYS…' -- fsadvisor ARGS`: what a person sees after these keys."""

from __future__ import annotations

import sys
from pathlib import Path

from tools.screens.gallery import PIXELS_A_COLUMN
from tools.screens.picture import png, svg
from tools.screens.terminal import Terminal


def main() -> int:
    """Run, press, capture; print the screen's text too."""
    try:
        out, size, keys, _, *command = sys.argv[1:]
    except ValueError:
        sys.exit(__doc__)
    columns, rows = map(int, size.split("x"))
    with Terminal(command, columns, rows) as terminal:
        terminal.until("Enter")  # the first key that is named: a narrow terminal has no room for the last
        terminal.still()
        terminal.pressed(*keys.split())
        screen = terminal.still()
        sys.stdout.write(terminal.text())
    png(svg(screen, columns, " ".join(command)), Path(out).resolve(), columns * PIXELS_A_COLUMN)
    return 0


if __name__ == "__main__":
    sys.exit(main())
