"""Makes trouble on loop devices, and takes it away again."""

import contextlib
import os
import signal
import subprocess
import sys

from fsadvisor.measure.now.answer import answer
from fsadvisor.measure.now.observe import observe
from fsadvisor.rulebook.loading import own_rulebook
from tests.waiting import END_S

SECONDS = 5.0
FSYNCS = (
    "import os\nf = os.open('one', os.O_CREAT | os.O_WRONLY)\nwhile True: os.pwrite(f, b'x' * 4096, 0); os.fsync(f)"
)
WRITES = "import os\nn = 0\nwhile True:\n n = (n + 1) % 500; open(f'f{n}', 'w').write('x')"
FLOODS = (
    "import os, mmap\nf = os.open('big', os.O_WRONLY | os.O_DIRECT)\nb = mmap.mmap(-1, 4 << 20)\nn = 0\n"
    "while True: os.pwritev(f, [b], n % 8 * (4 << 20)); n += 1"
)


@contextlib.contextmanager
def program(code, place, *argv):
    """A Python program at work in a directory, killed at the end; give it as `argv` to run another.

    Python has begun, which takes a good part of a window where many wait for a processor.
    """
    argv = argv or (sys.executable, "-c", f"import os; os.write(1, b'.')\n{code}")
    begins = subprocess.PIPE if code else None
    with subprocess.Popen(argv, cwd=place, start_new_session=True, stdout=begins) as running:
        try:
            if begins:
                running.stdout.read(1)
            yield running.pid
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)


def diagnosis(seconds=SECONDS):
    """What doctor says of this machine now: a longer look where that saw threads too seldom, on a busy machine."""
    window = observe(seconds)
    while window.waiting is None and seconds < END_S:
        seconds *= 4
        window = observe(seconds)
    return answer(window, own_rulebook().rules)


def causes(told, place):
    """The rules that hold of what concerns a place, or a process."""
    return {
        one.verdict.rule.id: one
        for one in told.found
        if place in (one.verdict.subject.name, one.place) or place in one.verdict.subject.name
    }
