"""Rules x subjects -> verdicts in the order of ranking.py: what calls for action, what is open, what passed."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Final, TypeAlias, overload

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import FALSE, TRUE, UNKNOWN, Known, Truth, Unknown, conjunction
from fsadvisor.patterns import did_you_mean
from fsadvisor.rulebook.expr import AskedTogether
from fsadvisor.rulebook.ranking import NOTHING_MEASURED, About, Behind, Rank, behind, rank_of, reason_of, shared_rank
from fsadvisor.rulebook.remedy import Instructions, render, without_commands
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, Ask, Outcome, Rule
from fsadvisor.rulebook.shape import Gain, measured_gain
from fsadvisor.storage import Ignored
from fsadvisor.storage.catalogue import SCOPES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from typing import Any

    from fsadvisor.facts import Fact
    from fsadvisor.rulebook.expr import Answered, Expression
    from fsadvisor.storage import Facts, Storage, Subject, Tried, Waiver

RUNNING: Final = frozenset({"trial", "settled"})
"""Statuses of the rules that run unasked."""


class Asked(Struct, frozen=True):
    """An ask, its answer for one subject, and the facts that it asked."""

    ask: Ask
    truth: Truth
    facts: Mapping[str, Fact[Any]]


class Gained(Struct, frozen=True):
    """A gain that was measured here, in percent: by a probe at most, by a trial in the middle; and in words."""

    value: float
    says: str
    source: str
    saved: float
    """Of the time, in percent: what is twice as fast saves half of it. So trials and probes are ranked alike."""


class Verdict(Struct, frozen=True, eq=False):
    """What one rule says of one subject. The answers are worked out when asked for: a big machine has many.

    `waiver` is there where somebody has accepted what calls for action; the verdict itself stays what it is.
    """

    rule: Rule
    subject: Subject
    outcome: Outcome
    waiver: Waiver | None = None
    tried: Tried | None = None
    behind: Behind | None = None

    @property
    def calls_for_action(self) -> bool:
        """Whether there is something to do, or would be; what must be safe is asked only then."""
        return self.outcome in CALLS_FOR_ACTION

    def answers(self) -> tuple[Asked, ...]:
        """Every ask that was put, in the rule's order, answered; what passed was asked up to the no that decided."""
        asks = self.rule.asks if self.calls_for_action else self.rule.conditions
        found: list[Asked] = []
        for ask in asks:
            found.append(_answer(ask, self.subject.scope))
            if self.outcome is Outcome.OK and found[-1].truth is FALSE:
                break
        return tuple(found)

    def facts(self) -> dict[str, Fact[Any]]:
        """Every fact that the rule asked, by name, in the order asked."""
        return {name: fact for answer in self.answers() for name, fact in answer.facts.items()}

    def open_answers(self) -> tuple[Asked, ...]:
        """What stands between this verdict and commands: asks not known, and safety asks answered with no."""
        scope = self.subject.scope
        return tuple(Asked(ask, truth, ask.expression.facts(scope)) for ask, truth in self._open())

    def _open(self) -> Iterator[tuple[Ask, Truth]]:
        calls = self.outcome in CALLS_FOR_ACTION
        for ask in self.rule.safety if calls else self.rule.conditions:
            truth = ask.expression.evaluate(self.subject.scope)
            if truth is UNKNOWN or (calls and truth is FALSE):
                yield ask, truth
            elif self.outcome is Outcome.OK and truth is FALSE:
                break

    def to_learn(self) -> dict[str, Unknown]:
        """The unknown facts, by name, that left an open answer open."""
        found: dict[str, Unknown] = {}
        for ask, truth in self._open():
            for name, read in ask.expression.readers if truth is UNKNOWN else ():
                fact = read(self.subject.scope)
                if isinstance(fact, Unknown):
                    found[name] = fact
        return found

    @property
    def measured(self) -> Gained | None:
        """The gain that was measured here."""
        return _measured(self.rule, self.outcome, self.subject.scope, self.tried)

    def gain(self) -> Gain | None:
        """What following the advice is good for: what was measured here first."""
        return gain_of(self.rule, self.measured)

    def instructions(self) -> Instructions:
        """What to do; commands only where every safety ask is answered with yes."""
        if self.outcome not in CALLS_FOR_ACTION:
            return nothing_to_do(self.rule)
        if self.behind is not None and self.behind.why == "first":
            return without_commands(
                self.rule.remedy,
                self.subject.scope,
                f"first fix {self.behind.subject.name}: {self.behind.rule.title}",
            )
        if in_the_way := self.open_answers():
            words = (f"{each.ask.ask} {'no' if each.truth is FALSE else 'not known'}" for each in in_the_way)
            return without_commands(self.rule.remedy, self.subject.scope, "; ".join(words))
        return render(self.rule.remedy, self.subject.scope)

    def rank(self) -> Rank:
        """Where the verdict stands in the report."""
        return rank_of(self.rule, self.outcome, self.subject.id, left_of(self.measured))


class Verdicts(Sequence[Verdict]):
    """Verdicts in rank order. A big machine has a million: what is alike is kept once, each is made when it is seen.

    `alike` holds subjects in the order of their ids.
    """

    def __init__(
        self, alike: Mapping[_Alike, list[Subject]], waivers: Iterable[Waiver], tried: Mapping[About, Tried]
    ) -> None:
        self._alike = [(rule, outcome, alike[rule, outcome, left]) for rule, outcome, left in sorted(alike, key=_place)]
        self._waivers = {(waiver.rule, waiver.subject): waiver for waiver in waivers}
        self._tried = tried
        self._behind: Mapping[About, Behind] = {}

    def fold(self, subjects: Iterable[Subject]) -> None:
        """Put behind each finding what follows from it, and what waits for it."""
        calling = [
            (rule, outcome, subject)
            for rule, outcome, among in self._alike
            if outcome in CALLS_FOR_ACTION
            for subject in among
        ]
        self._behind = behind(calling, subjects, frozenset(self._waivers))

    def __len__(self) -> int:
        return sum(len(subjects) for _, _, subjects in self._alike)

    def __iter__(self) -> Iterator[Verdict]:
        for rule, outcome, subjects in self._alike:
            yield from (self._verdict(rule, outcome, subject) for subject in subjects)

    def _verdict(self, rule: Rule, outcome: Outcome, subject: Subject) -> Verdict:
        about = (rule.id, subject.id)
        waiver = self._waivers.get(about) if outcome in CALLS_FOR_ACTION else None
        return Verdict(rule, subject, outcome, waiver, self._tried.get(about), self._behind.get(about))

    def among(self, wanted: Callable[[Rule, Outcome], bool]) -> Iterator[Verdict]:
        """Those of rules and outcomes that are wanted, in rank order, found without making the others."""
        for rule, outcome, subjects in self._alike:
            if wanted(rule, outcome):
                yield from (self._verdict(rule, outcome, subject) for subject in subjects)

    def groups(self) -> Iterator[tuple[Rule, Outcome, Sequence[Subject]]]:
        """In rank order, each rule with what it says and of whom."""
        yield from self._alike

    def on(self, subject: str) -> Iterator[Verdict]:
        """Those on the subject of that id, found without making the others."""
        for rule, outcome, subjects in self._alike:
            at = bisect_left(subjects, subject, key=attrgetter("id"))
            if at < len(subjects) and subjects[at].id == subject:
                yield self._verdict(rule, outcome, subjects[at])

    @overload
    def __getitem__(self, at: int) -> Verdict: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Verdict]: ...
    def __getitem__(self, at: int | slice) -> Verdict | Sequence[Verdict]:
        return tuple(self)[at]


def among(verdicts: Iterable[Verdict], outcomes: Collection[Outcome]) -> Iterator[Verdict]:
    """Those of these outcomes, in order; of Verdicts without making the others."""
    if isinstance(verdicts, Verdicts):
        return verdicts.among(lambda _, outcome: outcome in outcomes)
    return (one for one in verdicts if one.outcome in outcomes)


def groups(verdicts: Iterable[Verdict]) -> Iterator[tuple[Rule, Outcome, Sequence[Subject]]]:
    """In order, each rule with what it says and of whom: most of a big machine's verdicts pass and are never made."""
    if isinstance(verdicts, Verdicts):
        return verdicts.groups()
    return ((one.rule, one.outcome, (one.subject,)) for one in verdicts)


def tally(verdicts: Iterable[Verdict]) -> Counter[Outcome]:
    """How many there are of each outcome."""
    numbers: Counter[Outcome] = Counter()
    for _, outcome, subjects in groups(verdicts):
        numbers[outcome] += len(subjects)
    return numbers


def advise(storage: Storage, rules: Iterable[Rule], *, every: bool = False) -> Verdicts:
    """All verdicts in rank order, without those of rules that do not apply unless `every` is asked for."""
    by_kind: dict[str, list[Subject]] = {kind: [] for kind in SCOPES}
    for subject in sorted(storage.subjects, key=attrgetter("id")):
        by_kind[subject.kind].append(subject)
    tried = {(one.rule, about): one for one in storage.tried for about in one.subjects}
    alike: dict[_Alike, list[Subject]] = {}
    asking = _by_first_question(rule for rule in rules if rule.status in RUNNING)
    for kind, subjects in by_kind.items():
        for at in range(0, len(subjects), _AT_ONCE):
            for rule, outcome, among in _said(asking.get(kind, {}), subjects[at : at + _AT_ONCE], every=every):
                _add(alike, rule, outcome, among, tried)
    verdicts = Verdicts(alike, storage.waivers, tried)
    verdicts.fold(storage.subjects)
    return verdicts


_AT_ONCE = 256
"""Subjects whom all rules ask before the next: their facts stay in the processor's cache."""


def _by_first_question(rules: Iterable[Rule]) -> dict[str, dict[str, list[Rule]]]:
    """By kind of subject, then by text, the rules that ask the same first: one no is enough for all of them."""
    found: dict[str, dict[str, list[Rule]]] = {}
    for rule in rules:
        first = rule.applies[0].expression.text if rule.applies else ""
        found.setdefault(rule.subject, {}).setdefault(first, []).append(rule)
    return found


def _said(
    asking: Mapping[str, list[Rule]], subjects: list[Subject], *, every: bool
) -> Iterator[tuple[Rule, Outcome, list[Subject]]]:
    """What rules, by their first question, say of whom."""
    everybody = [(subject, TRUE) for subject in subjects]
    together = AskedTogether(subjects)
    for rules in asking.values():
        answered, no = together.asked(_expressions(rules[0].applies[:1]), everybody)
        for rule in rules if answered or every else ():
            for outcome, among in _outcomes(rule, rule.applies[1:], answered, together):
                if outcome is not Outcome.NOT_APPLICABLE:
                    yield rule, outcome, among
                elif every:
                    yield rule, outcome, sorted((*no, *among), key=attrgetter("id"))


def _outcomes(
    rule: Rule, applies: Sequence[Ask], answered: Answered, together: AskedTogether
) -> Iterator[tuple[Outcome, list[Subject]]]:
    """What a rule says of whom; `applies` is what it still asks to know whether it applies."""
    answered, ruled_out = together.asked(_expressions(applies), answered)
    yield Outcome.NOT_APPLICABLE, ruled_out
    answered, fine = together.asked(_expressions(rule.checks), answered)
    yield Outcome.OK, fine
    yield Outcome.UNDETERMINED, [subject for subject, answer in answered if answer is UNKNOWN]
    calling = [pair for pair in answered if pair[1] is TRUE]
    safe, unsafe = (calling, []) if rule.kind == "risk" else together.asked(_expressions(rule.safety), calling)
    yield Outcome.ADVISE, [subject for subject, answer in safe if answer is TRUE]
    yield Outcome.WITHHELD, [subject for subject, answer in safe if answer is UNKNOWN]
    yield Outcome.BLOCKED, unsafe


def _expressions(asks: Iterable[Ask]) -> Iterator[Expression]:
    return (ask.expression for ask in asks)


def _add(
    alike: dict[_Alike, list[Subject]], rule: Rule, outcome: Outcome, among: list[Subject], tried: Mapping[About, Tried]
) -> None:
    """Keep together of whom the rule says the same, and of whom a gain leaves as much."""
    if not rule.measured and not tried:
        if among:
            alike.setdefault((rule, outcome, NOTHING_MEASURED), []).extend(among)
        return
    for subject in among:
        left = left_of(_measured(rule, outcome, subject.scope, tried.get((rule.id, subject.id))))
        alike.setdefault((rule, outcome, left), []).append(subject)


_Alike: TypeAlias = "tuple[Rule, Outcome, int]"
"""What verdicts that stand together share: the rule, what it says, and their rank by the gain."""


def _place(key: _Alike) -> tuple[object, ...]:
    """The rank up to the subject: of one rule and outcome, verdicts stand in the order of their subjects' ids."""
    return shared_rank(*key)


def _measured(rule: Rule, outcome: Outcome, scope: Mapping[str, Facts], tried: Tried | None) -> Gained | None:
    """What a trial told of the very rule, else what a probe told that can be saved at most."""
    if outcome not in CALLS_FOR_ACTION:
        return None
    if tried is not None:
        return Gained(tried.percent, tried.says, tried.how, 100 * tried.percent / (100 + tried.percent))
    if rule.measured is None:
        return None
    fact = rule.measured.reader()(scope)
    if not isinstance(fact, Known):
        return None
    return Gained(fact.value, f"{fact.value:g} % at most: {rule.measured.doc}", fact.source, fact.value)


def left_of(measured: Gained | None) -> int:
    """What is left when all that was measured is saved, in whole percent."""
    return NOTHING_MEASURED if measured is None else round(100 - min(max(measured.saved, 0), 100))


@lru_cache(maxsize=512)
def gain_of(rule: Rule, measured: Gained | None) -> Gain | None:
    """The rule's gain, with what was measured here as the first of its figures."""
    if measured is None:
        return rule.gain
    return measured_gain(rule.gain or Gain(metric="speed", basis="measured"), measured.says, measured.source)


def with_fitting_waivers(storage: Storage, rules: Iterable[Rule]) -> Storage:
    """The storage whose waivers all speak of one of these rules and a subject of its kind; others are ignored."""
    kinds = {rule.id: rule.subject for rule in rules}
    why = {waiver: _unfit(waiver, kinds) for waiver in storage.waivers}
    ignored = tuple(Ignored(place=waiver.place, what=waiver.what, why=words) for waiver, words in why.items() if words)
    kept = tuple(waiver for waiver, words in why.items() if not words)
    return replace(storage, waivers=kept, ignored=(*storage.ignored, *ignored))


def _unfit(waiver: Waiver, kinds: Mapping[str, str]) -> str:
    if waiver.rule not in kinds:
        return f"no rule is called {waiver.rule!r}{did_you_mean(waiver.rule, kinds)}"
    if waiver.subject.partition(":")[0] != kinds[waiver.rule]:
        return f"{waiver.rule} is a rule on a {kinds[waiver.rule]}"
    return ""


def judge(rule: Rule, subject: Subject) -> Verdict:
    """What a rule says of a subject of its kind, whatever the rule's status."""
    said = _outcomes(rule, rule.applies, [(subject, TRUE)], AskedTogether([subject]))
    (outcome,) = (outcome for outcome, among in said if among)
    return Verdict(rule, subject, outcome)


def safety_of(rule: Rule, subject: Subject) -> Truth:
    """Whether the rule's commands are safe on the subject: the answer to all of its safety asks together."""
    return conjunction(ask.expression.evaluate(subject.scope) for ask in rule.safety)


def _answer(ask: Ask, scope: Mapping[str, Facts]) -> Asked:
    return Asked(ask, ask.expression.evaluate(scope), ask.expression.facts(scope))


@cache
def nothing_to_do(rule: Rule) -> Instructions:
    """The instructions of a verdict that calls for no action."""
    return without_commands(rule.remedy, {}, "there is nothing to do yet")


def reason(verdict: Verdict) -> str:
    """Why a verdict stands where it does, in words."""
    return reason_shared(verdict.rule, verdict.outcome, verdict.waiver is not None, verdict.measured)


def reason_shared(rule: Rule, outcome: Outcome, waived: bool, measured: Gained | None) -> str:
    """The reason that all such verdicts share."""
    percent = measured.value if measured else None
    return reason_of(rule, outcome, waived=waived, left=left_of(measured), gain_percent=percent)
