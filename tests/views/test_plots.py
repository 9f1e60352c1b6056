"""Plots in one line."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.pages.glyphs import ASCII, UNICODE
from fsadvisor.pages.glyphs import width as columns
from fsadvisor.pages.plots import bar, extent, history, sparkline, stacked

BOTH = pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["Unicode", "ASCII"])
ANY = st.none() | st.floats()


def test_a_history_has_two_values_a_column_and_none_where_nothing_was_seen():
    assert history([0, 1, 2, 4], 3, UNICODE) == "\u2800⣀⣼"
    assert history([0, 100, 50, 0], 2, UNICODE, top=100) == "⣸⣄"
    assert history([None, 7, 7, None], 2, UNICODE) == "⢸⡇"
    assert history([0, 100, 50, 0], 2, ASCII, top=100) == sparkline([100, 50], 2, ASCII, 100)


def test_a_course_stands_at_the_right_and_a_gap_in_it_is_empty():
    assert sparkline([0, None, 4, 8], 6, UNICODE) == "  ▁ ▅█"
    assert sparkline([0, None, 4, 8], 6, ASCII) == "  _ +@"


def test_a_course_is_drawn_up_to_the_top_it_is_given():
    assert sparkline([1, 10, 100], 3, UNICODE, top=100) == "▂▂█"


def test_zero_is_lower_than_the_smallest_something():
    assert sparkline([0, 0.001, 1000], 3, UNICODE) == "▁▂█"


def test_a_small_share_shows_and_an_unknown_one_is_no_empty_bar():
    assert bar(0, 4, UNICODE) == "····"
    assert bar(0.001, 4, UNICODE) == "▏···"
    assert bar(0.5, 4, ASCII) == "##.."
    assert bar(None, 4, UNICODE) == "?   "


def test_a_range_has_its_middle_marked():
    assert extent(10, 80, 100, 11, UNICODE, middle=50) == " ├───●──┤  "
    assert extent(10, 80, 100, 11, ASCII) == " |------|  "
    assert extent(50, 50, 100, 11, ASCII) == "     *     "


def test_the_parts_of_a_stacked_bar_fill_it():
    assert stacked([1, 1, 1], 10) == (4, 3, 3)
    assert stacked([0, 0], 10) == (0, 0)


@BOTH
@given(values=st.lists(ANY, max_size=30), width=st.integers(-1, 40), top=ANY)
def test_a_course_takes_the_columns_it_is_given(glyphs, values, width, top):
    assert columns(sparkline(values, width, glyphs, top)) == max(width, 0)


@BOTH
@given(share=ANY, width=st.integers(-1, 40))
def test_a_share_takes_the_columns_it_is_given(glyphs, share, width):
    assert columns(bar(share, width, glyphs)) == max(width, 0)


@BOTH
@given(low=st.floats(), high=st.floats(), top=st.floats(), middle=ANY, width=st.integers(-1, 40))
def test_a_range_takes_the_columns_it_is_given(glyphs, low, high, top, middle, width):
    assert columns(extent(low, high, top, width, glyphs, middle)) == max(width, 0)


@given(shares=st.lists(st.floats(), max_size=8), width=st.integers(0, 200))
def test_a_stacked_bar_takes_its_columns_or_none(shares, width):
    taken = stacked(shares, width)
    some = any(math.isfinite(share) and share > 0 for share in shares)
    assert sum(taken) == (width if some else 0)
    assert all(one >= 0 for one in taken)
