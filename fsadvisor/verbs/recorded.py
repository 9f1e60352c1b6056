"""`fsadvisor diff`, `drive` and `capture`: what was recorded before, judged; and a recording of this machine."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor import __version__, inputs
from fsadvisor.captures import judged, recognised, refused
from fsadvisor.machine import kept_files
from fsadvisor.machine.opening import open_machine
from fsadvisor.machine.port import MachineError
from fsadvisor.machine.recording import RecordingMachine
from fsadvisor.machine.untouched import captured_text
from fsadvisor.pages.glyphs import clean
from fsadvisor.report import difference, history, power_loss
from fsadvisor.report.as_json import as_json
from fsadvisor.report.difference import NoReportError, ReportSide
from fsadvisor.report.model import Provenance
from fsadvisor.rulebook.advise import advise, with_fitting_waivers

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from fsadvisor.captures import Parts
    from fsadvisor.machine.port import Machine
    from fsadvisor.report.difference import Difference
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.rulebook.loading import Rulebook

LAST, NOW = "last", "now"
_MOST_BYTES: Final = 256 << 20
_CHOICE: Final = "name a file that `fsadvisor --json` wrote"


def diff(chosen: Namespace, grave: Collection[str]) -> tuple[Iterator[str], Difference, str]:
    """What is printed, what was found, and why nothing could be seen on the new side ('': something was)."""
    rulebook = inputs.rulebook(chosen)
    old, new = _side(chosen.old, chosen, rulebook), _side(chosen.new, chosen, rulebook)
    found = difference.difference(old, new, rulebook.rules, grave, (chosen.old, chosen.new))
    told = difference.as_json(found) if chosen.form == "json" else difference.as_text(found)
    return told, found, new.could_not_look or ""


def _side(which: str, chosen: Namespace, rulebook: Rulebook) -> ReportSide:
    """A side by its name; what mounts are used for, and which part counts, is said of the machine that this runs on."""
    if which == LAST:
        return _last()
    path = None if which == NOW else Path(which)
    if path is not None and os.path.isfile(path) and _starts_like_json(path):  # noqa: PTH113 - of any name
        try:
            return difference.side_of(captured_text(path, _MOST_BYTES, _CHOICE))
        except NoReportError as error:
            raise inputs.UsageError(f"{which}: {error}; {_CHOICE}") from None
    own = {} if path is None else {"workload": None, "only": None}
    looked = Namespace(**{**vars(chosen), "on": path, **own})
    machine = inputs.machine(looked)
    storage = with_fitting_waivers(inputs.storage(machine, looked), rulebook.rules)
    about = Provenance(version=__version__, root=machine.root, rule_errors=rulebook.errors)
    return difference.side_of(b"".join(as_json(storage, advise(storage, rulebook.rules), about)))


def _starts_like_json(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(64).lstrip()[:1] == b"{"
    except OSError as error:
        raise inputs.UsageError(f"{path}: {error.strerror}") from None


def _last() -> ReportSide:
    file = kept_files.seen_path(root=os.geteuid() == 0, environment=os.environ)
    kept = history.gist_of(kept_files.read_seen(file)) if file else None
    if kept is None:
        raise inputs.UsageError(
            f"last: no last look is kept in {file}; the explorer keeps one whenever it runs, or name a report"
        )
    return ReportSide(facts=kept.facts, findings=kept.findings)


_NOT_KNOWN = (
    "holds no drive's output that is known: id-ctrl, smart-log, get-feature or ocp smart-add-log of nvme, smartctl -x"
)


def drive(files: Iterable[Path], form: str | None) -> tuple[Iterator[str], list[str]]:
    """The report on every file that could be read, and a line for each that could not."""
    parts: list[Parts] = []
    complaints: list[str] = []
    for file in files:
        try:
            text = captured_text(file)
        except MachineError as error:
            complaints.append(str(error))
            continue
        drives_of_file = recognised(text)
        parts += drives_of_file
        if not drives_of_file:
            complaints.append(f"{file}: {refused(text) or _NOT_KNOWN}")
    verdicts = judged(parts)
    report = iter((power_loss.drives_as_json(verdicts),)) if form == "json" else power_loss.drives_as_text(verdicts)
    return report, complaints


def capture(machine: Machine, folder: Path, judged: Callable[[Machine], Sequence[Verdict]]) -> bool:
    """Record all that judging the machine asks, and judge the recording; False where that differs."""
    recording = RecordingMachine(machine)
    verdicts = judged(recording)
    recording.write(folder)
    replayed = judged(open_machine(folder))
    same = sorted(map(_gist, verdicts)) == sorted(map(_gist, replayed))
    sys.stderr.write(f"fsadvisor: recorded into {clean(str(folder))}; look through it before you send it\n")
    if not same:
        sys.stderr.write("fsadvisor: the recording does not give the same verdicts as this machine: please report it\n")
    return same


def _gist(verdict: Verdict) -> tuple[str, str]:
    return verdict.rule.id, verdict.outcome.value
