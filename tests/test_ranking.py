"""What stands behind what: causes, what waits until something is repaired, and the health gate."""

import json
from datetime import date

import pytest
from msgspec.structs import replace

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.report.findings import findings
from fsadvisor.rulebook import gate
from fsadvisor.rulebook.advise import advise, judge
from fsadvisor.rulebook.mutants import imagined
from fsadvisor.rulebook.ranking import (
    MEASURED_GAIN,
    NOTHING_MEASURED,
    ORDER,
    REST,
    rank_of,
    reason_of,
    urgency_of,
    weight,
)
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, Outcome
from fsadvisor.storage import Storage, Waiver
from fsadvisor.survey import soundness
from tests.cases import each, few
from tests.command import fsadvisor
from tests.machines.replay import FOLDERS, RULES, audit, reports

BY_ID = {rule.id: rule for rule in RULES}
REWRITING = [
    (rule, example)
    for rule in RULES
    if rule.remedy.rewrites
    for example in rule.examples
    if example.expect is Outcome.ADVISE and not judge(rule, imagined(rule, example.facts)).open_answers()
]


def example(rule, expect=Outcome.ADVISE):
    """The facts of the first example of a rule that gets that verdict."""
    return next(one.facts for one in BY_ID[rule].examples if one.expect is expect)


def subjects(*stack):
    """Subjects from the bottom up, each on the one before: (rule, id)."""
    made, under = [], ()
    for rule, at in stack:
        made.append(replace(imagined(BY_ID[rule], example(rule)), id=at, name=at.partition(":")[2], below=under))
        under = (at,)
    return tuple(made)


def found(*stack, waivers=()):
    storage = Storage(machine="test", subjects=subjects(*stack), waivers=waivers)
    return findings(advise(storage, [BY_ID[rule] for rule, _ in stack]))


def test_what_follows_from_a_cause_below_is_told_below_it():
    (cause,) = found(("drive-failing", "disk:sda"), ("filesystem-errors", "filesystem:/dev/sda"))
    assert cause.rule.id == "drive-failing"
    assert [one.rule.id for one in cause.consequences] == ["filesystem-errors"]


def test_what_stands_on_other_drives_follows_from_nothing_here():
    disk, other = subjects(("drive-failing", "disk:sda"))[0], subjects(("filesystem-errors", "filesystem:/dev/sdb"))[0]
    rules = [BY_ID["drive-failing"], BY_ID["filesystem-errors"]]
    told = findings(advise(Storage(machine="test", subjects=(disk, other)), rules))
    assert [one.rule.id for one in told] == ["drive-failing", "filesystem-errors"]


def test_a_gain_waits_until_what_it_stands_on_is_repaired_and_shows_no_command():
    (cause,) = found(("drive-failing", "disk:sda"), ("btrfs-discard-at-commit", "filesystem:/dev/sda"))
    (gain,) = cause.waiting
    assert gain.verdicts[0].instructions().now == ()
    assert gain.verdicts[0].instructions().no_commands == "first fix sda: SMART health check failed"


def test_nothing_waits_for_what_somebody_has_accepted():
    accepted = Waiver(
        rule="drive-failing", subject="disk:sda", by="x", on=date(2026, 1, 1), until=date(2099, 1, 1),
        because="x", place="waiver 1",
    )  # fmt: skip
    told = found(("drive-failing", "disk:sda"), ("btrfs-discard-at-commit", "filesystem:/dev/sda"), waivers=(accepted,))
    assert [one.rule.id for one in told] == ["drive-failing", "btrfs-discard-at-commit"]


@each(("rule", "case"), REWRITING)
def test_no_remedy_that_rewrites_shows_a_command_where_a_gate_is_shut_or_unknown(rule, case):
    for name, value in gate.OPEN.items():
        for shut in (not value, None):
            subject = imagined(rule, {**case.facts, name: shut})
            if shut is None:
                space, _, field = name.partition(".")
                if space not in subject.scope:
                    continue
                unknown = {field: Unknown(Cause.NOT_EXPOSED, "")}
                subject = replace(subject, scope={**subject.scope, space: replace(subject.scope[space], **unknown)})
            verdict = judge(rule, subject)
            asked = name.partition(".")[0] in subject.scope
            assert bool(verdict.open_answers()) is asked
            assert not asked or verdict.instructions().now == ()


@pytest.mark.parametrize("folder", few(FOLDERS, 6), ids=lambda folder: folder.name)
def test_on_no_machine_a_remedy_rewrites_data_while_something_below_is_sick(folder):
    for verdict in audit(folder)[2]:
        if verdict.outcome in CALLS_FOR_ACTION and verdict.rule.remedy.rewrites:
            scope = verdict.subject.scope
            well = [
                getattr(scope[name.partition(".")[0]], name.partition(".")[2])
                for name in gate.OPEN
                if name.partition(".")[0] in scope
            ]
            expected = [value for name, value in gate.OPEN.items() if name.partition(".")[0] in scope]
            if not all(
                isinstance(fact, Known) and fact.value is value for fact, value in zip(well, expected, strict=True)
            ):
                assert verdict.instructions().now == (), verdict.rule.id


@pytest.mark.parametrize("folder", few(FOLDERS, 6), ids=lambda folder: folder.name)
def test_no_two_findings_of_a_machine_explain_each_other(folder):
    verdicts = audit(folder)[2]
    for finding in findings(verdicts):
        for verdict in finding.verdicts:
            assert verdict.behind is None, finding.rule.id


def test_the_json_says_what_a_finding_stands_behind():
    folder = next(it for it in FOLDERS if it.name == "raid-lvm-crypt-server")
    told = {one["rule"]: one.get("behind") for one in json.loads(reports(folder)["report.json"])["verdicts"]}
    assert told["discards-never-sent"] == {"why": "first", "rule": "md-degraded", "subject": "layer:md0"}
    assert told["md-degraded"] is None


def test_rules_name_only_rules_as_causes():
    for rule in RULES:
        assert set(rule.explained_by) <= set(BY_ID), rule.id


def test_the_order_can_be_recited():
    printed = fsadvisor("explain", "order").stdout.decode()
    assert [line[5:] for line in printed.splitlines()[2 : 2 + len(ORDER)]] == list(ORDER.values())


GAIN = next(rule for rule in RULES if rule.kind == "gain" and not rule.urgency)
HYGIENE = next(rule for rule in RULES if rule.kind == "hygiene" and not rule.urgency)


def test_a_measured_gain_stands_before_the_rest_from_five_percent_on():
    assert urgency_of(GAIN, Outcome.ADVISE, 95) == MEASURED_GAIN
    assert urgency_of(GAIN, Outcome.ADVISE, 96) == REST
    assert urgency_of(GAIN, Outcome.ADVISE) == REST
    assert rank_of(GAIN, Outcome.ADVISE, "disk:a", 50) < rank_of(GAIN, Outcome.ADVISE, "disk:a", 95)


def test_only_a_gain_that_calls_for_action_is_a_measured_one():
    assert urgency_of(GAIN, Outcome.OK, 50) == REST
    assert urgency_of(HYGIENE, Outcome.ADVISE, 50) == REST


def test_findings_are_equals_where_only_their_subjects_differ():
    one, other = rank_of(GAIN, Outcome.ADVISE, "disk:a"), rank_of(GAIN, Outcome.ADVISE, "disk:b")
    assert one < other
    assert weight(one) == weight(other)
    assert weight(one) != weight(rank_of(HYGIENE, Outcome.ADVISE, "disk:a"))
    assert weight(one) != weight(rank_of(GAIN, Outcome.WITHHELD, "disk:a"))


def test_a_waived_finding_s_reason_says_so_last():
    said = reason_of(GAIN, Outcome.ADVISE, waived=True, left=NOTHING_MEASURED, gain_percent=None)
    assert said.endswith("; waived")
    assert said.removesuffix("; waived") == reason_of(
        GAIN, Outcome.ADVISE, waived=False, left=NOTHING_MEASURED, gain_percent=None
    )


def test_a_virtual_drive_is_neither_well_nor_sick():
    storage = audit(next(it for it in FOLDERS if it.name == "cloud-vm"))[1]
    disk = next(subject.scope["disk"] for subject in storage.subjects if subject.kind == "disk")
    assert isinstance(soundness.failing(disk), Unknown)
