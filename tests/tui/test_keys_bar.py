"""The line of keys at the bottom of every place."""

from tests.tui.driving import explored, screen, until


def at_the_bottom(app):
    return screen(app)[-1]


def test_it_shows_the_keys_of_the_place_changes_with_what_has_the_keyboard_and_a_click_presses_one():
    async def steps(app, pilot):
        await pilot.pause()
        line = at_the_bottom(app)
        await pilot.press("slash")
        await until(pilot, lambda: at_the_bottom(app) != line)
        await pilot.press("escape")
        await until(pilot, lambda: at_the_bottom(app) == line)
        await pilot.click("KeysBar", offset=(line.index("Help") + 1, 0))
        await until(pilot, lambda: app.screen.name == "help")
        return line

    line = explored(steps, size=(120, 40))
    assert " / Search " in line
    assert " : Find " in line
    assert " ? Help " in line
    assert " q Quit" in line
    assert "Look again" not in line


def test_where_there_is_little_room_help_and_leaving_stay_and_an_ellipsis_stands_for_the_others():
    async def steps(app, pilot):
        await pilot.pause()
        return at_the_bottom(app)

    line = explored(steps, size=(20, 24))
    assert line == " … ? Help  q Quit   "
