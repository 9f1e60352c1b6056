"""What the palette finds, and in which order."""

import difflib

import pytest

from fsadvisor.rulebook.shelf import own_shelf
from fsadvisor.tui.views import keys
from tests.report import composed
from tests.views.seen import look_at, look_of

RULES = own_shelf().rules


def alike(typed):
    """As good a likeness as any, for letters that are no words."""
    return lambda text: difflib.SequenceMatcher(None, typed, text.casefold()).ratio()


def hits(machine, typed):
    look = look_at(machine) if isinstance(machine, str) else machine
    return keys.found_entries(keys.entries(look, RULES), typed, alike(typed))


@pytest.mark.parametrize("machine", ["pm9a3-postgresql-volatile", "lab-nvme-volatile-cache", "as-it-is"])
def test_why_not_nobarrier_tells_the_critical_risk_first_and_nothing_else_than_nobarrier(machine):
    found = hits(machine, "nobar")
    assert found[0].what == "Why not nobarrier-unproven"
    assert found[0].about.startswith("filesystem ")
    assert found[0].under.startswith("critical risk, ")
    assert all("nobar" in f"{one.what} {one.under}" for one in found)


def test_advice_comes_before_why_not():
    kinds = [one.kind for one in hits("ext4-nobarrier", "nobarrier")]
    assert kinds[0] == keys.ADVICE
    assert kinds == sorted(kinds)


def test_each_of_few_subjects_has_an_entry_and_of_many_the_first_stands_for_all():
    few = [one for one in hits("worn-nvme-database", "nobarrier-unproven") if one.kind == keys.WHY_NOT]
    assert [one.about.split()[1] for one in few] == ["/dev/nvme0n1", "/dev/nvme1n1", "/dev/nvme2n1"]
    every = list(keys.entries(look_at("raid-lvm-crypt-server"), RULES))
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
    kinds = [one.kind == keys.RULE for one in found]
    assert kinds == sorted(kinds)


def test_what_is_mistyped_finds_a_few_whose_letters_are_alike():
    found = hits("as-it-is", "nobarier-unprooven")
    assert 0 < len(found) < 10
    assert found[0].what.endswith("nobarrier-unproven")


def test_a_thousand_disks_do_not_fill_the_list():
    assert len(hits(look_of(composed.many(1000)), "disk")) <= keys.MOST


@pytest.mark.parametrize("typed", ["plp", "disk.plp", "PLP"])
def test_a_fact_is_found_by_its_name_with_its_value_here_before_all_else(typed):
    found = hits("pm9a3-postgresql-volatile", typed)
    assert (found[0].kind, found[0].what, found[0].about) == (keys.FACT, "disk.plp = proven", "nvme0n1")
    assert (found[0].subplace, found[0].key) == ("subject", "disk:nvme0n1")


def test_of_many_subjects_the_first_with_a_value_stands_for_all():
    found = hits("worn-nvme-database", "disk.scheduler")
    assert found[0].about == "nvme0n1 and 3 more"


def test_a_cause_that_doctor_looks_for_is_not_said_to_apply_to_nothing():
    under = [one.under for one in hits("as-it-is", "program-waits-for-commits")]
    assert under
    assert all("`fsadvisor doctor` looks for" in one for one in under)
