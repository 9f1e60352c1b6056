"""A session in a process of its own: what it is asked, what it tells, and how it ends."""

import io
import json
import os
import queue
import select
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from fsadvisor.machine import safe_files
from fsadvisor.measure import child, messages, server
from fsadvisor.measure.probe import store
from tests.loops import needs_loop_devices
from tests.paths import ROOT
from tests.probe.filesystems import mounted, names_in
from tests.waiting import END_S

CREATE = {"jobs": ("create-1",), "seconds": 1.0}
LONG = {"jobs": ("commit-fdatasync",), "seconds": 60.0}


class Heard(queue.Queue):
    """The events of one probe, as they come."""

    def until(self, kind):
        while not isinstance(event := self.get(timeout=END_S), kind | messages.Finished):
            pass
        return event


def asked(folder, **more):
    heard = Heard()
    probe = child.Session(messages.ProbeAsked(target=str(folder), **more), heard.put)
    assert not heard.until(messages.Estimate).refused
    return probe, heard


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A filesystem on whose mount nobody else probes; what was kept of it is not this machine's."""
    with mounted("ext4", tmp_path_factory.mktemp("alone"), megabytes=1024) as place:
        yield place.folder
    kept, target = Path(store.PROBES), json.dumps(str(place.folder)).encode()
    if os.geteuid() == 0 and kept.exists():
        safe_files.rewrite(kept, partial(without, target), 2 * store.MOST_BYTES, safe_files.PUBLIC)
        if not kept.stat().st_size:
            kept.unlink()


def without(word, text):
    """The lines that don't have it."""
    return b"".join(line for line in text.splitlines(keepends=True) if word not in line)


def test_what_is_told_survives_being_sent():
    said = messages.Note(text="[bold]\x1b]0;x\x07", kind="pause")
    assert messages.event(messages.line(said)) == said


def test_nobody_who_says_go_leaves_all_as_it_was(tmp_path):
    out = io.BytesIO()
    server.answer(io.BytesIO(messages.line(messages.ProbeAsked(target=str(tmp_path), **CREATE))), out.write)
    told, over = map(messages.event, out.getvalue().splitlines())
    assert (told.cost.files, over) == (4001, messages.Finished(state="not started"))
    assert list(tmp_path.iterdir()) == []


def test_what_is_refused_is_not_started_by_saying_go():
    asks = messages.line(messages.ProbeAsked(target="/proc", **CREATE)) + messages.line(messages.Go())
    out = io.BytesIO()
    server.answer(io.BytesIO(asks), out.write)
    told, over = map(messages.event, out.getvalue().splitlines())
    assert "proc" in told.refused[0].says
    assert over.state == "not started"


@pytest.mark.loop
@needs_loop_devices
def test_a_probe_that_is_cancelled_takes_away_what_it_made(alone):
    probe, heard = asked(alone, **LONG)
    probe.go()
    assert heard.until(messages.Started).job == "commit-fdatasync"
    probe.stop()
    assert probe.wait(END_S)
    assert heard.until(messages.Finished).state == "cancelled"
    assert names_in(alone) == set()


@pytest.mark.loop
@needs_loop_devices
def test_one_that_is_not_wanted_is_not_started(alone):
    probe, heard = asked(alone, **LONG)
    probe.stop()
    assert heard.until(messages.Finished) == messages.Finished(state="not started")
    assert probe.wait(END_S)


@pytest.mark.loop
@needs_loop_devices
def test_a_process_that_is_killed_is_told_as_such(tmp_path):
    with mounted("ext4", tmp_path, megabytes=1024) as place:
        probe, heard = asked(place.folder, **LONG)
        probe.go()
        heard.until(messages.Started)
        os.kill(probe.number, signal.SIGKILL)
        over = heard.until(messages.Finished)
    assert (over.state, "SIGKILL" in over.error) == ("failed", True)


STARTER = """
import signal, sys, time
from fsadvisor.measure import child, messages
if sys.argv[2] == "ignored":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
elif sys.argv[2] == "blocked":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
def hear(event):
    if isinstance(event, messages.Estimate):
        print(event.refused or probe.number, flush=True)
    if isinstance(event, messages.Progress):
        print("went", flush=True)
asked = messages.ProbeAsked(target=sys.argv[1], jobs=(sys.argv[3],), seconds=60.0)
probe = child.Session(asked, hear)
sys.stdin.readline()
probe.go()
time.sleep(600)
"""


def below(number):
    """A process and all that it has started."""
    yield number
    for task in Path(f"/proc/{number}/task").iterdir():
        for one in map(int, (task / "children").read_text().split()):
            yield from below(one)


@pytest.mark.loop
@needs_loop_devices
@pytest.mark.parametrize("job", ["create-1", "commit-fdatasync"])
@pytest.mark.parametrize(
    "terminations", ["heard", *(pytest.param(one, marks=pytest.mark.long) for one in ("ignored", "blocked"))]
)
def test_all_of_it_ends_and_cleans_up_when_the_program_that_asked_is_killed(alone, terminations, job):
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, str(alone), terminations, job],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    said = starter.stdout.readline()
    starter.stdin.write("\n")
    starter.stdin.flush()
    assert starter.stdout.readline() == "went\n"
    ends = [os.pidfd_open(number) for number in below(int(said))]
    starter.kill()
    starter.communicate()
    for end in ends:
        assert select.select([end], [], [], END_S)[0]
        os.close(end)
    assert [one.name for one in alone.iterdir()] == ["lost+found"]


def test_a_job_that_is_none_ends_it_with_the_reason():
    heard = Heard()
    child.Session(messages.ProbeAsked(jobs=("no-such",), target="/", seconds=1), heard.put)
    over = heard.until(messages.Finished)
    assert (over.state, "no-such" in over.error) == ("failed", True)
