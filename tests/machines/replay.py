"""Recorded machines, audited as the command line does it."""

import dataclasses
import functools

from fsadvisor.advise import advise
from fsadvisor.machine.recorded import RecordedMachine
from fsadvisor.report.as_json import as_json
from fsadvisor.report.as_text import as_text
from fsadvisor.report.model import About
from fsadvisor.rulebook.shelf import own_shelf
from fsadvisor.survey.whole import survey
from tests.paths import FIXTURES

RULES = own_shelf().rules
FOLDERS = sorted(path.parent for path in (FIXTURES / "machines").glob("*/machine.toml"))


@functools.cache
def audit(folder):
    """Once in each process: the recorded machine, its storage under the folder's own name, and the verdicts."""
    machine = RecordedMachine(folder)
    storage = dataclasses.replace(survey(machine, {}), machine=folder.name)
    return machine, storage, advise(storage, RULES)


def reports(folder):
    """File name -> text of the golden reports."""
    machine, storage, verdicts = audit(folder)
    about = About(version="golden", root=machine.root)
    return {
        "report.json": b"".join(as_json(storage, verdicts, about)).decode(),
        "report.txt": "".join(as_text(storage, verdicts, about)),
    }
