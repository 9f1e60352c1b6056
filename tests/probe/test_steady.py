"""What the windows look like in a row: named where it is there, silent where it is noise."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.measure.probe.series import kendall, trend, warming

LEVEL = [100, 102, 98, 101, 99, 100, 103, 97, 100, 101]
VALUES = st.lists(st.floats(min_value=0, max_value=1e9), max_size=40)


def rates(values):
    return trend(values, smaller_is_better=False)


def test_windows_at_one_level_have_nothing_to_remark():
    assert rates(LEVEL) == rates(LEVEL * 3)
    assert rates(LEVEL).remarks == ()


def test_a_first_window_unlike_the_rest_is_left_out_and_named():
    assert rates([50, *LEVEL]).warm_up == 1
    assert rates([50, *LEVEL]).remarks == ("The first window is left out: 2.0 times slower than the rest.",)
    assert trend([50, *LEVEL], smaller_is_better=True).remarks == (
        "The first window is left out: 2.0 times faster than the rest.",
    )
    assert rates([50, 60, *LEVEL]).remarks[0].startswith("The first 2 windows are left out")


def test_a_window_unlike_the_others_later_on_is_no_warm_up():
    assert rates([*LEVEL, 50]).warm_up == 0
    assert rates([100, 50, *LEVEL]).warm_up == 0


def test_a_fast_cache_that_is_full_shows_as_a_step_with_its_window():
    remarks = rates(LEVEL + [value * 0.4 for value in LEVEL]).remarks

    assert len(remarks) == 1
    assert remarks[0].startswith("From window 11 on it is 2.5 times slower than before: this looks like a full SLC")


def test_a_latency_that_steps_up_is_slower_and_one_that_steps_down_is_faster():
    up, down = LEVEL + [value * 2 for value in LEVEL], [value * 2 for value in LEVEL] + LEVEL

    assert "From window 11 on it is 2.0 times slower" in trend(up, smaller_is_better=True).remarks[0]
    assert "From window 11 on it is 2.0 times faster" in trend(down, smaller_is_better=True).remarks[0]


def test_a_window_left_out_counts_when_a_step_is_named():
    remarks = rates([10, *LEVEL, *(value * 0.7 for value in LEVEL)]).remarks

    assert any(remark.startswith("From window 12 on") for remark in remarks)


def test_a_rate_that_falls_from_window_to_window_is_a_slope():
    slope = [100 - 2 * at + at % 3 for at in range(20)]

    assert rates(slope).remarks[0].startswith("It gets slower from window to window, by 4")
    assert rates(slope[::-1]).remarks[0].startswith("It gets faster from window to window, by 4")


def test_windows_at_two_levels_in_turn_are_told_so():
    remarks = rates([100, 60, 101, 59, 99, 61, 100, 62, 98, 60]).remarks

    assert remarks == ("The windows are at two levels, 5 about 60 and 5 about 100: the median stands for neither.",)


@pytest.mark.parametrize("spread", [0.03, 0.08, 0.15])
def test_of_mere_noise_little_is_said(spread):
    rng = random.Random(11)
    series = [[math.exp(spread * rng.gauss(0, 1)) for _ in range(rng.choice([8, 12, 20, 40]))] for _ in range(300)]

    assert sum(bool(rates(values).remarks) for values in series) <= 0.05 * len(series)


@given(VALUES)
def test_at_most_three_windows_and_a_quarter_are_left_out(values):
    assert warming(values) <= min(3, len(values) // 4)


@given(VALUES, st.booleans(), st.integers(min_value=-6, max_value=6).map(lambda power: 2.0**power))
def test_the_unit_of_the_values_changes_nothing_that_is_left_out(values, smaller, times):
    scaled = [value * times for value in values]

    assert trend(values, smaller_is_better=smaller).warm_up == trend(scaled, smaller_is_better=smaller).warm_up


@given(VALUES)
def test_the_statistic_of_order_turns_with_the_series(values):
    assert kendall(values) == pytest.approx(-kendall(values[::-1]))
