"""`fsadvisor attest` and `waive`: look at the machine, take down what somebody says, list what has been said."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from fsadvisor.attestation import checklist, claims, document
from fsadvisor.facts import Unknown
from fsadvisor.machine.kept_files import ATTESTATIONS, WithFile, rewrite_attestations
from fsadvisor.pages.text import WIDTH, counted, wrapped
from fsadvisor.survey.attested import what
from fsadvisor.survey.whole import survey_with_identities

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.attestations import Attestations, Entry
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Storage


def attest(machine: Machine, file: Path, fact: str, subject: str, value: str | None, saying: claims.Saying) -> str:
    """Write an attestation down; returns what was done, in words. Raises ClaimError and MachineError."""
    return written(file, prepared(machine, fact, subject, value, saying))


def prepared(machine: Machine, fact: str, subject: str, value: str | None, saying: claims.Saying) -> Entry:
    """The entry that an attestation comes to, held against the machine. Raises ClaimError."""
    claims.attestable(fact)
    return claims.attestation(_seen(machine), fact, subject, value, saying)


def answered(
    machine: Machine, file: Path, name: str, named: str | None, said: Sequence[str], saying: claims.Saying
) -> list[str]:
    """Write the answers to a checklist down, all or none; returns what was done. Raises ClaimError and MachineError."""
    seen = _seen(machine)
    entries = [
        claims.attestation(seen, fact, subject, value, saying)
        for fact, subject, value in checklist.answers(seen.storage, name, named, said)
    ]
    rewrite_attestations(file, lambda text: reduce(document.with_entry, entries, text))
    return [_done(file, entry) for entry in entries]


def waive(machine: Machine, file: Path, rules: Iterable[Rule], rule: str, subject: str, saying: claims.Saying) -> str:
    """Write a waiver down; returns what was done, in words. Raises ClaimError and MachineError."""
    return written(file, claims.waiver(_seen(machine), rules, rule, subject, saying))


def withdraw(file: Path, kind: str, about: str, subject: str) -> str:
    """Take an attestation or a waiver out of the file; returns what was done. Raises ClaimError and MachineError."""
    rewrite_attestations(file, lambda text: document.without_entry(text, kind, about, subject))
    return f"taken out of {file}: {kind} {about} on {subject}"


def _seen(machine: Machine) -> claims.Seen:
    """The machine without what people say, since it must not back itself."""
    silent = WithFile(machine, ATTESTATIONS, "", ATTESTATIONS)
    storage, identity = survey_with_identities(silent, {})
    return claims.Seen(storage=storage, identity=identity, today=machine.today)


def written(file: Path, entry: Entry) -> str:
    """Write an entry down; returns what was done, in words. Raises ClaimError and MachineError."""
    rewrite_attestations(file, lambda text: document.with_entry(text, entry))
    return _done(file, entry)


def _done(file: Path, entry: Entry) -> str:
    return f"written to {file}: {entry.kind} {what(entry)}, until {entry.until}"


def listing(machine: Machine, storage: Storage) -> Iterator[str]:
    """Every entry of the machine's file, and whether it counts."""
    answer = machine.read(ATTESTATIONS)
    if isinstance(answer, Unknown):
        yield "Nobody has attested or waived anything.\n"
        return
    record = document.entries(answer.text)
    why = {it.place: it.why for it in storage.ignored}
    total = len(record.entries) + len(record.unread)
    yield from wrapped(f"{counted(total, 'entry', 'entries')} in {answer.source}, {len(why):,} ignored", WIDTH)
    yield from _entries(record, why)


def _entries(record: Attestations, why: Mapping[str, str]) -> Iterator[str]:
    for entry in record.entries:
        value = "" if entry.value is None else f" = {_word(entry.value)}"
        about = f"{entry.about} {'of' if entry.kind == 'attestation' else 'on'} {entry.subject}{value}"
        yield "\n"
        yield from wrapped(f"{entry.kind}: {about}", WIDTH, "", "  ")
        yield from wrapped(f"by {entry.by} on {entry.on} until {entry.until}", WIDTH, "  ")
        for text in filter(None, (entry.because, entry.link)):
            yield from wrapped(text, WIDTH, "  ")
        if entry.place in why:
            yield from wrapped(f"IGNORED: {why[entry.place]}", WIDTH, "  ", "    ")
    for piece in record.unread:
        yield "\n"
        yield from wrapped(f"{piece}", WIDTH, "", "  ")
        yield "  IGNORED\n"


def _word(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
