"""Configuration and versions of database servers.

parse_redis_conf: Configuration files of Redis and Valkey: /etc/redis/redis.conf.

Written against Redis 7.2 and Valkey 8. A directive is a word with arguments; a later one wins. The machine lets
only settings about storage through (machine/service_settings.py). Sample:

    dir /var/lib/redis
    appendonly yes
    appendfsync everysec

https://redis.io/docs/latest/operate/oss_and_stack/management/config-file/

parse_etcd_conf: etcd's configuration file, YAML: `etcd --config-file`.

Written against etcd 3.4 to 3.6: keys at the top are its options without the dashes. The machine lets only settings
about storage through (machine/service_settings.py). Sample:

    data-dir: /var/lib/etcd
    wal-dir: '/srv/wal'
    unsafe-no-fsync: false

https://etcd.io/docs/v3.6/op-guide/configuration/

parse_postgresql_conf: PostgreSQL's configuration files: postgresql.conf, postgresql.auto.conf and what they include.

Written against PostgreSQL 18. A later line wins; '=' is optional; in a quoted value a doubled or escaped quote
stands for one. The machine lets only settings about storage through (machine/service_settings.py). Sample:

    fsync = on
    include_dir 'conf.d'
    shared_buffers = 128MB

https://www.postgresql.org/docs/18/config-setting.html

parse_mysql_cnf: Option files of MySQL and MariaDB: /etc/my.cnf and what it includes, and persisted variables.

Written against MySQL 8.4 and MariaDB 11.4. '-' and '_' are the same in a name; `skip-X` and `disable-X` mean X=OFF,
`loose-X` means X. A name without a value is a switch. The machine lets only settings about storage through, and
turns mysqld-auto.cnf (JSON) into lines (machine/service_settings.py). Sample:

    [mysqld]
    innodb_flush_method = O_DIRECT
    skip-innodb-doublewrite
    !includedir /etc/mysql/conf.d/

https://dev.mysql.com/doc/refman/8.4/en/option-files.html

parse_mysqld_version:
`mysqld --version` and `mariadbd --version`; the file mysql_upgrade_info holds the same number alone.

Written against MySQL 8.0 to 8.4 and MariaDB 10.5 to 11.4. Sample:

    mysqld  Ver 8.0.36-0ubuntu0.22.04.1 for Linux on x86_64 ((Ubuntu))
    mariadbd  Ver 10.11.6-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)

https://dev.mysql.com/doc/refman/8.4/en/server-options.html#option_mysqld_version
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers.parsing import refusal, unread_pieces

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_DIRECTIVE = late(r"\s*([A-Za-z][\w-]*)\s+(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'#].*?))\s*", re.ASCII | re.DOTALL)
_BLANK = late(r"\s*(?:#.*)?", re.DOTALL)


class RedisConf(Struct, frozen=True, kw_only=True):
    """One file."""

    directives: tuple[tuple[str, str], ...]
    """(word in lower case, arguments as they stand, without quotes around them) in order."""
    unread: tuple[str, ...] = ()
    """Lines that are no directive."""

    def get(self, name: str) -> str | None:
        """The last value of a directive."""
        return next((value for word, value in reversed(self.directives) if word == name), None)


def parse_redis_conf(text: str) -> RedisConf | Unknown:
    """Read the lines; a text of which none is a directive is no such file."""
    directives: list[tuple[str, str]] = []
    unread: list[str] = []
    for line in text.split("\n"):
        found = _DIRECTIVE.fullmatch(line)
        if found:
            value = next((part for part in found.groups()[1:] if part is not None), "")
            directives.append((found[1].lower(), value))
        elif not _BLANK.fullmatch(line):
            unread.append(line)
    if unread and not directives:
        return refusal(text, "no directives of Redis")
    return RedisConf(directives=tuple(directives), unread=unread_pieces(unread))


_OF_ETCD = late(
    r"""(?P<name>[a-z][a-z-]*):\s+(?:'(?P<single>[^']*)'|"(?P<double>[^"\\]*)"|(?P<plain>[^\s'"#].*?))\s*"""
)
_EMPTY_OF_ETCD = late(r"[a-z][a-z-]*:\s*")


class EtcdConf(Struct, frozen=True, kw_only=True):
    """The options that it sets, in order."""

    options: tuple[tuple[str, str], ...] = ()
    unread: tuple[str, ...] = ()

    def get(self, name: str) -> str | None:
        """An option's value; one that is empty is not set."""
        return dict(self.options).get(name)


def parse_etcd_conf(text: str) -> EtcdConf | Unknown:
    """Read the lines of settings; of those there may be none."""
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    found = [(line, _OF_ETCD.fullmatch(line)) for line in lines]
    unread = [line for line, match in found if match is None and not _EMPTY_OF_ETCD.fullmatch(line)]
    options = [(it["name"], it["single"] or it["double"] or it["plain"] or "") for _, it in found if it]
    if unread and not options:
        return refusal(text, "no options of etcd")
    return EtcdConf(options=tuple((name, value) for name, value in options if value), unread=unread_pieces(unread))


_LINE = late(
    r"\s*(?P<name>[A-Za-z_][\w.$]*)(?:\s*=\s*|\s+)(?:'(?P<quoted>(?:[^'\\]|''|\\.)*)'|(?P<plain>[^\s'#=][^\s'#]*))\s*(?:#.*)?",
    re.ASCII | re.DOTALL,
)
_ESCAPES = late(r"''|\\(.)", re.DOTALL)


class PostgresqlConf(Struct, frozen=True, kw_only=True):
    """One file."""

    settings: tuple[tuple[str, str], ...]
    """(name in lower case, value without quotes) in order; include, include_if_exists and include_dir too."""
    unread: tuple[str, ...] = ()
    """Lines that are no setting: the server would not start with them."""


def parse_postgresql_conf(text: str) -> PostgresqlConf | Unknown:
    """Read the lines; a text of which none is a setting is no such file."""
    settings: list[tuple[str, str]] = []
    unread: list[str] = []
    for line in text.split("\n"):
        found = _LINE.fullmatch(line)
        if found:
            settings.append((found["name"].lower(), _value(found["quoted"], found["plain"])))
        elif not _BLANK.fullmatch(line):
            unread.append(line)
    if unread and not settings:
        return refusal(text, "no settings of PostgreSQL")
    return PostgresqlConf(settings=tuple(settings), unread=unread_pieces(unread))


def _value(quoted: str | None, plain: str | None) -> str:
    return (plain or "") if quoted is None else _ESCAPES.sub(lambda found: found[1] or "'", quoted)


_GROUP = late(r"\s*\[([^\]]*)\].*", re.DOTALL)
_INCLUDE = late(r"\s*!(include|includedir)\s+(\S.*?)\s*", re.DOTALL)
_OPTION = late(r"\s*([A-Za-z][\w.-]*)\s*(?:=\s*(?:'([^']*)'|\"([^\"]*)\"|([^#]*?))\s*)?(?:#.*)?", re.ASCII | re.DOTALL)
_MYSQL_CNF_BLANK = late(r"\s*(?:[#;].*)?", re.DOTALL)
_SWITCHES = {"skip_": "OFF", "disable_": "OFF", "enable_": "ON"}


class Option(Struct, frozen=True, kw_only=True):
    """One line: an option of a group, or an include."""

    group: str
    """In lower case; '' before the first."""
    name: str
    """In lower case, '_' for '-', without loose_, skip_ and the like; 'include' and 'includedir' are no options."""
    value: str | None
    """Without quotes; None where the name stands alone, which switches it on."""


class MysqlCnf(Struct, frozen=True, kw_only=True):
    """One file."""

    options: tuple[Option, ...]
    """In order; a later one wins."""
    unread: tuple[str, ...] = ()
    """Lines that are no option."""


def parse_mysql_cnf(text: str) -> MysqlCnf | Unknown:
    """Read the lines; a text of which none is an option or a group is no such file."""
    options: list[Option] = []
    unread: list[str] = []
    group = None
    for line in text.split("\n"):
        header, include, option = _GROUP.fullmatch(line), _INCLUDE.fullmatch(line), _OPTION.fullmatch(line)
        if header:
            group = header[1].strip().lower()
        elif include:
            options.append(Option(group="", name=include[1], value=include[2]))
        elif option:
            value = next((part for part in option.groups()[1:] if part is not None), None)
            options.append(named(group or "", option[1], value))
        elif not _MYSQL_CNF_BLANK.fullmatch(line):
            unread.append(line)
    if unread and not options and group is None:
        return refusal(text, "no options of MySQL")
    return MysqlCnf(options=tuple(options), unread=unread_pieces(unread))


def named(group: str, name: str, value: str | None) -> Option:
    """An option as it stands in a file or among the arguments."""
    bare = name.lower().replace("-", "_").removeprefix("loose_")
    for prefix, meant in _SWITCHES.items():
        if bare.startswith(prefix):
            return Option(group=group, name=bare.removeprefix(prefix), value=meant)
    return Option(group=group, name=bare, value=value)


_VERSION = late(r"(?:\S*\s+Ver\s+)?(\d{1,3})\.(\d{1,3})\.(\d{1,3})([^\s]*)(?:\s|\0|$)", re.ASCII)


class MysqldVersion(Struct, frozen=True, kw_only=True):
    """Which server, and which release of it."""

    edition: Literal["mysql", "mariadb"]
    """'mysql' also for Percona Server, whose storage is MySQL's."""
    major: int
    minor: int
    patch: int


def parse_mysqld_version(text: str) -> MysqldVersion | Unknown:
    """Read the first line that tells a version."""
    found = next(filter(None, map(_VERSION.match, text.split("\n"))), None)
    if found is None:
        return refusal(text, "no version of MySQL or MariaDB")
    edition: Literal["mysql", "mariadb"] = "mariadb" if "mariadb" in text.lower() else "mysql"
    return MysqldVersion(edition=edition, major=int(found[1]), minor=int(found[2]), patch=int(found[3]))
