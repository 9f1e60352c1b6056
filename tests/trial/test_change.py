"""What is tried: the machine's own filesystem, and the same with a change."""

import re

import pytest
from msgspec.structs import replace

from fsadvisor.facts import Known
from fsadvisor.machine.opening import open_machine
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.trial.change import ChangeError, Own, of_options, of_rule, own
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.paths import ROOT

EXT4 = Own(mount_point="/srv", fs_type="ext4", options=("relatime", "data=ordered"), mkfs=("-b", "4096"))
TRIED = [rule for rule in own_rulebook().rules if rule.trial is not None]


@each("rule", TRIED)
def test_every_rule_that_can_be_tried_names_a_job_and_two_different_filesystems(rule):
    change = of_rule(rule, EXT4, "", "")
    assert change.job is JOBS[rule.trial.job]
    assert replace(change.default, name="x") != replace(change.changed, name="x")
    assert change.default.fs_type == change.changed.fs_type in rule.trial.types


def test_a_person_names_options_and_arguments_of_mkfs():
    change = of_options(["noatime,commit=60", "mkfs:-O ^has_journal"], EXT4, "", "")
    assert change.default.options == ("data=ordered",)
    assert change.changed.options == ("data=ordered", "noatime", "commit=60")
    assert change.changed.mkfs == ("-b", "4096", "-O", "^has_journal")
    assert change.what == "noatime commit=60 mkfs -O '^has_journal'"
    assert len(change.dangers) == 3


def test_an_option_takes_the_place_of_the_machines_own_of_the_same_family():
    change = of_options(["data=writeback"], EXT4, "", "")
    assert change.changed.options == ("relatime", "data=writeback")


def test_another_type_than_the_machines_own_takes_nothing_over():
    change = of_options(["noatime"], EXT4, "xfs", "")
    assert (change.default.fs_type, change.default.options, change.default.mkfs) == ("xfs", (), ())


@each(
    ("words", "kind", "job", "says"),
    [
        (["noatime"], "../x", "", "no type of filesystem"),
        (["noatime"], "", "commit-fdatasnc", "did you mean"),
        (["noatime"], "", "fragmentation", "files that are there already"),
        (["mkfs:-O 'x"], "", "", "no closing quotation"),
    ],
)
def test_what_cannot_be_tried_is_told(words, kind, job, says):
    with pytest.raises(ChangeError, match=says):
        of_options(words, EXT4, kind, job)


@each(
    ("word", "beyond"),
    [
        ("noatime,logdev=/dev/sdb1", "logdev=/dev/sdb1"),
        ("rtdev=/dev/sdb2", "rtdev=/dev/sdb2"),
        ("journal_dev=0x810", "journal_dev=0x810"),
        ("device=/dev/sdb", "device=/dev/sdb"),
        ("loop", "loop"),
        ("remount", "remount"),
        ("mkfs:/dev/sdb", "/dev/sdb"),
        ("mkfs:-m single /dev/sdb", "/dev/sdb"),
        ("mkfs:-m single swapfile", "swapfile"),
        ("mkfs:swapfile", "swapfile"),
        ("mkfs:-J size=8,device=UUID=0", "size=8,device=UUID=0"),
        ("mkfs:-Jdevice=/dev/sdb", "-Jdevice=/dev/sdb"),
        ("mkfs:-d file=1,name=image", "file=1,name=image"),
        ("mkfs:-l logdev=/dev/sdb1", "logdev=/dev/sdb1"),
        ("mkfs:-z ../undo", "../undo"),
    ],
)
def test_no_other_device_or_file_is_ever_named_to_mkfs_or_mount(word, beyond):
    with pytest.raises(ChangeError, match=re.escape(f"{beyond!r} reaches beyond the image")):
        of_options([word], EXT4, "", "")


def test_a_rule_whose_remedy_is_no_option_cannot_be_tried():
    rule = next(rule for rule in own_rulebook().rules if rule.id == "drive-failing")
    with pytest.raises(ChangeError, match="cannot be tried"):
        of_rule(rule, EXT4, "", "")


def test_the_machines_own_filesystem_is_read_from_its_facts():
    storage = survey(open_machine(ROOT / "fixtures" / "machines" / "ext4-nobarrier"), {})
    found = own(storage, "/srv/recorded/srv")
    assert found.fs_type == "ext4"
    assert {"nobarrier", "noatime"} <= set(found.options)
    filesystem = next(it for it in storage.subjects if it.id == "mount:/srv/recorded/srv").scope["filesystem"]
    if isinstance(filesystem.block_bytes, Known):
        assert found.mkfs[:2] == ("-b", str(filesystem.block_bytes.value))


def test_a_place_that_is_no_mount_has_nothing_to_take_over():
    storage = survey(open_machine(ROOT / "fixtures" / "machines" / "ext4-nobarrier"), {})
    assert own(storage, "/nowhere") == Own(mount_point="/nowhere", fs_type="")
