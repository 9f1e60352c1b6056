"""Going from place to place, and back; and what is said above the keys meanwhile."""

import pytest

from fsadvisor.pages.document import Document
from fsadvisor.tui.screens.choices import SuppositionForm
from fsadvisor.tui.screens.dialogs import Question
from fsadvisor.tui.views.snapshot import finding_key
from tests.cases import few
from tests.tui.driving import TWO_SIZES, explored, screen, shown, typed, until
from tests.tui.test_every_key import MODES

NUMBERS = dict(zip(MODES, "1234567", strict=True))


PAGES = {
    "finding": lambda snapshot: finding_key(snapshot.findings[0]),
    "subject": lambda snapshot: snapshot.storage.subjects[0].id,
    "rule": lambda snapshot: snapshot.findings[0].rule.id,
    "doctor": lambda _snapshot: "",
    "help": lambda _snapshot: "",
    "export": lambda _snapshot: "",
}


@pytest.mark.parametrize("size", TWO_SIZES)
@pytest.mark.parametrize("page", few(PAGES, 6))
def test_a_number_leads_to_its_place_from_every_page_over_any_place(page, size):
    async def steps(app, pilot):
        went = {}
        for at, to in (("overview", "overview"), ("plan", "plan"), ("overview", "trials")):
            await pilot.press(NUMBERS[at])
            await until(pilot, lambda at=at: app.screen.name == at)
            app.go(page, PAGES[page](app.snapshot))
            await until(pilot, lambda: app.screen.name == page)
            await pilot.press(NUMBERS[to])
            await until(pilot, lambda to=to: app.screen.name == to)
            went[at, to] = len(app.screen_stack)
        return went

    assert set(explored(steps, size=size).values()) == {1}


@pytest.mark.long
def test_a_number_typed_into_a_line_is_typed():
    async def steps(app, pilot):
        await pilot.press("slash", "6")
        await pilot.pause()
        return app.current_mode, app.focused.value

    assert explored(steps) == ("overview", "6")


@pytest.mark.parametrize("size", TWO_SIZES)
@pytest.mark.parametrize("place", few(MODES[1:], 6))
def test_escape_leads_from_a_place_to_the_one_that_one_came_from(place, size):
    async def steps(app, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: app.screen.name == "finding")
        await app.run_action(f"app.switch_mode({place!r})")
        await pilot.pause()
        await pilot.press("escape")
        await until(pilot, lambda: app.screen.name == "finding")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen.name == "overview")
        await pilot.press("escape")
        await until(pilot, lambda: "This is the first place" in shown(app))

    explored(steps, size=size, notifications=True)


@pytest.mark.long
def test_the_way_back_has_each_place_once():
    async def steps(app, pilot):
        await pilot.press(*"26726")
        await pilot.pause()
        names = []
        for _ in range(3):
            names.append(app.current_mode)
            await pilot.press("escape")
            await pilot.pause()
        return names

    assert explored(steps) == ["plan", "unknowns", "overview"]


def test_a_number_answers_a_question_by_no_and_escape_takes_a_search_away_before_it_leads_back():
    async def steps(app, pilot):
        answers = []
        app.push_screen(Question(Document("q", ()), (("y", "yes", "yes"),)), answers.append)
        await pilot.pause()
        await pilot.press("6")
        await until(pilot, lambda: app.screen.name == "plan")
        await pilot.press("1")
        await until(pilot, lambda: app.screen.name == "overview")
        assert (answers, len(app.screen_stack)) == (["no"], 1)
        await pilot.press("2")
        await until(pilot, lambda: app.screen.query_one("#tasks").rows)
        before = len(app.screen.query_one("#tasks").rows)
        await pilot.press("slash")
        await typed(pilot, "attest")
        await pilot.press("enter")
        narrowed = len(app.screen.query_one("#tasks").rows)
        await pilot.press("escape")
        await pilot.pause()
        return narrowed < before, len(app.screen.query_one("#tasks").rows) == before, app.screen.name

    assert explored(steps) == (True, True, "unknowns")


@pytest.mark.long
def test_escape_in_what_is_chosen_of_leads_out():
    async def steps(app, pilot):
        await pilot.press("S")
        await until(pilot, lambda: isinstance(app.screen, SuppositionForm))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen.name == "overview")

    explored(steps)


@pytest.mark.parametrize("size", TWO_SIZES)
def test_one_notice_at_a_time_stands_above_the_keys_and_the_next_key_takes_it_away(size):
    async def steps(app, pilot):
        await pilot.pause()
        keys = screen(app)[-1]
        app.notify("one thing")
        app.notify("another thing")
        await until(pilot, lambda: "another thing" in shown(app))
        told = screen(app)
        await pilot.press("j")
        await until(pilot, lambda: "another thing" not in shown(app))
        return keys, told, screen(app)[-1]

    keys, told, after = explored(steps, size=size, notifications=True)
    assert told[-1] == keys
    assert "q Quit" in after
    assert "another thing" in told[-2]
    assert "one thing" not in "\n".join(told)


@pytest.mark.long
def test_a_key_that_is_typed_takes_a_notice_away_too():
    async def steps(app, pilot):
        await pilot.press("slash")
        app.notify("one thing")
        await until(pilot, lambda: app._notifications)
        await pilot.press("x")
        await until(pilot, lambda: not app._notifications)

    explored(steps)


def test_that_the_machine_is_asked_again_is_said_and_then_that_it_was():
    async def steps(app, pilot):
        await pilot.press("r")
        await until(pilot, lambda: any("was asked everything again" in one.message for one in app._notifications))
        return app.heard, len(app._notifications)

    asking = "Asking the machine everything again", "The machine was asked everything again"
    assert explored(steps) == ([*asking], 1)
