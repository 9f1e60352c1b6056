"""What a guest of the lab sees of this machine's directories."""

from pathlib import Path

import pytest

from tools.lab.error import LabError
from tools.lab.initramfs import over_covered
from tools.lab.main import main


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
