# ruff: noqa: D102 - port.Machine documents the methods
"""What the rest of the program may ask of a machine, be it this host, a recorded one or an archive.

And how an answer's source is written, so that a live and a recorded machine name the same one.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from msgspec import Struct

from fsadvisor.facts import Unknown
from fsadvisor.patterns import late

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence


Argv: TypeAlias = tuple[str, ...]


class Reply(Struct, frozen=True):
    """What a file or a tool said.

    `text` is UTF-8 decoded with surrogateescape (so no byte is lost) and at most 4 MiB long; `source` is the
    path, or the command as one would type it; `status` is the tool's exit status (0 for a file).
    """

    text: str
    source: str
    status: int = 0


Answer: TypeAlias = Reply | Unknown
"""A reply, or why there is none: denied, no_tool, not_exposed (no such file), timed_out."""


class Machine(Protocol):
    """The questions. No method raises for what the machine is or lacks."""

    @property
    def name(self) -> str:
        """What is being looked at, for people: 'this host', or the folder or archive."""
        ...

    @property
    def root(self) -> bool:
        """Whether the questions are (or were) asked as root."""
        ...

    @property
    def today(self) -> dt.date:
        """The day of the questions: what people said holds up to a day."""
        ...

    @property
    def looked_on(self) -> dt.date | None:
        """The day that it was looked at, by its own clock; None where nothing tells it."""
        ...

    def read(self, path: str) -> Answer:
        """The content of a file."""
        ...

    def entries(self, path: str) -> tuple[str, ...] | Unknown:
        """The names in a folder, sorted."""
        ...

    def link(self, path: str) -> Answer:
        """Where a symbolic link points, as its own text."""
        ...

    def run(self, commands: Sequence[Argv]) -> list[Answer]:
        """Run tools side by side (no shell, C locale, a time-out each); one answer each, in order.

        A non-zero exit is a reply: what it means is the reader's to say.
        """
        ...

    def expect(self, commands: Sequence[Argv]) -> None:
        """These commands will be asked for: a machine that takes time to answer may run them now, side by side."""
        ...

    def udev(self) -> Answer:
        """The block devices' udev properties, as `udevadm info --export-db` prints them."""
        ...

    def processes(self, names: Sequence[str]) -> Answer:
        """The running processes with one of these names, as JSON.

        `[{"pid", "name", "user", "cwd", "paths": [...], "settings": [[name, value]], "here"}]`, paths being the
        absolute paths among its arguments, settings those about storage (see redaction.py); no other argument
        leaves the machine. `here` is whether the process has the same root folder as we, so that its paths mean
        the same to us; where it is False, "container" names its container, or is null, and "mounts" is its mountinfo.
        QEMU has "images": [{"path", "cache"}] of its disks (see watching.py).
        "writes" is the folder of all files that it has open for writing, or null; it is not told of containers.
        etcd, and MySQL in a container, has "environment": [[name, value]] of the variables about storage, or null.
        Redis in a container has "started": the settings that its engine started it with, or null. Where the kernel
        refused to tell one of them, `cwd` or `here` is null and there is `"denied": true`.
        """
        ...

    def counters(self) -> Answer:
        """Memory and per-device I/O since boot, as JSON. Older recordings hold it; now the kernel's own files tell it.

        `{"memory": {"total", "available"}, "io": {device: {"read_count", "write_count", "read_bytes",
        "write_bytes", "read_time", "write_time", "busy_time"}}}` in bytes and milliseconds.
        """
        ...

    def space(self, mount_point: str) -> Answer:
        """Room on a mounted filesystem, as JSON: bytes and inodes.

        `{"size", "free", "available", "inodes", "inodes_free"}`.
        """
        ...

    def flags(self, path: str) -> Answer:
        """A file's or folder's inode flags (FS_IOC_GETFLAGS), as a hexadecimal number: 0x80000."""
        ...

    def settings(self, path: str) -> Answer:
        """The lines of a program's configuration file that set something about storage (see redaction.py)."""
        ...

    def extents(self, path: str) -> Answer:
        """How the files below a folder lie on disk, as JSON: the largest ones by FIEMAP, none by name.

        `{"whole", "largest_folder", "files": [{"bytes", "extents", "mapped_bytes", "encoded",
        "unwritten", "shared", "whole"}]}`; `whole` says that nothing was left out, `largest_folder` counts the names
        in the fullest folder. Bounded (see inodes.py).
        """
        ...

    def hidden(self, mount_point: str, above: str) -> Answer:
        """What files take in the directory that a mount hides, as JSON: `{"bytes", "files", "whole"}`.

        `above` is where the filesystem is mounted that holds the directory. Bounded (see inodes.py).
        """
        ...


def text_of(answer: Answer | None) -> str:
    """The text of an answer, '' where there is none."""
    return answer.text if isinstance(answer, Reply) else ""


class MachineError(Exception):
    """What is wrong, where, and the nearest choice that would work: one line for people."""

    def __init__(self, where: str, what: str, choice: str) -> None:
        super().__init__(f"{where}: {what}; {choice}")
        self.where = where
        self.what = what
        self.choice = choice


class Wrapped:
    """Answers as the machine inside does."""

    def __init__(self, inner: Machine) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def root(self) -> bool:
        return self._inner.root

    @property
    def today(self) -> dt.date:
        return self._inner.today

    @property
    def looked_on(self) -> dt.date | None:
        return self._inner.looked_on

    @property
    def asks_programs(self) -> bool:
        """Whether programs may be asked by their own clients; no part of what a machine must have."""
        return bool(getattr(self._inner, "asks_programs", False))

    def read(self, path: str) -> Answer:
        return self._inner.read(path)

    def entries(self, path: str) -> tuple[str, ...] | Unknown:
        return self._inner.entries(path)

    def link(self, path: str) -> Answer:
        return self._inner.link(path)

    def run(self, commands: Sequence[Argv]) -> list[Answer]:
        return self._inner.run(commands)

    def expect(self, commands: Sequence[Argv]) -> None:
        self._inner.expect(commands)

    def udev(self) -> Answer:
        return self._inner.udev()

    def processes(self, names: Sequence[str]) -> Answer:
        return self._inner.processes(names)

    def counters(self) -> Answer:
        return self._inner.counters()

    def space(self, mount_point: str) -> Answer:
        return self._inner.space(mount_point)

    def flags(self, path: str) -> Answer:
        return self._inner.flags(path)

    def settings(self, path: str) -> Answer:
        return self._inner.settings(path)

    def extents(self, path: str) -> Answer:
        return self._inner.extents(path)

    def hidden(self, mount_point: str, above: str) -> Answer:
        return self._inner.hidden(mount_point, above)


UDEV_SOURCE = "udevadm info --export-db"
PROCESSES_SOURCE = "the running processes"
COUNTERS_SOURCE = "/proc/meminfo and /proc/diskstats"
_QUOTED: Final = late(r"[^\w@%+=:,./-]")
"""What a shell would not take as it stands: hardly any word of a command, so that all are asked at once."""


def command_source(argv: Argv, fetched: bool = False) -> str:
    """The command as one would type it, told apart where the tool is not the system's own but was fetched."""
    if fetched:
        return f"{shlex.join(argv[:1])} (fetched) {shlex.join(argv[1:])}".rstrip()
    plain = "".join(argv)
    return " ".join(argv) if all(argv) and plain.isascii() and not _QUOTED.search(plain) else shlex.join(argv)


def space_source(mount_point: str) -> str:
    """The command that tells the same."""
    return command_source(("stat", "-f", mount_point))


def flags_source(path: str) -> str:
    """The command that tells the same."""
    return command_source(("lsattr", "-d", path))


def hidden_source(path: str) -> str:
    """What is asked, since no command tells the same without a mount."""
    return f"what lies below the mount at {shlex.quote(path)}"


def extents_source(path: str) -> str:
    """What is asked, since no command tells the same."""
    return f"FIEMAP of the largest files below {shlex.quote(path)}"
