"""Tracing locks by perf: what is told where it can't, and that nothing is left."""

import os
import shutil
from pathlib import Path

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.kernel_events import LockTrace
from fsadvisor.machine.port import Reply
from fsadvisor.machine.runner import Runner
from fsadvisor.measure.waits.window import locks_of

REFUSED = """#!/bin/sh
echo "event syntax error: 'lock:contention_begin'" >&2
exit 129
"""
FULL = """#!/bin/sh
echo "[ perf record: perf size limit reached (65536 KB) ]"
"""


def memory():
    """Descriptors of ours that perf would write into."""
    found = []
    for one in Path("/proc/self/fd").iterdir():
        try:
            found.append(str(one.readlink()))
        except OSError:
            continue
    return [name for name in found if "fsadvisor-locks" in name]


def traced(folder, script=None, seconds=0.2):
    """With a perf of our own, or none."""
    if script:
        (folder / "perf").write_text(script)
        (folder / "perf").chmod(0o755)
    trace = LockTrace(seconds, Runner(folders=(str(folder),)))
    trace.start()
    return trace.answer()


def test_without_perf_it_says_what_to_install_and_nothing_of_locks(tmp_path):
    answer = traced(tmp_path)
    assert answer.cause is Cause.NO_TOOL
    assert "linux-perf" in answer.learn
    assert locks_of(answer, 1.0) is answer
    assert memory() == []


def test_a_kernel_that_traces_no_locks_is_told_with_what_perf_said(tmp_path):
    answer = traced(tmp_path, REFUSED)
    assert answer.cause is Cause.NOT_EXPOSED
    assert "contention_begin" in answer.learn
    assert memory() == []


def test_where_events_were_too_many_a_part_is_not_taken_for_the_whole(tmp_path):
    assert traced(tmp_path, FULL).cause is Cause.NOT_MEASURED


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("perf"), reason="needs perf and root")
def test_perf_itself_is_asked_and_leaves_nothing():
    trace = LockTrace(0.2)
    trace.start()
    answer = trace.answer()
    assert memory() == []
    if isinstance(answer, Reply):
        found = locks_of(answer, trace.seconds)
        assert isinstance(found, Unknown) or found.value.waiting >= 0
    else:
        assert answer.learn
