# ruff: noqa: D102 - port.Machine documents the methods
"""A machine that was recorded: answers from the folder that `fsadvisor capture` wrote.

The folder may come from a stranger: no link in it is followed, nothing outside is opened, no file above 4 MiB is
read. Files are opened when they are asked for, so a recording of a million files opens at once.

Where a recorded machine keeps each answer.

    machine.toml                        schema, version, whether root asked, date; written last. `complete = true` of
                                        a composed machine: what is not below files/ is not there, asked for or not
    files/<path>                        the text of a file
    files/<path>%link                   where a link points
    files/<path>%entries                the names in a folder, a JSON list
    files/<path>%space  %flags          room on a mounted filesystem; inode flags
    files/<path>%settings  %extents     lines of a configuration file; how the files below a folder lie on disk
    files/<path>%hidden                 what lies below the mount there
    files/<folder>/%unknown             the questions below that folder that had no answer, a JSON list per line
    commands/<readable>-<hash>.json     argv and exit status, or why there is no output
    commands/<readable>-<hash>.out      the output
    asked/udev, processes, counters     the same pair for the questions that have no path

Each place follows from the question alone, so that a reader needs no index. Characters other than letters, digits
and ``._+:@,=~-`` are written %XX; a bare % followed by a word is a mark of this layout.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import json
import os
import re
import stat
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec.structs import replace

from fsadvisor import strict_json
from fsadvisor.facts import Cause, Unknown, unreadable
from fsadvisor.machine import port, untouched
from fsadvisor.machine.port import Answer, Argv, MachineError, Reply
from fsadvisor.machine.redaction import tells_all
from fsadvisor.machine.runner import MOST_NAMES, OUTPUT_CAP_BYTES, decoded, encoded, too_many, too_much
from fsadvisor.patterns import late

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


SCHEMA_FAMILY = "fsadvisor/machine/"
SCHEMA_VERSION = 1
TITLE = "machine.toml"
UDEV, PROCESSES, COUNTERS = "asked/udev", "asked/processes", "asked/counters"
META, OUTPUT = ".json", ".out"

READ, LINK, ENTRIES, SPACE, FLAGS = "read", "link", "entries", "space", "flags"
SETTINGS, EXTENTS, HIDDEN = "settings", "extents", "hidden"
SHADOWED = "%file"
"""Follows the name of a file whose path is also a folder in the recording."""

_LONGEST_NAME = 150
_LONGEST_PATH = 900
_PLAIN_PATH = late(r"(?:/(?!\.\.?(?:/|$))[A-Za-z0-9._+:@,=~-]{1,150})+")
_SPECIAL = re.compile(rb"[^A-Za-z0-9._+:@,=~-]")
_NOT_READABLE = re.compile(r"[^A-Za-z0-9._+:@,=~-]+")


def stem(path: str) -> str:
    """Where answers about a path go, before the mark of the kind of question."""
    if len(path) <= _LONGEST_PATH and _PLAIN_PATH.fullmatch(path):
        return "files" + path
    absolute = path.removeprefix("/")
    names = [_file_name(name) for name in absolute.split("/")] if path != "/" else [""]
    joined = "/".join(names if path.startswith("/") else ["%relative", *names])
    if len(joined) > _LONGEST_PATH:
        joined = f"%long/{_digest(path)}"
    return f"files/{joined}"


def answer_path(kind: str, path: str) -> str:
    """The file that holds the answer to one kind of question about a path."""
    return stem(path) if kind == READ and path != "/" else f"{stem(path)}%{kind}"


def unknown_path(path: str) -> tuple[str, str]:
    """The file that lists the unanswered questions of a folder, and the name in it for this path."""
    folder, _, name = stem(path).rpartition("/")
    return f"{folder}/%unknown", name


def command_stem(argv: Argv) -> str:
    """Where a command's answer goes: readable, and unique by a digest of the arguments."""
    readable = _NOT_READABLE.sub("_", " ".join(argv).replace("/", "."))[:80].strip("_")
    as_json = f"[{', '.join(map(encode_basestring_ascii, argv))}]"
    return f"commands/{readable}-{_digest(as_json)[:12]}"


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


Entries: TypeAlias = tuple[str, ...] | Unknown

AGAIN = "capture the machine again with this fsadvisor"
_TITLE_CAP_BYTES = 1 << 16
_REMEMBERED_FOLDERS = 1 << 14
"""A thousand disks have as many, and are gone through several times."""
_REMEMBERED_REASONS = 1 << 12
"""Folders whose %unknown files stay read."""
_DAMAGED = ()


class RecordedMachine:
    """Answers from a folder. Raises MachineError where the folder is no recorded machine."""

    def __init__(self, folder: Path | str) -> None:
        self._folder = os.fsencode(folder)
        self._below = self._folder + b"/"
        self.name = decoded(self._folder)
        self._is_folder: dict[str, bool] = {"": True}
        self._unknown: dict[str, dict[tuple[str, str], list[str]]] = {}
        title = _title(self.name, self._content(TITLE, _TITLE_CAP_BYTES))
        self.root = bool(title["root"])
        self._complete = title.get("complete") is True
        self.looked_on = _day(title.get("date"))

    @property
    def today(self) -> dt.date:
        return self.looked_on or dt.datetime.now().astimezone().date()

    def read(self, path: str) -> Answer:
        return self._about_path(READ, path, path)

    def link(self, path: str) -> Answer:
        return self._about_path(LINK, path, path)

    def space(self, mount_point: str) -> Answer:
        return self._about_path(SPACE, mount_point, port.space_source(mount_point))

    def flags(self, path: str) -> Answer:
        return self._about_path(FLAGS, path, port.flags_source(path))

    def settings(self, path: str) -> Answer:
        answer = self._about_path(SETTINGS, path, path)
        stale = isinstance(answer, Reply) and not tells_all(answer.text)
        return Unknown(Cause.NOT_EXPOSED, AGAIN, path) if stale else answer

    def extents(self, path: str) -> Answer:
        return self._about_path(EXTENTS, path, port.extents_source(path))

    def hidden(self, mount_point: str, above: str) -> Answer:  # noqa: ARG002
        return self._about_path(HIDDEN, mount_point, port.hidden_source(mount_point))

    def entries(self, path: str) -> Entries:
        answer = self._about_path(ENTRIES, path, path)
        if isinstance(answer, Unknown):
            return answer
        names = _json(answer.text)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            return unreadable("the recorded list of names is damaged", path)
        return too_many(path) if len(names) > MOST_NAMES else tuple(names)

    def run(self, commands: Sequence[Argv]) -> list[Answer]:
        return [self._asked(command_stem(argv), port.command_source(argv)) for argv in commands]

    def expect(self, commands: Sequence[Argv]) -> None:
        """Nothing has to be run ahead of its question."""

    def udev(self) -> Answer:
        return self._asked(UDEV, port.UDEV_SOURCE)

    def counters(self) -> Answer:
        return self._asked(COUNTERS, port.COUNTERS_SOURCE)

    def processes(self, names: Sequence[str]) -> Answer:
        answer = self._asked(PROCESSES, port.PROCESSES_SOURCE)
        meta = self._meta(PROCESSES)
        recorded_names = meta.get("names") if isinstance(meta, dict) else None
        if isinstance(recorded_names, list) and not set(names) <= {str(name) for name in recorded_names}:
            return Unknown(Cause.NOT_EXPOSED, AGAIN, port.PROCESSES_SOURCE)
        if isinstance(answer, Unknown):
            return answer
        found = _json(answer.text)
        if not isinstance(found, list):
            return unreadable("the recorded list of processes is damaged", port.PROCESSES_SOURCE)
        wanted = [process for process in found if isinstance(process, dict) and process.get("name") in names]
        return Reply(json.dumps(wanted), port.PROCESSES_SOURCE)

    def _about_path(self, kind: str, path: str, source: str) -> Answer:
        file = answer_path(kind, path)
        content = self._content(file)
        if content is None:
            unknown_file, name = unknown_path(path)
            why = self._unknown_in(unknown_file).get((kind, name))
            if why is not None:
                return _unknown(why, source)
            if self._is_real_folder(file):
                file += SHADOWED
                content = self._content(file)
        if isinstance(content, str):
            return Reply(content, source)
        if content is not None:
            return _sourced(content, source)
        return Unknown(Cause.NOT_EXPOSED, "") if self._complete else Unknown(Cause.NOT_EXPOSED, AGAIN, source)

    def _unknown_in(self, file: str) -> dict[tuple[str, str], list[str]]:
        """The unanswered questions that one %unknown file lists; lines that are none are left out."""
        if file not in self._unknown:
            if len(self._unknown) > _REMEMBERED_REASONS:
                self._unknown = {}
            content = self._content(file)
            lines = [_json(line) for line in (content if isinstance(content, str) else "").split("\n")]
            self._unknown[file] = {
                (line[0], line[1]): line[2:]
                for line in lines
                if isinstance(line, list) and len(line) in (4, 5) and all(isinstance(part, str) for part in line)
            }
        return self._unknown[file]

    def _asked(self, stem: str, source: str) -> Answer:
        meta = self._meta(stem)
        if meta is None:
            return Unknown(Cause.NOT_EXPOSED, AGAIN, source)
        if isinstance(meta, dict) and "unknown" in meta:
            return _unknown(meta["unknown"], source)
        if not isinstance(meta, dict) or not isinstance(meta.get("status"), int):
            return unreadable("the recorded answer is damaged", source)
        content = self._content(stem + OUTPUT)
        if content is None:
            return unreadable("the recorded output is missing", source)
        if isinstance(content, Unknown):
            return _sourced(content, source)
        return Reply(content, str(meta.get("source", source)), meta["status"])

    def _meta(self, stem: str) -> object:
        content = self._content(stem + META)
        return content if content is None or isinstance(content, Unknown) else _json(content)

    def _content(self, file: str, cap_bytes: int = OUTPUT_CAP_BYTES) -> str | Unknown | None:
        """The text of a regular file below the folder; None where there is none."""
        if not self._is_real_folder(file.rpartition("/")[0]):
            return None

        def take(descriptor: int, size: int) -> str | Unknown:
            # A read reserves all that it asks for, so it asks for no more than there is.
            return too_much(file) if size > cap_bytes else decoded(os.read(descriptor, size))

        return untouched.kept(self._below, file, "the recording", take)

    def _is_real_folder(self, folder: str) -> bool:
        """Whether this is a folder reached through folders only, never through a link."""
        if folder not in self._is_folder:
            if len(self._is_folder) > _REMEMBERED_FOLDERS:
                self._is_folder = {"": True}
            self._is_folder[folder] = self._is_real_folder(folder.rpartition("/")[0]) and self._is_folder_here(folder)
        return self._is_folder[folder]

    def _is_folder_here(self, place: str) -> bool:
        try:
            return stat.S_ISDIR(os.lstat(self._below + encoded(place)).st_mode)
        except (OSError, ValueError):
            return False


def _title(folder: str, content: str | Unknown | None) -> dict[str, Any]:
    """The content of machine.toml, if it is one that this version understands."""
    if content is None:
        raise MachineError(folder, f"no {TITLE} in it", "name a directory that `fsadvisor capture` wrote wholly")
    where = f"{folder}/{TITLE}"
    if isinstance(content, Unknown):
        raise MachineError(where, content.learn, AGAIN)
    import tomllib

    try:
        title = tomllib.loads(content)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise MachineError(where, f"not TOML: {error}", AGAIN) from None
    schema = title.get("schema")
    known = f"{SCHEMA_FAMILY}{SCHEMA_VERSION}"
    if schema != known:
        newer = isinstance(schema, str) and schema.startswith(SCHEMA_FAMILY)
        choice = f"install a newer fsadvisor, or capture again with this one ({known})" if newer else AGAIN
        raise MachineError(where, f"the schema is {schema!r}, not {known!r}", choice)
    if not isinstance(title.get("root"), bool):
        raise MachineError(where, "it does not say whether root asked (root = true or false)", AGAIN)
    return title


def _day(value: object) -> dt.date | None:
    """The day of the recording; what people said of a folder without one is held against today."""
    return value if isinstance(value, dt.date) and not isinstance(value, dt.datetime) else None


def _unknown(why: object, source: str) -> Unknown:
    """The recorded reason for no answer: cause, cure, and perhaps another source."""
    if isinstance(why, list) and len(why) in (2, 3) and all(isinstance(part, str) for part in why):
        with contextlib.suppress(ValueError):
            return Unknown(Cause(why[0]), why[1], why[2] if len(why) == 3 else source)
    return unreadable("the recorded reason is damaged", source)


def _sourced(unknown: Unknown, source: str) -> Unknown:
    return replace(unknown, source=source)


def _json(text: str) -> object:
    try:
        value: object = strict_json.DECODER.decode(text)
    except (ValueError, RecursionError):
        return _DAMAGED
    return _DAMAGED if value is None else value
