"""`fsadvisor drive FILE…`: verdicts on drives from outputs that somebody captured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.captures import judged, recognised, refused
from fsadvisor.machine import opening
from fsadvisor.machine.port import MachineError
from fsadvisor.report import drives

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from fsadvisor.captures import Parts

_NOT_KNOWN = (
    "holds no drive's output that is known: id-ctrl, smart-log, get-feature or ocp smart-add-log of nvme, smartctl -x"
)


def drive(files: Iterable[Path], form: str | None) -> tuple[Iterator[str], list[str]]:
    """The report on every file that could be read, and a line for each that could not."""
    parts: list[Parts] = []
    complaints: list[str] = []
    for file in files:
        try:
            text = opening.captured_text(file)
        except MachineError as error:
            complaints.append(str(error))
            continue
        drives_of_file = recognised(text)
        parts += drives_of_file
        if not drives_of_file:
            complaints.append(f"{file}: {refused(text) or _NOT_KNOWN}")
    verdicts = judged(parts)
    report = iter((drives.as_json(verdicts),)) if form == "json" else drives.as_text(verdicts)
    return report, complaints
