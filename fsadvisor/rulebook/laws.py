"""What a rule's examples prove of it, for `fsadvisor rule try`: the laws that the tests hold our own rules to.

And the example that is missing: the smallest step from one of a rule's, at which the rule and a changed one differ.
"""

from __future__ import annotations

import ast
import re
from itertools import combinations, islice, product
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from fsadvisor.facts import TRUE
from fsadvisor.rulebook.advise import judge, safety_of
from fsadvisor.rulebook.expr import compile_expression
from fsadvisor.rulebook.language import misworded_rule
from fsadvisor.rulebook.mutants import expected, has_bound, imagined, notices, survivors
from fsadvisor.rulebook.remedy import in_words
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, SILENT, STEPS, Outcome
from fsadvisor.storage.catalogue import Kind, catalogue
from fsadvisor.version import Version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fsadvisor.rulebook.expr import Expression
    from fsadvisor.rulebook.mutants import Mutant
    from fsadvisor.rulebook.rule import Ask, Example, Rule
    from fsadvisor.storage import Facts
    from fsadvisor.storage.catalogue import FactEntry


_TITLE: Final = 60
_WORD: Final = re.compile(r"[a-z0-9]{3,}")
_START: Final = 5
"""Letters by which a word of a title is known again in the rule."""

_MOST: Final = 3
"""Facts that a missing example may change of one that is there."""
_TRIED: Final = 20_000
"""Steps that are tried for a change before it counts as one that nothing can notice."""


_WIDTH: Final = 110
_KEYS: Final = {(outcome, safe if outcome is Outcome.ADVISE else None): key for key, (outcome, safe) in STEPS.items()}


class Missing(Struct, frozen=True):
    """An example that would notice a change; `facts` are those that differ from the example `like`."""

    mutant: Mutant
    like: Example
    facts: Mapping[str, Any]
    verdict: str
    """The key of `steps` that it stands under."""


def steps_as_toml(missing: Iterable[Missing]) -> str:
    """The blocks to paste into a rule's file, one for each example that they are steps from."""
    blocks: dict[str, dict[str, list[str]]] = {}
    for one in missing:
        facts = ", ".join(f"{name} = {_toml(value)}" for name, value in one.facts.items())
        blocks.setdefault(one.like.name, {}).setdefault(one.verdict, []).append(f"{{ {facts} }}")
    return "\n".join(
        f"[[steps]]\nlike = {_toml(like)}\n" + "".join(_list(key, steps) for key, steps in verdicts.items())
        for like, verdicts in blocks.items()
    )


def _list(key: str, steps: list[str]) -> str:
    line = f"{key} = [{', '.join(steps)}]\n"
    return line if len(line) <= _WIDTH else f"{key} = [\n" + "".join(f"  {step},\n" for step in steps) + "]\n"


def missing_examples(rule: Rule) -> Iterator[Missing | Mutant]:
    """For each change that no example notices, an example that would, or the change itself where none was found."""
    found: list[Missing] = []
    values = _values(rule)
    for mutant in survivors(rule):
        if any(notices(mutant, rule, {**one.like.facts, **one.facts}) for one in found):
            continue
        example = _search(mutant, rule, values)
        if example is None:
            yield mutant
        else:
            found.append(example)
            yield example


def _search(mutant: Mutant, rule: Rule, values: Mapping[str, tuple[Any, ...]]) -> Missing | None:
    """The nearest step that tells the two apart, from an example that advises where there is one."""
    bases = sorted(
        (example for example in rule.examples if not example.like),
        key=lambda example: example.expect is not Outcome.ADVISE,
    )
    for count in range(1, _MOST + 1):
        for base, step in islice(_steps(bases, values, count), _TRIED):
            facts = {**base.facts, **step}
            if notices(mutant, rule, facts):
                outcome, safe = expected(rule, imagined(rule, facts))
                if outcome is Outcome.ADVISE and not _ends(rule, facts):
                    continue
                return Missing(mutant, base, step, _KEYS[outcome, safe])
    return None


def _ends(rule: Rule, facts: Mapping[str, Any]) -> bool:
    """Whether there is nothing to advise once the advice was followed."""
    return judge(rule, imagined(rule, {**facts, **rule.remedy.then})).outcome in SILENT


def _steps(
    bases: Iterable[Example], values: Mapping[str, tuple[Any, ...]], count: int
) -> Iterator[tuple[Example, dict[str, Any]]]:
    """(example, so many facts that get another value)."""
    for base in bases:
        for names in combinations(values, count):
            for chosen in product(*(values[name] for name in names)):
                step = dict(zip(names, chosen, strict=True))
                if all(base.facts.get(name) != value for name, value in step.items()):
                    yield base, step


def _values(rule: Rule) -> dict[str, tuple[Any, ...]]:
    """The values worth trying of each fact that the rule asks: what it is compared with, and its neighbours."""
    expressions = [ask.expression for ask in rule.asks]
    tried = {name: dict.fromkeys(_usual(rule, name)) for expression in expressions for name in expression.names}
    for expression in expressions:
        for node in ast.walk(ast.parse(expression.text.strip(), mode="eval")):
            if isinstance(node, ast.Compare):
                sides = [ast.unparse(side) for side in (node.left, *node.comparators)]
                for name in set(sides) & set(tried):
                    compared = [value for other in sides if other in tried for value in (*tried[other],)]
                    literals = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
                    tried[name].update(dict.fromkeys(_around(catalogue()[name], (*compared, *literals))))
    return {name: tuple(values) for name, values in tried.items()}


def _usual(rule: Rule, name: str) -> Iterator[Any]:
    """Values of the fact that need no comparison: all of its kind where they are few, and those of the examples."""
    entry = catalogue()[name]
    yield from (True, False) if entry.kind is Kind.YES_NO else entry.choices
    yield from [()] if entry.kind is Kind.TEXTS else []
    yield from (example.facts[name] for example in rule.examples if name in example.facts)


def _around(entry: FactEntry, compared: Sequence[Any]) -> Iterator[Any]:
    """What the fact is compared with, and what lies beside it."""
    for value in compared:
        if entry.kind is Kind.TEXT and isinstance(value, str):
            yield from (value,) if entry.choices else (value, f"other than {value}")
        elif entry.kind is Kind.TEXTS:
            lists = [known for known in compared if isinstance(known, tuple)]
            texts = [value] if isinstance(value, str) else []
            yield from ((*known, text) for text in texts for known in ((), *lists))
        elif entry.kind is Kind.VERSION and isinstance(value, str):
            yield from _versions([int(part) for part in value.split(".")])
        elif entry.kind in (Kind.WHOLE, Kind.REAL) and isinstance(value, int | float):
            yield from (
                number
                for number in _numbers(value, whole=entry.kind is Kind.WHOLE)
                if number >= 0 and not (entry.unit == "percent" and number > 100 >= value)
            )


def _versions(parts: list[int]) -> Iterator[Version]:
    """The version, one before and one after."""
    for step in (0, -1, 1):
        moved = [*parts[:-1], parts[-1] + step]
        version = Version.parse(".".join(map(str, moved if moved[-1] >= 0 else [parts[0] - 1, 9])))
        if version is not None:
            yield version


def _numbers(value: float, *, whole: bool) -> Iterator[float]:
    """The number, its neighbours, and what lies between it and a fifth or a thousandfold of it."""
    step = 1 if whole else max(abs(value) / 100, 0.01)
    yield value
    yield value - step
    yield value + step
    for factor in (0.9, 1.12, 10, 0.1):
        yield round(value * factor) if whole else round(value * factor, 6)


def _toml(value: object) -> str:
    """A fact's value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple) and not isinstance(value, Version):
        return f"[{', '.join(_toml(item) for item in value)}]"
    if isinstance(value, int | float):
        return repr(value)
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def unproven(rule: Rule) -> Iterator[str]:
    """In words, all that the examples do not show or show to be wrong; nothing for a rule that proves itself."""
    yield from failures(rule)
    yield from mistitled(rule)
    yield from misworded_rule(rule)
    yield from _missing(rule)
    yield from _lost_ways(rule)
    yield from _causes_untold(rule)
    if rule.remedy.now and rule.remedy.now == rule.remedy.undo:
        yield "the undo is the same as the fix: it takes nothing back"
    for example in rule.examples:
        if example.expect is Outcome.ADVISE:
            after = judge(rule, imagined(rule, {**example.facts, **rule.remedy.then})).outcome
            if after not in SILENT:
                yield f"example '{example.name}': {after.value} still, after [remedy.then]"
    yield from _unnoticed(rule)
    for ask in rule.asks:
        if has_bound(ask.expression.text) and not ask.because:
            yield f"say why the bound of '{ask.ask}' is what it is: because = \"…\" beside its expr"


def _lost_ways(rule: Rule) -> Iterator[str]:
    """Ways of the remedy and titles that no example is told of."""
    found = [imagined(rule, one.facts).scope for one in rule.examples if one.expect in CALLS_FOR_ACTION]
    titles = [one.when for one in rule.here if one.when is not None]
    for part, whens in (("way of the remedy", [way.when for way in rule.remedy.ways]), ("title", titles)):
        for when in whens:
            if not any(when.evaluate(scope) is TRUE for scope in found):
                yield f"no example with a finding takes the {part} 'when = \"{when.text}\"'"


def _causes_untold(rule: Rule) -> Iterator[str]:
    """Findings with one of several causes, where the title tells the value of none: a rule has one, or tells which."""
    found = [(example, imagined(rule, example.facts).scope) for example in rule.examples if not example.like]
    for ask in rule.checks:
        causes = _alternatives(rule, ask)
        others = {name for other in rule.checks if other is not ask for name in other.expression.names}
        for example, scope in found:
            held = [cause for cause in causes if cause.evaluate(scope) is TRUE]
            told = others | {name for cause in held for name in cause.names}
            if example.expect in CALLS_FOR_ACTION and held and not told & _shown(rule, scope):
                yield f"'{example.name}': the title does not tell (by 'here') which holds: {ask.expression.text}"


def _alternatives(rule: Rule, ask: Ask) -> list[Expression]:
    """The sides of the question's `or` where they ask different facts; each may be a cause."""
    tree = ast.parse(ask.expression.text.strip(), mode="eval").body
    sides = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.Or) else []
    causes = [compile_expression(ast.unparse(side), rule.subject) for side in sides]
    return causes if len({frozenset(cause.names) for cause in causes}) > 1 else []


def _shown(rule: Rule, scope: Mapping[str, Facts]) -> set[str]:
    """The facts that the title of a subject tells."""
    for title in rule.here:
        if title.fits(scope) and in_words(title.says, scope, lambda _entry, value, _before: str(value)):
            return title.names
    return set()


def mistitled(rule: Rule) -> Iterator[str]:
    """What a reader would miss in the title: short, with the knob or the object by its name, and its value here."""
    if len(rule.title) > _TITLE:
        yield f"the title has {len(rule.title)} characters, of which {_TITLE} fit beside the values of a machine"
    if not rule.here:
        yield "no 'here': the title with what is set or seen, such as here = \"commit={filesystem.commit_seconds}\""
    asked = {name for ask in rule.asks for name in ask.expression.names}
    own = " ".join(
        (
            rule.id,
            *(ask.expression.text for ask in rule.asks),
            *(catalogue()[name].doc for name in asked),
            *(piece for one in rule.remedy.now for piece in one.pieces if isinstance(piece, str)),
        )
    )
    starts = {word[:_START] for word in _WORD.findall(own.lower())}
    if not any(word[:_START] in starts for word in _WORD.findall(rule.title.lower())):
        yield f"the title '{rule.title}' names nothing that the rule asks or changes"


def _unnoticed(rule: Rule) -> Iterator[str]:
    """Small changes of the questions that would change no example's verdict, with the steps that are missing."""
    equivalent = {each.change for each in rule.equivalents}
    missing = []
    for found in missing_examples(rule):
        change = found.mutant if isinstance(found, Missing) else found
        if change.change not in equivalent:
            yield f"no example notices this change of {change.part}: {change.change}"
            missing.append(found)
    blocks = steps_as_toml(found for found in missing if isinstance(found, Missing))
    if blocks:
        yield f"what would notice, if the verdicts are right:\n\n{blocks}"
    if any(not isinstance(found, Missing) for found in missing):
        yield "for a change that no subject could notice, give [[equivalent]] with its 'change' and a 'reason'"


def _missing(rule: Rule) -> Iterator[str]:
    expected = {example.expect for example in rule.examples}
    wanted: list[tuple[Outcome, ...]] = [(Outcome.ADVISE,), (Outcome.UNDETERMINED,), SILENT]
    if rule.kind != "risk" and rule.own_safety:
        wanted += [(Outcome.BLOCKED,), (Outcome.WITHHELD,)]
    for outcomes in wanted:
        if not expected.intersection(outcomes):
            yield f"no example expects {' or '.join(outcome.value for outcome in outcomes)}"


def failures(rule: Rule) -> Iterator[str]:
    """In words, each example that does not get the verdict that it expects; nothing where all do."""
    for example in rule.examples:
        subject = imagined(rule, example.facts)
        outcome = judge(rule, subject).outcome
        if outcome is not example.expect:
            yield f"example '{example.name}': {outcome.value}, not {example.expect.value}"
        elif outcome is Outcome.ADVISE and (safe := safety_of(rule, subject)) is not example.safe:
            yield f"example '{example.name}': its commands are safe: {safe.value}, not {example.safe.value}"
