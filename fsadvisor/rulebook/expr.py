"""The rule language: Python syntax, a few node kinds, Kleene's three values.

An expression is made of and/or/not, one comparison (== != < <= > >= in, not in), fact names with a dot, and literals:
text, numbers, True and False, and lists of them. It is checked against the catalogue once, when it is compiled; an
answer then costs about a microsecond. There is no way to ask whether a fact is known: then learning a fact could
take back an answer that was given without it.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fsadvisor.facts import FALSE, TRUE, UNKNOWN, Truth, Unknown
from fsadvisor.patterns import did_you_mean, late
from fsadvisor.rulebook.mistakes import RuleTextError
from fsadvisor.storage.catalogue import SCOPES, FactEntry, Kind, catalogue, names_in_scope
from fsadvisor.version import Version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.storage import Facts, Subject

    Scope: TypeAlias = Mapping[str, Facts]
    Answer: TypeAlias = Callable[[Scope], Truth]
    Reader: TypeAlias = Callable[[Scope], Fact[Any]]
    Answered: TypeAlias = list[tuple[Subject, Truth]]
    """Subjects in the order of their ids, each with the answer to all that it was asked, which is no FALSE."""

LONGEST: Final = 500
"""Characters that an expression may have."""

_VERSION: Final = late(r"\d{1,6}(\.\d{1,6}){1,2}", re.ASCII)

_WARNS: Final = late(r"[0-9][A-Za-z_]")
"""Python's parser warns of a number that runs into a word; to keep it from that takes as long as to parse."""

_OPERATORS: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}
_TURNED: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.gt,
    ast.LtE: operator.ge,
    ast.Gt: operator.lt,
    ast.GtE: operator.le,
    ast.In: operator.contains,
    ast.NotIn: lambda right, left: left not in right,
}
"""The same with the right side first, so that a literal there can be filled in once."""
_EQUALITY: Final = (ast.Eq, ast.NotEq)
_ORDER: Final = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_MEMBERSHIP: Final = (ast.In, ast.NotIn)
_NUMBERS: Final = frozenset({Kind.WHOLE, Kind.REAL})
_ORDERED: Final = _NUMBERS | {Kind.VERSION}
_LITERALS: Final[Mapping[Kind, tuple[type, ...]]] = {
    Kind.YES_NO: (bool,),
    Kind.WHOLE: (int, float),
    Kind.REAL: (int, float),
    Kind.TEXT: (str,),
    Kind.TEXTS: (str,),
    Kind.VERSION: (str,),
}


class Expression:
    """A checked expression: its text, the facts that it asks in their order, and how to answer it.

    One of a proven rule is compiled when it is first asked: most rules of a run ask only their first question.
    """

    __slots__ = ("_subject", "evaluate", "names", "readers", "text")
    evaluate: Answer
    names: tuple[str, ...]
    readers: tuple[tuple[str, Reader], ...]

    def __init__(self, text: str, subject: str) -> None:
        self.text = text
        self._subject = subject

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - Python asks this of a slot that is still empty
        """What compiling fills; RuleTextError says what is wrong and where."""
        if name not in ("evaluate", "names", "readers"):
            raise AttributeError(name)
        compiler = _Compiler(self.text, self._subject)
        try:
            self.evaluate = compiler.answer(compiler.tree())
        except RecursionError:
            raise RuleTextError("nested too deeply") from None
        self.names = tuple(dict.fromkeys(compiler.names))
        self.readers = tuple((name, catalogue()[name].reader()) for name in self.names)
        return getattr(self, name)

    def facts(self, scope: Scope) -> dict[str, Fact[Any]]:
        """The facts that it asks of a subject, by name, in their order."""
        return {name: read(scope) for name, read in self.readers}


class AskedTogether:
    """Subjects of one kind that the same expressions are asked of.

    Most facts of a kind are one object for many subjects. Where all share what an expression asks, it is asked once:
    to see that takes a fifth of an answer, and a big machine has a million answers.
    """

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self._subjects = subjects
        self._of_kind: dict[str, list[Facts | None]] = {}
        self._is_shared: dict[str, bool] = {}

    def asked(self, asks: Iterable[Expression], answered: Answered) -> tuple[Answered, list[Subject]]:
        """Kleene's and of what was answered and of further asks, each put to all whom none has ruled out.

        The subjects whom one of them rules out come second, in the order of their ids.
        """
        ruled_out: list[Subject] = []
        for ask in asks:
            if not answered:
                break
            of_all = self._answer_of_all(ask)
            if of_all is TRUE:
                continue
            evaluate, asked, answered = ask.evaluate, answered, []
            if of_all is FALSE:
                ruled_out += [subject for subject, _ in asked]
                break
            for pair in asked:
                answer = evaluate(pair[0].scope)
                if answer is FALSE:
                    ruled_out.append(pair[0])
                else:
                    answered.append(pair if answer is TRUE else (pair[0], UNKNOWN))
        ruled_out.sort(key=operator.attrgetter("id"))
        return answered, ruled_out

    def _answer_of_all(self, ask: Expression) -> Truth | None:
        """None where a fact differs, so that each has to be asked."""
        shared = self._is_shared
        for name in ask.names:
            if not (shared[name] if name in shared else self._compare(name)):
                return None
        return ask.evaluate(self._subjects[0].scope)

    def _compare(self, name: str) -> bool:
        namespace, _, field = name.partition(".")
        if namespace not in self._of_kind:
            self._of_kind[namespace] = [subject.scope.get(namespace) for subject in self._subjects]
        facts, read = self._of_kind[namespace], operator.attrgetter(field)
        same = None not in facts and all(map(operator.is_, map(read, facts), repeat(read(facts[0]))))
        self._is_shared[name] = same
        return same


def compile_expression(text: str, subject: str) -> Expression:
    """Check an expression of a rule on subjects of this kind; RuleTextError says what is wrong and where."""
    expression = Expression(text, subject)
    assert expression.names is not None  # noqa: S101 - compiles it
    return expression


def value_for(entry: FactEntry, literal: object) -> Any:  # noqa: ANN401 - any type of the catalogue
    """The value of a fact that a literal stands for; RuleTextError where the fact can't have it."""
    if isinstance(literal, bool) is not (entry.kind is Kind.YES_NO) or not isinstance(literal, _LITERALS[entry.kind]):
        raise RuleTextError(f"'{entry.name}' is a {entry.kind.value}, not {literal!r}")
    if entry.choices and literal not in entry.choices:
        choices = ", ".join(f"'{choice}'" for choice in entry.choices)
        raise RuleTextError(
            f"{literal!r} is none of the values of '{entry.name}': {choices}"
            + did_you_mean(str(literal), entry.choices)
        )
    if entry.kind is not Kind.VERSION:
        return literal
    if not _VERSION.fullmatch(str(literal)):
        raise RuleTextError(f"{literal!r} is no version such as '4.19'")
    return Version.parse(str(literal))


def entry_for(name: str, subject: str) -> FactEntry:
    """The fact of this name; RuleTextError where there is none or a rule on this subject can't ask it."""
    entry = catalogue().get(name)
    if entry is None:
        raise RuleTextError(f"unknown fact '{name}'{did_you_mean(name, names_in_scope(subject))}")
    if entry.namespace not in SCOPES[subject]:
        scope = ", ".join(SCOPES[subject])
        raise RuleTextError(f"a rule on a {subject} can't ask '{name}', only facts of: {scope}")
    return entry


class _Compiler:
    """One expression on its way from text to a closure; notes the fact names in passing."""

    def __init__(self, text: str, subject: str) -> None:
        self.text = text
        self.subject = subject
        self.names: list[str] = []
        self._stripped = text.strip(" ")
        self._shift = len(text) - len(text.lstrip(" "))

    def tree(self) -> ast.expr:
        if len(self.text) > LONGEST:
            raise RuleTextError(f"longer than {LONGEST} characters")
        for sign in "\n\r\f#\\":
            if sign in self.text:
                raise RuleTextError(f"{sign!r} has no place in an expression", self.text.index(sign))
        try:
            if not _WARNS.search(self._stripped):
                return ast.parse(self._stripped, mode="eval").body
            with warnings.catch_warnings(action="ignore"):
                return ast.parse(self._stripped, mode="eval").body
        except SyntaxError as error:
            column = self._shift + (error.offset - 1 if error.offset else len(self._stripped))
            raise RuleTextError(f"not understood: {error.msg}", column) from None
        except (ValueError, MemoryError) as error:
            raise RuleTextError(f"not understood: {error}") from None

    def answer(self, node: ast.expr) -> Answer:
        match node:
            case ast.BoolOp():
                return _joined(node.op, [self.answer(value) for value in node.values])
            case ast.UnaryOp(op=ast.Not(), operand=ast.Attribute() | ast.Name() as operand):
                return self._yes_or_no(operand, wanted=False)
            case ast.UnaryOp(op=ast.Not()):
                denied = self.answer(node.operand)
                return lambda scope: ~denied(scope)
            case ast.Compare():
                return self._comparison(node)
            case ast.Attribute() | ast.Name():
                return self._yes_or_no(node, wanted=True)
        raise self._refused(node, "not part of the rule language: use facts, literals, comparisons, and, or, not")

    def _yes_or_no(self, node: ast.expr, *, wanted: bool) -> Answer:
        entry = self._fact(node)
        if entry.kind is not Kind.YES_NO:
            raise self._refused(node, f"'{entry.name}' is a {entry.kind.value}: compare it with something")
        return _asked(entry, partial(operator.is_, wanted))

    def _comparison(self, node: ast.Compare) -> Answer:
        if len(node.ops) != 1:
            raise self._refused(node, "one comparison at a time: join two with 'and'")
        sign, left, right = node.ops[0], node.left, node.comparators[0]
        test = _OPERATORS.get(type(sign))
        if test is None:
            raise self._refused(node, "'is' is not part of the rule language: use ==")
        if not _names_a_fact(left):
            return self._literal_in_fact(sign, test, left, right)
        entry = self._fact(left)
        if _names_a_fact(right):
            return self._two_facts(sign, test, entry, right)
        literal = self._operand(sign, entry, right)
        return _asked(entry, partial(_TURNED[type(sign)], literal))

    def _literal_in_fact(
        self, sign: ast.cmpop, test: Callable[[Any, Any], bool], left: ast.expr, right: ast.expr
    ) -> Answer:
        if not (isinstance(sign, _MEMBERSHIP) and _names_a_fact(right)):
            raise self._refused(left, "a comparison starts with a fact")
        entry = self._fact(right)
        if entry.kind is not Kind.TEXTS:
            raise self._refused(right, f"'{entry.name}' is a {entry.kind.value}, not a list")
        literal = self._literal(left, entry)
        return _asked(entry, partial(test, literal))

    def _two_facts(
        self, sign: ast.cmpop, test: Callable[[Any, Any], bool], entry: FactEntry, right: ast.expr
    ) -> Answer:
        other = self._fact(right)
        if isinstance(sign, _MEMBERSHIP):
            fits = entry.kind is Kind.TEXT and other.kind is Kind.TEXTS
        else:
            fits = _comparable(entry.kind, other.kind) and (isinstance(sign, _EQUALITY) or entry.kind in _ORDERED)
        if not fits:
            kinds = f"'{entry.name}' ({entry.kind.value}), '{other.name}' ({other.kind.value})"
            raise self._refused(right, f"two facts that can't be compared so: {kinds}")
        read_left, read_right = entry.reader(), other.reader()

        def answer(scope: Scope) -> Truth:
            left, right = read_left(scope), read_right(scope)
            if type(left) is Unknown or type(right) is Unknown:
                return UNKNOWN
            return TRUE if test(left.value, right.value) else FALSE

        return answer

    def _operand(self, sign: ast.cmpop, entry: FactEntry, node: ast.expr) -> Any:  # noqa: ANN401 - any literal
        """The literal on the right side of a comparison with a fact."""
        if isinstance(sign, _ORDER):
            if entry.kind not in _ORDERED:
                raise self._refused(node, f"'{entry.name}' is a {entry.kind.value}, which has no order")
            if entry.kind is Kind.VERSION and isinstance(sign, (ast.LtE, ast.Gt)):
                raise self._refused(node, "compare a version by < or >=")
            return self._literal(node, entry)
        if entry.kind is Kind.VERSION:
            raise self._refused(node, "compare a version by < or >=: '5.10' equals 5.10.0 only")
        listed = isinstance(node, ast.List)
        if listed is not (isinstance(sign, _MEMBERSHIP) or entry.kind is Kind.TEXTS):
            raise self._refused(node, "'in' needs a list" if not listed else f"'{entry.name}' is no list: use 'in'")
        if isinstance(sign, _MEMBERSHIP) and entry.kind is Kind.TEXTS:
            raise self._refused(node, f"'{entry.name}' is a list: ask whether a text is in it")
        if isinstance(node, ast.List):
            if not node.elts and isinstance(sign, _MEMBERSHIP):
                raise self._refused(node, "nothing is in an empty list")
            return tuple(self._literal(item, entry) for item in node.elts)
        return self._literal(node, entry)

    def _literal(self, node: ast.expr, entry: FactEntry) -> Any:  # noqa: ANN401 - any literal
        value: object = _NO_LITERAL
        if isinstance(node, ast.Constant):
            value = node.value
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            number = node.operand.value
            value = -number if isinstance(number, (int, float)) and not isinstance(number, bool) else _NO_LITERAL
        if not isinstance(value, (int, float, str)):
            raise self._refused(node, f"a literal is needed here: '{entry.name}' is a {entry.kind.value}")
        try:
            return value_for(entry, value)
        except RuleTextError as error:
            raise self._refused(node, error.message) from None

    def _fact(self, node: ast.expr) -> FactEntry:
        name = _name(node)
        try:
            entry = entry_for(name, self.subject)
        except RuleTextError as error:
            raise self._refused(node, error.message) from None
        self.names.append(name)
        return entry

    def _refused(self, node: ast.expr, message: str) -> RuleTextError:
        before = self._stripped.encode()[: node.col_offset]
        return RuleTextError(message, self._shift + len(before.decode()))


_NO_LITERAL: Final = object()


def _name(node: ast.expr) -> str:
    """The text of a name with dots (ast.unparse takes as long as all the rest)."""
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return f"{_name(node.value)}.{node.attr}"
    return ast.unparse(node)


def _names_a_fact(node: ast.expr) -> bool:
    return isinstance(node, (ast.Attribute, ast.Name))


def _comparable(one: Kind, two: Kind) -> bool:
    return one is two or {one, two} == _NUMBERS


def _joined(sign: ast.boolop, parts: Sequence[Answer]) -> Answer:
    """Kleene's and, which one FALSE decides, or Kleene's or, which one TRUE does; asked in one call with its parts."""
    deciding, of_none = (FALSE, TRUE) if isinstance(sign, ast.And) else (TRUE, FALSE)

    def answer(scope: Scope) -> Truth:
        result = of_none
        for part in parts:
            truth = part(scope)
            if truth is deciding:
                return truth
            if truth is UNKNOWN:
                result = truth
        return result

    return answer


def _asked(entry: FactEntry, test: Callable[[Any], bool]) -> Answer:
    """What Entry.reader reads, tested; a big machine asks this a million times, so it takes one call of Python."""
    namespace, _, field = entry.name.partition(".")
    read = operator.attrgetter(field)

    def answer(scope: Scope) -> Truth:
        try:
            fact = read(scope[namespace])
        except KeyError:
            return UNKNOWN
        if type(fact) is Unknown:  # a third of isinstance
            return UNKNOWN
        return TRUE if test(fact.value) else FALSE

    return answer
