"""Which scenarios run in which guest."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.lab.kernels import Kernel

SCENARIOS = Path(__file__).resolve().parents[2] / "tests" / "lab"
_GUESTS = 3
"""Guests on the stock kernel for all scenarios: more would boot and load Python once more each."""
_GUESTS_BESIDE = 1
"""Guests on each other kernel, which runs those marked `kernels`."""
_ON_BOTH = "pytest.mark.kernels"
"""What stands in files with scenarios for the newer kernel."""
_VIRTUAL = "test_virtual"
"""How files of scenarios start that need a guest which says that it is virtual."""
_LAST = ("test_kernel_log.py",)
"""Files whose scenarios leave errors in the kernel's log, which the machines that others record would tell of."""
_NOTHING_CHOSEN = "5"
"""pytest's exit status where its options leave no test."""


@dataclass(frozen=True)
class Part:
    """Some files of scenarios in one guest."""

    kernel: Kernel
    files: tuple[str, ...]
    number: int
    narrow: str
    """pytest's -k."""
    is_virtual: bool
    """Whether the guest says that it is one; the others look like bare metal."""
    thorough: bool
    """Whether everything runs, on every kernel: half an hour instead of ten minutes."""

    @property
    def name(self) -> str:
        """A folder's name."""
        return f"{self.kernel.series}-{'virtual-' if self.is_virtual else ''}{self.number}"

    @property
    def fine(self) -> tuple[str, ...]:
        """Exit statuses of pytest that are no failure; a file may have nothing for the newer kernel."""
        return ("0",) if self.kernel.is_stock and not self.narrow else ("0", _NOTHING_CHOSEN)

    def script(self) -> str:
        """What the guest runs."""
        marks = "lab" if self.kernel.is_stock or self.thorough else "lab and kernels"
        marks += "" if self.thorough else " and not thorough"
        files = sorted(self.files, key=lambda file: Path(file).name in _LAST)
        words = ["-m", marks, *(["-k", self.narrow] if self.narrow else []), *files]
        return (
            "mkdir -p /run/lab/results\n"
            f"export FSADVISOR_LAB_KEEPS={'yes' if self.kernel.is_stock else 'no'}\n"
            "{ .venv/bin/python -m pytest -v --durations=12 --durations-min=5 --no-header "
            "--tb=short --color=no --timeout=600 "
            "-p no:cacheprovider -p no:xdist -p no:hypothesispytest "
            f"{shlex.join(words)} 2>&1; echo $? > /run/lab/results/status; }} | tee /run/lab/results/pytest.txt\n"
        )


def _files(named: Sequence[str]) -> list[str]:
    return list(named) or [f"tests/lab/{path.name}" for path in sorted(SCENARIOS.glob("test_*.py"))]


def parts(kernels: Sequence[Kernel], named: Sequence[str], narrow: str, *, thorough: bool) -> list[Part]:
    """The guests to boot: the files dealt out in turn, so that a kind of scenario does not fill one guest."""
    files = _files(named)
    made = []
    for kernel in kernels:
        for is_virtual in (False, True):
            fitting = [file for file in files if Path(file).name.startswith(_VIRTUAL) is is_virtual]
            if not kernel.is_stock and not thorough:
                fitting = [file for file in fitting if _ON_BOTH in (SCENARIOS.parents[1] / file).read_text()]
            guests = min(len(fitting), _GUESTS if kernel.is_stock or thorough else _GUESTS_BESIDE)
            made += [
                Part(kernel, tuple(fitting[number::guests]), number + 1, narrow, is_virtual, thorough)
                for number in range(guests)
            ]
    return made
