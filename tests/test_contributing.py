"""What CONTRIBUTING says about writing a rule works as it is written."""

import re
import shutil
import subprocess
import sys

import pytest

from fsadvisor.rulebook.laws import unproven
from fsadvisor.rulebook.loading import load_rule
from tests.cases import each
from tests.paths import ROOT
from tests.test_cli import MACHINE

SECTION = (ROOT / "CONTRIBUTING.md").read_text().partition("## Write a rule")[2].partition("\n## ")[0]
LINES = [line.partition("  #")[0].strip() for line in re.findall(r"(?m)^    (\S.*)$", SECTION)]
TARGETS = [line.removeprefix("make ") for line in LINES if line.startswith("make ")]


@pytest.fixture
def checkout(tmp_path):
    """A copy of what the commands touch, with the rules that there are."""
    for folder in ("fsadvisor", "rules", "fixtures/tables"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    command = tmp_path / ".venv" / "bin" / "fsadvisor"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fsadvisor --on "{MACHINE}" "$@"\n')
    command.chmod(0o755)
    return tmp_path


@pytest.mark.long
def test_the_commands_write_a_rule_that_proves_itself(checkout):
    ours = {file.name for file in (ROOT / "rules" / "host").iterdir()}
    for line in LINES:
        if not line.startswith("make "):
            done = subprocess.run(["sh", "-c", line], cwd=checkout, capture_output=True, text=True)
            assert (done.returncode, done.stderr) in ((0, ""), (1, "")), line
    (written,) = [file for file in (checkout / "rules" / "host").iterdir() if file.name not in ours]
    assert list(unproven(load_rule(written))) == []


@pytest.mark.parametrize("target", TARGETS)
def test_the_targets_of_make_are_there(target):
    assert re.search(rf"(?m)^{target}:", (ROOT / "Makefile").read_text())


@each("path", re.findall(r"`((?:fixtures|rules|docs|fsadvisor|tools)/[a-z/_.-]+)`", SECTION))
def test_the_places_that_are_named_are_there(path):
    assert (ROOT / path).exists()


def test_the_modules_that_are_named_are_there():
    text = (ROOT / "CONTRIBUTING.md").read_text() + (ROOT / "docs" / "architecture.md").read_text()
    ours = [path for folder in ("fsadvisor", "tests", "tools") for path in (ROOT / folder).rglob("*.py")]
    named = set(re.findall(r"`([a-z_/]+\.py)`", text))
    assert named
    assert not {name for name in named if not any(str(path).endswith(f"/{name}") for path in ours)}
