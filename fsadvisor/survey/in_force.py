"""What of a program's configuration is in force: a file that was changed after the program started may not be.

What a program reads only as it starts is then not known, whatever the file says now. PostgreSQL takes most settings at
a reload, and MySQL what SET PERSIST writes at once, so those files' other values stand.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.machine.port import Wrapped
from fsadvisor.patterns import late
from fsadvisor.readers import process_files
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fsadvisor.machine.port import Answer, Argv, Machine

_AT_START: Final[Mapping[str, tuple[str, ...]]] = {
    "postgresql": ("buffer_bytes", "io_method", "direct_io"),
    "mysql": (
        *("innodb_flush_method", "direct_io", "innodb_doublewrite", "innodb_flush_log_at_trx_commit", "buffer_bytes"),
        *("own_checksums", "log_directory"),
    ),
    "redis": ("appendonly", "appendfsync"),
    "etcd": ("unsafe_no_fsync", "log_directory"),
}
"""What is read as the program starts; some of it can be changed while it runs, by other means than the file."""
_ASK: Final[Mapping[str, str]] = {
    "postgresql": "ask the server: `psql -c 'SHOW ALL'`",
    "mysql": "ask the server: `mysql -e 'SHOW GLOBAL VARIABLES'`",
    "redis": "ask the server: `redis-cli CONFIG GET 'append*'`",
}
_TAKEN_AT_ONCE: Final = ("mysqld-auto.cnf",)
_SINCE_BOOT: Final = late(r"^btime (\d{1,12})$", re.MULTILINE)
_TICKS: Final = 100
"""A second, wherever Linux shows it."""
_MOST: Final = 50
_CHANGED: Final = late(r"^# changed: (\d{1,12})$", re.MULTILINE)
"""What is told with a container's file (machine/live.py)."""


class Noting(Wrapped):
    """Answers as the machine inside does, and notes of which configuration files it told.

    Of a container's it tells when they were changed, too.
    """

    def __init__(self, inner: Machine) -> None:
        super().__init__(inner)
        self.files: dict[str, int | None] = {}

    def settings(self, path: str) -> Answer:
        """As the machine inside."""
        answer = self._inner.settings(path)
        if not isinstance(answer, Unknown):
            told = _CHANGED.search(answer.text)
            self.files[path] = int(told[1]) if told else None
        return answer


def times_argv(files: Sequence[str]) -> Argv:
    """When the files were changed, in seconds, one a line."""
    return ("stat", "--format=%Y", "--", *files)


def changed_since_start(machine: Machine, pid: int | None, files: Mapping[str, int | None]) -> Fact[bool]:
    """Whether one of the files was changed after the process started; a time of None is asked for."""
    counted = [it for it in files if PurePosixPath(it).name not in _TAKEN_AT_ONCE][:_MOST]
    if pid is None or not counted:
        return read_fact.fact_of(None, "no configuration file of it is known")
    started = _started(machine, pid)
    if isinstance(started, Unknown):
        return started
    asked = [it for it in counted if files[it] is None]
    told = read_fact.command_record(machine, times_argv(asked), _numbers) if asked else ()
    if isinstance(told, Unknown):
        return told
    known = {**files, **dict(zip(asked, told, strict=False))}
    times = [known[it] or 0 for it in counted]
    newest = max(range(len(times)), key=times.__getitem__)
    newer = times[newest] > started.value
    return Known(newer, f"{counted[newest]} was changed after the program started" if newer else "stat, /proc/PID/stat")


def _numbers(text: str) -> tuple[int, ...] | Unknown:
    lines = text.split()
    if not lines or not all(it.isdigit() and len(it) < 13 for it in lines):
        return Unknown(Cause.UNREADABLE, "stat told no times")
    return tuple(map(int, lines))


def _started(machine: Machine, pid: int) -> Fact[int]:
    """When the process started, in seconds since 1970, rounded up."""
    stat = machine.read("/proc/stat")
    own = read_fact.file_record(machine, f"/proc/{pid}/stat", process_files.parse_process_stat)
    if isinstance(stat, Unknown):
        return stat
    if isinstance(own, Unknown):
        return own
    booted = _SINCE_BOOT.search(stat.text)
    if booted is None:
        return read_fact.fact_of(None, "/proc/stat btime")
    return Known(int(booted[1]) + own.started // _TICKS + 1, f"/proc/{pid}/stat")


def as_in_force(program: str, facts: Mapping[str, Any], changed: Fact[bool]) -> dict[str, Any]:
    """The facts without those that a changed file tells and the program may not have read."""
    if read_fact.value(changed) is not True:
        return dict(facts)
    unknown = Unknown(Cause.NOT_EXPOSED, _ASK.get(program, ""), changed.source)
    return {
        name: unknown if name in _AT_START.get(program, ()) and _of_a_file(fact) else fact
        for name, fact in facts.items()
    }


def _of_a_file(fact: Fact[object]) -> bool:
    return isinstance(fact, Known) and not fact.source.startswith("argument of")
