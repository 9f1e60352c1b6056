"""A title says what is set or seen on what, on one line, and claims nothing that is not known."""

import pytest
from msgspec.structs import replace

from fsadvisor.pages.glyphs import width
from fsadvisor.report.findings import findings, unfolded
from fsadvisor.report.titles import cut_in_the_middle, title
from fsadvisor.rulebook.laws import mistitled, unproven
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.mutants import imagined
from fsadvisor.rulebook.remedy import title_template
from fsadvisor.storage.catalogue import catalogue
from tests.cases import few
from tests.machines.replay import FOLDERS, audit

RULES = {rule.id: rule for rule in own_rulebook().rules}


def subject(rule, **facts):
    return imagined(rule, {name.replace("__", "."): value for name, value in facts.items()})


def test_a_title_has_the_values_of_this_machine():
    rule = RULES["ext4-long-commit"]
    seen = subject(rule, filesystem__commit_seconds=300, filesystem__type="ext4", filesystem__mount_point="/srv")
    assert title(rule, [seen]) == "/srv (ext4): commit=300 (default 5 s)"


def test_a_title_whose_values_are_not_known_is_the_generic_one():
    for rule in RULES.values():
        if rule.here:
            named = [bool(one.names) for one in rule.here]
            assert (title(rule, [subject(rule)]) == rule.title) == all(named), rule.id


def test_of_subjects_whose_values_differ_all_are_named_or_counted():
    rule = RULES["drive-worn-out"]
    worn = [
        replace(subject(rule, disk__percentage_used=used), id=f"disk:nvme{at}n1", name=f"nvme{at}n1")
        for at, used in enumerate((104, 112, 130, 101, 100))
    ]
    assert title(rule, worn[:2]) == "nvme0n1 and nvme1n1: SSD has used up its rated endurance"
    assert title(rule, worn) == "nvme0n1, nvme1n1, nvme2n1 and 2 more: SSD has used up its rated endurance"
    longer = [replace(one, name=f"mmcblk-of-a-long-name-{at}") for at, one in enumerate(worn)]
    assert title(rule, longer) == "5 disks: SSD has used up its rated endurance"


def test_an_option_is_said_as_it_is_set_and_of_a_list_only_what_the_rule_asks_for():
    flushed = subject(RULES["postgresql-log-not-preallocated"], service__wal_init_zero=True, service__wal_recycle=False)
    assert "wal_init_zero=on, wal_recycle=off" in title(RULES["postgresql-log-not-preallocated"], [flushed])
    options = {"mount__configured_options": ("rw", "noacl"), "mount__fs_type": "ext4", "mount__point": "/srv"}
    removed = subject(RULES["ext4-removed-option"], **options, host__kernel="6.8")
    assert title(RULES["ext4-removed-option"], [removed]) == "/srv (ext4): fstab has noacl, refused by Linux 6.8"


def test_of_several_templates_the_first_whose_values_are_known_is_said():
    rule = RULES["commits-not-flushed"]
    seen = title(rule, [subject(rule, service__innodb_flush_log_at_trx_commit=2)])
    assert seen.endswith(": innodb_flush_log_at_trx_commit=2 (default 1)")


def test_every_rule_has_a_short_generic_title_and_one_with_values():
    assert {rule.id: wrong for rule in RULES.values() if (wrong := list(mistitled(rule)))} == {}
    assert [rule.id for rule in RULES.values() if rule.title.endswith(".")] == []


def test_a_title_that_is_long_or_has_no_values_or_names_no_knob_is_told_of():
    rule = RULES["ext4-long-commit"]
    assert ["60 fit" in words for words in mistitled(replace(rule, title="commit " * 9))] == [True]
    assert ["no 'here'" in words for words in mistitled(replace(rule, here=()))] == [True]
    assert ["names nothing" in words for words in mistitled(replace(rule, title="It may be lost in a crash"))] == [True]


def test_subjects_whose_values_differ_share_the_generic_words():
    rule = RULES["drive-worn-out"]
    worn = [subject(rule, disk__percentage_used=percent) for percent in (101, 101, 120)]
    assert "101 % of rated endurance" in title(rule, worn[:2])
    assert title(rule, worn).endswith(f": {rule.title}")


def test_subjects_of_one_name_are_counted_in_the_title():
    rule = RULES["vm-cache-unsafe"]
    guest = subject(rule, service__guest_cache="unsafe")
    guests = [replace(guest, name=f"qemu /var/lib/guest-{at}") for at in range(4)]
    assert title(rule, guests[:1]).startswith("qemu /var/lib/guest-0: cache=unsafe")
    assert title(rule, guests).startswith("4 qemu: cache=unsafe")


def test_strangers_words_in_a_title_are_escaped_and_cut():
    rule = RULES["firmware-loses-data"]
    seen = title(rule, [subject(rule, disk__firmware="3B\x1b[2J" + "Q" * 500)])
    assert seen.isprintable()
    assert width(seen) <= 80


@pytest.mark.parametrize("text", ["", "a" * 30, "/srv/" + "漢字" * 40, "e\u0301" * 60])
@pytest.mark.parametrize("most", [12, 24])
def test_a_long_name_keeps_both_ends_and_fits(text, most):
    cut = cut_in_the_middle(text, most)
    assert width(cut) <= most
    assert cut == text or (cut[:1], cut[-1:]) == (text[:1], text[-1:])


@pytest.mark.parametrize("folder", few(FOLDERS, 6), ids=lambda folder: folder.name)
def test_every_title_of_a_recorded_machine_fits_one_line(folder):
    _, _, verdicts = audit(folder)
    for one in unfolded(findings(verdicts)):
        assert one.title.isprintable()
        if one.title != one.rule.title:
            assert width(one.title) <= 80, one.title


def test_a_title_may_hold_a_number_that_no_command_may():
    entry = next(one for one in catalogue().values() if one.kind.value == "number" and one.namespace == "mount")
    assert title_template(f"{{{entry.name}}}", "mount").pieces == (entry,)


@pytest.mark.parametrize(
    ("errors", "pending", "words"),
    [
        (0, 8, "8 sectors pending"),
        (3, 0, "3 errors (uncorrectable media errors)"),
        (3, 8, "3 errors (uncorrectable), 8 sectors pending"),
    ],
)
def test_a_title_counts_what_is_there_and_no_zero(errors, pending, words):
    rule = RULES["unreadable-data"]
    seen = subject(rule, disk__name="sda", disk__media_errors=errors, disk__pending_sectors=pending)
    assert title(rule, [seen]).endswith(f": {words}")


def test_of_several_causes_the_title_names_the_one_that_holds():
    rule = RULES["md-nobody-told"]
    assert title(rule, [subject(rule, host__md_arrays=2, host__md_monitor=False)]).startswith("No mdadm monitor")
    mail = subject(rule, host__md_arrays=2, host__md_monitor=True, host__md_mail=False)
    assert title(rule, [mail]).startswith("No MAILADDR")


def test_a_version_is_said_beside_the_options_that_it_refuses():
    rule = RULES["btrfs-removed-option"]
    options = {"mount__configured_options": ("rw", "inode_cache"), "mount__fs_type": "btrfs", "mount__point": "/srv"}
    seen = title(rule, [subject(rule, **options, host__kernel="6.12")])
    assert seen == "/srv (btrfs): fstab has inode_cache, refused by Linux 6.12"


def test_a_value_has_the_columns_that_the_title_leaves_and_of_several_the_first_is_told():
    rule = RULES["raid-drive-sick"]
    sick = "1I:1:3 predictive failure"
    assert title(rule, [subject(rule, disk__raid_sick_drives=(sick,))]).endswith(f"behind the controller: {sick}")
    both = title(rule, [subject(rule, disk__raid_sick_drives=(sick, sick, sick))])
    assert both.endswith(f"{sick} and 2 more")
    assert width(both) <= 80


def test_rule_try_refuses_a_title_that_does_not_tell_which_of_several_causes_holds():
    rule = RULES["md-nobody-told"]
    (seen,) = [
        words for words in unproven(replace(rule, here=rule.here[:1])) if "does not tell (by 'here') which" in words
    ]
    assert seen.startswith("'no MAILADDR': the title does not tell (by 'here') which holds: host.md_monitor")
    (seen,) = [words for words in unproven(replace(rule, examples=rule.examples[1:])) if "takes the title" in words]
    assert seen == "no example with a finding takes the title 'when = \"host.md_mail == False\"'"


def test_rule_try_refuses_an_undo_that_is_the_fix():
    rule = RULES["ext4-long-commit"]
    same = replace(rule, remedy=replace(rule.remedy, undo=rule.remedy.now))
    assert "the undo is the same as the fix: it takes nothing back" in list(unproven(same))
