"""What journals have counted, where the kernel has them and where it will not tell."""

from fsadvisor.facts import Cause
from fsadvisor.machine import pulse


def test_a_filesystem_that_the_kernel_does_not_have_has_no_journals(tmp_path):
    assert pulse._each(str(tmp_path / "absent"), "info") == {}


def test_journals_that_cannot_be_listed_are_not_none(tmp_path):
    (tmp_path / "round").symlink_to("round")
    (why,) = pulse._each(str(tmp_path / "round"), "info").values()
    assert why.cause is Cause.UNREADABLE


def test_a_folder_without_the_file_is_no_journal(tmp_path):
    (tmp_path / "stats").mkdir()
    (tmp_path / "sda1-8").mkdir()
    (tmp_path / "sda1-8" / "info").write_text("0 transactions")
    assert list(pulse._each(str(tmp_path), "info")) == ["sda1-8"]


def test_every_journal_of_this_machine_is_told_or_has_its_reason():
    now = pulse.kernel_counters()
    answers = [*now.jbd2.values(), *now.xfs.values(), *now.btrfs.values()]
    assert all(getattr(one, "cause", None) is not Cause.NOT_EXPOSED for one in answers)
