"""`fsadvisor` as a command: as a person starts it, and without the start of an interpreter, for the many that ask."""

import atexit
import functools
import json
import socket
import subprocess
import sys
import tempfile

from tests.paths import FIXTURES, ROOT
from tests.waiting import END_S

ARGV = [sys.executable, "-m", "fsadvisor"]
SECONDS = END_S
WARMED = str(FIXTURES / "machines" / "pm9a3-postgresql-volatile")
STARTER = """
import atexit, gc, importlib, json, os, pathlib, pkgutil, socket, sys
status = None
def end():
    sys.stdout.flush()
    sys.stderr.flush()
    if status is not None:
        os._exit(status)
atexit.register(end)
import fsadvisor
from fsadvisor.__main__ import main
from fsadvisor.arguments import parser
from fsadvisor.machine.recorded import RecordedMachine
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.words import found
from fsadvisor.survey.whole import survey
for module in pkgutil.walk_packages(fsadvisor.__path__, "fsadvisor."):
    if "tui" not in module.name:
        importlib.import_module(module.name)
parser()
advise(survey(RecordedMachine(pathlib.Path(sys.argv[2])), {}), own_rulebook().rules)
found("stall", own_rulebook().rules)
gc.freeze()
asking = socket.socket(fileno=int(sys.argv[1]))
while True:
    asked, files, _, _ = socket.recv_fds(asking, 1 << 20, 2)
    if not asked:
        sys.exit()
    child = os.fork()
    if not child:
        break
    for file in files:
        os.close(file)
    asking.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
asking.close()
for file, number in zip(files, (1, 2)):
    os.dup2(file, number)
    os.close(file)
sys.argv[1:] = json.loads(asked)
status = main()
sys.exit(status)
"""
"""Imports all but the explorer, and has judged a recorded machine, so that rules and patterns are compiled.

Then it forks a process for each command line that it is told. That ends as an interpreter does, but frees nothing
one by one: it would take longer than most commands.
"""


def started(*argv, **options):
    """Start it in an interpreter of its own: where the environment, the terminal or the start itself matters."""
    return subprocess.run(
        [*ARGV, *map(str, argv)],
        cwd=ROOT,
        capture_output=True,
        timeout=SECONDS,
        check=False,
        stdin=subprocess.DEVNULL,
        **options,
    )


def fsadvisor(*argv):
    """The same from a process that has imported it: exit status, stdout and stderr in bytes."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        asking = _starter()
        socket.send_fds(asking, [json.dumps([str(it) for it in argv]).encode()], [out.fileno(), err.fileno()])
        try:
            status = int(asking.recv(64))
        except BaseException:
            _starter.cache_clear()  # a late answer is not the answer to the next
            raise
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess([*ARGV, *argv], status, out.read(), err.read())


def in_text(*argv):
    """The same with what it printed as text."""
    done = fsadvisor(*argv)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


@functools.cache
def _starter():
    """Our end of the line to the process that forks; it ends with us."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        child = subprocess.Popen(
            [sys.executable, "-c", STARTER, str(theirs.fileno()), WARMED],
            cwd=ROOT,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    ours.settimeout(SECONDS)
    atexit.register(_end, ours, child)
    return ours


def _end(ours, child):
    ours.close()
    child.wait(SECONDS)
