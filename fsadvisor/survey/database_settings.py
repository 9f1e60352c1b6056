"""What option files say of durability and caching, of MySQL, MariaDB and etcd; SET GLOBAL is not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from fsadvisor.facts import Cause, Fact, Known, Unknown, unreadable
from fsadvisor.readers import server_files
from fsadvisor.survey import program_settings, read_fact
from fsadvisor.survey.program_files import etcd_file_path, has_etcd_file, read_etcd_file
from fsadvisor.survey.program_settings import IncludingFiles, Settings
from fsadvisor.version import Version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.server_files import MysqldVersion
    from fsadvisor.survey.programs import Inside, RunningProgram

_FILES = ("/etc/my.cnf", "/etc/mysql/my.cnf", "/usr/etc/my.cnf")
_GROUPS = ("mysqld", "server")
_MARIADB_GROUPS = ("client-server", "mariadb", "mariadbd")
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_FLUSH_METHODS = ("fsync", "O_DSYNC", "littlesync", "nosync", "O_DIRECT", "O_DIRECT_NO_FSYNC")
"""In the order of their numbers, which are valid values too."""
_DIRECT = ("O_DIRECT", "O_DIRECT_NO_FSYNC")
_UPGRADE_FILES = ("mariadb_upgrade_info", "mysql_upgrade_info")
_VERSIONS = {"MYSQL_VERSION": "mysql", "MARIADB_VERSION": "mariadb"}


class MysqlServer(Struct, frozen=True, kw_only=True):
    """A running server: its process name, data folder and the settings among its arguments."""

    process: str
    directory: str
    given: tuple[tuple[str, str | None], ...]
    asked: Settings | None = None
    """What it says itself."""
    inside: Inside | None = None
    """Where it is in its container; the settings are by the container's paths then."""
    environment: Mapping[str, str] = {}

    def read_at(self, path: str) -> str:
        """A path of the server's, as we may read it."""
        return self.inside.path(path) if self.inside else path

    @property
    def own_directory(self) -> str:
        """Its data folder as the server itself names it."""
        return self.inside.directory if self.inside else self.directory


def mysql_facts(machine: Machine, server: MysqlServer) -> dict[str, Any]:
    """A server's version, and what its option files say about InnoDB's durability and caching.

    The files in the server's order, persisted variables (MySQL 8.0), then the command line. What is configured counts;
    SET GLOBAL is not seen.
    """
    release = _release(machine, server)
    if isinstance(release, Unknown):
        return {"server_version": release, "edition": release, **dict.fromkeys(MYSQL_SETTINGS, release)}
    settings = _settings(machine, server, release.value)
    if server.asked is not None:
        settings = {**({} if isinstance(settings, Unknown) else settings), **server.asked}
    method = _flush_method(settings, release.value)
    return {
        "server_version": read_fact.derive(release, lambda it: Version(it.major, it.minor, it.patch)),
        "edition": read_fact.derive(release, lambda it: it.edition),
        "innodb_flush_method": method,
        "direct_io": read_fact.derive(method, lambda word: word in _DIRECT),
        "innodb_doublewrite": _doublewrite(settings),
        "innodb_flush_log_at_trx_commit": program_settings.whole(
            _setting(settings, "innodb_flush_log_at_trx_commit", "1")
        ),
        "buffer_bytes": _buffer_bytes(settings),
        "own_checksums": read_fact.derive(_setting(settings, "innodb_checksum_algorithm", "crc32"), _has_checksums),
        "log_directory": _log_directory(settings, server),
    }


MYSQL_SETTINGS = (
    "innodb_flush_method", "direct_io", "innodb_doublewrite", "innodb_flush_log_at_trx_commit", "buffer_bytes",
    "own_checksums", "log_directory",
)  # fmt: skip


def _release(machine: Machine, server: MysqlServer) -> Known[MysqldVersion] | Unknown:
    """The binary's word, else the file that an upgrade leaves in the data folder; in a container its image's word."""
    if server.inside:
        return _release_inside(machine, server)
    argv = (server.process, "--version")
    record = read_fact.command_record(machine, argv, server_files.parse_mysqld_version)
    if not isinstance(record, Unknown):
        return Known(record, " ".join(argv))
    for name in _UPGRADE_FILES:
        path = f"{server.directory}/{name}"
        left = read_fact.file_record(machine, path, server_files.parse_mysqld_version)
        if not isinstance(left, Unknown):
            return Known(left, path)
    if record.cause is Cause.NO_TOOL:
        return Unknown(Cause.NOT_EXPOSED, "", f"{server.process} is not where tools are, and left no upgrade file")
    return record


def _release_inside(machine: Machine, server: MysqlServer) -> Known[MysqldVersion] | Unknown:
    """By the file that an upgrade leaves, else by the variable that the makers' images set."""
    for name in _UPGRADE_FILES:
        path = server.read_at(f"{server.own_directory}/{name}")
        left = read_fact.file_record(machine, path, server_files.parse_mysqld_version)
        if not isinstance(left, Unknown):
            return Known(left, path)
    for name, edition in _VERSIONS.items():
        number = server.environment.get(name, "").rpartition(":")[2]
        told = server_files.parse_mysqld_version(f"{number} {edition}")
        if not isinstance(told, Unknown):
            return Known(told, f"environment of {server.process}: {name}")
    learn = "ask it in its container: SELECT VERSION()"
    return Unknown(Cause.NOT_EXPOSED, learn, f"no upgrade file and no {' or '.join(_VERSIONS)} in its container")


def _setting(settings: Settings | Unknown, name: str, default: str) -> Fact[str]:
    return program_settings.text(settings, name, Known(default, "InnoDB's default"))


def _flush_method(settings: Settings | Unknown, release: MysqldVersion) -> Fact[str]:
    """As it takes effect. O_DIRECT is the default since MySQL 8.4 and MariaDB 10.6."""
    since = (10, 6) if release.edition == "mariadb" else (8, 4)
    default = "O_DIRECT" if (release.major, release.minor) >= since else "fsync"
    if default == "fsync" and _is_dedicated(settings):
        default = "O_DIRECT_NO_FSYNC"
    fact = _setting(settings, "innodb_flush_method", default)
    if isinstance(fact, Unknown) or isinstance(settings, Unknown):
        return fact
    if "innodb_flush_method" not in settings and release.edition == "mariadb" and release.major >= 11:
        return _by_switches(settings, fact)
    word = fact.value.strip().lower()
    number = int(word) if word in tuple("012345") else None
    method = next((it for at, it in enumerate(_FLUSH_METHODS) if word == it.lower() or at == number), None)
    return Known(method, fact.source) if method else unreadable("no flush method of InnoDB", fact.source)


def _is_dedicated(settings: Settings | Unknown) -> bool:
    """Whether MySQL may choose by itself what is not set (innodb_dedicated_server)."""
    said = None if isinstance(settings, Unknown) else settings.get("innodb_dedicated_server")
    return said is not None and read_fact.value(program_settings.switch(said)) is not False


def _buffer_bytes(settings: Settings | Unknown) -> Fact[int]:
    if _is_dedicated(settings) and not isinstance(settings, Unknown) and "innodb_buffer_pool_size" not in settings:
        return Unknown(Cause.NOT_EXPOSED, "", "innodb_dedicated_server chooses it")
    return program_settings.size_bytes(_setting(settings, "innodb_buffer_pool_size", "134217728"), _UNITS)


def _by_switches(settings: Settings, default: Fact[str]) -> Fact[str]:
    """MariaDB 11.0 has a switch for each of what the flush methods stood for."""
    buffering = settings.get("innodb_data_file_buffering")
    on = program_settings.switch(buffering) if buffering else None
    if isinstance(on, Unknown):
        return on
    return Known("fsync", on.source) if on and on.value else default


def _doublewrite(settings: Settings | Unknown) -> Fact[str]:
    """ON, OFF, DETECT_ONLY or fast; DETECT_AND_RECOVER is MySQL's other word for ON."""
    fact = _setting(settings, "innodb_doublewrite", "ON")
    if isinstance(fact, Unknown):
        return fact
    word = fact.value.strip().upper()
    if word in ("DETECT_ONLY", "FAST"):
        return Known(word, fact.source)
    on = program_settings.switch(Known("ON" if word == "DETECT_AND_RECOVER" else word, fact.source))
    return read_fact.derive(on, lambda it: "ON" if it else "OFF")


def _has_checksums(algorithm: str) -> bool:
    return "none" not in algorithm.lower()


def _log_directory(settings: Settings | Unknown, server: MysqlServer) -> Fact[str]:
    default = Known(server.own_directory, "InnoDB's default: the data directory")
    fact = program_settings.text(settings, "innodb_log_group_home_dir", default)
    own = server.own_directory
    path = read_fact.derive(fact, lambda path: path if path.startswith("/") else f"{own}/{path}".rstrip("/."))
    if server.inside is None or isinstance(path, Unknown):
        return path
    return server.inside.mounts.place(path.value).path


def _settings(machine: Machine, server: MysqlServer, release: MysqldVersion) -> Settings | Unknown:
    given = [server_files.named("", name, value) for name, value in server.given]
    files = _MysqlFiles(machine, release, server)
    for path in _paths(server):
        files.read(server.read_at(path), must_exist=path not in _FILES)
    if release.edition == "mysql":
        files.read(server.read_at(f"{server.own_directory}/mysqld-auto.cnf"), must_exist=False)
    if files.failed is not None:
        return files.failed
    found = {**files.found, **{it.name: Known(_value(it.value), "argument of mysql") for it in given}}
    return _of_another(machine, found, server) or found


def _paths(server: MysqlServer) -> list[str]:
    """The option files that this server was told to read."""
    given = dict(server.given)
    if "no_defaults" in given:
        return []
    alone, extra = given.get("defaults_file"), given.get("defaults_extra_file")
    return [alone] if alone else [*_FILES, *([extra] if extra else [])]


def _value(value: str | None) -> str:
    return "ON" if value is None else value


def _of_another(machine: Machine, found: Settings, server: MysqlServer) -> Unknown | None:
    """Why these are not the settings of the server with this data folder: several servers share the files."""
    if "defaults_group_suffix" in found:
        return Unknown(Cause.NOT_EXPOSED, "", "option groups with a suffix are not followed")
    datadir, own = found.get("datadir"), server.own_directory.rstrip("/")
    if datadir is None or datadir.value.rstrip("/") == own:
        return None
    target = None if server.inside else machine.link(datadir.value.rstrip("/"))
    if target is not None and not isinstance(target, Unknown) and target.text.rstrip("/") == own:
        return None
    return Unknown(Cause.NOT_EXPOSED, "", f"{datadir.source} is for {datadir.value}")


class _MysqlFiles(IncludingFiles[server_files.MysqlCnf]):
    """MySQL's option files, as far as the groups are the server's."""

    def __init__(self, machine: Machine, release: MysqldVersion, server: MysqlServer) -> None:
        super().__init__(machine, server_files.parse_mysql_cnf)
        self._server = server
        groups = (*_GROUPS, *_MARIADB_GROUPS) if release.edition == "mariadb" else _GROUPS
        self._groups = {*groups, *(f"{group}-{release.major}.{release.minor}" for group in groups)}

    def _take(self, path: str, record: server_files.MysqlCnf, depth: int) -> None:
        for option in record.options:
            value = _value(option.value)
            if option.name == "include" and not option.group:
                self.read(self._server.read_at(value), depth + 1)
            elif option.name == "includedir" and not option.group:
                self.read_folder(self._server.read_at(value.rstrip("/")), ".cnf", depth + 1, must_exist=False)
            elif option.group in self._groups:
                self.found[option.name] = Known(value, path)


_ETCD: Final = "arguments and environment of etcd"


def etcd_facts(machine: Machine, found: RunningProgram) -> dict[str, Any]:
    """Whether it flushes, and where its log is: by its file, where it has one, or its arguments and environment.

    With a configuration file it heeds neither of the others.

    https://etcd.io/docs/v3.6/op-guide/configuration/
    """
    given, environment = dict(found.settings), dict(found.environment or ())
    if has_etcd_file(given, environment):
        return _by_file(machine, found)
    if given.get("unsafe_no_fsync", "") in (None, "true", "1"):
        unsafe: Fact[bool] = Known(True, "argument of etcd")
    elif found.environment is None:
        learn = "look for ETCD_UNSAFE_NO_FSYNC and ETCD_WAL_DIR in the environment that its unit or manifest sets"
        unsafe = Unknown(Cause.NOT_EXPOSED, learn, "arguments of etcd, which do not say")
    else:
        word = given.get("unsafe_no_fsync") or environment.get("ETCD_UNSAFE_NO_FSYNC", "false")
        unsafe = program_settings.switch(Known(word, _ETCD))
    return {"unsafe_no_fsync": unsafe, "log_directory": _log(found, given, environment)}


def _log(found: RunningProgram, given: dict[str, str | None], environment: dict[str, str]) -> Fact[str]:
    """Where its log is: in the data folder, where neither says otherwise."""
    if told := given.get("wal_dir"):
        return Known(told, "argument of etcd")
    if found.environment is None or "wal_dir" in given or environment.get("ETCD_WAL_DIR"):
        return Unknown(
            Cause.NOT_EXPOSED, "look for ETCD_WAL_DIR in the environment that its unit or manifest sets", _ETCD
        )
    return _in_data(found.directory)


def _in_data(directory: Fact[str]) -> Fact[str]:
    return read_fact.derive(directory, lambda it: f"{it.rstrip('/')}/member/wal")


def _by_file(machine: Machine, found: RunningProgram) -> dict[str, Any]:
    """By its file; in a container by the file that it sees, whose paths are the container's."""
    path = _path(found)
    record = path if isinstance(path, Unknown) else read_etcd_file(machine, path)
    if isinstance(record, Unknown):
        return {"unsafe_no_fsync": record, "log_directory": record}
    source = path if isinstance(path, str) else ""
    word = record.get("unsafe-no-fsync")
    unsafe = Known(False, f"{source}: not set") if word is None else program_settings.switch(Known(word, source))
    log = record.get("wal-dir")
    if found.inside and log:
        folder: Fact[str] = found.inside.mounts.place(log).path if log.startswith("/") else _relative(source)
    elif log:
        folder = Known(log, source) if log.startswith("/") else _relative(source)
    else:
        folder = _in_data(found.directory)
    return {"unsafe_no_fsync": unsafe, "log_directory": folder}


def _relative(source: str) -> Unknown:
    return Unknown(Cause.NOT_EXPOSED, "look where its relative path leads", source)


def _path(found: RunningProgram) -> str | Unknown:
    """The file, as we may read it."""
    settings = dict(found.inside.settings if found.inside else found.settings)
    path = etcd_file_path(settings, dict(found.environment or ()))
    if path.startswith("/") and (found.inside or found.here is True):
        return found.inside.path(path) if found.inside else path
    return Unknown(Cause.NOT_EXPOSED, "look for unsafe-no-fsync and wal-dir in etcd's configuration file", _ETCD)
