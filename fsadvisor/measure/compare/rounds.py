"""One job on several sides in turn, a window each, so that what drifts hits all alike.

Rounds come in pairs: an order by lot, and the same backwards. A side that is sure enough goes on for as long as the
others need, so that all are measured over the same time; it ends when all are sure enough or have used up their seconds
or bytes. Between two windows a side is left in rest: what it still has to write is on the disk before the next begins.
"""

from __future__ import annotations

import contextlib
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct

from fsadvisor.measure import compare
from fsadvisor.measure.probe import EngineError, because
from fsadvisor.measure.probe.measure import Budget, Run, Surroundings, Where, WindowProgress
from fsadvisor.measure.probe.processes import Stopped
from fsadvisor.measure.probe.result import Result
from fsadvisor.measure.probe.run import Stoppable, waited_us

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from fsadvisor.measure.probe import EngineSession
    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.measure.probe.processes import Stop
    from fsadvisor.measure.probe.result import End


class Entrant(Struct, frozen=True, kw_only=True):
    """A side as it is run."""

    name: str
    where: Where
    opened: Callable[[Job], AbstractContextManager[EngineSession]]
    rest: Callable[[], None] = lambda: None
    """Called after each of its windows: nothing of them may be left to the others'. Raises OSError."""


class SideStarted(Struct, frozen=True, kw_only=True):
    """A side is being set up."""

    side: str


class SideWindow(Struct, frozen=True, kw_only=True):
    """A window of a side has ended."""

    side: str
    progress: WindowProgress


class SideEnded(Struct, frozen=True, kw_only=True):
    """A side has its result."""

    side: str
    result: Result


LEAST_WINDOWS: Final = 8
"""Of each side, however long they take: an interval takes six, and the first may be a start."""
MOST_TIMES: Final = 4
"""The seconds that were given, after which it ends with fewer."""

Event: TypeAlias = SideStarted | SideWindow | SideEnded


def rounds(
    job: Job,
    entrants: Sequence[Entrant],
    *,
    seconds: float,
    width: float,
    stop: Stop,
    lots: random.Random,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Event]:
    """A result for every side that was begun; `seconds` are for each, and `lots` decides the order."""
    budget = Budget(seconds=MOST_TIMES * seconds, written_bytes=compare.most_bytes(job) or None, width=width)
    with contextlib.ExitStack() as stack:
        live: list[_Side] = []
        for entrant in entrants:
            if stop.asked:
                break
            yield SideStarted(side=entrant.name)
            side = _Side(entrant, job, budget, stop, seconds, _Turns(clock))
            failed = side.set_up(stack)
            if failed is None:
                live.append(side)
            else:
                yield SideEnded(side=entrant.name, result=failed)
        yield from _in_turn(live, stop, lots)


def _in_turn(live: list[_Side], stop: Stop, lots: random.Random) -> Iterator[Event]:
    order: list[_Side] = []
    backwards = False
    while live:
        order = order[::-1] if backwards else lots.sample(live, len(live))
        backwards = not backwards
        for side in order:
            if side not in live:
                continue
            progress = None if stop.asked else side.step()
            if progress is not None:
                yield SideWindow(side=side.name, progress=progress)
            if result := side.ended():
                live.remove(side)
                yield SideEnded(side=side.name, result=result)
        if live and all(it.is_settled for it in live):
            for side in live:
                yield SideEnded(side=side.name, result=side.result("settled"))
            return


class _Side:
    """A side that runs a job."""

    def __init__(self, entrant: Entrant, job: Job, budget: Budget, stop: Stop, seconds: float, turns: _Turns) -> None:
        self.name = entrant.name
        self._seconds, self._windows = seconds, 0
        self._entrant, self._job, self._budget, self._stop = entrant, job, budget, stop
        self._turns = turns
        self._run: Run | None = None
        self._failed = ""

    def set_up(self, stack: contextlib.ExitStack) -> Result | None:
        """Open the session, to be closed by the stack; what came out where that failed."""
        try:
            with self._stop.interruptible():
                session = self._closed_by(stack, self._entrant.opened(self._job))
            self._rest()
        except Stopped:
            return self._no_figure("cancelled", "")
        except EngineError as error:
            return self._no_figure("failed", str(error))
        except OSError as error:
            return self._no_figure("failed", str(because(error.errno, "starting it")))
        around = Surroundings(
            clock=self._turns,
            now=lambda: datetime.now(tz=UTC),
            cancelled=lambda: self._stop.asked,
            waited_us=self._turns.waited_us,
        )
        self._run = Run(self._job, Stoppable(session, self._stop), self._entrant.where, around, self._budget)
        return None

    def _closed_by(self, stack: contextlib.ExitStack, session: AbstractContextManager[EngineSession]) -> EngineSession:
        """A session that cannot be taken away as it should has measured all the same; the next start clears it."""
        opened = session.__enter__()
        stack.callback(_close, session)
        return opened

    def step(self) -> WindowProgress | None:
        """A window more; None where it failed."""
        run = self._at_work()
        try:
            with self._turns.turn():
                progress = run.step()
            self._windows = progress.windows
            self._rest()
        except EngineError as error:
            self._failed = str(error)
            return None
        except OSError as error:
            self._failed = str(because(error.errno, "bringing it to the disk"))
            return None
        return progress

    @property
    def is_settled(self) -> bool:
        """Whether it is sure enough."""
        return self._at_work().is_settled()

    def ended(self) -> Result | None:
        """Its result where it ends before the others; one that is settled goes on while it may."""
        run = self._at_work()
        if self._stop.asked:
            return run.result("cancelled", "")
        if self._failed:
            return run.result("failed", self._failed)
        end = run.ended()
        used_up = run.is_used_up() or (self._turns() >= self._seconds and self._windows >= LEAST_WINDOWS)
        if end is None or end[0] in ("settled", "budget"):
            return run.result(end[0] if end else "budget", "") if used_up else None
        return run.result(*end)

    def result(self, end: End) -> Result:
        """The result of the job on this side."""
        return self._at_work().result(end, "")

    def _at_work(self) -> Run:
        if self._run is None:
            raise ValueError("a side is set up first")
        return self._run

    def _rest(self) -> None:
        try:
            with self._stop.interruptible():
                self._entrant.rest()
        except Stopped:
            pass  # the loop asks whether somebody stopped it

    def _no_figure(self, end: End, error: str) -> Result:
        return Result(
            job=self._job.id,
            question=self._job.question,
            target=self._entrant.where.target,
            mount=self._entrant.where.mount,
            when=datetime.now(tz=UTC).isoformat(timespec="seconds"),
            engine="no engine",
            headline=self._job.headline.name,
            figure=None,
            end=end,
            error=error,
            small_file_bytes=self._job.small_file_bytes,
            depends=dict(self._entrant.where.depends),
        )


def _close(session: AbstractContextManager[EngineSession]) -> None:
    with contextlib.suppress(EngineError, OSError):
        session.__exit__(None, None, None)


class _Turns:
    """A clock, and what was waited for, of a side's own turns alone."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seconds = 0.0
        self._since: float | None = None
        self._waited: dict[str, int] = {}

    def __call__(self) -> float:
        return self._seconds + (0.0 if self._since is None else self._clock() - self._since)

    def waited_us(self) -> Mapping[str, int]:
        """µs by what was waited for."""
        return dict(self._waited) if self._waited else dict.fromkeys(waited_us(), 0)

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """The stopwatch runs within the block."""
        before, self._since = waited_us(), self._clock()
        try:
            yield
        finally:
            self._seconds, self._since = self(), None
            for name, now in waited_us().items():
                self._waited[name] = self._waited.get(name, 0) + now - before.get(name, now)
