"""A captured screen as a picture: its escapes become SVG by Rich, and Chromium makes that a PNG."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from io import StringIO
from pathlib import Path

from rich.ansi import AnsiDecoder
from rich.console import Console
from rich.terminal_theme import TerminalTheme

_GROUND = TerminalTheme(
    (20, 24, 28),
    (212, 216, 220),
    [(20, 24, 28), (205, 70, 60), (90, 170, 90), (200, 160, 60), (80, 130, 190), (160, 100, 180), (70, 170, 170),
     (200, 204, 208)],
    [(100, 108, 116), (238, 122, 112), (127, 192, 138), (224, 176, 96), (127, 178, 217), (185, 155, 224),
     (120, 200, 200), (240, 244, 248)],
)  # fmt: skip


def svg(screen: str, columns: int, title: str) -> str:
    """The screen as SVG that loads nothing from elsewhere."""
    console = Console(width=columns, record=True, file=StringIO(), force_terminal=True, legacy_windows=False)
    for one in AnsiDecoder().decode(screen.rstrip("\n")):
        console.print(one, no_wrap=True, overflow="crop", crop=True)
    drawn = console.export_svg(title=title, theme=_GROUND)
    return re.sub(r"@font-face\s*\{[^}]*\}", "", drawn).replace("Fira Code", "DejaVu Sans Mono")


def png(drawn: str, out: Path, width: int) -> None:
    """Draw an SVG by Chromium, `width` pixels wide. Raises FileNotFoundError where there is no Chromium."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        raise FileNotFoundError("chromium: install the package chromium")
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawn)
    height = int(width * float(box[2]) / float(box[1])) if box else width
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        page.write_text(
            f"<meta charset=utf-8><style>body{{margin:0;background:#14181c}}svg{{width:100%}}</style>{drawn}"
        )
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        size = f"--window-size={width},{height}"
        subprocess.run([*command, size, f"--screenshot={out}", page.as_uri()], check=True, capture_output=True)
