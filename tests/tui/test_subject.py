"""A subject on the screen: what its keys do, and what changed since the last run."""

import datetime as dt
import threading
from types import SimpleNamespace

import pytest

from fsadvisor.machine.opening import open_machine
from fsadvisor.report import history
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.survey.whole import survey
from fsadvisor.tui.screens.finding import FindingScreen
from fsadvisor.tui.screens.subject import SubjectScreen
from fsadvisor.tui.session import Memory, Session
from fsadvisor.tui.widgets.rows_view import RowsView
from tests.paths import FIXTURES
from tests.report import composed
from tests.tui.driving import SIZES, TWO_SIZES, explored, long, shown, until
from tests.views.seen import snapshot_of

STACKED = "lab-xfs-lvm-luks-raid1"
CONFIGURED = "lab-fstab-that-would-not-boot"
THEN = dt.datetime(2026, 11, 20, 22, 1, tzinfo=dt.UTC)


async def opened(app, pilot, subject):
    app.go("subject", subject)
    await until(pilot, lambda: isinstance(app.screen, SubjectScreen) and app.screen._shown)
    await until(pilot, lambda: app.screen.query_one("#rows", RowsView).row is not None)
    await pilot.pause()


async def pressed(pilot, *keys):
    for key in keys:
        await pilot.press(key)
    await pilot.pause()


async def on_row(app, pilot, key):
    app.screen.query_one("#rows", RowsView).put_cursor_on(key)
    await pilot.pause()
    await pilot.pause()


@pytest.mark.parametrize("size", [*SIZES, long(160, 50)])
def test_the_head_the_stack_and_facts_are_seen_at_once_and_the_one_under_the_cursor_with_its_meaning(size):
    async def steps(app, pilot):
        await opened(app, pilot, "disk:sda")
        text = shown(app)
        await on_row(app, pilot, "fact\ndisk.write_cache")
        return text, shown(app)

    text, fact = explored(steps, machine=STACKED, size=size)
    assert "disk sda (Samsung SSD 870 EVO 1TB): " in text
    assert "this one" in text
    assert "transport" in text
    assert size == (120, 40) or "whether the kernel believes in a volatile cache" in " ".join(fact.split())


@pytest.mark.long
def test_tab_shows_more_in_the_place_of_the_list_and_back_where_there_is_little_room():
    async def steps(app, pilot):
        await opened(app, pilot, "mount:/srv/lab/data")
        await pressed(pilot, "tab")
        more = shown(app)
        await pressed(pilot, "tab")
        return more, shown(app)

    more, back = explored(steps, machine=CONFIGURED)
    assert "Options in force, and as configured" in more
    assert "not in force" in more
    assert "The stack" not in more
    assert "The stack" in back


@pytest.mark.long
def test_on_a_wide_screen_all_stand_side_by_side_and_tab_goes_there():
    async def steps(app, pilot):
        await opened(app, pilot, "mount:/srv/lab/data")
        text = shown(app)
        await pressed(pilot, "tab")
        there = app.focused.id
        await pressed(pilot, "tab")
        return text, there, app.focused.id

    text, there, back = explored(steps, machine=CONFIGURED, size=(160, 50))
    assert "Options in force, and as configured" in text
    assert "The stack" in text
    assert (there, back) == ("more", "rows")


@pytest.mark.long
def test_where_there_is_no_more_tab_says_so():
    async def steps(app, pilot):
        await opened(app, pilot, "host")
        await pressed(pilot, "tab")
        return [note.message for note in app._notifications], shown(app)

    words, text = explored(steps, machine=STACKED)
    assert words == ["There is no more to tell of it than this list."]
    assert "kernel_release" in text


def test_enter_on_a_check_opens_it_and_on_a_part_of_the_stack_that_subject():
    async def steps(app, pilot):
        await opened(app, pilot, "mount:/srv/lab/data")
        verdict = app.snapshot.verdicts_on("mount:/srv/lab/data")[0]
        await on_row(app, pilot, f"verdict\n{verdict.rule.id}\n{verdict.subject.id}")
        await pressed(pilot, "enter")
        finding = isinstance(app.screen, FindingScreen), shown(app), verdict.rule.title
        await pressed(pilot, "escape")
        await on_row(app, pilot, "subject\ndisk:nvme0n1")
        await pressed(pilot, "enter")
        return *finding, app.screen.key

    is_finding, text, title, key = explored(steps, machine=CONFIGURED)
    assert is_finding
    assert title.split()[0] in text
    assert key == "disk:nvme0n1"


@pytest.mark.long
def test_braces_go_from_part_to_part():
    async def steps(app, pilot):
        await opened(app, pilot, "disk:sda")
        rows = app.screen.query_one("#rows", RowsView)
        found = []
        for key in ("right_curly_bracket", "right_curly_bracket", "left_curly_bracket"):
            await pressed(pilot, key)
            found.append(rows.row.key)
        return found

    found = explored(steps, machine=STACKED)
    assert found[0] == found[2]
    assert all(key.startswith("part\n") for key in found)


def test_a_search_narrows_the_list_to_what_it_finds_and_a_subject_that_has_gone_says_so_calmly():
    async def steps(app, pilot):
        await opened(app, pilot, "disk:sda")
        await pressed(pilot, "slash", *"believes", "enter")
        found = [row.key for row in app.screen.query_one("#rows", RowsView).rows]
        await pressed(pilot, "escape")
        app.snapshot = snapshot_of(composed.empty(), number=99)
        await until(pilot, lambda: app.screen._shown == 99)
        await pressed(pilot, "j", "enter", "tab", "right_curly_bracket")
        return found, shown(app)

    found, text = explored(steps, machine=STACKED)
    assert found == ["fact\ndisk.write_cache"]
    assert "disk:sda: not there any more" in text
    assert "as of the look of this moment" in text


@pytest.mark.long
@pytest.mark.parametrize("size", TWO_SIZES)
def test_hostile_names_leave_the_screen_whole(size):
    snapshot = snapshot_of(composed.hostile(["escape", "markup", "long", "not UTF-8"]))

    async def steps(app, pilot):
        app.snapshot = snapshot
        texts = []
        for one in snapshot.storage.subjects:
            app.go("subject", one.id)
            await pilot.pause()
            await pressed(pilot, "j", "j", "tab")
            texts.append(shown(app))
            await pressed(pilot, "escape")
        return texts

    for text in explored(steps, size=size):
        assert all(line.isprintable() for line in text.split("\n"))


def run(machine, file):
    """The last snapshot of a run of the explorer's session on what passes for this machine."""

    def answered():
        return open_machine(FIXTURES / "machines" / machine), SimpleNamespace(changed=threading.Event(), asking=())

    session = Session(
        opened=answered,
        storage_of=lambda it, supposed=(): survey(it, {}, supposed),
        rulebook=own_rulebook(),
        version="0",
        memory=Memory(file),
    )
    return list(session.snapshots())[-1]


def test_the_next_run_tells_what_changed_since_the_last(tmp_path):
    file = tmp_path / "state" / "seen.json.gz"
    assert run("pm9a3-postgresql-volatile", file).history is None
    assert run("pm9a3-postgresql-volatile", file).history.changes == ()
    changed = run("pm9a3-postgresql-as-seed-000-says", file).history
    assert "disk:nvme0n1" in changed.by_subject
    assert any(one.fact == "mount.atime" for one in changed.changes)


def test_what_changed_stands_on_the_subject():
    before = history.gist("", composed.machine("x", *_disk("write back")), THEN)
    storage = composed.machine("x", *_disk("write through"))
    found = history.history(before, history.gist("", storage, THEN))

    async def steps(app, pilot):
        app.snapshot = snapshot_of(storage, number=99, history=found)
        await opened(app, pilot, "disk:sda")
        list_of_facts = shown(app)
        await pressed(pilot, "tab")
        return list_of_facts, shown(app)

    listed, more = explored(steps)
    assert f"1 changed since {found.moment}" in listed
    assert "write_cache: write back -> write through" in more


def _disk(cache):
    on = composed.host()
    return on, composed.disk("sda", on, write_cache=cache)
