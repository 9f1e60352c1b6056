"""Runs external tools side by side: no shell, C locale, a time-out each, no sync, never stuck on one that won't die.

And puts text into the paste buffer of the tmux that we run in.
"""

from __future__ import annotations

import contextlib
import os
import queue
import selectors
import signal
import stat
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Final, cast

from msgspec import Struct, field

from fsadvisor.facts import Cause, Unknown, unreadable
from fsadvisor.machine import packages, port, time_limits, tools
from fsadvisor.machine.port import Answer, Argv, Reply
from fsadvisor.machine.time_limits import Patience
from fsadvisor.machine.tools import forbid_syncs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import IO


FETCHED = packages.fetched_folders()
REFUSED = packages.refused_folders()
TOOL_FOLDERS = (
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
    "/run/current-system/sw/bin",
    # Where the makers' packages put them, with no link elsewhere.
    "/opt/MegaRAID/storcli",
    "/opt/MegaRAID/storcli2",
    "/opt/MegaRAID/perccli",
    "/opt/MegaRAID/perccli2",
    "/opt/MegaRAID/MegaCli",
    "/opt/smartstorageadmin/ssacli/bin",
    "/usr/Arcconf",
    *FETCHED,
)
"""The system's own come first; the last of them is NixOS's."""
OUTPUT_CAP_BYTES = 4 << 20
MOST_NAMES = 20_000
"""In a directory, as a stranger recorded it: each name may be a disk, with a hundred questions of its own."""
STDERR_CAP_BYTES = 64 << 10
SIDE_BY_SIDE = 8
MOST_SIDE_BY_SIDE = 64
"""While none answers: hung tools must not stand in the way of those that would answer."""
STALLED_SHARE = 0.1
"""After this share of the time-out without an answer, as many more are started."""
QUIET_S = 0.05
LAST_WAIT_S = 0.5

_REFUSALS = (
    "permission denied",
    "operation not permitted",
    "must be root",
    "are you root",
    "as root",
    "root privileges",
    "need to be root",
    "non-root user",
    "superuser",
)
_REFUSAL_REACH = 4096


def decoded(content: bytes) -> str:
    """Text from which the same bytes can be made again."""
    return content.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """The bytes that `decoded` was given. Raises ValueError where no bytes can be that text."""
    return text.encode("utf-8", "surrogateescape")


def missing_tool(argv: Argv, refused: bool = False, package: str | None = None) -> Unknown:
    """The answer where a tool is not installed, or was fetched to where somebody else may write.

    `package` is its name here, '' where none would help; Debian's where it is left out.
    """
    tool = argv[0] if argv else ""
    why = "; the fetched one is not used, others can change it: `make run` as this user fetches it again"
    package = packages.PACKAGES.get(tool, tool) if package is None else package
    learn = f"install {package}{why if refused else ''}" if package else ""
    return Unknown(Cause.NO_TOOL, learn, port.command_source(argv))


def cannot_be_read(error: OSError, source: str) -> Unknown:
    """The answer for a kept file that is there, and whose disk or server gives it not."""
    return Unknown(Cause.UNREADABLE, f"copy it again: reading it gave '{os.strerror(error.errno or 0)}'", source)


def too_much(source: str) -> Unknown:
    """The answer where there is more text than a Reply may hold."""
    return unreadable("more than 4 MiB", source)


def too_many(source: str) -> Unknown:
    """The answer where a directory has more names than are gone through."""
    return unreadable(f"more than {MOST_NAMES} names", source)


_DID_NOT_START: Final = (126, 127)
"""Exit statuses of shells and loaders: what a drive or a filesystem said is none of it. No tool that is asked has them
as its own: smartctl's bits can't be all set, since the others need the device that its second says was not opened."""


def did_not_start(source: str, status: int) -> Unknown:
    """The answer where a tool is there and could not be started: a library is missing, or it is another processor's."""
    tool = source.partition(" ")[0]
    return Unknown(Cause.UNREADABLE, f"reinstall {tool}: it does not start (exit status {status})", source)


class _Output(Struct):
    """What has come through the pipes so far."""

    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    complained_bytes: int = 0
    held: bool = False
    """Whether somebody still had a pipe open when we stopped reading."""
    cut_off: bool = False
    """Whether that was the tool itself, at work: once its pipes are closed it may die of that, and has not answered."""
    most_bytes: int = OUTPUT_CAP_BYTES

    @property
    def overflowed(self) -> bool:
        return max(len(self.stdout), self.complained_bytes) > self.most_bytes

    def add_stdout(self, chunk: bytes) -> None:
        self.stdout += chunk

    def add_stderr(self, chunk: bytes) -> None:
        self.complained_bytes += len(chunk)
        if len(self.stderr) < STDERR_CAP_BYTES:
            self.stderr += chunk


class Runner(Struct, frozen=True):
    """Runs tools from fixed folders, at most eight at a time, or more while none answers.

    A tool that hung is not asked for ever anew (`Patience`).

    A tool in uninterruptible sleep (state D) survives SIGKILL until its device answers. It is abandoned: its
    pipes are closed and a daemon thread waits for it, so neither the caller nor the interpreter's exit does.
    """

    timeout_s: float = 10
    folders: Sequence[str] = TOOL_FOLDERS
    root: bool = field(default_factory=lambda: os.geteuid() == 0)
    fetched: Sequence[str] = FETCHED
    """Those of the folders whose tools are not the system's own."""
    refused: Sequence[str] = REFUSED
    """Where tools were fetched that are not trusted."""
    wake: bool = False
    """Whether tools may wake disks that sleep."""
    patience: Patience = field(default_factory=Patience)
    most_bytes: int = OUTPUT_CAP_BYTES
    """Of each answer."""

    def run(self, commands: Sequence[Argv]) -> list[Answer]:
        """One answer each, in order."""
        answers = dict(self.answers(commands))
        return [answers[argv] for argv in commands]

    def answers(self, commands: Iterable[Argv]) -> Iterator[tuple[Argv, Answer]]:
        """Start them; each command with its answer, as it comes, and at the end those that never answered."""
        awaited = dict.fromkeys(commands)
        waiting: queue.SimpleQueue[Argv] = queue.SimpleQueue()
        for argv in awaited:
            waiting.put(argv)
        rounds = -(-len(awaited) // SIDE_BY_SIDE)
        deadline = time.monotonic() + rounds * (self.timeout_s + 2 * LAST_WAIT_S) + LAST_WAIT_S
        answered: queue.SimpleQueue[tuple[Argv, Answer]] = queue.SimpleQueue()
        width = self._employ(waiting, answered, 0)

        def as_they_come(width: int) -> Iterator[tuple[Argv, Answer]]:
            while awaited:
                left = deadline - time.monotonic()
                try:
                    argv, answer = answered.get(timeout=max(0, min(left, STALLED_SHARE * self.timeout_s)))
                except queue.Empty:
                    if left <= 0:
                        break
                    width += self._employ(waiting, answered, width)
                    continue
                del awaited[argv]
                yield argv, answer
            for argv in awaited:
                yield argv, self._timed_out(port.command_source(argv))

        return as_they_come(width)

    def _employ(
        self,
        waiting: queue.SimpleQueue[Argv],
        answered: queue.SimpleQueue[tuple[Argv, Answer]],
        width: int,
    ) -> int:
        """Start threads that run what waits, besides the `width` that there are; how many."""
        more = min(SIDE_BY_SIDE, waiting.qsize(), MOST_SIDE_BY_SIDE - width)
        for _ in range(more):
            threading.Thread(target=self._work, args=(waiting, answered), daemon=True).start()
        return more

    def _work(self, waiting: queue.SimpleQueue[Argv], answered: queue.SimpleQueue[tuple[Argv, Answer]]) -> None:
        forbid_syncs()
        with contextlib.suppress(queue.Empty):
            while True:
                argv = waiting.get_nowait()
                answered.put((argv, self._answer(argv)))

    def _answer(self, argv: Argv) -> Answer:
        if not self.wake and (suspended := tools.suspended(argv)) is not None:
            return suspended
        tool = self._find(argv, self.folders)
        if tool is None:
            refused = self._find(argv, self.refused) is not None
            return missing_tool(argv, refused, packages.package_bringing(argv[0] if argv else ""))
        argv = argv if self.wake else tools.left_asleep(argv)
        source = port.command_source(argv, fetched=tool.rpartition("/")[0] in self.fetched)
        name, seconds = argv[0], self.patience.seconds(argv[0], self.timeout_s)
        if not seconds:
            learn = f"run it by hand: it was not run, since {name} or most tools hung for {self.timeout_s:g} s before"
            return Unknown(Cause.TIMED_OUT, learn, source)
        try:
            child = self._start(tool, argv)
        except PermissionError:
            return Unknown(Cause.DENIED, "run as root", source)
        except (OSError, ValueError) as refusal:
            return unreadable(f"the tool could not be started: {refusal}", source)
        output = _listen(child, deadline := time.monotonic() + seconds, self.most_bytes)
        if output.overflowed:
            _end(child)
            return too_much(source)
        status = None if output.cut_off else _status(child, deadline)
        self.patience.learn(name, seconds, hung=status is None)
        if status is None:
            return self._timed_out(source, killed=_end(child))
        if output.held:
            _end(child)
        return self._judge(source, output, status)

    @staticmethod
    def _find(argv: Argv, folders: Sequence[str]) -> str | None:
        if not argv or "/" in argv[0] or "\0" in argv[0]:
            return None
        for folder in folders:
            path = f"{folder}/{argv[0]}"
            with contextlib.suppress(OSError, ValueError):
                mode = os.stat(encoded(path)).st_mode  # noqa: PTH116 - bytes, whatever the locale
                if stat.S_ISREG(mode) and mode & 0o111:
                    return path
        return None

    def _start(self, tool: str, argv: Argv) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - fixed folders, no shell
            [encoded(argument) for argument in (tool, *argv[1:])],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env={"LC_ALL": "C", "PATH": ":".join(self.folders), "TERM": "dumb", **time_limits.mark()},
            start_new_session=True,
        )

    def _judge(self, source: str, output: _Output, status: int) -> Answer:
        stdout, stderr = decoded(bytes(output.stdout)), decoded(bytes(output.stderr))
        text = stdout if status == 0 and stdout.strip() else stdout + stderr
        failed = status != 0 or not stdout.strip()
        said = (stderr + stdout[:_REFUSAL_REACH]).lower()
        if failed and not self.root and any(refusal in said for refusal in _REFUSALS):
            return Unknown(Cause.DENIED, "run as root", source)
        if status in _DID_NOT_START:
            return did_not_start(source, status)
        return Reply(text, source, status)

    def _timed_out(self, source: str, killed: bool = True) -> Unknown:
        how = "" if killed else "; the tool waits inside the kernel and could not be killed"
        learn = f"retry with a --timeout longer than {self.timeout_s:g} s{how}"
        return Unknown(Cause.TIMED_OUT, learn, source)


def _listen(child: subprocess.Popen[bytes], deadline: float, most_bytes: int) -> _Output:
    """Read both pipes until they end, the tool has ended, the time is over, or too much has come.

    A grandchild may hold a pipe open for ever: the tool's own end is enough. It is looked for before the pipes are, so
    that what a tool says with its last breath is in them by then.
    """
    output = _Output(most_bytes=most_bytes)
    stdout, stderr = cast("IO[bytes]", child.stdout), cast("IO[bytes]", child.stderr)
    with selectors.DefaultSelector() as selector, stdout, stderr:
        selector.register(stdout, selectors.EVENT_READ, output.add_stdout)
        selector.register(stderr, selectors.EVENT_READ, output.add_stderr)
        while selector.get_map() and not output.overflowed and time.monotonic() < deadline:
            ended = child.poll() is not None
            ready = selector.select(QUIET_S)
            for key, _ in ready:
                chunk = os.read(key.fd, 1 << 16)
                key.data(chunk)
                if not chunk:
                    selector.unregister(key.fileobj)
            if not ready and ended:
                break
        output.held = bool(selector.get_map())
        output.cut_off = output.held and child.poll() is None
    return output


def _status(child: subprocess.Popen[bytes], deadline: float) -> int | None:
    """The exit status, or None where the tool has not ended in time."""
    try:
        return child.wait(max(0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return None


def _end(child: subprocess.Popen[bytes]) -> bool:
    """Kill the tool with all that it started, and say whether nothing in the kernel holds it back."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    if _status(child, time.monotonic() + LAST_WAIT_S) is not None:
        return True
    threading.Thread(target=child.wait, daemon=True).start()
    try:
        with open(f"/proc/{child.pid}/stat", "rb") as file:  # noqa: PTH123 - pathlib loads slowly
            return file.read().rpartition(b")")[2].split()[0] != b"D"
    except (OSError, IndexError):
        return True


_LONGEST_S: Final = 30.0
_LONGEST_REASON: Final = 60
_PASSED_ON: Final = ("TMUX", "TMUX_PANE")
_WAYS: Final = (("load-buffer", "-w", "-"), ("load-buffer", "-"))
"""With -w the buffer is offered to the terminal's clipboard, too; before tmux 3.2 there is no -w."""


def in_tmux(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether we run in a tmux."""
    return bool(environment.get("TMUX"))


def load_tmux_buffer(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """Put text there; why it is not there, '' where it is. This may wait for half a minute."""
    import shutil  # and with it what unpacks archives

    folders = ":".join(TOOL_FOLDERS)
    tool = shutil.which("tmux", path=folders)
    if tool is None:
        return "no tmux is installed here"
    passed_on = {name: environment[name] for name in _PASSED_ON if name in environment}
    env = {"PATH": folders, "LC_ALL": "C", **passed_on}
    why = ""
    for way in _WAYS:
        try:
            done = subprocess.run(  # noqa: S603 - fixed folders, no shell
                (tool, *way),
                input=text.encode(),
                capture_output=True,
                timeout=_LONGEST_S,
                cwd="/",
                env=env,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"tmux did not answer in {_LONGEST_S:g} s"
        except (OSError, ValueError) as error:
            return str(error)
        if done.returncode == 0:
            return ""
        why = done.stderr.decode("utf-8", "replace").strip()[:_LONGEST_REASON] or f"exit status {done.returncode}"
    return why
