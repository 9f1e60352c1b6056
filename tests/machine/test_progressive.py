"""The machine that answers bit by bit: tools are shell scripts that wait for a word through a FIFO."""

import os
import threading

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.live import LiveMachine, ProgressiveMachine
from fsadvisor.machine.port import Reply
from tests.waiting import END_S

SYSTEM = ("/usr/bin", "/bin")


@pytest.fixture
def tools(tmp_path):
    """A folder of tools; `slow NAME` answers when somebody writes into the FIFO of that name, and counts its runs."""
    folder = tmp_path / "tools"
    folder.mkdir()
    slow = folder / "slow"
    slow.write_text(f'#!/bin/sh\necho run >> {folder}/runs\nread word < {folder}/"$1"\necho "$1 $word"\n')
    slow.chmod(0o755)
    for name in ("a", "b"):
        os.mkfifo(folder / name)
    return folder


def answers(folder, name, word="yes"):
    (folder / name).write_text(f"{word}\n")


def machine_of(folder, **more):
    return ProgressiveMachine(END_S, (str(folder), *SYSTEM), **more)


def told(machine):
    """Wait for the next answer."""
    assert machine.changed.wait(END_S)
    machine.changed.clear()


def test_a_command_that_has_not_answered_is_being_asked_and_answers_later(tools):
    machine = machine_of(tools)
    assert machine.run([("slow", "a")]) == [Unknown(Cause.BEING_ASKED, "wait for the answer", "slow a")]
    assert machine.asking == ("slow a",)
    assert not machine.changed.is_set()
    answers(tools, "a")
    told(machine)
    assert machine.run([("slow", "a")]) == [Reply("a yes\n", "slow a")]
    assert machine.asking == ()


def test_what_is_asked_for_ahead_is_waited_for_only_where_its_answer_is(tools):
    machine = LiveMachine(END_S, (str(tools), *SYSTEM))
    machine.expect([("slow", "a"), ("echo", "soon")])
    assert machine.run([("echo", "soon")]) == [Reply("soon\n", "echo soon")]
    answers(tools, "a")
    assert machine.run([("slow", "a"), ("slow", "a")]) == [Reply("a yes\n", "slow a")] * 2
    assert (tools / "runs").read_text() == "run\n"


def test_no_command_runs_twice_however_often_it_is_asked(tools):
    machine = machine_of(tools)
    machine.expect([("slow", "a"), ("slow", "a")])
    for _ in range(3):
        machine.run([("slow", "a")])
    answers(tools, "a")
    told(machine)
    machine.run([("slow", "a")])
    assert (tools / "runs").read_text() == "run\n"


def test_tools_answer_in_any_order(tools):
    machine = machine_of(tools)
    machine.expect([("slow", "a"), ("slow", "b")])
    answers(tools, "b")
    told(machine)
    assert machine.asking == ("slow a",)
    first, second = machine.run([("slow", "a"), ("slow", "b")])
    assert first.cause is Cause.BEING_ASKED
    assert second.text == "b yes\n"
    answers(tools, "a")
    told(machine)
    assert machine.asking == ()


def test_a_tool_that_is_missing_answers_too(tools):
    machine = machine_of(tools)
    machine.expect([("no-such-tool",)])
    told(machine)
    assert machine.run([("no-such-tool",)])[0].cause is Cause.NO_TOOL


def test_a_tool_that_never_answers_times_out_and_is_told(tools):
    machine = ProgressiveMachine(0.2, (str(tools), *SYSTEM))
    machine.expect([("slow", "a")])
    told(machine)
    assert machine.run([("slow", "a")])[0].cause is Cause.TIMED_OUT
    assert machine.asking == ()


def test_a_filesystem_that_hangs_does_not_hold_up_the_look(tools):
    machine = machine_of(tools, patience=0)
    answered = threading.Event()

    def hangs():
        answered.wait(END_S)
        return Reply("room", "stat -f /dead")

    assert machine._bounded(hangs, "stat -f /dead").cause is Cause.BEING_ASKED
    assert machine.asking == ("stat -f /dead",)
    answered.set()
    told(machine)
    assert machine._bounded(hangs, "stat -f /dead") == Reply("room", "stat -f /dead")
    assert machine.asking == ()


def test_what_answers_at_once_is_no_change_to_look_at_again(tools, tmp_path):
    (tmp_path / "file").write_text("x")
    machine = machine_of(tools, patience=END_S)
    assert machine.read(str(tmp_path / "file")).text == "x"
    assert not machine.changed.is_set()
    assert machine.asking == ()


def test_a_path_is_asked_as_a_file_and_as_a_folder(tools):
    machine = machine_of(tools, patience=END_S)
    assert machine.read(str(tools)).cause is Cause.UNREADABLE
    assert "slow" in machine.entries(str(tools))
    assert machine.link(str(tools)).cause is Cause.NOT_EXPOSED


def test_patience_is_shared_by_all_questions(tools):
    machine = machine_of(tools, patience=0.05)
    never = threading.Event()
    for at in range(20):
        assert machine._bounded(lambda: never.wait(END_S), f"dead {at}").cause is Cause.BEING_ASKED
    assert len(machine.asking) == 20
    assert machine._patience_s == 0
    never.set()
