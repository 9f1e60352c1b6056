"""Modules that stand-ins stand for until they are asked."""

import subprocess
import sys

from tests.paths import ROOT

LATE = "import sys; from fsadvisor import late_modules; late_modules.load_late(); "


def said(code, *arguments):
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout


def test_a_module_is_loaded_when_something_of_it_is_asked():
    code = (
        "from fsadvisor.readers import storcli; "
        "print(type(sys.modules['fsadvisor.readers.storcli']).__name__); "
        "print(storcli.parse.__module__, type(sys.modules['fsadvisor.readers.storcli']).__name__); "
        "import fsadvisor.readers.storcli as again; print(again.parse is storcli.parse, hasattr(storcli, 'nothing'))"
    )
    assert said(LATE + code).split() == ["_LateModule", "fsadvisor.readers.storcli", "module", "True", "False"]


def test_names_of_it_may_be_imported_as_of_any_module():
    assert said(LATE + "from textwrap import dedent; print(dedent('  x'))") == "x\n"


def test_a_module_that_is_loaded_already_stays():
    assert said(f"import textwrap; {LATE}print(sys.modules['textwrap'] is textwrap)") == "True\n"


def test_every_module_in_the_list_is_there():
    code = "from importlib import import_module; [vars(import_module(name)) for name in late_modules.LATE]; "
    asked = "print(all(hasattr(sys.modules[name], '__file__') for name in late_modules.LATE))"
    assert said(LATE + code + asked) == "True\n"


def test_msgspec_is_whole_and_leaves_no_stand_in_behind():
    code = (
        "late_modules.load_msgspec(); import msgspec, platform, typing_extensions; "
        "print(msgspec.json.schema(int), msgspec.toml.decode('a = 1'), platform.python_version()[:2])"
    )
    assert said(LATE + code) == "{'type': 'integer'} {'a': 1} 3.\n"


ASKED_BY_ALL = """
import os, sys, threading
from fsadvisor import late_modules
class Name(str):
    def __hash__(self):
        os.sched_yield()  # another thread's turn, wherever the name is looked up
        return super().__hash__()
sys.path.append(sys.argv[1])
names = [Name(f"late{number}") for number in range(100)]
late_modules.load_late(names)
held = [sys.modules[name] for name in names]
start, right = threading.Barrier(8), []
def ask():
    start.wait()
    right.append(all(module.there is sys.modules[module.__name__].there for module in held))
sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=ask) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(right.count(True))
"""


def test_threads_that_ask_at_once_get_one_module(tmp_path):
    for number in range(100):
        (tmp_path / f"late{number}.py").write_text("there = object()\n")
    assert said(ASKED_BY_ALL, tmp_path) == "8\n"
