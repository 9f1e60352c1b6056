"""A checklist: all that only people can tell for one decision, on one page, filled in as far as it is known."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final

from fsadvisor.attestation.claims import ClaimError, drives_of, is_model
from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.pages.text import WIDTH, counted, wrapped
from fsadvisor.pages.values import value_text
from fsadvisor.storage import Disk
from fsadvisor.storage.about import CHECKLISTS
from fsadvisor.storage.catalogue import catalogue, did_you_mean
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.facts import Fact
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
    facts = {fact: list(_told(disks, fact)) for fact in CHECKLISTS[name]}
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


def answers(storage: Storage, name: str, named: str | None, said: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """(fact, subject, value) of each 'NAME=VALUE'. Raises ClaimError."""
    subject, _ = _meant(storage, name, named)
    short = {fact.partition(".")[2]: fact for fact in CHECKLISTS[name]}
    for one in said:
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


def _told(disks: Iterable[Subject], fact: str) -> Iterator[Fact[Any]]:
    """The fact of each drive, each way of telling it once; that of the host once."""
    read = catalogue()[fact].reader()
    yield from dict.fromkeys(read(it.scope) for it in disks)


def _is_open(fact: Fact[Any]) -> bool:
    return isinstance(fact, Unknown) and fact.cause is not Cause.NOT_APPLICABLE


def _item(name: str, told: Iterable[Fact[Any]]) -> Iterator[str]:
    entry = catalogue()[name]
    for fact in told:
        mark = value_text(entry, fact.value) if isinstance(fact, Known) else "?"
        yield from wrapped(f"{name.partition('.')[2]}: {entry.doc}", WIDTH, f"[{mark:^3}] ", "      ")
        more = fact.source if isinstance(fact, Known) else fact.learn.partition(", then say it with")[0]
        if more:
            yield from wrapped(more, WIDTH, "      ", "      ")
