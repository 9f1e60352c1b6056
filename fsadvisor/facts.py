"""Facts: a value with its source, or the reason why there is none and what would cure that.

And three-valued logic (Kleene), by which facts are judged: what is TRUE, what is FALSE, and what could not be told.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar, final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable


T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Cause(Enum):
    """Why a fact is not known."""

    DENIED = "denied"
    NO_TOOL = "no_tool"
    NOT_EXPOSED = "not_exposed"
    TIMED_OUT = "timed_out"
    UNREADABLE = "unreadable"
    ASLEEP = "asleep"
    """The disk sleeps, and asking it would wake it."""
    NOT_MEASURED = "not_measured"
    NOT_ATTESTED = "not_attested"
    BEING_ASKED = "being_asked"
    """The answer is still to come: only in what is shown meanwhile, never in a report."""
    NOT_APPLICABLE = "not_applicable"
    """The question makes no sense for this subject (an XFS fact of an ext4): nothing to learn."""

    __hash__ = object.__hash__  # members are single objects; Enum's own hash takes a Python call


class Known(Struct, Generic[T_co], frozen=True, gc=False):
    """A value and where it came from (a path, a command, a rule of derivation).

    No value leads back to its fact, so Python's collector need not know of it, which takes a quarter less memory.
    """

    value: T_co
    source: str


@final
class Unknown(Struct, frozen=True, gc=False):
    """No value: why, and in one imperative sentence how to learn it ('' where nothing would help).

    Where `subject` is not '', it stands in the sentence for {}: then thousands of subjects share the sentence.
    """

    cause: Cause
    sentence: str
    source: str = ""
    subject: str = ""

    @property
    def learn(self) -> str:
        """The sentence, of this subject."""
        return self.sentence.replace("{}", self.subject) if self.subject else self.sentence


Fact: TypeAlias = Known[T] | Unknown

NOT_APPLICABLE = Unknown(Cause.NOT_APPLICABLE, "")


WAKE = "look again with --wake, or while the disk is awake"
"""How to learn what a sleeping disk was not asked."""


def unreadable(what: str, source: str = "") -> Unknown:
    """An answer came but was not understood; `what` says which part, in a few words."""
    return Unknown(Cause.UNREADABLE, f"{what}; send the directory that `fsadvisor capture` writes", source)


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
