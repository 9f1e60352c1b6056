"""Questions that may hang in the kernel."""

import threading
from functools import partial

from fsadvisor.machine.time_limits import each_within, in_turn
from tests.waiting import END_S


def test_questions_are_asked_at_once_so_that_those_that_hang_take_one_time_limit():
    both = threading.Barrier(2)
    assert set(each_within(END_S, {"one": both.wait, "two": both.wait})) == {"one", "two"}


def test_a_question_that_hangs_is_left_out_and_the_others_are_answered():
    never = threading.Event()
    asked = {"hangs": never.wait, **{number: partial(int, number) for number in range(40)}}
    try:
        assert each_within(5, asked) == {number: number for number in range(40)}
    finally:
        never.set()


def test_one_question_of_many_that_hangs_loses_its_own_answer_alone():
    ends = threading.Event()
    try:
        found, hung = in_turn(3, range(40), lambda number: ends.wait(END_S) if number == 7 else number)
    finally:
        ends.set()
    assert hung == (7,)
    assert found == {number: number for number in range(40) if number != 7}


def test_where_many_questions_hang_the_rest_is_not_asked():
    ends = threading.Event()
    try:
        found, hung = in_turn(0.01, range(20), lambda _: ends.wait(END_S))
    finally:
        ends.set()
    assert (found, hung) == ({}, tuple(range(20)))
