"""What people have said, held against the machine as it is: what counts, and what is ignored and why.

What counts, and what somebody supposes, is laid over what the machine tells, before anything follows from it.
Which drives and which filesystem a subject is decides it, so that another one is not taken for it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec.structs import replace

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.machine.kept_files import ATTESTATIONS
from fsadvisor.patterns import did_you_mean
from fsadvisor.readers import attestations
from fsadvisor.storage import Ignored, Waiver
from fsadvisor.storage.catalogue import Kind, catalogue
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import date

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.attestations import Statement
    from fsadvisor.storage import Facts, Subject, Supposition
    from fsadvisor.storage.about import Kind as SubjectKind
    from fsadvisor.storage.catalogue import FactEntry
    from fsadvisor.survey.identity import Identity
    from fsadvisor.survey.inventory import Inventory


F = TypeVar("F", bound="Facts")

PINNED_TO_DRIVES = frozenset({"filesystem.power_loss_tested"})
"""Facts that hold for the drives below only, though they are facts of something else; all of a disk's do."""

PINNED_TO_FIRMWARE = frozenset({"disk.firmware_trusted"})
"""Facts that hold for the firmware only that the drive had then."""

_KEPT_SILENT = (Cause.NOT_EXPOSED,)
_TYPES: Mapping[Kind, tuple[type, ...]] = {
    Kind.YES_NO: (bool,),
    Kind.WHOLE: (int,),
    Kind.REAL: (int, float),
    Kind.TEXT: (str,),
}


ATTESTED: Final = "attested by "
"""Begins the source of what a person has said."""


def unfit(fact: FactEntry, value: object) -> str:
    """Why a fact can't have this value, '' where it can."""
    fits = isinstance(value, _TYPES.get(fact.kind, ())) and isinstance(value, bool) == (fact.kind is Kind.YES_NO)
    if not fits or (fact.choices and value not in fact.choices):
        return f"{fact.name} is {fact.value}, not {value!r}"
    return ""


def source(entry: Statement) -> str:
    """Where an attested fact comes from."""
    words = f"{ATTESTED}{entry.by} on {entry.on} until {entry.until}"
    return ", ".join(filter(None, (words, entry.because, entry.link)))


class Attested:
    """The entries of the file.

    First each kind of subject is `met`, which decides whose entries speak of it; then `with_attested` adds what
    they say to a subject's facts.
    """

    def __init__(self, record: attestations.Attestations | Unknown, today: date) -> None:
        self._ignored: list[Ignored] = []
        self._settled: dict[str, list[Statement]] = {}
        self._open: dict[str, list[Statement]] = {}
        self._waits: dict[str, dict[str, Unknown]] = {}
        """What is attested of subjects of which it is still being asked which ones they are."""

        self._awaited = record if isinstance(record, Unknown) and record.cause is Cause.BEING_ASKED else None
        if self._awaited is not None:
            return
        if isinstance(record, Unknown):
            if record.cause not in _KEPT_SILENT:
                self._ignored.append(Ignored(place=record.source, what="the whole file", why=record.learn))
            return
        for piece in record.unread:
            place, _, why = piece.partition(": ")
            self._ignored.append(Ignored(place=place, what=place, why=why))
        for entry in _once(record.entries, self._ignore):
            why = _mistake(entry, today)
            if why:
                self._ignore(entry, why)
            else:
                self._open.setdefault(entry.kind_of_subject, []).append(entry)

    def speaks_of(self, kind: str) -> bool:
        """Whether there are entries on subjects of a kind, or may be."""
        return bool(self._open.get(kind)) or self._awaited is not None

    def meet(self, kind: str, identities: Mapping[str, Callable[[], Identity]]) -> None:
        """Decide which entries on subjects of a kind hold, from the ids and identities that there are."""
        entries = self._open.pop(kind, [])
        if not entries:
            return
        seen = {subject: identity() for subject, identity in identities.items()}
        for entry in entries:
            meant = _meant(entry, seen)
            why = {subject: _stranger(entry, seen[subject]) for subject in meant}
            for subject in meant:
                awaited = seen[subject].awaited if why[subject] else None
                if awaited is not None:
                    self._waits.setdefault(subject, {})[entry.about.partition(".")[2]] = awaited
                    why[subject] = ""
                elif not why[subject]:
                    self._settled.setdefault(subject, []).append(entry)
            if all(why.values()):
                self._ignore(entry, next(iter(why.values()), f"there is no {entry.subject} here"))

    def with_attested(self, subject: str, facts: F) -> F:
        """The facts with what was attested of this subject, where the machine itself does not know."""
        waits = self._waits.get(subject, {})
        awaited: dict[str, Any] = {name: waits.get(name, self._awaited) for name in _unsaid(facts)}
        facts = replace(facts, **{name: unknown for name, unknown in awaited.items() if unknown is not None})
        for entry in _once(self._settled.get(subject, ()), self._ignore, of_subject=False):
            if entry.kind == "attestation":
                name = entry.about.partition(".")[2]
                fact = getattr(facts, name)
                if isinstance(fact, Unknown) and fact.cause is not Cause.NOT_APPLICABLE:
                    attested: dict[str, Any] = {name: Known(entry.value, source(entry))}
                    facts = replace(facts, **attested)
                elif isinstance(fact, Unknown):
                    self._ignore(entry, f"{entry.about} makes no sense for it as it is now")
                elif fact.value != entry.value:
                    self._ignore(entry, f"the machine itself says otherwise: {fact.value!r} ({fact.source})")
        return facts

    def waivers(self) -> tuple[Waiver, ...]:
        """The waivers that hold."""
        return tuple(
            Waiver(
                rule=entry.about,
                subject=subject,
                by=entry.by,
                on=entry.on,
                until=entry.until,
                because=entry.because,
                link=entry.link,
                place=entry.place,
            )
            for subject, entries in self._settled.items()
            for entry in entries
            if entry.kind == "waiver"
        )

    def ignored(self) -> tuple[Ignored, ...]:
        """What does not count; entries on kinds of subjects that were not met are among them."""
        for kind in tuple(self._open):
            self.meet(kind, {})
        return tuple(self._ignored)

    def _ignore(self, entry: Statement, why: str) -> None:
        self._ignored.append(Ignored(place=entry.place, what=what(entry), why=why))


def what(entry: Statement) -> str:
    """An entry in words."""
    about = f"{entry.about} of {entry.subject}" if entry.kind == "attestation" else f"{entry.about} on {entry.subject}"
    return f"{about}, by {entry.by}"


def _parsed(text: str) -> attestations.Attestations | Unknown:
    """By a reader that is loaded here, where somebody has said something."""
    return attestations.parse(text)


def read(machine: Machine) -> Attested:
    """The machine's file, on the day that it is asked."""
    return Attested(read_fact.file_record(machine, ATTESTATIONS, _parsed), machine.today)


def _once(
    entries: Iterable[Statement], ignore: Callable[[Statement, str], None], *, of_subject: bool = True
) -> list[Statement]:
    """Of entries on the same, the last; those that contradict each other do not count at all.

    Without `of_subject`, all are on the same one, though some name it and others its model.
    """
    by_matter: dict[tuple[str, str, str], list[Statement]] = {}
    for entry in entries:
        by_matter.setdefault((entry.kind, entry.about, entry.subject if of_subject else ""), []).append(entry)
    kept: list[Statement] = []
    for alike in by_matter.values():
        if len({repr(entry.value) for entry in alike}) > 1:
            for entry in alike:
                ignore(entry, "another entry says otherwise of the same")
        else:
            kept.append(max(alike, key=lambda entry: entry.until))
    return kept


def _unsaid(facts: Facts) -> list[str]:
    """The facts that only people can tell, and have not told."""
    told: list[tuple[str, Any]] = [(name, getattr(facts, name)) for name in facts.__struct_fields__]
    return [name for name, fact in told if isinstance(fact, Unknown) and fact.cause is Cause.NOT_ATTESTED]


def _mistake(entry: Statement, today: date) -> str:
    """What is wrong with an entry whatever the machine is like, '' where nothing is."""
    if entry.until < today:
        return f"it has expired on {entry.until}"
    if entry.kind == "waiver":
        return ""
    fact = catalogue().get(entry.about)
    if fact is None:
        return f"no fact is called {entry.about!r}{did_you_mean(entry.about, catalogue())}"
    if not fact.attested:
        return f"{entry.about} can't be attested: it comes from {fact.source}"
    if fact.namespace != entry.kind_of_subject:
        return f"{entry.about} is a fact of a {fact.namespace}, and {entry.subject!r} is none"
    return unfit(fact, entry.value)


def _stranger(entry: Statement, identity: Identity) -> str:
    """Why an entry does not speak of the subject that has its name, '' where it does."""
    if entry.about in PINNED_TO_DRIVES and identity.drives and not entry.drives:
        return "it does not say which drives it means: add [[attestation.drive]] with their models"
    return identity.differs(entry)


def _is_of(model: str, identity: Identity) -> bool:
    return any(read_fact.value(drive.model) == model for drive in identity.drives)


def _meant(entry: Statement, seen: Mapping[str, Identity]) -> tuple[str, ...]:
    """The ids of the subjects that an entry speaks of: all of a model, else one.

    By serial number or UUID where only one has it, else by name.
    """
    if entry.model is not None:
        return tuple(at for at, it in seen.items() if it.awaited or _is_of(entry.model, it))
    kind = entry.subject.partition(":")[0]
    serials = {pin.serial for pin in entry.drives if pin.serial}
    if kind == "disk" and serials:
        alike = [at for at, it in seen.items() if {read_fact.value(drive.serial) for drive in it.drives} & serials]
    elif kind == "filesystem" and entry.uuid:
        alike = [at for at, it in seen.items() if read_fact.value(it.uuid) == entry.uuid]
    else:
        alike = []
    at = alike[0] if len(alike) == 1 else entry.subject
    return (at,) if at in seen else ()


SUPPOSED: Final = "supposed"
"""The source of a fact that was supposed."""

_FORGOTTEN: Final = Unknown(Cause.NOT_EXPOSED, "take the supposition back", SUPPOSED)
"""It can be learnt: what nobody could ever tell would itself decide some verdicts, such as that of a power loss."""


class Overlay:
    """Every stage of the survey lays it over its facts.

    `attested` holds what people said. Of suppositions on the same fact of a subject the last counts.
    """

    def __init__(self, attested: Attested, suppositions: Iterable[Supposition] = ()) -> None:
        self.attested: Final = attested
        self._supposed: dict[str, dict[str, dict[str, Any]]] = {}
        for supposition in suppositions:
            namespace, _, name = supposition.fact.partition(".")
            of_subjects = self._supposed.setdefault(namespace, {})
            of_subjects.setdefault(supposition.subject, {})[name] = supposition.value

    def over(
        self,
        kind: SubjectKind,
        known: dict[str, F],
        identity: Callable[[str], Identity],
        *,
        published: Callable[[str, F], F] = lambda _, unchanged: unchanged,
        derived: Iterable[Callable[[str, F], F]] = (),
    ) -> dict[str, F]:
        """Facts by the ids of their subjects, with what people said, then `published`, then what is supposed.

        Each step of `derived` reckons facts from all of that; what is supposed of those wins again. All of it is done
        in `known` itself: two generations of facts of a big machine take more than the rest of the survey.
        """
        if self.attested.speaks_of(kind):
            self.attested.meet(kind, {subject: partial(identity, subject) for subject in known})
            known.update((subject, self.attested.with_attested(subject, facts)) for subject, facts in known.items())
        for step in (published, *derived):
            known.update((subject, step(subject, facts)) for subject, facts in known.items())
            known = self.suppose(kind, known)
        return known

    def over_subjects(
        self, kind: SubjectKind, subjects: Mapping[str, Subject], identity: Callable[[str], Identity]
    ) -> dict[str, Subject]:
        """The same for the facts of one kind in the scopes of subjects."""
        facts = self.over(kind, {subject.id: subject.scope[kind] for subject in subjects.values()}, identity)
        return {
            key: subject
            if facts[subject.id] is subject.scope[kind]
            else replace(subject, scope={**subject.scope, kind: facts[subject.id]})
            for key, subject in subjects.items()
        }

    def suppose(self, namespace: str, facts: dict[str, F]) -> dict[str, F]:
        """Facts of one namespace by the ids of their subjects, with what is supposed of them."""
        about = self._supposed.get(namespace)
        if not about:
            return facts
        return {
            subject: _with(known, about[subject]) if subject in about else known for subject, known in facts.items()
        }

    def over_inventory(self, inventory: Inventory) -> Inventory:
        """The machine-wide answers, from which facts of every subject are derived."""
        host = self._supposed.get("host", {}).get("host", {})
        if "kernel" in host:
            inventory = replace(inventory, kernel=_supposed(inventory.kernel, host["kernel"]))
        if "virtual" in host:
            inventory = replace(inventory, in_vm=_supposed(inventory.in_vm, host["virtual"]))
        return inventory


def _with(facts: F, values: dict[str, Any]) -> F:
    changed: dict[str, Any] = {name: _supposed(getattr(facts, name), value) for name, value in values.items()}
    return replace(facts, **changed)


def _supposed(fact: Fact[Any], value: Any) -> Fact[Any]:  # noqa: ANN401 - any type of the catalogue
    """The fact as it is supposed; one that is so already keeps its source."""
    if value is None:
        return _FORGOTTEN if isinstance(fact, Known) else fact
    return fact if isinstance(fact, Known) and fact.value == value else Known(value, SUPPOSED)
