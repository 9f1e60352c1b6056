# ruff: noqa: D102 - port.Machine documents the methods
"""A machine that was recorded: answers from the folder that `fsadvisor capture` wrote (see layout.py).

The folder may come from a stranger: no link in it is followed, nothing outside is opened, no file above 4 MiB is
read. Files are opened when they are asked for, so a recording of a million files opens at once.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import stat
import tomllib
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec.structs import replace

from fsadvisor import strict_json
from fsadvisor.facts import Cause, Unknown, unreadable
from fsadvisor.machine import layout, sources
from fsadvisor.machine.fit_to_tell import tells_all
from fsadvisor.machine.port import Answer, Argv, MachineError, Reply
from fsadvisor.machine.runner import MOST_NAMES, OUTPUT_CAP_BYTES, decoded, too_many, too_much

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

Entries: TypeAlias = tuple[str, ...] | Unknown

AGAIN = "capture the machine again with this fsadvisor"
_TITLE_CAP_BYTES = 1 << 16
_REMEMBERED_FOLDERS = 1 << 12
_DAMAGED = ()


class RecordedMachine:
    """Answers from a folder. Raises MachineError where the folder is no recorded machine.

    `account` keeps account of the recordings that are used, for `unused`; a machine of thousands of disks has
    hundreds of thousands.
    """

    def __init__(self, folder: Path | str, *, account: bool = True) -> None:
        self._folder = os.fsencode(folder)
        self._name = decoded(self._folder)
        self._is_folder: dict[str, bool] = {"": True}
        self._unknown: dict[str, dict[tuple[str, str], list[str]]] = {}
        self._used: set[str] | None = set() if account else None
        title = _title(self._name, self._content(layout.TITLE, _TITLE_CAP_BYTES))
        self._root = bool(title["root"])
        self._today = _day(title.get("date"))

    @property
    def name(self) -> str:
        return self._name

    @property
    def root(self) -> bool:
        return self._root

    @property
    def today(self) -> dt.date:
        return self._today

    def read(self, path: str) -> Answer:
        return self._about_path(layout.READ, path, path)

    def link(self, path: str) -> Answer:
        return self._about_path(layout.LINK, path, path)

    def space(self, mount_point: str) -> Answer:
        return self._about_path(layout.SPACE, mount_point, sources.space(mount_point))

    def flags(self, path: str) -> Answer:
        return self._about_path(layout.FLAGS, path, sources.flags(path))

    def settings(self, path: str) -> Answer:
        answer = self._about_path(layout.SETTINGS, path, path)
        stale = isinstance(answer, Reply) and not tells_all(answer.text)
        return Unknown(Cause.NOT_EXPOSED, AGAIN, path) if stale else answer

    def extents(self, path: str) -> Answer:
        return self._about_path(layout.EXTENTS, path, sources.extents(path))

    def entries(self, path: str) -> Entries:
        answer = self._about_path(layout.ENTRIES, path, path)
        if isinstance(answer, Unknown):
            return answer
        names = _json(answer.text)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            return unreadable("the recorded list of names is damaged", path)
        return too_many(path) if len(names) > MOST_NAMES else tuple(names)

    def run(self, commands: Sequence[Argv]) -> list[Answer]:
        return [self._asked(layout.command_stem(argv), sources.command(argv)) for argv in commands]

    def expect(self, commands: Sequence[Argv]) -> None:
        """Nothing has to be run ahead of its question."""

    def udev(self) -> Answer:
        return self._asked(layout.UDEV, sources.UDEV)

    def counters(self) -> Answer:
        return self._asked(layout.COUNTERS, sources.COUNTERS)

    def processes(self, names: Sequence[str]) -> Answer:
        answer = self._asked(layout.PROCESSES, sources.PROCESSES)
        meta = self._meta(layout.PROCESSES)
        recorded_names = meta.get("names") if isinstance(meta, dict) else None
        if isinstance(recorded_names, list) and not set(names) <= {str(name) for name in recorded_names}:
            return Unknown(Cause.NOT_EXPOSED, AGAIN, sources.PROCESSES)
        if isinstance(answer, Unknown):
            return answer
        found = _json(answer.text)
        if not isinstance(found, list):
            return unreadable("the recorded list of processes is damaged", sources.PROCESSES)
        wanted = [process for process in found if isinstance(process, dict) and process.get("name") in names]
        return Reply(json.dumps(wanted), sources.PROCESSES)

    def unused(self) -> list[str]:
        """The recordings that nobody has asked for: files, and lines of %unknown files. Reads the whole folder."""
        used = self._used or ()
        return sorted(place for place in self._recordings() if place not in used)

    def _recordings(self) -> Iterator[str]:
        for folder, _, names in os.walk(self._folder):
            below = decoded(folder[len(self._folder) :]).strip("/")
            for name in map(decoded, names):
                place = f"{below}/{name}" if below else name
                if name == "%unknown":
                    yield from (_line_name(place, *key) for key in self._unknown_in(place))
                elif place != layout.TITLE:
                    yield place

    def _about_path(self, kind: str, path: str, source: str) -> Answer:
        place = layout.place(kind, path)
        content = self._content(place)
        if content is None and self._is_real_folder(place):
            place += layout.SHADOWED
            content = self._content(place)
        if isinstance(content, str):
            self._note(place)
            return Reply(content, source)
        if content is not None:
            return _sourced(content, source)
        unknown_place, name = layout.unknown_place(path)
        why = self._unknown_in(unknown_place).get((kind, name))
        if why is None:
            return Unknown(Cause.NOT_EXPOSED, AGAIN, source)
        self._note(_line_name(unknown_place, kind, name))
        return _unknown(why, source)

    def _note(self, place: str) -> None:
        if self._used is not None:
            self._used.add(place)

    def _unknown_in(self, place: str) -> dict[tuple[str, str], list[str]]:
        """The unanswered questions that one %unknown file lists; lines that are none are left out."""
        if place not in self._unknown:
            content = self._content(place)
            lines = [_json(line) for line in (content if isinstance(content, str) else "").split("\n")]
            self._unknown[place] = {
                (line[0], line[1]): line[2:]
                for line in lines
                if isinstance(line, list) and len(line) in (4, 5) and all(isinstance(part, str) for part in line)
            }
        return self._unknown[place]

    def _asked(self, stem: str, source: str) -> Answer:
        meta = self._meta(stem)
        if meta is None:
            return Unknown(Cause.NOT_EXPOSED, AGAIN, source)
        self._note(stem + layout.META)
        if isinstance(meta, dict) and "unknown" in meta:
            return _unknown(meta["unknown"], source)
        if not isinstance(meta, dict) or not isinstance(meta.get("status"), int):
            return unreadable("the recorded answer is damaged", source)
        content = self._content(stem + layout.OUTPUT)
        if content is None:
            return unreadable("the recorded output is missing", source)
        self._note(stem + layout.OUTPUT)
        if isinstance(content, Unknown):
            return _sourced(content, source)
        return Reply(content, str(meta.get("source", source)), meta["status"])

    def _meta(self, stem: str) -> object:
        content = self._content(stem + layout.META)
        return content if content is None or isinstance(content, Unknown) else _json(content)

    def _content(self, place: str, cap_bytes: int = OUTPUT_CAP_BYTES) -> str | Unknown | None:
        """The text of a regular file below the folder; None where there is none."""
        if not self._is_real_folder(place.rpartition("/")[0]):
            return None
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(self._path(place), flags)
        except PermissionError:
            return Unknown(Cause.DENIED, "make the recording readable for yourself", place)
        except (OSError, ValueError):
            return None
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return None
            # A read reserves all that it asks for, so it asks for no more than there is.
            return too_much(place) if status.st_size > cap_bytes else decoded(os.read(descriptor, status.st_size))
        finally:
            os.close(descriptor)

    def _is_real_folder(self, place: str) -> bool:
        """Whether this is a folder reached through folders only, never through a link."""
        if place not in self._is_folder:
            if len(self._is_folder) > _REMEMBERED_FOLDERS:
                self._is_folder = {"": True}
            self._is_folder[place] = self._is_real_folder(place.rpartition("/")[0]) and self._is_folder_here(place)
        return self._is_folder[place]

    def _is_folder_here(self, place: str) -> bool:
        try:
            return stat.S_ISDIR(os.lstat(self._path(place)).st_mode)
        except (OSError, ValueError):
            return False

    def _path(self, place: str) -> bytes:
        return self._folder + b"/" + place.encode("utf-8", "surrogateescape")


def _title(folder: str, content: str | Unknown | None) -> dict[str, Any]:
    """The content of machine.toml, if it is one that this version understands."""
    if content is None:
        raise MachineError(folder, f"no {layout.TITLE} in it", "name a folder that `fsadvisor capture` wrote wholly")
    where = f"{folder}/{layout.TITLE}"
    if isinstance(content, Unknown):
        raise MachineError(where, content.learn, AGAIN)
    try:
        title = tomllib.loads(content)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise MachineError(where, f"not TOML: {error}", AGAIN) from None
    schema = title.get("schema")
    known = f"{layout.SCHEMA_FAMILY}{layout.SCHEMA_VERSION}"
    if schema != known:
        newer = isinstance(schema, str) and schema.startswith(layout.SCHEMA_FAMILY)
        choice = f"install a newer fsadvisor, or capture again with this one ({known})" if newer else AGAIN
        raise MachineError(where, f"the schema is {schema!r}, not {known!r}", choice)
    if not isinstance(title.get("root"), bool):
        raise MachineError(where, "it does not say whether root asked (root = true or false)", AGAIN)
    return title


def _day(said: object) -> dt.date:
    """The day of the recording; a folder that does not say one is taken for one of today."""
    if isinstance(said, dt.date) and not isinstance(said, dt.datetime):
        return said
    return dt.datetime.now().astimezone().date()


def _unknown(why: object, source: str) -> Unknown:
    """The recorded reason for no answer: cause, cure, and perhaps another source."""
    if isinstance(why, list) and len(why) in (2, 3) and all(isinstance(part, str) for part in why):
        with contextlib.suppress(ValueError):
            return Unknown(Cause(why[0]), why[1], why[2] if len(why) == 3 else source)
    return unreadable("the recorded reason is damaged", source)


def _sourced(unknown: Unknown, source: str) -> Unknown:
    return replace(unknown, source=source)


def _line_name(place: str, kind: str, name: str) -> str:
    return f"{place}: {kind} {name}"


def _json(text: str) -> object:
    try:
        value: object = strict_json.DECODER.decode(text)
    except (ValueError, RecursionError):
        return _DAMAGED
    return _DAMAGED if value is None else value
