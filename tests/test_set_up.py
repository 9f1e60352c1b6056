"""The set-up decides rightly what to install, asks before it does, and knows when there is nothing to do."""

import os
import subprocess
import sys
import tomllib
from dataclasses import replace

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.paths import ROOT
from tools import set_up
from tools.set_up import System

DEBIAN = {"ID": "debian", "PRETTY_NAME": "Debian GNU/Linux 12 (bookworm)"}
TOOLS = {"nvme": "nvme-cli", "fio": "fio", "mkfs.xfs": "xfsprogs", "xfs_info": "xfsprogs"}


class Machine:
    """A machine with some commands; apt-get installs what its package lists know."""

    def __init__(self, *commands, listed=("nvme-cli", "fio", "xfsprogs"), network=True):
        self.commands = {"apt-get", *commands}
        self.listed = listed
        self.network = network
        self.ran = []

    def which(self, command):
        return f"/usr/bin/{command}" if command in self.commands else None

    def run(self, argv):
        self.ran.append(" ".join(argv))
        if argv[0] == "apt-cache":
            return 0 if argv[-1] in self.listed else 100
        if not self.network:
            return 100
        self.commands |= {command for command, package in TOOLS.items() if package in argv}
        return 0

    def system(self, **changes):
        root_on_debian = System(which=self.which, is_root=True, release=DEBIAN, run=self.run, ask=None)
        return replace(root_on_debian, **changes)

    @property
    def installs(self):
        return [line.split(" install ")[1] for line in self.ran if " install " in line]


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        ({"ID": "debian"}, True),
        ({"ID": "ubuntu", "ID_LIKE": "debian"}, True),
        ({"ID": "linuxmint", "ID_LIKE": "ubuntu debian"}, True),
        ({"ID": "rocky", "ID_LIKE": "rhel centos fedora"}, False),
        ({"ID": "debianish"}, False),
        ({}, False),
    ],
)
def test_debian_and_its_children_are_told_by_os_release(release, expected):
    assert set_up.is_debian_like(release) is expected


def test_a_tool_is_missing_when_it_is_not_on_path():
    missing = set_up.missing_tools(TOOLS, Machine("fio", "xfs_info").which)
    assert missing == {"nvme": "nvme-cli", "mkfs.xfs": "xfsprogs"}


def test_a_machine_with_all_tools_is_left_alone_in_silence(capsys):
    machine = Machine(*TOOLS)
    set_up.see_to_tools(TOOLS, "yes", machine.system())
    assert machine.ran == []
    assert capsys.readouterr() == ("", "")


def test_root_on_debian_without_a_terminal_installs_each_missing_package_once(capsys):
    machine = Machine("fio")
    set_up.see_to_tools(TOOLS, "ask", machine.system())
    assert machine.installs == ["nvme-cli xfsprogs"]
    assert "without" not in capsys.readouterr().err


def test_on_a_terminal_the_question_names_every_package_before_anything_runs():
    machine = Machine("fio")
    asked = []

    def refuse(question):
        asked.append((question, list(machine.ran)))
        return "n\n"

    set_up.see_to_tools(TOOLS, "ask", machine.system(ask=refuse))
    [(question, ran_before)] = asked
    assert "nvme (nvme-cli)" in question
    assert "apt-get would install: nvme-cli xfsprogs\n" in question
    assert question.endswith("[Y/n] ")
    assert ran_before == machine.ran == []


@pytest.mark.parametrize("answer", ["\n", "y\n", "Yes\n"])
def test_enter_and_yes_agree(answer):
    machine = Machine()
    set_up.see_to_tools(TOOLS, "ask", machine.system(ask=lambda _: answer))
    assert machine.installs == ["nvme-cli fio xfsprogs"]


@pytest.mark.parametrize("answer", ["n\n", "no\n", "what?\n"])
def test_any_other_answer_installs_nothing(answer, capsys):
    machine = Machine()
    set_up.see_to_tools(TOOLS, "ask", machine.system(ask=lambda _: answer))
    assert machine.ran == []
    assert "without nvme (nvme-cli), fio, mkfs.xfs (xfsprogs)" in capsys.readouterr().err


def test_tools_yes_does_not_ask():
    machine = Machine()
    set_up.see_to_tools(TOOLS, "yes", machine.system(ask=pytest.fail))
    assert machine.installs == ["nvme-cli fio xfsprogs"]


@pytest.mark.parametrize(
    ("choice", "changes", "reason"),
    [
        ("no", {}, "TOOLS=no leaves the system alone"),
        ("yes", {"is_root": False}, "only root can install them"),
        ("ask", {"release": {"ID": "fedora", "PRETTY_NAME": "Fedora Linux 43"}}, "on Fedora Linux 43, install"),
        ("ask", {"release": {}}, "on this system, install"),
    ],
)
def test_where_nothing_can_be_installed_the_missing_tools_are_named_with_the_reason(choice, changes, reason, capsys):
    machine = Machine("fio", "xfs_info", "mkfs.xfs")
    set_up.see_to_tools(TOOLS, choice, machine.system(**changes))
    assert machine.ran == []
    said = capsys.readouterr().err
    assert "without nvme (nvme-cli)" in said
    assert reason in said


def test_a_failing_apt_get_is_said_and_the_set_up_goes_on(capsys):
    machine = Machine("xfs_info", "mkfs.xfs", network=False)
    set_up.see_to_tools(TOOLS, "ask", machine.system())
    assert "without nvme (nvme-cli), fio: apt-get could not install them" in capsys.readouterr().err


def test_a_package_that_the_lists_do_not_know_does_not_keep_the_others_away(capsys):
    machine = Machine(listed=("fio", "xfsprogs"))
    set_up.see_to_tools(TOOLS, "ask", machine.system())
    assert machine.installs == ["fio xfsprogs"]
    assert "without nvme (nvme-cli): apt-get could not" in capsys.readouterr().err


def test_apt_get_is_run_without_questions():
    status = set_up.run_apt(["sh", "-c", 'test "$DEBIAN_FRONTEND" = noninteractive && ! read -r line'])
    assert status == 0


def test_the_tests_need_every_tool_that_a_run_needs():
    assert set_up.TOOLS["run"].items() <= set_up.TOOLS["test"].items()


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
    place = tmp_path / folder
    (place / "fsadvisor").mkdir(parents=True)
    (place / "fsadvisor" / "__main__.py").write_text("import sys\ndef main(): return len(sys.argv) + 10\n")
    python = place / "python"
    python.symlink_to(sys.executable)
    command = place / "command"
    command.write_text(set_up.launcher(python))
    command.chmod(0o755)
    finished = subprocess.run([command, "a b", "c"], env=os.environ | {"PYTHONPATH": str(place)})
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
