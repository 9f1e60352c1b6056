"""How scratch filesystems are mounted: nothing is started that would outlive the measuring process."""

from pathlib import Path

from fsadvisor.measure.trial.mounting import arguments
from tests.cases import each

PLACE = Path("/mnt/default")


def test_nilfs2_is_mounted_without_its_cleaner_whatever_else_is_asked():
    said = arguments("/dev/loop3", PLACE, "nilfs2", ("noatime", "gc"))
    assert said[said.index("-o") + 1] == "noatime,gc,nogc"
    assert "-i" not in said


@each("fs_type", ["ext4", "xfs", "btrfs", "f2fs", "ntfs", "exfat"])
def test_no_other_type_is_mounted_by_a_helper_which_may_leave_a_daemon(fs_type):
    assert "-i" in arguments("/dev/loop3", PLACE, fs_type, ())


def test_without_options_none_are_said():
    assert "-o" not in arguments("/dev/loop3", PLACE, "ext4", ())
