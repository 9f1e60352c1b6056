"""Saving the screen and the report."""

import json
import re
import sys
import threading
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

import pytest
from textual.widgets import Input

from tests.cases import few
from tests.tui.driving import SIZES, explored, shown, typed, until
from tests.waiting import END_S


def told(app):
    """What was notified, in order."""
    return [one.message for one in app._notifications]


def saving(keys, size=(80, 24)):
    """What is notified after these keys, and the place where one is then."""

    async def steps(app, pilot):
        await pilot.press("e", *keys)
        await until(pilot, lambda: told(app))
        return told(app), app.screen.name

    return explored(steps, size=size)


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@dataclass
class Slow:
    """A disk that is slow to make a file called slow.txt."""

    begun: threading.Event = field(default_factory=threading.Event)
    goes_on: threading.Event = field(default_factory=threading.Event)


_SLOW = []


def _hear(event, arguments):
    """An audit hook stays for ever, so that there is one for all tests."""
    if event == "open" and arguments[0] == "slow.txt" and _SLOW:
        _SLOW[0].begun.set()
        _SLOW[0].goes_on.wait(END_S)


@pytest.fixture
def slow():
    if not hasattr(sys, "heard_by_test_export"):
        sys.addaudithook(_hear)
        sys.heard_by_test_export = True
    _SLOW.append(Slow())
    yield _SLOW[0]
    _SLOW.pop().goes_on.set()


@pytest.mark.parametrize("size", SIZES)
def test_the_screen_is_saved_as_a_picture_that_loads_nothing(tmp_path, size):
    words, place = saving(["enter", "enter"], size)
    assert place == "overview"
    (file,) = tmp_path.iterdir()
    assert words == [f"Saved: {file}"]
    assert re.fullmatch(r"pm9a3-postgresql-volatile-\d{4}-\d\d-\d\d\.svg", file.name)
    picture = file.read_text()
    assert "access" in picture
    assert ET.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"
    assert "@font-face" not in picture
    assert not re.search(r"url\((?!#)", picture)
    assert not re.search(r"(href|src)\s*=", picture)


@pytest.mark.parametrize(("downs", "ending"), few([(1, "txt"), (2, "json"), (3, "html")]))
def test_the_report_is_saved_in_each_form(tmp_path, downs, ending):
    saving([*["j"] * downs, "enter", "enter"])
    (file,) = tmp_path.iterdir()
    assert file.suffix == f".{ending}"
    content = file.read_text()
    assert "access-times-written" in content
    if ending == "json":
        assert json.loads(content)["verdicts"]


@pytest.mark.long
def test_nothing_is_written_over_and_the_name_can_be_changed_then(tmp_path):
    async def steps(app, pilot):
        await pilot.press("e", "j", "enter", "ctrl+u")
        await typed(pilot, "mine.txt")
        await pilot.press("enter")
        await until(pilot, lambda: told(app))
        await pilot.press("e", "j", "tab", "end", "ctrl+u")
        await typed(pilot, "mine.txt")
        await pilot.press("enter")
        await until(pilot, lambda: "is there already" in shown(app))
        await pilot.press("backspace", "enter")
        await until(pilot, lambda: app.screen.name == "overview")

    (tmp_path / "other").touch()
    explored(steps)
    assert {path.name for path in tmp_path.iterdir()} == {"other", "mine.txt", "mine.tx"}
    assert (tmp_path / "mine.txt").read_bytes() == (tmp_path / "mine.tx").read_bytes()


@pytest.mark.long
def test_a_name_of_ones_own_is_kept_when_the_kind_changes():
    async def steps(app, pilot):
        await pilot.press("e", "enter", "x", "tab", "j")
        await pilot.pause()
        return shown(app)

    assert ".svgx" in explored(steps)


@pytest.mark.long
def test_escape_saves_nothing_and_numbers_are_typed(tmp_path):
    async def steps(app, pilot):
        await pilot.press("e", "enter", "1", "6")
        await pilot.pause()
        typed = shown(app)
        await pilot.press("escape")
        await pilot.pause()
        return typed, app.screen.name, app.current_mode

    typed, place, mode = explored(steps)
    assert ".svg16" in typed
    assert (place, mode) == ("overview", "overview")
    assert list(tmp_path.iterdir()) == []


def test_what_became_of_it_is_told_where_one_is_by_then(tmp_path, slow):
    async def steps(app, pilot):
        await pilot.press("e", "j", "enter", "ctrl+u")
        await typed(pilot, "slow.txt")
        await pilot.press("enter")
        await until(pilot, slow.begun.is_set)
        await pilot.press("escape", "7")
        assert told(app) == []
        slow.goes_on.set()
        await until(pilot, lambda: told(app))
        return told(app)

    assert explored(steps) == [f"Saved: {tmp_path / 'slow.txt'}"]


def test_a_folder_that_is_not_there_is_told_and_the_question_stays():

    async def steps(app, pilot):
        await pilot.press("e")
        await until(pilot, lambda: app.screen.name == "export" and app.screen.query_one(Input).value)
        await pilot.press("enter")
        await until(pilot, lambda: app.screen.query_one(Input).has_focus)
        await pilot.press("home")
        await typed(pilot, "no/such/")
        await pilot.press("enter")
        await until(pilot, lambda: "No such file" in shown(app))
        return app.screen.name

    assert explored(steps) == "export"
