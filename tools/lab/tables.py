"""What a run of the lab leaves: the table of scenarios, and recorded machines for fixtures/machines."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsadvisor.machine.recorded import RecordedMachine
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import load_rulebook
from fsadvisor.survey.whole import survey

if TYPE_CHECKING:
    from fsadvisor.rulebook.rule import Ask, Rule

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "machines"
PREFIX = "lab-"
"""Every machine that the lab recorded has it."""

_OF_THE_MOMENT = {
    "host.io_stalled",
    "disk.flush_ms_avg",
    "disk.flush_time_percent",
    "filesystem.commit_us",
    "filesystem.journal_flushing_ms",
    "mount.workload",
}
"""Facts that depend on how busy the guest happens to be: a rule that asks for one may say something else next time."""

Row = dict[str, Any]
Gist = frozenset[tuple[str, str, str]]
"""(rule, subject, outcome) of what a report says, but for what depends on the moment."""


def rows(results: Path) -> list[Row]:
    """What the scenarios wrote down, of all guests."""
    return [row for file in sorted(results.glob("*/rows.jsonl")) for row in read(file)]


def read(file: Path) -> list[Row]:
    """The rows of a file of JSON lines; none where it was not written."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def scenarios(rows: list[Row]) -> str:
    """The table of scenarios, as Markdown."""
    lines = ["| scenario | kernel | checked against | seconds | |", "| --- | --- | --- | ---: | --- |"]
    for row in sorted(rows, key=lambda row: (row["scenario"], row["kernel"])):
        outcome = "passed" if row["passed"] else "FAILED"
        checked = ", ".join(row["checked"])
        lines.append(f"| {row['what']} | {row['kernel']} | {checked} | {row['seconds']} | {outcome} |")
    return "\n".join(lines)


def gist(folder: Path) -> Gist:
    """What today's code says of a recorded machine."""
    storage = survey(RecordedMachine(folder), {})
    verdicts = advise(storage, load_rulebook().rules)
    return frozenset(
        (verdict.rule.id, str(verdict.subject.id), verdict.outcome.value)
        for verdict in verdicts
        if _OF_THE_MOMENT.isdisjoint(name for ask in _asks(verdict.rule) for name in ask.expression.names)
    )


def _asks(rule: Rule) -> tuple[Ask, ...]:
    return (*rule.applies, *rule.checks, *rule.safety)


def see_to_machines(results: Path, *, accept: bool, thorough: bool) -> list[str]:
    """Hold the recorded machines against those in fixtures/machines, or keep them there; what differs, a line each."""
    fresh = {folder.name: folder for folder in sorted(results.glob("*/captures/*"))}
    if accept:
        for name, folder in fresh.items():
            shutil.rmtree(FIXTURES / name, ignore_errors=True)
            shutil.copytree(folder, FIXTURES / name)
        return []
    kept = {folder.name for folder in FIXTURES.glob(f"{PREFIX}*")}
    wrong = [f"{name}: recorded, but not in {FIXTURES}: --accept keeps it" for name in sorted(fresh.keys() - kept)]
    if thorough:
        wrong += [f"{name}: in {FIXTURES}, but no scenario records it" for name in sorted(kept - fresh.keys())]
    for name in sorted(fresh.keys() & kept):
        difference = sorted(gist(fresh[name]) ^ gist(FIXTURES / name))
        wrong += [f"{name}: differs from {FIXTURES / name}: {' '.join(words)}" for words in difference]
    return wrong
