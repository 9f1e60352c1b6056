"""The list with a cursor, as other rows take the place of those that were there."""

import asyncio

import pytest
from textual.app import App

from fsadvisor.pages.glyphs import line, span
from fsadvisor.tui.views.rows import Row
from fsadvisor.tui.widgets.rows_view import RowsView
from tests.tui.driving import screen

HEIGHT = 10


class Listed(App[None]):
    """One list, as high as the screen."""

    def compose(self):
        yield RowsView()


def rows(number):
    return [Row(str(at), (line(span(f"row {at}")),)) for at in range(number)]


def shown_after(*numbers, keys=()):
    """Show lists of these lengths one after the other, with keys after the first; what is seen, and the view."""

    async def run():
        app = Listed()
        async with app.run_test(size=(40, HEIGHT)) as pilot:
            view = app.query_one(RowsView)
            view.focus()
            for number in numbers:
                view.show(lambda _width, number=number: rows(number))
                await pilot.pause()
                if number == numbers[0]:
                    await pilot.press(*keys)
                    await pilot.pause()
            seen = [one.rstrip(" ▁▂▃▄▅▆▇█▎▍▌▋▊▉▏▔▕") for one in screen(app)]
            return seen, view.scroll_offset.y, view.show_vertical_scrollbar, view.virtual_size.height

    return asyncio.run(run())


def told(first):
    return [f"row {at}" for at in range(first, first + HEIGHT)]


def test_a_list_that_becomes_shorter_leaves_no_empty_lines_below():
    seen, top, bar, lines = shown_after(100, 50, keys=("end",))
    assert seen == told(40)
    assert (top, bar, lines) == (40, True, 50)


def test_a_list_that_becomes_longer_keeps_its_cursor_and_scrolls_to_its_end():
    seen, _, bar, lines = shown_after(20, 200, keys=("end",))
    assert seen[-1] == "row 19"
    assert (bar, lines) == (True, 200)


@pytest.mark.parametrize(("before", "after", "bar"), [(100, 5, False), (5, 100, True), (0, 100, True), (100, 0, False)])
def test_the_scrollbar_comes_and_goes_with_what_there_is_to_scroll(before, after, bar):
    seen, top, shown, _ = shown_after(before, after, keys=("end",))
    assert shown is bar
    assert seen[0] == ("row 0" if after else "")
    assert top == 0
