"""However fsadvisor ends, no tool that it started runs on, nor what that tool started.

Each of its tools is replaced by one that hangs, with a child in a session of its own, in a mount namespace of ours.
"""

import os
import shutil
import signal
import subprocess
import uuid

import pytest

from fsadvisor.machine.packages import PACKAGES
from fsadvisor.measure.probe.scratch_record import PREFIX, clear
from tests.cases import few
from tests.command import ARGV
from tests.paths import ROOT
from tests.waiting import comes_to, running
from tools.screens.terminal import Terminal

pytestmark = [
    pytest.mark.namespaces,
    pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="mount namespaces need root"),
]

PLACE = "/usr/local/sbin"
"""The first folder in which fsadvisor looks for a tool."""

HANGS = "#!/bin/sh\nPATH=/usr/bin:/bin\nsetsid sleep {0} & sleep {0} & sleep {0}\n"
AUDITS = {
    "report": ["--text"],
    "facts": ["facts", "--values"],
    "plan": ["plan"],
    "capture": ["capture", "{folder}/captured"],
    "attest": ["attest"],
    "rule": ["rule", "try", str(next((ROOT / "rules").glob("disk/*.toml")))],
    "waits": ["waits", "--seconds", "60", "--locks"],
    "forecast": ["forecast", "--sweep", "--on-scratch", "{folder}", "--yes"],
}
MEASURES = {
    "probe": ("fio", ["probe", "--yes", "--no-keep", "random-write-1", "{folder}"]),
    "compare": ("fio", ["compare", "--yes", "--no-keep", "--images", "none", "{folder}", "/var/tmp"]),
    "trial": ("mkfs.ext4", ["trial", "access-times-written", "--on-scratch", "{folder}", "--type", "ext4", "--yes"]),
}


class Hung:
    """A namespace of mounts in which tools hang; `argument` is of every process that is theirs."""

    def __init__(self, folder, tools):
        self.argument = f"7777.{uuid.uuid4().int % 10**12}"
        self._tools = folder / "tools"
        self._tools.mkdir()
        for tool in tools:
            path = self._tools / tool
            path.write_text(HANGS.format(self.argument))
            path.chmod(0o755)

    def wrapped(self, argv):
        """The command in the namespace, as the same process."""
        inside = f'mount --bind "{self._tools}" {PLACE} && exec "$@"'
        return ["unshare", "--mount", "sh", "-c", inside, "sh", *argv]

    def running(self):
        """The processes of hanging tools."""
        return running(f"\0{self.argument}\0")


def is_cleared(folder):
    """Whether no scratch tree is left there; of one whose folder went first the record would stay for ever."""
    clear(folder)
    return not list(folder.glob(f"{PREFIX}*"))


@pytest.fixture
def hung(tmp_path, request):
    """Tools that hang; none of them is left by the test, whatever fsadvisor leaves."""
    made = Hung(tmp_path, getattr(request, "param", None) or [*PACKAGES, "mysqld"])
    yield made
    for number in made.running():
        os.kill(number, signal.SIGKILL)
    assert comes_to(lambda: is_cleared(tmp_path))


def started(hung, argv, folder, **options):
    """fsadvisor, once some of its tools hang; begun anew where others measure on the same filesystem meanwhile."""
    while (child := begun(hung, argv, folder, **options)).poll() is not None:
        said = child.communicate()[1].decode()
        assert "another probe runs" in said, f"no tool hung: {said}"
    return child


def begun(hung, argv, folder, **options):
    """fsadvisor, once some of its tools hang, or it has ended."""
    child = subprocess.Popen(
        hung.wrapped([*ARGV, *(word.format(folder=folder) for word in argv)]),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        **options,
    )
    comes_to(lambda: hung.running() or child.poll() is not None)
    return child


def ended_by(number, hung, argv, folder):
    """Have it end by a signal, and see that nothing is left."""
    with started(hung, argv, folder) as child:
        child.send_signal(number)
        child.wait()
    assert comes_to(lambda: not hung.running())


@pytest.mark.parametrize("number", few([signal.SIGTERM, signal.SIGINT, signal.SIGHUP], 3), ids=lambda it: it.name)
def test_no_tool_outlives_an_audit_that_a_signal_ends(number, hung, tmp_path):
    ended_by(number, hung, AUDITS["report"], tmp_path)


@pytest.mark.parametrize("verb", few(AUDITS))
def test_no_tool_outlives_a_killed_command(verb, hung, tmp_path):
    ended_by(signal.SIGKILL, hung, AUDITS[verb], tmp_path)


@pytest.mark.parametrize(
    ("hung", "argv"), few([([tool], argv) for tool, argv in MEASURES.values()]), indirect=["hung"], ids=[*MEASURES]
)
def test_no_tool_outlives_a_killed_measurement(hung, argv, tmp_path):
    ended_by(signal.SIGKILL, hung, argv, tmp_path)


def test_no_tool_outlives_a_group_that_is_killed_as_timeout_does(hung, tmp_path):
    with started(hung, AUDITS["report"], tmp_path, start_new_session=True) as child:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    assert comes_to(lambda: not hung.running())


@pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed")
@pytest.mark.parametrize("end", few(["SIGKILL", "SIGTERM", "its terminal"]))
@pytest.mark.parametrize("hung", [None, ["fio"]], indirect=["hung"], ids=["looks", "measures"])
def test_no_tool_outlives_the_explorer(hung, end, tmp_path, request):
    with Terminal(hung.wrapped(ARGV), 80, 24, {"PYTHONPATH": str(ROOT)}) as terminal:
        if "measures" in request.node.name:
            terminal.until("Quit")
            terminal.press("4")
            terminal.until("Suites")
            terminal.still()
            terminal.pressed("Tab", "Down", "m")
            while "refused: another probe" in terminal.until("at most"):  # that of a test beside this one
                terminal.pressed("n", "m")
            terminal.press("y")
        assert comes_to(hung.running), terminal.text()
        if end != "its terminal":
            os.kill(terminal.child(), signal.Signals[end])
            terminal.until("ended")
            assert comes_to(lambda: not hung.running())
    assert comes_to(lambda: not hung.running())
