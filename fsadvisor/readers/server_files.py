"""Configuration of servers, and their versions: databases, and what NFS servers export.

parse_redis_conf: Configuration files of Redis and Valkey: /etc/redis/redis.conf.

Written against Redis 7.2 and Valkey 8. A directive is a word with arguments; a later one wins. The machine lets
only settings about storage through (machine/redaction.py). Sample:

    dir /var/lib/redis
    appendonly yes
    appendfsync everysec

https://redis.io/docs/latest/operate/oss_and_stack/management/config-file/

parse_etcd_conf: etcd's configuration file, YAML: `etcd --config-file`.

Written against etcd 3.4 to 3.6: keys at the top are its options without the dashes. The machine lets only settings
about storage through (machine/redaction.py). Sample:

    data-dir: /var/lib/etcd
    wal-dir: '/srv/wal'
    unsafe-no-fsync: false

https://etcd.io/docs/v3.6/op-guide/configuration/

parse_postgresql_conf: PostgreSQL's configuration files: postgresql.conf, postgresql.auto.conf and what they include.

Written against PostgreSQL 18. A later line wins; '=' is optional; in a quoted value a doubled or escaped quote
stands for one. The machine lets only settings about storage through (machine/redaction.py). Sample:

    fsync = on
    include_dir 'conf.d'
    shared_buffers = 128MB

https://www.postgresql.org/docs/18/config-setting.html

parse_mysql_cnf: Option files of MySQL and MariaDB: /etc/my.cnf and what it includes, and persisted variables.

Written against MySQL 8.4 and MariaDB 11.4. '-' and '_' are the same in a name; `skip-X` and `disable-X` mean X=OFF,
`loose-X` means X. A name without a value is a switch. The machine lets only settings about storage through, and
turns mysqld-auto.cnf (JSON) into lines (machine/redaction.py). Sample:

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
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers import read_lines, refusal, unread_pieces
from fsadvisor.readers.mount_tables import unescape

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.facts import Unknown

_DIRECTIVE = late(r"\s*([A-Za-z][\w-]*)\s+(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'#].*?))\s*", re.ASCII | re.DOTALL)
_BLANK = late(r"\s*(?:#.*)?", re.DOTALL)


class RedisConf(Struct, frozen=True, kw_only=True):
    """One file."""

    directives: tuple[tuple[str, str], ...]
    """(word in lower case, arguments as they stand, without quotes around them) in order."""
    """Lines that are no directive."""

    def get(self, name: str) -> str | None:
        """The last value of a directive."""
        return next((value for word, value in reversed(self.directives) if word == name), None)


def parse_redis_conf(text: str) -> RedisConf | Unknown:
    """Read the lines; a text of which none is a directive is no such file."""
    directives, others = _settings(text, _directive)
    if others and not directives:
        return refusal(text, "no directives of Redis")
    return RedisConf(directives=directives)


def _directive(line: str) -> tuple[str, str] | None:
    found = _DIRECTIVE.fullmatch(line)
    return (found[1].lower(), next((part for part in found.groups()[1:] if part is not None), "")) if found else None


def _settings(
    text: str, read: Callable[[str], tuple[str, str] | None]
) -> tuple[tuple[tuple[str, str], ...], list[str]]:
    """What is made of each line, and the lines that are neither a setting nor a comment."""
    settings, others = read_lines(text, read)
    return settings, [line for line in others if not _BLANK.fullmatch(line)]


_OF_ETCD = late(
    r"""(?P<name>[a-z][a-z-]*):\s+(?:'(?P<single>[^']*)'|"(?P<double>[^"\\]*)"|(?P<plain>[^\s'"#].*?))\s*"""
)
_EMPTY_OF_ETCD = late(r"[a-z][a-z-]*:\s*")


class EtcdConf(Struct, frozen=True, kw_only=True):
    """The options that it sets, in order."""

    options: tuple[tuple[str, str], ...] = ()

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
    return EtcdConf(options=tuple((name, value) for name, value in options if value))


_LINE = late(
    r"\s*(?P<name>[A-Za-z_][\w.$]*)(?:\s*=\s*|\s+)(?:'(?P<quoted>(?:[^'\\]|''|\\.)*)'|(?P<plain>[^\s'#=][^\s'#]*))\s*(?:#.*)?",
    re.ASCII | re.DOTALL,
)
_ESCAPES = late(r"''|\\(.)", re.DOTALL)


class PostgresqlConf(Struct, frozen=True, kw_only=True):
    """One file."""

    settings: tuple[tuple[str, str], ...]
    """(name in lower case, value without quotes) in order; include, include_if_exists and include_dir too."""


def parse_postgresql_conf(text: str) -> PostgresqlConf | Unknown:
    """Read the lines; a text of which none is a setting is no such file."""
    settings, others = _settings(text, _setting)
    if others and not settings:
        return refusal(text, "no settings of PostgreSQL")
    return PostgresqlConf(settings=settings)


def _setting(line: str) -> tuple[str, str] | None:
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    quoted = found["quoted"]
    value = found["plain"] if quoted is None else _ESCAPES.sub(lambda sign: sign[1] or "'", quoted)
    return found["name"].lower(), value


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
    return MysqlCnf(options=tuple(options))


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


ETAB = "/var/lib/nfs/etab"
_EXPORT_LINE = late(r"(?P<path>/[^\t]*)\t[^\t(]*\((?P<options>[^)\t]*)\)")


class NfsExport(Struct, frozen=True, kw_only=True):
    """A directory for some clients."""

    path: str
    options: tuple[str, ...]


class Exports(Struct, frozen=True, kw_only=True):
    """All of them; () where nothing is exported."""

    exports: tuple[NfsExport, ...]
    unread: tuple[str, ...] = ()


def parse_nfs_exports(text: str) -> Exports | Unknown:
    """What an NFS server exports, and whether it acknowledges before the disk has it: /var/lib/nfs/etab.

    A text of which no line is an export is something else.

    Written against nfs-utils 1.3 to 2.8: exportfs writes it with every option spelled out, and empties it as the
    server stops.

        /srv/data<TAB>192.0.2.0/24(rw,sync,wdelay,hide,nocrossmnt,secure,root_squash,no_all_squash,sec=sys,rw)

    https://man7.org/linux/man-pages/man8/exportfs.8.html
    """
    found, unread = read_lines(text, _EXPORT_LINE.fullmatch)
    if unread and not found:
        return refusal(text, "the file is not exportfs's table")
    exports = (NfsExport(path=unescape(it["path"]), options=tuple(it["options"].split(","))) for it in found)
    return Exports(exports=tuple(exports), unread=unread_pieces(unread))


GANESHA_PATH: Final = "/etc/ganesha/ganesha.conf"
_COMMENT: Final = late(r"#[^\n]*")
_TOKEN: Final = late(
    r"""\b(?P<block>\w+)\s*\{|(?P<close>\})|\b(?P<key>\w+)\s*=\s*(?:"(?P<quoted>[^"\n]*)"|(?P<plain>[^;{}\n]*?))\s*;"""
    r"""|(?P<include>%(?:include|url)\b)"""
)
_LONGEST_LINE: Final = 1000
"""Characters: of a longer one each word might begin a value that ends far behind."""
_LOCAL: Final = ("vfs", "xfs")


class GaneshaExport(Struct, frozen=True, kw_only=True):
    """A directory of a local filesystem."""

    path: str
    writable: bool


class GaneshaConf(Struct, frozen=True, kw_only=True):
    """The exports of local filesystems; `whole` is false where the file includes others."""

    exports: tuple[GaneshaExport, ...] = ()
    whole: bool = True


def parse_ganesha_conf(text: str) -> GaneshaConf | Unknown:
    """What NFS-Ganesha exports of local filesystems: /etc/ganesha/ganesha.conf.

    A text without a block is something else.

    Written against NFS-Ganesha 2.8 to 9: blocks in braces, `Key = value;`, '#' begins a comment, names in any case. It
    has no async: a write that a client asks to be stable waits for the disk. Exports made while it runs (D-Bus) are in
    no file.

        EXPORT { Export_Id = 1; Path = "/srv/data"; Pseudo = /data; Access_Type = RW; FSAL { Name = VFS; } }

    https://github.com/nfs-ganesha/nfs-ganesha/blob/next/src/doc/man/ganesha-export-config.rst
    """
    if max(map(len, text.split("\n"))) > _LONGEST_LINE:
        return refusal(text, "no configuration of NFS-Ganesha, which has short lines")
    blocks: list[str] = []
    keys: dict[str, list[str]] = {}
    exports: list[GaneshaExport] = []
    usual, whole, seen = False, True, False
    for token in _TOKEN.finditer(_COMMENT.sub("", text)):
        seen = True
        if token["include"]:
            whole = False
        elif token["block"]:
            blocks.append(token["block"].lower())
        elif token["close"]:
            if blocks and blocks.pop() == "export" and not blocks:
                exports += _export(keys, usual)
                keys = {}
        elif token["key"].lower() == "access_type" and blocks[:1] == ["export_defaults"]:
            usual = usual or _unquoted(token["quoted"], token["plain"]).lower() == "rw"
        elif blocks[:1] == ["export"]:
            name = ".".join((*blocks[1:], token["key"].lower()))
            keys.setdefault(name, []).append(_unquoted(token["quoted"], token["plain"]))
    if not seen and text.strip():
        return refusal(text, "no blocks of NFS-Ganesha")
    return GaneshaConf(exports=tuple(exports), whole=whole)


def _unquoted(quoted: str | None, plain: str | None) -> str:
    return (quoted if quoted is not None else plain or "").strip()


def _export(keys: dict[str, list[str]], usual: bool) -> list[GaneshaExport]:
    path = next(iter(keys.get("path", [])), "")
    kind = next(iter(keys.get("fsal.name", [])), "").lower()
    access = [it.lower() for name in ("access_type", "client.access_type") for it in keys.get(name, [])]
    writable = "rw" in access or (usual and not keys.get("access_type"))
    return [GaneshaExport(path=path, writable=writable)] if path.startswith("/") and kind in _LOCAL else []
