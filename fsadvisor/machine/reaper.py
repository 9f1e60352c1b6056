"""A process that outlives ours by a moment and kills every tool that we started, however we end, be it by SIGKILL.

It waits for the end of a pipe that we alone hold. It knows the tools by a variable in their environment, which all that
they start inherits, whatever session or parent it chooses: a tool's own death by PR_SET_PDEATHSIG would leave those.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from typing import Final

_VARIABLE: Final = "FSADVISOR_STARTED_THIS"
_SHELL: Final = "/bin/sh"
_PATH: Final = "/usr/sbin:/usr/bin:/sbin:/bin"
_SCRIPT: Final = r"""
trap '' INT TERM HUP
read -r _
for round in 1 2 3; do
  for path in $(grep -lsz "^$1$" /proc/[0-9]*/environ); do
    number=${path#/proc/}
    kill -9 "-${number%/environ}" "${number%/environ}"
  done
  sleep 0.1
done
"""
"""Three rounds: one may miss a tool that is between fork and exec. In each, the process and the group that it leads."""

_lock: Final = threading.Lock()
_reapers: Final[dict[int, tuple[str, subprocess.Popen[bytes]]]] = {}
"""What marks the tools of a process, and its reaper, by its id: a fork needs its own."""


def mark() -> dict[str, str]:
    """What a tool's environment has to hold. The first call of a process starts its reaper, which no signal ends."""
    with _lock:
        number = os.getpid()
        if number not in _reapers:
            token = os.urandom(16).hex()
            with contextlib.suppress(OSError):
                _reapers[number] = (token, _started(token))
        return {_VARIABLE: _reapers[number][0]} if number in _reapers else {}


def _started(token: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - a fixed path, and a script of our own
        [_SHELL, "-c", _SCRIPT, "fsadvisor-reaper", f"{_VARIABLE}={token}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={"LC_ALL": "C", "PATH": _PATH},
        start_new_session=True,
    )
