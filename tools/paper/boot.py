"""Boots the guest for the sweep.

Its clock counts instructions: each takes so many nanoseconds however busy this machine is, and while all wait for the
disk the clock jumps ahead (QEMU's -icount with sleep=off). So figures do not depend on who else uses this machine, and
waiting costs nothing. Everything in the guest, delays, windows and the kernel's own periods, is stretched by the same
factor, and divided by it afterwards: that makes the processor as fast as a real one, and the 4 ms that a tick of
Debian's kernel lasts, to which dm-delay rounds, short.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.lab import guest, kernels

if TYPE_CHECKING:
    from pathlib import Path

    from tools.lab.kernels import Kernel

MEMORY_MB = 5120
KERNEL_SAYS = "console=ttyS0 quiet panic=-1 mitigations=off nohz=off"
"""With a tick all the time, for else the clock would leap by minutes while the guest waits for this machine's files."""


@dataclass(frozen=True, kw_only=True)
class Course:
    """What is measured."""

    filesystems: tuple[str, ...]
    workloads: tuple[str, ...]
    delays_ms: tuple[float, ...]
    shift: int = 2
    """An instruction takes 2**shift ns of the guest's time."""
    stretch: int = 16
    seconds: float = 1.5
    passes: int = 2
    threads: int = 4
    files: int = 100
    most_operations: int = 120

    @property
    def instructions_per_s(self) -> float:
        """Of the processor that the figures stand for."""
        return self.stretch * 1e9 / (1 << self.shift)

    def argv(self) -> list[str]:
        """Of tools.paper.guest."""
        return [
            *map(str, (self.stretch, self.seconds, self.passes, self.threads, self.files)),
            ",".join(f"{ms:g}" for ms in self.delays_ms),
            ",".join(self.filesystems),
            ",".join(self.workloads),
            str(self.most_operations),
        ]


def kernel(series: str | None = None) -> Kernel:
    """The distribution's kernel, or the one of a series."""
    packages = kernels.packages()
    chosen = next((it for it in packages if series and f"linux-image-{series}." in it), packages[0])
    return kernels.unpacked(chosen, is_stock=chosen == packages[0])


def run(course: Course, which: Kernel, results: Path, seconds: int) -> None:
    """Boot, measure, and bring sweep.jsonl back into the folder. Raises LabError."""
    script = (
        "mkdir -p /run/lab/results\n"
        f".venv/bin/python -m tools.paper.guest {shlex.join(course.argv())} 2>&1; "
        "echo $? > /run/lab/results/status\n"
    )
    more = ("-icount", f"shift={course.shift},sleep=off", "-m", str(MEMORY_MB), "-append", KERNEL_SAYS)
    work = guest.Work(f"paper-{which.series}", script, devices=(), more=more)
    guest.run(which, work, results, seconds)
