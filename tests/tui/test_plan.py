"""The place of the plan."""

import pytest
from msgspec.structs import replace

from fsadvisor.tui.views.advice import Choice
from tests.tui.driving import SIZES, explored, said, shown, until

MACHINE = "lab-ext4-tuned"


async def with_all(app, pilot):
    await pilot.press("6", "a")
    await until(pilot, lambda: "5 steps" in shown(app) and "step 1" in shown(app))


@pytest.mark.parametrize("size", SIZES)
def test_one_key_chooses_all_and_findings_are_removed_one_by_one_and_all_at_once(size):
    async def steps(app, pilot):
        await pilot.press("6")
        await until(pilot, lambda: "No advice is chosen" in shown(app))
        before = shown(app)
        await with_all(app, pilot)
        after, chosen = shown(app), app.chosen.pairs
        await pilot.press("x")
        await until(pilot, lambda: "Chosen  4" in shown(app))
        row = app.screen.query_one("#chosen").row.key
        await until(pilot, lambda: "4 steps" in shown(app))
        await pilot.press("X")
        await until(pilot, lambda: "No advice is chosen" in shown(app))
        return before, after, chosen, row, app.chosen.pairs

    before, after, chosen, row, left = explored(steps, MACHINE, size)
    assert "Space" in before
    assert "chooses all" in before
    assert len(chosen) == 5
    assert "2 left to you" in after
    assert "[Steps]" in after
    assert row == "\n".join(chosen[1]) != "\n".join(chosen[0])
    assert left == ()


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
def test_pages_turn_round_and_round_by_brackets_and_arrows(size):
    async def steps(app, pilot):
        await with_all(app, pilot)
        seen = []
        for key in ("right_square_bracket", "right", "l", "tab", "left", "h", "left_square_bracket", "left"):
            await pilot.press(key)
            await pilot.pause()
            seen.append(next(name for name in ("[Steps]", "[plan.sh]", "[undo.sh]", "[Check]") if name in shown(app)))
        return seen, shown(app)

    seen, text = explored(steps, MACHINE, size)
    pages = ["[plan.sh]", "[undo.sh]", "[Check]", "[Check]", "[undo.sh]", "[plan.sh]", "[Steps]", "[Check]"]
    assert seen == pages
    assert "sh plan.sh --check" in text


@pytest.mark.long
def test_a_click_turns_to_a_page():
    async def steps(app, pilot):
        await with_all(app, pilot)
        await pilot.click("PagesBar", offset=(10, 0))
        await pilot.pause()
        return shown(app)

    assert "[plan.sh]" in explored(steps, MACHINE)


def test_enter_opens_the_finding_and_what_another_place_chooses_is_planned():
    async def steps(app, pilot):
        key = next(iter(app.snapshot.findings)).rule.id
        await pilot.press("enter")
        await until(pilot, lambda: app.screen.name == "finding")
        await pilot.press("p", "6")
        await until(pilot, lambda: "Chosen  1" in shown(app) and "step 1" in shown(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.screen.name == "finding")
        return key, app.screen.key

    rule, opened = explored(steps, MACHINE)
    assert opened.startswith(f"{rule}\n")


@pytest.mark.long
def test_the_script_is_copied_and_the_page_where_it_is_a_file():
    async def steps(app, pilot):
        await with_all(app, pilot)
        await pilot.press("y")
        await pilot.pause()
        script = app.clipboard
        await pilot.press("right", "right", "y")
        await pilot.pause()
        return script, app.clipboard

    script, undo = explored(steps, MACHINE)
    assert script.startswith("#!/bin/sh\n# plan.sh,")
    assert undo.startswith("#!/bin/sh\n# undo.sh,")


def test_the_plan_is_saved_as_a_folder_and_never_into_one_that_has_something(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    async def steps(app, pilot):
        await with_all(app, pilot)
        await pilot.press("S", "enter")
        await until(pilot, lambda: len(app.heard) == 1)
        await pilot.press("S", "enter")
        await until(pilot, lambda: len(app.heard) == 2)
        await pilot.press("S", "escape")
        await pilot.pause()
        return app.focused.id, app.heard

    focused, (saved_in, refused) = explored(steps, MACHINE, (120, 40))
    assert focused == "chosen"
    assert saved_in.startswith(f"Saved in {tmp_path}/fsadvisor-plan;")
    assert refused == f"{tmp_path}/fsadvisor-plan: the directory is not empty; name a new or an empty one"
    saved = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert {"fsadvisor-plan/plan.sh", "fsadvisor-plan/undo.sh", "fsadvisor-plan/README.txt"} <= saved
    assert (tmp_path / "fsadvisor-plan/plan.sh").stat().st_mode & 0o777 == 0o755


def test_where_no_script_could_do_anything_there_is_nothing_to_save_or_copy():
    async def steps(app, pilot):
        app.chosen = Choice([("gone", "disk:sda")])
        await pilot.press("6")
        await until(pilot, lambda: "no longer found" in shown(app))
        await pilot.press("S", "y")
        await pilot.pause()
        return shown(app), app.clipboard

    text, copied = explored(steps)
    assert "S Save" not in text
    assert "Save the plan" not in text
    assert copied == ""


@pytest.mark.long
def test_a_file_with_bytes_that_are_no_utf_8_is_not_copied_and_the_explorer_goes_on():
    async def steps(app, pilot):
        await with_all(app, pilot)
        plan = app.screen._found
        name = next(iter(plan.files))
        plan.__dict__["files"] = {**plan.files, "plan.sh": replace(plan.files[name], text="# caf\udce9\n")}
        await pilot.press("y")
        await pilot.pause()
        return app.clipboard, said(app)

    copied, words = explored(steps, MACHINE)
    assert copied == ""
    assert "plan.sh (1 line) not copied" in words
