"""In the guest: the command line, with the modules of a trial loaded before."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.measure import trial_session
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.verbs import trial
from tools.lab import in_fork

if TYPE_CHECKING:
    from collections.abc import Sequence

_OUT, _ERR = Path("/run/lab/stdout"), Path("/run/lab/stderr")
LOADED: Final = (trial, trial_session, own_rulebook())


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What it printed, and how it ended."""

    status: int
    out: str
    err: str


def ran(argv: Sequence[str]) -> Done:
    """`fsadvisor ARGV`, run to its end."""
    status = in_fork.ran(argv, _OUT, _ERR)
    return Done(status=status, out=_OUT.read_text(), err=_ERR.read_text())
