# ruff: noqa: D102 - port.Machine documents the methods
"""Asks another machine and keeps every question and answer, to be written as a folder without identities.

A recording, and how it is written as a directory (see recorded.py): with stand-ins for identities.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from fsadvisor import __version__
from fsadvisor.facts import Unknown
from fsadvisor.machine import port, recorded, redaction, safe_files
from fsadvisor.machine.identities import Identities
from fsadvisor.machine.port import Answer, Argv, Reply
from fsadvisor.machine.runner import encoded

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterator, Sequence

    from fsadvisor.machine.port import Machine


Entries: TypeAlias = tuple[str, ...] | Unknown
_SOURCES: dict[str, Callable[[str], str]] = {
    recorded.READ: str,
    recorded.LINK: str,
    recorded.ENTRIES: str,
    recorded.SPACE: port.space_source,
    recorded.FLAGS: port.flags_source,
    recorded.SETTINGS: str,
    recorded.EXTENTS: port.extents_source,
    recorded.HIDDEN: port.hidden_source,
}


class Recording(Struct, frozen=True):
    """Questions and answers, as they were, identities included."""

    name: str
    root: bool
    today: dt.date
    about_paths: dict[tuple[str, str], Answer] = field(default_factory=dict)
    """By path and kind of question (recorded.READ, LINK, SPACE, FLAGS, SETTINGS, EXTENTS, HIDDEN)."""
    entries: dict[str, Entries] = field(default_factory=dict)
    runs: dict[Argv, Answer] = field(default_factory=dict)
    processes: dict[tuple[str, ...], Answer] = field(default_factory=dict)
    """By the names asked for."""
    asked: dict[str, Answer] = field(default_factory=dict)
    """By recorded.UDEV and COUNTERS."""

    def texts(self) -> Iterator[tuple[str, str]]:
        """Every text in it, and where it comes from: what identities are learnt from."""
        yield from self._texts_about_paths()
        for argv, answer in sorted(self.runs.items(), key=lambda item: item[0]):
            yield "", port.command_source(argv)
            yield port.command_source(argv), port.text_of(answer)
        for answer in self.asked.values():
            yield "", port.text_of(answer)
        for answer in self.processes.values():
            yield port.PROCESSES_SOURCE, port.text_of(answer)

    def _texts_about_paths(self) -> Iterator[tuple[str, str]]:
        for (path, kind), answer in sorted(self.about_paths.items(), key=lambda item: item[0]):
            yield "", path
            yield path if kind == recorded.READ else "", port.text_of(answer)
        for folder, names in sorted(self.entries.items(), key=lambda item: item[0]):
            yield "", folder
            for name in () if isinstance(names, Unknown) else names:
                yield "", f"{folder}/{name}"


def write_recording(recording: Recording, identities: Identities, folder: Path) -> None:
    """Write into a new or empty directory, for its owner alone to read. Raises MachineError."""
    texts = _RecordingWriter(identities).files(recording)
    safe_files.write_tree(folder, [(place, encoded(text), safe_files.PRIVATE) for place, text in texts.items()])


class _RecordingWriter:
    """What is to be written is held until all directories are known."""

    def __init__(self, identities: Identities) -> None:
        self._replace = identities.replace
        self._files: dict[str, str] = {}
        self._unknown: dict[str, list[str]] = {}

    def files(self, recording: Recording) -> dict[str, str]:
        """The text of each, the title at the end."""
        for (path, kind), answer in sorted(recording.about_paths.items(), key=lambda item: item[0]):
            self._about_path(kind, path, answer)
        for path, names in sorted(recording.entries.items(), key=lambda item: item[0]):
            listing = names if isinstance(names, Unknown) else self._names(redaction.of_names(path, names), path)
            self._about_path(recorded.ENTRIES, path, listing)
        for argv, answer in sorted(recording.runs.items(), key=lambda item: item[0]):
            new = tuple(self._replace(argument) for argument in argv)
            safe = _filtered(partial(redaction.of_command, argv), answer)
            self._asked(
                recorded.command_stem(new), {"argv": new}, port.command_source(argv), port.command_source(new), safe
            )
        for stem, source, fit in (
            (recorded.UDEV, port.UDEV_SOURCE, redaction.of_udev),
            (recorded.COUNTERS, port.COUNTERS_SOURCE, str),
        ):
            if stem in recording.asked:
                self._asked(stem, {}, "", source, _filtered(fit, recording.asked[stem]))
        if recording.processes:
            asked_names, answer = _merged(recording.processes)
            safe = _filtered(redaction.of_processes, answer)
            self._asked(recorded.PROCESSES, {"names": asked_names}, "", port.PROCESSES_SOURCE, safe)
        for file, lines in self._unknown.items():
            self._files[file] = "".join(f"{line}\n" for line in sorted(lines))
        directories = {parent for file in self._files for parent in _parents(file)}
        shadowed = {
            f"{name}{recorded.SHADOWED}" if name in directories else name: text for name, text in self._files.items()
        }
        return {**shadowed, recorded.TITLE: self._title(recording)}

    def _names(self, names: tuple[str, ...], folder: str) -> Reply:
        new = sorted(self._replace(name) for name in names)
        return Reply(json.dumps(new, indent=0), folder)

    def _about_path(self, kind: str, path: str, answer: Answer) -> None:
        new_path = self._replace(path)
        if isinstance(answer, Reply):
            where = path if kind == recorded.READ else ""
            told = redaction.of_file(path, answer.text) if kind == recorded.READ else answer.text
            text = told if kind == recorded.ENTRIES else self._replace(told, where)
            self._files[recorded.answer_path(kind, new_path)] = text
            return
        place, name = recorded.unknown_path(new_path)
        line = [kind, name, *self._why(answer, _SOURCES[kind](new_path))]
        self._unknown.setdefault(place, []).append(json.dumps(line))

    def _asked(self, stem: str, meta: dict[str, Any], where: str, source: str, answer: Answer) -> None:
        if isinstance(answer, Unknown):
            meta = meta | {"unknown": self._why(answer, source)}
        else:
            meta = meta | {"status": answer.status}
            new_source = self._replace(answer.source)
            if new_source != source:
                meta |= {"source": new_source}
            self._files[stem + recorded.OUTPUT] = self._replace(answer.text, where)
        self._files[stem + recorded.META] = json.dumps(meta, indent=1) + "\n"

    def _why(self, unknown: Unknown, default_source: str) -> list[str]:
        """Cause and cure, and the source where it does not follow from the question."""
        source = self._replace(unknown.source)
        why = [unknown.cause.value, self._replace(unknown.learn)]
        return why if source == default_source else [*why, source]

    def _title(self, recording: Recording) -> str:
        asked_as = "root" if recording.root else "an ordinary user"
        return (
            f'schema = "{recorded.SCHEMA_FAMILY}{recorded.SCHEMA_VERSION}"\n'
            f'fsadvisor = "{__version__}"\n'
            f"root = {str(recording.root).lower()}\n"
            f'made = "by fsadvisor capture as {asked_as}; identities are replaced by stand-ins"\n'
            f"date = {recording.today.isoformat()}\n"
        )


def _filtered(tell: Callable[[str], str], answer: Answer) -> Answer:
    return replace(answer, text=tell(answer.text)) if isinstance(answer, Reply) else answer


def _parents(place: str) -> list[str]:
    parts = place.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts))]


def _merged(processes: dict[tuple[str, ...], Answer]) -> tuple[list[str], Answer]:
    """All questions for processes as one: with all the names, and each process once."""
    names = sorted({name for asked in processes for name in asked})
    replies = [answer for answer in processes.values() if isinstance(answer, Reply)]
    if not replies:
        return names, next(iter(processes.values()))
    found = {process["pid"]: process for reply in replies for process in json.loads(reply.text)}
    merged = sorted(found.values(), key=lambda process: (process["name"], process["pid"]))
    return names, Reply(json.dumps(merged), port.PROCESSES_SOURCE)


_DMI = "/sys/class/dmi/id"
_NAMING_FILES = (
    "/proc/sys/kernel/hostname",
    "/etc/hostname",
    f"{_DMI}/product_serial",
    f"{_DMI}/board_serial",
    f"{_DMI}/chassis_serial",
)
_NAMING_DISK_FILES = ("serial", "device/serial", "wwid", "device/wwid")


class RecordingMachine(port.Wrapped):
    """Answers as the machine inside does, and the same question always the same."""

    def __init__(self, inner: Machine) -> None:
        super().__init__(inner)
        self.recording = Recording(inner.name, inner.root, inner.today)

    @property
    def asks_programs(self) -> bool:
        """What programs told their own clients is in no recording."""
        return False

    def read(self, path: str) -> Answer:
        return self.recording.about_paths.setdefault((path, recorded.READ), self._inner.read(path))

    def entries(self, path: str) -> Entries:
        return self.recording.entries.setdefault(path, self._inner.entries(path))

    def link(self, path: str) -> Answer:
        return self.recording.about_paths.setdefault((path, recorded.LINK), self._inner.link(path))

    def run(self, commands: Sequence[Argv]) -> list[Answer]:
        answers = self._inner.run(commands)
        pairs = zip(commands, answers, strict=True)
        return [self.recording.runs.setdefault(argv, answer) for argv, answer in pairs]

    def udev(self) -> Answer:
        return self.recording.asked.setdefault(recorded.UDEV, self._inner.udev())

    def processes(self, names: Sequence[str]) -> Answer:
        key = tuple(sorted(set(names)))
        return self.recording.processes.setdefault(key, self._inner.processes(names))

    def counters(self) -> Answer:
        return self.recording.asked.setdefault(recorded.COUNTERS, self._inner.counters())

    def space(self, mount_point: str) -> Answer:
        answer = self._inner.space(mount_point)
        return self.recording.about_paths.setdefault((mount_point, recorded.SPACE), answer)

    def flags(self, path: str) -> Answer:
        return self.recording.about_paths.setdefault((path, recorded.FLAGS), self._inner.flags(path))

    def settings(self, path: str) -> Answer:
        return self.recording.about_paths.setdefault((path, recorded.SETTINGS), self._inner.settings(path))

    def extents(self, path: str) -> Answer:
        return self.recording.about_paths.setdefault((path, recorded.EXTENTS), self._inner.extents(path))

    def hidden(self, mount_point: str, above: str) -> Answer:
        key = (mount_point, recorded.HIDDEN)
        return self.recording.about_paths.setdefault(key, self._inner.hidden(mount_point, above))

    def write(self, folder: Path | str) -> None:
        """Write all that was asked into a new or empty folder. Raises MachineError."""
        write_recording(self.recording, self.identities(), Path(folder))

    def identities(self) -> Identities:
        """What the answers tell about identities, and what the machine says of itself when asked for them."""
        identities = Identities()
        for where, text in (*self._own_names(), *self.recording.texts()):
            identities.learn(where, text)
        return identities

    def _own_names(self) -> Iterator[tuple[str, str]]:
        """Names that nobody may have asked for, but that stand in labels, links and volume groups all the same."""
        disks = self._inner.entries("/sys/block")
        folders = [] if isinstance(disks, Unknown) else [f"/sys/block/{disk}" for disk in disks]
        for path in (*_NAMING_FILES, *(f"{folder}/{name}" for folder in folders for name in _NAMING_DISK_FILES)):
            yield path, port.text_of(self._inner.read(path))
        yield "", port.text_of(self._inner.udev())
