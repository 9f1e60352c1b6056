"""What is wrong in a text of a rule, and where in it."""

from __future__ import annotations


class RuleTextError(ValueError):
    """A text that can't be part of a rule; `column` counts its characters from 0."""

    def __init__(self, message: str, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.column = column
