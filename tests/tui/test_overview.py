"""The first place."""

import re

import pytest
from textual.events import Key

from fsadvisor.pages.glyphs import plain
from tests.tui.driving import SIZES, explored, long, screen, shown, typed, until

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
    assert "1 safety not known" in lines[0]
    assert "flushes" in text
    assert "this machine" in text
    assert "/var/lib/postgresql" in text
    assert "q Quit" in lines[-1]
    assert "^q" not in lines[-1]


@pytest.mark.parametrize("size", SIZES)
def test_what_is_under_the_cursor_is_told_in_full_and_moving_in_the_tree_narrows_the_advice(size):
    async def steps(app, pilot):
        await pilot.pause()
        first = shown(app)
        await pilot.press("j")
        await until(pilot, lambda: "2 of 3" in shown(app))
        second = shown(app)
        await pilot.press("tab")
        await until(pilot, lambda: "/backup: " in shown(app))
        row = shown(app)
        await pilot.press("j")
        await until(pilot, lambda: re.search(r"Advice for /srv  \d+ of \d+", shown(app)))
        assert "Esc shows all" in shown(app)
        await pilot.press("escape")
        await until(pilot, lambda: "Esc shows all" not in shown(app))
        return first, second, row, app.focused.id

    first, second, row, focused = explored(steps, SERVER, size)
    assert "Finding  1 of 3" in first
    assert "critical risk; on layer md0" in first
    assert "Fix" in first
    assert "critical risk; on layer md0" not in second
    beside = (line.rsplit("││", 1)[-1].strip("│ ") for line in row.split("\n"))
    assert "/backup: relatime, 3 errors, ext4, 88 % full, barriers, data=ordered, on sdd, sde" in " ".join(beside)
    assert focused == "advice"


@pytest.mark.long
def test_the_machine_as_a_whole_narrows_nothing():
    async def steps(app, pilot):
        await pilot.press("tab", "j", "G")
        await until(pilot, lambda: "Esc shows all" not in shown(app))
        return cursor(app, "tree")

    assert explored(steps, SERVER) == "host"


def test_little_advice_is_told_with_all_its_words():
    async def steps(app, pilot):
        await pilot.pause()
        rows = app.screen.query_one("#advice").rows
        return " ".join(plain(line).strip() for row in rows for line in row.lines)

    text = explored(steps, "as-it-is", (120, 40))
    assert "mounted with discard (better: fstrim.timer)" in " ".join(text.split()).replace("gain, ", "")
    assert "not safe here: a safety check says no" in " ".join(text.split())
    assert "…" not in text


def test_a_mount_is_folded_and_unfolded():
    async def steps(app, pilot):
        seen = []
        await pilot.press("tab")
        for key in ("f5", "l", "h", "right", "left", "space", "space"):
            await pilot.press(key)
            await pilot.pause()
            seen.append((cursor(app, "tree"), "└─" in shown(app)))
        return seen

    here = "mount:/backup"
    assert explored(steps, SERVER, (160, 50)) == [(here, False), *[(here, True), (here, False)] * 3]


@pytest.mark.long
def test_left_goes_up_to_what_a_row_hangs_on_and_right_goes_in():
    async def steps(app, pilot):
        await pilot.press("tab", "l", "l")
        down = cursor(app, "tree")
        await pilot.press("h", "h")
        return down, cursor(app, "tree")

    down, up = explored(steps, SERVER)
    assert down.startswith("filesystem:")
    assert up == "mount:/backup"


@pytest.mark.long
def test_the_board_is_sorted_otherwise_by_a_key():
    async def steps(app, pilot):
        seen = []
        await pilot.press("tab")
        for _ in range(4):
            seen.append((app.screen.query_one("#tree").rows[0].key, screen(app)[2]))
            await pilot.press("s")
            await pilot.pause()
        return seen

    (worst, by_worst), (name, by_name), (fullest, by_used), again = explored(steps, SERVER, (120, 40))
    assert (worst, name, fullest) == ("mount:/backup", "mount:/", "mount:/srv")
    assert "worst first" in by_worst
    assert "by name" in by_name
    assert "fullest first" in by_used
    assert again[0] == worst
    assert "worst first" in again[1]


def test_advice_is_chosen_for_the_plan_and_left_out_again_and_enter_opens_it_or_the_subject():
    async def steps(app, pilot):
        for key in ("space", "plus"):
            await pilot.press(key)
            await until(pilot, lambda: "in the plan" in shown(app))
            assert app.chosen.pairs == (("md-degraded", "layer:md0"),)
            await pilot.press(key)
            await until(pilot, lambda: "in the plan" not in shown(app))
            assert app.chosen.pairs == ()
        opened = []
        app.go = lambda subplace, key: opened.append((subplace, key))
        await pilot.press("enter", "tab", "enter")
        await pilot.pause()
        return opened

    assert explored(steps, SERVER) == [("finding", "md-degraded\nlayer:md0"), ("subject", "mount:/backup")]


@pytest.mark.long
def test_a_low_terminal_shows_one_pane_at_a_time_advice_first():
    async def steps(app, pilot):
        await pilot.pause()
        first = shown(app)
        await pilot.press("tab")
        await pilot.pause()
        return first, shown(app)

    first, second = explored(steps, SERVER, (80, 12))
    assert re.search(r"Advice  3\d", first)
    assert "Board" not in first
    assert "Advice  " not in second
    assert "Board" in second


@pytest.mark.long
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
        await until(pilot, lambda: app.screen._about == app.screen.subject_here())  # it follows once the cursor rests
        before, number = (cursor(app, "tree"), cursor(app, "advice")), app.snapshot.number
        await pilot.press("r")
        await until(pilot, lambda: app.snapshot.number > number)
        return before, (cursor(app, "tree"), cursor(app, "advice"))

    before, after = explored(steps, SERVER)
    assert before == after


def test_a_search_in_the_tree_finds_what_is_folded_away():
    async def steps(app, pilot):
        await pilot.press("tab", "slash")
        await typed(pilot, "sda1")
        await pilot.press("enter")
        await until(pilot, lambda: "2 found" in shown(app))
        return cursor(app, "tree")

    assert explored(steps, SERVER) == "layer:sda1"


def test_what_is_typed_right_after_tab_is_for_the_other_pane():
    async def steps(app, pilot):
        for key in ("tab", "j", "j"):
            app.post_message(Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: cursor(app, "tree") != "mount:/backup")
        await pilot.pause()
        return cursor(app, "tree")

    assert explored(steps, SERVER) == "mount:/var/lib/images"


async def filtered(app, pilot, words):
    """Choose what to show by a search in the list of filters."""
    await pilot.press("f", "slash", *words, "enter", "enter")
    await until(pilot, lambda: app.screen.name == "overview")
    await pilot.pause()


@pytest.mark.long
def test_advice_is_filtered_by_what_it_interrupts_and_escape_shows_all():
    async def steps(app, pilot):
        every = len(app.screen.query_one("#advice").rows)
        await filtered(app, pilot, ["u", "n", "m", "o", "u", "n", "t"])
        only = [key.split("\n")[0] for key in app.screen.query_one("#advice").rows.keys]
        needs = {one.rule.id: one.rule.remedy.needs for one in app.snapshot.findings}
        title = shown(app)
        await pilot.press("escape")
        await pilot.pause()
        return every, only, needs, title, len(app.screen.query_one("#advice").rows)

    every, only, needs, title, after = explored(steps, "old-storage-server", (120, 40))
    assert only
    assert {needs[one] for one in only} == {"unmount"}
    assert f"Advice needs an unmount  {len(only)} of {every}; Esc shows all" in title
    assert after == every


def test_advice_is_grouped_and_each_stands_once_under_the_name_of_its_group():
    async def steps(app, pilot):
        await filtered(app, pilot, ["b", "y", "space", "k"])
        row = app.screen.query_one("#advice").row.key
        await pilot.press("k", "enter")
        await pilot.pause()
        return app.screen.query_one("#advice").rows.keys, row, app.screen.name, len(app.snapshot.findings), shown(app)

    keys, row, name, number, text = explored(steps, "old-storage-server", (120, 40))
    assert len(set(keys)) == len(keys) == number + 3
    assert not row.startswith("group\n")
    assert name == "overview"
    assert "Advice by kind" in text
    assert "│ risk  " in text


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
def test_a_click_on_a_count_of_the_head_shows_what_it_counts(size):
    async def steps(app, pilot):
        await pilot.press("6")
        await until(pilot, lambda: app.screen.name == "plan")
        await pilot.click("Head", offset=(screen(app)[0].index("7 critical") + 3, 0))
        await until(pilot, lambda: "Advice critical  7 of 30" in shown(app))
        await pilot.click("Head", offset=(screen(app)[0].index("4 high") + 3, 0))
        await until(pilot, lambda: "Advice high  4 of 30" in shown(app))

    explored(steps, "old-storage-server", size)
