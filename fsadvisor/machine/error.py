"""The one exception of this package: a recording that can't be opened or written."""

from __future__ import annotations


class MachineError(Exception):
    """What is wrong, where, and the nearest choice that would work: one line for people."""

    def __init__(self, where: str, what: str, choice: str) -> None:
        super().__init__(f"{where}: {what}; {choice}")
        self.where = where
        self.what = what
        self.choice = choice
