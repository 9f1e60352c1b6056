"""What kept results allow: bounds of one device, points of several."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsadvisor.measure.forecast import Model
from fsadvisor.measure.forecast.analysis import bounds, by_latency
from tests.report.forecasts import result


@given(st.floats(0.01, 1e6), st.floats(0, 100), st.floats(0.001, 100), st.floats(0.001, 100))
def test_bounds_from_one_latency_hold_whatever_the_software_takes(c, software_ms, device_ms, other_ms):
    truth = Model(c, software_ms)
    found = bounds(device_ms, truth.throughput(device_ms), other_ms)
    slack = 1e-9 * found.most
    assert found.least - slack <= truth.throughput(other_ms) <= found.most + slack


def test_the_same_device_is_bounded_by_what_was_measured():
    found = bounds(5, 100, 5)
    assert (found.least, found.most) == (100, 100)


def test_runs_on_one_device_are_no_curve():
    found = by_latency([result(us=1500.0), result(us=1550.0)], "/srv")
    assert found.points == ()
    assert [(it.job, it.runs, it.device_ms) for it in found.alone] == [("mail", 2, 1.5)]


def test_runs_on_devices_of_different_latency_are_points_of_a_curve():
    found = by_latency([result(us=1500.0), result(us=8000.0), result(us=8200.0)], "/srv")
    assert found.alone == ()
    assert [(it.level_ms, it.device_ms) for _, _, it in found.points] == [(1.5, 1.5), (8.0, 8.0), (8.0, 8.2)]


def test_what_tells_no_latency_or_is_not_to_be_believed_says_nothing():
    found = by_latency([result(us=None), result("web", believable=False)], "/srv")
    assert (found.points, found.alone, found.without_latency) == ((), (), ("mail",))


def test_answers_to_other_questions_and_of_other_engines_are_no_points_of_the_curve():
    newest = replace(result(us=1500.0), when="2026-11-22T12:00:00+00:00")
    others = [replace(result(us=8000.0), question="another"), replace(result(us=9000.0), engine="fio 3.33")]
    found = by_latency([*others, newest, replace(result(us=1550.0), engine="fsadvisor 0.0.9")], "/srv")
    assert found.points == ()
    assert [(it.runs, it.device_ms) for it in found.alone] == [(2, 1.5)]


def test_results_of_other_mounts_are_left_alone():
    assert by_latency([result()], "/home").alone == ()
