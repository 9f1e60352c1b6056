"""What a part of the campaign is: inputs one after the other, and what did not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Failure:
    """A law that did not hold: `what` in a sentence, `given` the input that breaks it, to be kept."""

    what: str
    given: str | bytes


Part: TypeAlias = Callable[[Random], Iterator[list[Failure]]]
"""One list an input, for ever or until there are no more; random choices come from the generator alone."""
