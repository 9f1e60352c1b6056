"""The first place."""

import pytest

from tests.tui.driving import SIZES, explored, screen, shown


@pytest.mark.parametrize("size", SIZES)
def test_the_first_screen_names_the_machine_and_what_calls_for_action(size):
    async def steps(app, pilot):
        await pilot.pause()
        return screen(app), shown(app)

    lines, text = explored(steps, size=size)
    assert "pm9a3" in lines[0]
    assert "2 low" in lines[0]
    assert "access times" in text
