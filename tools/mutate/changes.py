"""Small changes of a module's syntax tree: the operators of mutation testing, each at every place that it fits.

Words for people are left alone: only texts without a blank are changed, which are the words that decide.
"""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType

_COMPARISONS: Final[dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
}
_ARITHMETIC: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_CALLS: Final = {
    "any": "all",
    "all": "any",
    "min": "max",
    "max": "min",
    "startswith": "endswith",
    "endswith": "startswith",
    "isdisjoint": "issuperset",
    "partition": "rpartition",
    "rpartition": "partition",
    "fullmatch": "match",
    "removeprefix": "removesuffix",
}
_PASSED_OVER: Final = (ast.Import, ast.ImportFrom, ast.JoinedStr, ast.Raise, ast.Assert)


class Change(NamedTuple):
    """One change: the function or name that it is in, and what becomes of what; `code` is the module with it."""

    where: str
    line: int
    text: str
    code: CodeType
    statement: ast.stmt | None
    """The statement of the module itself that is changed; None for a change in a function."""

    @property
    def name(self) -> str:
        """How targets.toml names it."""
        return f"{self.where}: {self.text}"


def changes(source: str, file: str) -> Iterator[Change]:
    """Every small change of a module."""
    tree = ast.parse(source)
    seen: Counter[tuple[str, str]] = Counter()
    for place in _places(tree, "", None):
        node = place.get()
        for new in _variants(node):
            text = f"{_short(node)} -> {_short(new)}"
            seen[place.where, text] += 1
            nth = seen[place.where, text]
            place.put(ast.fix_missing_locations(ast.copy_location(new, node)))
            try:
                code = compile(tree, file, "exec")
            except SyntaxError:
                continue
            finally:
                place.put(node)
            statement = place.top
            if statement is not None:
                place.put(ast.fix_missing_locations(new))
                statement = ast.parse(ast.unparse(statement)).body[0]
                place.put(node)
            yield Change(place.where, node.lineno, text if nth == 1 else f"{text} #{nth}", code, statement)


class _Place(NamedTuple):
    """Where a node hangs: an attribute of its parent, or an entry of such a list."""

    parent: ast.AST
    field: str
    at: int | None
    where: str
    top: ast.stmt | None

    def get(self) -> ast.expr | ast.stmt:
        """The node."""
        held = getattr(self.parent, self.field)
        found: ast.expr | ast.stmt = held if self.at is None else held[self.at]
        return found

    def put(self, node: ast.AST) -> None:
        """Another in its stead."""
        if self.at is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.at] = node


def _places(parent: ast.AST, where: str, top: ast.stmt | None) -> Iterator[_Place]:
    """All that may be changed: statements and expressions of functions, and values of the module's names."""
    for field, held in ast.iter_fields(parent):
        if field in ("annotation", "returns", "decorator_list", "args", "bases") and not isinstance(parent, ast.Call):
            continue
        for index, node in enumerate(held) if isinstance(held, list) else [(None, held)]:
            if not isinstance(node, ast.AST) or isinstance(node, _PASSED_OVER):
                continue
            inner, at_top = where, top
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = f"{where}.{node.name}" if where else node.name
            elif isinstance(parent, ast.Module):
                if not isinstance(node, ast.Assign | ast.AnnAssign) or _is_alias(node):
                    continue
                inner, at_top = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target), node
            elif isinstance(parent, ast.ClassDef):
                continue  # a class is made once: its fields can't be changed below living objects
            if isinstance(node, ast.expr | ast.stmt) and not isinstance(parent, ast.Module | ast.ClassDef):
                yield _Place(parent, field, index, inner, at_top)
            yield from _places(node, inner, at_top)


def _is_alias(node: ast.Assign | ast.AnnAssign) -> bool:
    return isinstance(node, ast.AnnAssign) and "TypeAlias" in ast.unparse(node.annotation)


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 100 else f"{text[:60]} … {text[-38:]}"


def _variants(node: ast.expr | ast.stmt) -> Iterator[ast.expr | ast.stmt]:  # noqa: C901 - one table of cases
    match node:
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            for index in range(len(values)):
                rest = [*values[:index], *values[index + 1 :]]
                yield rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            yield operand
        case ast.Compare(left=left, ops=[sign], comparators=others):
            yield from (ast.Compare(left, [other()], others) for other in _COMPARISONS[type(sign)])
        case ast.Compare(left=left, ops=[one, two], comparators=others):
            yield from (ast.Compare(left, [other(), two], others) for other in _COMPARISONS[type(one)])
            yield from (ast.Compare(left, [one, other()], others) for other in _COMPARISONS[type(two)])
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            yield ast.BinOp(left, _ARITHMETIC[type(op)](), right)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in _CALLS:
            yield ast.Call(ast.Name(_CALLS[name], ast.Load()), args, keywords)
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=args, keywords=keywords) if name in _CALLS:
            yield ast.Call(ast.Attribute(value, _CALLS[name], ast.Load()), args, keywords)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            yield from _without_conditions(node)
        case ast.Constant(value=value):
            yield from (ast.Constant(other) for other in _constants(value))
        case ast.List(elts=values) | ast.Set(elts=values) | ast.Tuple(elts=values) if _is_listing(node, values):
            for index in range(len(values)):
                rest = [*values[:index], *values[index + 1 :]]
                yield ast.Set(rest) if isinstance(node, ast.Set) else type(node)(rest, ast.Load())
        case ast.Dict(keys=keys, values=values) if len(keys) > 1:
            for index in range(len(keys)):
                yield ast.Dict([*keys[:index], *keys[index + 1 :]], [*values[:index], *values[index + 1 :]])
        case ast.If(test=test, body=body, orelse=orelse):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Expr(value=value) if not isinstance(value, ast.Constant):
            yield ast.Pass()
        case ast.AugAssign():
            yield ast.Pass()
        case ast.Continue():
            yield ast.Break()
        case ast.Break():
            yield ast.Continue()
        case ast.Return(value=value) if value is not None and not (isinstance(value, ast.Constant)):
            yield ast.Return(ast.Constant(None))
        case ast.Match(subject=subject, cases=cases) if len(cases) > 1:
            for index in range(len(cases)):
                yield ast.Match(subject, [*cases[:index], *cases[index + 1 :]])


def _without_conditions(node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Iterator[ast.expr]:
    """The same with one condition less."""
    for at, loop in enumerate(node.generators):
        for index in range(len(loop.ifs)):
            ifs = [*loop.ifs[:index], *loop.ifs[index + 1 :]]
            less = ast.comprehension(loop.target, loop.iter, ifs, loop.is_async)
            fields = {name: held for name, held in ast.iter_fields(node) if name != "generators"}
            yield type(node)(**fields, generators=[*node.generators[:at], less, *node.generators[at + 1 :]])


def _constants(value: object) -> Iterator[bool | float | str]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + 1
        if value:
            yield value - 1
    elif isinstance(value, str) and " " not in value.strip(" "):
        yield f"{value}~"


def _is_listing(node: ast.AST, values: list[ast.expr]) -> bool:
    """Whether it lists words or numbers, of which one may be missing."""
    loads = isinstance(node, ast.Set) or isinstance(getattr(node, "ctx", None), ast.Load)
    words = [it.value for it in values if isinstance(it, ast.Constant) and isinstance(it.value, str)]
    simple = all(isinstance(it, ast.Constant | ast.Name | ast.Attribute) for it in values)
    return loads and len(values) > 1 and simple and not any(" " in word for word in words)
