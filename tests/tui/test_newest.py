"""Only the newest question is answered."""

import queue
import threading

from fsadvisor.tui.session import NewestAnswer
from tests.waiting import END_S


def asked():
    told = queue.SimpleQueue()
    return NewestAnswer(told.put), told


def test_an_answer_is_told():
    newest, told = asked()
    newest.ask(lambda: 1)
    assert told.get(timeout=END_S) == 1


def test_what_was_asked_before_is_not_told_and_what_was_asked_between_not_even_begun():
    newest, told = asked()
    began, gate, done = threading.Event(), threading.Event(), []

    def slow():
        began.set()
        gate.wait(END_S)
        return "old"

    newest.ask(slow)
    assert began.wait(END_S)
    newest.ask(lambda: done.append("between"))
    newest.ask(lambda: "new")
    gate.set()
    assert told.get(timeout=END_S) == "new"
    assert told.empty()
    assert done == []


def test_what_is_dropped_is_not_told():
    newest, told = asked()
    began, gate = threading.Event(), threading.Event()

    def slow():
        began.set()
        gate.wait(END_S)
        return "dropped"

    newest.ask(slow)
    assert began.wait(END_S)
    newest.drop()
    gate.set()
    newest.ask(lambda: "after")
    assert told.get(timeout=END_S) == "after"
    assert told.empty()


def test_an_error_is_told_as_an_answer_and_the_next_question_is_answered():
    newest, told = asked()
    newest.ask(lambda: 1 // 0)
    assert isinstance(told.get(timeout=END_S), ZeroDivisionError)
    newest.ask(lambda: 2)
    assert told.get(timeout=END_S) == 2
