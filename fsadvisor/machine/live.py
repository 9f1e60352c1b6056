# ruff: noqa: D102 - port.Machine documents the methods
"""The host itself, as it is now. Nothing here writes, and nothing waits longer than the time-out.

For somebody who watches, what takes time is answered for later, and nothing is asked twice.
"""

from __future__ import annotations

import datetime as dt
import errno
import json
import os
import stat
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from fsadvisor.facts import Cause, Unknown, unreadable
from fsadvisor.machine import kept_files, port, safe_files, untouched
from fsadvisor.machine.inodes import below_mount, files_below, flags_of
from fsadvisor.machine.port import Answer, Argv, Reply
from fsadvisor.machine.redaction import CHANGED, settings_about_storage
from fsadvisor.machine.runner import OUTPUT_CAP_BYTES, TOOL_FOLDERS, Runner, decoded, encoded, too_much
from fsadvisor.machine.time_limits import within
from fsadvisor.machine.udev import udev_database
from fsadvisor.machine.watching import processes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")
Entries: TypeAlias = tuple[str, ...] | Unknown

KERNEL_FOLDERS = ("/proc/", "/sys/")
_TOLD_BY_PEOPLE = (kept_files.ATTESTATIONS, kept_files.PROBES, kept_files.LOOKS, kept_files.INCIDENT)
"""What changes verdicts by its word alone."""
_CHUNK_BYTES = 1 << 16
_GONE = {errno.ENOENT, errno.ENOTDIR, errno.ENODEV, errno.ENXIO}
_REFUSED = {errno.EACCES, errno.EPERM}


def refusal(error: OSError | ValueError, source: str) -> Unknown:
    """Why the kernel did not answer. A ValueError is a path that no file can have."""
    number = error.errno if isinstance(error, OSError) else errno.ENOENT
    if number in _REFUSED:
        return Unknown(Cause.DENIED, "run as root", source)
    if number in _GONE:
        return Unknown(Cause.NOT_EXPOSED, "", source)
    return unreadable(os.strerror(number or errno.EIO), source)


class LiveMachine:
    """The host itself. The same file, folder, link or command is asked for only once.

    `timeout` is for each tool and each file system, in seconds; `wake` lets tools wake disks that sleep,
    `ask_programs` lets databases be asked by their own clients.
    """

    name = "this host"

    def __init__(
        self,
        timeout: float = 10,
        tool_folders: Sequence[str] = TOOL_FOLDERS,
        today: dt.date | None = None,
        *,
        wake: bool = False,
        ask_programs: bool = False,
    ) -> None:
        self._timeout_s = timeout
        self.asks_programs = ask_programs
        self.today = self.looked_on = today or dt.datetime.now().astimezone().date()
        self._runner = Runner(timeout, tool_folders, wake=wake)
        self.root = self._runner.root
        self._reads: dict[str, Answer] = {}
        self._entries: dict[str, Entries] = {}
        self._links: dict[str, Answer] = {}
        self._runs: dict[Argv, Answer] = {}
        self._expected: set[Argv] = set()
        self._coming: Iterator[tuple[Argv, Answer]] = iter(())

    def read(self, path: str) -> Answer:
        if path not in self._reads:
            self._reads[path] = self._ask(_believed if path in _TOLD_BY_PEOPLE else _content, path)
        return self._reads[path]

    def entries(self, path: str) -> Entries:
        if path not in self._entries:
            self._entries[path] = self._ask(_names, path)
        return self._entries[path]

    def link(self, path: str) -> Answer:
        if path not in self._links:
            self._links[path] = self._ask(_target, path)
        return self._links[path]

    def run(self, commands: Sequence[Argv]) -> list[Answer]:
        self.expect(commands)
        for argv in commands:
            while argv not in self._runs:
                self._runs.update((next(self._coming),))
        return [self._runs[argv] for argv in commands]

    def expect(self, commands: Sequence[Argv]) -> None:
        """Start those that are new, once all that were started before have ended: only so many run side by side."""
        if new := set(commands) - self._expected:
            self._runs.update(self._coming)
            self._expected |= new
            self._coming = self._runner.answers(argv for argv in commands if argv in new)

    def udev(self) -> Answer:
        return self._bounded(udev_database, port.UDEV_SOURCE)

    def processes(self, names: Sequence[str]) -> Answer:
        return self._bounded(lambda: processes(names), port.PROCESSES_SOURCE)

    def counters(self) -> Answer:
        return Unknown(Cause.NOT_EXPOSED, "", port.COUNTERS_SOURCE)

    def space(self, mount_point: str) -> Answer:
        return self._bounded(lambda: _space(mount_point), port.space_source(mount_point))

    def flags(self, path: str) -> Answer:
        return self._bounded(lambda: _flags(path), port.flags_source(path))

    def settings(self, path: str) -> Answer:
        answer = self.read(path)
        if isinstance(answer, Unknown):
            return answer
        text = settings_about_storage(path, answer.text)
        changed = self._ask(_when_changed, path) if _of_container(path) else ""
        return Reply(text if isinstance(changed, Unknown) else text + changed, path)

    def extents(self, path: str) -> Answer:
        return self._bounded(lambda: files_below(path), port.extents_source(path))

    def hidden(self, mount_point: str, above: str) -> Answer:
        return self._bounded(lambda: below_mount(mount_point, above), port.hidden_source(mount_point))

    def _ask(self, question: Callable[[str], T | Unknown], path: str) -> T | Unknown:
        """Ask the kernel's own filesystems directly, and others, which may be dead NFS, with a time-out."""
        if path.startswith(KERNEL_FOLDERS) and not _of_container(path):
            return question(path)
        return self._bounded(lambda: question(path), path)

    def _bounded(self, question: Callable[[], T | Unknown], source: str) -> T | Unknown:
        answer = within(self._timeout_s, lambda: _heard(question, source))
        if answer is None:
            return Unknown(Cause.TIMED_OUT, f"retry with a --timeout longer than {self._timeout_s:g} s", source)
        return answer


def _heard(question: Callable[[], T | Unknown], source: str) -> T | Unknown:
    """The answer; what a library or the kernel raises that nobody expected is why there is none."""
    try:
        return question()
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001
        return unreadable(f"{type(error).__name__}: {error}", source)


def _believed(path: str) -> Answer:
    why = safe_files.distrusted(Path(path))
    return Unknown(Cause.UNREADABLE, why, path) if why else _content(path)


def _content(path: str) -> Answer:
    try:
        raw_path = encoded(path)
        kernels = path.startswith(KERNEL_FOLDERS) and not untouched.is_inside_container(raw_path)
        descriptor = untouched.opened(raw_path) if kernels else untouched.regular(raw_path)
        if descriptor is None:
            return unreadable("not a regular file", path)
        content = b"".join(_chunks(descriptor))
    except (OSError, ValueError) as error:
        return refusal(error, path)
    return too_much(path) if len(content) > OUTPUT_CAP_BYTES else Reply(decoded(content), path)


def _of_container(path: str) -> bool:
    return path.startswith("/proc/") and "/root/" in path and untouched.is_inside_container(os.fsencode(path))


def _when_changed(path: str) -> str:
    """The line that tells when a container's file was changed: stat(1) would follow its links out of the container."""
    try:
        return f"{CHANGED}{untouched.changed(encoded(path))}\n"
    except OSError:
        return ""


def _chunks(descriptor: int) -> Iterator[bytes]:
    """The content, read until one byte at least is over the cap. Closes it."""
    try:
        length = 0
        while length <= OUTPUT_CAP_BYTES and (chunk := os.read(descriptor, _CHUNK_BYTES)):
            length += len(chunk)
            yield chunk
    finally:
        os.close(descriptor)


def _names(path: str) -> Entries:
    try:
        return tuple(sorted(decoded(os.fsencode(name)) for name in untouched.names_in(encoded(path))))
    except (OSError, ValueError) as error:
        return refusal(error, path)


def _target(path: str) -> Answer:
    try:
        return Reply(decoded(os.readlink(encoded(path))), path)  # noqa: PTH115 - bytes
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.EINVAL:
            return Unknown(Cause.NOT_EXPOSED, "", path)
        return refusal(error, path)


def _space(mount_point: str) -> Answer:
    try:
        room = os.statvfs(encoded(mount_point))
    except (OSError, ValueError) as error:
        return refusal(error, port.space_source(mount_point))
    answer = {
        "size": room.f_blocks * room.f_frsize,
        "free": room.f_bfree * room.f_frsize,
        "available": room.f_bavail * room.f_frsize,
        "inodes": room.f_files,
        "inodes_free": room.f_ffree,
    }
    return Reply(json.dumps(answer), port.space_source(mount_point))


def _flags(path: str) -> Answer:
    """Ask for the inode flags. Only regular files and folders are opened: opening a device or FIFO may act."""
    source = port.flags_source(path)
    try:
        raw_path = encoded(path)
        mode = os.lstat(raw_path).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            return Unknown(Cause.NOT_EXPOSED, "", source)
        descriptor = os.open(raw_path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            number = flags_of(descriptor)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in {errno.ENOTTY, errno.EOPNOTSUPP, errno.ELOOP}:
            return Unknown(Cause.NOT_EXPOSED, "", source)
        return refusal(error, source)
    return Reply(f"{number:#x}", source)


# ruff: noqa: D102 - port.Machine documents the methods


_PATIENCE_S: Final = 0.3
"""How long questions to filesystems are waited for, all of them together: a dead NFS server is one of many."""


class ProgressiveMachine(LiveMachine):
    """Like LiveMachine, but what has not answered yet is Unknown, "still being asked".

    That holds for commands, and for questions to filesystems and the kernel once they have taken `patience` seconds
    together. Look again when `changed` is set: no command runs twice, and no question is put twice. One thread looks
    at it at a time.
    """

    def __init__(
        self,
        timeout: float = 10,
        tool_folders: Sequence[str] = TOOL_FOLDERS,
        patience: float = _PATIENCE_S,
        *,
        wake: bool = False,
    ) -> None:
        super().__init__(timeout, tool_folders, wake=wake)
        self.changed = threading.Event()
        self._patience_s = patience
        self._lock = threading.Lock()
        self._asking: dict[object, str] = {}
        self._answers: dict[object, object] = {}
        self._answered: dict[object, threading.Event] = {}

    @property
    def asking(self) -> tuple[str, ...]:
        """What is still to be answered, as one would type it, in the order asked."""
        with self._lock:
            return tuple(self._asking.values())

    def run(self, commands: Sequence[Argv]) -> list[Answer]:
        self.expect(commands)
        return [self._runs.get(argv) or _being_asked(port.command_source(argv)) for argv in commands]

    def expect(self, commands: Sequence[Argv]) -> None:
        with self._lock:
            new = [one for one in dict.fromkeys(commands) if one not in self._runs and one not in self._asking]
            self._asking.update((argv, port.command_source(argv)) for argv in new)
        if new:
            threading.Thread(target=self._ask_all, args=(new,), daemon=True).start()

    def _ask_all(self, commands: list[Argv]) -> None:
        for argv, answer in self._runner.answers(commands):
            self._tell(argv, answer)

    def _tell(self, argv: Argv, answer: Answer) -> None:
        with self._lock:
            self._runs[argv] = answer
            self._asking.pop(argv, None)
            self.changed.set()

    def read(self, path: str) -> Answer:
        return _unless_pending(super().read(path), self._reads, path)

    def entries(self, path: str) -> Entries:
        return _unless_pending(super().entries(path), self._entries, path)

    def link(self, path: str) -> Answer:
        return _unless_pending(super().link(path), self._links, path)

    def _ask(self, question: Callable[[str], T | Unknown], path: str) -> T | Unknown:
        if path.startswith(KERNEL_FOLDERS):
            return question(path)
        return self._soon((question, path), lambda: question(path), path)

    def _bounded(self, question: Callable[[], T | Unknown], source: str) -> T | Unknown:
        return self._soon(source, question, source)

    def _soon(self, key: object, question: Callable[[], T | Unknown], source: str) -> T | Unknown:
        """The answer, if it comes while there is patience left; `key` is this question's alone."""
        if key not in self._answered:
            self._answered[key] = threading.Event()
            threading.Thread(target=self._answer, args=(key, question, source), daemon=True).start()
        started = time.monotonic()
        self._answered[key].wait(self._patience_s)
        self._patience_s = max(0, self._patience_s - (time.monotonic() - started))
        with self._lock:
            if key in self._answers:
                return self._answers[key]  # type: ignore[return-value]  # a key is one question's, so is its type
            self._asking[key] = source
        return _being_asked(source)

    def _answer(self, key: object, question: Callable[[], T | Unknown], source: str) -> None:
        answer = super()._bounded(question, source)
        with self._lock:
            self._answers[key] = answer
            if self._asking.pop(key, None) is not None:
                self.changed.set()
        self._answered[key].set()


def _unless_pending(answer: T | Unknown, kept: dict[str, T | Unknown], path: str) -> T | Unknown:
    """The answer, which is asked for again where it is still to come."""
    if isinstance(answer, Unknown) and answer.cause is Cause.BEING_ASKED:
        del kept[path]
    return answer


def _being_asked(source: str) -> Unknown:
    return Unknown(Cause.BEING_ASKED, "wait for the answer", source)
