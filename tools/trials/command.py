"""In the guest: the command line in a fork of this process, whose modules are loaded: Python takes long to start there.

The measuring process is one of its own, as always.
"""

from __future__ import annotations

import os
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor import cli
from fsadvisor.rulebook.shelf import own_shelf
from fsadvisor.verbs import trial, trialing

if TYPE_CHECKING:
    from collections.abc import Sequence

_OUT, _ERR = Path("/run/lab/stdout"), Path("/run/lab/stderr")
_BUG: Final = 99
LOADED: Final = (trial, trialing, own_shelf())


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What it printed, and how it ended."""

    status: int
    out: str
    err: str


def ran(argv: Sequence[str]) -> Done:
    """`fsadvisor ARGV`, run to its end."""
    child = os.fork()
    if child == 0:
        status = _BUG
        with _OUT.open("w") as sys.stdout, _ERR.open("w") as sys.stderr:
            try:
                status = cli.run(argv)
            except BaseException:  # noqa: BLE001 - a child that must end here, whatever happens
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return Done(status=status, out=_OUT.read_text(), err=_ERR.read_text())
