"""Entries are put in and taken out; all else in the file stays as people wrote it."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsadvisor import attestation
from fsadvisor.attestation import ClaimError
from fsadvisor.readers.attestations import PinnedDrive, Statement, parse
from tests.paths import FIXTURES

WRITTEN = (FIXTURES / "outputs/attestations/written.out").read_text()
ENTRY = Statement(
    place="attestation",
    kind="attestation",
    about="disk.swap_policy",
    subject="disk:sda",
    value=True,
    by="Jo Doe",
    on=dt.date(2026, 11, 20),
    until=dt.date(2027, 11, 20),
    link="https://example.com/",
    drives=(PinnedDrive(model="A", serial="B"), PinnedDrive()),
)

texts = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40).filter(str.strip)


def placed(entry, text):
    """The entry as it is read back from the end of a text."""
    return replace(entry, place=[it.place for it in parse(text).entries if it.kind == entry.kind][-1])


def test_an_entry_is_put_at_the_end_and_all_before_it_stays():
    text = attestation.with_entry(WRITTEN, ENTRY)
    assert text.startswith(WRITTEN)
    assert placed(ENTRY, text) in parse(text).entries


def test_a_new_file_says_what_it_is():
    assert attestation.with_entry("", ENTRY).startswith("# What people say of this machine")


@given(by=texts, because=texts, model=texts, value=st.booleans() | st.integers(-9, 9) | texts, waived=st.booleans())
def test_any_words_are_read_back_as_they_were_said(by, because, model, value, waived):
    kind = "waiver" if waived else "attestation"
    entry = replace(ENTRY, kind=kind, by=by, because=because, value=None if waived else value)
    entry = replace(entry, drives=(PinnedDrive(model=model),))
    text = attestation.with_entry(WRITTEN, entry)
    assert parse(text).unread == ()
    assert placed(entry, text) in parse(text).entries


def test_what_is_said_anew_takes_the_place_of_what_was_said():
    text = attestation.with_entry(attestation.with_entry(WRITTEN, ENTRY), replace(ENTRY, by="Max"))
    assert [it.by for it in parse(text).entries if it.about == ENTRY.about] == ["Max"]
    assert len(parse(text).entries) == 4


@pytest.mark.parametrize("entry", parse(WRITTEN).entries, ids=lambda it: it.place)
def test_an_entry_is_taken_out_and_the_others_stay(entry):
    text = attestation.without_entry(WRITTEN, entry.kind, entry.about, entry.subject.partition(":")[2])
    left = [(it.about, it.because, it.drives) for it in parse(text).entries]
    assert left == [(it.about, it.because, it.drives) for it in parse(WRITTEN).entries if it != entry]
    assert text.startswith("# Kept by fsadvisor attest and waive; may be edited.\n")


def test_comments_of_the_next_entry_stay_with_it():
    text = WRITTEN.replace('[[attestation]]\nfact = "mount', '# agreed in the team\n[[attestation]]\nfact = "mount')
    assert "# agreed in the team\n[[attestation]]" in attestation.without_entry(
        text, "attestation", "disk.datasheet_plp", "disk:nvme0n1"
    )


def test_entries_with_mistakes_stay_when_others_change():
    broken = '[[attestation]]\nfact = "x" # half done\n\n'
    text = attestation.with_entry(broken + WRITTEN, ENTRY)
    assert attestation.without_entry(text, ENTRY.kind, ENTRY.about, ENTRY.subject).startswith(broken)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("fact = ", "not TOML"),
        ("attestation = []\n", "can't be put at the end of the file"),
        ("[waiver]\nrule = 1\n[attestation]\n", "can't be put at the end of the file"),
    ],
)
def test_a_file_that_can_not_be_added_to_is_left_alone(text, says):
    with pytest.raises(ClaimError, match=says):
        attestation.with_entry(text, ENTRY)


def test_what_is_not_there_can_not_be_taken_out():
    with pytest.raises(ClaimError, match="there is no waiver"):
        attestation.without_entry(WRITTEN, "waiver", "nobarrier-unproven", "filesystem:/dev/sdz")


def test_an_entry_written_in_another_form_is_left_for_people_to_take_out():
    text = (
        'waiver = [{rule = "r", subject = "disk:sda", by = "Jo", on = 2026-01-01, until = 2027-01-01, because = "b"}]\n'
    )
    with pytest.raises(ClaimError, match="by hand"):
        attestation.without_entry(text, "waiver", "r", "disk:sda")
