"""Tools that make and mount filesystems: from fixed folders, without a shell, killed by the kernel with us."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING, Final

from fsadvisor.machine import time_limits
from fsadvisor.machine.runner import TOOL_FOLDERS
from fsadvisor.measure.probe.engine import EngineError, because
from fsadvisor.measure.probe.processes import launcher, reap

if TYPE_CHECKING:
    from collections.abc import Sequence

_PATH: Final = ":".join(TOOL_FOLDERS)
PACKAGES: Final = {
    "mkfs.ext4": "e2fsprogs",
    "mkfs.ext3": "e2fsprogs",
    "mkfs.ext2": "e2fsprogs",
    "mkfs.xfs": "xfsprogs",
    "mkfs.btrfs": "btrfs-progs",
    "mkfs.f2fs": "f2fs-tools",
    "mkfs.nilfs2": "nilfs-tools",
}
"""Debian's packages of the tools that are most often missing."""
_MOST_SAID: Final = 300


def path_of(tool: str) -> str | None:
    """Where a tool is, or None."""
    return shutil.which(tool, path=_PATH)


def missing(tool: str) -> EngineError:
    """The error where it is not installed."""
    package = PACKAGES.get(tool)
    return EngineError(f"{tool} is not installed{f': it is in the package {package}' if package else ''}")


def run(tool: str, arguments: Sequence[str], seconds: float, doing: str) -> str:
    """What it prints, where it succeeds. Raises EngineError with its own last words where it does not."""
    path = path_of(tool)
    if path is None:
        raise missing(tool)
    out, said, status = _ended((path, *arguments), seconds, doing)
    if status:
        words = " ".join(line.strip() for line in (said or out).splitlines() if line.strip())[:_MOST_SAID]
        raise EngineError(f"while {doing}: {tool} {f'said: {words}' if words else f'ended with {status}'}")
    return out


def status_of(tool: str, arguments: Sequence[str], seconds: float, doing: str) -> tuple[int, str]:
    """Its exit status and what it prints. Raises EngineError where it is missing or does not end."""
    path = path_of(tool)
    if path is None:
        raise missing(tool)
    out, _, status = _ended((path, *arguments), seconds, doing)
    return status, out


def _ended(command: Sequence[str], seconds: float, doing: str) -> tuple[str, str, int]:
    try:
        child = subprocess.Popen(  # noqa: S603 - fixed folders, no shell
            (*launcher(), *command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env={"LC_ALL": "C", "PATH": _PATH, **time_limits.mark()},
            start_new_session=True,
        )
    except OSError as error:
        raise because(error.errno, f"starting {command[0]}") from error
    try:
        out, said = child.communicate(timeout=seconds)
    except BaseException as error:
        _kill(child)
        if isinstance(error, subprocess.TimeoutExpired):
            raise EngineError(f"while {doing}: {command[0]} did not end within {seconds:.0f} s") from None
        raise
    return out.decode(errors="replace"), said.decode(errors="replace"), child.returncode


def _kill(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
    if reap([child]):
        for pipe in (child.stdout, child.stderr):
            if pipe:
                pipe.close()
