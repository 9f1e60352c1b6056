"""Deciding where one reads: waive, attest, suppose and plan on a finding or a fact, by one key each."""

import datetime as dt
import tomllib

import pytest

from fsadvisor.tui.screens.attestation_form import AttestationForm, WaiverForm
from fsadvisor.tui.screens.checklist import Checklist
from fsadvisor.tui.screens.choices import SuppositionForm
from fsadvisor.tui.screens.what_if import AttestationEffect
from fsadvisor.tui.views.snapshot import finding_key
from fsadvisor.tui.views.suppose import asked_of
from fsadvisor.tui.widgets.rows_view import RowsView
from tests.tui.driving import SIZES, explored, said, shown, typed, until
from tests.tui.test_unknowns import attesting


async def fact(app, pilot, subject, name):
    """Go to a fact of a subject."""
    app.go("subject", f"{subject}\n{name}")
    await until(pilot, lambda: app.screen.name == "subject" and app.screen.query_one("#rows", RowsView).row)
    await pilot.pause()


def beside(app):
    """What the pane at the right tells, or the whole of a narrow screen, without its line breaks."""
    return " ".join(" ".join(one.rpartition("▏")[2] for one in shown(app).splitlines()).split())


@pytest.mark.parametrize("size", SIZES)
def test_a_finding_is_waived_and_the_waiver_taken_back_where_one_reads_it(size, tmp_path):
    file = tmp_path / "attest.toml"

    async def steps(app, pilot):
        rule = app.screen.finding_here().rule.id
        await pilot.press("W")
        await until(pilot, lambda: isinstance(app.screen, WaiverForm))
        await pilot.pause()
        asked = beside(app)
        await typed(pilot, "a spare is on its way")
        await pilot.press("enter", "enter", "enter")
        await until(pilot, lambda: "These lines would go to" in shown(app))
        before = file.exists()
        await pilot.press("y")
        await until(pilot, lambda: "1 waived" in shown(app))
        written = file.read_text()
        waived = next(finding_key(one) for one in app.snapshot.findings if one.waiver)
        app.screen.query_one("#advice", RowsView).put_cursor_on(waived)
        await pilot.press("W")
        await until(pilot, lambda: "take the waiver back" in shown(app))
        await pilot.press("y")
        await until(pilot, lambda: "1 waived" not in shown(app))
        return rule, asked, before, written

    rule, asked, before, written = attesting(steps, file, size)
    assert f"({rule}). It stays in the report as waived" in asked
    assert "Why others may believe it" not in asked
    assert not before
    assert "waiver" not in tomllib.loads(file.read_text())
    (entry,) = tomllib.loads(written)["waiver"]
    assert (entry["rule"], entry["because"], entry["by"]) == (rule, "a spare is on its way", "Jo Doe")


def test_one_finding_on_several_mounts_is_waived_on_all_of_them_by_one_form(tmp_path):
    file = tmp_path / "attest.toml"

    async def steps(app, pilot):
        several = next(one for one in app.snapshot.findings if len(list(one.subjects)) > 1)
        app.screen.query_one("#advice", RowsView).put_cursor_on(finding_key(several))
        await pilot.press("W")
        await until(pilot, lambda: "Accept the risk on which?" in shown(app))
        await pilot.press("enter")
        await typed(pilot, "names are kept")
        asked = beside(app)
        await pilot.press("enter", "enter", "enter")
        await until(pilot, lambda: "These lines would go to" in shown(app))
        await pilot.press("y")
        await until(pilot, lambda: file.exists() and "1 waived" in shown(app))
        return {one.id for one in several.subjects}, several.rule.id, asked

    subjects, rule, asked = attesting(steps, file, machine="old-storage-server")
    assert f"on all {len(subjects)}" in asked
    entries = tomllib.loads(file.read_text())["waiver"]
    assert {one["subject"] for one in entries} == subjects
    assert {one["rule"] for one in entries} == {rule}


@pytest.mark.long
def test_a_waiver_without_a_reason_is_refused_in_the_line_where_it_is_missing(tmp_path):
    async def steps(app, pilot):
        await pilot.press("enter", "W")
        await until(pilot, lambda: isinstance(app.screen, WaiverForm))
        await pilot.press("enter", "enter", "enter")
        await until(pilot, lambda: "say why the risk can be accepted" in shown(app))
        assert app.focused.id == "because"

    attesting(steps, tmp_path / "attest.toml")
    assert not (tmp_path / "attest.toml").exists()


def test_a_fact_is_attested_on_its_own_row(tmp_path):
    file = tmp_path / "attest.toml"

    async def steps(app, pilot):
        await fact(app, pilot, "disk:nvme0n1", "disk.datasheet_plp")
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, AttestationForm))
        await pilot.press("enter")
        await typed(pilot, "data sheet")
        await pilot.press("enter", "enter", "enter")
        await until(pilot, lambda: "These lines would go to" in shown(app))
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, AttestationEffect) and "is now yes" in beside(app))
        came_of_it = beside(app)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen.name == "subject")
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, AttestationForm))
        await pilot.pause()
        return came_of_it, beside(app)

    came_of_it, again = attesting(steps, file)
    assert "disk.datasheet_plp of nvme0n1: was not known" in came_of_it
    assert "power-loss protection: proven" in came_of_it
    assert "still waits. Answer 5 questions here: Esc, then a" in came_of_it
    today = dt.datetime.now().astimezone().date()
    assert f"It is answered: yes, attested by Jo Doe on {today}" in again
    assert "the day on which it was said, not that of the recording" in came_of_it
    (entry,) = tomllib.loads(file.read_text())["attestation"]
    assert (entry["fact"], entry["subject"], entry["value"]) == ("disk.datasheet_plp", "disk:nvme0n1", True)


def test_a_fact_is_supposed_on_its_own_row_by_its_value_alone():
    async def steps(app, pilot):
        await fact(app, pilot, "disk:nvme0n1", "disk.plp")
        await pilot.press("S")
        await until(pilot, lambda: isinstance(app.screen, SuppositionForm))
        await pilot.press("enter")
        await until(pilot, lambda: app.supposed)
        return app.supposed, app.current_mode

    supposed, mode = explored(steps)
    assert [(one.subject, one.fact) for one in supposed] == [("disk:nvme0n1", "disk.plp")]
    assert supposed[0].value != "proven"  # what it is
    assert mode == "what_if"


@pytest.mark.long
def test_a_supposition_of_what_is_so_already_is_answered_and_not_taken():
    async def steps(app, pilot):
        await fact(app, pilot, "disk:nvme0n1", "disk.plp")
        await pilot.press("S")
        await until(pilot, lambda: isinstance(app.screen, SuppositionForm))
        await pilot.press("G", "enter")
        await until(pilot, lambda: "disk.plp is proven already" in shown(app))
        return app.supposed

    assert explored(steps) == ()


@pytest.mark.long
def test_what_can_not_be_decided_of_a_row_is_answered(tmp_path):
    async def steps(app, pilot):
        await fact(app, pilot, "disk:nvme0n1", "disk.plp")
        for key, words in (
            ("a", "disk.plp can't be attested: it comes from"),
            ("W", "Only advice can be waived or planned"),
            ("p", "Only advice can be waived or planned"),
        ):
            app.heard.clear()
            await pilot.press(key)
            await until(pilot, lambda words=words: words in said(app))

    attesting(steps, tmp_path / "attest.toml")


def test_on_a_recording_it_is_said_where_to_keep_what_people_say():
    async def steps(app, pilot):
        await pilot.press("W")
        await until(pilot, lambda: "--attestations FILE says where to" in said(app))
        await fact(app, pilot, "disk:nvme0n1", "disk.datasheet_plp")
        app.heard.clear()
        await pilot.press("a")
        await until(pilot, lambda: "--attestations FILE says where to" in said(app))

    explored(steps)


@pytest.mark.long
def test_nothing_sends_to_the_command_line_where_a_key_does_it():
    async def steps(app, pilot):
        await fact(app, pilot, "disk:nvme0n1", "disk.datasheet_plp")
        return shown(app)

    text = " ".join(explored(steps, size=(120, 40)).split())
    assert "a says it, with a reason; S supposes another value" in text
    assert "say it with" not in text


@pytest.mark.parametrize("size", SIZES)
def test_several_things_that_only_people_know_are_one_form_with_one_reason(size, tmp_path):
    file = tmp_path / "attest.toml"

    async def steps(app, pilot):
        key = next(
            finding_key(one)
            for one in app.snapshot.findings
            if sum(name.startswith("disk.") for _, name in asked_of(app.snapshot, one)) > 3
        )
        app.go("finding", key)
        await until(pilot, lambda: app.screen.name == "finding")
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, Checklist))
        await pilot.pause()
        await pilot.press("enter")
        await until(pilot, lambda: "nothing is answered yet" in shown(app))
        await pilot.press("space", "j", "space", "space")
        await until(pilot, lambda: "2 answered" in shown(app))
        answers = dict(app.screen._answers)
        await pilot.press("enter")
        await pilot.pause()
        await typed(pilot, "data sheet")
        await pilot.press("enter", "enter", "enter")
        await until(pilot, lambda: "These lines would go to" in shown(app))
        before = file.exists()
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, AttestationEffect) and "is now" in beside(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen.name == "finding")
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, Checklist))
        await pilot.pause()
        again = beside(app)
        await pilot.press("G", "space")
        await until(pilot, lambda: "1 answered" in shown(app))
        changed = app.screen._answered_facts
        return before, answers, again, changed

    before, answers, again, changed = attesting(steps, file, size)
    assert "0 answered, 2 answered before" in again
    assert changed[0][2] in ("yes", "no")
    assert not before
    assert answers == {0: "yes", 1: "no"}
    one, two = tomllib.loads(file.read_text())["attestation"]
    assert one["fact"] != two["fact"]
    assert (one["value"], two["value"]) == (True, False)
    assert one["because"] == two["because"] == "data sheet"


@pytest.mark.long
def test_a_number_that_was_written_from_the_form_of_several_things_is_asked_no_more(tmp_path):
    file = tmp_path / "attest.toml"

    async def steps(app, pilot):
        place = next(one.id for one in app.snapshot.storage.subjects if one.kind == "filesystem")
        asked = [("disk:nvme0n1", "disk.datasheet_plp"), (place, "filesystem.largest_folder_names")]
        app.push_screen(Checklist(asked))
        await until(pilot, lambda: isinstance(app.screen, Checklist))
        await pilot.pause()
        await pilot.press("space", "j", "enter")
        await until(pilot, lambda: type(app.screen) is AttestationForm)
        await pilot.pause()
        await typed(pilot, "5000")
        await pilot.press("enter", "enter")
        await typed(pilot, "counted")
        await pilot.press("enter", "enter", "enter")
        await until(pilot, lambda: "These lines would go to" in shown(app))
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, AttestationEffect))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, Checklist) and "1 thing" in shown(app))
        return shown(app), app.screen._answered_facts

    seen, said_of = attesting(steps, file)
    assert "1 answered" in seen
    assert "largest_folder_names" not in seen
    assert said_of == [("disk.datasheet_plp", "disk:nvme0n1", "yes")]
    (entry,) = tomllib.loads(file.read_text())["attestation"]
    assert entry["value"] == 5000
