"""What people type leads to the right page: words, questions, error messages pasted whole."""

import pytest

from fsadvisor.arguments import parsed
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.rulebook.words import Here, found, places
from fsadvisor.rulebook.words import _document as index
from tests.cases import each, few
from tests.command import fsadvisor
from tests.paths import FIXTURES, ROOT

HERE = ROOT / "tests" / "finding"
RULES = own_rulebook().rules
PHRASINGS = [
    tuple(line.split("\t"))
    for name in ("phrasings.tsv", "held_out.tsv")
    for line in (HERE / name).read_text("utf-8").splitlines()
]
PARTS = 5
MACHINE = str(FIXTURES / "machines" / "ext4-nobarrier")


def keys(typed, here=None):
    return [one.key for one in found(typed, RULES, here)]


def run(*argv):
    return fsadvisor(*argv, "--on", MACHINE).stdout.decode()


def test_there_are_1757_phrasings_and_none_twice():
    assert len({typed for typed, _ in PHRASINGS}) == len(PHRASINGS) == 1757


@pytest.mark.parametrize("part", few(range(PARTS), PARTS))
def test_a_phrasing_leads_to_its_page_within_three_lines(part):
    assert [typed for typed, right in PHRASINGS[part::PARTS] if not set(keys(typed)[:3]) & set(right.split())] == []


def test_what_the_index_leads_to_is_there():
    known = {rule.id for rule in RULES} | set(places())
    assert [key for one in index()["symptom"] for key in one["leads"] if key not in known] == []


@each("place", sorted(index()["place"]))
def test_a_command_of_the_index_is_one(place):
    parsed(places()[place][0].split()[1:])


def test_every_rule_is_found_by_its_id_first():
    assert [rule.id for rule in RULES if keys(rule.id)[:1] != [rule.id]] == []


@each(("typed", "meant"), [("fsnyc", "fsync"), ("iowat", "iowait"), ("noattime", "noatime"), ("inods", "inodes")])
def test_one_letter_mistyped_is_forgiven(typed, meant):
    assert keys(meant)[0] in keys(typed)[:3]


@each(
    ("typed", "another"),
    [
        ("deleted 300 GB of old backups, df still shows 98 % used, is it snapshots? zfs", "old-style-snapshot"),
        ("is doublewrite of mysql needed", "postgresql-full-page-writes-off"),
        ("no space left on device but df shows 86G free btrfs", "ext4-inodes-nearly-gone"),
    ],
)
def test_a_filesystem_that_is_named_leads_to_no_rule_of_another(typed, another):
    assert another not in keys(typed)[:3]


@each(
    ("typed", "same"), [("pg on a folder", "postgresql on a directory"), ("k8s lost db", "kubernetes loses databases")]
)
def test_words_that_mean_the_same_lead_to_the_same(typed, same):
    assert keys(typed) == keys(same)


def test_scattered_letters_find_nothing():
    assert keys("qzjxv") == keys("f s y n c x q") == keys("") == []


@each(
    ("pasted", "meant"),
    [
        ("md0 : active raid5 sdc1[2] sdb1[1] [3/2] [_UU]", "md-degraded"),
        ("DegradedArray event on /dev/md0", "md-degraded"),
        ("mpt2sas12: log_info(0x31120303)", "disk-resets-in-log"),
    ],
)
def test_signs_of_tools_and_kernels_are_words(pasted, meant):
    assert keys(pasted)[0] == meant


def test_a_whole_array_is_not_degraded():
    assert "md-degraded" not in keys("md0 : active raid1 sdb1[1] sda1[0] [2/2] [UU]")


def test_a_rule_that_has_few_of_the_words_is_no_answer():
    assert keys("the old printer of our office is upside down") == ["doctor"]
    assert keys("max_sectors_kb raid tuning") == ["doctor"]


def test_what_no_rule_asks_is_said_first_and_in_a_line():
    said = run("find", "umount:", "target", "is", "busy")
    assert said.startswith("No rule asks for this\n  - what is in use: who keeps it: `fuser -vm PATH`")
    assert "On this machine" not in said
    said = run("find", "failed to add watch: no space left on device")
    assert said.index("inotify watches") < said.index("On this machine") < said.index("doctor full")


def test_what_applies_to_nothing_here_comes_last():
    first = keys("trim")[0]
    here = {rule.id: Here(Outcome.OK, "not so here") for rule in RULES}
    after = keys("trim", {**here, first: Here(Outcome.NOT_APPLICABLE, "applies to nothing here")})
    assert after[-1] == first
    assert set(after) == set(keys("trim", here))


def test_the_answer_of_this_machine_stands_first():
    assert run("find", "nobarrier").splitlines()[:2] == [
        "On this machine",
        "  - nobarrier-unproven: nobarrier above a write cache without proven PLP",
    ]


def test_explain_finds_words_that_are_no_rule():
    assert run("explain", "safe", "to", "use", "nobarrier") == run("find", "safe to use nobarrier")


def test_rules_are_listed_with_their_state():
    every = run("rules")
    assert all(f"- {rule.id}:" in every for rule in RULES)
    some = " ".join(run("rules", "barriers").split())
    assert "nobarrier-unproven" in some
    assert "(advised: " in some
    assert len(some) < len(every)


@pytest.mark.parametrize("argv", [("find", "qzjxv"), ("rules", "qzjxv"), ("explain", "qzjxv")])
def test_words_that_lead_nowhere_are_refused(argv):
    done = fsadvisor(*argv)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1
