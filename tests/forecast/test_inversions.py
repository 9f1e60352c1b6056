"""Pairs that change places: the same whichever is named first, and never inside the noise."""

from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.measure.forecast.analysis import pairs
from tests.forecast.planted import planted_curve


def two(noise=0.005, runs=2, seed=0):
    """One that has little software and few requests at once against one with more of both: they cross at 1 ms."""
    return (
        planted_curve(100, 0.0 + 0.1, filesystem="lean", noise=noise, runs=runs, seed=seed),
        planted_curve(200, 1.2, filesystem="wide", noise=noise, runs=runs, seed=seed + 1),
    )


def inversions(curves):
    return tuple(found for pair in pairs(curves) for found in pair.inversions)


def test_a_pair_that_crosses_is_told_with_the_latencies_between_which_it_does():
    (found,) = inversions(two())
    assert (found.slow_leader, found.fast_leader) == ("wide", "lean")
    assert found.fast_ms < 1.0 <= found.slow_ms


@given(st.integers(0, 10**6), st.floats(0, 0.2))
def test_which_of_the_two_is_named_first_changes_nothing(seed, noise):
    one, other = two(noise=noise, seed=seed)
    assert set(inversions((one, other))) == set(inversions((other, one)))


@given(st.integers(0, 10**6))
def test_a_filesystem_against_itself_seldom_inverts(seed):
    one = planted_curve(100, 1, noise=0.05, runs=2, seed=seed)
    assert inversions((one, one)) == ()


def test_two_alike_that_only_noise_tells_apart_are_seldom_called_inverted():
    called = sum(
        bool(inversions([planted_curve(100, 1, noise=0.05, runs=2, seed=2 * seed + it) for it in (0, 1)]))
        for seed in range(300)
    )
    assert called <= 6


def test_one_run_each_tells_nothing():
    (pair,) = pairs(two(runs=1))
    assert (pair.inversions, pair.apart, pair.compared) == ((), 0, 9)


def test_other_workloads_are_not_compared():
    assert pairs((planted_curve(1, 1, workload="web"), planted_curve(1, 1, filesystem="xfs", workload="mail"))) == ()
