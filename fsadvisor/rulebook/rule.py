"""A rule, checked: every expression compiled, every command a template, every example's facts typed."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast, overload

from msgspec import Struct

from fsadvisor.facts import Truth
from fsadvisor.patterns import did_you_mean
from fsadvisor.rulebook import gate
from fsadvisor.rulebook.expr import Expression, compile_expression, entry_for, value_for
from fsadvisor.rulebook.mistakes import Problem, RuleTextError, missing, uncited
from fsadvisor.rulebook.remedy import (
    KeepTemplate,
    OtherWay,
    Remedy,
    Template,
    Title,
    command_template,
    text_template,
    title_template,
)
from fsadvisor.storage.catalogue import Kind, catalogue
from fsadvisor.version import Version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fsadvisor.rulebook.mistakes import Path
    from fsadvisor.rulebook.shape import (
        AskShape,
        Equivalent,
        Gain,
        HereShape,
        JudgedShape,
        Keep,
        Reference,
        RemedyShape,
        RuleShape,
        StepsShape,
        TrialShape,
        WayShape,
    )
    from fsadvisor.storage.catalogue import FactEntry

Part: TypeAlias = Literal["applies", "checks", "safety"]


class Outcome(Enum):
    """What a rule says of a subject."""

    ADVISE = "advise"
    WITHHELD = "withheld"
    BLOCKED = "blocked"
    UNDETERMINED = "undetermined"
    OK = "ok"
    NOT_APPLICABLE = "not_applicable"

    __hash__ = object.__hash__  # members are single objects; Enum's own hash takes a Python call


CALLS_FOR_ACTION: Final = frozenset({Outcome.ADVISE, Outcome.WITHHELD, Outcome.BLOCKED})
"""There is something to do, or would be."""

SAID: Final = {
    Outcome.ADVISE: "advised",
    Outcome.WITHHELD: "safety not known",
    Outcome.BLOCKED: "not safe here",
    Outcome.UNDETERMINED: "not known",
    Outcome.OK: "passed",
    Outcome.NOT_APPLICABLE: "does not apply",
}
"""What people read for each; JSON has the values."""

SILENT: Final = (Outcome.OK, Outcome.NOT_APPLICABLE)
"""There is nothing to say."""

SPOKEN: Final = CALLS_FOR_ACTION | {Outcome.UNDETERMINED}
"""There is: most of a big machine's verdicts pass."""


STEPS: Final = {
    "advise": (Outcome.ADVISE, Truth.TRUE),
    "advise_unsafe": (Outcome.ADVISE, Truth.FALSE),
    "advise_unclear": (Outcome.ADVISE, Truth.UNKNOWN),
    "withheld": (Outcome.WITHHELD, Truth.UNKNOWN),
    "blocked": (Outcome.BLOCKED, Truth.FALSE),
    "undetermined": (Outcome.UNDETERMINED, Truth.TRUE),
    "ok": (Outcome.OK, Truth.TRUE),
    "not_applicable": (Outcome.NOT_APPLICABLE, Truth.TRUE),
}
"""Key of a rule's `steps` -> the verdict, and the answer to the safety questions where something is advised."""


class Ask(Struct, frozen=True):
    """A question of a rule; `part` says what FALSE and UNKNOWN mean for the verdict."""

    part: Part
    ask: str
    expression: Expression
    because: str = ""


class Example(Struct, frozen=True):
    """A subject with these facts, all others unknown, must get the verdict `expect`.

    `safe` is the answer to all safety questions of a rule that advises.
    """

    name: str
    expect: Outcome
    facts: Mapping[str, Any]
    safe: Truth = Truth.TRUE
    like: str = ""
    """The example above from which it differs in a step."""


class Rule(Struct, frozen=True, eq=False):
    """A rule that loaded; `file` is where it stands. The words are those of shape.py."""

    id: str
    title: str
    kind: str
    subject: str
    severity: str
    status: str
    why: str
    applies: tuple[Ask, ...]
    checks: tuple[Ask, ...]
    safety: tuple[Ask, ...]
    gain: Gain | None
    remedy: Remedy
    references: tuple[Reference, ...]
    examples: Sequence[Example]
    errata: tuple[str, ...]
    file: str
    measured: FactEntry | None = None
    """The fact, in percent, that tells its gain here at most."""
    trial: TrialShape | None = None
    urgency: str = ""
    explained_by: tuple[str, ...] = ()
    here: tuple[Title, ...] = ()
    """Its title with the values of a machine, which stands after a subject's name: the first that is known."""
    equivalents: tuple[Equivalent, ...] = ()
    """Changes of its questions that no example can notice, and why."""

    @property
    def own_safety(self) -> tuple[Ask, ...]:
        """The safety asks that stand in the rule's file, without the health gate's."""
        asked = {ask for ask, _ in gate.questions(self.subject)}
        return tuple(ask for ask in self.safety if ask.ask not in asked)

    @property
    def conditions(self) -> tuple[Ask, ...]:
        """The asks that decide whether there is a finding: what applies, and the checks."""
        return self.applies + self.checks

    @property
    def asks(self) -> tuple[Ask, ...]:
        """All three lists in their order."""
        return self.applies + self.checks + self.safety


class _LaterExamples(Sequence[Example]):
    """The examples of a proven rule, read when somebody asks for them: an audit does not."""

    def __init__(self, whole: Callable[[], RuleShape]) -> None:
        self._whole = whole

    @cached_property
    def _all(self) -> tuple[Example, ...]:
        shape = self._whole()
        return _Reading(shape.subject, proven=True).examples(shape)

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, at: int) -> Example: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Example, ...]: ...
    def __getitem__(self, at: int | slice) -> Example | tuple[Example, ...]:
        return self._all[at]


def proven_rule(shape: JudgedShape, whole: Callable[[], RuleShape], file: str) -> Rule:
    """A rule of ours as it was compiled: `make check` proved it, so its texts are read when they are first asked."""
    return _rule(shape, file, _Reading(shape.subject, proven=True), _LaterExamples(whole))


def rule_of(shape: RuleShape, file: str) -> Rule | tuple[Problem, ...]:
    """Check what the shape of a rule file alone can't say; either a rule or everything that is wrong."""
    reading = _Reading(shape.subject)
    rule = _rule(shape, file, reading, reading.examples(shape))
    problems = (*reading.problems, *missing(shape), *uncited(shape))
    return problems or rule


def _rule(shape: JudgedShape, file: str, reading: _Reading, examples: Sequence[Example]) -> Rule:
    return Rule(
        id=shape.id,
        title=shape.title,
        kind=shape.kind,
        subject=shape.subject,
        severity=shape.severity,
        status=shape.status,
        why=shape.why.strip(),
        applies=reading.asks("applies", shape.applies),
        checks=reading.asks("checks", shape.checks),
        safety=reading.asks("safety", shape.safety) + (_gate(shape.subject) if shape.remedy.rewrites else ()),
        gain=shape.gain,
        remedy=reading.remedy(shape.remedy),
        references=shape.reference,
        examples=examples,
        errata=shape.errata,
        file=file,
        measured=reading.measured(shape.gain),
        trial=shape.trial,
        urgency=shape.urgency,
        explained_by=shape.explained_by,
        here=tuple(reading.here(shape.here)),
        equivalents=shape.equivalent,
    )


def _gate(subject: str) -> tuple[Ask, ...]:
    return tuple(Ask("safety", ask, expression) for ask, expression in gate.questions(subject))


@cache
def _expression(text: str, subject: str) -> Expression:
    """Many rules ask the same: each question is compiled once."""
    return Expression(text, subject)


_UNCHECKED: Final[Mapping[Callable[[str, str], Any], Callable[[str, str], Any]]] = {
    compile_expression: _expression,
    command_template: Template,
    text_template: Template,
    title_template: Template,
}
"""What takes the place of a check where the text is proven."""


class _Reading:
    """Compiles the texts of one rule file and notes what is wrong with them."""

    def __init__(self, subject: str, *, proven: bool = False) -> None:
        self.subject = subject
        self.problems: list[Problem] = []
        self._proven = proven

    def asks(self, part: Part, shapes: tuple[AskShape, ...]) -> tuple[Ask, ...]:
        asks = []
        for index, shape in enumerate(shapes):
            if self._proven:
                asks.append(Ask(part, shape.ask, _expression(shape.expr, self.subject), shape.because))
                continue
            expression = self._checked((part, index, "expr"), compile_expression, shape.expr)
            if expression is not None:
                asks.append(Ask(part, shape.ask, expression, shape.because))
            if not shape.ask.strip():
                self.problems.append(Problem((part, index, "ask"), "an ask needs words"))
        return tuple(asks)

    def here(self, given: str | tuple[str | HereShape, ...]) -> Iterator[Title]:
        for index, title in enumerate((given,) if isinstance(given, str) else given):
            text, when = (title, "") if isinstance(title, str) else (title.says, title.when)
            says = self._checked(("here", index), title_template, text)
            asked = self._checked(("here", index, "when"), compile_expression, when) if when else None
            if says is not None:
                yield Title(says, asked)

    def measured(self, gain: Gain | None) -> FactEntry | None:
        """The fact that tells the gain here: a number in percent."""
        if gain is None or not gain.measured:
            return None
        path = ("gain", "measured")
        entry = cast("FactEntry | None", self._checked(path, entry_for, gain.measured))
        if entry is not None and (entry.kind not in (Kind.WHOLE, Kind.REAL) or entry.unit != "percent"):
            self.problems.append(Problem(path, f"'{gain.measured}' is no number in percent"))
        elif entry is not None and not gain.measure:
            self.problems.append(Problem(path, "'measured' needs 'measure', the probe that sets it"))
        return entry

    def remedy(self, shape: RemedyShape) -> Remedy:
        return Remedy(
            needs=shape.needs,
            now=self._commands("now", shape.now),
            keep=tuple(self._keep(at, keep) for at, keep in enumerate(shape.keep)),
            undo=self._commands("undo", shape.undo),
            verify=self._commands("verify", shape.verify),
            advice=shape.advice.strip(),
            then=self._facts(("remedy", "then"), shape.then),
            ways=tuple(self._ways(shape.way)),
            rewrites=shape.rewrites,
        )

    def _ways(self, shapes: tuple[WayShape, ...]) -> Iterator[OtherWay]:
        for at, shape in enumerate(shapes):
            when = self._checked(("remedy", "way", at, "when"), compile_expression, shape.when)
            if when is not None:
                yield OtherWay(when, " ".join(shape.advice.split()), shape.page, shape.needs, shape.by_hand)

    def _commands(self, key: str, texts: tuple[str, ...]) -> tuple[Template, ...]:
        if self._proven or not texts:
            return tuple([Template(text, self.subject) for text in texts])
        found = (self._checked(("remedy", key, at), command_template, text) for at, text in enumerate(texts))
        return tuple(template for template in found if template is not None)

    def _keep(self, at: int, keep: Keep) -> KeepTemplate:
        line = self._checked(("remedy", "keep", at, "line"), text_template, keep.line)
        mount = self._checked(("remedy", "keep", at, "mount"), text_template, keep.mount)
        nothing = Template("", self.subject)
        return KeepTemplate(keep.file, line or nothing, mount or nothing, keep.add, keep.remove)

    def examples(self, shape: RuleShape) -> tuple[Example, ...]:
        examples: dict[str, Example] = {}
        for index, given in enumerate(shape.example):
            if given.name in examples:
                self.problems.append(Problem(("example", index, "name"), f"two examples are called '{given.name}'"))
            facts = self._facts(("example", index, "facts"), given.facts)
            examples[given.name] = Example(given.name, Outcome(given.expect), facts, Truth(given.safe))
        return (*examples.values(), *self._steps(shape.steps, examples))

    def _steps(self, shapes: tuple[StepsShape, ...], examples: Mapping[str, Example]) -> Iterator[Example]:
        for number, steps in enumerate(shapes):
            base = examples.get(steps.like)
            if base is None:
                near = did_you_mean(steps.like, examples)
                self.problems.append(Problem(("steps", number, "like"), f"no example is called '{steps.like}'{near}"))
                continue
            for key, (outcome, safe) in STEPS.items():
                for index, step in enumerate(getattr(steps, key)):
                    facts = self._facts(("steps", number, key, index), step)
                    changed = ", ".join(f"{name} = {value}" for name, value in facts.items())
                    yield Example(f"{base.name}, with {changed}", outcome, {**base.facts, **facts}, safe, base.name)

    def _facts(self, path: Path, values: Mapping[str, Any]) -> Mapping[str, Any]:
        facts: dict[str, Any] = {}
        for keys, value in _flat(values):
            name = ".".join(keys)
            try:
                facts[name] = _proven_value(name, value) if self._proven else _fact_value(name, self.subject, value)
            except RuleTextError as error:
                self.problems.append(Problem((*path, *keys), error.message))
        return facts

    def _checked(self, path: Path, compiler: Callable[[str, str], Any], text: str) -> Any:  # noqa: ANN401 - its result
        try:
            return (_UNCHECKED.get(compiler, compiler) if self._proven else compiler)(text, self.subject)
        except RuleTextError as error:
            self.problems.append(Problem(path, error.message, error.column))
            return None


def _flat(values: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """TOML's `disk.plp = …` is a table in a table; `"disk.plp" = …` is not: both name a fact."""
    for key, value in values.items():
        if isinstance(value, dict):
            for keys, inner in value.items():
                yield (key, keys), inner
        else:
            yield (key,), value


def _fact_value(name: str, subject: str, value: object) -> Any:  # noqa: ANN401 - any type of the catalogue
    entry = entry_for(name, subject)
    if entry.kind is not Kind.TEXTS:
        return value_for(entry, value)
    if not isinstance(value, list):
        raise RuleTextError(f"'{name}' is a {entry.kind.value}, not {value!r}")
    return tuple(value_for(entry, item) for item in value)


def _proven_value(name: str, value: object) -> Any:  # noqa: ANN401 - any type of the catalogue
    if isinstance(value, str):
        return Version.parse(value) if catalogue()[name].kind is Kind.VERSION else value
    return tuple(value) if isinstance(value, list) else value
