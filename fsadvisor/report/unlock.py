"""What unlocks advice that is held back, in one line: the question or the command that comes first."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from fsadvisor.catalogue import catalogue
from fsadvisor.facts import Cause
from fsadvisor.pages.text import counted, listed
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.storage import Disk
from fsadvisor.storage.about import CHECKLISTS
from fsadvisor.survey import look

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fsadvisor.facts import Unknown
    from fsadvisor.report.findings import Finding
    from fsadvisor.storage import Subject

_ATTEST = "fsadvisor attest"


def words(finding: Finding) -> str:
    """'answer 5 questions on one page: fsadvisor attest --checklist plp nvme0n1'; '' where nothing would unlock it."""
    if finding.outcome is not Outcome.WITHHELD:
        return ""
    unknown: dict[str, Unknown] = {}
    for verdict in finding.verdicts:
        unknown |= verdict.to_learn()
    if any(fact.cause is Cause.BEING_ASKED for fact in unknown.values()):
        return ""
    people = [name for name, fact in unknown.items() if fact.cause is Cause.NOT_ATTESTED and catalogue()[name].attested]
    steps = dict.fromkeys(fact.learn for name, fact in unknown.items() if name not in people and fact.learn)
    asked = _ask_people(people, list(finding.subjects))
    return "; then ".join((*list(steps)[:1], *filter(None, (_more(len(steps) - 1), asked))))


def _more(steps: int) -> str:
    return f"{counted(steps, 'step')} more, told below" if steps > 0 else ""


def _ask_people(facts: list[str], subjects: list[Subject]) -> str:
    if not facts:
        return ""
    number = counted(len(facts), "question")
    name = next((name for name, every in CHECKLISTS.items() if set(facts) <= set(every)), None)
    if name is not None and any(fact.startswith("disk.") for fact in facts):
        return f"answer {number} on one page: {_ATTEST} --checklist {name} {shlex.quote(_drives(subjects))}"
    return f"answer {number}: {listed(_command(fact, subjects[0]) for fact in facts)}"


def _command(fact: str, subject: Subject) -> str:
    namespace = fact.partition(".")[0]
    places = (at for at in (subject.id, *subject.below) if at.partition(":")[0] == namespace)
    at = next(places, namespace)
    return f"{_ATTEST} {fact} {shlex.quote(at)} ANSWER --by WHO --because WHY"


def _drives(subjects: Iterable[Subject]) -> str:
    """The name of the one disk; the model of several, where they are of one."""
    every = list(subjects)
    models = {look.value(disk.model) for it in every if isinstance(disk := it.scope.get("disk"), Disk)}
    one = models.pop() if len(every) > 1 and len(models) == 1 else None
    return one or every[0].name
