"""What programs are configured to do with their files, by the reader that fits each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.survey import look, mysql, postgresql, redis

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine

_FACTS = {
    "postgresql": (
        "server_version", "fsync", "full_page_writes", "synchronous_commit", "wal_sync_method", "wal_init_zero",
        "fastest_wal_sync_method", "wal_recycle", "io_method", "direct_io", "buffer_bytes",
        "checkpoint_flush_after_bytes", "log_directory",
    ),
    "mysql": ("server_version", "edition", *mysql.SETTINGS),
    "redis": ("appendonly", "appendfsync"),
    "docker": ("storage_driver",),
}  # fmt: skip
_ELSEWHERE = Unknown(Cause.NOT_EXPOSED, "run fsadvisor in its container", "its root folder is not ours")
_NOT_SEEN = Unknown(Cause.DENIED, "run as root", "the program's root folder")


def facts(
    machine: Machine, program: str, directory: Fact[str], server: mysql.Server, here: bool | None
) -> dict[str, Any]:
    """Facts of a program by its settings, which mean nothing here where it has another root folder than we."""
    if program == "etcd":
        return _etcd(dict(server.given))
    names = _FACTS.get(program, ())
    if here is not True:
        return dict.fromkeys(names, _ELSEWHERE if here is False else _NOT_SEEN)
    if isinstance(directory, Unknown):
        return dict.fromkeys(names, directory)
    if program == "postgresql":
        return postgresql.facts(machine, directory.value, server.given)
    if program == "mysql":
        return mysql.facts(machine, server)
    if program == "redis":
        return redis.facts(machine, directory.value)
    return {"storage_driver": _storage_driver(machine, directory.value)} if program == "docker" else {}


def _etcd(given: dict[str, str | None]) -> dict[str, Any]:
    """Its arguments; what they leave open may stand in its environment, which is not looked at."""
    learn = "look for ETCD_UNSAFE_NO_FSYNC and ETCD_WAL_DIR in the environment that its unit or manifest sets"
    environment = Unknown(Cause.NOT_EXPOSED, learn, "arguments of etcd, which do not say")
    unsafe = given.get("unsafe_no_fsync", "") in (None, "true", "1")
    log = given.get("wal_dir")
    return {
        "unsafe_no_fsync": Known(True, "argument of etcd") if unsafe else environment,
        "log_directory": Known(log, "argument of etcd") if log else environment,
    }


def _storage_driver(machine: Machine, directory: str) -> Fact[str]:
    """The driver that has images, where there is only one: another may have been used before."""
    path = f"{directory}/image"
    names = machine.entries(path)
    if isinstance(names, Unknown):
        return names
    return look.told(names[0] if len(names) == 1 else None, path, "ask it: docker info")
