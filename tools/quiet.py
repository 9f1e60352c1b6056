"""Windows of healthy work, of each of which doctor must say that nothing hurts: `python -m tools.quiet DIR`.

Twelve kinds of work that a server does all day run one after the other in DIR, on its real disk; doctor looks again
and again. Full speed is healthy: a disk that is busy all the time and answers quickly is a disk at work. `--keep FILE`
keeps the windows, and `--again FILE` judges them with the rules of today.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import msgspec

from fsadvisor.measure.now import Window  # noqa: TC001 - msgspec reads the annotation
from fsadvisor.measure.now.answer import answer
from fsadvisor.measure.now.observe import observe
from fsadvisor.pages.published import encodable
from fsadvisor.rulebook.loading import own_rulebook

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

SECONDS: Final = 1.0
LIBRARY: Final = sysconfig.get_path("stdlib")
_AGAIN: Final = "while :; do %s; done"


def python(code: str) -> tuple[str, ...]:
    """A command that runs it."""
    return sys.executable, "-c", f"import mmap, os, random, sqlite3, time\n{code}"


WORK: Final = {
    "idle": (),
    "a tree is copied": ("sh", "-c", _AGAIN % f"rm -rf copy; cp -r {LIBRARY} copy"),
    "a tree is archived": ("sh", "-c", _AGAIN % f"tar -cf tree.tar {LIBRARY}"),
    "text is searched": ("sh", "-c", _AGAIN % f"grep -rq no-such-word-here {LIBRARY}"),
    "programs are compiled": (
        "sh",
        "-c",
        f"cp -r {LIBRARY} source; " + _AGAIN % f"{sys.executable} -m compileall -qf source",
    ),
    "a file is compressed": ("sh", "-c", _AGAIN % "head -c 256M big | gzip -1 > packed"),
    "a download of 20 MB/s is written": python("""
while True:
    with open('down', 'wb') as f:
        for _ in range(200):
            f.write(bytes(2 << 20))
            time.sleep(0.1)
"""),
    "a log is written, and synced each second": python("""
with open('log', 'a') as f:
    while True:
        for _ in range(100):
            f.write('line\\n')
            f.flush()
            time.sleep(0.01)
        os.fsync(f)
"""),
    "a database commits 20 times a second": python("""
c = sqlite3.connect('db')
c.execute('create table if not exists t(x)')
while True:
    c.execute('insert into t values(1)')
    c.commit()
    time.sleep(0.05)
"""),
    "a backup reads past the page cache at full speed": (
        "sh",
        "-c",
        _AGAIN % "dd if=big of=/dev/null bs=1M iflag=direct status=none",
    ),
    "a file is read at random, past the page cache": python("""
f = os.open('big', os.O_RDONLY | os.O_DIRECT)
b = mmap.mmap(-1, 4096)
while True:
    os.preadv(f, [b], random.randrange(65536) * 4096)
"""),
    "a large file is written over, past the page cache": (
        "sh",
        "-c",
        _AGAIN % "dd if=/dev/zero of=over bs=1M count=256 oflag=direct conv=notrunc status=none",
    ),
}
"""What is done -> its command, which runs until it is killed; none: nothing."""


@contextlib.contextmanager
def at_work(command: Sequence[str], place: Path) -> Iterator[None]:
    """The command, in a session of its own, killed with all its children at the end."""
    if not command:
        yield
        return
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=place, start_new_session=True, stdout=quiet, stderr=quiet) as running:
        try:
            yield
            if running.poll() is not None:
                raise ChildProcessError(f"{' '.join(command)[:60]} ended by itself: {running.returncode}")
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)


class Kept(msgspec.Struct):
    """A window, and the work that went on in it."""

    work: str
    window: Window


def looks(name: str, windows: int, place: Path) -> Iterator[Kept]:
    """So many windows of this work."""
    big = place / "big"
    if not big.exists():
        with big.open("wb") as file:
            for _ in range(256):
                file.write(os.urandom(1 << 20))
            os.fsync(file.fileno())
    with at_work(WORK[name], place):
        for _ in range(windows):
            yield Kept(name, observe(SECONDS))


def judged(windows: Iterable[Kept]) -> int:
    """Print a row for each kind of work, and return how often something was said to hurt."""
    rules = own_rulebook().rules
    wrong = 0
    for name, kept in groupby(windows, key=lambda one: one.work):
        told: Counter[str] = Counter()
        windows = list(kept)
        for one in windows:
            found = [each for each in answer(one.window, rules).found if each.hurts]
            told.update(f"{each.verdict.rule.id} {each.verdict.subject.name}" for each in found)
        said = ", ".join(f"{key} {count}" for key, count in told.items()) or "nothing"
        print(f"| {name} | {len(windows)} | {said} |", flush=True)
        wrong += sum(told.values())
    return wrong


def written(windows: Iterable[Kept], file: IO[bytes]) -> Iterator[Kept]:
    """The same, each written as it comes."""
    for one in windows:
        file.write(msgspec.json.encode(encodable(msgspec.to_builtins(one))) + b"\n")
        yield one


def main() -> int:
    """Print a row for each kind of work; 1 where anything was said to hurt."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    options.add_argument("place", type=Path, nargs="?", help="a directory on a disk, for files of 1 GiB in all")
    options.add_argument("--only", choices=WORK, help="this kind of work alone")
    options.add_argument("--windows", type=int, default=84, help="of each of the kinds of work")
    options.add_argument("--keep", type=Path, default=os.devnull, help="write the windows to this file, too")
    options.add_argument("--again", type=Path, help="judge the windows of this file, and look at nothing")
    given = options.parse_args()
    if given.again:
        lines = given.again.read_bytes().splitlines()
        return 1 if judged(msgspec.json.decode(line, type=Kept) for line in lines) else 0
    with tempfile.TemporaryDirectory(dir=given.place, prefix="quiet-") as folder, given.keep.open("wb") as file:
        names = [given.only] if given.only else WORK
        seen = (one for name in names for one in looks(name, given.windows, Path(folder)))
        return 1 if judged(written(seen, file)) else 0


if __name__ == "__main__":
    sys.exit(main())
