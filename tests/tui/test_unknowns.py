"""The place of what could not be told, and the cures that are run from it."""

import asyncio
import re
import shlex
import sys
import tomllib

import pytest

from fsadvisor.machine.kept_files import ATTESTATIONS, WithFile, attestation_text
from fsadvisor.machine.opening import open_machine
from fsadvisor.tui.screens.attestation_form import AttestationForm
from fsadvisor.tui.screens.checklist import Checklist
from fsadvisor.tui.screens.choices import SuppositionForm
from fsadvisor.tui.screens.unknowns import Unknowns
from fsadvisor.tui.screens.what_if import AttestationEffect, WhatIf
from fsadvisor.tui.views.unknowns import Means
from fsadvisor.tui.widgets.rows_view import RowsView
from tests.paths import FIXTURES
from tests.tui.driving import MACHINE, TERMINAL, TWO_SIZES, Heard, explored, said, screen, session, shown, typed, until

SIZES = TWO_SIZES


async def opened(app, pilot):
    await pilot.press("2")
    await gathered(app, pilot)


async def gathered(app, pilot):
    """The list of the snapshot of the moment is shown."""
    await until(
        pilot,
        lambda: (
            isinstance(app.screen, Unknowns) and app.screen._gathered and app.screen._gathered.snapshot is app.snapshot
        ),
    )
    await pilot.pause()


async def on_first(app, pilot, means, fact=""):
    """Put the cursor on the first task that is cured so."""
    tasks = app.screen._gathered.tasks
    task = next(one for one in tasks if one.means is means and (not fact or fact in one.cure.facts))
    app.screen.query_one("#tasks", RowsView).put_cursor_on(task.key)
    await pilot.pause()
    return task


async def read_what_came_of_it(app, pilot):
    """The page after something was said, and back."""
    await until(pilot, lambda: isinstance(app.screen, AttestationEffect) and "What it did not change" in shown(app))
    await pilot.press("escape")


def attesting(steps, file, size=(80, 24), machine=MACHINE):
    """Run the explorer on a recorded machine that keeps what people say in a file."""

    async def run():
        made = session(machine)
        recorded = open_machine(FIXTURES / "machines" / machine)
        made.opened = lambda: (WithFile(recorded, ATTESTATIONS, attestation_text(file), str(file)), None)
        made.attestations, made.who = file, "Jo Doe"
        app = Heard(made, TERMINAL)
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: app.snapshot is not None)
            return await steps(app, pilot)

    return asyncio.run(run())


@pytest.mark.long
def test_the_heads_count_and_the_places_are_one_number():
    async def steps(app, pilot):
        await opened(app, pilot)
        return screen(app)

    lines = explored(steps, size=(120, 40))
    number = re.search(r"(\d+) unknown", lines[0])[1]
    assert f"Not known  {number} checks: " in lines[2]


@pytest.mark.parametrize("size", SIZES)
def test_what_could_not_be_told_is_a_list_with_the_gravest_first_and_enter_opens_the_task(size):
    async def steps(app, pilot):
        await opened(app, pilot)
        severities, listed = [one.severity for one in app.screen._gathered.tasks], shown(app)
        await pilot.press("down", "enter")  # the first one holds no advice back
        await pilot.pause()
        near, detail = shown(app), app.focused.id
        await pilot.press("escape")
        await pilot.pause()
        return severities, listed, near, detail, app.focused.id, shown(app)

    severities, listed, near, detail, tasks, text = explored(steps, size=size)
    order = ("critical", "high", "moderate", "low")
    assert severities == sorted(severities, key=order.index)
    assert "Not known" in listed
    assert "holds back advice: disk.datasheet_plp" in listed
    assert ("And so decide" in listed) is (size[0] >= 120)
    assert (detail, tasks) == ("detail", "tasks")
    assert "It would tell" in near
    pane = " ".join(line.rpartition("│")[2] for line in near.splitlines())
    assert "this advice is held back until then" in " ".join(pane.split())
    assert "Not known" in text


@pytest.mark.parametrize("size", SIZES)
def test_what_is_attested_is_shown_to_the_letter_written_on_y_only_and_looked_at_again(size, tmp_path):
    file = tmp_path / "attest.toml"

    async def steps(app, pilot):
        await opened(app, pilot)
        await on_first(app, pilot, Means.ATTEST, "disk.datasheet_plp")
        await pilot.press("a", "enter")
        await pilot.pause()
        await typed(pilot, "data sheet of yes")
        await pilot.press("enter", "enter", "enter")
        await until(pilot, lambda: "These lines would go to" in shown(app))
        review, before = shown(app), file.exists()
        await pilot.press("y")
        await read_what_came_of_it(app, pilot)
        await until(pilot, lambda: isinstance(app.screen, Unknowns))
        await gathered(app, pilot)
        return review, before, [one for one in app.screen._gathered.tasks if "disk.datasheet_plp" in one.cure.facts]

    review, before, left = attesting(steps, file, size)
    assert not before
    assert left == []
    written = file.read_text()
    entry = tomllib.loads(written)["attestation"][0]
    assert (entry["fact"], entry["value"], entry["by"]) == ("disk.datasheet_plp", True, "Jo Doe")
    assert entry["because"] == "data sheet of yes"
    for line in written.split("[[attestation]]")[1].splitlines():
        assert line in review


@pytest.mark.long
def test_the_command_that_is_shown_writes_the_same_lines(tmp_path):
    by_hand, other = tmp_path / "explorer.toml", tmp_path / "command.toml"

    async def steps(app, pilot):
        await opened(app, pilot)
        await on_first(app, pilot, Means.ATTEST, "disk.datasheet_plp")
        await pilot.press("a", "enter")
        await pilot.pause()
        await typed(pilot, "looked up")
        await pilot.press("enter", "enter", "enter")
        await until(pilot, lambda: "These lines would go to" in shown(app))
        command = app.screen.query_one("#review").document.blocks[-3].lines[0]
        await pilot.press("y")
        await read_what_came_of_it(app, pilot)
        await until(pilot, lambda: isinstance(app.screen, Unknowns))
        return command

    command = attesting(steps, by_hand)

    async def run():
        machine = FIXTURES / "machines" / MACHINE
        argv = ["-m", "fsadvisor", "--on", str(machine), "--attestations", str(other), *shlex.split(command)[1:]]
        process = await asyncio.create_subprocess_exec(sys.executable, *argv)
        return await process.wait()

    assert asyncio.run(run()) == 0
    assert other.read_text() == by_hand.read_text()


@pytest.mark.long
def test_nothing_is_written_where_one_leaves_by_escape(tmp_path):
    file = tmp_path / "attest.toml"

    async def steps(app, pilot):
        await opened(app, pilot)
        await on_first(app, pilot, Means.ATTEST, "disk.datasheet_plp")
        await pilot.press("a", "enter")
        await pilot.pause()
        await typed(pilot, "why")
        await pilot.press("enter", "enter", "enter")
        await until(pilot, lambda: "These lines would go to" in shown(app))
        for _ in range(3):
            await pilot.press("escape")
            await pilot.pause()
        return isinstance(app.screen, Unknowns)

    assert attesting(steps, file)
    assert not file.exists()


WRONG = (
    ("until", "tomorrow", "is no day such as 2027-01-31"),
    ("until", "2001-01-01", "is past already"),
    ("because", "", "say why others may believe it"),
    ("by", "", "say who says so"),
    ("link", "nowhere", "is neither an address"),
)


def test_what_is_wrong_in_the_form_is_told_in_the_words_of_the_command_line(tmp_path):
    async def steps(app, pilot):
        await opened(app, pilot)
        await on_first(app, pilot, Means.ATTEST, "disk.datasheet_plp")
        await pilot.press("a", "enter")
        await pilot.pause()
        app.screen.query_one("#because").value = "because"
        for field, words, complaint in WRONG:
            right = app.screen.query_one(f"#{field}").value
            app.screen.query_one(f"#{field}").value = words
            app.screen.query_one("#until").focus()
            await pilot.press("enter")
            await until(pilot, lambda complaint=complaint: complaint in shown(app))
            app.screen.query_one(f"#{field}").value = right
        return isinstance(app.screen, AttestationForm)

    assert attesting(steps, tmp_path / "attest.toml")


@pytest.mark.long
def test_a_number_is_typed_and_must_be_one(tmp_path):
    file = tmp_path / "attest.toml"

    async def steps(app, pilot):
        await opened(app, pilot)
        await on_first(app, pilot, Means.ATTEST, "filesystem.largest_folder_names")
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, Checklist))
        await pilot.press("enter")
        await until(pilot, lambda: type(app.screen) is AttestationForm and app.screen.query("#value"))
        await typed(pilot, "many")
        app.screen.query_one("#because").value = "counted"
        app.screen.query_one("#until").focus()
        await pilot.press("enter")
        await until(pilot, lambda: "'many' is no number" in shown(app))
        app.screen.query_one("#value").value = "250000"
        app.screen.query_one("#until").focus()
        await pilot.press("enter")
        await until(pilot, lambda: "These lines would go to" in shown(app))
        await pilot.press("y")
        await read_what_came_of_it(app, pilot)
        await until(pilot, lambda: isinstance(app.screen, Checklist))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, Unknowns))

    attesting(steps, file)
    assert tomllib.loads(file.read_text())["attestation"][0]["value"] == 250000


def test_what_can_not_be_attested_or_kept_is_refused_and_m_goes_to_probes_with_job_and_mount_chosen():
    async def steps(app, pilot):
        await opened(app, pilot)
        for means, words in ((Means.MEASURE, "can't be attested"), (Means.ATTEST, "--attestations")):
            await on_first(app, pilot, means)
            await pilot.press("a")
            await until(pilot, lambda words=words: words in said(app))
        assert isinstance(app.screen, Unknowns)
        await on_first(app, pilot, Means.MEASURE)
        await pilot.press("m")
        await until(pilot, lambda: app.screen.name == "probes" and app.wanted_probe is None)
        await pilot.pause()
        return app.screen.query_one("#jobs", RowsView).row.key, app.screen._mount

    assert explored(steps) == ("job:commit-fdatasync", "/var/lib/postgresql")


def test_w_supposes_an_answer_and_shows_what_follows():
    async def steps(app, pilot):
        await opened(app, pilot)
        await on_first(app, pilot, Means.ATTEST, "filesystem.timestamps_expendable")
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, SuppositionForm))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, WhatIf))
        await until(pilot, lambda: "CHANGED" in shown(app))
        return [(one.fact, one.value) for one in app.supposed]

    assert explored(steps) == [("filesystem.timestamps_expendable", True)]
