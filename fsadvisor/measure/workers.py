"""The task of every worker: reads what it is asked, has it measured, and tells how that ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.measure import messages
from fsadvisor.measure.messages import CompareWork, Finished, SweepWork, TrialWork
from fsadvisor.measure.probe.engine import EngineError
from fsadvisor.measure.probe.processes import Stopped

if TYPE_CHECKING:
    from fsadvisor.measure.child import Tell
    from fsadvisor.measure.probe.processes import Stop


def work(line: bytes, tell: Tell, stop: Stop) -> None:
    """Do what a line asks for. Told to stop, it ends after its window."""

    def emit(event: messages.Event) -> None:
        tell(messages.line(event))

    try:
        match messages.work(line):
            case TrialWork() as asked:
                from fsadvisor.measure import trial_worker

                trial_worker.run(asked, emit, stop)
            case CompareWork() as asked:
                from fsadvisor.measure import compare_worker

                compare_worker.run(asked, emit, stop)
            case SweepWork() as asked:
                from fsadvisor.measure import sweep_worker

                sweep_worker.run(asked, emit, stop)
        finished = Finished(state="done")
    except EngineError as error:
        finished = Finished(state="failed", error=str(error))
    except Stopped:
        finished = Finished(state="cancelled")
    emit(finished)
