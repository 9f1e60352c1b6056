"""Which findings a plan is made of: by rule, by subject, and why one is not planned."""

from datetime import date

import pytest
from msgspec.structs import replace

from fsadvisor.facts import Cause, Unknown
from fsadvisor.plan.planning import ChoiceError, chosen, made
from fsadvisor.plan.script import plan_script
from fsadvisor.storage import Waiver
from tests.cases import each
from tests.plan import composed
from tests.plan.composed import TEXTS, mounted, planned, remounts, rule, server
from tests.report.composed import host, machine
from tests.told import ToldMachine


def names(storage, *wanted):
    rules = composed.RULES
    return [(it.rule.id, it.subject.name) for it in chosen(storage, rules, wanted)]


@each(
    ("wanted", "found"),
    [
        ("access-times", [("access-times", "/"), ("access-times", "/srv/my data")]),
        ("access-times:/", [("access-times", "/")]),
        ("access-times:mount:/", [("access-times", "/")]),
        ("barriers-off:/srv/my data", [("barriers-off", "/dev/sda")]),
        ("scheduler:/dev/nvme0n1", [("scheduler", "nvme0n1")]),
        ("no-trim:host", [("no-trim", "host")]),
    ],
)
def test_findings_are_chosen_by_rule_and_by_any_name_of_their_subject(wanted, found):
    assert names(server(), wanted) == found


def test_findings_are_chosen_once_and_stand_in_rank_order():
    assert names(server(), "access-times:/", "barriers-off", "access-times:/") == [
        ("barriers-off", "/dev/sda"),
        ("access-times", "/"),
    ]


@each(
    ("wanted", "says"),
    [
        ("acess-times", "no rule 'acess-times'; did you mean 'access-times'?"),
        ("access-times:/srv/my dat", "no mount '/srv/my dat'; did you mean '/srv/my data'?"),
        ("access-times:/srv/old", "its checks pass"),
        ("xfs-barrier:/", "its checks pass"),
    ],
)
def test_a_choice_that_can_not_be_planned_is_refused_with_the_reason(wanted, says):
    with pytest.raises(ChoiceError) as refused:
        names(server(), wanted)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("safety", "root", "says"),
    [("host.virtual", {}, "safety not known"), ("host.virtual", {"virtual": False}, "not safe here")],
)
def test_what_is_withheld_or_blocked_is_refused_with_the_open_question(safety, root, says):
    gain = remounts(
        "gain", "mount", "mount.atime == 'relatime'", "noatime", "atime,relatime", kind="gain", safety=safety
    )
    for name in ("gain", "gain:/"):
        with pytest.raises(ChoiceError, match=f"{says}: Is it safe"):
            chosen(server(**root), (gain,), [name])
    assert chosen(server(**root), (gain,), []) == ()


def test_a_rule_that_finds_nothing_or_is_a_draft_is_refused():
    quiet = rule("quiet", "host", "host.dirty_bytes == 1", advice="x")
    with pytest.raises(ChoiceError, match="quiet finds nothing here"):
        chosen(server(), (quiet,), ["quiet"])
    with pytest.raises(ChoiceError, match=r"can't be told: host\.virtual is not known"):
        chosen(server(), (rule("dim", "host", "host.virtual", advice="x"),), ["dim:host"])


def test_what_somebody_has_accepted_is_not_planned_unless_it_is_named():
    waiver = Waiver(
        rule="no-trim",
        subject="host",
        by="ann",
        on=date(2026, 1, 1),
        until=date(2026, 12, 31),
        because="a cron job does it",
        place="waiver 1",
    )
    storage = replace(server(), waivers=(waiver,))
    plan = planned(storage, (composed.TIMER,))
    assert not plan.scripted
    (refused,) = plan.refused
    assert refused.reason == "it is waived until 2026-12-31: a cron job does it"
    assert names(storage, "no-trim") == [("no-trim", "host")]


def test_two_findings_on_one_subject_are_both_chosen():
    assert names(server(), "barriers-off", "long-commit") == [("barriers-off", "/dev/sda"), ("long-commit", "/dev/sda")]


def test_the_other_mount_of_a_filesystem_is_not_taken_for_it():
    on = host()
    first = mounted("sda", "/a", on, atime="relatime")
    second = mounted("sda", "/b", on, atime="relatime")
    both = replace(
        first[0].scope["filesystem"],
        mount_points=replace(first[0].scope["filesystem"].mount_points, value=("/a", "/b")),
    )
    subjects = [replace(it, scope={**it.scope, "filesystem": both}) for it in (*first, second[1])]
    assert names(machine("m", on, *subjects), "access-times:/b") == [("access-times", "/b")]


def test_a_rule_that_does_not_apply_says_so():
    elsewhere = rule("elsewhere", "host", "host.dirty_bytes == 0", applies="host.dirty_bytes == 1", advice="x")
    with pytest.raises(ChoiceError, match="the rule does not apply"):
        chosen(server(), (elsewhere,), ["elsewhere:host"])


def test_what_would_tell_stands_beside_what_is_not_known():
    storage = server(virtual=Unknown(Cause.DENIED, "run it as root"), dirty_ratio=Unknown(Cause.NOT_EXPOSED, ""))
    dim = rule("dim", "host", "host.virtual and host.dirty_ratio > 1", advice="x")
    with pytest.raises(
        ChoiceError, match=r"host\.virtual is not known \(run it as root\), host\.dirty_ratio is not known$"
    ):
        chosen(storage, (dim,), ["dim:host"])


def test_a_plan_reads_what_the_machine_has_and_names_no_kernel_that_is_not_known():
    plan = made(
        ToldMachine(TEXTS), server(kernel_release=Unknown(Cause.DENIED, "")), (composed.ATIME,), ["access-times:/"]
    )
    assert [(step.findings[0].rule, step.findings[0].subject) for step in plan.steps] == [("access-times", "/")]
    assert plan.kernel == ""
    assert "Linux" not in plan_script(plan).splitlines()[1]
