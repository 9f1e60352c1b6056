"""Writes down what people say: `fsadvisor attest` and `waive`. The survey reads it back (survey/attested.py)."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct, field

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.patterns import did_you_mean, late
from fsadvisor.readers import attestations, real, whole
from fsadvisor.readers.attestations import Statement
from fsadvisor.rulebook.mistakes import offsets
from fsadvisor.storage import Disk, by_name
from fsadvisor.storage.about import ATTEST
from fsadvisor.storage.catalogue import Kind, catalogue
from fsadvisor.survey import read_fact
from fsadvisor.survey.attested import PINNED_TO_DRIVES, PINNED_TO_FIRMWARE, unfit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fsadvisor.readers.attestations import Attestations, PinnedDrive, Value
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Storage, Subject
    from fsadvisor.storage.catalogue import FactEntry as Fact
    from fsadvisor.survey.identity import Identity


class ClaimError(Exception):
    """What is wrong with it, and the nearest that would be right: one line for people."""


_WORDS: dict[str, Value] = {"yes": True, "true": True, "no": False, "false": False}
_LINK = late(r"(?:https?://|/)\S+")
_LONGEST = 2000


TERMS: Final = {"critical": 7, "high": 30, "moderate": 90, "low": 365}
"""Days that a risk is accepted for, by the severity of its rule, where nobody gives a day."""

_FAILS_NOW: Final = frozenset({"losing", "errors"})
"""Urgencies of what does harm already, while it is accepted."""
_LONGEST_NOW: Final = 30
"""Days that such a risk can be accepted for, whatever its severity."""


def today() -> dt.date:
    """The day on which somebody says something, whichever day a recording was made on."""
    return dt.datetime.now().astimezone().date()


class Saying(Struct, frozen=True, kw_only=True):
    """Who says it, why, for how long, and on which day; `until` is None where nobody gave a day."""

    by: str
    because: str
    link: str
    until: dt.date | None
    on: dt.date = field(default_factory=today)


class UnattestedMachine(Struct, frozen=True, kw_only=True):
    """The machine as it is without what people say of it."""

    storage: Storage
    identity: Callable[[str], Identity]


def attestation(seen: UnattestedMachine, name: str, subject: str, value: str | None, saying: Saying) -> Statement:
    """An entry for `fsadvisor attest`. Raises ClaimError."""
    fact = attestable(name)
    meant = drives_of(seen.storage, subject) if fact.namespace == "disk" else []
    meant = meant or [_subject(seen.storage, fact.namespace, subject)]
    for of in meant:
        _must_be_open(fact, of)
    if not saying.link and not saying.because:
        raise ClaimError("say why others may believe it: --link (the datasheet, the runbook) or --because")
    identities = [_identity(seen, of.id) for of in meant]
    pinned = of.kind == "disk" or name in PINNED_TO_DRIVES
    drives = tuple(drive for one in identities for drive in _drives(one, name)) if pinned else ()
    if len(drives) > 1 and of.kind == "disk" and not all(drive.serial for drive in drives):
        raise ClaimError(f"not every drive of {subject} tells its serial number: attest it of each by its name")
    uuid = read_fact.value(identities[0].uuid) if of.kind == "filesystem" else None
    about = f"model:{_model(of)}" if is_model(seen.storage, subject) else of.id
    until = saying.until or a_year_after(saying.on)
    return _entry("attestation", name, about, _value(fact, value), until, saying, drives, uuid)


def _must_be_open(fact: Fact, of: Subject) -> None:
    known = fact.reader()(of.scope)
    if isinstance(known, Known):
        if known.value is True and fact.source.startswith(ATTEST):
            return  # looked up: a person may know better
        raise ClaimError(f"{fact.name} of {of.id} is known: the machine itself says {known.value!r} ({known.source})")
    if known.cause is Cause.NOT_APPLICABLE:
        raise ClaimError(f"{fact.name} makes no sense for {of.id} as it is now")


def drives_of(storage: Storage, named: str) -> list[Subject]:
    """The disk of that name, else all disks of that model, as they name themselves; none where there is neither."""
    disks = [it for it in storage.subjects if it.kind == "disk"]
    at = subject_id("disk", named)
    model = named.removeprefix("model:").strip()
    return [it for it in disks if it.id == at] or [it for it in disks if model and _model(it) == model]


def is_model(storage: Storage, named: str) -> bool:
    """Whether it names drives by their model."""
    found = drives_of(storage, named)
    return bool(found) and found[0].id != subject_id("disk", named)


def _model(disk: Subject) -> str:
    facts = disk.scope["disk"]
    return (read_fact.value(facts.model) or "") if isinstance(facts, Disk) else ""


def waiver(seen: UnattestedMachine, rules: Iterable[Rule], rule: str, subject: str, saying: Saying) -> Statement:
    """An entry for `fsadvisor waive`. Raises ClaimError."""
    known = {it.id: it for it in rules}
    if rule not in known:
        raise ClaimError(f"no rule {rule!r}{did_you_mean(rule, known)}")
    of = _subject(seen.storage, known[rule].subject, subject)
    if not saying.because:
        raise ClaimError("say why the risk is accepted: --because TEXT")
    until = saying.until or accepted_until(known[rule], saying.on)
    last = saying.on + dt.timedelta(days=_LONGEST_NOW)
    if known[rule].urgency in _FAILS_NOW and until > last:
        raise ClaimError(
            f"what fails now is accepted for {_LONGEST_NOW} days at most, until {last}; then look again, and waive it"
            " again if need be"
        )
    identity = _identity(seen, of.id)
    return _entry("waiver", rule, of.id, None, until, saying, _drives(identity), read_fact.value(identity.uuid))


def accepted_until(rule: Rule, on: dt.date) -> dt.date:
    """The last day of a waiver where nobody gives one: the graver, the sooner."""
    days = TERMS[rule.severity]
    return on + dt.timedelta(days=min(days, _LONGEST_NOW) if rule.urgency in _FAILS_NOW else days)


def attestable(name: str) -> Fact:
    """The fact, if a person may say it. Raises ClaimError."""
    able = {it.name: it for it in catalogue().values() if it.attested}
    if name in able:
        return able[name]
    if name in catalogue():
        raise ClaimError(f"{name} can't be attested: it comes from {catalogue()[name].source}")
    raise ClaimError(f"no fact that people can attest is called {name!r}{did_you_mean(name, able)}")


def subject_id(kind: str, subject: str) -> str:
    """'disk:sda' of 'sda', 'disk:sda' or '/dev/sda'."""
    if kind == "host" or subject.startswith(f"{kind}:"):
        return subject
    return f"{kind}:{subject.removeprefix('/dev/') if kind in ('disk', 'layer') else subject}"


def _subject(storage: Storage, kind: str, subject: str) -> Subject:
    alike = [it for it in storage.subjects if it.kind == kind]
    wanted, names = subject_id(kind, subject), by_name(alike)
    found = names.get(wanted) or names.get(subject)
    if found is None:
        ids = [it.id for it in alike]
        named = f"; there are {', '.join(ids)}" if 0 < len(ids) <= 8 else ""
        raise ClaimError(f"{subject!r} is no {kind} here{did_you_mean(wanted, ids) or named}")
    return found


def _value(fact: Fact, word: str | None) -> Value:
    """The value that a word on the command line means; none means yes."""
    if word is None and fact.kind is not Kind.YES_NO:
        raise ClaimError(f"say the value: {fact.name} is {fact.value}")
    value = _WORDS.get(word or "yes") if fact.kind is Kind.YES_NO else _number_or_text(fact, word or "")
    why = unfit(fact, word if value is None else value)
    if why or value is None:
        raise ClaimError(why + did_you_mean(word or "", fact.choices or _WORDS))
    return value


def _number_or_text(fact: Fact, word: str) -> Value | None:
    if fact.kind is Kind.WHOLE:
        return whole(word)
    return real(word) if fact.kind is Kind.REAL else word


def _drives(identity: Identity, fact: str = "") -> tuple[PinnedDrive, ...]:
    return tuple(drive.pin(firmware=fact in PINNED_TO_FIRMWARE) for drive in identity.drives)


def _identity(seen: UnattestedMachine, at: str) -> Identity:
    """Which one it is. Raises ClaimError where an answer that tells it is still to come."""
    identity = seen.identity(at)
    if identity.awaited is not None:
        raise ClaimError(f"{identity.awaited.source} has not answered yet, and tells which one is meant: try again")
    return identity


def _entry(
    kind: Literal["attestation", "waiver"],
    about: str,
    subject: str,
    value: Value | None,
    until: dt.date,
    saying: Saying,
    drives: tuple[PinnedDrive, ...],
    uuid: str | None,
) -> Statement:
    if until < saying.on:
        raise ClaimError(f"--until {until} is past already: today is {saying.on}")
    if saying.link and not _LINK.fullmatch(saying.link):
        raise ClaimError(f"--link {saying.link!r} is neither an address (https://…) nor a path (/…)")
    return Statement(
        place=kind,
        kind=kind,
        about=about,
        subject=_text("the subject", subject),
        value=value,
        by=_text("--by", saying.by),
        on=saying.on,
        until=until,
        because=_text("--because", saying.because) if saying.because else "",
        link=_text("--link", saying.link) if saying.link else "",
        uuid=uuid,
        drives=drives,
    )


def _text(what: str, said: str) -> str:
    text = said.strip()
    if not text or len(text) > _LONGEST or any("\ud800" <= sign <= "\udfff" for sign in text):
        raise ClaimError(f"{what} is no text of 1 to {_LONGEST} characters in UTF-8")
    return text


def a_year_after(day: dt.date) -> dt.date:
    """The same day of the next year, 28 February for the 29th."""
    later = day.year + 1
    return day.replace(year=later, day=28) if (day.month, day.day) == (2, 29) else day.replace(year=later)


_BEGINNING = "# What people say of this machine: see `fsadvisor attest` and `fsadvisor waive`.\n"


def written_entries(text: str, file: str = "the file of attestations") -> Attestations:
    """What the text of a file holds. Raises ClaimError where it is no TOML."""
    record = attestations.parse(text)
    if isinstance(record, Unknown):
        raise ClaimError(f"{file} is {record.learn.partition(';')[0]}: fix it first")
    return record


def with_entry(text: str, entry: Statement) -> str:
    """The text with one entry more, in place of those on the same fact or rule and subject."""
    for old in _alike(written_entries(text), entry.kind, entry.about, entry.subject):
        text = _without(text, old)
    after = f"{text.rstrip() or _BEGINNING.rstrip()}\n\n{entry_toml(entry)}"
    record = attestations.parse(after)
    if isinstance(record, Unknown) or _of_kind(record, entry.kind) != [
        *_of_kind(written_entries(text), entry.kind),
        _bare(entry),
    ]:
        raise ClaimError(f"[[{entry.kind}]] can't be put at the end of the file: fix the file first")
    return after


def without_entry(text: str, kind: str, about: str, *subjects: str) -> str:
    """The text without the entries on a fact or rule and one of the subjects. Raises ClaimError where there is none."""
    record = written_entries(text)
    found = next(filter(None, (_alike(record, kind, about, subject) for subject in subjects)), None)
    if found is None:
        raise ClaimError(f"there is no {kind} {about} on {subjects[0]}; `fsadvisor attest` lists what there is")
    for old in found:
        text = _without(text, old)
    return text


def _of_kind(record: Attestations, kind: str) -> list[tuple[object, ...]]:
    return [_bare(it) for it in record.entries if it.kind == kind]


def _alike(record: Attestations, kind: str, about: str, subject: str) -> list[Statement]:
    """Last first, so that taking one out leaves the places of the others."""
    found = [
        it
        for it in record.entries
        if (it.kind, it.about) == (kind, about) and subject in (it.subject, it.subject.partition(":")[2])
    ]
    return sorted(found, key=lambda it: int(it.place.rpartition(" ")[2]), reverse=True)


def _without(text: str, entry: Statement) -> str:
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


def _checked(before: str, after: str, gone: Statement) -> str:
    """The new text, if it says all that the old one did but for one entry."""
    was = [_bare(it) for it in written_entries(before).entries if it.place != gone.place]
    if [_bare(it) for it in written_entries(after).entries] != was:
        raise ClaimError(f"{gone.place} can't be taken out safely: take it out by hand")
    return after


def _bare(entry: Statement) -> tuple[object, ...]:
    return entry.kind, entry.about, entry.subject, entry.value, entry.by, entry.on, entry.until, entry.drives


def entry_toml(entry: Statement) -> str:
    """An attestation or a waiver as TOML."""
    return "".join(f"{line}\n" for line in _lines(entry))


def _lines(entry: Statement) -> Iterator[str]:
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


def _drive(drive: PinnedDrive) -> Iterator[str]:
    for key, text in (("model", drive.model), ("serial", drive.serial), ("firmware", drive.firmware)):
        if text is not None:
            yield f"{key} = {_quoted(text)}"


def _quoted(text: str) -> str:
    r"""A basic string: JSON's escapes, and DEL, which TOML does not take as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
