"""What a guest of the lab sees of this machine's directories, and what the lab's page tells."""

import ast
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.paths import ROOT
from tools.lab.error import LabError
from tools.lab.initramfs import over_covered
from tools.lab.main import main
from tools.lab.tool import copy_programs


def test_a_checkout_below_tmp_is_held_before_and_put_over_the_guests_empty_tmp():
    holding, placing = over_covered([Path("/tmp/a place/checkout"), Path("/usr")])
    assert holding == "mkdir /held/0 && mount --bind '/new/tmp/a place/checkout' /held/0"
    assert placing == "mkdir -p '/new/tmp/a place/checkout' && mount --move /held/0 '/new/tmp/a place/checkout'"


def test_directories_that_the_guest_sees_anyway_get_no_mount():
    assert over_covered([Path("/root/checkout"), Path("/var/tmp/checkout"), Path("/usr")]) == ("", "")


def test_a_directory_below_one_that_is_held_gets_no_mount_of_its_own():
    holding, _ = over_covered([Path("/tmp/checkout/python"), Path("/tmp/checkout")])
    assert holding.splitlines() == ["mkdir /held/0 && mount --bind /new/tmp/checkout /held/0"]


def test_a_checkout_that_no_guest_can_see_is_one_clear_line():
    with pytest.raises(LabError, match="/dev/shm/checkout is on a filesystem of the kernel's"):
        over_covered([Path("/dev/shm/checkout")])


def test_a_file_that_is_not_there_is_told_with_the_nearest_before_a_guest_starts(capsys, tmp_path):
    assert main(["run", "tests/lab/test_xfz.py", "--results", str(tmp_path / "kept")]) == 1
    assert "no such file: tests/lab/test_xfz.py; the nearest is tests/lab/test_xfs.py" in capsys.readouterr().err
    assert not (tmp_path / "kept").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="changes its root")
def test_a_program_that_needs_libraries_is_copied_with_them_and_runs_where_nothing_else_is(tmp_path):
    copy_programs([shutil.which("uname")], tmp_path)
    told = subprocess.run(["chroot", tmp_path, shutil.which("uname")], capture_output=True, check=False)
    assert told.stdout == b"Linux\n"


def test_the_labs_page_tells_of_each_scenario_of_its_default_run():
    """`make lab` is red otherwise, an hour later."""
    page, thorough = (ROOT / "docs/lab.md").read_text(), "pytest.mark.thorough"
    for file in sorted((ROOT / "tests/lab").glob("test_*.py")):
        module = ast.parse(file.read_text())
        marks = [ast.unparse(it.value) for it in module.body if isinstance(it, ast.Assign)]
        for test in (it for it in module.body if isinstance(it, ast.FunctionDef) and it.name.startswith("test_")):
            if not any(thorough in mark for mark in (*marks, *map(ast.unparse, test.decorator_list))):
                title, _, _ = (ast.get_docstring(test) or "").partition("\n")
                assert f"| {title} |" in page, f"{file.name}: {test.name}: {title}"
