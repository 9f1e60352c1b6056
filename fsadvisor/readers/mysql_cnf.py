"""Option files of MySQL and MariaDB: /etc/my.cnf and what it includes, and persisted variables.

Written against MySQL 8.4 and MariaDB 11.4. '-' and '_' are the same in a name; `skip-X` and `disable-X` mean X=OFF,
`loose-X` means X. A name without a value is a switch. The machine lets only settings about storage through, and
turns mysqld-auto.cnf (JSON) into lines (machine/service_settings.py). Sample:

    [mysqld]
    innodb_flush_method = O_DIRECT
    skip-innodb-doublewrite
    !includedir /etc/mysql/conf.d/

https://dev.mysql.com/doc/refman/8.4/en/option-files.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_GROUP = re.compile(r"\s*\[([^\]]*)\].*", re.DOTALL)
_INCLUDE = re.compile(r"\s*!(include|includedir)\s+(\S.*?)\s*", re.DOTALL)
_OPTION = re.compile(
    r"\s*([A-Za-z][\w.-]*)\s*(?:=\s*(?:'([^']*)'|\"([^\"]*)\"|([^#]*?))\s*)?(?:#.*)?", re.ASCII | re.DOTALL
)
_BLANK = re.compile(r"\s*(?:[#;].*)?", re.DOTALL)
_SWITCHES = {"skip_": "OFF", "disable_": "OFF", "enable_": "ON"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One line: an option of a group, or an include."""

    group: str
    """In lower case; '' before the first."""
    name: str
    """In lower case, '_' for '-', without loose_, skip_ and the like; 'include' and 'includedir' are no options."""
    value: str | None
    """Without quotes; None where the name stands alone, which switches it on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MysqlCnf:
    """One file."""

    options: tuple[Option, ...]
    """In order; a later one wins."""
    unread: tuple[str, ...] = ()
    """Lines that are no option."""


def parse(text: str) -> MysqlCnf | Unknown:
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
        elif not _BLANK.fullmatch(line):
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
