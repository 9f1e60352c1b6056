"""Which findings a plan is for: those named on the command line, or all that are advised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.advise import RUNNING, advise, judge
from fsadvisor.catalogue import did_you_mean
from fsadvisor.facts import Known
from fsadvisor.rulebook.rule import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fsadvisor.advise import Verdict
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Storage, Subject

_FOUND = (Outcome.ADVISE, Outcome.WITHHELD, Outcome.BLOCKED)


class ChoiceError(Exception):
    """What was chosen is not there or can't be planned: one line for people."""


def chosen(storage: Storage, rules: Sequence[Rule], names: Iterable[str]) -> tuple[Verdict, ...]:
    """The verdicts to plan, in rank order. `names` are RULE or RULE:SUBJECT; none stands for all advice."""
    names = tuple(names)
    if not names:
        return tuple(it for it in advise(storage, rules) if it.outcome is Outcome.ADVISE)
    found = {(it.rule.id, it.subject.id): it for name in names for it in _named(storage, rules, name)}
    return tuple(sorted(found.values(), key=lambda it: it.rank()))


def _named(storage: Storage, rules: Sequence[Rule], name: str) -> list[Verdict]:
    """What one name of the command line stands for; ChoiceError where that can't be planned."""
    rule_id, colon, where = name.partition(":")
    rule = _rule(rules, rule_id)
    subjects = [it for it in storage.subjects if it.kind == rule.subject]
    if not colon:
        found = [it for it in (judge(rule, subject) for subject in subjects) if it.outcome in _FOUND]
        if not found:
            raise ChoiceError(f"{rule_id} finds nothing here")
        if not any(can_be_planned(it) for it in found):
            raise ChoiceError("; ".join(f"{rule_id}:{it.subject.name} is not planned: {why_not(it)}" for it in found))
        return found
    verdict = judge(rule, _subject(subjects, rule, where))
    if not can_be_planned(verdict):
        raise ChoiceError(f"{name} is not planned: {why_not(verdict)}")
    return [verdict]


def _rule(rules: Sequence[Rule], rule_id: str) -> Rule:
    rule = next((it for it in rules if it.id == rule_id), None)
    if rule is None:
        raise ChoiceError(f"no rule {rule_id!r}{did_you_mean(rule_id, [it.id for it in rules])}")
    if rule.status not in RUNNING:
        raise ChoiceError(f"rule {rule_id} is {rule.status}: only rules that run are planned")
    return rule


def _subject(subjects: Sequence[Subject], rule: Rule, where: str) -> Subject:
    names = {name: it for it in reversed(subjects) for name in _names(it)}
    if where not in names:
        raise ChoiceError(f"no {rule.subject} {where!r}{did_you_mean(where, names)}")
    return names[where]


def _names(subject: Subject) -> Iterable[str]:
    """All that people may call it: its id, its name, a device with /dev, a filesystem's mount points."""
    yield from (subject.id, subject.name, f"/dev/{subject.name}")
    points = getattr(subject.scope.get("filesystem"), "mount_points", None)
    if subject.kind == "filesystem" and isinstance(points, Known):
        yield from points.value


def can_be_planned(verdict: Verdict) -> bool:
    """Whether it is advice that may be acted upon, and nobody has accepted things as they are."""
    return verdict.waiver is None and verdict.outcome is Outcome.ADVISE and not verdict.instructions().no_commands


def why_not(verdict: Verdict) -> str:
    """Why a verdict can't be planned, in a clause."""
    if verdict.waiver is not None:
        return f"it is waived until {verdict.waiver.until}: {verdict.waiver.because}"
    if verdict.outcome in _FOUND:
        says = "" if verdict.outcome is Outcome.ADVISE else f"{verdict.outcome.value}: "
        return says + verdict.instructions().no_commands
    unknown = ", ".join(
        f"{name} is not known" + (f" ({it.learn})" if it.learn else "") for name, it in verdict.to_learn().items()
    )
    return _PASSED.get(verdict.outcome, f"it can't be told: {unknown}")


_PASSED = {Outcome.OK: "its checks pass, there is nothing to do", Outcome.NOT_APPLICABLE: "the rule does not apply"}
