"""A probe that another process of ours asks for: lines of `fsadvisor.probe.telling` in, and out."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from fsadvisor.machine.live import LiveMachine
from fsadvisor.probe import apart, run, telling
from fsadvisor.probe.histogram import quantile
from fsadvisor.probe.jobs import JOBS
from fsadvisor.probe.series import value
from fsadvisor.probe.stopping import Stop
from fsadvisor.verbs.probing import Probing, Wanted, around

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import IO


def main() -> None:
    """The process's own: argv is the folder of our package and the id of the process that asks."""
    if not apart.die_with(int(sys.argv[2])):
        return
    answer(sys.stdin.buffer, sys.stdout.buffer)
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.close()


def answer(asks: IO[bytes], tells: IO[bytes]) -> None:
    """Tell what it takes; where one says go, do it."""

    def tell(event: telling.Event) -> None:
        with contextlib.suppress(BrokenPipeError):  # who asked is gone, and the kernel tells us to stop
            tells.write(telling.line(event))
            tells.flush()

    asked = msgspec.json.decode(asks.readline(), type=telling.Asked)
    jobs = tuple(JOBS[name] for name in asked.jobs)
    wanted = Wanted(jobs=jobs, target=asked.target, seconds=asked.seconds, in_data_directory=asked.in_data_directory)
    with around(wanted, LiveMachine()) as probing:
        tell(_told(asked, probing))
        word = asks.readline()
        if not word or probing.refused:
            tell(telling.Over(state="not started"))
            return
        stop = Stop()
        probing.wanted = replace(wanted, gentle=msgspec.json.decode(word, type=telling.Go).gentle)
        probing.measure(stop, _Teller(tell))
        over = telling.Over(state="cancelled" if stop.asked else "done")
    tell(over)


def _told(asked: telling.Asked, probing: Probing) -> telling.Told:
    return telling.Told(
        asked=asked,
        target=probing.target,
        mount=probing.mount,
        cost=probing.cost,
        findings=probing.findings,
        would_do=tuple(probing.would_do()) if probing.refused else (),
    )


class _Teller:
    """Passes on what a probe tells."""

    def __init__(self, tell: Callable[[telling.Event], None]) -> None:
        self._tell = tell

    def heard(self, event: run.Event, seconds_left: float) -> None:
        match event:
            case run.Begun():
                self._tell(telling.Began(at=event.at, job=event.job.id, seconds_left=seconds_left))
            case run.Went():
                self._tell(_went(event, seconds_left))
            case run.Ended():
                self._tell(telling.Ended(at=event.at, seconds_left=seconds_left, result=event.result))

    def paused(self, why: str) -> None:
        self._tell(telling.Said(text=why, pause=True))

    def said(self, sentence: str) -> None:
        self._tell(telling.Said(text=sentence))


def _went(event: run.Went, seconds_left: float) -> telling.Went:
    seen, window = event.progress, event.progress.window
    times = window.sync_ns or window.latencies_ns
    return telling.Went(
        at=event.at,
        job=event.job.id,
        seconds_left=seconds_left,
        headline=event.job.headline.name,
        value=value(event.job, window),
        void=seen.void,
        figure=seen.figure,
        counted=seen.counted,
        seconds=seen.seconds,
        job_seconds_left=seen.seconds_left,
        operations_per_s=window.operations / window.seconds if window.seconds > 0 else 0.0,
        bytes_per_s=window.bytes_per_s or 0.0,
        p50_us=_us(times, 0.5),
        p99_us=_us(times, 0.99),
    )


def _us(histogram: Mapping[int, int], share: float) -> float | None:
    found = quantile(histogram, share)
    return None if found is None else found / 1000
