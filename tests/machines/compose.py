"""Composes machines of fixtures/machines from field values: `.venv/bin/python -m tests.machines.compose [NAME…]`.

Each is told to the survey, recorded as a real machine is, and written as its recording. What no code asks is not
written, nor what is not there: such a recording is complete, so that a new question changes none. Accept the golden
reports afterwards, and review them.
"""

import json
import re
import shutil
import sys

from fsadvisor.machine.recording import RecordingMachine
from fsadvisor.survey.whole import survey
from tests.machines import databases, fleet
from tests.paths import FIXTURES

MACHINES = {**databases.MACHINES, **fleet.MACHINES}
MADE = """made = "composed from field values by tests/machines/compose.py: no such machine was recorded"
complete = true"""
NOT_THERE = ["not_exposed", "", ""]


def compose(name, folder):
    """Write one machine as a recording into a new folder."""
    machine = MACHINES[name]()
    machine.installed = {command.partition(" ")[0] for command in machine.commands}
    recording = RecordingMachine(machine)
    survey(recording, {})
    recording.write(folder)
    title = folder / "machine.toml"
    title.write_text(re.sub(r"(?m)^made = .*$", MADE, title.read_text()))
    for unknown in [*folder.rglob("%unknown")]:
        lines = [line for line in unknown.read_text().splitlines(keepends=True) if json.loads(line)[2:] != NOT_THERE]
        unknown.write_text("".join(lines))
        if not lines:
            unknown.unlink()
    for empty in sorted(folder.rglob("*"), reverse=True):
        if empty.is_dir() and not any(empty.iterdir()):
            empty.rmdir()


def compose_anew(name):
    """The same in place of what fixtures/machines has; the golden reports stay, to be reviewed."""
    folder = FIXTURES / "machines" / name
    reports = {file.name: file.read_bytes() for file in [*folder.glob("report.*"), *folder.glob("verdicts.txt")]}
    shutil.rmtree(folder, ignore_errors=True)
    compose(name, folder)
    for file, content in reports.items():
        (folder / file).write_bytes(content)


if __name__ == "__main__":
    for each in sys.argv[1:] or MACHINES:
        compose_anew(each)
