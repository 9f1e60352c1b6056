"""The first place."""

import re

import pytest
from textual.events import Key

from fsadvisor.pages.glyphs import plain
from tests.tui.driving import SIZES, explored, long, screen, shown, until

SERVER = "raid-lvm-crypt-server"


def cursor(app, pane):
    return app.screen.query_one(f"#{pane}").row.key


@pytest.mark.parametrize("size", SIZES)
def test_the_first_screen_names_the_machine_and_what_calls_for_action_and_what_it_stands_on(size):
    async def steps(app, pilot):
        await pilot.pause()
        return screen(app), shown(app)

    lines, text = explored(steps, size=size)
    assert "pm9a3" in lines[0]
    assert "3 withheld" in lines[0]
    assert "flushes" in text
    assert "this machine" in text
    assert "/var/lib/postgresql" in text
    assert "q Quit" in lines[-1]
    assert "^q" not in lines[-1]


@pytest.mark.parametrize("size", SIZES)
def test_moving_in_the_tree_narrows_the_advice_and_escape_shows_all(size):
    async def steps(app, pilot):
        await pilot.press("tab", "j", "j")
        await until(pilot, lambda: "Esc shows all" in shown(app))
        narrowed = shown(app)
        await pilot.press("escape")
        await until(pilot, lambda: "Esc shows all" not in shown(app))
        return narrowed, app.focused.id

    narrowed, focused = explored(steps, SERVER, size)
    assert re.search(r"Advice for libvirt  \d of \d+", narrowed)
    assert focused == "advice"


def test_the_machine_as_a_whole_narrows_nothing():
    async def steps(app, pilot):
        await pilot.press("tab", "j", "k")
        await until(pilot, lambda: "Esc shows all" not in shown(app))
        return cursor(app, "tree")

    assert explored(steps, SERVER) == "host"


@pytest.mark.parametrize("size", SIZES)
def test_the_row_under_the_cursor_is_told_in_full_below_the_tree(size):
    async def steps(app, pilot):
        await pilot.press("tab", "j", "j")
        await until(pilot, lambda: "├─ libvirt" in shown(app) or "libvirt:" in shown(app))
        await until(pilot, lambda: cursor(app, "tree").startswith("service:libvirt"))
        await pilot.pause()
        return [line.rpartition("▕")[2].strip() for line in screen(app)[-3:-1]]

    below = " ".join(explored(steps, SERVER, size))
    assert below.startswith("libvirt: uses it, ")
    assert "/var/lib/libvirt/images" in below
    assert "…" not in below


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_little_advice_is_told_with_all_its_words(size):
    async def steps(app, pilot):
        await pilot.pause()
        rows = app.screen.query_one("#advice").rows
        return " ".join(plain(line).strip() for row in rows for line in row.lines)

    text = explored(steps, "as-it-is", size)
    assert "mounted with discard (better: fstrim.timer)" in " ".join(text.split()).replace("gain, ", "")
    assert "blocked: a safety check says no" in " ".join(text.split())
    assert "…" not in text


@pytest.mark.parametrize("keys", [("h", "l"), ("left", "right"), ("space", "space")])
def test_a_mount_is_folded_and_unfolded(keys):
    async def steps(app, pilot):
        seen = []
        await pilot.press("tab", "j")
        for key in ("f5", *keys):
            await pilot.press(key)
            await pilot.pause()
            seen.append((cursor(app, "tree"), "/dev/sda1" in shown(app)))
        return seen

    assert explored(steps, SERVER, (160, 50)) == [("mount:/", True), ("mount:/", False), ("mount:/", True)]


def test_left_goes_up_to_what_a_row_hangs_on_and_right_goes_in():
    async def steps(app, pilot):
        await pilot.press("tab", "j", "j", "h")
        up = cursor(app, "tree")
        await pilot.press("l")
        return up, cursor(app, "tree")

    assert explored(steps, SERVER) == ("mount:/", "service:libvirt /var/lib/libvirt/images")


def test_enter_opens_the_finding_or_the_subject():
    async def steps(app, pilot):
        opened = []
        app.go = lambda subplace, key: opened.append((subplace, key))
        await pilot.press("enter", "tab", "j", "enter")
        await pilot.pause()
        return opened

    assert explored(steps, SERVER) == [("finding", "md-degraded\nlayer:md0"), ("subject", "mount:/")]


@pytest.mark.parametrize("key", ["space", "plus"])
def test_advice_is_chosen_for_the_plan_and_left_out_again(key):
    async def steps(app, pilot):
        await pilot.press(key)
        await until(pilot, lambda: "in the plan" in shown(app))
        chosen = app.chosen.pairs
        await pilot.press(key)
        await until(pilot, lambda: "in the plan" not in shown(app))
        return chosen, app.chosen.pairs

    assert explored(steps, SERVER) == ((("md-degraded", "layer:md0"),), ())


def test_a_low_terminal_shows_one_pane_at_a_time_advice_first():
    async def steps(app, pilot):
        await pilot.pause()
        first = shown(app)
        await pilot.press("tab")
        await pilot.pause()
        return first, shown(app)

    first, second = explored(steps, SERVER, (80, 12))
    assert re.search(r"Advice  3\d", first)
    assert "└─" not in first
    assert "Advice  " not in second
    assert "└─" in second


@pytest.mark.parametrize("size", [long(20, 5), (40, 10), long(80, 24), long(120, 40), long(300, 100)])
def test_any_size_is_drawn_whole_and_may_change(size):
    async def steps(app, pilot):
        await pilot.resize_terminal(*size)
        await pilot.press("tab", "j", "G", "tab")
        await pilot.pause()
        return [len(one) for one in screen(app)]

    widths = explored(steps, SERVER)
    assert len(widths) == size[1]
    assert all(one <= size[0] for one in widths)


def test_a_later_look_keeps_the_cursors_on_their_keys():
    async def steps(app, pilot):
        await pilot.press("j", "j", "tab", "j", "j", "j")
        await pilot.pause()
        before, number = (cursor(app, "tree"), cursor(app, "advice")), app.look.number
        await pilot.press("r")
        await until(pilot, lambda: app.look.number > number)
        return before, (cursor(app, "tree"), cursor(app, "advice"))

    before, after = explored(steps, SERVER)
    assert before == after


def test_a_search_in_the_tree_finds_what_is_folded_away():
    async def steps(app, pilot):
        await pilot.press("tab", "j", "h", "slash", *"sda1", "enter")
        await until(pilot, lambda: "2 found" in shown(app))
        return cursor(app, "tree")

    assert explored(steps, SERVER) == "layer:sda1"


def test_what_is_typed_right_after_tab_is_for_the_other_pane():
    async def steps(app, pilot):
        for key in ("tab", "j", "j"):
            app.post_message(Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: cursor(app, "tree") != "host")
        await pilot.pause()
        return cursor(app, "tree")

    assert explored(steps, SERVER) == "service:libvirt /var/lib/libvirt/images"
