"""Boots a guest whose clock counts instructions, a nanosecond each, and leaps while all wait: see tools.paper.boot."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from tools.lab import guest
from tools.paper.boot import KERNEL_SAYS

if TYPE_CHECKING:
    from pathlib import Path

    from tools.lab.kernels import Kernel

_MEMORY_MB: Final = 4096
_SHIFT: Final = 0
INSTRUCTIONS_PER_S: Final = 1e9 / (1 << _SHIFT)
_PROCESSOR: Final = "Nehalem,-hypervisor"
"""What it lacks costs QEMU more than it brings: wide vectors, five levels of pages, string moves byte by byte."""


@dataclass(frozen=True, kw_only=True)
class Course:
    """What a guest is to do: by group the long runs, with a neighbour or without, and the numbers of trials; kills."""

    truths: dict[str, list[bool]]
    trials: dict[str, list[int]]
    kills: dict[str, list[int]]
    """Their numbers by place."""


def run(course: Course, which: Kernel, results: Path, seconds: int) -> None:
    """Boot and do it; rows are on the console, RESULTS/console.txt, as soon as they are known. Raises LabError."""
    asked = msgspec.json.encode(course).decode()
    script = (
        "mkdir -p /run/lab/results\n"
        f".venv/bin/python -m tools.trials.guest {shlex.quote(asked)} 2>&1; "
        "echo $? > /run/lab/results/status\n"
    )
    more = (
        *("-icount", f"shift={_SHIFT},sleep=off", "-m", str(_MEMORY_MB)),
        *("-cpu", _PROCESSOR, "-append", KERNEL_SAYS),
    )
    guest.run(which, guest.Work(f"trials-{which.series}", script, devices=(), more=more), results, seconds)
