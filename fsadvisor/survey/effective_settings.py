"""What of a program's configuration is in force: a file may have changed since; a program may be asked."""

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
    from collections.abc import Callable, Mapping, Sequence

    from fsadvisor.machine.port import Answer, Argv, Machine
    from fsadvisor.survey.program_settings import Settings
    from fsadvisor.survey.programs import RunningProgram

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
    """Answers as the machine inside does, and notes of which configuration files it told, or why not of one.

    Of a container's it tells when they were changed, too.
    """

    def __init__(self, inner: Machine) -> None:
        super().__init__(inner)
        self.files: dict[str, int | None] = {}
        self.failed: Unknown | None = None

    def settings(self, path: str) -> Answer:
        """As the machine inside."""
        answer = self._inner.settings(path)
        if isinstance(answer, Unknown):
            self.failed = self.failed or (None if read_fact.is_not_there(answer) else answer)
        else:
            told = _CHANGED.search(answer.text)
            self.files[path] = int(told[1]) if told else None
        return answer


def times_argv(files: Sequence[str]) -> Argv:
    """When the files were changed, in seconds, one a line."""
    return ("stat", "--format=%Y", "--", *files)


def changed_since_start(machine: Machine, pid: int | None, files: Mapping[str, int | None]) -> Fact[bool]:
    """Whether one of the files was changed after the process started; a time of None is asked for."""
    counted = [path for path in files if PurePosixPath(path).name not in _TAKEN_AT_ONCE][:_MOST]
    if pid is None or not counted:
        return read_fact.fact_of(None, "no configuration file of it is known")
    started = _started(machine, pid)
    if isinstance(started, Unknown):
        return started
    unread = [path for path in counted if files[path] is None]
    seconds = read_fact.command_record(machine, times_argv(unread), _numbers) if unread else ()
    if isinstance(seconds, Unknown):
        return seconds
    known = {**files, **dict(zip(unread, seconds, strict=False))}
    times = [known[path] or 0 for path in counted]
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
    """The facts without those that a changed file tells and the program may not have read.

    What a program reads only as it starts is then not known, whatever the file says now. PostgreSQL takes most settings
    at a reload, and MySQL what SET PERSIST writes at once, so those files' other values stand.
    """
    if read_fact.value(changed) is not True:
        return dict(facts)
    unknown = Unknown(Cause.NOT_EXPOSED, _ASK.get(program, ""), changed.source)
    return {
        name: unknown if name in _AT_START.get(program, ()) and _of_a_file(fact) else fact
        for name, fact in facts.items()
    }


def _of_a_file(fact: Fact[object]) -> bool:
    return isinstance(fact, Known) and not fact.source.startswith("argument of")


_USER: Final = late(r"[a-z_][a-z0-9_-]{0,31}")
_POSTGRESQL: Final = (
    *("fsync", "full_page_writes", "synchronous_commit", "wal_sync_method", "wal_init_zero", "wal_recycle"),
    *("io_method", "debug_io_direct", "shared_buffers", "checkpoint_flush_after"),
)
_MYSQL: Final = (
    *("innodb_flush_method", "innodb_doublewrite", "innodb_flush_log_at_trx_commit", "innodb_buffer_pool_size"),
    *("innodb_log_group_home_dir", "innodb_checksum_algorithm", "innodb_data_file_buffering"),
)
_SHOW: Final = "SELECT name || '=' || current_setting(name) FROM pg_settings WHERE name IN ({})"
_SOCKET_LINE, _PORT_LINE, _LEAST_LINES = 4, 3, 5
"""Of postmaster.pid, from 0: the port, and the directory of the socket."""


def asked(machine: Machine, found: RunningProgram) -> Settings | Unknown:
    """The settings in force by name, asked by the program's own client over a local socket, only with --ask-programs.

    Each question reads settings and changes nothing. A client that wants a password gets none, and tells nothing. Not
    asked is not known, and so is a program in a container.
    """
    ask = CLIENTS.get(found.program.name)
    if ask is None or not getattr(machine, "asks_programs", False):
        return Unknown(Cause.NOT_MEASURED, "ask the program itself: --ask-programs", "--ask-programs")
    if found.here is not True:
        return Unknown(Cause.NOT_EXPOSED, "run fsadvisor in its container", "its root directory is not ours")
    return ask(machine, found)


def _postgresql(machine: Machine, found: RunningProgram) -> Settings | Unknown:
    directory = read_fact.value(found.directory) or ""
    pid_file = machine.read(f"{directory}/postmaster.pid")
    if isinstance(pid_file, Unknown):
        return pid_file
    lines = pid_file.text.splitlines()
    if len(lines) < _LEAST_LINES or not lines[_SOCKET_LINE].startswith("/") or not lines[_PORT_LINE].strip().isdigit():
        return read_fact.fact_of(None, pid_file.source, "look: it listens on no local socket")  # type: ignore[return-value]
    if not _USER.fullmatch(found.user):
        return Unknown(Cause.NOT_EXPOSED, "ask it with psql as its own user", "the user that it runs as")
    names = ", ".join(f"'{it}'" for it in _POSTGRESQL)
    client = ("psql", "-X", "-A", "-t", "-q", "-w", "-h", lines[_SOCKET_LINE].strip(), "-p", lines[_PORT_LINE].strip())
    return _settings(
        machine, ("runuser", "-u", found.user, "--", *client, "-d", "postgres", "-c", _SHOW.format(names)), "="
    )


_SENDS_NO_FILE: Final = "--local-infile=0"
"""Or else a server, which runs as another user, may ask MariaDB's client for any file that root can read."""


def _mysql(machine: Machine, _: RunningProgram) -> Settings | Unknown:
    names = ", ".join(f"'{it}'" for it in _MYSQL)
    question = f"SHOW GLOBAL VARIABLES WHERE Variable_name IN ({names})"
    client = ("mysql", "--no-defaults", "--protocol=socket", "--user=root", "--batch", "--skip-column-names")
    return _settings(machine, (*client, _SENDS_NO_FILE, "--execute", question), "\t")


def _redis(machine: Machine, _: RunningProgram) -> Settings | Unknown:
    """Names and values on lines in turn; it answers on the loopback alone, so not from another machine."""
    answer = machine.run([("redis-cli", "--no-auth-warning", "CONFIG", "GET", "append*")])[0]
    if isinstance(answer, Unknown):
        return answer
    lines = answer.text.splitlines()
    pairs = zip(lines[::2], lines[1::2], strict=False)
    told = {name: Known(value, answer.source) for name, value in pairs if name in ("appendonly", "appendfsync")}
    return told or Unknown(Cause.DENIED, "ask it with its password: `redis-cli CONFIG GET 'append*'`", answer.source)


CLIENTS: Final[Mapping[str, Callable[[Machine, RunningProgram], Settings | Unknown]]] = {
    "postgresql": _postgresql,
    "mysql": _mysql,
    "redis": _redis,
}


def _settings(machine: Machine, argv: Argv, between: str) -> Settings | Unknown:
    answer = machine.run([argv])[0]
    if isinstance(answer, Unknown):
        return answer
    client = argv[argv.index("--") + 1] if "--" in argv else argv[0]
    found = {
        name.strip(): Known(value.strip(), f"asked by {client}")
        for name, found, value in (line.partition(between) for line in answer.text.splitlines())
        if found
    }
    return found or Unknown(Cause.DENIED, f"ask it with {client}: it let nobody in without a password", client)


def differences(configured: Mapping[str, Any], in_force: Mapping[str, Any]) -> Fact[tuple[str, ...]]:
    """'fsync: on in force, off in its files' of each fact that differs."""
    pairs = ((name, configured.get(name), fact) for name, fact in in_force.items())
    found = tuple(
        f"{name}: {_word(fact.value)} in force, {_word(before.value)} in its files"
        for name, before, fact in pairs
        if isinstance(before, Known) and isinstance(fact, Known) and before.value != fact.value
    )
    return Known(found, "the program's own client, its files")


def _word(value: object) -> str:
    return {True: "on", False: "off"}.get(value, str(value)) if isinstance(value, bool) else str(value)
