"""Keys act on the row that has the keyboard; footer and help offer what does something there, and nothing else."""

import pytest

from fsadvisor.rulebook.rule import CALLS_FOR_ACTION
from fsadvisor.tui.screens.choices import SuppositionForm
from fsadvisor.tui.views.snapshot import finding_key
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.tui.widgets.text_views import DocumentView
from tests.tui.driving import TWO_SIZES, explored, said, screen, shown, typed, until
from tests.tui.test_unknowns import attesting

OLD = "old-storage-server"


async def on_the_board(app, pilot, kind):
    """The keyboard on the first row of that kind."""
    await pilot.press("tab")
    await until(pilot, lambda: app.focused is app.screen.query_one("#tree"))
    board = app.screen.query_one("#tree", RowsView)
    here = next(one.key for one in board.rows if one.key.startswith(f"{kind}:"))
    board.put_cursor_on(here)
    await pilot.pause()
    return here


def at_the_bottom(app):
    return screen(app)[-1]


def test_on_the_board_a_key_supposes_facts_of_the_row_and_of_nothing_else():
    async def steps(app, pilot):
        offered = {}
        for kind in ("mount", "disk"):
            here = await on_the_board(app, pilot, kind)
            await pilot.press("S")
            await until(pilot, lambda: isinstance(app.screen, SuppositionForm))
            offered[kind] = app.snapshot.subjects[here], {at for at, _ in app.screen._offered}
            await pilot.press("escape", "tab")
            await until(pilot, lambda: app.screen.name == "overview")
        return offered

    offered = explored(steps, machine=OLD)
    mount, whose = offered["mount"]
    assert whose == {mount.id, *(one for one in mount.below if one.startswith("filesystem:"))}
    disk, whose = offered["disk"]
    assert whose == {disk.id}


def test_on_the_board_a_key_attests_what_only_people_know_of_the_row(tmp_path):
    async def steps(app, pilot):
        here = await on_the_board(app, pilot, "disk")
        await pilot.press("a")
        await until(pilot, lambda: app.screen.name in ("attest", "checklist"))
        return here, {at for at, _ in app.screen._offered}

    here, whose = attesting(steps, tmp_path / "attest.toml")
    assert whose == {here}


@pytest.mark.long
def test_on_the_board_nothing_is_waived_or_planned_and_it_is_said_where_to():
    async def steps(app, pilot):
        await on_the_board(app, pilot, "mount")
        for key in ("W", "p"):
            app.heard.clear()
            await pilot.press(key)
            await until(pilot, lambda: "this is a mount: Tab leads to its advice" in said(app))
        return app.screen.name, app.chosen.pairs

    assert explored(steps, machine=OLD) == ("overview", ())


@pytest.mark.parametrize("size", TWO_SIZES)
def test_the_pane_beside_names_what_the_keys_act_on(size):
    async def steps(app, pilot):
        await pilot.pause()
        advice = shown(app)
        await on_the_board(app, pilot, "mount")
        await until(pilot, lambda: " Mount  /" in shown(app))
        board = shown(app)
        return "Finding  1 of" in advice, "Finding  1 of" in board

    assert explored(steps, machine=OLD, size=size) == (True, False)


@pytest.mark.long
def test_on_a_subjects_page_a_title_stands_for_the_subject_and_a_part_of_the_stack_for_that_part():
    async def steps(app, pilot):
        app.go("subject", "host")
        await until(pilot, lambda: app.screen.name == "subject" and app.screen.query_one("#rows").row)
        await pilot.pause()
        return app.screen.query_one("#rows").row.key.partition("\n")[0], app.screen.subject_here()

    assert explored(steps, machine=OLD) == ("part", "host")


def test_the_footer_offers_what_can_be_done_with_the_row():
    async def steps(app, pilot):
        await pilot.pause()
        advice = at_the_bottom(app)
        await on_the_board(app, pilot, "disk")
        await until(pilot, lambda: "Fold" in at_the_bottom(app))
        return advice, at_the_bottom(app)

    advice, board = explored(steps, machine=OLD, size=(160, 50))
    assert ["W Waive" in one for one in (advice, board)] == [True, False]
    assert ["S Suppose" in one for one in (advice, board)] == [True, True]
    assert ["Choose" in one for one in (advice, board)] == [True, False]


@pytest.mark.long
@pytest.mark.parametrize("some", [slice(0, None, 3), pytest.param(slice(None), marks=pytest.mark.long)])
def test_no_undo_is_offered_where_a_finding_has_none(some):
    async def steps(app, pilot):
        told = {}
        for one in app.snapshot.findings[some]:
            app.go("finding", finding_key(one))
            await until(pilot, lambda: app.screen.name == "finding" and app.screen._page is not None)
            await pilot.pause()
            offered = [action.name for action in app.screen.doing()]
            whole = app.screen.query_one("#why", DocumentView).document
            words = "copies the undo" in str(whole)
            told[one.rule.id] = bool(app.screen._page.undo), "copy_undo" in offered, words
            app.pop_screen()
            await pilot.pause()
        return told

    told = explored(steps, machine=OLD)
    assert {undo for undo, _, _ in told.values()} == {True, False}
    assert [rule for rule, (undo, offered, words) in told.items() if offered != undo or (words and not undo)] == []


def test_help_tells_the_keys_that_do_something_on_that_row():
    async def steps(app, pilot):
        told = []
        for keys in (("question_mark",), ("escape", "tab", "question_mark")):
            await pilot.press(*keys)
            await until(pilot, lambda: app.screen.name == "help")
            told.append(str(app.screen.query_one(DocumentView).document))
        return told

    advice, board = explored(steps, machine=OLD)
    assert "Take this advice into the plan" in advice
    assert "Hide what is below this row" not in advice
    assert "Hide what is below this row" in board
    assert "Accept this finding until a day" not in board
    assert "To the top" in board
    assert "To the next match" not in board


@pytest.mark.long
def test_help_of_a_check_that_found_nothing_tells_of_no_commands():
    async def steps(app, pilot):
        passed = next(one for one in app.snapshot.verdicts if one.outcome not in CALLS_FOR_ACTION)
        app.go("finding", f"{passed.rule.id}\n{passed.subject.id}")
        await until(pilot, lambda: app.screen.name == "finding" and app.screen._page is not None)
        await pilot.press("question_mark")
        await until(pilot, lambda: app.screen.name == "help")
        return str(app.screen.query_one(DocumentView).document)

    words = explored(steps, machine=OLD)
    assert not any(one in words for one in ("Copy the commands", "Choose it for the plan", "Accept this finding"))
    assert "The page of its rule" in words


@pytest.mark.parametrize("size", TWO_SIZES)
def test_a_search_that_finds_nothing_says_so_with_the_key_that_clears_it_and_what_is_like_it(size):
    async def steps(app, pilot):
        await pilot.press("slash")
        await typed(pilot, "chekc")
        await until(pilot, lambda: "nothing found: Esc clears" in shown(app))
        narrowed = shown(app)
        await pilot.press("escape")
        await until(pilot, lambda: "SMART health check failed" in shown(app))
        return narrowed

    text = explored(steps, machine=OLD, size=size)
    assert "Nothing here has chekc: Esc shows all again; the nearest is check" in " ".join(text.split())
    assert "nearest: check" in text


@pytest.mark.long
def test_a_search_that_nothing_is_like_says_so_and_the_list_is_not_called_empty():
    async def steps(app, pilot):
        await pilot.press("2")
        await until(pilot, lambda: app.screen.query_one("#tasks").rows)
        await pilot.press("slash")
        await typed(pilot, "qqqqqq")
        await pilot.press("enter")
        await pilot.pause()
        text = shown(app)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen.query_one("#tasks").rows)
        return text

    text = explored(steps)
    assert "Nothing here has qqqqqq: Esc shows all again" in text
    assert "nearest" not in text
    assert "could be told" not in text


@pytest.mark.long
@pytest.mark.parametrize(
    ("typed", "told"),
    [("plpp", "Nothing has what you typed; these are nearest"), ("qqqqqq", "Nothing has qqqqqq, or is like it")],
)
def test_what_is_found_by_no_name_says_so_and_names_the_nearest(typed, told):
    async def steps(app, pilot):
        await pilot.press("colon", *typed)
        await until(pilot, lambda: told in shown(app))
        return shown(app)

    text = explored(steps)
    assert ("disk.plp = " in text) == (typed == "plpp")


def test_while_one_types_the_footer_offers_no_key_that_would_be_typed():
    async def steps(app, pilot):
        lines = []
        for keys in (("slash",), ("escape", "enter", "w")):
            await pilot.press(*keys)
            await until(pilot, lambda: "Enter Done" in at_the_bottom(app))
            lines.append(at_the_bottom(app))
        return lines, app.screen.name

    lines, name = explored(steps, machine="lab-ext4-tuned")
    assert name == "finding"
    for line in lines:
        assert "Esc" in line
        assert not any(one in line for one in (": Find", "? Help", "q Quit", "/ Search"))
