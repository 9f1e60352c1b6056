"""Modules that stand-ins stand for until they are asked."""

import subprocess
import sys

from tests.paths import ROOT

LATE = "import sys; from fsadvisor import late_modules; late_modules.load_late(); "


def said(code):
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout


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
