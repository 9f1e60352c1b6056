"""Every printable key in every place does something that is seen, or says in the last line why it does nothing."""

import string

import pytest

from fsadvisor.tui.views.snapshot import finding_key
from tests.tui.driving import explored, shown, until

MODES = ("overview", "unknowns", "what_if", "probes", "live", "plan", "trials")
OVER = ("finding", "subject", "doctor", "help", "rule")
KEYS = ["space", *(one for one in string.printable if one.isprintable() and one not in " q")]
"""All but what leaves."""


async def opened(app, pilot, place):
    """The place, as it is first seen."""
    while len(app.screen_stack) > 1:
        app.pop_screen()
        await pilot.pause()
    await app.switch_mode(place if place in MODES else "overview")
    await pilot.pause()
    if place in OVER:
        snapshot = app.snapshot
        key = {
            "finding": lambda: finding_key(snapshot.findings[0]),
            "subject": lambda: next(one.id for one in snapshot.storage.subjects if one.kind == "disk"),
            "rule": lambda: snapshot.findings[0].rule.id,
        }.get(place, lambda: place)()
        app.go(place, key)
        await until(pilot, lambda: app.screen.name == place)
    await pilot.pause()


def told(app):
    """All that tells a person that a key did something; the cursor's row is a colour of the text."""
    places = [(one.id, getattr(one, "cursor", 0), one.scroll_offset) for one in app.screen.query("*")]
    return app.screen.name, app.theme, len(app.screen_stack), app.focused, app.clipboard, shown(app), places


async def silent_keys(app, pilot, place, keys):
    """Those after which nothing is otherwise, and nothing is said."""
    silent = []
    await opened(app, pilot, place)
    for key in keys:
        app.clear_notifications()
        await pilot.pause()
        before = told(app)
        await pilot.press(key)
        await pilot.pause()
        if told(app) == before and not app._notifications:
            silent.append(key)
        if len(app.screen_stack) != before[2] or app.screen.name != before[0]:
            await opened(app, pilot, place)
    return silent


@pytest.mark.long
@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
@pytest.mark.parametrize("place", [*MODES, *OVER])
def test_no_key_is_answered_by_nothing(place, size):

    async def steps(app, pilot):
        return await silent_keys(app, pilot, place, KEYS)

    assert not explored(steps, machine="old-storage-server", size=size)
