"""`make mutate`: what it changes, that a change is in force, and that its list names what is there."""

import importlib.util
import tomllib
from types import ModuleType

from tests.paths import ROOT
from tools.mutate.changes import changes
from tools.mutate.living import Living

TARGETS = tomllib.loads((ROOT / "tools/mutate/targets.toml").read_text())["target"]
SOURCE = """
KNOWN = ("a", "b")
ALL = frozenset(KNOWN)

def known(word, most=3):
    return word in ALL and len(word) < most
"""


def made(tmp_path):
    file = tmp_path / "made.py"
    file.write_text(SOURCE)
    module = ModuleType("made")
    module.__file__ = str(file)
    exec(compile(SOURCE, str(file), "exec"), vars(module))
    return module


def test_each_module_and_test_of_the_list_is_there_and_each_reason_is_of_a_module_beside_it():
    for target in TARGETS:
        for module in target["modules"]:
            assert importlib.util.find_spec(f"fsadvisor.{module}"), module
        for test in target["tests"]:
            assert (ROOT / test).exists(), test
        for module, reasons in target.get("equivalent", {}).items():
            assert module in target["modules"]
            assert all(reasons.values())


def test_each_operator_is_tried_at_each_place():
    assert [it.name for it in changes(SOURCE, "made.py")] == [
        "KNOWN: ('a', 'b') -> ('b',)",
        "KNOWN: ('a', 'b') -> ('a',)",
        "KNOWN: 'a' -> 'a~'",
        "KNOWN: 'b' -> 'b~'",
        "known: return word in ALL and len(word) < most -> return None",
        "known: word in ALL and len(word) < most -> word in ALL or len(word) < most",
        "known: word in ALL and len(word) < most -> len(word) < most",
        "known: word in ALL and len(word) < most -> word in ALL",
        "known: word in ALL -> word not in ALL",
        "known: len(word) < most -> len(word) <= most",
        "known: len(word) < most -> len(word) >= most",
    ]


def test_a_change_of_a_function_and_of_what_is_made_of_a_name_is_in_force(tmp_path):
    module = made(tmp_path)
    known = module.known
    assert known("a")
    Living(module).put(next(it for it in changes(SOURCE, module.__file__) if "not in" in it.text))
    assert not known("a")
    module = made(tmp_path)
    Living(module).put(next(it for it in changes(SOURCE, module.__file__) if it.text == "'a' -> 'a~'"))
    assert not module.known("a")
    assert module.known("a~")
