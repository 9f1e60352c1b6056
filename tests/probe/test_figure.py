"""The median with its interval: laws for any series, and how often it holds the truth of series that are known."""

import itertools
import math
import random
import statistics

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fsadvisor.measure.probe.result import FEWEST, figure, memory, rank_of_interval
from tests.cases import each

VALUES = st.floats(min_value=1e-3, max_value=1e9)
SERIES = st.lists(VALUES, min_size=1, max_size=40)
LONG = st.lists(VALUES, min_size=FEWEST, max_size=40)


@given(SERIES)
def test_the_interval_contains_the_median(values):
    found = figure(values)

    assert 0 <= found.low <= found.median <= found.high
    assert found.median == pytest.approx(statistics.median(values))
    assert found.windows == len(values)


@given(SERIES, st.integers(min_value=-20, max_value=20).map(lambda power: 2.0**power), st.sampled_from([0, 0.03]))
def test_scaling_the_windows_scales_the_interval(values, times, apart):
    was, scaled = figure(values, apart=apart), figure([value * times for value in values], apart=apart)

    for part in ("median", "low", "high"):
        assert getattr(scaled, part) == pytest.approx(getattr(was, part) * times)


@given(SERIES)
@example([949754467.2315894, 154007709.0, 541678902.0, 1.9, 154007709.0, 541678902.0])
def test_a_window_more_at_the_median_never_widens_it(values):
    was = figure(values)
    found = figure([*values, was.median])

    assert found.median == pytest.approx(was.median)
    assert found.low >= was.low * (1 - 1e-9)
    assert found.high <= was.high * (1 + 1e-9)


@given(VALUES, st.integers(min_value=FEWEST, max_value=50))
def test_windows_that_all_say_the_same_leave_no_width_but_that_between_runs(value, windows):
    assert figure([value] * windows).half_width == 0
    assert figure([value] * windows, apart=0.03).half_width == pytest.approx(0.03)


@given(SERIES, st.floats(min_value=0, max_value=0.5))
def test_it_is_never_narrower_than_two_runs_are_apart(values, apart):
    found = figure(values, apart=apart)

    assert found.low <= found.median * (1 - apart) * (1 + 1e-9)
    assert found.high >= found.median * (1 + apart) * (1 - 1e-9)


@given(st.lists(VALUES, min_size=1, max_size=FEWEST - 1))
def test_fewer_than_six_windows_are_no_ground_for_an_interval(values):
    found = figure(values)

    assert found.half_width >= 1
    assert found.low == 0
    assert found.high >= max(values)


def test_without_windows_there_is_no_figure():
    assert figure([]) is None


@each(("windows", "rank"), [(5, None), (6, 0), (8, 0), (9, 1), (12, 2), (30, 9), (100, 39)])
def test_ranks_are_those_of_the_tables_of_the_sign_test(windows, rank):
    assert rank_of_interval(windows) == rank


@given(LONG)
def test_memory_is_a_share(values):
    middle = statistics.median(values)

    assert 0 <= memory([value - middle for value in values]) <= 0.9


def normal(rng):
    while True:
        yield 1 + 0.06 * rng.gauss(0, 1)


def lognormal(rng):
    while True:
        yield math.exp(0.15 * rng.gauss(0, 1))


def remembering(rng, kept=0.5, spread=0.05):
    """A first-order process: each window keeps a share of where the one before was."""
    at = rng.gauss(0, 1)
    while True:
        yield math.exp(spread * at)
        at = kept * at + math.sqrt(1 - kept * kept) * rng.gauss(0, 1)


def settled(windows, width=0.05, most=60):
    """The figure of the first windows whose interval is narrow enough: looking each time is what costs coverage."""
    seen = []
    for value in itertools.islice(windows, most):
        seen.append(value)
        found = figure(seen, apart=0.03)
        if len(seen) >= FEWEST and found.half_width <= width:
            break
    return found


@pytest.mark.parametrize("process", [normal, lognormal, remembering])
def test_the_interval_at_which_a_probe_stops_holds_the_truth_nine_times_in_ten(process):
    rng = random.Random(5)
    found = [settled(process(rng)) for _ in range(400)]

    assert sum(it.low <= 1 <= it.high for it in found) >= 0.9 * len(found)


def test_of_windows_that_remember_long_it_holds_what_a_run_of_sixty_windows_gives():
    rng = random.Random(5)
    held = 0
    for _ in range(400):
        run = list(itertools.islice(remembering(rng, kept=0.8, spread=0.04), 60))
        found = settled(iter(run))
        held += found.low <= statistics.fmean(run) <= found.high

    assert held >= 0.9 * 400
