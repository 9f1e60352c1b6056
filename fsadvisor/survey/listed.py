"""Where a program's data lie by a list of processes, which has no working directories: its arguments, its files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.machine.port import Machine

_NOT_DATA = ("/usr/", "/bin/", "/sbin/", "/opt/", "/etc/", "/run/")


def directory(program: str, process: str, datadir: str | None, paths: Sequence[str]) -> Fact[str]:
    """By the arguments of a program that works in its data folder."""
    given = datadir
    if program == "postgresql":  # -D, which comes first
        given = next((path for path in paths if not path.startswith(_NOT_DATA)), given)
    if given and given.startswith("/"):
        return Known(given, f"argument of {program}")
    return Unknown(Cause.NOT_EXPOSED, f"run `pwdx $(pgrep -o {process})` on the machine", f"arguments of {program}")


_FILES: dict[str, tuple[re.Pattern[str], tuple[str, ...], tuple[str, ...]]] = {
    "mysql": (
        late(r"^\s*datadir\s*=\s*(/\S*)", re.MULTILINE),
        ("/etc/my.cnf", "/etc/mysql/my.cnf"),
        ("/etc/my.cnf.d", "/etc/mysql/conf.d", "/etc/mysql/mariadb.conf.d", "/etc/mysql/mysql.conf.d"),
    ),
    "redis": (
        late(r"^\s*dir\s+(/\S*)", re.MULTILINE),
        ("/etc/redis/redis.conf", "/etc/redis.conf", "/etc/valkey/valkey.conf", "/etc/valkey.conf"),
        (),
    ),
}
"""How a program's files name its data folder, the files, and the folders of such files."""


def configured(machine: Machine, program: str) -> Known[str] | None:
    """The data folder that all files of a program agree on, where nothing tells its working directory."""
    if program not in _FILES:
        return None
    pattern, files, folders = _FILES[program]
    more = (f"{folder}/{name}" for folder in folders for name in read_fact.names(machine.entries(folder)))
    told: dict[str, str] = {}
    for path in (*files, *more):
        answer = machine.settings(path)
        if not isinstance(answer, Unknown):
            told |= {value.rstrip("/"): path for value in pattern.findall(answer.text)}
    return Known(*told.popitem()) if len(told) == 1 else None
