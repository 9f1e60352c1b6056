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
from fsadvisor.machine.runner import OUTPUT_CAP_BYTES, decoded
from fsadvisor.patterns import late

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine


_MOST_NAMES = 10_000
"""In a directory that holds a recording or a report, or is one."""
WINDOW = late(r"window-.*\.json")
"""Files of `fsadvisor watch`."""
_MOST_WINDOWS = 2000
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
        return RecordedMachine(where, account=False)
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
        kept = (captured_text(Path(where, name)) for name in windows[-_MOST_WINDOWS:])
        return WithFile(SosMachine(LogTree(""), where), INCIDENT, "".join(kept), where)
    try:
        return SosMachine(seen_through(FolderTree(where)), where)
    except MachineError as error:
        if error.what != NOTHING_KNOWN:
            raise
        raise MachineError(where, f"neither {recorded.TITLE} nor sos_commands, proc or sys in it", _CHOICE) from None


def _begins_as_log(where: str) -> bool:
    """Whether the first line has the kernel's seconds since boot, as kdump's vmcore-dmesg.txt."""
    try:
        with open(where, "rb") as file:  # noqa: PTH123 - any text
            return re.match(rb"(?:<\d{1,3}>)?\[ *\d{1,12}\.\d{6}\] ", file.read(64)) is not None
    except OSError:
        return False


_CHOICE_OF_OUTPUT = "name a file with a tool's output"
_OWN = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""What the caller has opened for us: it may be a pipe, and may be waited for."""


def captured_text(path: Path, most: int = OUTPUT_CAP_BYTES, choice: str = _CHOICE_OF_OUTPUT) -> str:
    """What is in the file of so many bytes at most, bytes that are no UTF-8 as surrogates. Raises MachineError.

    Nobody is waited for but by the caller's own wish.
    """
    own = str(path).startswith(_OWN)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | (0 if own else os.O_NONBLOCK | os.O_NOCTTY))
        with os.fdopen(descriptor, "rb") as file:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode) and not (own and stat.S_ISFIFO(mode)):
                raise MachineError(str(path), "not a regular file", choice)
            content = file.read(most + 1)
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or "can't be read"
        raise MachineError(str(path), said, choice) from None
    if len(content) > most:
        raise MachineError(str(path), f"more than {most >> 20} MiB", choice)
    return decoded(content)
