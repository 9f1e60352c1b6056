"""A command line of fsadvisor in a child of its own, with what it took, and all that it tried to change."""

from __future__ import annotations

import os
import re
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.__main__ import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_CHANGES: Final = re.compile(
    r"os\.(mkdir|rename|remove|rmdir|link|symlink|chmod|chown|truncate|utime|setxattr|removexattr|kill|exec|posix_spawn"
    r"|system|startfile|forkpty)|shutil\..*|subprocess\.Popen|socket\.(connect|bind|sendto)|signal\.pthread_kill"
)
"""Audit events of Python after which something is not as it was, or runs."""
_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_CPU_SECONDS: Final = 60
_TURN_SECONDS: Final = 0.4
"""What a turn of slowness takes where the limits were chosen."""
_TORN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")
"""What moves the cursor or turns a line around."""


@dataclass(frozen=True, slots=True)
class Done:
    """How it ended."""

    status: int
    out: str
    said: str
    changed: str
    cpu_seconds: float
    mib: int


def done(*argv: str) -> Done:
    """Run it with nothing on standard input, in a fork of this process."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as changed:
        own_pages = int(Path("/proc/self/statm").read_text().split()[1])  # a fork begins with as many
        child = os.fork()
        if not child:
            _be(argv, out.fileno(), err.fileno(), changed.fileno())
        _, status, took = os.wait4(child, 0)
        texts = []
        for file in (out, err, changed):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "surrogateescape"))
    said = dict(zip(("out", "said", "changed"), texts, strict=True))
    end = os.waitstatus_to_exitcode(status)
    return Done(
        end,
        **said,
        cpu_seconds=took.ru_utime + took.ru_stime,
        mib=max(0, took.ru_maxrss - own_pages * resource.getpagesize() // 1024) >> 10,
    )


def wrong(it: Done, most_seconds: float, most_mib: int) -> Iterator[str]:
    """What does not hold of an answer to a stranger's file: an answer or one sentence, and nothing else."""
    if it.status not in (0, 1, 2, 3, 5):
        last = (it.said.strip().splitlines() or [""])[0]
        yield f"exit status {it.status}: {last}"
    elif it.status == 2 and (it.said.count("\n") != 1 or not it.said.startswith("fsadvisor: ")):
        yield f"no single sentence: {it.said!r}"
    elif "Traceback" in it.said:
        yield f"a traceback: {it.said[-200:]!r}"
    if torn := _TORN.search(it.out + it.said):
        yield f"it prints {torn[0]!r}"
    if it.changed:
        yield f"it changes something: {it.changed.splitlines()[0]}"
    if is_slow(it.cpu_seconds, most_seconds):
        yield f"more than {most_seconds:.0f} s of CPU"
    if it.mib > most_mib:
        yield f"more than {most_mib} MiB"


def _be(argv: Sequence[str], out: int, err: int, changed: int) -> None:
    """The child."""
    status = 70
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
        for descriptor, to in ((os.open(os.devnull, os.O_RDONLY), 0), (out, 1), (err, 2)):
            os.dup2(descriptor, to)
        sys.stdin, sys.stdout, sys.stderr = (
            open(to, mode, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
            for to, mode in ((0, "r"), (1, "w"), (2, "w"))
        )
        sys.argv = ["fsadvisor", *argv]
        sys.addaudithook(_noting(changed))
        status = main()
        sys.stdout.flush()
        sys.stderr.flush()
    except SystemExit as end:
        sys.stdout.flush()
        sys.stderr.flush()
        status = end.code if isinstance(end.code, int) else 71
    finally:
        os._exit(status)


def _noting(file: int) -> Callable[[str, tuple[object, ...]], None]:
    def note(event: str, about: tuple[object, ...]) -> None:
        flags = about[2] if event == "open" and about[0] != os.devnull else 0
        if _CHANGES.fullmatch(event) or (isinstance(flags, int) and flags & _WRITES):
            os.write(file, f"{event} {about!r}\n".encode("utf-8", "backslashreplace"))

    return note


def is_slow(took_seconds: float, most_seconds: float) -> bool:
    """Whether work took longer than it may, on a machine as fast as the one on which the limit was chosen."""
    return took_seconds > most_seconds and took_seconds > most_seconds * _slowness()


def _slowness() -> float:
    """How many times as long as there this machine takes for the same work, 1 at least."""
    start = time.process_time()
    for _ in range(3):
        names = {str(number): (number,) for number in range(400_000)}
        sum(names[str(number)][0] for number in range(400_000))
    return max(1.0, (time.process_time() - start) / 3 / _TURN_SECONDS)
