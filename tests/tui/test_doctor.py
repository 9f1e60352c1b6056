"""What hurts now: in the head of every place, and in a place of its own."""

import asyncio
import threading
from pathlib import Path

import pytest

from fsadvisor.machine.kept_files import INCIDENT, WithFile
from fsadvisor.machine.opening import open_machine
from fsadvisor.pages.glyphs import plain
from fsadvisor.tui import explorer
from fsadvisor.tui.app import FsadvisorApp
from fsadvisor.tui.widgets.bars import KeysBar
from fsadvisor.verbs.watch import WindowFiles
from tests.doctor.test_answer import place, window
from tests.finding.test_watch import Night
from tests.tui.driving import MACHINE, SIZES, TERMINAL, explored, long, screen, session, shown, until


def looked(steps, take, size=(80, 24)):
    """Run the explorer on a machine that counts as this one, where the doctor sees what `take` returns."""

    async def run():
        here = session(MACHINE)
        here.live, here.window = True, take
        app = FsadvisorApp(here, TERMINAL)
        async with app.run_test(size=size, notifications=True) as pilot:
            await until(pilot, lambda: app.snapshot is not None)
            return await steps(app, pilot)

    return asyncio.run(run())


def broken():
    return window(filesystems=(place(super_options=("ro", "emergency_ro")),))


@pytest.mark.parametrize("size", SIZES)
def test_a_quiet_machine_is_told_so_in_the_page_of_the_key_d(size):
    async def steps(app, pilot):
        await pilot.press("d")
        await until(pilot, lambda: "Nothing hurts now" in shown(app))
        await pilot.press("escape")
        await pilot.pause()
        return app.screen.name

    assert looked(steps, window, size) == "overview"


@pytest.mark.parametrize("size", [(60, 20), long(80, 24), *SIZES[1:]])
def test_what_hurts_stands_in_the_head_of_each_place_and_a_click_tells_the_rest(size):
    async def steps(app, pilot):
        await until(pilot, lambda: "/srv" in screen(app)[1])
        await pilot.press("6")
        await until(pilot, lambda: app.screen.name == "plan" and "/srv" in screen(app)[1])
        await pilot.click("Head", offset=(size[0] - 4, 1))
        await until(pilot, lambda: app.screen.name == "doctor")
        return shown(app)

    assert "fsadvisor explain filesystem-turned-read-only" in looked(steps, broken, size)


def test_a_look_that_is_old_is_dated_in_the_head_and_taken_again_by_the_key_d():
    windows = [window(), broken()]

    async def steps(app, pilot):
        await until(pilot, lambda: "nothing hurts" in screen(app)[1])
        now = app.doctor.clock()
        app.doctor.clock = lambda: now + 200
        await pilot.press("6")
        await until(pilot, lambda: "3 min ago: nothing hurts" in screen(app)[1])
        await pilot.press("d")
        await until(pilot, lambda: "fsadvisor explain filesystem-turned-read-only" in shown(app))
        return windows

    assert looked(steps, lambda: windows.pop(0), (120, 40)) == []


def test_while_it_looks_keys_are_answered_and_the_head_says_so():
    go = threading.Event()

    def slow():
        go.wait()
        return window()

    async def steps(app, pilot):
        await pilot.press("d")
        await until(pilot, lambda: "Looking for 5 s" in shown(app) and "looking" in screen(app)[1])
        await pilot.press("escape")
        await until(pilot, lambda: app.screen.name == "overview")
        go.set()
        await until(pilot, lambda: not app.doctor.looking)

    looked(steps, slow, (120, 40))


def test_a_look_that_fails_is_told_and_ends_nothing():
    def failing():
        raise OSError("no /proc here")

    async def steps(app, pilot):
        await pilot.press("d")
        await until(pilot, lambda: "The look failed: OSError: no /proc here" in shown(app))

    looked(steps, failing)


def test_a_recording_has_no_now_and_names_the_command_that_judges_a_kept_look():
    async def steps(app, pilot):
        await pilot.press("d")
        await until(pilot, lambda: app.screen.name == "doctor")
        await pilot.pause()
        return shown(app)

    assert "fsadvisor doctor --on FILE" in explored(steps)


def test_what_watch_kept_is_scrolled_moment_by_moment(tmp_path):
    kept = WindowFiles(tmp_path)
    Night().watched(kept)

    async def steps(app, pilot):
        await pilot.press("d")
        await until(pilot, lambda: "explain device-at-its-limit" in shown(app))
        worst = shown(app)
        assert "Left Earlier  Right Later" in plain(app.screen.query_one(KeysBar).line())
        await pilot.press("left")
        await until(pilot, lambda: "I/O pressure 0 %" in shown(app))
        return worst, shown(app)

    worst, before = explored(steps, open_machine(tmp_path))
    assert "An incident that watch kept, 2026-11-23 01:58" in worst
    assert "I/O pressure 80 %, busiest disk 100 %" in worst
    assert "explain device-at-its-limit" not in before


def test_a_machine_that_runs_shows_its_last_incident_beside_now(tmp_path):
    file = tmp_path / "incident.jsonl"
    kept = WindowFiles(tmp_path)
    Night().watched(kept)
    kept.over(file)

    async def run():
        here = session(MACHINE)
        here.live, here.window = True, window
        plain = here.opened
        here.opened = lambda: (WithFile(plain()[0], INCIDENT, file.read_text(), INCIDENT), None)
        app = FsadvisorApp(here, TERMINAL)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: app.snapshot is not None)
            await pilot.press("d")
            await until(pilot, lambda: "Nothing hurts now" in shown(app) and app.doctor.kept)
            await pilot.press("i")
            await until(pilot, lambda: "explain device-at-its-limit" in shown(app))
            await pilot.press("i")
            await until(pilot, lambda: "Nothing hurts now" in shown(app))

    asyncio.run(run())


class Counting(FsadvisorApp):
    """How often it hears of a look; after ten times it stops, which ends what would go on for ever."""

    CSS_PATH = Path(explorer.__file__).with_name("style.tcss")
    heard = 0

    def on_diagnosed(self):
        self.heard += 1
        if self.heard < 10:
            super().on_diagnosed()


def test_a_look_is_told_once_and_then_the_explorer_rests():
    async def run():
        here = session(MACHINE)
        here.live, here.window = True, window
        app = Counting(here, TERMINAL)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: app.snapshot is not None and app.heard)
            await until(pilot, lambda: not app.doctor.looking)
            for _ in range(5):
                await pilot.pause()
            return app.heard

    assert asyncio.run(run()) == 1
