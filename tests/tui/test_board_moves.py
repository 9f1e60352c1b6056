"""What the disks do meanwhile, on the board: driven with moments that are made up."""

import asyncio
import inspect
from pathlib import Path
from typing import ClassVar

from fsadvisor.tui.app import FsadvisorApp
from fsadvisor.tui.explorer import Explorer
from fsadvisor.tui.screens.overview import Overview
from tests.tui.driving import TERMINAL, session, shown, until
from tests.views.test_traffic import moments


class MadeUp:
    """Counting whose moments the test gives."""

    made: ClassVar[list] = []

    def __init__(self, told, failed):
        self.told, self.failed, self.paused, self.now = told, failed, True, ()
        self.made.append(self)

    def go(self):
        self.paused = False

    def pause(self):
        self.paused = True

    def moments(self):
        return self.now


class MadeUpBoard(Overview):
    def counting(self, told, failed):
        return MadeUp(told, failed)


class App(FsadvisorApp):
    CSS_PATH = Path(inspect.getfile(Explorer)).with_name("style.tcss")
    MODES: ClassVar = {**FsadvisorApp.MODES, "overview": MadeUpBoard}


def board(steps, *, live):
    async def run():
        here = session("raid-lvm-crypt-server")
        here.live = live
        app = App(here, TERMINAL)
        MadeUp.made.clear()
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, lambda: app.snapshot is not None and "Board" in shown(app))
            return await steps(app, pilot)

    return asyncio.run(run())


def test_the_board_shows_what_is_written_while_it_is_seen_and_the_cursor_stays():
    async def steps(app, pilot):
        counting = MadeUp.made[0]
        states = [counting.paused]
        for keys in (("enter",), ("escape",), ("2",), ("1",)):
            await pilot.press(*keys)
            expected = len(states) % 2 == 1
            await until(pilot, lambda expected=expected: counting.paused == expected)
            states.append(counting.paused)
        await pilot.press("tab", "j")
        here = app.screen._storage.row.key
        for number in (64, 256):
            counting.now = moments(sda=number, sda1=number)
            counting.told()
            await until(pilot, lambda number=number: f" w {number * 4}K" in shown(app).replace("1.00M", "1024K"))
        return states, here, app.screen._storage.row.key, shown(app)

    states, before, after, text = board(steps, live=True)
    assert states == [False, True, False, True, False]
    assert before == after
    assert "w, r up to 1.00M/s" in text


def test_of_a_recording_nothing_is_counted():
    async def steps(app, pilot):
        await pilot.press("2", "1")
        await until(pilot, lambda: app.screen.name == "overview" or "Board" in shown(app))
        return list(MadeUp.made)

    assert board(steps, live=False) == []
