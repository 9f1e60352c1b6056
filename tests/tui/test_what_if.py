"""The place where one supposes facts."""

import re
import threading

import pytest
from msgspec import structs

from fsadvisor.machine.opening import open_machine
from fsadvisor.storage import Supposition
from fsadvisor.tui.screens.choices import SuppositionForm
from fsadvisor.tui.screens.export import content
from fsadvisor.tui.screens.what_if import ChangeScreen, WhatIf
from fsadvisor.tui.terminal import Terminal
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.version import Version
from tests.cases import few
from tests.paths import FIXTURES
from tests.tui.driving import TWO_SIZES, explored, screen, shown, typed, until
from tests.waiting import END_S

SIZES = TWO_SIZES
SCROLLBAR = frozenset(" ▁▂▃▄▅▆▇█▎▍▌▋▊▉▏")
"""Textual draws its own."""

RAID = "raid-lvm-crypt-server"


async def opened(app, pilot):
    await pilot.press("3")
    await settled(app, pilot)


async def settled(app, pilot):
    """All that was supposed is worked out and shown."""
    await until(pilot, lambda: isinstance(app.screen, WhatIf) and is_settled(app))
    await pilot.pause()


def is_settled(app):
    known = app.screen._followed
    return known is not None and known.supposed == app.supposed and known.real is app.snapshot


def rows(app, name):
    view = app.screen.query_one(f"#{name}", RowsView)
    return ["".join(one.text for line in row.lines for one in line) for row in view.rows]


async def chosen(app, pilot, words):
    """Search for the words, and open what is found first."""
    await until(pilot, lambda: isinstance(app.screen, SuppositionForm))
    await pilot.press("slash")
    await typed(pilot, words)
    await pilot.press("enter")
    await pilot.pause()
    await pilot.press("enter")
    await pilot.pause()


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_supposed_at_first_and_what_would_unlock_advice_is_by_enter_and_undone_by_u(size):
    async def steps(app, pilot):
        await opened(app, pilot)
        first, real = shown(app), rows(app, "changes")
        app.screen.query_one("#unlocks").focus()
        await pilot.press("enter")
        await settled(app, pilot)
        supposed, text = rows(app, "changes"), shown(app)
        await pilot.press("U")
        await settled(app, pilot)
        return first, real, supposed, text, rows(app, "changes")

    first, real, supposed, text, after = explored(steps, machine=RAID, size=size)
    assert "Nothing is supposed: the advice below is the real one" in first
    assert "Nothing on the machine ever does" in first
    assert "SUPPOSITION" in text
    assert "Nothing on the machine was changed" in text
    assert "below.any_incomplete = no" in text
    assert supposed[0].startswith(" CHANGED")
    assert re.search("was (not safe here|safety not known), now advised", supposed[0])
    assert after == real


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
def test_a_fact_is_chosen_by_subject_name_and_value(size):
    async def steps(app, pilot):
        await opened(app, pilot)
        await pilot.press("a")
        await chosen(app, pilot, "this machine")
        await chosen(app, pilot, "host.kernel ")
        before = shown(app)
        await pilot.press("ctrl+u")
        await typed(pilot, "six")
        await pilot.press("enter")
        await pilot.pause()
        mistaken = shown(app)
        await pilot.press("ctrl+u")
        await typed(pilot, "3.10")
        await pilot.press("enter")
        await settled(app, pilot)
        return before, mistaken, app.supposed, shown(app)

    before, mistaken, supposed, after = explored(steps, machine=RAID, size=size)
    assert "What if host.kernel were not" in before
    assert "no version such as" in mistaken
    assert [(one.fact, one.value) for one in supposed] == [("host.kernel", Version(3, 10))]
    assert "host.kernel = 3.10.0" in after


@pytest.mark.long
def test_the_newest_supposition_is_undone_first_and_the_others_stay():
    async def steps(app, pilot):
        await opened(app, pilot)
        app.screen.query_one("#unlocks").focus()
        await pilot.press("enter")
        await settled(app, pilot)
        first = app.supposed
        await pilot.press("enter")
        await settled(app, pilot)
        both = app.supposed
        await pilot.press("u")
        await settled(app, pilot)
        return first, both, app.supposed

    first, both, left = explored(steps)
    assert len(both) > len(first) > 0
    assert left == both[:-1]


def test_a_change_is_looked_at_from_near():
    async def steps(app, pilot):
        await opened(app, pilot)
        app.screen.query_one("#unlocks").focus()
        await pilot.press("enter")
        await settled(app, pilot)
        app.screen.query_one("#changes").focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ChangeScreen))
        await pilot.pause()
        text = shown(app)
        await pilot.press("escape")
        await settled(app, pilot)
        return text

    text = explored(steps, machine=RAID, size=(120, 60))
    assert "CHANGED  was safety not known, now advised".replace("  ", " ") in " ".join(text.split())
    assert re.search(r"\w+ -> yes", text)


@pytest.mark.long
def test_a_change_from_near_says_that_it_is_supposed_wherever_one_reads_and_in_what_is_saved():
    async def steps(app, pilot):
        await opened(app, pilot)
        app.screen.query_one("#unlocks").focus()
        await pilot.press("enter")
        await settled(app, pilot)
        app.screen.query_one("#changes").focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ChangeScreen))
        await pilot.press("G")
        await pilot.pause()
        return shown(app), content(app.snapshot, "svg", app.export_screenshot()).decode(), app.snapshot.supposed

    text, picture, real = explored(steps, machine=RAID)
    assert "SUPPOSITION" in text
    assert "SUPPOSITION" in picture
    assert real == ()


@pytest.mark.long
def test_escape_goes_back_step_by_step_and_supposes_nothing():
    async def steps(app, pilot):
        await opened(app, pilot)
        await pilot.press("a")
        await chosen(app, pilot, "this machine")
        await chosen(app, pilot, "host.virtual")
        for _ in range(3):
            await pilot.press("escape")
            await pilot.pause()
        await settled(app, pilot)
        return app.supposed

    assert explored(steps) == ()


@pytest.mark.long
def test_what_is_out_of_date_when_it_comes_is_not_shown():
    async def steps(app, pilot):
        await opened(app, pilot)
        gate, asked = threading.Event(), []
        real_supposing = app.session.supposing

        def slow(supposed):
            asked.append(supposed)
            if len(asked) == 1:
                gate.wait()
            return real_supposing(supposed)

        app.session.supposing = slow
        app.screen.query_one("#unlocks").focus()
        await pilot.press("enter")
        await until(pilot, lambda: asked)
        working = shown(app)
        await pilot.press("U")
        await pilot.pause()
        gate.set()
        await settled(app, pilot)
        return working, shown(app)

    working, after = explored(steps)
    assert "working out what would follow" in working
    assert "Nothing is supposed" in after
    assert "CHANGED" not in after


def test_an_error_while_working_it_out_is_told_and_the_explorer_goes_on():
    async def steps(app, pilot):
        await opened(app, pilot)

        def failing(supposed):
            raise OSError("the recording is gone")

        app.session.supposing = failing
        app.screen.query_one("#unlocks").focus()
        await pilot.press("enter")
        await until(pilot, lambda: "could not be worked out" in shown(app))
        return shown(app)

    assert "the recording is gone" in explored(steps)


class HostileMachine:
    """A recorded machine whose drive calls itself what could harm a terminal, or be read as markup."""

    NAME = "[bold red]x[/] [/nope] \x1b]0;gone\x07\x1b[31m\udcff\u202e" + "x" * 4096

    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def read(self, path):
        answer = self._inner.read(path)
        return structs.replace(answer, text=self.NAME) if path.endswith("device/model") else answer


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key", few("23"))
def test_what_a_drive_calls_itself_harms_neither_place(size, key):
    machine = HostileMachine(open_machine(FIXTURES / "machines" / RAID))

    async def steps(app, pilot):
        await pilot.press(key)
        await until(pilot, lambda: getattr(app.screen, "_followed", None) or getattr(app.screen, "_gathered", None))
        for press in ("enter", "tab", "enter", "escape", "w" if key == "2" else "a", "j", "enter"):
            await pilot.press(press)
            await pilot.pause()
        return screen(app)

    for line in explored(steps, machine=machine, size=size):
        assert line.isprintable()


@pytest.mark.long
@pytest.mark.parametrize("key", few("23"))
def test_without_unicode_every_sign_is_ascii(key):
    plain = Terminal(unicode=False, plain=True, colour=False)

    async def steps(app, pilot):
        await pilot.press(key)
        await until(pilot, lambda: getattr(app.screen, "_followed", None) or getattr(app.screen, "_gathered", None))
        seen = []
        for press in ("tab", "enter", "escape", "a" if key == "3" else "w", "enter"):
            await pilot.press(press)
            await pilot.pause()
            seen += screen(app)[2:-1]
        return seen

    for line in explored(steps, terminal=plain, machine=RAID):
        assert all(sign.isascii() or sign in SCROLLBAR for sign in line), line


def test_nothing_is_said_of_advice_before_it_is_worked_out():
    async def steps(app, pilot):
        may_answer, survey = threading.Event(), app.session.storage_of
        app.session.storage_of = lambda it, supposed=(): may_answer.wait(END_S) and survey(it, supposed)
        app.supposed = (Supposition("disk:nvme0n1", "disk.plp", "proven"),)
        await pilot.press("3")
        await until(pilot, lambda: "Being worked out" in shown(app))
        before = shown(app)
        may_answer.set()
        await settled(app, pilot)
        return before, shown(app)

    before, after = explored(steps)
    assert "No advice" not in before
    assert "Being worked out" not in after


@pytest.mark.long
def test_only_what_changes_is_listed_until_the_rest_is_asked_for():
    async def steps(app, pilot):
        await opened(app, pilot)
        real = len(rows(app, "changes"))
        app.screen.query_one("#unlocks").focus()
        await pilot.press("enter")
        await settled(app, pilot)
        folded = rows(app, "changes")
        app.screen.query_one("#changes").focus()
        await pilot.press("end", "enter")
        await until(pilot, lambda: len(rows(app, "changes")) > len(folded))
        return real, folded, rows(app, "changes")

    real, folded, unfolded = explored(steps, machine=RAID)
    assert "of advice as before" in folded[-1]
    assert len(folded) < real <= len(unfolded)
    assert all(" as before" not in one for one in folded[:-1])
