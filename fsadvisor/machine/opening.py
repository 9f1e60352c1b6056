"""Opens what somebody recorded: a directory of `fsadvisor capture`, a sos report, or a file with a tool's output."""

from __future__ import annotations

import os
import re
import stat
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from fsadvisor.machine import recorded
from fsadvisor.machine.kept_files import INCIDENT, WithFile
from fsadvisor.machine.port import MachineError
from fsadvisor.machine.recorded import RecordedMachine
from fsadvisor.machine.untouched import captured_text
from fsadvisor.patterns import late

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.machine.port import Machine


_MOST_NAMES = 10_000
"""In a directory that holds a recording or a report, or is one."""
WINDOW = late(r"window-.*\.json")
"""Files of `fsadvisor watch`."""
_MOST_WINDOWS = 2000
_MOST_WINDOWS_BYTES = 16 << 20
"""What `watch` keeps at most."""
_CHOICE = "name a directory that `fsadvisor capture` wrote, or a sos archive"


_SHORTER = "keep its end: tail -c 4M FILE"


def open_machine(path: Path | str) -> Machine:
    """The machine that was recorded there. Raises MachineError with what is wrong and what would work."""
    where = os.fspath(path)
    try:
        mode = os.stat(where).st_mode  # noqa: PTH116 - any text
    except (OSError, ValueError) as error:
        what = (error.strerror or "") if isinstance(error, OSError) else "no path can be this"
        raise MachineError(where, what, _CHOICE) from None
    if stat.S_ISREG(mode):
        return _in_file(where)
    if not stat.S_ISDIR(mode):
        raise MachineError(where, "neither a directory nor an archive", _CHOICE)
    return _in_directory(where)


def _in_file(where: str) -> Machine:
    from fsadvisor.machine.sosreport import SosMachine
    from fsadvisor.machine.trees import ArchiveTree, LogTree, seen_through

    if _begins_as_log(where):
        return SosMachine(LogTree(captured_text(Path(where), choice=_SHORTER)), where)
    return SosMachine(seen_through(ArchiveTree(where)), where)


def _in_directory(where: str) -> Machine:
    if os.path.lexists(f"{where}/{recorded.TITLE}"):
        return RecordedMachine(where)
    try:
        with os.scandir(where) as entries:
            names = [entry.name for entry in islice(entries, _MOST_NAMES + 1)]
    except OSError as error:
        raise MachineError(where, error.strerror or "", "make it readable for yourself") from None
    if len(names) > _MOST_NAMES:
        raise MachineError(where, f"more than {_MOST_NAMES} names in it", _CHOICE)
    below = [name for name in names if os.path.lexists(f"{where}/{name}/{recorded.TITLE}")]
    if below:
        raise MachineError(where, f"no {recorded.TITLE} in it", f"did you mean {where.rstrip('/')}/{min(below)}?")
    from fsadvisor.machine.sosreport import NOTHING_KNOWN, SosMachine
    from fsadvisor.machine.trees import FolderTree, LogTree, seen_through

    if windows := sorted(name for name in names if WINDOW.fullmatch(name)):
        kept = "".join(reversed(tuple(_newest(where, windows[-_MOST_WINDOWS:]))))
        return WithFile(SosMachine(LogTree(""), where), INCIDENT, kept, where)
    try:
        return SosMachine(seen_through(FolderTree(where)), where)
    except MachineError as error:
        if error.what != NOTHING_KNOWN:
            raise
        raise MachineError(where, f"neither {recorded.TITLE} nor sos_commands, proc or sys in it", _CHOICE) from None


def _newest(where: str, windows: Sequence[str]) -> Iterator[str]:
    """The texts of windows, the newest first, as long as there is room for them."""
    left = _MOST_WINDOWS_BYTES
    for name in reversed(windows):
        text = captured_text(Path(where, name))
        left -= len(text)
        if left < 0:
            return
        yield text


def _begins_as_log(where: str) -> bool:
    """Whether the first line has the kernel's seconds since boot, as kdump's vmcore-dmesg.txt."""
    try:
        with open(where, "rb") as file:  # noqa: PTH123 - any text
            return re.match(rb"(?:<\d{1,3}>)?\[ *\d{1,12}\.\d{6}\] ", file.read(64)) is not None
    except OSError:
        return False
