"""Questions that may hang in the kernel."""

import threading
from functools import partial

from fsadvisor.machine.time_limits import each_within
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
