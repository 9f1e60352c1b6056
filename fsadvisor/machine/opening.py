"""Opens what somebody recorded: a folder of `fsadvisor capture`, a sos report as folder or archive."""

from __future__ import annotations

import os
import stat
from itertools import islice
from typing import TYPE_CHECKING

from fsadvisor.machine import layout
from fsadvisor.machine.error import MachineError
from fsadvisor.machine.recorded import RecordedMachine
from fsadvisor.machine.sosreport import SosMachine
from fsadvisor.machine.trees import ArchiveTree, FolderTree

if TYPE_CHECKING:
    from pathlib import Path

    from fsadvisor.machine.port import Machine

_MOST_NAMES = 10_000
"""In a directory that holds a recording or a report, or is one."""
_CHOICE = "name a folder that `fsadvisor capture` wrote, or a sos archive"


def open_machine(path: Path | str) -> Machine:
    """The machine that was recorded there. Raises MachineError with what is wrong and what would work."""
    where = os.fspath(path)
    try:
        mode = os.stat(where).st_mode  # noqa: PTH116 - any text
    except (OSError, ValueError) as error:
        what = (error.strerror or "") if isinstance(error, OSError) else "no path can be this"
        raise MachineError(where, what, _CHOICE) from None
    if stat.S_ISREG(mode):
        return SosMachine(ArchiveTree(where), where)
    if not stat.S_ISDIR(mode):
        raise MachineError(where, "neither a folder nor an archive", _CHOICE)
    if os.path.lexists(f"{where}/{layout.TITLE}"):
        return RecordedMachine(where, account=False)
    try:
        with os.scandir(where) as entries:
            names = [entry.name for entry in islice(entries, _MOST_NAMES + 1)]
    except OSError as error:
        raise MachineError(where, error.strerror or "", "make it readable for yourself") from None
    if len(names) > _MOST_NAMES:
        raise MachineError(where, f"more than {_MOST_NAMES} names in it", _CHOICE)
    below = [name for name in names if os.path.lexists(f"{where}/{name}/{layout.TITLE}")]
    if below:
        raise MachineError(where, f"no {layout.TITLE} in it", f"did you mean {where.rstrip('/')}/{min(below)}?")
    try:
        return SosMachine(FolderTree(where), where)
    except MachineError:
        raise MachineError(where, f"neither {layout.TITLE} nor sos_commands in it", _CHOICE) from None
