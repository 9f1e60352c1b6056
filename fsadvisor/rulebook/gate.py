"""The health gate: what has to be true before data is moved or rewritten, or loses what protects it.

Written once. A remedy that says `rewrites = true` is asked these beside its rule's own safety questions; what is not
known shuts the gate as a no does.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from fsadvisor.rulebook.expr import Expression
from fsadvisor.storage.catalogue import SCOPES

QUESTIONS: Final = {
    "disk.failing": ("Does the drive work without errors?", "not disk.failing"),
    "layer.incomplete": ("Is it complete, and nothing being rebuilt?", "not layer.incomplete"),
    "below.any_failing": ("Do all drives below work without errors?", "not below.any_failing"),
    "below.any_incomplete": ("Are all arrays below complete, and none being rebuilt?", "not below.any_incomplete"),
    "filesystem.sound": ("Is the filesystem free of errors, with free space left?", "filesystem.sound"),
    "host.backed_up": ("Was a backup of this data restored once, as a test?", "host.backed_up"),
}
"""The fact that decides -> the question and its expression; asked of every subject whose rules may ask the fact."""

OPEN: Final = {
    "disk.failing": False,
    "layer.incomplete": False,
    "below.any_failing": False,
    "below.any_incomplete": False,
    "filesystem.sound": True,
    "host.backed_up": True,
}
"""The facts where the gate is open."""


@cache
def questions(subject: str) -> tuple[tuple[str, Expression], ...]:
    """(question, expression) of all that is asked of a subject of that kind."""
    return tuple(
        (ask, Expression(text, subject))
        for fact, (ask, text) in QUESTIONS.items()
        if fact.partition(".")[0] in SCOPES[subject]
    )
