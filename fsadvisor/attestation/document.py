"""The text of attest.toml: entries put in and taken out, all else left as it stands, comments too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fsadvisor.attestation.claims import ClaimError
from fsadvisor.facts import Unknown
from fsadvisor.readers import attestations
from fsadvisor.rulebook.mistakes import offsets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.readers.attestations import Attestations, Drive, Entry

_BEGINNING = "# What people say of this machine: see `fsadvisor attest` and `fsadvisor waive`.\n"


def entries(text: str) -> Attestations:
    """What the text holds. Raises ClaimError where it is no TOML."""
    record = attestations.parse(text)
    if isinstance(record, Unknown):
        raise ClaimError(f"the file of attestations is {record.learn.partition(';')[0]}: fix it first")
    return record


def with_entry(text: str, entry: Entry) -> str:
    """The text with one entry more, in place of those on the same fact or rule and subject."""
    for old in _alike(entries(text), entry.kind, entry.about, entry.subject):
        text = _without(text, old)
    after = f"{text.rstrip() or _BEGINNING.rstrip()}\n\n{toml(entry)}"
    record = attestations.parse(after)
    if isinstance(record, Unknown) or _of_kind(record, entry.kind) != [
        *_of_kind(entries(text), entry.kind),
        _bare(entry),
    ]:
        raise ClaimError(f"[[{entry.kind}]] can't be put at the end of the file: fix the file first")
    return after


def without_entry(text: str, kind: str, about: str, subject: str) -> str:
    """The text without the entries on a fact or rule and a subject. Raises ClaimError where there is none."""
    found = _alike(entries(text), kind, about, subject)
    if not found:
        raise ClaimError(f"there is no {kind} {about} on {subject}; `fsadvisor attest` lists what there is")
    for old in found:
        text = _without(text, old)
    return text


def _of_kind(record: Attestations, kind: str) -> list[tuple[object, ...]]:
    return [_bare(it) for it in record.entries if it.kind == kind]


def _alike(record: Attestations, kind: str, about: str, subject: str) -> list[Entry]:
    """Last first, so that taking one out leaves the places of the others."""
    found = [
        it
        for it in record.entries
        if (it.kind, it.about) == (kind, about) and subject in (it.subject, it.subject.partition(":")[2])
    ]
    return sorted(found, key=lambda it: int(it.place.rpartition(" ")[2]), reverse=True)


def _without(text: str, entry: Entry) -> str:
    """The text without one entry: from its header to the next one, whose comments stay with it."""
    own = (entry.kind, int(entry.place.rpartition(" ")[2]) - 1)
    places = offsets(text)
    start = places[own]
    if not text.startswith("[[", start):
        raise ClaimError(f"{entry.place} is not written as [[{entry.kind}]]: take it out by hand")
    after = [place for path, place in places.items() if place > start and path[:2] != own]
    end = min(after, default=len(text))
    head, lines = text[:start], text[start:end].splitlines(keepends=True)
    kept: list[str] = []
    while lines and lines[-1].lstrip().startswith("#"):
        kept.insert(0, lines.pop())
    return _checked(text, head + "".join(kept) + text[end:], entry)


def _checked(before: str, after: str, gone: Entry) -> str:
    """The new text, if it says all that the old one did but for one entry."""
    was = [_bare(it) for it in entries(before).entries if it.place != gone.place]
    if [_bare(it) for it in entries(after).entries] != was:
        raise ClaimError(f"{gone.place} can't be taken out safely: take it out by hand")
    return after


def _bare(entry: Entry) -> tuple[object, ...]:
    return entry.kind, entry.about, entry.subject, entry.value, entry.by, entry.on, entry.until, entry.drives


def toml(entry: Entry) -> str:
    """One entry as TOML."""
    return "".join(f"{line}\n" for line in _lines(entry))


def _lines(entry: Entry) -> Iterator[str]:
    yield f"[[{entry.kind}]]"
    yield f"{'fact' if entry.kind == 'attestation' else 'rule'} = {_quoted(entry.about)}"
    yield f"subject = {_quoted(entry.subject)}"
    if entry.value is not None:
        yield f"value = {_quoted(entry.value) if isinstance(entry.value, str) else json.dumps(entry.value)}"
    yield f"by = {_quoted(entry.by)}"
    yield f"on = {entry.on.isoformat()}"
    yield f"until = {entry.until.isoformat()}"
    for key, text in (("because", entry.because), ("link", entry.link), ("uuid", entry.uuid)):
        if text:
            yield f"{key} = {_quoted(text)}"
    for drive in entry.drives:
        yield from ("", f"[[{entry.kind}.drive]]", *_drive(drive))


def _drive(drive: Drive) -> Iterator[str]:
    for key, text in (("model", drive.model), ("serial", drive.serial), ("firmware", drive.firmware)):
        if text is not None:
            yield f"{key} = {_quoted(text)}"


def _quoted(text: str) -> str:
    r"""A basic string: JSON's escapes, and DEL, which TOML does not take as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
