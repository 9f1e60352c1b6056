"""Looks that come one after another, and the thread that makes them."""

import os
import subprocess
import sys
import threading

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.live import ProgressiveMachine
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.storage import Storage
from fsadvisor.tui.session import Session, SurveyThread
from tests.cases import few
from tests.paths import ROOT
from tests.tui.driving import MACHINE, session
from tests.waiting import END_S


def nothing(machine, supposed=()):
    return Storage(machine=machine.name, subjects=())


def session_of(opened, storage_of=nothing):
    return Session(opened=opened, storage_of=storage_of, rulebook=own_rulebook(), version="0")


class Heard:
    """A listener that one can wait for."""

    def __init__(self):
        self.outcomes, self._more = [], threading.Semaphore(0)

    def __call__(self, outcome):
        self.outcomes.append(outcome)
        self._more.release()

    def next(self):
        assert self._more.acquire(timeout=END_S)
        return self.outcomes[-1]


def test_a_recorded_machine_is_looked_at_once_and_thought_through():
    (snapshot,) = session(MACHINE).snapshots()
    assert {"findings", "outcomes", "relations", "subjects", "missing_tools", "texts"} <= set(vars(snapshot))
    assert snapshot.asking == ()


def test_looks_come_until_every_tool_has_answered(tmp_path):
    os.mkfifo(tmp_path / "word")
    (tmp_path / "slow").write_text(f"#!/bin/sh\nread word < {tmp_path}/word\necho $word\n")
    (tmp_path / "slow").chmod(0o755)
    machine = ProgressiveMachine(END_S, (str(tmp_path), "/usr/bin", "/bin"))
    answers = []

    def storage_of(it, supposed=()):
        answers.append(it.run([("slow",)])[0])
        return nothing(it)

    snapshots = session_of(lambda: (machine, machine), storage_of).snapshots()
    first = next(snapshots)
    assert first.asking == ("slow",)
    (tmp_path / "word").write_text("done\n")
    last = next(snapshots)
    assert last.asking == ()
    assert last.number > first.number
    assert [getattr(one, "cause", one) for one in answers] == [Cause.BEING_ASKED, answers[-1]]
    assert not isinstance(answers[-1], Unknown)
    assert list(snapshots) == []


def test_while_it_is_looked_again_what_was_seen_last_is_asked_and_an_older_looking_does_not_come_back():
    made, entered, go = [], threading.Event(), threading.Event()

    def opened():
        made.append(ProgressiveMachine())
        return made[-1], None

    def storage_of(it, supposed=()):
        if len(made) > 1 and it is made[1]:
            entered.set()
            go.wait(END_S)
        return nothing(it)

    of = session_of(opened, storage_of)
    list(of.snapshots())
    assert of.machine is made[0]
    older = threading.Thread(target=lambda: list(of.snapshots()), daemon=True)
    older.start()
    assert entered.wait(END_S)
    assert of.machine is made[0]
    newer = of.snapshots()
    of._newest = None
    go.set()
    older.join(END_S)
    assert of.machine is made[0]
    list(newer)
    assert of.machine is made[2]


def test_what_was_seen_before_somebody_listened_is_told():
    survey_thread, heard = SurveyThread(session(MACHINE)), Heard()
    survey_thread.listen(heard)
    assert heard.next().number == 1


def test_an_error_is_told_as_what_it_is():
    def fails():
        raise OSError("no such machine")

    heard = Heard()
    SurveyThread(session_of(fails)).listen(heard)
    assert isinstance(heard.next(), OSError)


def test_a_looking_that_was_stopped_tells_nothing_more():
    go, passed = threading.Event(), threading.Event()

    def storage_of(it, supposed=()):
        go.wait(END_S)
        passed.set()
        return nothing(it)

    heard = Heard()
    survey_thread = SurveyThread(session_of(lambda: (ProgressiveMachine(), None), storage_of))
    survey_thread.listen(heard)
    survey_thread.stop()
    go.set()
    survey_thread.join(END_S)
    assert passed.is_set()
    assert heard.outcomes == []


@pytest.mark.parametrize("ending", few(["sys.exit(0)", "pass"]))
def test_a_read_that_never_returns_does_not_keep_the_program_from_ending(ending, tmp_path):
    os.mkfifo(tmp_path / "never")
    program = (
        "import sys, threading\n"
        "from fsadvisor.tui.session import Session, SurveyThread\n"
        "reading = threading.Event()\n"
        "def hangs():\n"
        "    reading.set()\n"
        f"    return open({str(tmp_path / 'never')!r}).read()\n"
        "SurveyThread(Session(opened=hangs, storage_of=print, rulebook=(), version='0')).listen(print)\n"
        "reading.wait()\n"
        f"{ending}\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, timeout=END_S, check=True, capture_output=True)
    assert done.stdout == b""
