"""Several jobs to their results, and what a signal does in every phase."""

import contextlib
import os
import signal
from pathlib import Path

import pytest

from fsadvisor.measure.probe import EngineError, ProbeWindow
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.probe.measure import Where
from fsadvisor.measure.probe.processes import Stop, Stopped
from fsadvisor.measure.probe.run import Gentle, JobEnded, JobWindow, LoadTotals, ProbePlan, run, where_looked
from fsadvisor.measure.probe.surroundings import number_of

JOB, OTHER = JOBS["random-read-32"], JOBS["commit-fdatasync"]
CALM = ProbeWindow(seconds=0.5, operations=500, asked_bytes=500 * 4096, latencies_ns={1_000_000: 500})


class Engine:
    """Opens sessions that give the same window for ever, or do what a test wants in a phase."""

    def __init__(self, opening=lambda: None, window=lambda _: None):
        self.opening, self.in_window = opening, window
        self.opened = self.closed = self.windows = 0

    @contextlib.contextmanager
    def __call__(self, *_):
        self.opened += 1
        try:
            self.opening()
            yield self
        finally:
            self.closed += 1

    engine = "a made-up engine"

    def window(self, _):
        self.windows += 1
        self.in_window(self.windows)
        return CALM


def plan(engine, *jobs, **more):
    values = {
        "jobs": jobs or (JOB,),
        "folder": Path("/srv"),
        "where": Where(target="/srv", mount="/srv", depends={"a": "b"}),
        "disks": None,
        "seconds": 30.0,
        "width": 0.05,
        "opener": engine,
    }
    return ProbePlan(**(values | more))


def results(plan, stop=None):
    return [it.result for it in run(plan, stop or Stop()) if isinstance(it, JobEnded)]


def interrupt(number=signal.SIGINT):
    os.kill(os.getpid(), number)


def raising(error):
    def phase(*_):
        raise error

    return phase


@pytest.mark.parametrize("when", ["before", "while it is opened"])
def test_a_place_where_another_one_is_now_has_no_figure(tmp_path, when):
    """As a mount over it is, or an unmount: what is there now was never looked at."""
    place = tmp_path / "srv"
    place.mkdir()

    def put_another_there():
        place.rename(tmp_path / "before")
        place.mkdir()

    engine = Engine(opening=put_another_there if when != "before" else lambda: None)
    opener = where_looked(engine, number_of(str(place)))
    if when == "before":
        put_another_there()
    (found,) = results(plan(opener, folder=place))
    assert (found.figure, found.end) == (None, "failed")
    assert f"{place} is no longer what was looked at" in found.error
    assert (engine.opened, engine.closed, engine.windows) == ((0, 0, 0) if when == "before" else (1, 1, 0))


def test_a_place_that_stays_is_measured(tmp_path):
    (found,) = results(plan(where_looked(Engine(), number_of(str(tmp_path))), folder=tmp_path))
    assert found.end == "settled"


def test_each_job_is_opened_measured_and_closed_in_turn():
    engine = Engine()
    found = results(plan(engine, JOB, JOB))
    assert [it.end for it in found] == ["settled", "settled"]
    assert [it.figure.median for it in found] == [1000.0, 1000.0]
    assert (engine.opened, engine.closed) == (2, 2)
    assert found[0].depends == {"a": "b"}


def test_an_engine_that_can_not_open_fails_its_job_and_the_next_is_begun():
    engine = Engine(opening=raising(EngineError("no room")))
    found = results(plan(engine, JOB, OTHER))
    assert [(it.job, it.end, it.error, it.figure) for it in found] == [
        (it.id, "failed", "no room", None) for it in (JOB, OTHER)
    ]
    assert engine.closed == 2


def test_what_the_kernel_refuses_to_start_is_told_in_words():
    (found,) = results(plan(Engine(opening=raising(PermissionError(13, "Permission denied")))))
    assert (found.end, found.error) == ("failed", "while starting it: permission denied (EACCES)")


def test_what_fails_when_all_is_taken_away_is_told_beside_the_figure():
    class Sticky(Engine):
        @contextlib.contextmanager
        def __call__(self, *_):
            yield self
            raise EngineError("the scratch could not be taken away")

    (found,) = results(plan(Sticky()))
    assert found.end == "settled"
    assert found.remarks[-1] == "Afterwards: the scratch could not be taken away."


def test_a_job_that_may_no_longer_run_is_not_begun():
    engine = Engine()
    (found,) = results(plan(engine, refused_now=lambda job: f"{job.id}: the filesystem is read-only"))
    assert (engine.opened, found.end, found.error) == (0, "failed", f"{JOB.id}: the filesystem is read-only")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_a_window_ends_the_job_with_what_was_seen(number):
    engine = Engine(window=lambda at: interrupt(number) if at == 4 else None)
    stop = Stop()
    with stop.listening():
        found = results(plan(engine, JOB, OTHER), stop)
    assert [(it.job, it.end, it.error, it.windows) for it in found] == [(JOB.id, "cancelled", "", 3)]
    assert found[0].figure.median == 1000.0
    assert (engine.opened, engine.closed, stop.exit_status) == (1, 1, 128 + number)


def test_a_signal_while_a_job_is_set_up_closes_it():
    engine = Engine(opening=interrupt)
    stop = Stop()
    with stop.listening():
        found = results(plan(engine), stop)
    assert [(it.end, it.figure) for it in found] == [("cancelled", None)]
    assert engine.closed == 1


def test_a_signal_between_windows_ends_after_the_one_that_ran():
    stop = Stop()
    engine = Engine()
    with stop.listening():
        for event in run(plan(engine, JOB, OTHER), stop):
            if isinstance(event, JobWindow) and event.progress.windows == 2:
                interrupt()
            last = event
    assert (last.result.end, engine.windows, engine.closed) == ("cancelled", 2, 1)


def test_only_the_first_signal_is_heard_so_that_cleaning_up_is_not_broken_off():
    stop = Stop()

    def stopped_and_cleaned_up():
        with stop.interruptible():
            try:
                interrupt(signal.SIGTERM)
            finally:
                interrupt()
                interrupt(signal.SIGHUP)

    with stop.listening(), pytest.raises(Stopped):
        stopped_and_cleaned_up()
    assert stop.signal == signal.SIGTERM


def test_after_a_signal_nothing_that_could_be_broken_off_is_begun():
    stop = Stop()
    with stop.listening():
        interrupt()
        with pytest.raises(Stopped), stop.interruptible():
            raise AssertionError("was begun")


def test_signals_that_were_ignored_stay_ignored_and_the_others_are_given_back():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        stop = Stop()
        with stop.listening():
            interrupt(signal.SIGHUP)
        assert not stop.asked
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) == signal.default_int_handler
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_gentle_probe_that_others_never_let_go_on_gives_way_and_says_so():
    shares = iter([0.0, *[0.9] * 100])
    ends = iter([])

    def look(_):
        nonlocal ends
        found = next(ends, None)
        if found is None:
            ends = iter([LoadTotals(seconds=1, waiting_us=round(next(shares) * 1e6), requests=None, request_ms=None)])
            return LoadTotals(seconds=0, waiting_us=0, requests=None, request_ms=None)
        return found

    (found,) = results(plan(Engine(), gentle=Gentle((), load=look, sleep=lambda _: None)))
    assert found.end == "failed"
    assert "gives way" in found.error
    assert found.windows == 1
