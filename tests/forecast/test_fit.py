"""C and l_sw from throughputs: what was planted is found, and intervals hold it."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fsadvisor.measure import forecast
from fsadvisor.measure.forecast import (
    FALLS,
    ONE_LATENCY,
    MeasuredPoint,
    Model,
    NoFit,
    crossing_ms,
    exact,
    fit,
    of_one_device,
)
from tests.forecast.planted import PAPER_MS, planted

C = st.floats(1, 1e7)
SOFTWARE_MS = st.floats(0.001, 50)
LATENCY_MS = st.floats(0, 100)


def close_to(value):
    return pytest.approx(value, rel=1e-6, abs=1e-6)


@given(C, SOFTWARE_MS, LATENCY_MS, LATENCY_MS)
def test_two_latencies_give_back_what_was_planted(c, software_ms, one, other):
    assume(abs(one - other) > 0.01)
    truth = Model(c, software_ms)
    found = exact((one, truth.throughput(one)), (other, truth.throughput(other)))
    assert found.c == pytest.approx(c, rel=1e-3)
    assert found.software_ms == pytest.approx(software_ms, rel=1e-2, abs=1e-2)


@given(C, SOFTWARE_MS, st.lists(LATENCY_MS, min_size=3, max_size=20, unique=True))
def test_least_squares_gives_back_what_was_planted(c, software_ms, latencies):
    assume(max(latencies) - min(latencies) > 0.1)
    found = fit(planted(c, software_ms, latencies))
    assert found.model.c == pytest.approx(c, rel=1e-4)
    assert found.model.software_ms == pytest.approx(software_ms, rel=1e-3, abs=1e-3)
    assert found.r2 == close_to(1)


@given(st.floats(10, 1e5), st.floats(0.05, 20), st.floats(0.001, 0.05), st.integers(0, 10**6))
def test_no_point_order_and_no_unit_changes_a_fit(c, software_ms, noise, seed):
    points = planted(c, software_ms, noise=noise, seed=seed)
    assume(not isinstance(fit(points), NoFit))
    straight, turned = fit(points), fit(points[::-1])
    assert turned.model.software_ms == close_to(straight.model.software_ms)
    thousands = fit([MeasuredPoint(it.level_ms, it.device_ms, it.throughput * 1000) for it in points])
    assert thousands.model.software_ms == close_to(straight.model.software_ms)
    assert thousands.model.c == close_to(straight.model.c * 1000)


@pytest.mark.parametrize(("c", "software_ms", "noise"), [(1000, 0.5, 0.02), (50, 5, 0.05), (2000, 0.1, 0.03)])
def test_intervals_of_95_percent_hold_the_truth_that_often(c, software_ms, noise):
    held = {"c": 0, "software": 0, "expected": 0}
    rounds = 400
    truth = Model(c, software_ms)
    for seed in range(rounds):
        found = fit(planted(c, software_ms, noise=noise, runs=2, seed=seed))
        held["c"] += found.c.holds(c)
        held["software"] += found.software_ms.holds(software_ms)
        held["expected"] += found.expected(0.046)[1].holds(truth.throughput(0.046))
    for what, count in held.items():
        assert 0.91 <= count / rounds <= 0.99, what


@given(C, SOFTWARE_MS, LATENCY_MS, LATENCY_MS)
def test_a_faster_device_is_never_expected_to_be_slower(c, software_ms, one, other):
    fast, slow = sorted((one, other))
    model = Model(c, software_ms)
    assert model.throughput(fast) >= model.throughput(slow)
    assert model.throughput(fast) <= model.throughput(0.0)


@given(st.floats(0.1, 10), st.floats(0.01, 10), st.floats(0.1, 10), st.floats(0.01, 10))
def test_where_two_expectations_cross_they_are_the_same(c, software_ms, other_c, other_ms):
    one, other = Model(c, software_ms), Model(other_c, other_ms)
    where = crossing_ms(one, other)
    assert where == crossing_ms(other, one)
    if where is not None:
        assert one.throughput(where) == pytest.approx(other.throughput(where), rel=1e-6)


def test_a_filesystem_that_slows_down_on_faster_devices_has_no_fit():
    falling = [MeasuredPoint(ms, ms, 100 + ms) for ms in PAPER_MS]
    assert fit(falling) == NoFit(FALLS)
    assert exact((10, 110), (5, 105)) == NoFit(FALLS)


def test_one_latency_says_that_nothing_can_be_fitted():
    assert fit([MeasuredPoint(5, 5, 100), MeasuredPoint(5, 5, 104)]) == NoFit(ONE_LATENCY)
    assert fit([]) == NoFit(ONE_LATENCY)
    assert exact((5, 100), (5, 104)) == NoFit(ONE_LATENCY)


def test_two_points_fit_exactly_and_tell_no_interval():
    found = fit(planted(1000, 0.5, (5.0, 10.0)))
    assert found.model.software_ms == close_to(0.5)
    assert (found.c.low, found.c.high, found.r2) == (None, None, None)


def test_noise_that_hides_the_slope_leaves_the_intervals_open():
    points = [MeasuredPoint(ms, ms, rate) for ms, rate in ((1, 100), (2, 130), (3, 80), (4, 110), (5, 95))]
    found = fit(points)
    assert found.c.high is None
    assert (found.software_ms.low, found.software_ms.high) == (None, None)


def test_the_quantile_goes_on_smoothly_from_the_table_to_the_normal_distribution():
    values = [forecast.quantile(freedom) for freedom in range(1, 200)]
    assert values == sorted(values, reverse=True)
    assert forecast.quantile(40) == pytest.approx(2.0211, abs=0.002)
    assert forecast.quantile(10**6) == pytest.approx(1.96, abs=0.001)
    assert not math.isnan(forecast.quantile(1))


def test_one_device_has_one_latency_at_each_level():
    points = [
        (name, "mail", MeasuredPoint(5, device_ms, 100)) for name, device_ms in (("a", 5.1), ("b", 5.1), ("c", 5.6))
    ]
    assert [it.device_ms for _, _, it in of_one_device(points)] == [5.1, 5.1, 5.1]
