"""fsadvisor against other programs on this machine: a bare interpreter, the tools that it runs, lynis."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.live import LiveMachine
from fsadvisor.machine.recording import RecordingMachine
from fsadvisor.machine.runner import TOOL_FOLDERS
from fsadvisor.survey.whole import survey
from tools.bench.timing import Run, by_turns, cold_by_turns, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.machine.port import Argv

FSADVISOR: Final = str(Path(sysconfig.get_path("scripts")) / "fsadvisor")
_LYNIS: Final = ("audit", "system", "--quick", "--no-colors", "--logfile", "/dev/null", "--report-file", "/dev/null")

_WITHOUT_TOOLS: Final = """
import functools, sys
from fsadvisor import cli
from fsadvisor.machine import live
live.LiveMachine = functools.partial(live.LiveMachine, tool_folders=())
sys.exit(cli.run(["--json"]))
"""

_VERSION_LIMIT: Final = 1.3
_TOOLS_LIMIT: Final = 0.8
_LYNIS_LIMIT: Final = 1 / 20


def version(rounds: int) -> list[str]:
    """`--version` against `python -c pass` of the same environment; returns the limits that were missed."""
    done = by_turns(
        {"bare": lambda: run([sys.executable, "-c", "pass"]), "version": lambda: run([FSADVISOR, "--version"])}, rounds
    )
    ratio = done["version"].seconds / done["bare"].seconds
    print(f"fsadvisor --version       {done['version']}")
    print(f"a bare interpreter        {done['bare']}")
    return _judged(f"--version takes {ratio:.2f} times a bare interpreter", ratio, _VERSION_LIMIT)


def tools(rounds: int) -> list[str]:
    """`--json` here against the tools that it ran, one after another, and the same where no tool is found."""
    commands = tools_run_here()
    done = by_turns(
        {
            "tools": lambda: _one_after_another(commands),
            "json": lambda: run([FSADVISOR, "--json"]),
            "start": lambda: run([sys.executable, "-c", _WITHOUT_TOOLS]),
        },
        rounds,
    )
    limit = _TOOLS_LIMIT * done["tools"].seconds + done["start"].seconds
    print(f"fsadvisor --json          {done['json']}")
    print(f"its {len(commands)} tools in turn       {done['tools']}")
    print(f"its start-up              {done['start']}: the same --json where no tool is found")
    share = (done["json"].seconds - done["start"].seconds) / done["tools"].seconds
    print(f"  beyond its start-up it takes {share:.2f} times its tools")
    ratio = done["json"].seconds / limit
    return _judged(f"--json takes {ratio:.2f} times ({_TOOLS_LIMIT} x tools + start-up)", ratio, 1.0)


def tools_run_here() -> list[Argv]:
    """The commands that a survey of this machine runs, without those whose tool is not installed."""
    recording = RecordingMachine(LiveMachine())
    survey(recording, {})
    return [
        argv
        for argv, answer in recording.recording.runs.items()
        if not (isinstance(answer, Unknown) and answer.cause is Cause.NO_TOOL)
    ]


def _one_after_another(commands: Sequence[Argv]) -> Run:
    done = [run([_found(argv[0]), *argv[1:]], any_status=True) for argv in commands]
    return Run(
        seconds=sum(one.seconds for one in done),
        cpu_seconds=sum(one.cpu_seconds for one in done),
        peak_mib=max((one.peak_mib for one in done), default=0.0),
    )


def _found(tool: str) -> str:
    return shutil.which(tool, path=os.pathsep.join(TOOL_FOLDERS)) or tool


def lynis(rounds: int) -> list[str]:
    """The whole audit as text against lynis, which audits more than storage: a peer for the order of size."""
    peer = shutil.which("lynis", path=os.pathsep.join(TOOL_FOLDERS))
    if peer is None:
        print("lynis is not installed: not compared (apt-get install lynis)")
        return []
    done = cold_by_turns(
        {"text": lambda: run([FSADVISOR, "--text"]), "lynis": lambda: run([peer, *_LYNIS], any_status=True)}, rounds
    )
    ratio = done["text"].seconds / done["lynis"].seconds
    print(f"fsadvisor --text          {done['text']}")
    print(f"lynis audit system        {done['lynis']}")
    return _judged(f"the audit takes 1/{1 / ratio:.0f} of lynis", ratio, _LYNIS_LIMIT)


def _judged(what: str, ratio: float, limit: float) -> list[str]:
    missed = ratio > limit
    print(f"  {what}; limit {limit:.2f}: {'MISSED' if missed else 'kept'}\n")
    return [what] if missed else []
