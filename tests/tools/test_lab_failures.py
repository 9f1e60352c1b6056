"""The end of the lab's log tells why a part failed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import tries
from tools.lab.failures import MOST, failures, told

OUTPUT = """\
collecting ... collected 3 items
tests/lab/test_md.py::test_a_log PASSED [ 33%]
tests/lab/test_md.py::test_a_stripe[10-4] FAILED [ 66%]
tests/lab/test_xfs.py::test_three_disks FAILED [100%]
=================================== FAILURES ===================================
____________________________ test_a_stripe[10-4] _____________________________
tests/lab/test_md.py:20: in test_a_stripe
    assert found == {10}
E   assert {11} == {10}
E     Extra items in the left set:
------------------------------ Captured log call -------------------------------
ERROR    root:words.py:1 of a log, no test
____________________________ test_three_disks _____________________________
E   subprocess.CalledProcessError: mkfs.xfs
=========================== short test summary info ============================
FAILED tests/lab/test_md.py::test_a_stripe[10-4] - assert {11} == {10}
FAILED tests/lab/test_xfs.py::test_three_disks - subprocess.CalledProcessError
================= 2 failed, 1 passed in 9.20s =================
"""
TOLD = [
    "test_a_stripe[10-4]:",
    "E   assert {11} == {10}",
    "E     Extra items in the left set:",
    "test_three_disks:",
    "E   subprocess.CalledProcessError: mkfs.xfs",
    "FAILED tests/lab/test_md.py::test_a_stripe[10-4] - assert {11} == {10}",
    "FAILED tests/lab/test_xfs.py::test_three_disks - subprocess.CalledProcessError",
]


def test_each_failed_test_stands_with_its_reasons_and_the_summary_comes_last():
    assert failures(OUTPUT.splitlines()) == TOLD


def test_where_there_is_little_room_reasons_give_way_to_the_summary():
    assert failures(OUTPUT.splitlines(), 4) == [TOLD[0], "… and 4 lines more", *TOLD[-2:]]
    assert failures(OUTPUT.splitlines(), 2) == TOLD[-2:]


def test_a_run_without_a_summary_shows_how_far_it_got():
    assert failures(OUTPUT.splitlines()[:3]) == OUTPUT.splitlines()[:3]


def test_a_guest_whose_kernel_panics_tells_its_trace_under_the_scenario():
    console = [
        "tests/lab/test_doctor.py::test_a_swap_storm[1] PASSED [ 66%]",
        "tests/lab/test_doctor.py::test_a_swap_storm[5] ",
        "[   97.501233] watchdog: BUG: soft lockup - CPU#0 stuck for 134s! [kworker/0:1H:44]",
        "[  136.727377] Kernel panic - not syncing: softlockup: hung tasks",
        "[  136.736852] Workqueue: kblockd blk_mq_requeue_work",
        "[  136.737011] Call Trace:",
        "[  136.737408]  watchdog_timer_fn+0x21b/0x260",
        "[  136.737488]  ? __pfx_watchdog_timer_fn+0x10/0x10",
        "[  136.744189]  null_make_cache_space+0x33e/0x360 [null_blk]",
        "",
    ]

    assert failures(console) == [console[1], *console[3:7], console[8]]
    assert failures(console, 3) == [console[1], console[3], "… and 4 lines more"]


@pytest.mark.parametrize(("name", "end"), [("pytest.txt", "\n"), ("console.txt", "\r\n")])
def test_a_guest_that_did_not_come_back_is_told_from_its_console(tmp_path, name, end):
    (tmp_path / name).write_bytes(OUTPUT.replace("\n", end).encode())

    assert told(tmp_path) == TOLD


def test_a_guest_that_never_booted_has_nothing_to_tell(tmp_path):
    assert told(tmp_path) == []


LINES = st.sampled_from(
    ["E   no", "__ test_a __", "FAILED a::b - no", "ERROR c", "== short test summary info ==", "", "x"]
)


@tries(60)
@given(lines=st.lists(LINES, max_size=200), most=st.integers(1, MOST))
def test_whatever_pytest_printed_there_are_never_more_lines(lines, most):
    assert len(failures(lines, most)) <= max(most, 8)
