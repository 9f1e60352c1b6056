"""What a program and its libraries run on, as the files themselves say: processor and C library."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_MACHINES = {62: "x86_64", 183: "aarch64"}
_SINCE = {"x86_64": 5, "aarch64": 17}
"""The glibc that the first wheels of a processor ask for."""


def processor(file: Path) -> str:
    """Raises ValueError where it is none that archives are made for."""
    magic, number = struct.unpack_from("<4s14xH", file.read_bytes().ljust(20, b"\0"))
    if magic != b"\x7fELF" or number not in _MACHINES:
        raise ValueError(f"{file} is no program for {' or '.join(_MACHINES.values())}")
    return _MACHINES[number]


def c_library(files: Iterable[Path]) -> str:
    """musl where one of these names its loader or library; else glibc, with the newest version that one asks for."""
    newest = (2, 17)
    for file in files:
        content = file.read_bytes()
        if b"/lib/ld-musl-" in content or b"\0libc.musl-" in content:
            return "musl"
        newest = max([newest, *((int(one), int(two)) for one, two in re.findall(rb"\0GLIBC_(\d+)\.(\d+)\b", content))])
    return "glibc{}.{}".format(*newest)


def wheels(machine: str, library: str) -> list[str]:
    """The platforms of PyPI's wheels that run there, the best first."""
    if library == "musl":
        return [f"musllinux_1_{minor}_{machine}" for minor in (2, 1)]
    newest = int(library.rpartition(".")[2])
    return [
        *(f"manylinux_2_{minor}_{machine}" for minor in range(newest, _SINCE[machine] - 1, -1)),
        f"manylinux2014_{machine}",
    ]
