"""A job on several sides in turn: every side gets its windows under the same drift, and a failure is one side's own."""

import contextlib
import random
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.measure.compare.rounds import (
    LEAST_WINDOWS,
    MOST_TIMES,
    Entrant,
    SideEnded,
    SideStarted,
    SideWindow,
    rounds,
)
from fsadvisor.measure.probe import EngineError
from fsadvisor.measure.probe.measure import Where
from fsadvisor.measure.probe.processes import Stop
from tests.probe.played import READ, Clock, Played, counted

STEADY = [counted(1000)]
WILD = [counted(rate) for rate in (100, 9000, 50, 20_000, 400, 70_000, 10, 900) * 40]


class Sides:
    """Sides that play windows; `log` says who had a window and who was left to rest, in order."""

    def __init__(self, **windows):
        self.clock, self.log, self.closed = Clock(), [], []
        self.windows = windows

    def entrants(self):
        return [self.entrant(name) for name in self.windows]

    def entrant(self, name):
        @contextlib.contextmanager
        def opened(_):
            played = self.windows[name]
            if isinstance(played, Exception):
                raise played
            yield Logged(self, name, Played(self.clock, played, at_end=None, beside=0.0))
            self.closed.append(name)

        where = Where(target=name, mount="/")
        return Entrant(name=name, where=where, opened=opened, rest=lambda: self.log.append(f"rest {name}"))

    def run(self, stop=None, seconds=6.0, seed=3):
        return list(
            rounds(
                READ,
                self.entrants(),
                seconds=seconds,
                width=0.05,
                stop=stop or Stop(),
                lots=random.Random(seed),
                clock=self.clock,
            )
        )


class Logged:
    engine = "a script"

    def __init__(self, sides, name, played):
        self.sides, self.name, self.played = sides, name, played

    def window(self, seconds):
        self.sides.log.append(self.name)
        return self.played.window(seconds)


def turns(sides):
    return [it for it in sides.log if not it.startswith("rest")]


def results(events):
    return {it.side: it.result for it in events if isinstance(it, SideEnded)}


def test_every_round_has_a_window_of_each_and_the_next_is_its_mirror():
    sides = Sides(a=WILD, b=WILD, c=WILD, d=WILD)
    sides.run()
    order = turns(sides)
    done = [order[at : at + 4] for at in range(0, len(order) - 3, 4)]
    assert len(done) >= LEAST_WINDOWS
    assert all(sorted(one) == ["a", "b", "c", "d"] for one in done)
    assert all(one == other[::-1] for one, other in zip(done[::2], done[1::2], strict=False))
    assert len({tuple(one) for one in done[::2]}) > 1


@given(st.integers(0, 1000), st.integers(2, 5))
def test_no_side_has_two_windows_more_than_another_that_still_runs(seed, count):
    sides = Sides(**{f"s{at}": WILD for at in range(count)})
    sides.run(seed=seed)
    order = turns(sides)
    for at in range(min(len(order), LEAST_WINDOWS * count)):
        had = [order[: at + 1].count(name) for name in sides.windows]
        assert max(had) - min(had) <= 1


def test_all_end_once_all_are_sure():
    sides = Sides(a=STEADY, b=STEADY)
    found = results(sides.run())
    assert {name: (it.end, it.windows, it.figure.median) for name, it in found.items()} == dict.fromkeys(
        "ab", ("settled", 6, 1000.0)
    )
    assert sorted(sides.closed) == ["a", "b"]


def test_one_that_is_sure_goes_on_while_another_is_not():
    found = results(Sides(calm=STEADY, wild=WILD).run())
    assert found["wild"].end == "budget"
    assert found["calm"].end == "settled"
    assert abs(found["calm"].windows - found["wild"].windows) <= 1


def test_windows_that_take_long_are_still_as_many_as_an_interval_takes():
    slow = [counted(rate, seconds=2.0) for rate in (100, 900, 100, 5000, 40, 900, 100, 70, 400, 90)]
    found = results(Sides(a=slow, b=slow).run(seconds=6.0))
    assert {it.windows for it in found.values()} == {LEAST_WINDOWS}


def test_but_not_for_ever():
    slow = [counted(rate, seconds=20.0) for rate in (100, 900, 100, 5000)]
    found = results(Sides(a=slow, b=slow).run(seconds=6.0))
    assert {it.windows for it in found.values()} == {2}
    assert MOST_TIMES * 6.0 < 40


def test_after_each_window_a_side_is_left_at_rest():
    sides = Sides(a=STEADY, b=STEADY)
    sides.run()
    assert sides.log[:2] == ["rest a", "rest b"]
    assert all(sides.log[at + 1] == f"rest {name}" for at, name in enumerate(sides.log) if not name.startswith("rest"))


def test_one_that_cannot_be_set_up_fails_alone():
    events = Sides(a=EngineError("no room"), b=STEADY, c=STEADY).run()
    found = results(events)
    assert [it.side for it in events if isinstance(it, SideStarted)] == ["a", "b", "c"]
    assert (found["a"].end, found["a"].error, found["a"].figure) == ("failed", "no room", None)
    assert (found["b"].end, found["c"].end) == ("settled", "settled")


def test_one_that_fails_in_the_middle_keeps_its_windows_and_the_others_go_on():
    sides = Sides(a=STEADY, b=STEADY)
    bad = sides.entrant("b")

    class Failing(Logged):
        def window(self, seconds):
            if turns(sides).count("b") == 2:
                raise EngineError("the disk is gone")
            return super().window(seconds)

    @contextlib.contextmanager
    def opened(_):
        yield Failing(sides, "b", Played(sides.clock, STEADY, beside=0.0))

    entrants = [sides.entrant("a"), Entrant(name="b", where=bad.where, opened=opened)]
    found = results(
        rounds(READ, entrants, seconds=6.0, width=0.05, stop=Stop(), lots=random.Random(1), clock=sides.clock)
    )
    assert (found["b"].end, found["b"].error, found["b"].windows) == ("failed", "the disk is gone", 2)
    assert found["a"].end == "settled"


def test_a_signal_ends_all_with_what_they_have():
    sides, stop = Sides(a=WILD, b=WILD), Stop()
    with stop.listening():
        found = {}
        generator = rounds(
            READ, sides.entrants(), seconds=6.0, width=0.05, stop=stop, lots=random.Random(1), clock=sides.clock
        )
        for at, event in enumerate(generator):
            if isinstance(event, SideEnded):
                found[event.side] = event.result
            if at == 5:
                signal.raise_signal(signal.SIGINT)
    assert {name: it.end for name, it in found.items()} == dict.fromkeys("ab", "cancelled")
    assert sum(it.windows for it in found.values()) == 4
    assert sorted(sides.closed) == ["a", "b"]


def test_a_clock_of_its_own_tells_each_side_s_time():
    found = results(Sides(a=STEADY, b=[counted(1000, seconds=1.0)]).run())
    assert found["a"].seconds == pytest.approx(3.0)
    assert found["b"].seconds == pytest.approx(6.0)


def test_what_is_told_after_each_window_is_the_figure_so_far():
    events = Sides(a=STEADY).run()
    told = [it.progress.figure.median for it in events if isinstance(it, SideWindow)]
    assert told == [1000.0] * 6
