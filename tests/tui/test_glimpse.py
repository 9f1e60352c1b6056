"""What is seen, and what keys do, while a big machine is read."""

import asyncio
import threading

from fsadvisor.machine.opening import open_machine
from fsadvisor.survey import progress
from fsadvisor.survey.progress import Progress, glimpse
from fsadvisor.survey.whole import survey
from fsadvisor.tui.app import FsadvisorApp
from fsadvisor.tui.views.overview import how_far
from tests.paths import FIXTURES
from tests.tui.driving import TERMINAL, session, shown, until
from tests.waiting import END_S

MACHINE = "old-storage-server"


def held(steps, size=(100, 30)):
    """Run the explorer of a machine where no snapshot comes before `go` is set; `steps(app, pilot, go)` drives it."""
    go = threading.Event()
    made = session(MACHINE)
    at_once = made.storage_of

    def later(machine, supposed=()):
        storage = at_once(machine, supposed)
        assert go.wait(END_S)
        return storage

    made.storage_of = later

    async def run():
        app = FsadvisorApp(made, TERMINAL)
        async with app.run_test(size=size) as pilot:
            await steps(app, pilot, go)

    asyncio.run(run())


def test_mounts_and_drives_stand_there_by_name_before_the_first_look():
    async def steps(app, pilot, go):
        await until(pilot, lambda: "being read" in shown(app))
        assert "6 mounts, 6 drives; being read" in shown(app)
        assert "/srv/cached" in shown(app)
        await until(pilot, lambda: "all 6 filesystems read, judging" in shown(app))
        go.set()
        await until(pilot, lambda: app.snapshot is not None and "7 critical" in shown(app))
        assert "being read" not in shown(app)
        assert app.screen.focused.id == "advice"

    held(steps)


def test_keys_are_answered_meanwhile_and_the_row_is_kept():
    async def steps(app, pilot, go):
        await until(pilot, lambda: "being read" in shown(app))
        board = app.screen.query_one("#tree")
        await pilot.press("j", "j")
        row = board.row.key
        await pilot.press("enter")
        await until(pilot, lambda: any("still being read" in one.message for one in app._notifications))
        go.set()
        await until(pilot, lambda: app.snapshot is not None and "7 critical" in shown(app))
        assert app.screen.focused is board
        assert board.row.key == row

    held(steps)


def test_a_glimpse_names_what_the_survey_finds():
    machine = open_machine(FIXTURES / "machines" / MACHINE)
    seen, storage = glimpse(machine), survey(machine, {})
    mounted = {one.name for one in storage.subjects if one.kind == "mount"}
    assert {point for point, _ in seen.mounts} <= mounted
    assert set(seen.drives) == {one.name for one in storage.subjects if one.kind == "disk"}


def test_how_far_a_survey_is_can_be_heard():
    heard = []
    with progress.reporting_to(heard.append):
        survey(open_machine(FIXTURES / "machines" / MACHINE), {})
    assert heard[0] == Progress("drives", 1, 6)
    assert Progress("drives", 6, 6) in heard
    assert how_far(heard[0]) == "1 of 6 drives read"
    assert how_far(heard[-1]).endswith("filesystems read, judging")
    assert not list(progress.each("drives", ()))
