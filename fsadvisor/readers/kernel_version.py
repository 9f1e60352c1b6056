"""The running kernel: /proc/sys/kernel/osrelease, `uname -r`, or /proc/version (also `uname -a`).

Written against Linux 6.18. A distribution's kernel may hold features of later releases: the number tells what
a kernel has at least, not what it lacks.

    6.1.0-rc3
    5.14.0-427.el9.x86_64
    Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org) (gcc-12 …) #1 SMP …

https://docs.kernel.org/admin-guide/sysctl/kernel.html#osrelease-ostype-version
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal
from fsadvisor.version import Version

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_NUMBER = "[0-9]{1,6}"
_RELEASE = re.compile(
    rf"\s*(?:Linux version |Linux \S+ )?(({_NUMBER})\.({_NUMBER})(?:\.({_NUMBER}))?(?![0-9])\S*)", re.ASCII
)
_CANDIDATE = re.compile(r"-rc([0-9]{1,6})(?![0-9])", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelVersion:
    """A release such as 5.14.0-427.el9.x86_64."""

    release: str
    """The whole word, as `uname -r` prints it."""
    major: int
    minor: int
    patch: int | None
    """None where the release has two numbers."""
    candidate: int | None
    """N of '-rcN': features of the release may still be missing."""

    @property
    def version(self) -> Version:
        """To compare."""
        return Version(self.major, self.minor, self.patch or 0)


def parse(text: str) -> KernelVersion | Unknown:
    """Read any of the forms."""
    match = _RELEASE.match(text)
    if match is None:
        return refusal(text, "no kernel release")
    candidate = _CANDIDATE.search(match[1])
    return KernelVersion(
        release=match[1],
        major=int(match[2]),
        minor=int(match[3]),
        patch=int(match[4]) if match[4] else None,
        candidate=int(candidate[1]) if candidate else None,
    )
