"""Small changes to a rule's questions, to see whether its examples notice: an example is missing for what survives.

A change leaves out a question, a term, a value of a list or a `not`, denies a question, swaps `and` and `or`, moves a
boundary onto its neighbour or a threshold by a fifth or a thousandfold, holds a term at yes or at no, or forgets a
fact. That examples notice a term that is held is what avionics calls masking MC/DC: for each term two examples differ
in it, and it alone decides both (DO-178C; Chilenski, DOT/FAA/AR-01/18, 2001).
The idea is DeMillo's, Lipton's and Sayward's (Hints on test data selection, 1978).
"""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.rulebook import gate
from fsadvisor.rulebook.advise import judge, safety_of
from fsadvisor.rulebook.expr import compile_expression
from fsadvisor.rulebook.mistakes import RuleTextError
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.storage import Subject
from fsadvisor.storage.catalogue import NAMESPACES, SCOPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fsadvisor.facts import Truth
    from fsadvisor.rulebook.rule import Ask, Part, Rule
    from fsadvisor.storage import Facts

NOT_NAMED: Final = Unknown(Cause.NOT_EXPOSED, "the example does not name it")


def imagined(rule: Rule, facts: Mapping[str, Any]) -> Subject:
    """A subject of the rule's kind on which exactly these facts are known, by name, and that nothing is sick.

    The health gate is proven once for all rules: their examples need not name it, but may.
    """
    facts = {**gate.OPEN, **facts}
    scope = {
        namespace: _with_values(
            namespace,
            {name.partition(".")[2]: value for name, value in facts.items() if name.startswith(f"{namespace}.")},
        )
        for namespace in SCOPES[rule.subject]
    }
    return Subject(id=f"{rule.subject}:example", kind=_kind(rule), name="example", below=(), scope=scope)


def _kind(rule: Rule) -> Any:  # noqa: ANN401 - the literal type of Subject.kind, which a rule's text was checked for
    return rule.subject


def _with_values(namespace: str, values: Mapping[str, Any]) -> Facts:
    facts: dict[str, Any] = {**_nothing_known(namespace)}
    facts.update((field, Known(value, "the example")) for field, value in values.items())
    return NAMESPACES[namespace](**facts)


@cache
def _nothing_known(namespace: str) -> Mapping[str, Unknown]:
    return dict.fromkeys(NAMESPACES[namespace].__struct_fields__, NOT_NAMED)


PARTS: Final[tuple[Part, ...]] = ("applies", "checks", "safety")

_NEIGHBOURS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
_OPPOSITES: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_FACTORS: Final = (0.8, 1.25, 0.001, 1000)
_VERSION: Final = re.compile(r"(\d+)\.(\d+)((?:\.\d+)?)")


class Mutant(Struct, frozen=True):
    """A rule with one change; `change` says it in words, `kind` is its sort of change."""

    part: Part
    kind: str
    change: str
    rule: Rule
    forgotten: str = ""
    """The fact that no example knows, of a rule that is not changed else."""


def mutants(rule: Rule) -> Iterator[Mutant]:
    """All small changes of the questions that stand in the rule's own file, in their order."""
    for part in PARTS:
        asks: tuple[Ask, ...] = getattr(rule, part)
        for index, ask in enumerate(rule.own_safety if part == "safety" else asks):
            for kind, change, text in _changes(ask.expression.text):
                changed = _compiled(ask, text, rule.subject)
                if changed is not None:
                    others: dict[str, Any] = {part: (*asks[:index], *changed, *asks[index + 1 :])}
                    yield Mutant(part, kind, change, replace(rule, **others))
            for name in ask.expression.names:
                yield Mutant(part, "forget", f"forget {name}", rule, name)


def has_bound(text: str) -> bool:
    """Whether an expression compares with a number or a version that somebody chose."""
    literals = (node.value for node in ast.walk(ast.parse(text.strip())) if isinstance(node, ast.Constant))
    return any(_VERSION.fullmatch(it) if isinstance(it, str) else it not in (True, False) for it in literals)


def survivors(rule: Rule) -> Iterator[Mutant]:
    """The changes that none of the rule's examples notices."""
    subjects = [imagined(rule, example.facts) for example in rule.examples]
    known = [
        (example.facts, subject, expected(rule, subject))
        for example, subject in zip(rule.examples, subjects, strict=True)
    ]
    for mutant in mutants(rule):
        if not any(
            expected(mutant.rule, _as_known(mutant, facts, subject)) != verdict for facts, subject, verdict in known
        ):
            yield mutant


def notices(mutant: Mutant, rule: Rule, facts: Mapping[str, Any]) -> bool:
    """Whether a subject with these facts gets another verdict of the changed rule."""
    subject = imagined(rule, facts)
    return expected(mutant.rule, _as_known(mutant, facts, subject)) != expected(rule, subject)


def _as_known(mutant: Mutant, facts: Mapping[str, Any], subject: Subject) -> Subject:
    """The subject as the changed rule sees it: without the fact that the change forgets."""
    if mutant.forgotten not in facts:
        return subject
    return imagined(mutant.rule, {name: value for name, value in facts.items() if name != mutant.forgotten})


def expected(rule: Rule, subject: Subject) -> tuple[Outcome, Truth | None]:
    """The verdict, and where something is advised whether its commands are safe."""
    outcome = judge(rule, subject).outcome
    return outcome, safety_of(rule, subject) if outcome is Outcome.ADVISE else None


def _compiled(ask: Ask, text: str | None, subject: str) -> tuple[Ask, ...] | None:
    """The changed question; () where it is left out, None where the change makes no sense."""
    if text is None:
        return ()
    try:
        return (replace(ask, expression=compile_expression(text, subject)),)
    except RuleTextError:
        return None


def _changes(text: str) -> Iterator[tuple[str, str, str | None]]:
    """(kind, change in words, changed expression) of one question; None for the expression that is left out."""
    tree = ast.parse(text.strip(), mode="eval").body
    yield "drop question", f"leave out: {text}", None
    yield "deny question", f"deny: {text}", f"not ({text})"
    for kind, changed in _variants(tree):
        new = ast.unparse(changed)
        yield kind, f"{new}", new


def _variants(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if not isinstance(node, ast.BoolOp | ast.UnaryOp):
        denied = ast.UnaryOp(ast.Not(), node)
        yield "hold at yes", ast.BoolOp(ast.Or(), [node, denied])
        yield "hold at no", ast.BoolOp(ast.And(), [node, denied])
    match node:
        case ast.BoolOp(op=op, values=values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield "and/or", ast.BoolOp(other, values)
            for index, value in enumerate(values):
                rest = [*values[:index], *values[index + 1 :]]
                yield "drop term", rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)
                for kind, changed in _variants(value):
                    yield kind, ast.BoolOp(op, [*values[:index], changed, *values[index + 1 :]])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "drop not", operand
            for kind, changed in _variants(operand):
                yield kind, ast.UnaryOp(ast.Not(), changed)
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            yield "opposite", ast.Compare(left, [_OPPOSITES[type(sign)]()], [right])
            if type(sign) in _NEIGHBOURS:
                yield "boundary", ast.Compare(left, [_NEIGHBOURS[type(sign)]()], [right])
            for kind, changed in _literals(right):
                yield kind, ast.Compare(left, [sign], [changed])


def _literals(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Changed values on the right side of a comparison."""
    match node:
        case ast.List(elts=values) if len(values) > 1:
            for index in range(len(values)):
                yield "drop value", ast.List([*values[:index], *values[index + 1 :]])
        case ast.Constant(value=bool()):
            return
        case ast.Constant(value=int() | float() as number) if number:
            for factor in _FACTORS:
                moved = number * factor
                kind = "unit" if factor in (0.001, 1000) else "threshold"
                yield kind, ast.Constant(_moved(number, moved))
        case ast.Constant(value=str() as text) if version := _VERSION.fullmatch(text):
            major, minor, rest = int(version[1]), int(version[2]), version[3]
            for moved_minor in (minor - 1, minor + 1):
                if moved_minor >= 0:
                    yield "threshold", ast.Constant(f"{major}.{moved_minor}{rest}")


def _moved(number: float, moved: float) -> float:
    """A whole number stays one, and is never left where it was."""
    if isinstance(number, float):
        return moved
    whole = round(moved)
    return whole if whole != number else number + (1 if moved > number else -1)
