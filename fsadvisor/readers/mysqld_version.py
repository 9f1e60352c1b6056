"""`mysqld --version` and `mariadbd --version`; the file mysql_upgrade_info holds the same number alone.

Written against MySQL 8.0 to 8.4 and MariaDB 10.5 to 11.4. Sample:

    mysqld  Ver 8.0.36-0ubuntu0.22.04.1 for Linux on x86_64 ((Ubuntu))
    mariadbd  Ver 10.11.6-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)

https://dev.mysql.com/doc/refman/8.4/en/server-options.html#option_mysqld_version
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fsadvisor.readers.refusal import refusal

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_VERSION = re.compile(r"(?:\S*\s+Ver\s+)?(\d{1,3})\.(\d{1,3})\.(\d{1,3})([^\s]*)(?:\s|\0|$)", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class MysqldVersion:
    """Which server, and which release of it."""

    edition: Literal["mysql", "mariadb"]
    """'mysql' also for Percona Server, whose storage is MySQL's."""
    major: int
    minor: int
    patch: int


def parse(text: str) -> MysqldVersion | Unknown:
    """Read the first line that tells a version."""
    found = next(filter(None, map(_VERSION.match, text.split("\n"))), None)
    if found is None:
        return refusal(text, "no version of MySQL or MariaDB")
    edition: Literal["mysql", "mariadb"] = "mariadb" if "mariadb" in text.lower() else "mysql"
    return MysqldVersion(edition=edition, major=int(found[1]), minor=int(found[2]), patch=int(found[3]))
