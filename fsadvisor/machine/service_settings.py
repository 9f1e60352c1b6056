"""What leaves a machine of the settings of databases and the like: those about storage, none of the rest.

Configuration files and arguments may hold passwords, so only lines that set one of KEPT are let through, without
their comments, besides the names of sections. A first line tells which names were kept, so that a later fsadvisor
can see what a recording does not answer.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_POSTGRESQL = """config_file include include_dir include_if_exists fsync full_page_writes synchronous_commit
    wal_sync_method wal_init_zero wal_recycle io_method debug_io_direct shared_buffers checkpoint_flush_after"""
_MYSQL = """!include !includedir defaults_file defaults_extra_file defaults_group_suffix no_defaults datadir
    innodb_log_group_home_dir innodb_flush_method innodb_doublewrite innodb_flush_log_at_trx_commit
    innodb_buffer_pool_size innodb_checksum_algorithm innodb_data_file_buffering innodb_dedicated_server"""
_OTHERS = "dir appendonly appendfsync data_dir wal_dir unsafe_no_fsync"

KEPT = frozenset(f"{_POSTGRESQL} {_MYSQL} {_OTHERS}".split())
"""Names in lower case, with '_' for '-'."""

_HEADER = "# settings kept: "
_SETTING = re.compile(r"\s*(!?[A-Za-z][A-Za-z0-9_.-]*)(?=[\s=:]|$)")
_SECTION = re.compile(r"\s*(\[[^\]]*\])")
_PREFIXES = ("loose_", "skip_", "disable_", "enable_")
"""What MySQL lets stand before an option's name."""
_PERSISTED = re.compile(r'"([a-z0-9_]+)"\s*:\s*\{[^{}]*?"Value"\s*:\s*"([^"\\\n]*)"')
_LONGEST_LINE = 500


def about_storage(path: str, text: str) -> str:
    """The lines of a configuration file that may leave the machine."""
    lines = _persisted(text) if PurePosixPath(path).name == "mysqld-auto.cnf" else _lines(text)
    return "".join(f"{line}\n" for line in (_HEADER + " ".join(sorted(KEPT)), *lines))


def tells_all(text: str) -> bool:
    """Whether no name was left out of a text of `about_storage` that would be kept today."""
    header = text.partition("\n")[0]
    return header.startswith(_HEADER) and set(header.removeprefix(_HEADER).split()) >= KEPT


def in_arguments(arguments: Sequence[str]) -> list[list[str | None]]:
    """[name, value] of the settings among a program's arguments, in order; a value of None: the name alone."""
    found: list[list[str | None]] = []
    for at, argument in enumerate(arguments[1:], start=1):
        following = arguments[at + 1] if at + 1 < len(arguments) else "-"
        name, value = _argument(argument, following)
        if _is_kept(name):
            found.append([_normal(name), value])
    return found


def _argument(argument: str, following: str) -> tuple[str, str | None]:
    """One argument: --name=value, --name value, -c name=value, -cname=value, and -F of PostgreSQL."""
    if argument == "-F":
        return "fsync", "off"
    if argument == "-c":
        argument = f"--{following}"
    elif argument.startswith("-c"):
        argument = f"--{argument[2:]}"
    if not argument.startswith("--"):
        return "", None
    name, equals, value = argument[2:].partition("=")
    if equals:
        return name, value
    return name, None if following.startswith("-") else following


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        section = _SECTION.match(line)
        setting = _SETTING.match(line)
        if section:
            yield section[1][:_LONGEST_LINE]
        elif setting and _is_kept(setting[1]):
            yield line.partition("#")[0].strip()[:_LONGEST_LINE]


def _persisted(text: str) -> Iterator[str]:
    """The variables that SET PERSIST wrote (MySQL 8.0), as lines of an option file."""
    yield "[mysqld]"
    for name, value in _PERSISTED.findall(text):
        if name in KEPT:
            yield f"{name} = {value}"[:_LONGEST_LINE]


def _is_kept(name: str) -> bool:
    normal = _normal(name)
    bare = next((normal.removeprefix(prefix) for prefix in _PREFIXES if normal.startswith(prefix)), normal)
    return bare in KEPT or normal in KEPT


def _normal(name: str) -> str:
    return name.lower().replace("-", "_")
