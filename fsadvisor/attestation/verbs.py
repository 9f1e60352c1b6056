"""`fsadvisor attest` and `waive`: look at the machine, take down what somebody says, list what has been said.

And a checklist: all that only people can tell for one decision, on one page, filled in as far as it is known.
"""

from __future__ import annotations

import shlex
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from fsadvisor import attestation
from fsadvisor.attestation import ClaimError, drives_of, is_model
from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.machine.kept_files import ATTESTATIONS, WithFile, rewrite_attestations
from fsadvisor.pages.text import WIDTH, wrapped
from fsadvisor.pages.values import counted, value_text
from fsadvisor.patterns import did_you_mean
from fsadvisor.storage import Disk, by_name
from fsadvisor.storage.about import CHECKLISTS
from fsadvisor.storage.catalogue import catalogue
from fsadvisor.survey import read_fact
from fsadvisor.survey.attested import what
from fsadvisor.survey.whole import survey_with_identities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from fsadvisor.facts import Fact
    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.attestations import Attestations, Statement
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Storage, Subject


_CANDIDATES: Final = ("proven", "claimed")
"""Verdicts on power-loss protection of the drives that are worth the questions."""


def page(storage: Storage, name: str, named: str | None) -> Iterator[str]:
    """The checklist for a drive, or for all of a model: what is known and from where, what is open, how to answer."""
    subject, disks = _meant(storage, name, named)
    models = {read_fact.value(it.scope["disk"].model) for it in disks if isinstance(it.scope["disk"], Disk)}
    alike = [it for model in models if model for it in drives_of(storage, f"model:{model}")]
    yield from wrapped(f"Checklist {name} for {subject}: {', '.join(it.name for it in disks)}", WIDTH)
    if len(alike) > len(disks):
        word = shlex.quote(str(models.pop()))
        yield from wrapped(f"{len(alike)} drives here are of that model; for all of them: {word}", WIDTH)
    facts = {fact: list(_facts(disks, fact)) for fact in CHECKLISTS[name]}
    for fact, told in facts.items():
        yield "\n"
        yield from _item(fact, told)
    unanswered = [fact for fact, told in facts.items() if any(map(_is_open, told))]
    yield "\n"
    if not unanswered:
        yield "Nothing is open.\n"
        return
    yield from wrapped(
        f"{counted(len(unanswered), 'question')} open. Say what you know in one go; an ANSWER is yes or no:", WIDTH
    )
    yield f"  fsadvisor attest --checklist {name} {shlex.quote(subject)} \\\n"
    for fact in unanswered:
        yield f"    --answer {fact.partition('.')[2]}=ANSWER \\\n"
    yield "    --by WHO --because WHY\n"
    yield from wrapped(
        "Answers count until --until (default: a year), or until the drive is replaced; on firmware, until that is"
        " changed.",
        WIDTH,
    )


def answers(storage: Storage, name: str, named: str | None, given: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """(fact, subject, value) of each 'NAME=VALUE'. Raises ClaimError."""
    subject, _ = _meant(storage, name, named)
    short = {fact.partition(".")[2]: fact for fact in CHECKLISTS[name]}
    for one in given:
        word, _, value = one.partition("=")
        fact = short.get(word) or (word if word in CHECKLISTS[name] else None)
        if fact is None:
            raise ClaimError(f"the checklist {name} does not ask {word!r}{did_you_mean(word, short)}")
        if not value:
            raise ClaimError(f"say the answer: --answer {word}=yes, or no")
        yield fact, "host" if fact.startswith("host.") else subject, value


def _meant(storage: Storage, name: str, named: str | None) -> tuple[str, list[Subject]]:
    """The word for the drives, as it would be attested, and the drives. Raises ClaimError."""
    if name not in CHECKLISTS:
        raise ClaimError(
            f"no checklist is called {name!r}{did_you_mean(name, CHECKLISTS)}; there is {', '.join(CHECKLISTS)}"
        )
    every = [it for it in storage.subjects if it.kind == "disk"]
    if named is None:
        worth = [it for it in every if _plp(it) in _CANDIDATES]
        if len(worth) != 1:
            those = f": {', '.join(it.name for it in worth)}" if worth else ""
            raise ClaimError(f"say which drive or model: {counted(len(worth), 'drive')} may have protection{those}")
        return worth[0].name, worth
    found = drives_of(storage, named)
    if not found:
        nearest = did_you_mean(named, [it.name for it in every])
        raise ClaimError(f"{named!r} is neither a disk nor a model here{nearest}")
    word = f"model:{named.removeprefix('model:').strip()}" if is_model(storage, named) else found[0].name
    return word, found


def _plp(disk: Subject) -> str | None:
    facts = disk.scope["disk"]
    return read_fact.value(facts.plp) if isinstance(facts, Disk) else None


def _facts(disks: Iterable[Subject], fact: str) -> Iterator[Fact[Any]]:
    """The fact of each drive, each way of telling it once; that of the host once."""
    read = catalogue()[fact].reader()
    yield from dict.fromkeys(read(it.scope) for it in disks)


def _is_open(fact: Fact[Any]) -> bool:
    return isinstance(fact, Unknown) and fact.cause is not Cause.NOT_APPLICABLE


def _item(name: str, facts: Iterable[Fact[Any]]) -> Iterator[str]:
    entry = catalogue()[name]
    for fact in facts:
        mark = value_text(entry, fact.value) if isinstance(fact, Known) else "?"
        yield from wrapped(f"{name.partition('.')[2]}: {entry.doc}", WIDTH, f"[{mark:^3}] ", "      ")
        more = fact.source if isinstance(fact, Known) else fact.learn.partition(", then say it with")[0]
        if more:
            yield from wrapped(more, WIDTH, "      ", "      ")


def attest(machine: Machine, file: Path, fact: str, subject: str, value: str | None, saying: attestation.Saying) -> str:
    """Write an attestation down; returns what was done, in words. Raises ClaimError and MachineError."""
    return written(file, prepared(machine, fact, subject, value, saying))


def prepared(machine: Machine, fact: str, subject: str, value: str | None, saying: attestation.Saying) -> Statement:
    """The entry that an attestation comes to, held against the machine. Raises ClaimError."""
    return prepared_all(machine, [(fact, subject, value)], saying)[0]


def prepared_all(
    machine: Machine, given: Sequence[tuple[str, str, str | None]], saying: attestation.Saying
) -> tuple[Statement, ...]:
    """The same of several (fact, subject, value). Raises ClaimError."""
    for fact, _, _ in given:
        attestation.attestable(fact)
    seen = _seen(machine)
    return tuple(attestation.attestation(seen, fact, subject, value, saying) for fact, subject, value in given)


def answered(
    machine: Machine, file: Path, name: str, named: str | None, given: Sequence[str], saying: attestation.Saying
) -> list[str]:
    """Write the answers to a checklist down, all or none; returns what was done. Raises ClaimError and MachineError."""
    seen = _seen(machine)
    entries = [
        attestation.attestation(seen, fact, subject, value, saying)
        for fact, subject, value in answers(seen.storage, name, named, given)
    ]
    return written_all(file, entries)


def waive(
    machine: Machine, file: Path, rules: Iterable[Rule], rule: str, subject: str, saying: attestation.Saying
) -> str:
    """Write a waiver down; returns what was done, in words. Raises ClaimError and MachineError."""
    return written(file, accepted(machine, rules, rule, subject, saying))


def accepted(machine: Machine, rules: Iterable[Rule], rule: str, subject: str, saying: attestation.Saying) -> Statement:
    """The entry that a waiver comes to, held against the machine. Raises ClaimError."""
    return attestation.waiver(_seen(machine), rules, rule, subject, saying)


def withdraw(file: Path, kind: str, about: str, *subjects: str) -> str:
    """Take an attestation or a waiver out of the file; returns what was done. Raises ClaimError and MachineError.

    The first of the subjects is what somebody said, others are what it may be called in the file.
    """
    _rewrite(file, lambda text: attestation.without_entry(text, kind, about, *subjects))
    return f"taken out of {file}: {kind} {about} on {subjects[0]}"


def called(storage: Storage, subject: str) -> Iterator[str]:
    """The subject as it was said, and the ids of those here that go by that name: /srv is also its filesystem's."""
    yield subject
    for kind in dict.fromkeys(it.kind for it in storage.subjects):
        found = by_name(it for it in storage.subjects if it.kind == kind).get(subject)
        if found is not None:
            yield found.id


def _seen(machine: Machine) -> attestation.UnattestedMachine:
    """The machine without what people say, since it must not back itself."""
    silent = WithFile(machine, ATTESTATIONS, "", ATTESTATIONS)
    storage, identity = survey_with_identities(silent, {})
    return attestation.UnattestedMachine(storage=storage, identity=identity)


def written(file: Path, entry: Statement) -> str:
    """Write an entry down; returns what was done, in words. Raises ClaimError and MachineError."""
    return written_all(file, [entry])[0]


def written_all(file: Path, entries: Iterable[Statement]) -> list[str]:
    """Write all or none of them down; the same. Raises ClaimError and MachineError."""
    entries = tuple(entries)
    _rewrite(file, lambda text: reduce(attestation.with_entry, entries, text))
    return [_done(file, entry) for entry in entries]


def _rewrite(file: Path, change: Callable[[str], str]) -> None:
    def changed(text: str) -> str:
        attestation.written_entries(text, str(file))
        return change(text)

    rewrite_attestations(file, changed)


def _done(file: Path, entry: Statement) -> str:
    return f"written to {file}: {entry.kind} {what(entry)}, until {entry.until}"


def listing(machine: Machine, storage: Storage) -> Iterator[str]:
    """Every entry of the machine's file, and whether it counts."""
    answer = machine.read(ATTESTATIONS)
    if isinstance(answer, Unknown):
        yield "Nobody has attested or waived anything.\n"
        return
    record = attestation.written_entries(answer.text, answer.source)
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
