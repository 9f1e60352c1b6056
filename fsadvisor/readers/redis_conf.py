"""Configuration files of Redis and Valkey: /etc/redis/redis.conf.

Written against Redis 7.2 and Valkey 8. A directive is a word with arguments; a later one wins. The machine lets
only settings about storage through (machine/service_settings.py). Sample:

    dir /var/lib/redis
    appendonly yes
    appendfsync everysec

https://redis.io/docs/latest/operate/oss_and_stack/management/config-file/
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_DIRECTIVE = re.compile(r"\s*([A-Za-z][\w-]*)\s+(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'#].*?))\s*", re.ASCII | re.DOTALL)
_BLANK = re.compile(r"\s*(?:#.*)?", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisConf:
    """One file."""

    directives: tuple[tuple[str, str], ...]
    """(word in lower case, arguments as they stand, without quotes around them) in order."""
    unread: tuple[str, ...] = ()
    """Lines that are no directive."""

    def get(self, name: str) -> str | None:
        """The last value of a directive."""
        return next((value for word, value in reversed(self.directives) if word == name), None)


def parse(text: str) -> RedisConf | Unknown:
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
