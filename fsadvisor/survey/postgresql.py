"""PostgreSQL: what its configuration says about durability and caching, as the server itself reads it.

postgresql.conf with what it includes, then postgresql.auto.conf (ALTER SYSTEM), then the command line. What is
configured counts, which is what a running server does from its next reload or restart.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown, unreadable
from fsadvisor.readers import database_files
from fsadvisor.survey import look, setting
from fsadvisor.survey.including import IncludingFiles
from fsadvisor.version import Version

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fsadvisor.machine.port import Machine
    from fsadvisor.survey.setting import Settings

_BLOCK_BYTES = 8192
_UNITS = {"": _BLOCK_BYTES, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40}
_DEFAULT = "PostgreSQL's default"
_NOT_MEASURED = Unknown(Cause.NOT_MEASURED, "run pg_test_fsync with a file beside pg_wal", "pg_test_fsync")
_OFF = ("off", "false", "no", "0")
_ON = ("on", "true", "yes", "1")


def facts(machine: Machine, directory: str, given: Iterable[tuple[str, str | None]]) -> dict[str, Any]:
    """Facts of a server by its data folder and the settings among its arguments."""
    version = _version(machine, directory)
    settings = _settings(machine, directory, dict(given))

    def told(name: str, default: str, since: int = 0) -> Fact[str]:
        return _since(version, since, setting.text(settings, name, Known(default, _DEFAULT)))

    return {
        "server_version": version,
        "fsync": setting.switch(told("fsync", "on")),
        "full_page_writes": setting.switch(told("full_page_writes", "on")),
        "synchronous_commit": look.derive(setting.lower(told("synchronous_commit", "on")), _level),
        "wal_sync_method": setting.lower(told("wal_sync_method", "fdatasync")),
        "fastest_wal_sync_method": _NOT_MEASURED,
        "wal_init_zero": setting.switch(told("wal_init_zero", "on", since=12)),
        "wal_recycle": setting.switch(told("wal_recycle", "on", since=12)),
        "io_method": setting.lower(told("io_method", "worker", since=18)),
        "direct_io": look.derive(
            setting.lower(setting.text(settings, "debug_io_direct", Known("", _DEFAULT))), _direct
        ),
        "buffer_bytes": setting.size_bytes(told("shared_buffers", "128MB"), _UNITS),
        "checkpoint_flush_after_bytes": setting.size_bytes(told("checkpoint_flush_after", "256kB"), _UNITS),
        "log_directory": _log_directory(machine, directory),
    }


def _version(machine: Machine, directory: str) -> Fact[Version]:
    """PG_VERSION holds the major version: '15', before PostgreSQL 10 '9.6'."""
    said = look.text(machine, f"{directory}/PG_VERSION")
    if isinstance(said, Unknown):
        return said
    version = Version.parse(said.value if "." in said.value else f"{said.value}.0")
    return Known(version, said.source) if version else unreadable("no version of PostgreSQL", said.source)


def _since(version: Fact[Version], major: int, fact: Fact[str]) -> Fact[str]:
    """A setting that older servers do not have."""
    if not major:
        return fact
    if isinstance(version, Unknown):
        return version
    return fact if version.value >= Version(major, 0) else NOT_APPLICABLE


def _level(word: str) -> str:
    if word in _OFF:
        return "off"
    return "on" if word in _ON else word


def _direct(kinds: str) -> bool:
    return "data" in [kind.strip() for kind in kinds.split(",")]


def _log_directory(machine: Machine, directory: str) -> Fact[str]:
    """Where pg_wal is: in the data folder, or where its link leads."""
    path = f"{directory}/pg_wal"
    target = machine.link(path)
    if isinstance(target, Unknown):
        return Known(path, f"{path} is no link") if setting.is_absent(target) else target
    return Known(target.text if target.text.startswith("/") else f"{directory}/{target.text}", path)


def _settings(machine: Machine, directory: str, given: dict[str, str | None]) -> Settings | Unknown:
    files = _Files(machine, database_files.parse_postgresql_conf)
    files.read(given.get("config_file") or f"{directory}/postgresql.conf")
    files.read(f"{directory}/postgresql.auto.conf", must_exist=False)
    if files.failed is not None:
        return files.failed
    by_argument = {name: Known(value, "argument of postgresql") for name, value in given.items() if value is not None}
    return {**files.found, **by_argument}


class _Files(IncludingFiles[database_files.PostgresqlConf]):
    """PostgreSQL's configuration files."""

    def _take(self, path: str, record: database_files.PostgresqlConf, depth: int) -> None:
        folder = PurePosixPath(path).parent
        for name, value in record.settings:
            if name == "include_dir":
                self.read_folder(str(folder / value), ".conf", depth + 1, must_exist=True)
            elif name.startswith("include"):
                self.read(str(folder / value), depth + 1, must_exist=name == "include")
            else:
                self.found[name] = Known(value, path)
