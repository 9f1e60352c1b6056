"""What the palette finds, and in which order."""

import re

import pytest

from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.tui.views import keys
from fsadvisor.tui.views.snapshot import A_WORD, ALL_WORDS, BEGUN, EXACT, INSIDE
from tests.cases import each
from tests.views.seen import many_disks, snapshot_from

RULES = own_rulebook().rules


def hits(machine, typed):
    snapshot = snapshot_from(machine) if isinstance(machine, str) else machine
    return keys.Index(keys.entries(snapshot, RULES), snapshot.names).found(typed)


@pytest.mark.parametrize("machine", ["pm9a3-postgresql-volatile", "lab-nvme-volatile-cache", "as-it-is"])
def test_why_not_nobarrier_tells_the_critical_risk_first_and_nothing_else_than_nobarrier(machine):
    found = hits(machine, "nobar")
    assert found[0].what == "Why not nobarrier-unproven"
    assert found[0].about.startswith("filesystem ")
    assert found[0].under.startswith("critical risk, ")
    assert all("nobar" in f"{one.what} {one.under}" for one in found)


def test_advice_comes_before_why_not():
    found = hits("ext4-nobarrier", "nobarrier")
    assert found[0].kind == keys.ADVICE
    kinds = [one.kind for one in found if one.kind != keys.FACT]
    assert kinds == sorted(kinds)


def test_each_of_few_subjects_has_an_entry_and_of_many_the_first_stands_for_all():
    few = [one for one in hits("worn-nvme-database", "nobarrier-unproven") if one.kind == keys.WHY_NOT]
    assert [one.about.split()[1] for one in few] == ["/dev/nvme0n1", "/dev/nvme1n1", "/dev/nvme2n1"]
    every = list(keys.entries(snapshot_from("raid-lvm-crypt-server"), RULES))
    many = [one for one in every if one.kind == keys.WHY_NOT and one.about.endswith(" more")]
    assert many
    assert all(sum(it.what == one.what and it.under == one.under for it in every) == 1 for one in many)


def test_a_subject_is_found_by_its_name_without_all_rules_that_were_asked_of_it():
    found = hits("pm9a3-postgresql-volatile", "nvme0n1")
    assert keys.SHOWN in {one.kind for one in found}
    assert keys.WHY_NOT not in {one.kind for one in found}
    both = hits("pm9a3-postgresql-volatile", "nobarrier-unproven postgresql")
    assert {one.kind for one in both} == {keys.WHY_NOT}
    assert all("postgresql" in one.about for one in both)


def test_the_words_may_stand_in_any_order():
    assert hits("as-it-is", "barriers write off")[0].what == "Why not nobarrier-unproven"


def test_a_symptom_that_no_title_has_leads_to_its_rules():
    found = hits("as-it-is", "iowait")
    assert "tasks-wait-for-disks" in found[0].what
    kinds = [one.kind == keys.NOWHERE for one in found]
    assert kinds == sorted(kinds)


def test_what_is_mistyped_finds_a_few_whose_letters_are_alike():
    found = hits("as-it-is", "nobarier-unprooven")
    assert 0 < len(found) < 10
    assert found[0].what.endswith("nobarrier-unproven")


def test_hundreds_of_disks_do_not_fill_the_list():
    assert len(hits(many_disks(), "disk")) <= keys.MOST


def test_no_value_is_said_of_a_disk_that_has_another():
    found = [one for one in hits("old-storage-server", "plp") if one.what.startswith("disk.plp = ")]
    assert [(one.what, one.about) for one in found] == [
        ("disk.plp = partial", "sda"),
        ("disk.plp = absent", "sdb and 3 more"),
        ("disk.plp = claimed", "sdf"),
    ]


def test_a_fact_that_nobody_has_said_is_found_by_the_verb_that_says_it():
    assert any("datasheet_plp" in one.what for one in hits("worn-nvme-database", "attest"))


def test_disks_of_which_a_fact_says_the_same_share_an_entry():
    found = [one for one in hits(many_disks(), "disk.plp") if one.what.startswith("disk.plp ")]
    assert 0 < len(found) <= 3
    assert any(one.about.endswith(" more") for one in found)


@pytest.mark.parametrize("typed", ["theme", "Plan", "order"])
def test_an_action_whose_name_is_typed_stands_before_all_that_only_begins_so(typed):
    actions = [keys.action(name, "x", "it does something", name) for name in ("Theme", "Plan", "Order")]
    snapshot = snapshot_from("old-storage-server")
    every = keys.Index(keys.entries(snapshot, RULES), snapshot.names)
    assert every.found(typed, actions)[0].key == typed.capitalize()


@pytest.mark.parametrize("typed", ["pxlqp", "wvprt", "zzz"])
def test_scattered_letters_find_nothing(typed):
    assert hits("old-storage-server", typed) == []


def test_a_rule_that_only_doctor_asks_is_never_said_to_apply_to_nothing():
    now = {rule.id for rule in RULES if rule.subject == "now"}
    entries = [
        one for one in keys.entries(snapshot_from("as-it-is"), RULES) if one.kind >= keys.RULE and one.key in now
    ]
    assert {one.key for one in entries} == now
    assert all(one.kind == keys.RULE and "doctor" in one.under for one in entries)


def test_what_applies_to_nothing_here_comes_last_however_well_it_fits():
    found = hits("as-it-is", "postgresql-log-not-preallocated")
    kinds = [one.kind == keys.NOWHERE for one in hits("as-it-is", "postgresql")]
    assert found[0].kind == keys.NOWHERE
    assert kinds == sorted(kinds)


@pytest.mark.parametrize("typed", ["plp", "disk.plp", "PLP"])
def test_a_fact_is_found_by_its_name_with_its_value_here_before_all_else(typed):
    found = hits("pm9a3-postgresql-volatile", typed)
    assert (found[0].kind, found[0].what, found[0].about) == (keys.FACT, "disk.plp = proven", "nvme0n1")
    assert (found[0].subplace, found[0].key) == ("subject", "disk:nvme0n1\ndisk.plp")


def test_the_first_subject_with_a_value_stands_for_all_that_have_the_same():
    found = hits("worn-nvme-database", "disk.scheduler")
    assert [(one.what, one.about) for one in found[:2]] == [
        ('disk.scheduler = "none"', "nvme0n1 and 2 more"),
        ('disk.scheduler = "mq-deadline"', "nvme2n1"),
    ]


@each(
    ("typed", "first"),
    [
        ("plp", "disk.plp = "),
        ("fsync-l", "Probe fsync-ladder"),
        ("random-write-32", "Probe random-write-32"),
        ("forecast", "Command fsadvisor forecast"),
        ("capture", "Command fsadvisor capture"),
        ("noatime", "Advice: access-times-written"),
    ],
)
def test_what_is_called_so_comes_first_be_it_fact_advice_probe_or_command(typed, first):
    assert hits("pm9a3-postgresql-volatile", typed)[0].what.startswith(first)


def test_every_command_of_the_command_line_is_found_with_what_it_does():
    for name in ("waits", "doctor", "diff", "waive", "attest"):
        (found,) = [one for one in hits("as-it-is", name) if one.kind == keys.COMMAND and one.key == name]
        assert found.under.endswith(".")


@pytest.mark.parametrize("machine", ["many", "raid-lvm-crypt-server"])
def test_subjects_are_found_as_if_each_were_compared_by_itself(machine):
    snapshot = many_disks() if machine == "many" else snapshot_from(machine)
    each = [keys.folded(keys.show(one)) for one in snapshot.storage.subjects]
    fits = set()
    for typed in (
        *"eos-/1.",
        "disk",
        "sda",
        "on /",
        "mount /",
        "show disk",
        "disk show",
        "1 sd",
        "e o s",
        "how",
        "a b zz",
    ):
        words = typed.split()
        begins = re.compile(rf"(?<![^\W_]){re.escape(typed)}").search
        compared = [(keys._fit(words, typed, begins, one), one.entry) for one in each]
        best = sorted((pair for pair in compared if pair[0]), key=lambda pair: -pair[0])[: keys.MOST]
        found = [(fit, keys.show(subject)) for fit, subject in snapshot.names.found(words, keys.MOST)]
        assert found == best, typed
        fits |= {fit for fit, _ in found}
    whole = each[-1].name
    assert snapshot.names.found(whole.split(), 1)[0][0] == EXACT
    assert fits >= {A_WORD, BEGUN, INSIDE, ALL_WORDS}
