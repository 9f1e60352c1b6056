"""The place where changes are tried, with trials that are played: what is asked, and what a person sees of it."""

import shutil

import msgspec
import pytest
from msgspec.structs import replace

from fsadvisor.machine.opening import open_machine
from fsadvisor.measure.probe.target import Objection
from fsadvisor.pages.glyphs import columns
from fsadvisor.survey.tried import job_of
from fsadvisor.tui.measuring import Measurer, trial_progress
from fsadvisor.tui.terminal import Terminal
from fsadvisor.tui.widgets.bars import KeysBar
from tests.paths import FIXTURES
from tests.tui.driving import MACHINE, SIZES, explored, shown, typed, until
from tests.tui.played import Played, result
from tests.tui.test_what_if import SCROLLBAR

pytestmark = pytest.mark.namespaces

FULL = Objection(level="refused", question="space", says="/ is full: make room")


def trials(steps, played=None, live=True, **more):
    """Drive the place Trials over a played trial."""
    played = played or Played()

    async def drive(app, pilot):
        app.session.live = live
        app.trier = Measurer(app.post_message, trial_progress, played)
        await pilot.press("7")
        await until(pilot, lambda: "Try what a rule would change" in shown(app))
        return await steps(app, pilot, played)

    return explored(drive, **more)


async def _asked(app, pilot):
    """The first trial of all, asked about."""
    await pilot.press("enter")
    await until(pilot, lambda: "at most" in shown(app))


@pytest.mark.parametrize("size", SIZES)
def test_what_can_be_tried_is_listed_and_what_it_takes_is_shown_and_enter_does_not_start_it(size):
    async def steps(app, pilot, played):
        listed = shown(app)
        await _asked(app, pilot)
        text = shown(app)
        await pilot.press("enter")
        await pilot.pause()
        return listed, text, played, app.screen.name

    listed, text, played, name = trials(steps, size=size)
    assert "Reads write access" in listed
    assert "in an image: XFS as it comes" in listed
    assert "Forecast what a faster device would bring" in listed
    assert "up to 1 GiB" in text
    assert "can cost" in text
    assert (played.said, name) == (["stop"], "trials")
    assert played.asked[0].rule == "access-times-written"


def test_a_finding_that_cannot_be_tried_says_so_and_what_is_refused_can_not_be_started():
    async def steps(app, pilot, played):
        told = []
        app.screen.notify = lambda words, **_: told.append(words)
        app.wanted_trial = ("access-times-written", "mount:/gone")
        app.screen._take_wish()
        await _asked(app, pilot)
        text = shown(app)
        await pilot.press("y")
        await pilot.pause()
        return told, text, played.said

    told, text, said = trials(steps, Played(FULL))
    assert "not among what can be tried here on mount:/gone" in told[0]
    assert "refused: / is full" in text
    assert "go" not in said


@pytest.mark.parametrize("size", SIZES)
def test_a_trial_is_drawn_as_it_goes_and_its_sentence_stands_beside_its_danger(size):
    async def steps(app, pilot, played):
        await _asked(app, pilot)
        await pilot.press("y")
        await until(pilot, lambda: "So far" in shown(app))
        running = shown(app)
        await pilot.press("1")
        await pilot.pause()
        elsewhere = shown(app)
        await pilot.press("7")
        played.finish()
        await until(pilot, lambda: "With the change" in shown(app))
        return running, elsewhere, shown(app)

    running, elsewhere, done = trials(steps, size=size)
    assert "not told: between 3 % slower and 30 % faster" in running
    assert "0.97x to 1.3x" in running
    assert "trying, ≤ 3 min" in elsewhere
    assert "faster by 8 to 15 %" in done
    assert "noatime: programs that ask" in done
    assert "flushes/op" in done
    assert "x written" in done
    assert "…" not in done


@pytest.mark.long
def test_without_unicode_what_is_measured_is_drawn_in_ascii():
    async def steps(app, pilot, played):
        await _compared(app, pilot)
        running = shown(app)
        played.finish()
        await until(pilot, lambda: "Comparison of" in shown(app))
        return [running, *[await _next_page(app, pilot) for _ in range(4)]]

    for text in trials(steps, terminal=Terminal(unicode=False, plain=True, colour=False), size=(120, 40)):
        assert all(sign.isascii() or sign in SCROLLBAR for sign in text), text


async def _compared(app, pilot):
    """A mount and an image, being compared."""
    rows = app.screen.query_one("#trials")
    for key in ("mount\n/\n", "image\next4\n"):
        rows.put_cursor_on(key)
        await pilot.press("space")
        await pilot.pause()
    await pilot.press("c")
    await until(pilot, lambda: "at most" in shown(app))
    await pilot.press("y")
    await until(pilot, lambda: "1/5" in shown(app))


async def _next_page(app, pilot):
    await pilot.press("pagedown")
    await pilot.pause()
    return shown(app)


def test_one_thing_is_measured_at_a_time_and_escape_asks_before_it_stops_a_trial():
    async def steps(app, pilot, played):
        await _asked(app, pilot)
        await pilot.press("y")
        await until(pilot, lambda: "So far" in shown(app))
        await pilot.press("4", "tab", "m")
        await pilot.pause()
        assert (app.prober.progress, app.measures) == (None, True)
        await pilot.press("7")
        await until(pilot, lambda: "So far" in shown(app))
        await pilot.press("escape")
        await until(pilot, lambda: "Stop it?" in shown(app))
        await pilot.press("y")
        await until(pilot, lambda: "Stopped by you" in shown(app))
        return played.said

    assert trials(steps) == ["go", "stop"]


@pytest.mark.parametrize("size", SIZES)
def test_picked_sides_are_compared_and_the_matrix_is_shown(size):
    async def steps(app, pilot, played):
        await _compared(app, pilot)
        running = shown(app)
        played.finish()
        await until(pilot, lambda: "Comparison of" in shown(app))
        return played.asked[0], running, shown(app)

    asked, running, done = trials(steps, size=size)
    assert (asked.targets, asked.images) == (("/",), ("ext4",))
    assert "ext4" in running
    assert "create-1" in done
    assert "tie: not to be told from the best" in done


@pytest.mark.long
def test_any_option_that_one_types_is_asked_about():
    async def steps(app, pilot, played):
        app.screen.query_one("#trials").put_cursor_on("option\nany\n/")
        await pilot.press("enter")
        await until(pilot, lambda: "options to try, as on /" in shown(app))
        app.screen.query_one("AskLine Input").value = "noatime commit=60 mkfs:-O ^dir_index"
        await pilot.press("enter")
        await until(pilot, lambda: played.asked)
        return played.asked[0]

    asked = trials(steps)
    assert (asked.rule, asked.options, asked.folder) == ("", ("noatime", "commit=60", "mkfs:-O ^dir_index"), "/")


@pytest.mark.long
def test_what_is_gone_is_no_longer_picked():
    async def steps(app, pilot, played):
        app.screen._picked = dict.fromkeys(("mount\n/\n", "mount\n/gone\n"))
        app.screen.show_snapshot(app.snapshot)
        await pilot.press("c")
        await pilot.pause()
        return played.asked

    assert trials(steps) == []


@pytest.mark.long
def test_a_mount_point_of_two_lines_is_compared_as_it_is():
    async def steps(app, pilot, played):
        app.screen._picked = dict.fromkeys(("mount\n/srv\nb\n", "image\next4\n"))
        await pilot.press("c")
        await until(pilot, lambda: "at most" in shown(app))
        return played.asked[0].targets

    assert trials(steps) == ("/srv\nb",)


@pytest.mark.long
def test_a_folder_is_of_the_trials_that_it_was_asked_for():
    async def steps(app, pilot, played):
        rows = app.screen.query_one("#trials")
        rows.put_cursor_on("try\naccess-times-written\n/var/lib/postgresql")
        await pilot.press("f")
        await typed(pilot, "/x")
        rows.put_cursor_on("mount\n/\n")
        await pilot.press("enter")
        await pilot.pause()
        return app.screen._folders

    assert trials(steps) == {"/var/lib/postgresql": "/var/lib/postgresql/x"}


@pytest.mark.long
def test_one_side_alone_is_not_compared():
    async def steps(app, pilot, played):
        await pilot.press("c")
        await pilot.pause()
        return played.asked

    assert trials(steps) == []


def test_a_recording_is_not_tried_and_says_why():
    async def steps(app, pilot, played):
        text = shown(app)
        await pilot.press("enter", "c")
        await pilot.pause()
        return text, played.asked

    text, asked = trials(steps, live=False)
    assert "a recording has no disk to try on" in text
    assert asked == []


def test_a_finding_leads_to_its_trial():
    async def steps(app, pilot):
        await pilot.press("down", "enter")
        await until(pilot, lambda: "Try it" in shown(app))
        await pilot.press("T")
        await until(pilot, lambda: app.current_mode == "trials" and "Try what" in shown(app))
        return app.screen.query_one("#trials").row.key

    assert explored(steps) == "try\naccess-times-written\n/var/lib/postgresql"


@pytest.mark.long
def test_the_footer_fits_eighty_columns_where_one_runs_too():
    async def steps(app, pilot, played):
        await _asked(app, pilot)
        await pilot.press("y")
        await until(pilot, lambda: "So far" in shown(app))
        played.finish()
        await until(pilot, lambda: "With the change" in shown(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen.name == "trials" and "Run" in shown(app))
        return columns(app.screen.query_one(KeysBar).line())

    assert trials(steps) <= 80


@pytest.mark.parametrize("size", SIZES)
def test_a_recording_with_results_shows_what_was_tried_and_a_forecast(size, tmp_path):
    shutil.copytree(FIXTURES / "machines" / MACHINE, tmp_path / "machine")
    kept = tmp_path / "machine" / "files" / "var" / "lib" / "fsadvisor" / "probes.jsonl"
    kept.parent.mkdir(parents=True, exist_ok=True)
    tried = replace(result(job_of("access-times-written"), 1.1, "/"), headline="RATIO")
    measured = replace(result("mail", 900.0, "/"), device_us=1500.0)
    lines = [{"schema": "fsadvisor/probe/1", **msgspec.to_builtins(it)} for it in (tried, measured)]
    kept.write_bytes(b"".join(msgspec.json.encode(it) + b"\n" for it in lines))

    async def steps(app, pilot, played):
        listed = shown(app)
        app.screen.query_one("#trials").put_cursor_on("forecast\n/\n")
        await pilot.press("enter")
        await until(pilot, lambda: "What a faster device would bring to /" in shown(app))
        return listed, shown(app)

    listed, forecast = trials(steps, live=False, machine=open_machine(tmp_path / "machine"), size=size)
    assert "Tried before" in listed
    assert "faster by" in listed
    assert "mail" in forecast
    assert "persistent memory" in forecast
