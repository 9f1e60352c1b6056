"""Kernel settings as KEY = VALUE: `sysctl -a` and the files of /etc/sysctl.d, /run/sysctl.d, /usr/lib/sysctl.d.

Written against procps-ng 4.0 and systemd 252. One running value needs no listing: it is a file under /proc/sys.
In a file, '#' and ';' begin comments, '-' before a key says that a failure is to be ignored ('-' and a key
without value: that key is left alone), and where the first of '.' and '/' is '/', the two change places.

    vm.dirty_ratio = 20
    -net/ipv4/conf/enp3s0.200/forwarding = 1

https://man7.org/linux/man-pages/man8/sysctl.8.html, https://man7.org/linux/man-pages/man5/sysctl.d.5.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_DENIED = re.compile(r"sysctl: permission denied on key ['\"]([^'\"]+)['\"].*")
_KEY = re.compile(r"[^\s=]+")
_SWAPPED = str.maketrans("./", "/.")


@dataclass(frozen=True, slots=True, kw_only=True)
class SysctlListing:
    """The settings in order, keys with dots as `sysctl -a` prints them."""

    settings: tuple[tuple[str, str], ...]
    denied: tuple[str, ...] = ()
    """Keys that `sysctl -a` was not allowed to read."""
    unread: tuple[str, ...] = ()

    def get(self, key: str) -> str | None:
        """The value of a key (the last one given counts), or None where it was not listed."""
        return next((value for name, value in reversed(self.settings) if name == key), None)


def parse(text: str) -> SysctlListing | Unknown:
    """Read a listing or a file; a file of comments alone sets nothing."""
    settings: list[tuple[str, str]] = []
    denied: list[str] = []
    unread: list[str] = []
    for line in map(str.strip, text.split("\n")):
        if not line or line[0] in "#;":
            continue
        if match := _DENIED.fullmatch(line):
            denied.append(match[1])
        elif setting := _setting(line):
            settings.append(setting)
        elif not (line.startswith("-") and _KEY.fullmatch(line)):
            unread.append(line)
    if unread and not settings:
        return refusal(text, "no lines of KEY = VALUE")
    return SysctlListing(settings=tuple(settings), denied=tuple(denied), unread=unread_pieces(unread))


def _setting(line: str) -> tuple[str, str] | None:
    key, equals, value = line.partition("=")
    key = key.strip().removeprefix("-")
    if not equals or not _KEY.fullmatch(key):
        return None
    return _dotted(key), value.strip()


def _dotted(key: str) -> str:
    """The key as `sysctl -a` spells it."""
    first = next((letter for letter in key if letter in "./"), ".")
    return key.translate(_SWAPPED) if first == "/" else key
