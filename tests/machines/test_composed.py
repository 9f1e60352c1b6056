"""Composed machines: written as they are composed, and together with the recorded ones a proof that rules fire."""

import json

import pytest

from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, Outcome
from tests.cases import each
from tests.machines.compose import MACHINES, compose, compose_anew
from tests.machines.replay import FOLDERS, GOLDEN, RULES, audit, reports
from tests.paths import FIXTURES

DRIVE = "disk:nvme0n1"
DATA = "filesystem:/dev/nvme0n1p2"


def contents(folder):
    """Path -> text of every file but the golden reports."""
    files = (file for file in folder.rglob("*") if file.is_file() and file.name not in GOLDEN)
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def found_on(name):
    """(rule, subject) -> verdict, of what the report shows as a finding."""
    verdicts = audit(FIXTURES / "machines" / name)[2]
    return {(it.rule.id, it.subject.id): it.outcome for it in verdicts if it.outcome in CALLS_FOR_ACTION}


def text(name):
    """The report, on one line."""
    return " ".join(reports(FIXTURES / "machines" / name)["report.txt"].split())


@pytest.mark.parametrize("name", MACHINES)
def test_a_composed_machine_stands_as_it_is_composed(name, tmp_path, accepting):
    folder = FIXTURES / "machines" / name
    if accepting:
        compose_anew(name)
    compose(name, tmp_path / name)
    assert contents(tmp_path / name) == contents(folder)


@each("name", MACHINES)
def test_a_composed_machine_says_that_it_was_composed(name):
    assert "composed from field values" in (FIXTURES / "machines" / name / "machine.toml").read_text()


def test_most_rules_advise_something_on_some_machine():
    verdicts = [verdict for folder in FOLDERS for verdict in audit(folder)[2]]
    advising = {verdict.rule.id for verdict in verdicts if verdict.outcome is Outcome.ADVISE}
    silent = sorted({rule.id for rule in RULES} - advising)
    print(f"{len(advising)} rules advise; never: {', '.join(silent)}")
    assert len(advising) >= 100, silent


def test_where_the_cache_is_volatile_flushes_cost_and_the_override_waits_for_what_a_person_must_say():
    found = found_on("pm9a3-postgresql-volatile")
    assert found["flushes-on-protected-nvme", DRIVE] is Outcome.WITHHELD
    assert not any(rule.startswith("nobarrier-") for rule, _ in found)
    assert "The kernel sends flushes: up to 0.36 ms each, 31.0 % of the time since boot" in text(
        "pm9a3-postgresql-volatile"
    )


def test_where_people_have_said_all_that_the_drive_can_not_the_override_is_advised_with_its_watch():
    assert found_on("pm9a3-postgresql-attested")["flushes-on-protected-nvme", DRIVE] is Outcome.ADVISE
    assert "echo 'write through' > /sys/block/nvme0n1/queue/write_cache" in text("pm9a3-postgresql-attested")
    assert "fsadvisor-write-cache.timer" in text("pm9a3-postgresql-attested")


def test_what_probes_measured_stands_first_among_the_figures_and_says_when_it_holds_no_more():
    told = text("pm9a3-postgresql-measured")
    found = found_on("pm9a3-postgresql-measured")
    assert (
        found["postgresql-slower-wal-sync-method", "service:postgresql /var/lib/postgresql/16/main"] is Outcome.ADVISE
    )
    assert "35.9 % at most" in told  # commit-dsync saves of commit-fdatasync
    assert "46.2 % at most" in told  # an overwrite, of an append
    assert "43.5 % at most" in told  # the flush, of an fsync
    facts = told_of("pm9a3-postgresql-measured")
    assert facts["mount:/"]["mount.commit_us"]["learn"].endswith("has changed since")
    assert "is wider than ± 15 %" in facts["mount:/var/lib/postgresql"]["mount.random_read_us"]["learn"]
    assert facts["mount:/var/lib/postgresql"]["mount.random_write_iops"]["cause"] == "unreadable"
    assert "1 attestation, waiver or result ignored" in told


def told_of(name):
    """Subject -> its facts in the JSON report."""
    report = json.loads(reports(FIXTURES / "machines" / name)["report.json"])
    return {
        one["id"]: {**one["facts"], **{name: report["unknown"][at] for name, at in one["unknown"].items()}}
        for one in report["subjects"]
    }


def test_where_no_cache_is_volatile_barriers_cost_nothing():
    found = found_on("pm9a3-postgresql-no-volatile")
    assert not any(rule.startswith(("flushes-", "nobarrier-", "volatile-cache-")) for rule, _ in found)
    assert "The kernel sends no flushes: barriers cost nothing here" in text("pm9a3-postgresql-no-volatile")


def test_a_reader_of_seed_000_is_told_why_the_report_differs_from_it_by_the_pages_that_the_report_names():
    rules = {rule.id: rule for rule in own_rulebook().rules}
    assert {"E1", "E7", "E35"} <= set(rules["flushes-on-protected-nvme"].errata)
    assert "fsadvisor explain flushes-on-protected-nvme" in text("pm9a3-postgresql-volatile")
    followed = "pm9a3-postgresql-as-seed-000-says"
    assert found_on(followed)["nobarrier-without-gain", DATA] is Outcome.ADVISE
    assert found_on(followed)["ext4-long-commit", DATA] is Outcome.ADVISE
    assert {"E2", "E4"} <= set(rules["nobarrier-without-gain"].errata)
    assert "fsadvisor explain nobarrier-without-gain" in text(followed)


@each("name", MACHINES)
def test_no_composed_machine_lacks_a_tool_that_answers_it(name):
    folder = FIXTURES / "machines" / name / "commands"
    told = [json.loads(one.read_text()) for one in folder.glob("*.json")]
    answering = {one["argv"][0] for one in told if "status" in one}
    lacking = {one["argv"][0] for one in told if one.get("unknown", [""])[0] == "no_tool"}
    assert not answering & lacking
