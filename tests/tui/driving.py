"""Runs the explorer without a terminal, on a recorded machine."""

import asyncio
import os

import pytest
from textual.cache import LRUCache
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import Input

from fsadvisor.machine.opening import open_machine
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.survey.whole import survey
from fsadvisor.tui.app import FsadvisorApp
from fsadvisor.tui.drawing import ParsedOnce
from fsadvisor.tui.session import Session
from fsadvisor.tui.terminal import Terminal
from tests.doctor.test_answer import window
from tests.paths import FIXTURES, ROOT
from tools.screens.docs import strips

MACHINE = "pm9a3-postgresql-volatile"
TERMINAL = Terminal(unicode=True, plain=False, colour=True)
os.environ.pop("TMUX", None)  # what tests copy is not for the person who runs them


LONGEST_TURNS = 1_000
"""Of a screen that never comes to rest."""

PARSED = {}
"""Colours -> the style sheets that some explorer of this process has parsed with them."""


class ParsedBefore(ParsedOnce):
    """An explorer of a test takes what that of another test has parsed: a sixth of its start."""

    def set_variables(self, variables):
        if variables != self._variables:
            self._parse_cache = LRUCache(1)  # which is cleared
            super().set_variables(variables)
        self._parse_cache = PARSED.setdefault(tuple(sorted(variables.items())), LRUCache(1024))


class Heard(FsadvisorApp):
    """Keeps all that was said above the keys: the next key takes it away."""

    CSS_PATH = ROOT / "fsadvisor/tui/style.tcss"

    def __init__(self, *given, **named):
        super().__init__(*given, **named)
        self.heard = []
        self.stylesheet = ParsedBefore()
        self.stylesheet.set_variables(self.get_css_variables())

    def _on_notify(self, event):
        super()._on_notify(event)
        self.heard.append(event.notification.message)

    async def _press_keys(self, keys):
        """Each once all is done that the one before led to: an idle processor tells nothing on a busy machine."""
        for key in keys:
            await super()._press_keys([key])
            await at_rest(Pilot(self))


async def at_rest(pilot):
    """Wait until all is done that is to be done at once; not for threads and timers."""
    settled = pilot.app.painting.is_settled
    for _ in range(LONGEST_TURNS):  # first without a message of ours: while there is one, no key is known to do nothing
        if settled():
            break
        await asyncio.sleep(0.001)
    for _ in range(LONGEST_TURNS):
        if not await pilot._wait_for_screen() or settled():
            return


def said(app):
    """All of that."""
    return " ".join(app.heard)


async def typed(pilot, words):
    """Type into the line that has the keyboard, as fast as somebody pastes: it is waited once, and not for each key."""
    app = pilot.app
    await until(pilot, lambda: isinstance(app.focused, Input))
    for sign in words:
        key = Key({" ": "space", ".": "full_stop", "_": "underscore"}.get(sign, sign), sign)
        key.set_sender(app)
        app._driver.send_message(key)
    await pilot.pause()
    await pilot.pause()


def long(*size):
    """A size that only `make long` tries."""
    return pytest.param(size, marks=pytest.mark.long)


SIZES = [(80, 24), long(120, 40), long(200, 60)]
TWO_SIZES = [(80, 24), long(160, 50)]


def session(machine):
    """A session on a recorded machine (by name), or on one that is made by a test."""

    def opened():
        return (open_machine(FIXTURES / "machines" / machine) if isinstance(machine, str) else machine), None

    def storage_of(it, supposed=()):
        return survey(it, {}, supposed)

    return Session(
        opened=opened, storage_of=storage_of, rulebook=own_rulebook(), version="0", live=False, window=window
    )


def explored(steps, machine=MACHINE, size=(80, 24), terminal=TERMINAL, notifications=False):
    """Run the explorer; `steps(app, pilot)` drives it once the first snapshot is shown. Returns what it returns.

    `notifications` draws what is said for a moment, too.
    """

    async def run():
        app = Heard(session(machine), terminal)
        async with app.run_test(size=size, notifications=notifications) as pilot:
            await until(pilot, lambda: app.snapshot is not None)
            await at_rest(pilot)
            return await steps(app, pilot)

    return asyncio.run(run())


async def until(pilot, holds, turns=10_000):
    """Let the explorer work until something holds; the end is generous, for a machine that is slow or busy."""
    for _ in range(turns):
        await pilot.pause()
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"it never came to hold:\n{shown(pilot.app)}")


def screen(app):
    """What is on the screen, as lines of text."""
    width, height = app.size
    return ["".join(segment.text for segment in strip)[:width] for strip in strips(app)][:height]


def shown(app):
    """The same as one text."""
    return "\n".join(screen(app))
