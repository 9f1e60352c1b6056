"""What came of what a person has said."""

import datetime as dt

from fsadvisor import attestation
from fsadvisor.attestation import verbs
from fsadvisor.machine.kept_files import ATTESTATIONS, WithFile
from fsadvisor.machine.opening import open_machine
from fsadvisor.pages.glyphs import plain
from fsadvisor.pages.screen import laid
from fsadvisor.tui.views import what_if
from tests.paths import FIXTURES
from tests.views.seen import session, snapshot_from

SERVER = "old-storage-server"


def page(fact, subject, value, on=dt.date(2026, 11, 26)):
    machine = open_machine(FIXTURES / "machines" / SERVER)
    saying = attestation.Saying(by="Jo", because="read", link="", until=None, on=on)
    entry = verbs.prepared(machine, fact, subject, value, saying)
    after = session().snapshot(WithFile(machine, ATTESTATIONS, attestation.entry_toml(entry), ATTESTATIONS))
    made = what_if.page_of_said(snapshot_from(SERVER), after, [entry], "written", live=False)
    return " ".join(" ".join(plain(one) for one in laid(made.blocks, 300)).split())


def test_a_data_sheet_leaves_a_drive_claimed_and_the_page_says_what_would_prove_it():
    text = page("disk.datasheet_plp", "sdf", "yes")
    assert "disk.datasheet_plp of sdf: was not known: only a person can say, is now yes" in text
    unchanged = text.partition("What it did not change")[2]
    assert "disk sdf (INTEL SSDSC2KB480G8): power-loss protection: vendor claims it" in unchanged
    assert "'proven' takes the drive's own test of its capacitors" in unchanged
    assert "disk.plp " not in text.partition("What it did not change")[0]


def test_what_is_said_of_a_recording_is_dated_by_the_day_on_which_it_is_said():
    assert "It is dated 2026-11-26, the day on which it was said, not that of the recording" in page(
        "disk.datasheet_plp", "sdf", "yes"
    )


def test_what_changes_a_verdict_and_advice_is_told_with_what_it_was():
    text = page("disk.datasheet_plp", "sdf", "no")
    changed = text.partition("What it changed")[2].partition("What it did not change")[0]
    assert "disk.plp of sdf: was claimed, is now unknown" in changed
    assert "find out who is right" in text


def test_before_the_machine_was_looked_at_again_nothing_is_said_to_have_changed():
    machine = open_machine(FIXTURES / "machines" / SERVER)
    saying = attestation.Saying(by="Jo", because="read", link="", until=None)
    entries = [verbs.prepared(machine, "disk.datasheet_plp", "sda", "yes", saying)]
    made = what_if.page_of_said(snapshot_from(SERVER), None, entries, "written", live=True)
    text = " ".join(plain(one) for one in laid(made.blocks, 300))
    assert "Looking again" in text
    assert "What it changed" not in text
    assert "recording" not in text
