"""`python -m tools.house [DIR]`: files, lines, layers and circles of a checkout, beside those of another one."""

from __future__ import annotations

import argparse
import ast
import io
import tokenize
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

Graph = dict[str, set[str]]
"""What each module imports of the same package."""


@dataclass(frozen=True)
class Lines:
    """The lines of a file by what stands on them; `code` counts imports too."""

    all: int
    code: int
    imports: int
    docstrings: int
    comments: int
    blank: int


@dataclass(frozen=True)
class House:
    """A package's modules by their dotted names, each with its text."""

    modules: Mapping[str, str]

    @classmethod
    def of(cls, checkout: Path, package: str = "fsadvisor") -> House:
        """The package as it stands in a checkout."""
        paths = sorted((checkout / package).rglob("*.py"))
        return cls({_dotted(path.relative_to(checkout)): path.read_text() for path in paths})

    def imports(self) -> Graph:
        """Which modules each imports, those for the type checker alone included."""
        return {name: set(_imported(name, ast.parse(text), self.modules)) for name, text in self.modules.items()}


def _dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _imported(name: str, tree: ast.Module, modules: Mapping[str, str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            targets = [one if one in modules else node.module for one in inner]
        else:
            continue
        yield from (one for one in targets if one in modules and one != name)


def lines(text: str) -> Lines:
    """What stands on the lines of a module."""
    tree, rows = ast.parse(text), text.splitlines()
    docstrings = {
        row
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for row in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    imports = {
        row
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for row in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    blank = {row for row, line in enumerate(rows, 1) if not line.strip()} - docstrings
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = {one.start[0] for one in tokens if one.type == tokenize.COMMENT and one.line.strip().startswith("#")}
    code = len(rows) - len(docstrings) - len(blank) - len(comments)
    return Lines(len(rows), code, len(imports), len(docstrings), len(comments), len(blank))


def by_package(graph: Graph) -> Graph:
    """The imports between the packages and modules right below the root."""
    found: Graph = defaultdict(set)
    for name, imported in graph.items():
        found[_part(name)] |= {_part(one) for one in imported} - {_part(name)}
    return dict(found)


def _part(module: str) -> str:
    return ".".join(module.split(".")[:2])


def circles(graph: Graph) -> list[list[str]]:
    """Groups of modules that reach each other by imports (Tarjan's strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in sorted(graph.get(name, ())):
            if other not in index:
                visit(other)
            if other in stack:
                low[name] = min(low[name], low[other])
        if low[name] == index[name]:
            at = stack.index(name)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for name in sorted(graph):
        if name not in index:
            visit(name)
    return found


def layers(graph: Graph) -> list[list[str]]:
    """What imports nothing, what imports only that, and so on; members of a circle are left out."""
    within = {name for circle in circles(graph) for name in circle}
    left = {name: imported - within - {name} for name, imported in graph.items() if name not in within}
    found: list[list[str]] = []
    while left:
        found.append(sorted(name for name, imported in left.items() if not imported & left.keys()))
        left = {name: imported for name, imported in left.items() if name not in found[-1]}
    return found


def shared_class_names(house: House) -> dict[str, list[str]]:
    """Names of classes that stand in several modules, each with these modules."""
    found: dict[str, list[str]] = defaultdict(list)
    for module, text in house.modules.items():
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(module)
    return {name: modules for name, modules in sorted(found.items()) if len(modules) > 1}


def shared_in_one_package(house: House) -> dict[str, list[str]]:
    """Names of classes that stand for several things in one package."""
    return _shared_within(house, _part)


def shared_in_one_layer(house: House) -> dict[str, list[str]]:
    """Names of classes that stand for several things in one layer, packages and modules of a circle left out."""
    numbered = enumerate(layers(by_package(house.imports())))
    layer = {part: number for number, parts in numbered for part in parts}
    return _shared_within(house, lambda module: layer.get(_part(module), module))


def _shared_within(house: House, part: Callable[[str], str | int]) -> dict[str, list[str]]:
    found = {}
    for name, modules in shared_class_names(house).items():
        times = Counter(map(part, modules))
        found[name] = [module for module in modules if times[part(module)] > 1]
    return {name: modules for name, modules in found.items() if modules}


_SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda),
    *(ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp),
)


def long_lived(text: str, names: Iterable[str], most: int = 3) -> list[tuple[int, str]]:
    """Which of these names stand for a value on more than so many lines of a function: (first line, name)."""
    found: list[tuple[int, str]] = []

    def visit(node: ast.AST, scopes: list[dict[str, list[int]]]) -> None:
        if isinstance(node, _SCOPES):
            scopes = [*scopes, {name: [] for name in _bound(node) & frozenset(names)}]
        if name := _name(node):
            lines_of = next((scope[name] for scope in reversed(scopes) if name in scope), [])
            lines_of.append(getattr(node, "lineno", 0))
        for child in ast.iter_child_nodes(node):
            visit(child, scopes)
        if isinstance(node, _SCOPES):
            found.extend((min(of), name) for name, of in scopes[-1].items() if max(of) - min(of) >= most)

    visit(ast.parse(text), [])
    return sorted(found)


def _bound(scope: ast.AST) -> frozenset[str]:
    """The names that get a value in a function or comprehension itself."""
    names, waiting = set(), list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)):
            names.add(_name(node))
        if not isinstance(node, _SCOPES):
            waiting += ast.iter_child_nodes(node)
    return frozenset(names)


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.arg if isinstance(node, ast.arg) else ""


def table(house: House) -> dict[str, str]:
    """What is counted, each by its name."""
    each = {name: lines(text) for name, text in house.modules.items()}
    graph = house.imports()
    packages = by_package({name: imported for name, imported in graph.items() if name.count(".")})
    longest = max(each, key=lambda name: each[name].all)
    return {
        "files": f"{len(each):,}",
        "lines": f"{sum(one.all for one in each.values()):,}",
        "  of code": f"{sum(one.code - one.imports for one in each.values()):,}",
        "  of imports": f"{sum(one.imports for one in each.values()):,}",
        "  of docstrings": f"{sum(one.docstrings for one in each.values()):,}",
        "  of comments": f"{sum(one.comments for one in each.values()):,}",
        "  blank": f"{sum(one.blank for one in each.values()):,}",
        "longest file": f"{each[longest].all} {longest.removeprefix('fsadvisor.')}",
        "files above 400 lines": str(sum(one.all > 400 for one in each.values())),
        "packages and top modules": str(len(packages)),
        "imports between these": str(sum(map(len, packages.values()))),
        "layers of these": str(len(layers(packages))),
        "circles of modules": str(len(circles(graph))),
        "circles of packages": str(len(circles(packages))),
        "class names of several modules": str(len(shared_class_names(house))),
        "  within one package": str(len(shared_in_one_package(house))),
        "  within one layer": str(len(shared_in_one_layer(house))),
    }


def _rows(columns: list[dict[str, str]]) -> Iterable[str]:
    for name in columns[0]:
        yield f"{name:32}" + "".join(f"{column[name]:>28}" for column in columns)


def main(arguments: list[str] | None = None) -> int:
    """Prints the table; with --names the circles, layers and shared names too."""
    parser = argparse.ArgumentParser(prog="python -m tools.house", description=__doc__)
    parser.add_argument("directory", nargs="?", type=Path, default=Path(), metavar="DIR")
    parser.add_argument("--against", type=Path, metavar="DIR", help="an earlier checkout, shown in the first column")
    parser.add_argument("--names", action="store_true", help="circles, layers and shared class names too")
    options = parser.parse_args(arguments)
    house = House.of(options.directory)
    earlier = [table(House.of(options.against))] if options.against else []
    print("\n".join(_rows([*earlier, table(house)])))
    if options.names:
        graph = house.imports()
        for circle in circles(graph):
            print("circle:", " ".join(circle))
        for number, layer in enumerate(layers(by_package(graph)), 1):
            print(f"layer {number}:", " ".join(layer))
        for name, modules in shared_class_names(house).items():
            print(f"{name}:", " ".join(modules))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
