"""What verdicts come to: those that say the same of many subjects, told once, and what could not be told.

The latter by what would cure it, and by what advice it unlocks, that of the gravest checks first.
"""

from __future__ import annotations

import shlex
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.pages.values import cause, counted, listed, short_name
from fsadvisor.patterns import late
from fsadvisor.report import titles
from fsadvisor.rulebook.advise import among, left_of
from fsadvisor.rulebook.ranking import REST, urgency_of
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, SAID, Outcome
from fsadvisor.rulebook.shape import SEVERITIES
from fsadvisor.storage import Disk
from fsadvisor.storage.about import CHECKLISTS
from fsadvisor.storage.catalogue import Kind, catalogue
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from fsadvisor.facts import Fact, Truth
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.rulebook.rule import Ask, Rule
    from fsadvisor.storage import Facts, Subject, Waiver


AND_ALIKE: Final = " and alike"
"""Follows a source that is the first subject's alone."""

_NUMBER: Final = late(r"([0-9]+)")
_DIGITS: Final = 18

ALSO: Final = "also possible"
BEHIND: Final = "follow"
WAIVED: Final = "waived"
"""What a finding counts as, where not by its severity or by what is in its way."""


class Finding(Struct, dict=True):
    """What a rule says of one or more subjects, with the same answer to every ask.

    What takes time of thousands of subjects is worked out once, when all of them are there.
    """

    rule: Rule
    outcome: Outcome
    truths: tuple[Truth, ...]
    verdicts: list[Verdict] = field(default_factory=list)
    consequences: list[Finding] = field(default_factory=list)
    """What follows from it, and ends with it."""
    waiting: list[Finding] = field(default_factory=list)
    """What is not worth doing before it is repaired."""
    is_behind: bool = False
    """Whether it stands below another, as what follows from it or waits for it."""

    @property
    def minor(self) -> bool:
        """Whether it is no finding of its own: of low severity and not measured, or a gain that is not safe here."""
        if self.rule.urgency:
            return False
        small = self.rule.severity == "low" and self.urgency == REST
        return small or (self.outcome is Outcome.BLOCKED and self.rule.kind != "risk")

    @property
    def counts_as(self) -> str:
        """What the head, the report and its summary count it as: each finding as one thing, so that these add up."""
        if self.waiver is not None:
            return WAIVED
        if self.is_behind:
            return BEHIND
        if self.minor:
            return ALSO
        return self.rule.severity if self.outcome is Outcome.ADVISE else SAID[self.outcome]

    @property
    def urgency(self) -> str:
        """The row of `fsadvisor explain order` that it stands in."""
        return urgency_of(self.rule, self.outcome, left_of(self.verdicts[0].measured))

    @cached_property
    def title(self) -> str:
        """Its rule's title, with the values of its subjects where there is something to do."""
        if self.outcome not in CALLS_FOR_ACTION:
            return self.rule.title
        return titles.title(self.rule, list(self.subjects))

    @property
    def waiver(self) -> Waiver | None:
        """Who accepted it, the same for all its subjects."""
        return self.verdicts[0].waiver

    @property
    def subjects(self) -> Iterator[Subject]:
        """The subjects of all its verdicts."""
        return (verdict.subject for verdict in self.verdicts)

    def answers(self) -> Iterator[tuple[Ask, Truth]]:
        """Every ask that was put with its answer: all of the rule's, but of what passed or could not be told."""
        return zip(self.rule.asks, self.truths, strict=False)

    @cached_property
    def facts(self) -> dict[str, dict[object, tuple[Subject, Fact[Any], int]]]:
        """Fact name -> each value that it has -> the first subject with it, its fact, and how many subjects have it.

        Where others have it from elsewhere, the source says so: it may name the first subject's device.
        """
        readers = {name: read for ask, _ in self.answers() for name, read in ask.expression.readers}
        return {name: self._values(read) for name, read in readers.items()}

    def _values(self, read: Callable[[Mapping[str, Facts]], Fact[Any]]) -> dict[object, tuple[Subject, Fact[Any], int]]:
        values: dict[object, tuple[Subject, Fact[Any], int]] = {}
        for verdict in self.verdicts:
            fact = read(verdict.subject.scope)
            key = (fact.cause, fact.learn) if isinstance(fact, Unknown) else fact.value
            subject, first, number = values.get(key, (verdict.subject, fact, 0))
            if first.source and first.source.removesuffix(AND_ALIKE) != fact.source:
                first = replace(first, source=f"{first.source.removesuffix(AND_ALIKE)}{AND_ALIKE}")
            values[key] = (subject, first, number + 1)
        return values


def findings(verdicts: Iterable[Verdict]) -> list[Finding]:
    """What calls for action, in rank order; each stands where the first of its subjects stands.

    What stands behind a cause, or waits for something to be repaired, is folded below that finding.
    """
    groups: dict[object, Finding] = {}
    holds: dict[tuple[str, str], Finding] = {}
    for verdict in among(verdicts, CALLS_FOR_ACTION):
        truths = tuple(answer.truth for answer in verdict.answers())
        finding = groups.setdefault(_group(verdict, truths), Finding(verdict.rule, verdict.outcome, truths))
        finding.verdicts.append(verdict)
        holds[verdict.rule.id, verdict.subject.id] = finding
    for finding in groups.values():
        finding.verdicts.sort(key=lambda verdict: _as_people_count(verdict.subject.name))
    return [finding for finding in groups.values() if not _folded(finding, holds)]


def _group(verdict: Verdict, truths: tuple[Truth, ...]) -> object:
    """A key that is the same for verdicts that make one finding."""
    return verdict.rule.id, verdict.outcome, truths, _acceptance(verdict.waiver), verdict.measured, _above(verdict)


def _above(verdict: Verdict) -> tuple[object, ...]:
    """The finding that a verdict stands behind: of which subject, where that finding has several, does not count."""
    above = verdict.behind
    if above is None:
        return ()
    return above.why, above.rule.id, tuple([ask.expression.evaluate(above.subject.scope) for ask in above.rule.asks])


def counts(verdicts: Iterable[Verdict]) -> Counter[str]:
    """How many findings count as what, without keeping more than one verdict of each."""
    groups: dict[object, Finding] = {}
    asks: dict[str, tuple[Ask, ...]] = {}
    for verdict in among(verdicts, CALLS_FOR_ACTION):
        rule, scope = verdict.rule, verdict.subject.scope
        if rule.id not in asks:
            asks[rule.id] = rule.asks
        truths = tuple([ask.expression.evaluate(scope) for ask in asks[rule.id]])
        key = _group(verdict, truths)
        if key not in groups:
            behind = verdict.behind is not None
            groups[key] = Finding(rule, verdict.outcome, truths, [verdict], is_behind=behind)
    return Counter(one.counts_as for one in groups.values())


def unfolded(found: Iterable[Finding]) -> list[Finding]:
    """Every finding, those that are folded behind all others: they end with, or wait for, what they stand below."""
    above = list(found)
    folded = [one for finding in above for one in (*finding.consequences, *finding.waiting)]
    return [*above, *(unfolded(folded) if folded else ())]


class FoldedBelow(NamedTuple):
    """What a folded finding stands below: 'follows from' or 'waits for', and its number, from 1."""

    words: str
    number: int


def below(findings: Iterable[Finding]) -> dict[tuple[str, str], FoldedBelow]:
    """Of all that is folded among these, by its rule and its first subject."""
    folded: dict[tuple[str, str], FoldedBelow] = {}
    for number, finding in enumerate(findings, 1):
        for words, some in (("follows from", finding.consequences), ("waits for", finding.waiting)):
            folded |= {(one.rule.id, one.verdicts[0].subject.id): FoldedBelow(words, number) for one in some}
    return folded


def _folded(finding: Finding, holds: Mapping[tuple[str, str], Finding]) -> bool:
    """Put it below the finding that it stands behind, where there is one."""
    behind = finding.verdicts[0].behind
    above = holds.get((behind.rule.id, behind.subject.id)) if behind else None
    if behind is None or above is None:
        return False
    (above.consequences if behind.why == "cause" else above.waiting).append(finding)
    finding.is_behind = True
    return True


def _acceptance(waiver: Waiver | None) -> tuple[object, ...]:
    """A key that is the same for waivers alike; () for none."""
    return () if waiver is None else (waiver.by, waiver.on, waiver.until, waiver.because, waiver.link)


def _as_people_count(name: str) -> list[tuple[int, str]]:
    """A sort key that puts nvme2n1 before nvme10n1."""
    return [(int(part[:_DIGITS]) if part.isdecimal() and part.isascii() else -1, part) for part in _NUMBER.split(name)]


NAMED: Final = 5
_NO_CURE: Final = {
    Cause.NOT_EXPOSED: "Can't be learnt here: the machine does not show it",
    Cause.NOT_APPLICABLE: "Not checked: it does not apply here",
}


class Cure(Struct):
    """One thing to do and what it would tell."""

    first: Unknown
    words: set[str] = field(default_factory=set)
    facts: dict[str, None] = field(default_factory=dict)
    subjects: dict[str, Subject] = field(default_factory=dict)
    rules: dict[str, str] = field(default_factory=dict)
    held_back: dict[str, None] = field(default_factory=dict)
    """The rules, among those, whose findings wait for it."""

    checks: int = 0
    """How many it would decide, or help to decide."""

    asked: dict[tuple[str, str], Unknown] = field(default_factory=dict)
    """Each fact that is open by the id of the subject that it was asked of, and its name."""

    @property
    def gravity(self) -> int:
        """Place of the gravest check that it would decide."""
        return min(SEVERITIES.index(severity) for severity in self.rules.values())

    @property
    def heading(self) -> str:
        """What to do."""
        if not self.first.learn:
            return _NO_CURE.get(self.first.cause, f"Can't be learnt: {cause(self.first)}")
        alike = " (and alike for the others)" if len(self.words) > 1 else ""
        return f"{self.first.learn[0].upper()}{self.first.learn[1:]}{alike}"


def cures(verdicts: Iterable[Verdict], outcomes: Collection[Outcome] = (Outcome.UNDETERMINED,)) -> list[Cure]:
    """What would decide the undetermined verdicts, or those of other outcomes."""
    cures_by_text: dict[object, Cure] = {}
    of_subject: dict[str, dict[object, Cure]] = {}
    for verdict in among(verdicts, outcomes):
        subject, rule = verdict.subject, verdict.rule
        own = of_subject.setdefault(subject.id, {})
        settled: dict[int, Cure] = {}
        for name, fact in verdict.to_learn().items():
            cure = own.get(fact.learn or fact.cause)
            if cure is None:
                key = _without_names(fact.learn, subject) or fact.cause
                cure = own[fact.learn or fact.cause] = cures_by_text.setdefault(key, Cure(fact))
                cure.words.add(fact.learn)
                cure.subjects[subject.id] = subject
            cure.facts[name] = None
            cure.asked[subject.id, name] = fact
            settled[id(cure)] = cure
        for cure in settled.values():
            cure.checks += 1
            cure.rules[rule.id] = rule.severity
            if verdict.outcome is not Outcome.UNDETERMINED:
                cure.held_back[rule.id] = None
    return sorted(cures_by_text.values(), key=lambda cure: (cure.gravity, not cure.first.learn))


def _without_names(learn: str, subject: Subject) -> str:
    """A cure without what it is called here, so that the same cure for a thousand subjects is one."""
    for name in sorted({subject.name, *_mount_points(subject)}, key=len, reverse=True):
        if name and name in learn:
            learn = "".join(_without(learn, name))
    return learn


def _without(text: str, name: str) -> Iterator[str]:
    """The text with '…' for the name, between blanks, quotes or '='. Names are too many for patterns."""
    kept = end = 0
    while (start := text.find(name, end)) >= 0:
        end = start + len(name)
        if all(one.isspace() or one in "='\"" for one in (*text[:start][-1:], *text[end:][:1])):
            yield from (text[kept:start], "…")
            kept = end
        else:
            end = start + 1
    yield text[kept:]


def _mount_points(subject: Subject) -> Iterator[str]:
    for namespace, field_name in (("mount", "point"), ("filesystem", "mount_point"), ("service", "mount_point")):
        fact = getattr(subject.scope.get(namespace), field_name, None)
        if isinstance(fact, Known):
            yield fact.value


def whose(subjects: Iterable[Subject]) -> str:
    """The subjects by kind, by name as far as there are few."""
    by_kind: dict[str, list[Subject]] = {}
    for subject in subjects:
        by_kind.setdefault(subject.kind, []).append(subject)
    return "; ".join(_one_kind(kind, some) for kind, some in by_kind.items())


def _one_kind(kind: str, subjects: list[Subject]) -> str:
    if kind == "host":
        return "this machine"
    return f"{kind if len(subjects) == 1 else f'{counted(len(subjects), kind)}:'} {_named(subjects)}"


def _named(subjects: list[Subject]) -> str:
    more = [f"{len(subjects) - NAMED:,} more"] if len(subjects) > NAMED else []
    return listed([*map(short_name, subjects[:NAMED]), *more])


_ATTEST = "fsadvisor attest"
_STEPS: Final = 3
"""Told in the line that says what would unlock advice."""


def unlocks(finding: Finding, *, key: str = "") -> str:
    """'answer 5 questions on one page: fsadvisor attest --checklist plp nvme0n1'; '' where nothing would unlock it.

    `key` is what opens that page where the reader is, instead of the command.
    """
    people: dict[str, list[Subject]] = {}
    steps: dict[str, dict[str, Subject]] = {}
    dark: set[str] = set()
    for verdict in finding.verdicts:
        for name, fact in verdict.to_learn().items():
            if fact.cause is Cause.BEING_ASKED:
                return ""
            if fact.cause is Cause.NOT_ATTESTED and catalogue()[name].attested:
                people.setdefault(name, []).append(verdict.subject)
            elif fact.learn:
                alike = steps.setdefault(_without_names(fact.learn, verdict.subject), {})
                alike.setdefault(fact.learn, verdict.subject)
            else:
                dark.add(name)
    asked = f"answer {counted(len(people), 'question')} here: {key}" if people and key else _ask_people(people)
    told = [f"{next(iter(alike))}{_and_alike(list(alike.values()))}" for alike in steps.values()][:_STEPS]
    more = f"{counted(len(steps) - _STEPS, 'step')} more, told below" if len(steps) > _STEPS else ""
    words = "; then ".join(filter(None, (*told, more, asked)))
    if key:
        words = words.replace(f"`{_ATTEST}` it", f"say it here: {key}")
    return f"{words}; {counted(len(dark), 'fact')} more can't be learnt here" if words and dark else words


def _and_alike(subjects: list[Subject]) -> str:
    """Those beside the first, for which it is the same but for their names."""
    return f" (and alike for {_named(subjects[1:])})" if len(subjects) > 1 else ""


def _ask_people(facts: Mapping[str, list[Subject]]) -> str:
    if not facts:
        return ""
    number = counted(len(facts), "question")
    subjects = list({it.id: it for some in facts.values() for it in some}.values())
    name = next((name for name, every in CHECKLISTS.items() if set(facts) <= set(every)), None)
    if name is not None and any(fact.startswith("disk.") for fact in facts):
        return f"answer {number} on one page: {_ATTEST} --checklist {name} {_drives(subjects)}"
    return f"answer {number}: {listed(f'{_command(fact, some[0])}{_and_alike(some)}' for fact, some in facts.items())}"


def _command(fact: str, subject: Subject) -> str:
    namespace = fact.partition(".")[0]
    places = (at for at in (subject.id, *subject.below) if at.partition(":")[0] == namespace)
    at = next(places, namespace)
    return f"{_ATTEST} {fact} {shlex.quote(at)} {_answer(fact)} --by NAME --because REASON"


def _answer(fact: str) -> str:
    entry = catalogue()[fact]
    return "yes-or-no" if entry.kind is Kind.YES_NO else "|".join(entry.choices) or "ANSWER"


def _drives(subjects: list[Subject]) -> str:
    """The name of the one disk; the model of several, where they are of one."""
    models = {read_fact.value(disk.model) for it in subjects if isinstance(disk := it.scope.get("disk"), Disk)}
    if len(subjects) > 1 and len(models) == 1 and (one := models.pop()):
        return shlex.quote(one)
    return f"{shlex.quote(subjects[0].name)}{_and_alike(subjects)}"
