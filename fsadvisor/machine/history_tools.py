"""Asks the tools of sysstat, atop and PCP what is in a file that they wrote.

A stranger's file may be one: its path is absolute, so that it is no option. Where root asks, the tool gets the rights
of the file's owner: what a file makes of a tool's faults is then no more than who wrote it could do.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from fsadvisor.facts import Unknown
from fsadvisor.machine.port import Argv, MachineError, Reply
from fsadvisor.machine.runner import Runner

_TOOL_PATIENCE_S: Final = 20.0
_MOST: Final = 64 << 20
"""Bytes of an answer: a day of many disks."""

_SADF: Final = ("-d", "-p", "-u", "-W", "-r", "-q")


def sysstat_text(path: str) -> str:
    """A file of sysstat's as JSON; without the pressure, where its sadf knows none. Raises MachineError."""
    try:
        return _tool_text(path, ("sadf", "-j", path, "--", *_SADF, "ALL"), "convert it: `sadf -c FILE > NEW`")
    except MachineError:
        return _tool_text(path, ("sadf", "-j", path, "--", *_SADF), "convert it: `sadf -c FILE > NEW`")


def atop_text(path: str, labels: str) -> str:
    """The lines with these labels of a file of atop's. Raises MachineError.

    atop hands the name of a file that it can't open to a shell: it gets none that a shell would not take as it is.
    """
    if not re.fullmatch(r"[\w./+@:,=-]+", path, re.ASCII):
        raise MachineError(path, "atop is asked of plain names alone", "copy it to a name of letters, digits, . and -")
    return _tool_text(path, ("atop", "-r", path, "-P", labels), "read it with the version of atop that wrote it")


def pcp_text(archive: str, metrics: tuple[str, ...]) -> str:
    """Records of an archive of PCP's, named by any of its files; metrics that are not in it are left out.

    Raises MachineError.
    """
    base = re.sub(r"\.(?:index|meta|\d+)$", "", archive, flags=re.ASCII)
    return _tool_text(archive, ("pmdumplog", "-x", "-Z", "UTC", base, *metrics), "check it: `pmlogcheck ARCHIVE`")


def _tool_text(path: str, argv: Argv, choice: str) -> str:
    tool = argv[0]
    (answer,) = Runner(timeout_s=_TOOL_PATIENCE_S, most_bytes=_MOST).run([(*_as_owner(path), *argv)])
    if isinstance(answer, Unknown):
        raise MachineError(path, f"{tool} could not read it", answer.learn or f"install {tool}")
    if not isinstance(answer, Reply) or answer.status:
        said = answer.text.strip().split("\n")[0]
        raise MachineError(path, f"{tool} refused it: {said}", choice)
    return answer.text


def _as_owner(path: str) -> Argv:
    """The words before a command that take root's rights from it, where somebody else's file is asked about."""
    try:
        owner = Path(path).stat()
    except OSError as error:
        raise MachineError(path, os.strerror(error.errno or 0), "name a file that is there") from error
    if os.geteuid() != 0 or owner.st_uid == 0:
        return ()
    rights = (f"--reuid={owner.st_uid}", f"--regid={owner.st_gid}", "--clear-groups", "--no-new-privs")
    return ("setpriv", *rights, "--")
