"""PostgreSQL's configuration files: postgresql.conf, postgresql.auto.conf and what they include.

Written against PostgreSQL 18. A later line wins; '=' is optional; in a quoted value a doubled or escaped quote
stands for one. The machine lets only settings about storage through (machine/service_settings.py). Sample:

    fsync = on
    include_dir 'conf.d'
    shared_buffers = 128MB

https://www.postgresql.org/docs/18/config-setting.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_LINE = re.compile(
    r"\s*(?P<name>[A-Za-z_][\w.$]*)(?:\s*=\s*|\s+)(?:'(?P<quoted>(?:[^'\\]|''|\\.)*)'|(?P<plain>[^\s'#=][^\s'#]*))\s*(?:#.*)?",
    re.ASCII | re.DOTALL,
)
_ESCAPES = re.compile(r"''|\\(.)", re.DOTALL)
_BLANK = re.compile(r"\s*(?:#.*)?", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresqlConf:
    """One file."""

    settings: tuple[tuple[str, str], ...]
    """(name in lower case, value without quotes) in order; include, include_if_exists and include_dir too."""
    unread: tuple[str, ...] = ()
    """Lines that are no setting: the server would not start with them."""


def parse(text: str) -> PostgresqlConf | Unknown:
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
