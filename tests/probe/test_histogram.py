"""Histograms: joined in any order, read off in order, shrunk without losing an operation."""

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.measure.probe.result import MOST_BINS, merged, percentiles_us, quantile, shrunk_us, unresolved

HISTOGRAMS = st.dictionaries(st.integers(min_value=0, max_value=10**12), st.integers(min_value=0, max_value=10**6))
FILLED = HISTOGRAMS.filter(lambda it: any(it.values()))
SHARES = st.floats(min_value=0, max_value=1)


@given(HISTOGRAMS, HISTOGRAMS, HISTOGRAMS)
def test_joining_is_associative_and_keeps_every_operation(one, two, three):
    assert merged([merged([one, two]), three]) == merged([one, merged([two, three])]) == merged([three, two, one])
    assert sum(merged([one, two, three]).values()) == sum(sum(it.values()) for it in (one, two, three))


@given(FILLED, SHARES, SHARES)
def test_a_larger_share_never_stays_below_a_smaller_latency(histogram, one, other):
    low, high = sorted((one, other))

    assert quantile(histogram, low) <= quantile(histogram, high) * (1 + 1e-12)


@given(FILLED, SHARES)
def test_a_quantile_lies_within_a_bin_of_what_was_seen(histogram, share):
    seen = [at for at, count in histogram.items() if count]
    found = quantile(histogram, share)

    assert any(at * (1 - 1 / 127) <= found <= at * (1 + 1 / 127) for at in seen)


@given(FILLED, SHARES, st.integers(min_value=1, max_value=50))
def test_more_of_the_same_changes_no_quantile(histogram, share, times):
    more = {at: count * times for at, count in histogram.items()}

    assert quantile(more, share) == pytest.approx(quantile(histogram, share))


def test_of_two_sorts_of_operations_none_is_read_off_between_them():
    assert quantile({100_000: 60, 10_000_000: 40}, 0.5) == pytest.approx(100_000, rel=0.01)
    assert quantile({100_000: 60, 10_000_000: 40}, 0.7) == pytest.approx(10_000_000, rel=0.01)


@given(st.lists(st.integers(min_value=10**3, max_value=10**7), min_size=1, max_size=300))
def test_the_half_quantile_is_the_median_where_every_latency_has_its_bin(latencies):
    found = quantile({at: latencies.count(at) for at in latencies}, 0.5)

    assert statistics.median_low(latencies) * 0.99 <= found <= statistics.median_high(latencies) * 1.01


@given(FILLED)
def test_percentiles_stand_in_order(histogram):
    found = list(percentiles_us(histogram).values())

    assert found == sorted(found)


def test_a_percentile_that_so_few_operations_cannot_tell_is_left_out():
    assert set(percentiles_us({5000: 100})) == {"p50", "p95", "p99"}
    assert set(percentiles_us({5000: 1000})) == {"p50", "p95", "p99", "p99.9"}
    assert percentiles_us({}) == {}


@given(HISTOGRAMS)
def test_shrinking_keeps_every_operation_in_few_bins_with_rising_edges(histogram):
    shrunk = shrunk_us(histogram)
    edges = [edge for edge, _ in shrunk]

    assert sum(count for _, count in shrunk) == sum(histogram.values())
    assert edges == sorted(set(edges))
    assert len(shrunk) <= MOST_BINS


@given(FILLED, st.integers(min_value=0, max_value=10**12))
def test_a_shrunk_bin_holds_what_is_at_most_its_edge(histogram, at):
    alone = shrunk_us({at: 1})

    assert len(alone) == 1
    assert alone[0][0] >= at / 1000
    below = [(edge, count) for edge, count in shrunk_us(histogram) if edge]
    for edge, _ in below:
        assert sum(c for e, c in below if e <= edge) == sum(c for ns, c in histogram.items() if ns / 1000 <= edge)


@given(st.integers(min_value=1, max_value=10**10), st.integers(min_value=1, max_value=10**6), st.floats(-0.5, 0.5))
def test_where_one_bin_holds_all_they_may_lie_anywhere_in_it(middle, count, place):
    told = quantile({middle: count}, 0.5)

    assert abs(middle * (1 + place / 64) - told) <= told * unresolved({middle: count}, 0.5) * (1 + 1e-9)


@given(FILLED, SHARES)
def test_nothing_is_told_more_coarsely_than_by_half_a_bin(histogram, share):
    assert 0 <= unresolved(histogram, share) <= 1 / 127


def test_the_less_of_the_operations_a_bin_holds_the_finer_they_are_told():
    alone = {1_000_000: 100}
    beside = {980_000: 30, 1_000_000: 40, 1_020_000: 30}

    assert unresolved(beside, 0.5) == pytest.approx(0.4 * unresolved(alone, 0.5), rel=0.01)
    assert unresolved({}, 0.5) == 0
