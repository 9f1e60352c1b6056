"""fio, run once per window on the scratch file that this process has open.

It opens /proc/PID/fd/N, so it can neither make a file nor find one when we are gone. It runs as threads of one process
in a session of its own, which the kernel kills with us (PR_SET_PDEATHSIG, set by setpriv(1), else by a line of Python
that becomes fio) and we kill when time is over; nobody to kill it, it would still end with its window.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import resource
import shutil
import signal
import subprocess
from functools import cached_property
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import Unknown
from fsadvisor.machine import time_limits
from fsadvisor.machine.runner import TOOL_FOLDERS
from fsadvisor.measure.probe import EngineError, ProbeWindow, because, disks
from fsadvisor.measure.probe.disks import record
from fsadvisor.measure.probe.processes import launcher, reap
from fsadvisor.measure.probe.scratch import scratch_file
from fsadvisor.readers import fio as reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from fsadvisor.measure.probe import DiskWork
    from fsadvisor.measure.probe.disks import Way
    from fsadvisor.measure.probe.jobs import Io
    from fsadvisor.measure.probe.scratch import ScratchFile
    from fsadvisor.readers.fio import FioJob, FioOutput

_PATH: Final = ":".join(TOOL_FOLDERS)
_ENVIRONMENT: Final = {"LC_ALL": "C", "PATH": _PATH}
_GRACE_SECONDS: Final = 60.0
"""For fio's start and end, and a disk that stalls."""
_SLOWEST_BYTES_PER_S: Final = 4 << 20
"""A window that writes its file through the page cache ends when the disk has it all."""
_COMING_UP_SECONDS: Final = 0.2
_COMMON: Final = (
    *("--name=probe", "--thread=1", "--group_reporting=1", "--output-format=json+", "--eta=never", "--disk_util=0"),
    *("--clat_percentiles=0", "--lat_percentiles=1", "--randrepeat=0"),
    *("--allow_file_create=0", "--create_on_open=0", "--unlink=0", "--fallocate=none", "--invalidate=1"),
)
_ADVICE: Final = {"normal": "0", "random": "random", "sequential": "sequential"}
_SYNC: Final = {"none": (), "fsync": ("--fsync=1",), "fdatasync": ("--fdatasync=1",), "dsync": ("--sync=dsync",)}
_CLOCK: Final = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
_READ_WITHOUT_THE_KERNEL: Final = {"tsc", "arch_sys_counter"}
_NOT_OPENED: Final = re.compile(r"file:filesetup\.c:\d+, func=[^,]*, error=(.*)")
_MAY_NOT: Final = {errno.EACCES, errno.EPERM, errno.ENOENT, errno.ESRCH}
_NO_DIRECT_IO: Final = "not support O_DIRECT"


def argv(work: Io, path: str, seconds: float, engines: Sequence[str]) -> tuple[str, ...]:
    """fio's arguments for one window; `engines` are the I/O engines that this fio has. Raises EngineError.

    The time is in ms, because fio takes '0.5' as 0.
    """
    return (
        *_COMMON,
        f"--filename={path}",
        f"--runtime={max(1, round(seconds * 1000))}ms",
        f"--bs={work.block_bytes}",
        f"--direct={int(work.direct)}",
        f"--fadvise_hint={_ADVICE[work.advice]}",
        *_pattern(work),
        *_in_flight(work, engines),
        *_SYNC[work.sync],
        *((f"--ramp_time={round(_COMING_UP_SECONDS * 1000)}ms",) if comes_up(work) else ()),
        *(("--time_based=1",) if _goes_round(work) else ()),
        *(("--end_fsync=1",) if _through_the_cache(work) else ()),
    )


def clock_argument(current: str | None) -> tuple[str, ...]:
    """fio's argument for what it reads the time by; `current` is the kernel's clock source.

    Where the kernel's clock is a counter of the processor that programs read without a call, fio needs not find out for
    70 ms of each start whether that counter is to be trusted. Elsewhere it does: a call twice an operation would count.
    """
    return ("--clocksource=clock_gettime",) if current in _READ_WITHOUT_THE_KERNEL else ()


def _pattern(work: Io) -> tuple[str, ...]:
    """Where it reads or writes. Each stream has its own part of the file."""
    part = work.file_bytes // work.streams
    size = (f"--size={part}", *((f"--offset_increment={part}",) if work.streams > 1 else ()))
    if work.pattern == "append":  # fio would unlink a file that is shorter than its size; one appended to it keeps
        most = f"--io_size={work.file_bytes // 2}"
        return ("--rw=write", f"--size={work.file_bytes}", most, "--file_append=1", "--overwrite=0")
    if work.pattern == "sequential":
        return (f"--rw={work.operation}", *size, "--overwrite=1")
    # a block whose first write changes its state is to be written once
    once = work.operation == "write" and work.state != "written"
    return (f"--rw=rand{work.operation}", *size, "--overwrite=1", f"--norandommap={int(not once)}")


def _in_flight(work: Io, engines: Sequence[str]) -> tuple[str, ...]:
    """How requests are sent: one at a time, asynchronously, or by a thread each where this fio knows neither way."""
    if work.depth == 1:
        return ("--ioengine=psync", f"--numjobs={work.streams}")
    for engine in ("libaio", "io_uring"):
        if engine in engines:
            return (f"--ioengine={engine}", f"--iodepth={work.depth}", f"--numjobs={work.streams}")
    raise EngineError(f"this fio knows neither libaio nor io_uring, so it cannot keep {work.depth} requests in flight")


def _goes_round(work: Io) -> bool:
    """Whether a window may come to the end of the file and go on at its start.

    Not where that would be something else: appended or newly allocated blocks would be written over, and what is in the
    page cache would be read from there, or written there once more.
    """
    changes = work.operation == "write" and (work.pattern == "append" or work.state != "written")
    return not changes and (work.direct or work.sync != "none")


def comes_up(work: Io) -> bool:
    """Whether its windows begin before their time does.

    After a moment without work a disk takes about 0.2 s until it writes many blocks at once at its full pace
    (docs/probes.md); in windows that begin with that, it would be a tenth slower than it is in a minute.
    """
    return work.operation == "write" and work.depth > 1 and work.pattern == "random" and _goes_round(work)


def _through_the_cache(work: Io) -> bool:
    return work.operation == "write" and not work.direct and work.sync == "none"


class Fio(Struct, frozen=True, dict=True):
    """An installed fio, and how it is started."""

    path: str
    before: tuple[str, ...]
    """The command that has it die with us; fio's path and arguments follow."""
    version: str

    @cached_property
    def engines(self) -> tuple[str, ...]:
        """The I/O engines that it was built with. Raises EngineError."""
        return tuple(line.strip() for line in self.run(("--enghelp",), _GRACE_SECONDS)[0].splitlines()[1:])

    @cached_property
    def clock(self) -> tuple[str, ...]:
        """Its argument for the clock, on this machine."""
        return clock_argument(record(_CLOCK, str.strip))

    def run(self, arguments: Sequence[str], time_limit: float) -> tuple[str, str, int]:
        """What it prints, also as errors, and its exit status. Raises EngineError where it does not end in time."""
        return _run((*self.before, self.path, *arguments), time_limit)


def find(folders: str = _PATH) -> Fio | None:
    """The installed fio, or None. Raises EngineError where one is there that cannot be run."""
    path = shutil.which("fio", path=folders)
    if path is None:
        return None
    setpriv = shutil.which("setpriv", path=folders)
    ways = ((setpriv, "--pdeathsig", "KILL"),) if setpriv else ()
    stderr = ""
    for before in (*ways, launcher()):  # busybox's setpriv knows no --pdeathsig
        out, stderr, status = _run((*before, path, "--version"), _GRACE_SECONDS)
        if status == 0 and out.startswith("fio-"):
            return Fio(path=path, before=before, version=out.strip().removeprefix("fio-"))
    raise EngineError(f"{path} could not be run: {stderr.strip() or 'it says nothing'}")


class FioSession(Struct, frozen=True):
    """An Io job on a scratch file."""

    fio: Fio
    work: Io
    file: ScratchFile
    way: Way | None

    @property
    def engine(self) -> str:
        """The tool and its version."""
        return f"fio {self.fio.version}"

    def window(self, seconds: float) -> ProbeWindow:
        """One run of fio; shorter where the job ends at the end of its file. Raises EngineError."""
        self.file.before_window(self.work)
        arguments = argv(self.work, self.file.path, seconds, self.fio.engines if self.work.depth > 1 else ())
        limit = 2 * seconds + _GRACE_SECONDS + self.work.file_bytes / _SLOWEST_BYTES_PER_S
        before, wrote = disks.counted(self.way), _written_by_children()
        out, stderr, status = self.fio.run((*arguments, *self.fio.clock), limit)
        after, wrote = disks.counted(self.way), _written_by_children() - wrote
        job = judged(out, stderr, status, f"measuring in {self.file.folder}")
        window = window_of(job, self.work, disks.between(before, after))
        return with_early(window, wrote) if comes_up(self.work) else window


@contextlib.contextmanager
def session(fio: Fio, work: Io, folder: Path, way: Way | None) -> Iterator[FioSession]:
    """A session on a new scratch file in the folder. Raises EngineError."""
    with scratch_file(folder, work.file_bytes, work.state, synced=work.sync != "none") as file:
        file.before_first(work)
        yield FioSession(fio, work, file, way)


def judged(out: str, stderr: str, status: int, doing: str) -> FioJob:
    """The one job of a run that went well. Raises EngineError with fio's own words."""
    output = reader.parse(out)
    if isinstance(output, Unknown):
        raise EngineError(f"while {doing}: fio {_last_words(stderr, out) or 'printed nothing that can be read'}")
    failed = next((job.error for job in output.jobs if job.error), 0)
    if failed or status:
        raise _failure(output, stderr, failed, doing)
    if len(output.jobs) != 1:
        raise EngineError(f"while {doing}: fio told of {len(output.jobs)} jobs instead of one")
    return output.jobs[0]


def _failure(output: FioOutput, stderr: str, number: int, doing: str) -> EngineError:
    lines = (*output.errors, *stderr.splitlines())
    if any(_NO_DIRECT_IO in line for line in lines):
        return EngineError(f"while {doing}: the filesystem has no direct I/O")
    refused = next((found[1] for line in lines if (found := _NOT_OPENED.search(line))), "")
    if refused and number in _MAY_NOT:
        return EngineError(f"while {doing}: fio cannot open our scratch file by /proc: {refused}")
    return because(number, doing) if number else EngineError(f"while {doing}: fio {_last_words(*lines)}")


def _last_words(*said: str) -> str:
    lines = [line.strip() for text in said for line in text.splitlines() if line.strip() and not line.startswith("{")]
    return "said: " + lines[0].removeprefix("fio: ") if lines else ""


def window_of(job: FioJob, work: Io, did: DiskWork | None) -> ProbeWindow:
    """The window that a run was."""
    direction = job.read if work.operation == "read" else job.write
    syncs = direction.latencies if work.sync == "dsync" else job.sync
    runtime = job.runtime_ms / 1000  # of all streams together, as are the CPU's shares
    return ProbeWindow(
        seconds=direction.runtime_ms / 1000,
        operations=direction.operations,
        asked_bytes=direction.bytes,
        latencies_ns=dict(direction.latencies.bins),
        sync_ns=dict(syncs.bins),
        user_cpu_seconds=None if job.user_cpu_percent is None else job.user_cpu_percent / 100 * runtime,
        system_cpu_seconds=None if job.system_cpu_percent is None else job.system_cpu_percent / 100 * runtime,
        disks=did,
        void="" if direction.operations and direction.runtime_ms else "not one operation was done",
    )


def with_early(window: ProbeWindow, wrote: int) -> ProbeWindow:
    """With the bytes of before its time, of which fio tells nothing; `wrote` are all of the run, by the kernel's count.

    Where the kernel keeps no such account, they are taken to have been written at the window's pace.
    """
    early = wrote - window.asked_bytes if wrote else round((window.bytes_per_s or 0.0) * _COMING_UP_SECONDS)
    early = max(0, early)
    return replace(window, asked_bytes=window.asked_bytes + early, early_bytes=early)


def _written_by_children() -> int:
    """Bytes that children of this process that have ended sent to disks."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_oublock * 512


def _run(command: Sequence[str], time_limit: float) -> tuple[str, str, int]:
    """Run it in a session of its own, and leave nothing of it running whatever happens."""
    try:
        child = subprocess.Popen(  # noqa: S603 - fixed folders, no shell
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env={**_ENVIRONMENT, **time_limits.mark()},
            start_new_session=True,
        )
    except OSError as error:
        raise because(error.errno, f"starting {command[0]}") from error
    try:
        out, stderr = child.communicate(timeout=time_limit)
    except subprocess.TimeoutExpired:
        how = "was stopped" if _end(child) else "waits inside the kernel and could not be stopped"
        raise EngineError(f"fio did not end within {time_limit:.0f} s and {how}; the disk may hang") from None
    except BaseException:
        _end(child)
        raise
    return out.decode(errors="replace"), stderr.decode(errors="replace"), child.returncode


def _end(child: subprocess.Popen[bytes]) -> bool:
    """Kill it and all that it started; whether it is gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    if not reap([child]):
        return False
    for pipe in (child.stdout, child.stderr):
        if pipe:
            pipe.close()
    return True
