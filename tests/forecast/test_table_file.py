"""Measurements from a CSV: good ones are points, anything else is said with its line."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.measure.forecast import MeasuredPoint, TableError, points
from tests.cases import each

HEAD = "filesystem,workload,latency_ms,throughput\n"


def test_each_line_is_a_point():
    assert points(HEAD + "ext4,mail,5,100\n") == (("ext4", "mail", MeasuredPoint(5, 5, 100)),)


def test_what_the_device_really_took_counts_where_it_is_told():
    assert points("device_ms,throughput,latency_ms\n5.2,100,5\n") == (
        ("unnamed", "unnamed", MeasuredPoint(5, 5.2, 100)),
    )


@each(
    ("text", "said"),
    [
        ("", "no column latency_ms and no throughput"),
        (HEAD, "no line but the first"),
        (HEAD + "ext4,mail,fast,100\n", "line 2: latency_ms is no number"),
        (HEAD + "ext4,mail,5,nan\n", "line 2: throughput is no number"),
        (HEAD + "ext4,mail,5,100\next4,mail,5\n", "line 3: throughput is no number"),
        (HEAD + "ext4,mail,-1,100\n", "line 2: a latency is 0 or more"),
        (HEAD + "ext4,mail,1,0\n", "a throughput above 0"),
        (HEAD + "ext4,mail,1,1e300\n", "throughput is no number that can be measured"),
        (HEAD + "ext4,mail,1,1e-300\n", "throughput is no number that can be measured"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, said):
    with pytest.raises(TableError, match=said):
        points(text)


@given(st.text())
def test_any_text_gives_points_or_an_error_of_ours(text):
    with contextlib.suppress(TableError):
        points(text)
