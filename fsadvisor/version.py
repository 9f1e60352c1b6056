"""Versions that compare as numbers: 6.9 is older than 6.10."""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBERS = re.compile(r"\s*v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?")


class Version(NamedTuple):
    """A kernel's or tool's version; what follows the third number does not count."""

    major: int
    minor: int
    patch: int = 0

    def __str__(self) -> str:
        """The usual dotted form."""
        return f"{self.major}.{self.minor}.{self.patch}"

    @classmethod
    def parse(cls, text: str) -> Version | None:
        """Read '6.1', '5.14.0-427.el9' or 'v6.18.44'; None where no version stands at the start."""
        match = _NUMBERS.match(text)
        if not match or not text.isascii():
            return None
        major, minor, patch = match.groups(default="0")
        return cls(int(major), int(minor), int(patch))
