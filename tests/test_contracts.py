"""What touches the system is what the contract says: calls that open, make or remove, and the packages that may."""

import ast
import graphlib
import importlib
import re
import tomllib

from tests.paths import ROOT

PACKAGE = ROOT / "fsadvisor"
TOUCHING = {"machine", "measure", "__main__", "cli", "inputs"}
"""machine looks, and writes what people asked for; measure measures."""
CALCULATING = {"forecast", "now", "waits"}
"""What of measure only calculates."""

CALLS = {"mkdir", "rmdir", "unlink", "write_text", "write_bytes", "symlink_to", "hardlink_to", "touch", "chmod"}
OS_CALLS = {"open", "mkdir", "makedirs", "remove", "unlink", "rmdir", "rename", "replace", "link", "symlink", "chmod"}
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
MODULES = sorted(PACKAGE.rglob("*.py"))


def part(path):
    """The package or top module that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


MAY_TOUCH = re.compile(rf"\bopen\(|\.(?:{'|'.join(CALLS)})\(|\bos\.(?:{'|'.join(OS_CALLS)})\(")
"""In the text of a module that has such a call, as ruff formats it."""


def touches(tree):
    """Each call in a module that changes files, or opens them past Python's own file objects."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of_os = isinstance(node.func.value, ast.Name) and node.func.value.id == "os"
            if node.func.attr in (OS_CALLS if of_os else CALLS):
                yield f"line {node.lineno}: {ast.unparse(node.func)}"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open":
            mode = next((one.value for one in node.args[1:2] if isinstance(one, ast.Constant)), "r")
            if set(str(mode)) & set("wax+"):
                yield f"line {node.lineno}: open(…, {mode!r})"


def test_only_what_may_touch_the_system_does():
    calculating = [PACKAGE / "measure" / name for name in CALCULATING]
    others = [path for path in MODULES if part(path) not in TOUCHING or set(path.parents) & set(calculating)]
    texts = {str(path.relative_to(ROOT)): path.read_text() for path in others}
    found = {path: list(touches(ast.parse(text))) for path, text in texts.items() if MAY_TOUCH.search(text)}
    assert {path: calls for path, calls in found.items() if calls} == {}


def test_a_touch_is_found_where_there_is_one():
    code = "import os\nos.open('x', 0)\nPath('x').write_text('y')\nopen('x', 'w')\nopen('x')\nos.path.join('a')\n"
    assert len(list(touches(ast.parse(code)))) == 3


def test_every_package_is_named_by_the_contract_on_touching_or_may_touch():
    named = {one.removeprefix("fsadvisor.") for one in CONTRACTS[0]["source_modules"]}
    there = {part(path) for path in MODULES} - {"__init__"}
    assert there - named - TOUCHING == set()
    assert {f"measure.{name}" for name in CALCULATING} <= named


def test_the_architecture_names_every_package():
    rows = [
        line.split("|")[1] for line in (ROOT / "docs/architecture.md").read_text().splitlines() if line[:3] == "| `"
    ]
    told = {name.strip(" `") for row in rows for name in row.split(",")}
    assert {part(path) for path in MODULES} - {"__init__", "__main__"} == told


def test_the_journeys_of_the_architecture_have_eight_hops_at_most_by_names_that_are_there():
    journeys = (ROOT / "docs/architecture.md").read_text().partition("## Two journeys")[2].split("**")[2::2]
    assert [journey.count("→") <= 8 for journey in journeys] == [True, True]
    for name in re.findall(r"`([a-z_.]+\.\w+)`", " ".join(journeys)):
        module, _, member = name.rpartition(".")
        assert hasattr(importlib.import_module(f"fsadvisor.{module}"), member), name


AT_TOP = re.compile(r"^(?:def |class )?((?:\w+ = )*\w+)(?= ?[=:(])", re.MULTILINE)
"""Names that a line at the top of a module may bind, as ruff formats it."""


def bound_twice(text):
    """Names that a module gives to two things at its top: the second wins, also for what was written for the first."""
    names = [name for found in AT_TOP.findall(text) for name in found.split(" = ")]
    if len(set(names)) == len(names):
        return set()
    bound = []
    for node in ast.parse(text).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        bound += [target.id for target in targets if isinstance(target, ast.Name)]
        bound += [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []
    return {name for name in bound if bound.count(name) > 1}


def test_no_module_gives_one_name_to_two_things():
    twice = {f"{path.relative_to(ROOT)}: {name}" for path in MODULES for name in bound_twice(path.read_text())}
    assert twice == set()


def test_a_name_of_two_things_is_found():
    assert bound_twice("A = 1\nB: int = 2\ndef C(): ...\nA = 3\nB = 4\nclass C: ...\nD = 5") == {"A", "B", "C"}
    assert bound_twice("A = B = 1\nB: int = 2\nC = 3") == {"B"}


def name_of(path):
    """'fsadvisor.survey.disks' of its file."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


IMPORT = re.compile(r"^ *((?:from [\w.]+ )?import (?:\([^)]*\)|.+))", re.MULTILINE)
"""An import wherever it stands in a module, as ruff formats it."""


def imported(text, modules):
    """The modules that one names in its imports, those for type-checking and those inside functions too."""
    for node in ast.parse("\n".join(IMPORT.findall(text))).body:
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name in modules)
        elif node.module in modules:
            inside = (f"{node.module}.{one.name}" for one in node.names)
            yield from (name if name in modules else node.module for name in inside)


def circle(sources):
    """The modules of a circle in `sources`, texts by the names of their modules; [] where there is none."""
    found = {name: set(imported(text, sources)) - {name} for name, text in sources.items()}
    try:
        graphlib.TopologicalSorter(found).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


def test_no_module_imports_itself_by_a_detour_not_even_for_its_types():
    assert circle({name_of(path): path.read_text() for path in MODULES}) == []


def test_a_circle_for_types_alone_is_found():
    one = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a.two import Two\n"
    two = "def late():\n    from a import one\n"
    assert set(circle({"a": "", "a.one": one, "a.two": two})) == {"a.one", "a.two"}
    assert circle({"a": "", "a.one": one, "a.two": "import json\n"}) == []
