"""What package managers are asked to do for a fetch, and how a command of theirs is run."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

SYSTEM_PATH: Final = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"


class FetchError(Exception):
    """Why nothing was fetched, as the end of a sentence."""


@dataclass(frozen=True)
class Manager:
    """How one package manager fetches."""

    download: Callable[[Sequence[str], Path], list[Path]]
    """The packages that it knows and what they need beyond what is installed, checked, into a directory."""
    name: Callable[[Path], str]
    """The package's name, by its file's."""
    helps: Callable[[str], bool]
    """Whether a package of this name, which another needs, may hold libraries that a tool loads."""
    unpack: Callable[[Path, Path], None]
    """Unpack a package into a directory, and run none of its scripts."""


def run(argv: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command without questions; what it says is in English."""
    environment = os.environ | {
        "DEBIAN_FRONTEND": "noninteractive",
        "LC_ALL": "C",
        "PATH": f"{os.environ.get('PATH', '')}:{SYSTEM_PATH}",
    }
    return subprocess.run(
        argv, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
    )
