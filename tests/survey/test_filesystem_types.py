"""A type of filesystem is one module and one line in the registry; nothing else knows its name."""

import ast

from fsadvisor.measure.compare import CHOICES
from fsadvisor.measure.trial.testbed import ScratchFilesystem, mkfs_arguments
from fsadvisor.survey.filesystem_types.registry import LOOKED_AT, MADE, ON_DEVICES, TYPES, type_of
from tests.cases import each
from tests.paths import ROOT

PACKAGE = ROOT / "fsadvisor"
OWN = "survey/filesystem_types/"
ALLOWED = {
    "readers/": "programs that a reader's command starts, and the kernel's mount table, below all that knows types",
    "machine/": "programs and the packages that have them",
    "secrecy.py": "what a mount's source is called where it is no device; the lowest layer, which imports nothing",
    "report/waits_json.py": "words of a published JSON schema",
    "measure/forecast/classes.py": "the tables of a paper",
}


def literals(path):
    """The types whose names stand in a file as texts of their own."""
    text = path.read_text()
    tree = ast.parse(text if any(name in text for name in TYPES) else "")
    return sorted({it.value for it in ast.walk(tree) if isinstance(it, ast.Constant) and it.value in TYPES})


def test_a_type_is_named_by_its_own_module_alone():
    files = {str(path.relative_to(PACKAGE)): path for path in PACKAGE.rglob("*.py")}
    found = {name: literals(path) for name, path in files.items() if not name.startswith((OWN, *ALLOWED))}
    assert {name: types for name, types in found.items() if types} == {}


def test_each_type_is_named_by_one_module():
    by_type = {}
    for path in (PACKAGE / OWN).glob("*.py"):
        for name in literals(path):
            by_type.setdefault(name, []).append(path.stem)
    assert {name: modules for name, modules in by_type.items() if len(modules) > 1} == {}
    assert set(by_type) == set(TYPES)


@each("allowed", ALLOWED)
def test_what_is_allowed_to_name_types_still_does(allowed):
    paths = (PACKAGE / allowed).rglob("*.py") if allowed.endswith("/") else [PACKAGE / allowed]
    assert any(literals(path) for path in paths)


def test_what_is_registered_is_looked_at():
    assert set(TYPES) <= LOOKED_AT
    assert set(TYPES) - ON_DEVICES == {"zfs"}


def test_a_type_that_nobody_knows_is_on_no_device_and_not_made():
    unknown = type_of("hammer2")
    assert (unknown.name, unknown.on_devices, unknown.mkfs_quiet) == ("hammer2", False, None)


def test_what_is_compared_can_be_made():
    assert {choice.form.fs_type for choice in CHOICES.values()} <= set(MADE)
    assert all(choice.says for choice in CHOICES.values())


@each("name", MADE)
def test_no_filesystem_is_made_with_work_left_for_later(name):
    told = mkfs_arguments(ScratchFilesystem(name="default", fs_type=name))
    assert told == (*TYPES[name].mkfs_quiet, *TYPES[name].mkfs_at_once)
    assert TYPES[name].mkfs_at_once
