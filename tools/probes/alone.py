"""fio alone, by hand as it were: its own arguments for a job on a file of its own, without any of our windows."""

from __future__ import annotations

import contextlib
import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fsadvisor.measure.probe import EngineError, ProbeWindow
from fsadvisor.measure.probe.fio import comes_up, find, judged, window_of
from fsadvisor.measure.probe.jobs import Io
from fsadvisor.measure.probe.result import merged
from fsadvisor.measure.probe.scratch import tree
from fsadvisor.measure.probe.series import value

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fsadvisor.measure.probe.fio import Fio
    from fsadvisor.measure.probe.jobs import Job

_STEP_BYTES: Final = 1 << 20
_LEAST_SECONDS: Final = 0.05
_SYNC: Final = {"none": (), "fsync": ("--fsync=1",), "fdatasync": ("--fdatasync=1",), "dsync": ("--sync=dsync",)}


@dataclass(frozen=True, slots=True)
class Alone:
    """A job for fio, on a file that is there for as long as the tool needs it."""

    job: Job
    work: Io
    file: Path
    fio: Fio

    def figure(self, seconds: float) -> float:
        """The job's headline from one run of so many seconds. Raises EngineError, and ValueError without a figure.

        A file that is appended to begins anew wherever it has grown as far as in a probe: a longer one costs more.
        """
        runs = [self._run(seconds)]
        goes_on = self.work.pattern == "append"
        while goes_on and runs[-1].seconds and (left := seconds - sum(run.seconds for run in runs)) > _LEAST_SECONDS:
            runs.append(self._run(left))
        whole = ProbeWindow(
            seconds=sum(run.seconds for run in runs),
            operations=sum(run.operations for run in runs),
            asked_bytes=sum(run.asked_bytes for run in runs),
            latencies_ns=merged(run.latencies_ns for run in runs),
            sync_ns=merged(run.sync_ns for run in runs),
        )
        found = value(self.job, whole)
        if found is None:
            raise ValueError(f"{self.job.id}: fio did nothing")
        return found

    def _run(self, seconds: float) -> ProbeWindow:
        if self.work.pattern == "append":
            os.truncate(self.file, 0)
        milliseconds = max(1, round(seconds * 1000))  # fio takes "0.5" for 0
        arguments = [*self.fio.before, self.fio.path, *self.arguments(), f"--runtime={milliseconds}ms"]
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=seconds + 300, check=False)
        ran = judged(done.stdout, done.stderr, done.returncode, f"running fio in {self.file.parent}")
        return window_of(ran, self.work, None)

    def arguments(self) -> tuple[str, ...]:
        """As of a probe of the job, but for the file and the time."""
        work = self.work
        engine = "psync" if work.depth == 1 else "libaio"
        return (
            *("--name=alone", f"--filename={self.file}", "--output-format=json+", "--thread=1", "--group_reporting=1"),
            *("--lat_percentiles=1", "--clat_percentiles=0", "--randrepeat=0", "--fallocate=none"),
            *(f"--ioengine={engine}", f"--iodepth={work.depth}", f"--bs={work.block_bytes}"),
            *(f"--direct={int(work.direct)}", "--fadvise_hint=0"),
            *_SYNC[work.sync],
            *(("--ramp_time=200ms",) if comes_up(work) else ()),
            *self._pattern(),
        )

    def _pattern(self) -> tuple[str, ...]:
        work = self.work
        if work.pattern == "append":
            most = f"--io_size={work.file_bytes // 2}"
            return ("--rw=write", f"--size={work.file_bytes}", most, "--file_append=1", "--overwrite=0")
        kind = f"rand{work.operation}" if work.pattern == "random" else work.operation
        anew = ("--norandommap=1",) if work.pattern == "random" else ()
        return (f"--rw={kind}", f"--size={work.file_bytes}", "--overwrite=1", "--time_based=1", *anew)


@contextlib.contextmanager
def alone(job: Job, folder: Path) -> Iterator[Alone]:
    """fio with a file of a name in a folder, written once from end to end. Raises EngineError where there is no fio."""
    if not isinstance(job.work, Io):
        raise TypeError(f"{job.id} is no job for fio")
    fio = find()
    if fio is None:
        raise EngineError("there is no fio to hold probes against")
    with tree(folder) as place:
        file = place / "file-0"
        with file.open("xb") as opened:
            for _ in range(job.work.file_bytes // _STEP_BYTES):
                opened.write(os.urandom(_STEP_BYTES))
            opened.flush()
            os.fsync(opened.fileno())
        try:
            yield Alone(job, job.work, file, fio)
        finally:
            file.unlink()
