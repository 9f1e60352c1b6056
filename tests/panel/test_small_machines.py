"""What holds on every small server: one stack with up to three traits that differ from a healthy one's."""

import shutil
from functools import cache

import pytest
from msgspec.structs import replace

from fsadvisor.facts import Known
from fsadvisor.machine.opening import open_machine
from fsadvisor.machine.recording import RecordingMachine
from fsadvisor.plan.planning import made
from fsadvisor.report.findings import findings
from fsadvisor.rulebook import gate
from fsadvisor.rulebook.advise import advise, judge
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, SILENT, Outcome
from fsadvisor.survey.whole import survey
from tests.panel import applied, archived, small

pytestmark = pytest.mark.long

RULES = own_rulebook().rules
SEVERITIES = ("critical", "high", "moderate", "low")
FAULTS = {
    "health: failing", "health: pending sectors", "health: worn", "health: hot", "layer: degraded mirror",
    "options: nobarrier", "full: used", "full: inodes", "program: postgresql without fsync", "load: stalled",
}  # fmt: skip
LOSING = {"health: failing": {"consumer nvme", "protected nvme", "slow nvme", "sata", "hard disk", "megaraid"}}
TRIPLES = list(small.sets(3))
PAIRS = list(small.sets(2))


def audited(spec):
    """The verdicts on a small server."""
    return advise(survey(small.machine(spec), {}), RULES)


@cache
def outcomes(traits):
    """(rule, subject) -> what is said, of a server with these traits; rules that do not apply are left out."""
    return {(one.rule.id, one.subject.id): one.outcome for one in audited(small.spec_of(traits))}


def without(traits, trait):
    return tuple(one for one in traits if one != trait)


def severity(rule):
    return SEVERITIES.index(next(one.severity for one in RULES if one.id == rule))


def gravest(said):
    return min((severity(rule) for (rule, _), outcome in said.items() if outcome is Outcome.ADVISE), default=4)


def test_there_are_thousands_of_them():
    assert len(TRIPLES) > 7000


def test_no_command_rewrites_or_unprotects_while_something_below_is_sick_or_unknown():
    wrong = []
    for traits in TRIPLES:
        for verdict in audited(small.spec_of(traits)):
            if verdict.outcome is Outcome.ADVISE and verdict.rule.remedy.rewrites and verdict.instructions().now:
                scope = verdict.subject.scope
                for fact, well in gate.OPEN.items():
                    space, _, name = fact.partition(".")
                    known = getattr(scope[space], name) if space in scope else Known(well, "")
                    if not (isinstance(known, Known) and known.value is well):
                        wrong.append((traits, verdict.rule.id, fact))
    assert wrong == []


def test_what_loses_data_now_stands_first():
    wrong = []
    for traits in TRIPLES:
        spec = small.spec_of(traits)
        seen = spec.drive in LOSING.get(f"health: {spec.health}", ()) and not (
            "smartctl" in spec.unread and spec.drive in ("sata", "hard disk")
        )
        if spec.layer == "degraded mirror" or seen:
            first = findings(audited(spec))[0].rule
            if first.urgency != "losing":
                wrong.append((traits, first.id))
    assert wrong == []


def test_a_fault_more_never_lowers_the_gravest_severity():
    wrong = []
    for traits in TRIPLES:
        worst = gravest(outcomes(traits))
        faults = FAULTS.intersection(traits)
        wrong += [(traits, fault) for fault in faults if worst > gravest(outcomes(without(traits, fault)))]
    assert wrong == []


def test_what_may_not_be_read_never_advises_and_never_calms():
    wrong = []
    for traits in TRIPLES:
        for unread in (one for one in traits if one.startswith("unread")):
            known, blind = outcomes(without(traits, unread)), outcomes(traits)
            for key, outcome in blind.items():
                before = known.get(key, Outcome.NOT_APPLICABLE)
                if outcome is Outcome.ADVISE and before not in CALLS_FOR_ACTION:
                    wrong.append(("advises", traits, key, before))
                if outcome in SILENT and before in CALLS_FOR_ACTION:
                    wrong.append(("calms", traits, key, before))
    assert wrong == []


OF_SEVERAL_DISKS = {"fstab-kernel-name"}
"""Rules that any second disk makes true: kernel names are given in the order in which disks are found."""


def test_an_unrelated_healthy_disk_changes_nothing():
    wrong = []
    for traits in PAIRS:
        more = audited(small.spec_of(traits, healthy_beside=2))
        said = {(one.rule.id, one.subject.id): one.outcome for one in more}
        wrong += [
            (traits, key, said.get(key))
            for key, outcome in outcomes(traits).items()
            if said.get(key) != outcome and key[0] not in OF_SEVERAL_DISKS
        ]
        wrong += [
            (traits, key)
            for key, outcome in said.items()
            if key not in outcomes(traits) and outcome in CALLS_FOR_ACTION and key[0] not in OF_SEVERAL_DISKS
        ]
    assert wrong == []


def test_other_device_names_change_names_only():
    wrong = []
    for traits in PAIRS:
        renamed = audited(small.spec_of(traits, at=1))
        if sorted((one.rule.id, one.outcome.value) for one in renamed) != sorted(
            (rule, outcome.value) for (rule, _), outcome in outcomes(traits).items()
        ):
            wrong.append(traits)
    assert wrong == []


def test_a_recording_of_it_says_the_same(tmp_path):
    wrong = []
    for number, traits in enumerate(PAIRS):
        live = RecordingMachine(small.machine(small.spec_of(traits)))
        survey(live, {})
        place = tmp_path / str(number)
        live.write(place)
        recorded = advise(survey(open_machine(place), {}), RULES)
        shutil.rmtree(place)
        said = {(one.rule.id, one.subject.id): one.outcome for one in recorded}
        wrong += [
            (traits, key, said.get(key), outcomes(traits).get(key))
            for key in said.keys() | outcomes(traits).keys()
            if said.get(key) != outcomes(traits).get(key)
        ]
    assert wrong == []


UNPROVEN = {"nobarrier-unproven", "nobarrier-on-protected-drives"}
"""What hangs on protection being proven: an archive without the RAID controller's word proves none."""


def test_an_archive_of_it_advises_nothing_else_and_calms_nothing(tmp_path):
    wrong, advised = [], 0
    for number, traits in enumerate(PAIRS):
        top = archived.write(small.machine(small.spec_of(traits)), tmp_path / str(number))
        verdicts = advise(survey(open_machine(top), {}), RULES)
        shutil.rmtree(top)
        said = {(one.rule.id, one.subject.name): one.outcome for one in verdicts}
        live = {(one.rule.id, one.subject.name): one.outcome for one in audited(small.spec_of(traits))}
        advised += sum(outcome is Outcome.ADVISE for outcome in said.values())
        for key in said.keys() & live.keys():
            if said[key] is Outcome.ADVISE and live[key] not in CALLS_FOR_ACTION and key[0] not in UNPROVEN:
                wrong.append((traits, key, "advises", live[key].value))
            if said[key] in SILENT and live[key] in CALLS_FOR_ACTION and key[0] not in UNPROVEN:
                wrong.append((traits, key, "calms", live[key].value))
        wrong += [(traits, key, "new") for key in said.keys() - live.keys() if said[key] is Outcome.ADVISE]
    assert wrong == []
    assert advised > 500


def test_a_plans_commands_silence_what_is_planned_and_raise_nothing_as_grave():
    wrong, planned = [], 0
    for traits in PAIRS:
        machine = small.machine(small.spec_of(traits))
        plan = made(machine, survey(machine, {}), RULES, ())
        changed = [it for step in plan.steps for it in step.findings]
        changed += [it for file in plan.files for it in file.findings] + list(plan.fstab.findings if plan.fstab else ())
        by_hand = {(it.finding.rule, it.finding.subject) for it in plan.manual}
        verdicts = advise(survey(applied.after(machine, plan), {}), RULES)
        now = {(it.rule.id, it.subject.name): it.outcome for it in verdicts}
        wrong += [
            (traits, it.rule, "still")
            for it in changed
            if (it.rule, it.subject) not in by_hand and now.get((it.rule, it.subject), Outcome.OK) not in SILENT
        ]
        before = {key for key, outcome in outcomes(traits).items() if outcome in CALLS_FOR_ACTION}
        gravest_planned = min((severity(it.rule) for it in changed), default=4)
        wrong += [
            (traits, it.rule.id, "new")
            for it in verdicts
            if it.outcome in CALLS_FOR_ACTION
            and (it.rule.id, it.subject.id) not in before
            and severity(it.rule.id) <= gravest_planned
        ]
        planned += len(changed)
    assert wrong == []
    assert planned > 300


def test_following_the_advice_silences_it_and_raises_nothing_graver():
    wrong = []
    for traits in PAIRS:
        for verdict in audited(small.spec_of(traits)):
            if verdict.outcome is not Outcome.ADVISE or not verdict.rule.remedy.then:
                continue
            scope = dict(verdict.subject.scope)
            for fact, value in verdict.rule.remedy.then.items():
                space, _, name = fact.partition(".")
                scope[space] = replace(scope[space], **{name: Known(value, "the remedy")})
            after = replace(verdict.subject, scope=scope)
            if judge(verdict.rule, after).outcome not in SILENT:
                wrong.append((traits, verdict.rule.id, "still"))
            graver = [
                rule for rule in RULES if rule.subject == after.kind and severity(rule.id) < severity(verdict.rule.id)
            ]
            wrong += [
                (traits, verdict.rule.id, rule.id)
                for rule in graver
                if judge(rule, after).outcome is Outcome.ADVISE
                and judge(rule, verdict.subject).outcome is not Outcome.ADVISE
            ]
    assert wrong == []
