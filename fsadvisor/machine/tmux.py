"""The paste buffer of the tmux that we run in. Many a tmux keeps what a program sends to the terminal's clipboard."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Final

from fsadvisor.machine.runner import TOOL_FOLDERS

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST_S: Final = 30.0
_LONGEST_REASON: Final = 60
_PASSED_ON: Final = ("TMUX", "TMUX_PANE")
_WAYS: Final = (("load-buffer", "-w", "-"), ("load-buffer", "-"))
"""With -w the buffer is offered to the terminal's clipboard, too; before tmux 3.2 there is no -w."""


def is_around(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether we run in a tmux."""
    return bool(environment.get("TMUX"))


def load_buffer(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """Put text there; why it is not there, '' where it is. This may wait for half a minute."""
    folders = ":".join(TOOL_FOLDERS)
    tool = shutil.which("tmux", path=folders)
    if tool is None:
        return "no tmux is installed here"
    passed_on = {name: environment[name] for name in _PASSED_ON if name in environment}
    env = {"PATH": folders, "LC_ALL": "C", **passed_on}
    why = ""
    for way in _WAYS:
        try:
            done = subprocess.run(  # noqa: S603 - fixed folders, no shell
                (tool, *way),
                input=text.encode(),
                capture_output=True,
                timeout=_LONGEST_S,
                cwd="/",
                env=env,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"tmux did not answer in {_LONGEST_S:g} s"
        except (OSError, ValueError) as error:
            return str(error)
        if done.returncode == 0:
            return ""
        why = done.stderr.decode("utf-8", "replace").strip()[:_LONGEST_REASON] or f"exit status {done.returncode}"
    return why
