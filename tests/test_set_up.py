"""The set-up makes the environment, and knows when there is nothing to do."""

import os
import subprocess
import sys
import tomllib
from venv import EnvBuilder

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.paths import ROOT
from tools import set_up


@pytest.fixture
def venv(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    return tmp_path


@pytest.mark.parametrize(
    ("made_for", "needed_for", "ready"),
    [("run", "run", True), ("test", "test", True), ("test", "run", True), ("run", "test", False)],
)
def test_an_environment_for_the_tests_serves_a_run_too_but_not_the_reverse(venv, made_for, needed_for, ready):
    (venv / set_up.STAMP).write_text(set_up.fingerprint(made_for))
    assert set_up.is_ready(needed_for, venv) is ready


def test_an_environment_without_a_stamp_is_not_ready(venv):
    assert not set_up.is_ready("run", venv)


def test_an_environment_whose_python_is_gone_is_not_ready(venv):
    (venv / set_up.STAMP).write_text(set_up.fingerprint("run"))
    (venv / "bin" / "python").unlink()
    (venv / "bin" / "python").symlink_to("/nowhere/python3")
    assert not set_up.is_ready("run", venv)


def test_a_moved_checkout_has_another_fingerprint(tmp_path):
    assert set_up.fingerprint("run", tmp_path) != set_up.fingerprint("run")


@pytest.mark.parametrize("other", [{"ID": "debian", "VERSION_ID": "13"}, {}])
def test_another_system_has_its_tools_fetched_anew(other):
    here = {"ID": "debian", "VERSION_ID": "12"}
    assert set_up.tools_fingerprint(other) != set_up.tools_fingerprint(here)


def test_the_pip_wheel_in_the_checkout_is_the_one_that_was_reviewed():
    set_up.check_pip_wheel()


def test_a_damaged_pip_wheel_is_refused(tmp_path):
    wheel = tmp_path / "pip.whl"
    wheel.write_bytes(set_up.PIP_WHEEL.read_bytes()[:-1])
    with pytest.raises(set_up.SetUpError, match="damaged"):
        set_up.check_pip_wheel(wheel)


def test_python_children_are_kept_in_the_environment_and_may_write_bytecode(monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    monkeypatch.setenv("PIP_CERT", "/etc/ssl/own.pem")
    environment = set_up.plain_environment()
    assert not {"PYTHONDONTWRITEBYTECODE", "PYTHONPATH"} & environment.keys()
    assert environment["PIP_CERT"] == "/etc/ssl/own.pem"


@pytest.mark.parametrize("folder", ["plain", "with a blank", "long" * 50])
def test_the_launcher_starts_the_program_of_its_environment_from_any_folder(tmp_path, folder):
    for project in ("ours", "theirs"):
        (tmp_path / project / "fsadvisor").mkdir(parents=True)
        (tmp_path / project / "fsadvisor/__main__.py").write_text("import sys\ndef main(): return len(sys.argv) + 10\n")
    (tmp_path / "theirs/fsadvisor/__main__.py").write_text("a file of another user's PYTHONPATH")
    EnvBuilder(symlinks=True).create(tmp_path / folder)
    set_up.link_project(tmp_path / folder, tmp_path / "ours")
    command = tmp_path / folder / "bin" / "fsadvisor"
    finished = subprocess.run([command, "a b", "c"], env=os.environ | {"PYTHONPATH": str(tmp_path / "theirs")})
    assert finished.returncode == 13


def test_a_failing_child_becomes_a_sentence():
    with pytest.raises(set_up.SetUpError, match="as told"):
        set_up.run_python([sys.executable, "-c", "raise SystemExit(1)"], "as told")


def make_run(folder, status):
    """What `make run` does when the audit ends with a status; the set-up is left out."""
    command = folder / "fsadvisor"
    command.write_text(f"#!/bin/sh\necho report\nexit {status}\n")
    command.chmod(0o755)
    return subprocess.run(
        ["make", "run", f"BIN={folder}", "PYTHON=true"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("status", [0, 1])
def test_a_report_with_or_without_findings_is_no_failure_of_make_run(tmp_path, status):
    finished = make_run(tmp_path, status)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "report\n", "")


@pytest.mark.parametrize("status", [2, 3, 4, 126])
def test_make_run_fails_where_the_audit_did_and_names_its_status(tmp_path, status):
    finished = make_run(tmp_path, status)
    assert finished.returncode != 0
    assert f"Error {status}" in finished.stderr


def locked(name):
    lines = (ROOT / "requirements" / name).read_text().splitlines()
    pins = (line.split(" ")[0].split("==") for line in lines if "==" in line)
    return {canonicalize_name(project): version for project, version in pins}


def test_both_locks_name_the_same_versions():
    assert locked("run.txt").items() <= locked("dev.txt").items()


def test_the_locks_fulfil_what_the_project_declares():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needs = {
        "run.txt": project["dependencies"],
        "dev.txt": project["dependencies"] + project["optional-dependencies"]["dev"],
    }
    unmet = [
        f"{file}: {requirement}"
        for file, requirements in needs.items()
        for requirement in map(Requirement, requirements)
        if locked(file).get(canonicalize_name(requirement.name), "0") not in requirement.specifier
    ]
    assert unmet == [], "run `make lock`"


def test_every_locked_package_has_a_hash():
    for lock in set_up.LOCKS.values():
        entries = lock.read_text().replace("\\\n", " ").splitlines()
        assert [line for line in entries if "==" in line and "--hash=sha256:" not in line] == []


def test_set_up_needs_nothing_but_the_standard_library():
    asked = "import tools.set_up, sys; print('msgspec' in sys.modules)"
    said = subprocess.run([sys.executable, "-S", "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout == "False\n"
