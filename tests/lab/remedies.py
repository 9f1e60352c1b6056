"""A finding's own commands, run in the guest as a person would."""

from tests.lab.scenario import run, settle


def apply(verdict):
    """Run what the report says to do now."""
    _run(verdict["remedy"]["now"])


def undo(verdict):
    """Run what the report says to take it back."""
    _run(verdict["remedy"]["undo"])


def _run(lines):
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
