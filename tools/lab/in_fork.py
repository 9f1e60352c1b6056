"""In the guest: the command line in a fork of this process, whose modules are loaded: Python takes long to start there.

The measuring process is one of its own, as always.
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING, Final

from fsadvisor import cli

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_BUG: Final = 99


def ran(argv: Sequence[str], out: Path, err: Path) -> int:
    """`fsadvisor ARGV` to its end; its exit status, 99 for a bug. What it prints goes to the files."""
    return os.waitstatus_to_exitcode(os.waitpid(begun(argv, out, err), 0)[1])


def begun(argv: Sequence[str], out: Path, err: Path) -> int:
    """`fsadvisor ARGV` as it goes: the number of its process, whose end is for the caller to wait for."""
    child = os.fork()
    if child == 0:
        status = _BUG
        with out.open("w") as sys.stdout, err.open("w") as sys.stderr:
            try:
                status = cli.run(argv)
            except BaseException:  # noqa: BLE001 - a child that must end here, whatever happens
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status)
    return child
