"""One look at a machine: its findings, and what belongs together.

What stands on what, which advice speaks of it, and what was found before: all that the places of the explorer show.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.pages.glyphs import span
from fsadvisor.pages.values import full_name
from fsadvisor.report import as_json
from fsadvisor.report.findings import below, findings, unfolded
from fsadvisor.tui.views.badges import searched
from fsadvisor.tui.views.severity import gravity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.report.findings import Finding, FoldedBelow
    from fsadvisor.report.history import History
    from fsadvisor.report.model import Provenance
    from fsadvisor.rulebook.advise import Verdict, Verdicts
    from fsadvisor.rulebook.rule import Outcome
    from fsadvisor.storage import Storage, Subject, Supposition


EXACT, A_WORD, BEGUN, IN_TEXT_BEGUN, INSIDE, ALL_WORDS, APART = range(7, 0, -1)
"""How well words fit: the whole name, one of its words, the start of one, of the text's; in it; each alone; or some
only in whom it is about."""

LONGEST_NAME: Final = 120


def shown(subject: Subject) -> str:
    """The palette's words for it."""
    return span(f"Show {full_name(subject)}", longest=LONGEST_NAME).text


class Names:
    """One text with a casefolded line for each subject: it is searched as a whole, not subject by subject."""

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self._subjects = subjects
        self._text = "".join(("\n", *(f"{shown(one)}\n" for one in subjects))).casefold()
        self._ends = array("L", (one.start() for one in re.finditer("\n", self._text)))

    def found(self, words: Sequence[str], most: int) -> list[tuple[int, Subject]]:
        """So many of those that have the casefolded words: who they fit best first, then in the order of the list."""
        fits: dict[int, int] = {}
        for fit, line in self._fitting(words):
            fits.setdefault(line, fit)
            if len(fits) == most:
                break
        return [(fit, self._subjects[line]) for line, fit in fits.items()]

    def _fitting(self, words: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Lines with how well they fit, the best first; a line is told again for what fits it less."""
        phrase = re.escape(" ".join(words))
        for fit, around in (
            (EXACT, rf"(?=\n)(?<=\n{phrase})"),
            (A_WORD, rf"(?=[ \n])(?<=[ \n.]{phrase})"),
            (BEGUN, rf"(?<=[\W_]{phrase})"),  # what goes before is looked at last: to find the words is fast
            (INSIDE, ""),
        ):
            if fit != A_WORD or len(words) == 1:
                yield from ((fit, line) for line in self._lines(phrase + around))
        if len(words) > 1 and all(one in self._text for one in words):
            each = "".join(f"(?=.*{re.escape(one)})" for one in words)
            yield from ((ALL_WORDS, line) for line in self._lines(rf"\n{each}"))

    def _lines(self, pattern: str) -> Iterator[int]:
        for one in re.finditer(f"{pattern}.*", self._text):
            yield bisect_left(self._ends, one.end()) - 1


_NUMBER: Final = re.compile(r"([0-9]{1,18})")
_VALUES: Final = 3
_ROOTS: Final = ("host", "mount", "service", "filesystem", "layer", "disk")


class Relations(Struct, frozen=True, kw_only=True):
    """By subject id; places are those in the ranked list of findings, from 0."""

    below: Mapping[str, Sequence[str]]
    above: Mapping[str, Sequence[str]]
    places: Mapping[str, Sequence[int]]
    roots: Sequence[str]
    """Where a person starts: the host, the mounts, and what stands below none of them."""

    def advice_on(self, subjects: Iterable[str]) -> list[int]:
        """The places of the findings that speak of any of the subjects, in rank order."""
        return sorted({place for one in subjects for place in self.places.get(one, ())})

    def stack(self, subject: str) -> set[str]:
        """The subject, all that it stands on, and all that stands on it."""
        return reached(subject, self.below) | reached(subject, self.above)

    def used(self, subject: str) -> set[str]:
        """The subject, all that it stands on, and what stands right on that but is no mount: a service, say."""
        found = reached(subject, self.below)
        return found | {one for one in self.above.get(subject, ()) if one.startswith("service:")}


def relations(storage: Storage, findings: Sequence[Finding]) -> Relations:
    """Those of a whole machine."""
    below = {subject.id: subject.below for subject in storage.subjects}
    above: dict[str, list[str]] = {}
    for subject in storage.subjects:
        for one in subject.below:
            above.setdefault(one, []).append(subject.id)
    places: dict[str, list[int]] = {}
    for place, finding in enumerate(findings):
        for subject in finding.subjects:
            places.setdefault(subject.id, []).append(place)
    return Relations(below=below, above=above, places=places, roots=_roots(storage, below, above))


def reached(subject: str, steps: Mapping[str, Sequence[str]]) -> set[str]:
    """The subject and all that is reached from it by these steps."""
    seen, waiting = {subject}, [subject]
    while waiting:
        for neighbour in steps.get(waiting.pop(), ()):
            if neighbour not in seen:
                seen.add(neighbour)
                waiting.append(neighbour)
    return seen


def _roots(storage: Storage, below: Mapping[str, Sequence[str]], above: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    shown: set[str] = set()
    for subject in storage.subjects:
        if subject.kind == "mount":
            shown |= reached(subject.id, below)
            shown.update(above.get(subject.id, ()))
    tops = [one for one in storage.subjects if _is_root(one, shown, above)]
    return tuple(one.id for one in sorted(tops, key=_place))


def _is_root(subject: Subject, shown: set[str], above: Mapping[str, Sequence[str]]) -> bool:
    """Whatever its place, a mount is one; else what no mount leads to, and nothing stands on."""
    if subject.kind in ("host", "mount"):
        return True
    return subject.id not in shown and not any(one not in shown for one in above.get(subject.id, ()))


def _place(subject: Subject) -> tuple[int, list[tuple[int, str]]]:
    return _ROOTS.index(subject.kind), as_people_count(subject.name)


def as_people_count(name: str) -> list[tuple[int, str]]:
    """A sort key that puts sd9 before sd10."""
    return [(int(part), "") if at % 2 else (-1, part) for at, part in enumerate(_NUMBER.split(name))]


def named(relation: Relations, subjects: Mapping[str, Subject], subject: str) -> Iterator[Subject]:
    """What a person sees under a subject of the tree: the services on a mount, then what it stands on."""
    if subject.startswith("mount:"):
        yield from (subjects[one] for one in relation.above.get(subject, ()) if one.startswith("service:"))
    if not subject.startswith("service:"):
        yield from (subjects[one] for one in relation.below.get(subject, ()) if one in subjects)


class Alike(Struct):
    """The first of the subjects of whom a fact says the same, and how many they are."""

    subject: Subject
    fact: Fact[Any]
    count: int = 1


class Snapshot(Struct, frozen=True, kw_only=True, dict=True):
    """`number` counts snapshots; `asking` are the commands whose answers are still to come, as one would type them."""

    number: int
    storage: Storage
    verdicts: Verdicts
    about: Provenance
    asking: tuple[str, ...] = ()
    supposed: tuple[Supposition, ...] = ()
    host: str = ""
    """What the machine that we run on calls itself; '' of another one."""

    history: History | None = None
    """What changed since the last run; None where there was none, and until all has been asked."""

    @cached_property
    def findings(self) -> list[Finding]:
        """What calls for action, in rank order."""
        return unfolded(findings(self.verdicts))

    @cached_property
    def below(self) -> Mapping[str, FoldedBelow]:
        """By the key of what follows from another finding, or waits for it: that one's number."""
        return {f"{rule}\n{subject}": told for (rule, subject), told in below(self.findings).items()}

    @cached_property
    def subjects(self) -> Mapping[str, Subject]:
        """The subjects by id."""
        return {subject.id: subject for subject in self.storage.subjects}

    def verdicts_on(self, subject: str) -> tuple[Verdict, ...]:
        """All verdicts on the subject of that id, in rank order."""
        return tuple(self.verdicts.on(subject))

    @cached_property
    def kinds(self) -> Mapping[str, int]:
        """How many subjects of each kind."""
        return Counter(subject.kind for subject in self.storage.subjects)

    @cached_property
    def outcomes(self) -> Mapping[Outcome, int]:
        """How many verdicts of each kind."""
        return Counter(verdict.outcome for verdict in self.verdicts)

    @cached_property
    def relations(self) -> Relations:
        """What stands on what, and which advice speaks of it."""
        return relations(self.storage, self.findings)

    @cached_property
    def gravities(self) -> Mapping[str, tuple[int, int, int]]:
        """By the id of a mount or a drive, a sort key of the gravest that is said of it and of what is below it."""
        return {
            one.id: gravity(self.findings[at] for at in self.relations.advice_on(self.relations.used(one.id)))
            for one in self.storage.subjects
            if one.kind in ("mount", "disk")
        }

    @cached_property
    def by_fact(self) -> Mapping[str, Mapping[Any, Alike]]:
        """By the fact's name, then by its value or why there is none: of whom. Only the first few values are kept."""
        facts: dict[str, dict[Any, Alike]] = {}
        for subject in self.storage.subjects:
            for name, fact in as_json.own_facts(subject):
                if not name.startswith(subject.kind):
                    continue  # what is below it is told of the disks themselves
                values = facts.setdefault(name, {})
                value = fact.value if isinstance(fact, Known) else fact.cause
                if (alike := values.get(value)) is not None:
                    alike.count += 1
                elif len(values) < _VALUES:
                    values[value] = Alike(subject, fact)
        return facts

    @cached_property
    def missing_tools(self) -> tuple[str, ...]:
        """Tools that would have told more, had they been installed; not mount, which only recordings lack."""
        absent = {
            fact.source.partition(" ")[0]
            for subject in self.storage.subjects
            for _, fact in as_json.own_facts(subject)
            if isinstance(fact, Unknown) and fact.cause is Cause.NO_TOOL
        }
        return tuple(sorted(absent - {""}))

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """By subject id, the casefolded words that a search finds it by."""
        return {subject.id: searched(subject).casefold() for subject in self.storage.subjects}

    @cached_property
    def names(self) -> Names:
        """What the palette finds subjects by."""
        return Names(self.storage.subjects)

    @cached_property
    def mounts(self) -> Mapping[str, Sequence[str]]:
        """By subject id, the mount points that stand on it, or that it stands on: a service has files there."""
        points: dict[str, list[str]] = {}
        for mount in self.relations.roots:
            if mount.startswith("mount:"):
                for subject in self.relations.stack(mount):
                    points.setdefault(subject, []).append(mount.removeprefix("mount:"))
        return points

    def thought_through(self) -> Snapshot:
        """The same, with all that takes time on a big machine worked out: to be called where nobody waits."""
        _ = [one.title for one in self.findings]
        _ = self.outcomes, self.relations, self.missing_tools, self.subjects, self.texts, self.by_fact, self.gravities
        _ = self.names
        return self


def finding_key(finding: Finding) -> str:
    """What stays the same of a finding from snapshot to snapshot: its rule and its first subject."""
    return f"{finding.rule.id}\n{finding.verdicts[0].subject.id}"
