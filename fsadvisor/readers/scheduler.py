"""The I/O scheduler of a disk: /sys/block/<disk>/queue/scheduler.

Written against Linux 6.18. The one in brackets is active. A queue that can have none (a bio-based device: md, dm)
says 'none' alone, without brackets.

    none [mq-deadline] kyber bfq

https://docs.kernel.org/block/switching-sched.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_NAME = re.compile(r"[A-Za-z0-9][\w-]*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduler:
    """The choice and what there is to choose from."""

    active: str
    available: tuple[str, ...]
    """In the file's order, the active one included."""


def parse(text: str) -> Scheduler | Unknown:
    """Read one scheduler file."""
    words = text.split()
    names = tuple(word.removeprefix("[").removesuffix("]") for word in words)
    chosen = [name for word, name in zip(words, names, strict=True) if word == f"[{name}]"]
    active = chosen or ["none"] * (text == "none\n")
    if len(active) != 1 or not all(_NAME.fullmatch(name) for name in names):
        return refusal(text, "no list of I/O schedulers")
    return Scheduler(active=active[0], available=names)
