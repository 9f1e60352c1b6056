"""Which engine runs a job: fio where it is the better one and there, else our own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.measure.probe import fio, ladder
from fsadvisor.measure.probe.jobs import Allocation, Existing, Io, Job, Ladder, Metadata, Mix
from fsadvisor.measure.probe.own import sessions

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from fsadvisor.measure.probe.disks import Way
    from fsadvisor.measure.probe.engine import Session


def opened(job: Job, target: Path, way: Way | None = None) -> AbstractContextManager[Session]:
    """A session for the job, in a folder or, for existing files, of one. Raises EngineError, at the latest on entry.

    `way` has the devices below whose counters are read, from `disks.way`.
    """
    match job.work:
        case Io() as io:
            tool = fio.find()
            return fio.session(tool, io, target, way) if tool else sessions.open_latency(io, target, way)
        case Ladder() as steps:
            return ladder.session(steps, target, way)
        case Metadata() as metadata:
            return sessions.open_names(metadata, target, way)
        case Allocation() as allocation:
            return sessions.open_allocation(allocation, target, way)
        case Mix() as mix:
            return sessions.open_mix(mix, target, way)
        case Existing() as existing:
            return sessions.open_reading(existing, target, way)
