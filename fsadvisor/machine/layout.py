"""Where a recorded machine keeps each answer.

    machine.toml                        schema, version, whether root asked, date; written last
    files/<path>                        the text of a file
    files/<path>%link                   where a link points
    files/<path>%entries                the names in a folder, a JSON list
    files/<path>%space  %flags          room on a mounted filesystem; inode flags
    files/<path>%settings  %extents     lines of a configuration file; how the files below a folder lie on disk
    files/<folder>/%unknown             the questions below that folder that had no answer, a JSON list per line
    commands/<readable>-<hash>.json     argv and exit status, or why there is no output
    commands/<readable>-<hash>.out      the output
    asked/udev, processes, counters     the same pair for the questions that have no path

Each place follows from the question alone, so that a reader needs no index. Characters other than letters, digits
and ``._+:@,=~-`` are written %XX; a bare % followed by a word is a mark of this layout.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from fsadvisor.machine.runner import encoded

if TYPE_CHECKING:
    from fsadvisor.machine.port import Argv

SCHEMA_FAMILY = "fsadvisor/machine/"
SCHEMA_VERSION = 1
TITLE = "machine.toml"
UDEV, PROCESSES, COUNTERS = "asked/udev", "asked/processes", "asked/counters"
META, OUTPUT = ".json", ".out"

READ, LINK, ENTRIES, SPACE, FLAGS = "read", "link", "entries", "space", "flags"
SETTINGS, EXTENTS = "settings", "extents"
SHADOWED = "%file"
"""Follows the name of a file whose path is also a folder in the recording."""

_LONGEST_NAME = 150
_LONGEST_PATH = 900
_PLAIN_PATH = re.compile(r"(?:/(?!\.\.?(?:/|$))[A-Za-z0-9._+:@,=~-]{1,150})+")
_SPECIAL = re.compile(rb"[^A-Za-z0-9._+:@,=~-]")


def stem(path: str) -> str:
    """Where answers about a path go, before the mark of the kind of question."""
    if len(path) <= _LONGEST_PATH and _PLAIN_PATH.fullmatch(path):
        return "files" + path
    absolute = path.removeprefix("/")
    names = [_file_name(name) for name in absolute.split("/")] if path != "/" else [""]
    place = "/".join(names if path.startswith("/") else ["%relative", *names])
    if len(place) > _LONGEST_PATH:
        place = f"%long/{_digest(path)}"
    return f"files/{place}"


def place(kind: str, path: str) -> str:
    """The file that holds the answer to one kind of question about a path."""
    return stem(path) if kind == READ and path != "/" else f"{stem(path)}%{kind}"


def unknown_place(path: str) -> tuple[str, str]:
    """The file that lists the unanswered questions of a folder, and the name in it for this path."""
    folder, _, name = stem(path).rpartition("/")
    return f"{folder}/%unknown", name


def command_stem(argv: Argv) -> str:
    """Where a command's answer goes: readable, and unique by a digest of the arguments."""
    readable = re.sub(r"[^A-Za-z0-9._+:@,=~-]+", "_", " ".join(argv).replace("/", "."))[:80].strip("_")
    return f"commands/{readable}-{_digest(json.dumps(argv))[:12]}"


@lru_cache(maxsize=1 << 16)
def _file_name(name: str) -> str:
    if name in ("", ".", ".."):
        return f"%{name.replace('.', '2E')}" if name else "%empty"
    escaped = _SPECIAL.sub(lambda match: b"%%%02X" % ord(match[0]), _bytes(name)).decode()
    return escaped if len(escaped) <= _LONGEST_NAME else f"{escaped[:100]}%~{_digest(name)}"


def _bytes(text: str) -> bytes:
    try:
        return encoded(text)
    except ValueError:
        return text.encode("utf-8", "surrogatepass")


def _digest(text: str) -> str:
    return hashlib.sha256(_bytes(text)).hexdigest()[:32]
