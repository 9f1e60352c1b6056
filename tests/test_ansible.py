"""contrib/ansible: the role fetches a report and leaves nothing behind. Skipped where there is no Ansible."""

import os
import re
import subprocess
import sys

import pytest

from tests.paths import ANSIBLE, ROOT
from tests.waiting import END_S

PLAYBOOK = ROOT / "contrib/ansible/report.yml"
PROGRAM = '#!/bin/sh\nprintf \'{"what":"machine","said":"%s"}\\n\' "$*"\nexit {status}\n'

ansible = pytest.mark.skipif(ANSIBLE is None, reason="Ansible is not installed")


def played(folder, *more, status=1):
    """What a play against this machine says; the host's temporary directories are in `folder`/there."""
    program = folder / "program"
    program.write_text(PROGRAM.replace("{status}", str(status)))
    (folder / "there").mkdir(exist_ok=True)
    argv = [
        *(ANSIBLE, "-i", "web1,", "-c", "local", str(PLAYBOOK)),
        *(
            "-e",
            f"ansible_python_interpreter={sys.executable}",
            "-e",
            "ansible_become=false",
            "-e",
            f"fsadvisor_program={program}",
            *more,
        ),
        *("-e", f"fsadvisor_reports={folder}/reports"),
    ]
    environment = {**os.environ, "TMPDIR": f"{folder}/there", "ANSIBLE_HOME": f"{folder}/home", "LC_ALL": "C.UTF-8"}
    return subprocess.run(argv, capture_output=True, text=True, timeout=END_S, check=False, env=environment)


def left_behind(folder):
    return [one.name for one in (folder / "there").iterdir() if one.name.startswith("fsadvisor.")]


@ansible
@pytest.mark.long
def test_a_report_is_kept_by_day_and_host_nothing_is_left_and_each_run_changes_nothing(tmp_path):
    for _ in range(2):
        ran = played(tmp_path)
        assert ran.returncode == 0, ran.stdout
        assert re.search(r"ok=\d+ +changed=0 .*failed=0", ran.stdout)
    (report,) = (tmp_path / "reports").glob("*/web1.jsonl")
    assert report.read_text() == '{"what":"machine","said":"--json=lines"}\n'
    assert left_behind(tmp_path) == []


@pytest.mark.long
@ansible
def test_check_mode_only_says_what_would_be_done(tmp_path):
    ran = played(tmp_path, "--check")
    assert ran.returncode == 0
    assert "Would copy" in ran.stdout
    assert not (tmp_path / "reports").exists()
    assert left_behind(tmp_path) == []


@ansible
@pytest.mark.long
def test_a_program_that_fails_fails_the_play_and_leaves_nothing(tmp_path):
    ran = played(tmp_path, status=4)
    assert ran.returncode != 0
    assert "Run the report" in ran.stdout.rpartition("fatal:")[0].rpartition("TASK")[2]
    assert not (tmp_path / "reports").exists()
    assert left_behind(tmp_path) == []
