"""Verdicts follow the table of the design, and their order can be recited."""

import itertools

from msgspec.structs import replace

from fsadvisor.facts import FALSE, TRUE, UNKNOWN, Unknown
from fsadvisor.rulebook.advise import Outcome, Rank, advise, judge, reason
from fsadvisor.rulebook.expr import compile_expression
from fsadvisor.rulebook.laws import failures
from fsadvisor.rulebook.mutants import imagined
from fsadvisor.rulebook.remedy import Remedy, command_template
from fsadvisor.rulebook.rule import Ask, Example, Rule
from fsadvisor.rulebook.shape import Gain
from fsadvisor.storage import Storage
from fsadvisor.storage.catalogue import catalogue
from tests.cases import each

# The three asks of the rule below, each a fact of its own.
FACT = {"applies": "disk.removable", "checks": "disk.rotational", "safety": "disk.read_only"}
REMEDY = Remedy(
    needs="online",
    now=(command_template("echo 1 > /sys/block/{disk.name}/x", "disk"),),
    keep=(),
    undo=(),
    verify=(),
    advice="in words",
    then={},
)


def ask(part, text, subject="disk"):
    return Ask(part, f"{part}?", compile_expression(text, subject))


def a_rule(subject="disk", **changes):
    asks = {part: (ask(part, name),) for part, name in FACT.items()} if subject == "disk" else {}
    if subject != "disk":
        asks = {"applies": (), "checks": (ask("checks", f"not {SOME_FACT[subject]}", subject),), "safety": ()}
    fields = {
        "id": "a-rule",
        "title": "A rule",
        "kind": "gain",
        "subject": subject,
        "severity": "low",
        "status": "trial",
        "why": "Because.",
        **asks,
        "gain": None,
        "remedy": REMEDY,
        "references": (),
        "examples": (),
        "errata": (),
        "file": "a-rule.toml",
    }
    return Rule(**{**fields, **changes})


SOME_FACT = {"host": "host.virtual", "mount": "mount.root", "filesystem": "filesystem.journal"}


def facts(applies, checks, safety):
    answers = {"applies": applies, "checks": checks, "safety": safety}
    return {FACT[part]: truth is TRUE for part, truth in answers.items() if truth is not UNKNOWN}


def expected(applies, checks, safety):
    if applies is FALSE:
        return Outcome.NOT_APPLICABLE
    if checks is FALSE:
        return Outcome.OK
    if UNKNOWN in (applies, checks):
        return Outcome.UNDETERMINED
    return {TRUE: Outcome.ADVISE, FALSE: Outcome.BLOCKED, UNKNOWN: Outcome.WITHHELD}[safety]


TRUTHS = list(itertools.product((TRUE, FALSE, UNKNOWN), repeat=3))


def verdict_on(rule, known):
    return judge(rule, imagined(rule, known))


@each(("applies", "checks", "safety"), TRUTHS)
def test_the_verdict_is_that_of_the_table(applies, checks, safety):
    verdict = verdict_on(a_rule(), facts(applies, checks, safety))
    assert verdict.outcome is expected(applies, checks, safety)


@each(("applies", "checks", "safety"), TRUTHS)
def test_a_risk_is_told_whatever_safety_says(applies, checks, safety):
    verdict = verdict_on(a_rule(kind="risk"), facts(applies, checks, safety))
    without_safety = expected(applies, checks, TRUE)
    assert verdict.outcome is without_safety


@each("kind", ["risk", "gain", "hygiene"])
@each(("applies", "checks", "safety"), TRUTHS)
def test_commands_are_shown_only_where_every_answer_is_yes(kind, applies, checks, safety):
    verdict = verdict_on(a_rule(kind=kind), {**facts(applies, checks, safety), "disk.name": "sda"})
    instructions = verdict.instructions()
    if (applies, checks, safety) == (TRUE, TRUE, TRUE):
        assert instructions.now == ("echo 1 > /sys/block/sda/x",)
        assert instructions.no_commands == ""
    else:
        assert instructions.now == ()
        assert instructions.no_commands
    assert instructions.advice == "in words"


def test_a_verdict_shows_its_answers_and_the_facts_behind_them():
    verdict = verdict_on(a_rule(), facts(TRUE, TRUE, UNKNOWN))
    assert [(answer.ask.part, answer.truth) for answer in verdict.answers()] == [
        ("applies", TRUE),
        ("checks", TRUE),
        ("safety", UNKNOWN),
    ]
    assert list(verdict.facts()) == ["disk.removable", "disk.rotational", "disk.read_only"]
    assert verdict.facts()["disk.removable"].value is True


def test_a_verdict_that_could_not_be_told_says_what_to_learn():
    undetermined = verdict_on(a_rule(), facts(TRUE, UNKNOWN, UNKNOWN))
    assert list(undetermined.to_learn()) == ["disk.rotational"]
    withheld = verdict_on(a_rule(), facts(TRUE, TRUE, UNKNOWN))
    assert list(withheld.to_learn()) == ["disk.read_only"]
    assert all(isinstance(fact, Unknown) for fact in withheld.to_learn().values())
    assert withheld.instructions().no_commands == "safety? not known"
    blocked = verdict_on(a_rule(), facts(TRUE, TRUE, FALSE))
    assert blocked.to_learn() == {}
    assert blocked.instructions().no_commands == "safety? no"


def on_one_disk(rules, known, **options):
    subject = imagined(a_rule(), known)
    return advise(Storage(machine="test", subjects=(subject,)), rules, **options)


def test_drafts_and_retired_rules_do_not_run():
    rules = [a_rule(id=status, status=status) for status in ("draft", "trial", "settled", "retired")]
    assert [verdict.rule.id for verdict in on_one_disk(rules, facts(TRUE, TRUE, TRUE))] == ["settled", "trial"]


def test_rules_that_do_not_apply_are_listed_when_asked_for():
    known = facts(FALSE, TRUE, TRUE)
    assert not on_one_disk([a_rule()], known)
    assert [verdict.outcome for verdict in on_one_disk([a_rule()], known, every=True)] == [Outcome.NOT_APPLICABLE]


def test_a_rule_judges_subjects_of_its_own_kind_only():
    host = imagined(a_rule("host"), {"host.virtual": False})
    disk = imagined(a_rule(), facts(TRUE, TRUE, TRUE))
    verdicts = advise(Storage(machine="test", subjects=(host, disk)), [a_rule(id="d"), a_rule("host", id="h")])
    assert [(verdict.rule.id, verdict.subject.kind) for verdict in verdicts] == [("h", "host"), ("d", "disk")]


def graded(**changes):
    """A rule on a disk whose rank differs from that of others in what the changes say."""
    gain = Gain(metric="x", basis=changes.pop("basis", "documented"))
    needs = changes.pop("needs", "online")
    return a_rule(gain=gain, remedy=replace(REMEDY, needs=needs), **changes)


@each(
    ("first", "second"),
    [
        ({"urgency": "losing", "severity": "moderate"}, {"urgency": "errors", "severity": "critical"}),
        ({"urgency": "errors", "severity": "moderate"}, {"urgency": "power-cut", "severity": "critical"}),
        ({"urgency": "power-cut", "severity": "moderate"}, {"urgency": "boot", "severity": "critical"}),
        ({"urgency": "boot", "severity": "moderate"}, {"urgency": "stall", "severity": "critical"}),
        ({"urgency": "stall", "severity": "moderate"}, {"kind": "risk", "severity": "critical"}),
        ({"urgency": "losing", "needs": "hardware"}, {"urgency": "boot", "needs": "online"}),
        ({"kind": "gain", "severity": "critical"}, {"kind": "risk", "severity": "low"}),
        ({"kind": "risk"}, {"kind": "gain"}),
        ({"kind": "gain"}, {"kind": "hygiene"}),
        ({"severity": "critical", "basis": "reported"}, {"severity": "high", "basis": "measured"}),
        ({"severity": "high"}, {"severity": "moderate"}),
        ({"severity": "moderate"}, {"severity": "low"}),
        ({"basis": "measured", "needs": "hardware"}, {"basis": "documented"}),
        ({"basis": "documented"}, {"basis": "reported"}),
        ({"needs": "online"}, {"needs": "remount"}),
        ({"needs": "unmount"}, {"needs": "reboot"}),
        ({"needs": "reformat"}, {"needs": "hardware"}),
        ({"id": "a"}, {"id": "b"}),
    ],
)
def test_of_two_findings_that_comes_first_which_the_design_puts_first(first, second):
    rules = [graded(**{"id": "a", **second}), graded(**{"id": "z", **first})]
    verdicts = on_one_disk(rules, facts(TRUE, TRUE, TRUE))
    assert [verdict.rule for verdict in verdicts] == rules[::-1]


def test_a_gain_that_waits_for_an_answer_comes_before_a_smaller_one_that_can_be_had_at_once():
    withheld = graded(id="z", severity="moderate")
    advised = graded(id="a", severity="low", safety=())
    verdicts = on_one_disk([advised, withheld], facts(TRUE, TRUE, UNKNOWN))
    assert [verdict.outcome for verdict in verdicts] == [Outcome.WITHHELD, Outcome.ADVISE]


def test_a_critical_blocked_gain_comes_after_a_low_one_that_is_advised():
    blocked = graded(id="a", severity="critical")
    advised = graded(id="b", severity="low", safety=())
    verdicts = on_one_disk([blocked, advised], facts(TRUE, TRUE, FALSE))
    assert [verdict.outcome for verdict in verdicts] == [Outcome.ADVISE, Outcome.BLOCKED]


def test_what_calls_for_action_comes_before_what_could_not_be_told_and_what_passed():
    told = graded(id="a", kind="hygiene", checks=())
    open_risk = graded(id="b", kind="risk", severity="critical", checks=(ask("checks", "disk.fua"),))
    passed = graded(id="c", kind="risk", severity="critical", checks=(ask("checks", "not disk.removable"),))
    verdicts = on_one_disk([passed, open_risk, told], facts(TRUE, TRUE, TRUE))
    assert [verdict.outcome for verdict in verdicts] == [Outcome.ADVISE, Outcome.UNDETERMINED, Outcome.OK]


def test_the_reason_of_a_rank_is_told_in_words():
    verdict = verdict_on(graded(kind="risk", severity="critical", needs="unmount"), facts(TRUE, TRUE, TRUE))
    assert reason(verdict) == "critical risk; documented, not measured here; needs an unmount"
    assert verdict.rank() == Rank(0, 6, 100, 0, 0, 0, 1, 3, 1, "a-rule", "disk:example")


SHARE = "disk.flush_share_percent"


def measurable(**changes):
    """A rule whose gain a probe tells."""
    return replace(graded(**changes), measured=catalogue()[SHARE])


def test_a_gain_that_was_measured_here_comes_before_any_that_was_not_and_larger_ones_first():
    rules = [graded(id="a", basis="measured"), measurable(id="b")]
    known = facts(TRUE, TRUE, TRUE)
    small, large = imagined(rules[1], {**known, SHARE: 14.0}), imagined(rules[1], {**known, SHARE: 36.0})
    storage = Storage(machine="test", subjects=(replace(small, id="disk:a"), replace(large, id="disk:z")))

    found = [(verdict.rule.id, verdict.subject.id) for verdict in advise(storage, rules)]
    assert found == [("b", "disk:z"), ("b", "disk:a"), ("a", "disk:a"), ("a", "disk:z")]


def test_a_measured_gain_comes_before_a_graver_one_that_nobody_measured_but_not_where_it_is_small():
    rules = [measurable(id="a", severity="low"), graded(id="b", severity="moderate")]

    assert [verdict.rule.id for verdict in on_one_disk(rules, {**facts(TRUE, TRUE, TRUE), SHARE: 90.0})] == ["a", "b"]
    assert [verdict.rule.id for verdict in on_one_disk(rules, {**facts(TRUE, TRUE, TRUE), SHARE: 4.0})] == ["b", "a"]


def test_a_gain_that_was_measured_here_is_the_first_of_its_figures():
    verdict = verdict_on(measurable(), {**facts(TRUE, TRUE, TRUE), SHARE: 36.0})

    assert verdict.gain().basis == "measured"
    assert verdict.gain().figures[0].says.startswith("36 % at most: share of an fsync")
    assert verdict.gain().figures[0].source == "measured here"
    assert verdict.gain().figures[1:] == verdict.rule.gain.figures
    assert reason(verdict) == "low gain; 36 % measured here; no interruption"
    assert verdict.rank().gain == 64


def test_what_nobody_measured_keeps_its_basis_and_nothing_to_do_has_no_gain_measured():
    open_one = verdict_on(measurable(), facts(TRUE, TRUE, TRUE))
    passed = verdict_on(measurable(), {**facts(TRUE, FALSE, TRUE), SHARE: 36.0})

    assert open_one.measured is passed.measured is None
    assert open_one.gain() is open_one.rule.gain
    assert open_one.rank().gain == 100


def test_an_example_that_gets_another_verdict_is_told():
    examples = (
        Example("right", Outcome.ADVISE, facts(TRUE, TRUE, TRUE)),
        Example("wrong", Outcome.ADVISE, facts(TRUE, FALSE, TRUE)),
    )
    assert list(failures(a_rule(examples=examples))) == ["example 'wrong': ok, not advise"]
