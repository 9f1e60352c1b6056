"""Seed 001's classes, by its own definition, on curves that are made to be of one."""

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.measure.forecast import MeasuredPoint, curve
from fsadvisor.measure.forecast.classes import CLASSES, FILESYSTEMS, INVERSIONS, ONCE, WORKLOADS, Class, classify
from fsadvisor.rulebook.tables import table
from tests.cases import each
from tests.forecast.planted import PAPER_MS, planted, planted_curve


def of(shape, noise=0.001, latencies=PAPER_MS):
    return classify(planted_curve(1000, 0.5, latencies=latencies, noise=noise, runs=2, shape=shape))


@each(
    ("shape", "expected"),
    [
        (lambda ms: 0.5 if ms < 1 else 1, Class.I),
        (lambda ms: 1 if ms >= 5 else 1.4, Class.II),
        (lambda ms: 1 if ms >= 1 else 1.4, Class.II),
        (lambda ms: 1 if ms >= 3 else 0.6, Class.III),
        (lambda ms: 1 if ms >= 3 or ms < 1 else 0.6, Class.III),
        (None, Class.FOLLOWS),
    ],
)
def test_a_curve_has_the_class_of_its_shape(shape, expected):
    assert of(shape).is_class is expected


def test_the_third_class_says_from_where_it_is_worse_and_whether_it_recovers():
    found = of(lambda ms: 1 if ms >= 3 else 1.6 if ms < 1 else 0.6)
    assert found.from_ms == 2
    assert "from 2 ms on, but better again below 1 ms" in found.why


def test_a_curve_that_falls_has_no_model():
    found = classify(
        curve(
            "nilfs2", "file-server", [MeasuredPoint(ms, ms, 100 + 10 * ms + run) for ms in PAPER_MS for run in (0, 1)]
        )
    )
    assert (found.is_class, found.model) == (Class.FALLS, None)


def test_a_flat_curve_inside_its_noise_is_not_said_to_fall():
    points = [MeasuredPoint(ms, ms, 100 + (ms + 7 * run) % 11) for ms in PAPER_MS for run in (0, 1)]
    assert classify(curve("xfs", "web", points)).is_class is Class.UNDECIDED


@each(
    ("latencies", "missing"),
    [
        ((10.0, 1.0, 0.0), "half"),
        ((10.0, 5.0, 3.0, 0.0), "near 1 ms"),
        ((10.0, 5.0, 1.0), "nothing below"),
        ((10.0,), "half"),
    ],
)
def test_what_was_not_measured_leaves_the_class_undecided(latencies, missing):
    found = of(None, latencies=latencies)
    assert found.is_class is Class.UNDECIDED
    assert missing in found.why


def test_one_run_at_each_latency_decides_on_no_class():
    found = classify(planted_curve(1000, 0.5, shape=lambda ms: 0.5 if ms < 1 else 1))
    assert (found.is_class, found.why, found.leans) == (Class.UNDECIDED, ONCE, Class.I)


def test_noise_alone_makes_no_class_of_a_curve_that_follows_the_model():
    dice = random.Random("two runs of each point can agree by chance")
    curves = [planted(1000, dice.uniform(0.2, 5), noise=0.01, runs=2, seed=dice.random()) for _ in range(200)]
    classes = Counter(classify(curve("xfs", "web", points)).is_class for points in curves)
    assert classes[Class.FOLLOWS] + classes[Class.UNDECIDED] >= 199, classes


@given(st.floats(0.1, 1000))
def test_the_unit_of_throughput_changes_no_class(times):
    shape = lambda ms: times * (1 if ms >= 3 else 0.6)  # noqa: E731
    assert of(shape).is_class is Class.III


def test_the_paper_s_classes_are_those_of_its_table():
    said = {
        "follows it down to 1 ms, not below": Class.I,
        "better": Class.II,
        "worse from 4 to 5 ms on": Class.III,
        "worse from 2 to 3 ms on": Class.III,
        "worse, but better again below 1 ms": Class.III,
        "falls as the device gets faster": Class.FALLS,
    }
    names = {"web": "web", "file": "file-server", "mail": "mail"}
    found = {
        (filesystem.lower(), names[workload]): said[words]
        for filesystem, workloads, words in table("001-scaling").rows
        for workload in workloads.split(", ")
    }
    assert found == {pair: is_class for pair, (is_class, _) in CLASSES.items()}
    assert {(f, w) for f in FILESYSTEMS for w in WORKLOADS} - CLASSES.keys() == {("btrfs", "file-server")}


def test_the_paper_s_inversions_are_those_of_its_table_which_names_each_pair_twice():
    for at, workload in enumerate(WORKLOADS, 1):
        named = [
            (row[0].lower(), other.lower())
            for row in table("001-inversions").rows
            for other in row[at].split(", ")
            if other != "none"
        ]
        assert set(map(frozenset, named)) == INVERSIONS[workload]
        assert sorted(named) == sorted((b, a) for a, b in named)
