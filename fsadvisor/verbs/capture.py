"""`fsadvisor capture DIR`: a recording of this machine, and whether it gives the same verdicts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from fsadvisor.machine.opening import open_machine
from fsadvisor.machine.recording import RecordingMachine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from fsadvisor.machine.port import Machine
    from fsadvisor.rulebook.advise import Verdict


def capture(machine: Machine, folder: Path, judged: Callable[[Machine], Sequence[Verdict]]) -> bool:
    """Record all that judging the machine asks, and judge the recording; False where that differs."""
    recording = RecordingMachine(machine)
    verdicts = judged(recording)
    recording.write(folder)
    replayed = judged(open_machine(folder))
    same = sorted(map(_gist, verdicts)) == sorted(map(_gist, replayed))
    sys.stderr.write(f"fsadvisor: recorded into {folder}; look through it before you send it\n")
    if not same:
        sys.stderr.write("fsadvisor: the recording does not give the same verdicts as this machine: please report it\n")
    return same


def _gist(verdict: Verdict) -> tuple[str, str]:
    return verdict.rule.id, verdict.outcome.value
