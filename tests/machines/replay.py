"""Recorded machines, audited as the command line does it, and what is kept of their reports."""

import functools
import sys
from pathlib import Path

import msgspec
from msgspec import structs

from fsadvisor.facts import Unknown
from fsadvisor.report.as_json import as_json
from fsadvisor.report.as_text import as_text
from fsadvisor.report.model import Provenance
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.survey.whole import survey
from tests.machine.accounted import AccountedMachine
from tests.paths import FIXTURES

RULES = own_rulebook().rules
FOLDERS = sorted(path.parent for path in (FIXTURES / "machines").glob("*/machine.toml"))
WHOLE = "ext4-nobarrier"
"""The one machine whose whole reports are kept; of all others, the verdicts and the facts that decided them."""

GOLDEN = ("verdicts.txt", "report.json", "report.txt")
"""The names of the golden files in a machine's directory."""


@functools.cache
def audit(folder):
    """Once in each process: the recorded machine, its storage under the folder's own name, and the verdicts."""
    machine = AccountedMachine(folder)
    storage = structs.replace(survey(machine, {}), machine=folder.name)
    return machine, storage, advise(storage, RULES)


def reports(folder):
    """File name -> text of the whole reports: JSON on many lines, and the text."""
    machine, storage, verdicts = audit(folder)
    about = Provenance(version="golden", root=machine.root)
    return {
        "report.json": msgspec.json.format(b"".join(as_json(storage, verdicts, about)), indent=1).decode() + "\n",
        "report.txt": "".join(as_text(storage, verdicts, about, full=True)),
    }


def golden(folder):
    """File name -> text of what is kept for a machine."""
    kept = {"verdicts.txt": "".join(f"{line}\n" for line in decided(audit(folder)[2]))}
    return kept | (reports(folder) if folder.name == WHOLE else {})


def decided(verdicts):
    """One line a verdict in rank order, below it one line a fact that decided it; what passed is not told."""
    for verdict in verdicts:
        if verdict.outcome in (Outcome.OK, Outcome.NOT_APPLICABLE):
            continue
        rule = verdict.rule
        yield f"{verdict.outcome.value}: {rule.severity} {rule.kind} {rule.id} {verdict.subject.id}"
        for name, fact in (verdict.facts() if verdict.calls_for_action else verdict.to_learn()).items():
            yield f"    {name} {_told(fact)}"
        if verdict.calls_for_action:
            yield from (f"    $ {command}" for command in verdict.instructions().now)


def _told(fact):
    told = f"? {fact.cause.value}" if isinstance(fact, Unknown) else f"= {fact.value!r}"
    return f"{told} ({fact.source})".translate({ord("\n"): " "})


def write_whole_reports(place):
    """Each machine's whole reports below `place`, for a comparison of two commits: `diff -r`."""
    for folder in FOLDERS:
        for name, text in reports(folder).items():
            (place / folder.name).mkdir(parents=True, exist_ok=True)
            (place / folder.name / name).write_text(text)


if __name__ == "__main__":
    write_whole_reports(Path(sys.argv[1]))
