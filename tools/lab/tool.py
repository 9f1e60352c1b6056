"""Runs a tool that the lab cannot do without."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from tools.lab.error import LabError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def output(argv: Sequence[str], folder: Path | None = None, text: str | None = None) -> str:
    """What a tool prints; LabError with its own words where it fails or is not there."""
    try:
        done = subprocess.run(argv, cwd=folder, input=text, capture_output=True, text=True, check=False)
    except OSError as error:
        raise LabError(f"{argv[0]}: {error.strerror}; `make lab` as root installs it") from error
    if done.returncode != 0:
        raise LabError(f"`{' '.join(argv)}` failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def libraries(program: str) -> set[str]:
    """The loader and the libraries that a program needs, as paths; none of a static one."""
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return set(re.findall(r"(/\S+) \(0x", said))


def copy_programs(programs: Iterable[str], root: Path) -> None:
    """Put programs, and the libraries that they need, at their places below another root."""
    for path in {file for program in programs for file in (program, *libraries(program))}:
        (root / path.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, root / path.lstrip("/"))
