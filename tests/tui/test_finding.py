"""A finding on the screen: what its keys do."""

import pytest

from fsadvisor.tui.screens.finding import FindingScreen
from fsadvisor.tui.views.finding import page
from fsadvisor.tui.views.snapshot import finding_key
from fsadvisor.tui.widgets.bars import AskLine
from fsadvisor.tui.widgets.text_views import DocumentView
from tests.report import composed
from tests.tui.driving import SIZES, TERMINAL, TWO_SIZES, explored, long, said, screen, shown, until
from tests.views.seen import snapshot_of

SAFE = "access-times-written"
UNSAFE = ("ext4-nobarrier", "nobarrier-unproven")


def key_of(app, rule):
    return next(finding_key(one) for one in app.snapshot.findings if one.rule.id == rule)


async def opened(app, pilot, rule=SAFE):
    app.go("finding", key_of(app, rule))
    await until(pilot, lambda: isinstance(app.screen, FindingScreen) and app.screen._page is not None)
    await pilot.pause()
    return key_of(app, rule)


async def pressed(pilot, *keys):
    for key in keys:
        await pilot.press(key)
    await pilot.pause()


@pytest.mark.parametrize("size", [*SIZES, long(160, 50)])
def test_what_is_wrong_where_and_whether_it_is_safe_is_seen_at_once(size):
    async def steps(app, pilot):
        await opened(app, pilot, UNSAFE[1])
        return shown(app)

    text = explored(steps, machine=UNSAFE[0], size=size)
    assert "CRITICAL RISK: /srv" in text
    assert "nobarrier" in text
    assert "/srv/recorded/srv" in text
    assert "No commands are shown, because not all is safe" in text


@pytest.mark.parametrize("size", TWO_SIZES)
def test_y_copies_the_commands_and_u_the_undo_wherever_one_reads(size):
    async def steps(app, pilot):
        key = await opened(app, pilot)
        made = page(app.snapshot, key, app.glyphs)
        await pressed(pilot, "y")
        first, told = app.clipboard, said(app)
        await pressed(pilot, "G", "u")
        return first, app.clipboard, made.undo, f"{told} {said(app)}"

    copied, undone, undo, words = explored(steps, size=size)
    assert copied.startswith("mount ")
    assert "noatime" in copied
    assert undone == "".join(f"{line}\n" for line in undo)
    assert "1 line (do now) sent to the terminal's clipboard (OSC 52)" in words
    assert "1 line (undo) sent" in words


def test_y_copies_the_part_that_is_in_view_and_a_bar_marks_it():
    async def steps(app, pilot):
        await opened(app, pilot)
        view = app.screen.query_one("#why", DocumentView)
        for _ in range(20):
            if view.commands is not None and view.commands.name == "undo":
                break
            await pressed(pilot, "right_curly_bracket")
        await pressed(pilot, "y")
        return app.clipboard, shown(app)

    copied, text = explored(steps, size=(80, 12))
    assert copied.strip().endswith("relatime /var/lib/postgresql")
    assert "▌" in text


@pytest.mark.long
def test_without_commands_y_and_w_say_so():
    async def steps(app, pilot):
        await opened(app, pilot, UNSAFE[1])
        await pressed(pilot, "y", "w", "u")
        return app.clipboard, said(app), app.screen.query_one(AskLine).has_class("open")

    copied, words, asking = explored(steps, machine=UNSAFE[0])
    assert copied == ""
    assert "no commands to copy" in words
    assert "no commands to write" in words
    assert "no undo" in words
    assert not asking


@pytest.mark.long
@pytest.mark.parametrize("size", TWO_SIZES)
def test_the_footer_offers_no_copy_where_there_is_nothing_to_copy(size):
    async def steps(app, pilot):
        await opened(app, pilot)
        safe = screen(app)[-1]
        await pressed(pilot, "escape")
        passed = next(one for one in app.snapshot.verdicts if one.outcome.value == "ok")
        app.go("finding", f"{passed.rule.id}\n{passed.subject.id}")
        await until(pilot, lambda: isinstance(app.screen, FindingScreen) and app.screen._page is not None)
        await pilot.pause()
        return safe, screen(app)[-1]

    safe, passed = explored(steps, size=size)
    assert all(word in safe for word in ("y Copy", "u Undo", "w Write", "Plan"))
    assert not any(word in passed for word in ("Copy", "Undo", "Write", "Plan"))
    assert "Esc Back" in passed


def test_what_is_said_stands_above_the_keys_and_covers_nothing_else():
    async def steps(app, pilot):
        await opened(app, pilot)
        before = screen(app)
        await pressed(pilot, "y")
        await until(pilot, lambda: "1 line (do now) sent to the terminal's clipboard (OSC 52)" in shown(app))
        return before, screen(app)

    before, after = explored(steps, notifications=True)
    assert "1 line (do now) sent to the terminal's clipboard (OSC 52)" in after[-2]
    assert (after[:-2], after[-1]) == (before[:-2], before[-1])


def test_w_writes_to_a_new_file_and_leaves_what_is_there(tmp_path):
    file = tmp_path / "noatime.txt"

    async def written(app, pilot):
        await pressed(pilot, "w")
        line = app.screen.query_one(AskLine)
        line.query_one("Input").value = str(file)
        before = len(app.heard)
        await pressed(pilot, "enter")
        await until(pilot, lambda: len(app.heard) > before)
        return not line.has_class("open")

    async def steps(app, pilot):
        await opened(app, pilot)
        closed = await written(app, pilot)
        content = file.read_text()
        file.write_text("mine")
        await written(app, pilot)
        return closed, content, said(app)

    closed, content, words = explored(steps)
    assert closed
    assert content.startswith("mount ")
    assert f"Written to {file}" in words
    assert "is there already" in words
    assert file.read_text() == "mine"


@pytest.mark.long
def test_escape_leaves_the_question_for_a_name_and_then_the_finding():
    async def steps(app, pilot):
        await opened(app, pilot)
        await pressed(pilot, "w", "escape")
        still = isinstance(app.screen, FindingScreen)
        await pressed(pilot, "escape")
        return still, isinstance(app.screen, FindingScreen)

    assert explored(steps) == (True, False)


@pytest.mark.long
def test_brackets_walk_through_the_findings_and_stay_at_the_ends():
    async def steps(app, pilot):
        first = finding_key(app.snapshot.findings[0])
        app.go("finding", first)
        await until(pilot, lambda: isinstance(app.screen, FindingScreen))
        await pressed(pilot, "right_square_bracket")
        second = app.screen.key
        await pressed(pilot, "left_square_bracket", "left_square_bracket")
        return [finding_key(one) for one in app.snapshot.findings[:2]], [app.screen.key, second], said(app)

    expected, walked, words = explored(steps)
    assert walked == expected
    assert "That was the first one." in words


def test_a_finding_is_chosen_for_the_plan_and_not_again_and_leads_to_its_subject_and_its_rule():
    async def steps(app, pilot):
        finding = await opened(app, pilot)
        for key in ("p", "space"):
            await pressed(pilot, key)
            assert ["\n".join(one) for one in app.chosen.pairs] == [finding]
            assert "Chosen for the plan" in shown(app)
            await pressed(pilot, key)
            assert app.chosen.pairs == ()
        await pressed(pilot, "s")
        subject = shown(app)
        await pressed(pilot, "escape", "R")
        return subject, shown(app)

    subject, rule = explored(steps)
    assert "mount /var/lib/postgresql" in subject
    assert f"{SAFE}: low gain, on a mount" in rule


@pytest.mark.long
def test_of_several_subjects_one_is_chosen_from_a_list():
    async def steps(app, pilot):
        await opened(app, pilot, "hard-disk-without-scheduler")
        await pressed(pilot, "s")
        listed = shown(app)
        await pressed(pilot, "down", "enter")
        return listed, shown(app)

    listed, subject = explored(steps, machine="raid-lvm-crypt-server")
    assert listed.count("disk sd") >= 2
    assert "facts, " in subject


def test_a_new_look_keeps_the_place_and_a_finding_that_has_gone_says_so_calmly():
    async def steps(app, pilot):
        await opened(app, pilot)
        await pressed(pilot, "j", "j", "j")
        view = app.screen.query_one("#why", DocumentView)
        before = view.scroll_offset.y
        snapshot = app.snapshot
        app.snapshot = snapshot_of(snapshot.storage, number=snapshot.number + 1)
        await until(pilot, lambda: app.screen._shown == snapshot.number + 1)
        after = view.scroll_offset.y
        app.snapshot = snapshot_of(composed.empty(), number=snapshot.number + 2)
        await until(pilot, lambda: app.screen._shown == snapshot.number + 2)
        await pressed(pilot, "y", "p", "s", "R", "escape")
        return before, after, shown(app)

    before, after, text = explored(steps)
    assert before == after == 3
    assert "No longer there" in text


@pytest.mark.long
def test_what_passed_can_be_opened_too():
    async def steps(app, pilot):
        passed = next(one for one in app.snapshot.verdicts if one.outcome.value == "ok")
        app.go("finding", f"{passed.rule.id}\n{passed.subject.id}")
        await until(pilot, lambda: isinstance(app.screen, FindingScreen))
        await pressed(pilot, "p")
        return shown(app), said(app), app.chosen.pairs

    text, words, chosen = explored(steps)
    assert "CHECKED, NOT FOUND HERE: " in text
    assert "Only advice can be waived or planned" in words
    assert chosen == ()


@pytest.mark.long
def test_too_much_for_a_clipboard_is_not_copied():
    async def steps(app, pilot):
        await opened(app, pilot)
        app.screen._copy(["x" * 1000] * 100, "do now")
        await pilot.pause()
        return app.clipboard, said(app)

    copied, words = explored(steps)
    assert copied == ""
    assert "100 lines (do now) not copied: it is too much" in words


@pytest.mark.parametrize("size", TWO_SIZES)
def test_hostile_names_leave_the_screen_whole(size):
    snapshot = snapshot_of(composed.hostile())

    async def steps(app, pilot):
        app.snapshot = snapshot
        texts = []
        for one in snapshot.findings:
            app.go("finding", finding_key(one))
            await pilot.pause()
            await pressed(pilot, "y", "u", "s", "escape", "escape")
            texts.append(shown(app))
        return texts

    for text in explored(steps, size=size, terminal=TERMINAL):
        assert all(line.isprintable() for line in text.split("\n"))
