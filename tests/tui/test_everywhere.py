"""What works in every place."""

import asyncio
from contextlib import suppress

import pytest
from textual.app import ScreenStackError
from textual.command import CommandList
from textual.screen import Screen

from fsadvisor.pages.glyphs import columns
from fsadvisor.tui.actions import EVERYWHERE
from fsadvisor.tui.app import FsadvisorApp
from fsadvisor.tui.screens.overview import Overview
from fsadvisor.tui.widgets.bars import KeysBar
from fsadvisor.tui.widgets.text_views import DocumentView
from tests.tui.driving import (
    MACHINE,
    PARSED,
    SIZES,
    TERMINAL,
    Heard,
    at_rest,
    explored,
    said,
    screen,
    session,
    shown,
    typed,
    until,
)

MODES = ("overview", "unknowns", "what_if", "probes", "live", "plan", "trials")


@pytest.mark.parametrize("size", SIZES)
def test_the_help_of_each_place_with_a_list_lists_its_keys_and_says_what_enter_does(size):
    async def steps(app, pilot):
        for place in "7321":
            await pilot.press(place)
            await at_rest(pilot)
            await pilot.press("question_mark")
            await until(pilot, lambda: app.screen.name == "help")
            await pilot.pause()
            assert "Enter" in str(app.screen.query_one(DocumentView).document).partition("Moving")[0], place
            text = shown(app)
            await pilot.press("escape")
            await pilot.pause()
        return text, app.screen.name

    text, back = explored(steps, size=size)
    assert "Keys of" in text or "Here: overview" in text
    assert back == "overview"


@pytest.mark.long
def test_help_of_help_is_not_opened():
    async def steps(app, pilot):
        await pilot.press("question_mark", "question_mark")
        await pilot.pause()
        return len(app.screen_stack)

    assert explored(steps) == 2


def test_what_is_typed_as_the_palette_goes_is_searched_for_nowhere():
    async def check(app, pilot):
        await pilot.press("colon")
        palette = app.screen
        await palette.query_one(CommandList).remove()
        await app.push_screen(Screen())
        palette._gather_commands("trim")
        await at_rest(pilot)
        assert app.error is None

    explored(check)


def test_the_palette_finds_subjects_and_facts_and_tells_why_something_is_not_advised():
    async def steps(app, pilot):
        await pilot.press("colon")
        await typed(pilot, "nvme0n1")
        await until(pilot, lambda: "Show disk" in shown(app) and "nvme0n1" in shown(app))
        await pilot.press("escape", "colon")
        await typed(pilot, "plp")
        await until(pilot, lambda: "disk.plp = " in shown(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.screen.name == "subject" and app.screen.query_one("#rows").row is not None)
        fact = app.screen.key, app.screen.query_one("#rows").row.key
        await pilot.press("colon")
        await typed(pilot, "nobar")
        await until(pilot, lambda: "Why not" in shown(app) and "access times" not in shown(app))
        keys = screen(app)[-1]
        await pilot.press("enter")
        await until(pilot, lambda: app.screen.name == "finding")
        await pilot.pause()
        return fact, keys, shown(app)

    fact, keys, text = explored(steps)
    assert fact == ("disk:nvme0n1", "fact\ndisk.plp")
    assert "Esc Close" in keys
    assert "Search" not in keys
    assert "CHECKED, NOT FOUND HERE: nobarrier above a write cache without proven" in text
    assert "✗ no" in text


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
def test_the_palette_names_rule_and_subject_where_titles_are_cut(size):
    async def steps(app, pilot):
        await pilot.press("colon")
        await typed(pilot, "nobar")
        await until(pilot, lambda: "Why not" in shown(app) and "access times" not in shown(app))
        return shown(app)

    text = explored(steps, size=size)
    assert "Why not nobarrier-unproven, on filesystem /dev/" in text
    assert "Why not nobarrier-without-gain, on filesystem /dev/" in text


def test_no_key_is_given_to_two_actions_that_work_everywhere():
    keys = [key for action in EVERYWHERE for key in action.keys.split(",")]
    assert len(keys) == len(set(keys))


def test_every_place_is_reached_by_its_number_and_its_footer_fits_eighty_columns_and_offers_to_find_anything():
    """Nor is a style sheet parsed more than once."""
    PARSED.clear()

    async def steps(app, pilot):
        names, widths = [], {}
        for keys in (*"1234567", "1 enter", "escape tab j j enter", "question_mark"):
            await pilot.press(*keys.split())
            await until(pilot, lambda: app.screen.query(KeysBar))
            widths[f"{keys}: {type(app.screen).__name__}"] = columns(app.screen.query_one(KeysBar).line())
            if keys in "1234567":
                names.append(app.current_mode)
                await until(pilot, lambda: ": Find" in screen(app)[-1])
        return tuple(names), widths, len(app.stylesheet.source), app.stylesheet._parse_cache.misses

    names, widths, sheets, parsed = explored(steps)
    assert names == MODES
    assert {place: width for place, width in widths.items() if width > 80} == {}
    assert parsed == sheets


IDLE_KEYS = (
    ("Z", "Z does nothing here: / searches, ? shows the keys"),
    ("k", "There is no more that way"),
    ("1", "You are in this place already"),
    ("2%", "% does"),
    (" ", "Space does nothing here"),
    ("3U", "Nothing is supposed"),
    ("4c", "Nothing to do for that now"),
)


def test_a_key_that_does_nothing_is_answered_and_what_is_typed_into_a_line_is_none():
    async def steps(app, pilot):
        await pilot.press("escape")  # of a place that stands over none
        await pilot.pause()
        assert app.screen.name == "overview"
        await pilot.press("slash")
        await typed(pilot, "Zq%")
        await until(pilot, lambda: "Zq%" in shown(app))
        assert len(app._notifications) == 0
        await pilot.press("escape")
        for keys, words in IDLE_KEYS:
            app.heard.clear()
            for key in keys:
                await pilot.press(key)
            await until(pilot, lambda words=words: words in said(app))
            assert len(app._notifications) == 1, keys

    explored(steps)


def test_a_field_that_is_mounted_before_its_screen_ends_nothing():
    """As on Python 3.12 and later, where Textual begins tasks at once."""
    app = FsadvisorApp(session(MACHINE), TERMINAL)
    with pytest.raises(ScreenStackError):
        assert app.screen
    app.clear_selection()


class Broken(Screen):
    """A place with a bug."""

    def on_mount(self):
        raise ZeroDivisionError("a bug")


def test_a_bug_ends_the_explorer_at_once_and_is_told_by_whoever_started_it():
    async def run():
        app = FsadvisorApp(session(MACHINE), TERMINAL)
        with suppress(ZeroDivisionError):  # a test's own run tells it, too
            async with app.run_test() as pilot:
                await until(pilot, lambda: app.snapshot is not None)
                await app.push_screen(Broken())
        return app

    app = asyncio.run(run())
    assert (type(app.error), app.return_code, app._exit_renderables) == (ZeroDivisionError, 1, [])


class LeftWhileComposed(Overview):
    def compose(self):
        self.app.exit(143)
        yield from super().compose()


class LeftAtOnce(Heard):
    MODES = {**Heard.MODES, "overview": LeftWhileComposed}  # noqa: RUF012 - as Textual has it


def test_a_signal_that_comes_while_the_first_screen_is_composed_ends_it_without_an_error():
    app = LeftAtOnce(session(MACHINE), TERMINAL)
    assert app.run(headless=True) == 143
    assert app.error is None
