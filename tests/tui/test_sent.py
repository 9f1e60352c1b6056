"""What a terminal shows after any keys, held against what the application means to show."""

import asyncio
import random
import sys

import pytest
from rich.color import ColorSystem
from rich.style import Style
from textual.drivers.headless_driver import HeadlessDriver

from fsadvisor.tui.app import FsadvisorApp
from fsadvisor.tui.terminal import FEWEST, Abilities, Terminal, terminal
from tests.tui.driving import long, session, until
from tools.screens.emulated import CellStyle, Emulated, seen

KEYS = ("j", "k", "tab", "enter", "escape", "1", "2", "3", "6", "7", "s", "t", "f", "colon", "n", "question_mark", "G")
KEYS_PRESSED = 16
KINDS = {
    "all": Terminal(unicode=True, plain=False, colour=True, abilities=Abilities(True, True, True)),
    "few": Terminal(unicode=True, plain=False, colour=True),
    "plain": Terminal(unicode=False, plain=True, colour=True, abilities=Abilities(True, True, False)),
}


class Told(HeadlessDriver):
    """Feeds what is written to an emulated terminal."""

    def __init__(self, app, *, size, **more):
        super().__init__(app, size=size, **more)
        self.terminal = Emulated(*size)

    @property
    def is_headless(self):
        return False

    def write(self, data):
        self.terminal.feed(data)


def meant(app):
    """The cells of the whole screen, by the colours that Textual itself would send."""
    update = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    lines = []
    for line in update.strips:
        lines.append([])
        for strip in line:
            for text, style, _ in strip:
                codes = (style or Style.null())._make_ansi_codes(app.console._color_system or ColorSystem.TRUECOLOR)
                lines[-1] += [seen(sign, CellStyle().then(codes.split(";"))) for sign in text]
    return lines


@pytest.mark.long
@pytest.mark.parametrize("size", [(100, 30), long(60, 20), long(200, 60)])
@pytest.mark.parametrize("kind", ["all", *(pytest.param(one, marks=pytest.mark.long) for one in ("few", "plain"))])
def test_the_terminal_shows_what_is_meant_after_any_keys(kind, size, monkeypatch):
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm-256color")
    chance = random.Random(f"{kind}{size}")
    pressed = []

    async def steps(pilot):
        app = pilot.app
        await until(pilot, lambda: app.snapshot is not None)
        for _ in range(KEYS_PRESSED):
            pressed.append(chance.choice(KEYS))
            await pilot.press(pressed[-1])
            await until(pilot, lambda: not app.painting.waits)
            shown, right = app._driver.terminal.cells, meant(app)
            wrong = [y for y in range(size[1]) if shown[y] != right[y]]
            assert not wrong, (
                pressed,
                wrong,
                *("".join(one.sign for one in lines[wrong[0]]) for lines in (shown, right)),
            )
        app.exit()

    app = FsadvisorApp(session("old-storage-server"), KINDS[kind], driver_class=Told)
    asyncio.run(app.run_async(headless=False, size=size, auto_pilot=steps))
    assert len(pressed) == KEYS_PRESSED


def test_a_python_without_curses_sends_what_every_terminal_takes(monkeypatch):
    monkeypatch.setitem(sys.modules, "curses", None)
    assert terminal({"TERM": "xterm-256color"}).abilities == FEWEST
