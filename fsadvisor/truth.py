"""Three-valued logic (Kleene): what is TRUE, what is FALSE, and what could not be told."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Truth(Enum):
    """The answer to an ask."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"

    __hash__ = object.__hash__  # members are single objects; Enum's own hash takes a Python call

    def __bool__(self) -> bool:
        """Refuse: a Truth in an `if` would turn UNKNOWN into a yes or a no."""
        raise TypeError("a Truth has three values: compare with `is Truth.TRUE`")

    def __invert__(self) -> Truth:
        """Kleene's not: UNKNOWN stays UNKNOWN."""
        return _NOT[self]


TRUE, FALSE, UNKNOWN = Truth.TRUE, Truth.FALSE, Truth.UNKNOWN

_NOT = {TRUE: FALSE, FALSE: TRUE, UNKNOWN: UNKNOWN}


def truth(answer: bool) -> Truth:
    """Turn a two-valued answer into a Truth."""
    return TRUE if answer else FALSE


def conjunction(answers: Iterable[Truth]) -> Truth:
    """Kleene's and: one FALSE decides, else one UNKNOWN leaves it open. Of nothing: TRUE."""
    result = TRUE
    for answer in answers:
        if answer is FALSE:
            return FALSE
        if answer is UNKNOWN:
            result = UNKNOWN
    return result


def disjunction(answers: Iterable[Truth]) -> Truth:
    """Kleene's or: one TRUE decides, else one UNKNOWN leaves it open. Of nothing: FALSE."""
    result = FALSE
    for answer in answers:
        if answer is TRUE:
            return TRUE
        if answer is UNKNOWN:
            result = UNKNOWN
    return result
