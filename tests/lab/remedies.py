"""A finding's own commands, run in the guest as a person would."""

from fsadvisor.machine.live import LiveMachine
from fsadvisor.rulebook import gate
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.storage import Supposition
from fsadvisor.survey.whole import survey
from tests.lab.scenario import run, settle


def apply(verdict):
    """Run what the report says to do now."""
    run_commands(verdict["remedy"]["now"])


def rewriting(rule, subject, filesystem):
    """What a remedy that rewrites would say of drives known to be well and backed up; emulated ones tell nothing."""
    at = {"below": filesystem, "filesystem": filesystem, "host": "host"}
    supposed = [
        Supposition(at[fact.partition(".")[0]], fact, value)
        for fact, value in gate.OPEN.items()
        if fact.partition(".")[0] in at
    ]
    verdicts = advise(survey(LiveMachine(), {}, supposed), own_rulebook().rules).on(subject)
    told = next(verdict for verdict in verdicts if verdict.rule.id == rule).instructions()
    return {"remedy": {"now": told.now, "undo": told.undo}}


def undo(verdict):
    """Run what the report says to take it back."""
    run_commands(verdict["remedy"]["undo"])


def run_commands(lines):
    assert lines, "the report shows no commands"
    for line in lines:
        run("sh", "-ec", line)
    settle()


def keep(scenario, verdict):
    """Write the files that make it last; the names of those."""
    files = {}
    for part in verdict["remedy"]["keep"]:
        if part["file"]:
            files.setdefault(part["file"], []).append(part["line"])
    for name, lines in files.items():
        scenario.write(name, "".join(f"{line}\n" for line in lines))
    return list(files)
