"""What programs say is in force, asked by their own clients over a local socket, and only with --ask-programs.

Each question reads settings and changes nothing. A client that wants a password gets none, and tells nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.survey.program_settings import Settings
    from fsadvisor.survey.programs import RunningProgram

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
    """The settings in force by name; not asked is not known, and so is a program in a container."""
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


def _mysql(machine: Machine, _: RunningProgram) -> Settings | Unknown:
    names = ", ".join(f"'{it}'" for it in _MYSQL)
    question = f"SHOW GLOBAL VARIABLES WHERE Variable_name IN ({names})"
    client = ("mysql", "--no-defaults", "--protocol=socket", "--user=root", "--batch", "--skip-column-names")
    return _settings(machine, (*client, "--execute", question), "\t")


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
