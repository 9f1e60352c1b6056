"""Themes: what is to be read stands out, and is told apart without red and green."""

import pytest
from rich.color import Color

from fsadvisor.pages.glyphs import Tone
from fsadvisor.tui import themes
from tests.tui.driving import explored, shown, until

LEAST = {themes.CONTRAST: 7.0}


def brightness(colour):
    parts = (part / 255 for part in Color.parse(colour).get_truecolor())
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """As WCAG 2 counts it."""
    low, high = sorted((brightness(one), brightness(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", themes.NAMES)
def test_every_tone_stands_out_from_what_it_stands_on(theme):
    its = themes.COLOURS[theme]
    backgrounds = [its.background, its.surface, its.panel]
    for tone, style in themes.tones(theme, colour=True, unicode=True).items():
        sign = style.color.name if style.color else its.foreground
        for background in [style.bgcolor.name] if style.bgcolor else backgrounds:
            assert contrast(sign, background) >= LEAST.get(theme, 4.5), (tone, background)


def test_what_is_good_and_what_is_bad_differ_in_blue_for_who_sees_no_red_and_green():
    tones = themes.tones(themes.COLOUR_BLIND, colour=True, unicode=True)
    good, bad, warning = (tones[one].color.get_truecolor() for one in (Tone.GOOD, Tone.BAD, Tone.WARNING))
    assert good.blue - max(bad.blue, warning.blue) > 100


def test_the_key_t_names_each_theme_as_it_comes_and_a_screen_is_drawn_outside_of_a_paint_too():
    async def steps(app, pilot):
        app.screen._render_content()
        assert "Overview" in shown(app)
        for name in ("light", "high contrast", "colour-blind safe", "dark"):
            await pilot.press("t")
            await until(pilot, lambda name=name: f"theme: {name}" in shown(app))

    explored(steps, notifications=True)


def test_the_key_t_says_why_it_changes_nothing_where_no_colours_are_ours(monkeypatch):
    async def steps(app, pilot):
        await pilot.press("t")
        await until(pilot, lambda: "leave the terminal's colours as they are" in shown(app))
        assert not app.screen.offers("app.next_theme")

    monkeypatch.setenv("NO_COLOR", "1")
    explored(steps, notifications=True)
