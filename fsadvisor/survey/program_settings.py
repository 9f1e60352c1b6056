"""Settings of programs: what stands in their files or arguments, else what the program does without them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown, unreadable
from fsadvisor.patterns import late
from fsadvisor.readers import server_files
from fsadvisor.readers.server_files import RedisConf
from fsadvisor.survey import read_fact
from fsadvisor.version import Version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fsadvisor.machine.port import Machine
    from fsadvisor.survey.programs import Inside

Settings: TypeAlias = "Mapping[str, Known[str]]"
"""The value of each name that is set, and where."""

_SIZE = late(r"(\d{1,18}(?:\.\d{1,6})?)\s*([a-z]*)", re.ASCII)
_YES = ("on", "true", "yes", "1")
_NO = ("off", "false", "no", "0")


def text(settings: Settings | Unknown, name: str, default: Fact[str]) -> Fact[str]:
    """The value of a setting; nothing may be concluded where the settings could not be read."""
    return settings if isinstance(settings, Unknown) else settings.get(name, default)


def switch(fact: Fact[str]) -> Fact[bool]:
    """A setting that is on or off; a beginning of the word will do, as long as it is clear."""
    if isinstance(fact, Unknown):
        return fact
    word = fact.value.strip().lower()
    yes, no = (word and any(full.startswith(word) for full in words) for words in (_YES, _NO))
    if bool(yes) == bool(no):
        return unreadable(f"{word[:20]!r} is neither on nor off", fact.source)
    return Known(bool(yes), fact.source)


def size_bytes(fact: Fact[str], units: Mapping[str, int]) -> Fact[int]:
    """An amount of memory; `units` are those that the program knows, in lower case, '' for a bare number."""
    if isinstance(fact, Unknown):
        return fact
    found = _SIZE.fullmatch(fact.value.strip().lower())
    if found is None or found[2] not in units:
        return unreadable(f"{fact.value[:20]!r} is no size", fact.source)
    return Known(int(float(found[1]) * units[found[2]]), fact.source)


def whole(fact: Fact[str]) -> Fact[int]:
    """A whole number."""
    if isinstance(fact, Unknown):
        return fact
    value = fact.value.strip()
    if not value.isascii() or not value.isdigit() or len(value) > 9:
        return unreadable(f"{value[:20]!r} is no whole number", fact.source)
    return Known(int(value), fact.source)


def lower(fact: Fact[str]) -> Fact[str]:
    """A word whose case does not matter."""
    return read_fact.derive(fact, lambda word: word.strip().lower())


R = TypeVar("R")

_DEEPEST = 10
"""How deep PostgreSQL follows includes (CONF_FILE_MAX_DEPTH); MySQL's limit is the same."""
_MOST_FILES = 50


class IncludingFiles(ABC, Generic[R]):
    """`found` is what they set, the last one counting; `failed` says why they could not all be read."""

    def __init__(self, machine: Machine, parse: Callable[[str], R | Unknown]) -> None:
        self.found: dict[str, Known[str]] = {}
        self.failed: Unknown | None = None
        self._machine = machine
        self._parse = parse
        self._left = _MOST_FILES

    def read(self, path: str, depth: int = 0, *, must_exist: bool = True) -> None:
        """The settings of a file and of what it includes."""
        if self.failed is not None:
            return
        if depth > _DEEPEST or not self._left:
            self.failed = unreadable("configuration files include too many others", path)
            return
        self._left -= 1
        answer = self._machine.settings(path)
        if isinstance(answer, Unknown) and read_fact.is_not_there(answer) and not must_exist:
            return
        record = read_fact.understood(answer, self._parse)
        if isinstance(record, Unknown):
            self.failed = record
            return
        self._take(path, record, depth)

    def read_folder(self, path: str, ending: str, depth: int, *, must_exist: bool) -> None:
        """Read the files of a folder with this ending, in order; hidden ones are passed over."""
        names = self._machine.entries(path)
        if isinstance(names, Unknown):
            absent = read_fact.is_not_there(names) and not must_exist
            self.failed = self.failed or (None if absent else names)
            return
        for name in names:
            if name.endswith(ending) and not name.startswith("."):
                self.read(f"{path}/{name}", depth)

    @abstractmethod
    def _take(self, path: str, record: R, depth: int) -> None:
        """Note what a file sets, and read what it includes."""


_BLOCK_BYTES = 8192
_UNITS = {"": _BLOCK_BYTES, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40}
_DEFAULT = "PostgreSQL's default"
_NOT_MEASURED = Unknown(Cause.NOT_MEASURED, "run pg_test_fsync with a file beside pg_wal", "pg_test_fsync")
_OFF = ("off", "false", "no", "0")
_ON = ("on", "true", "yes", "1")


def postgresql_facts(
    machine: Machine,
    directory: str,
    given: Iterable[tuple[str, str | None]],
    inside: Inside | None = None,
    *,
    asked: Settings | None = None,
) -> dict[str, Any]:
    """Facts of a server by its data folder and the settings among its arguments; `asked` is what it says itself.

    `inside`: it runs in a container, in which a path from the root leads elsewhere than here.
    """
    version = _version(machine, directory)
    configured = _settings(machine, directory, dict(given), inside)
    settings = configured if asked is None else {**({} if isinstance(configured, Unknown) else configured), **asked}

    def setting(name: str, default: str, since: int = 0) -> Fact[str]:
        return _since(version, since, text(settings, name, Known(default, _DEFAULT)))

    return {
        "server_version": version,
        "fsync": switch(setting("fsync", "on")),
        "full_page_writes": switch(setting("full_page_writes", "on")),
        "synchronous_commit": read_fact.derive(lower(setting("synchronous_commit", "on")), _level),
        "wal_sync_method": lower(setting("wal_sync_method", "fdatasync")),
        "fastest_wal_sync_method": _NOT_MEASURED,
        "wal_init_zero": switch(setting("wal_init_zero", "on", since=12)),
        "wal_recycle": switch(setting("wal_recycle", "on", since=12)),
        "io_method": lower(setting("io_method", "worker", since=18)),
        "direct_io": read_fact.derive(lower(text(settings, "debug_io_direct", Known("", _DEFAULT))), _direct),
        "buffer_bytes": size_bytes(setting("shared_buffers", "128MB"), _UNITS),
        "checkpoint_flush_after_bytes": size_bytes(setting("checkpoint_flush_after", "256kB"), _UNITS),
        "log_directory": _log_directory(machine, directory, inside),
    }


def _version(machine: Machine, directory: str) -> Fact[Version]:
    """PG_VERSION holds the major version: '15', before PostgreSQL 10 '9.6'."""
    text_of_file = read_fact.text(machine, f"{directory}/PG_VERSION")
    if isinstance(text_of_file, Unknown):
        return text_of_file
    version = Version.parse(text_of_file.value if "." in text_of_file.value else f"{text_of_file.value}.0")
    return (
        Known(version, text_of_file.source) if version else unreadable("no version of PostgreSQL", text_of_file.source)
    )


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


def _log_directory(machine: Machine, directory: str, inside: Inside | None) -> Fact[str]:
    """Where pg_wal is: in the data folder, or where its link leads."""
    path = f"{directory}/pg_wal"
    target = machine.link(path)
    if isinstance(target, Unknown):
        return Known(path, f"{path} is no link") if read_fact.is_not_there(target) else target
    if inside and target.text.startswith("/"):
        return inside.mounts.place(target.text).path
    return Known(target.text if target.text.startswith("/") else f"{directory}/{target.text}", path)


def _settings(
    machine: Machine, directory: str, given: dict[str, str | None], inside: Inside | None
) -> Settings | Unknown:
    files = _Files(machine, server_files.parse_postgresql_conf)
    files.inside, files.directory = inside, directory
    named = given.get("config_file")
    files.read(inside.path(named) if inside and named else named or f"{directory}/postgresql.conf")
    files.read(f"{directory}/postgresql.auto.conf", must_exist=False)
    if files.failed is not None:
        return files.failed
    by_argument = {name: Known(value, "argument of postgresql") for name, value in given.items() if value is not None}
    return {**files.found, **by_argument}


class _Files(IncludingFiles[server_files.PostgresqlConf]):
    """PostgreSQL's configuration files; in a container what is no plain file of its data folder is read by its root."""

    inside: Inside | None = None
    directory = ""

    def read(self, path: str, depth: int = 0, *, must_exist: bool = True) -> None:
        super().read(self._readable(path), depth, must_exist=must_exist)

    def _readable(self, path: str) -> str:
        if self.inside is None or path.startswith(self.inside.root):
            return path
        if not path.startswith(f"{self.directory}/"):
            return self.inside.path(path)
        link = self._machine.link(path)
        plain = read_fact.is_not_there(link)
        return path if plain else self.inside.path(f"{self.inside.directory}{path.removeprefix(self.directory)}")

    def _take(self, path: str, record: server_files.PostgresqlConf, depth: int) -> None:
        folder = PurePosixPath(path).parent
        for name, value in record.settings:
            where = str(folder / value) if self.inside is None or not value.startswith("/") else self.inside.path(value)
            if name == "include_dir":
                self.read_folder(where, ".conf", depth + 1, must_exist=True)
            elif name.startswith("include"):
                self.read(where, depth + 1, must_exist=name == "include")
            else:
                self.found[name] = Known(value, path)


_FILES = ("/etc/redis/redis.conf", "/etc/redis.conf", "/etc/valkey/valkey.conf", "/etc/valkey.conf")
_FILES_INSIDE = (*_FILES, "/usr/local/etc/redis/redis.conf", "/opt/bitnami/redis/etc/redis.conf")
_REDIS_DEFAULT = "the server's default"


def redis_facts(
    machine: Machine, directory: str, inside: Inside | None = None, *, asked: Settings | None = None
) -> dict[str, Any]:
    """Facts by the configuration file that names this folder: the server hides its arguments; or by its own word.

    In a container by what its engine started it with, where that is known.
    """
    if asked is not None:
        told = RedisConf(directives=tuple((name, fact.value) for name, fact in asked.items()))
        return _redis_settings(told, "asked by redis-cli")
    if inside and inside.started is not None:
        return _started(machine, directory, inside, dict(inside.started))
    own = inside.directory if inside else directory
    failed: Unknown | None = None
    for path in map(inside.path, _FILES_INSIDE) if inside else _FILES:
        record = read_fact.understood(machine.settings(path), server_files.parse_redis_conf)
        if isinstance(record, Unknown):
            failed = failed or (None if read_fact.is_not_there(record) else record)
        elif (record.get("dir") or "").rstrip("/") == own.rstrip("/"):
            return _contradicted(machine, directory, path, record) or _redis_settings(record, path)
    unknown = failed or Unknown(Cause.NOT_EXPOSED, "", f"no configuration file for {own} in the usual places")
    return {"appendonly": unknown, "appendfsync": unknown}


def _started(machine: Machine, directory: str, inside: Inside, given: dict[str, str | None]) -> dict[str, Any]:
    """By the file that it was started with, if any, and the words that followed it."""
    file, source = given.pop("config_file", None), "what its container was started with"
    record: RedisConf | Unknown = RedisConf(directives=())
    if file:
        path = inside.path(file if file.startswith("/") else f"{inside.directory}/{file}")
        record, source = read_fact.understood(machine.settings(path), server_files.parse_redis_conf), path
    if isinstance(record, Unknown):
        return {"appendonly": record, "appendfsync": record}
    words = tuple((name, value) for name, value in given.items() if value is not None)
    record = RedisConf(directives=(*record.directives, *words))
    return _contradicted(machine, directory, source, record) or _redis_settings(record, source)


_APPEND_ONLY: Final = ("appendonlydir", "appendonly.aof")
_ASK_REDIS: Final = "ask the server: `redis-cli CONFIG GET 'append*'`"


def _contradicted(machine: Machine, directory: str, path: str, record: RedisConf) -> dict[str, Any] | None:
    """Where it includes others, or its files show a log that it denies, the server may have been told otherwise."""
    if record.get("include"):
        unknown = Unknown(Cause.NOT_EXPOSED, _ASK_REDIS, f"{path} includes {(record.get('include') or '')[:80]}")
        return {"appendonly": unknown, "appendfsync": unknown}
    if read_fact.value(switch(Known(record.get("appendonly") or "no", path))) is not False:
        return None
    names = read_fact.names(machine.entries(directory))
    seen = next((name for name in _APPEND_ONLY if name in names), None)
    if seen is None:
        return None
    unknown = Unknown(Cause.NOT_EXPOSED, _ASK_REDIS, f"{path} says no, and {directory}/{seen} is there")
    return {"appendonly": unknown, "appendfsync": unknown}


def _redis_settings(record: RedisConf, path: str) -> dict[str, Any]:
    appendonly, appendfsync = record.get("appendonly"), record.get("appendfsync")
    return {
        "appendonly": switch(Known(appendonly, path) if appendonly else Known("no", _REDIS_DEFAULT)),
        "appendfsync": lower(Known(appendfsync, path) if appendfsync else Known("everysec", _REDIS_DEFAULT)),
    }
