"""What measuring processes are asked, and what they tell: a line of JSON each, the same for all kinds of measurement.

A session (`server`) reads one of `Asked`, tells an `Estimate`, waits for `Go`, and ends with `Finished`. A worker
(`child`) reads one of `Work` and begins at once. Events of a worker are passed on by its session as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from fsadvisor.measure.compare import Side  # noqa: TC001
from fsadvisor.measure.probe.cost import Cost  # noqa: TC001
from fsadvisor.measure.probe.disks import Way  # noqa: TC001
from fsadvisor.measure.probe.result import Figure, Result, quantile
from fsadvisor.measure.probe.series import value
from fsadvisor.measure.probe.store import encoded
from fsadvisor.measure.probe.target import Objection  # noqa: TC001
from fsadvisor.measure.trial import TrialComparison, TrialInterim  # noqa: TC001
from fsadvisor.measure.trial.testbed import MountedSide, ScratchFilesystem  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.measure.probe import measure
    from fsadvisor.measure.probe.jobs import Job

State: TypeAlias = Literal["done", "cancelled", "not started", "failed"]
Base: TypeAlias = Literal["image", "memory"]
"""What lies under dm-delay: an image in the folder, or the kernel's memory (null_blk)."""


class ProbeAsked(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Run jobs in a folder; `seconds` are for each job."""

    jobs: tuple[str, ...]
    target: str
    seconds: float
    in_data_directory: bool = False


class TrialAsked(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Try what a rule would change, or options that a person names, on scratch filesystems in `folder`."""

    rule: str = ""
    options: tuple[str, ...] = ()
    """Mount options, and 'mkfs:' with arguments; where there is no rule."""
    folder: str
    seconds: float
    matters: float = 0.05


class CompareAsked(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Compare paths, the devices below them, and filesystems in images on the first path."""

    targets: tuple[str, ...]
    images: tuple[str, ...]
    jobs: tuple[str, ...]
    seconds: float
    """For each job on each side."""
    width: float = 0.1


Asked: TypeAlias = ProbeAsked | TrialAsked | CompareAsked


class Go(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The second line that a session reads: start. Where there is none, it ends without having touched anything."""

    gentle: bool = False


class TrialWork(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What is to be tried, and where: images in `folder`, or halves of `device`."""

    job: str
    default: ScratchFilesystem
    changed: ScratchFilesystem
    folder: bytes
    """As the kernel has it: it need be no UTF-8."""
    device: str = ""
    size_bytes: int
    """Of each image; of a device its half."""
    disks: Way | None
    """The devices below; None where they are not known."""
    seconds: float
    matters: float
    seed: int


class CompareJob(msgspec.Struct, frozen=True, kw_only=True):
    """A job, and the size of its file, which is the same on all sides; None where it has none."""

    id: str
    file_bytes: int | None


class ComparePath(msgspec.Struct, frozen=True, kw_only=True):
    """A mounted path, or the device below one, as it is."""

    side: Side
    folder: bytes
    """As the kernel has it: it need be no UTF-8."""
    seen: tuple[int, int] | None
    """Its device and inode when it was looked at."""
    mount: str
    below: Way | None
    write_back: bool | None
    depends: dict[str, str]


class CompareWork(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Jobs on sides. `seconds` are for each job on each side; `seed` draws the order of each round."""

    jobs: tuple[CompareJob, ...]
    paths: tuple[ComparePath, ...]
    images: tuple[str, ...]
    """Names of `compare.CHOICES`."""
    image_folder: bytes
    image_bytes: int
    seconds: float
    width: float
    seed: int
    devices: bool
    """Whether the loop device below an image is read, too."""


class SweepWork(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """One sweep: each filesystem with each workload at each latency, `passes` times there and back."""

    folder: str
    base: Base
    size_bytes: int
    filesystems: tuple[str, ...]
    workloads: tuple[str, ...]
    delays_ms: tuple[float, ...]
    passes: int = 2
    seconds: float = 3.0
    """Of a window at the longest delay; shorter ones in proportion to delay + 1 ms, at least a tenth."""
    most_operations: int | None = None
    """Windows are shorter where so many operations, at the rate of the one before, take less."""
    threads: int | None = None
    """Instead of the job's own."""
    files: int | None = None
    stretch: int = 1
    """Delays and seconds are so many times as long: for a guest whose processor is as much slower (`tools.paper`)."""
    options: dict[str, str] = {}
    """More mount options by type."""


Work: TypeAlias = TrialWork | CompareWork | SweepWork


class Estimate(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What would be done, what it takes and what speaks against it, before anything is touched."""

    title: str = ""
    says: tuple[tuple[str, str], ...] = ()
    """What is done, by a word for each: 'job', 'as it is', 'changed'."""
    target: str = ""
    """Of a probe."""
    job: str = ""
    """Of a trial: what is measured."""
    cost: Cost
    findings: tuple[Objection, ...]
    dangers: tuple[str, ...] = ()
    would_do: tuple[str, ...] = ()
    """What may run instead, where this may not."""

    @property
    def refused(self) -> tuple[Objection, ...]:
        """Why it may not start."""
        return tuple(one for one in self.findings if one.level == "refused")


class Started(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A job is being set up on a side; jobs are counted from 1. An image is made while no job is: `at` is 0."""

    at: int
    job: str
    side: str = ""
    """'' of a probe, which has one."""
    seconds_left: float = 0.0
    """Of all jobs of a probe, at most."""


class Progress(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A window has ended."""

    at: int
    job: str
    side: str = ""
    used: float
    """How much of the job's time on this side is used up, 0 to 1."""
    seconds_left: float = 0.0
    headline: str
    value: float | None
    """In the headline's unit; None where the window has none."""
    void: str
    """Why it does not count, '' where it does."""
    figure: Figure | None
    """So far."""
    counted: int
    operations_per_s: float
    bytes_per_s: float
    p50_us: float | None
    p99_us: float | None


class BlockProgress(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A block of a trial has ended."""

    progress: TrialInterim


class Point(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A window of a sweep. Times are divided by the stretch."""

    filesystem: str
    workload: str
    asked_ms: float
    device_ms: float | None
    """Mean time of a read or write on the device, by its counters; None where there were too few to tell."""
    requests: int
    operations: int
    seconds: float
    throughput: float
    """Operations (whole loops of the workload) per second."""
    cpu_share: float
    """Processor time of the workload over its time; 1 is one processor."""
    run: int


class JobDone(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A job on a side has ended."""

    at: int
    side: str = ""
    result: Result


class SideReady(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A side of a comparison is there: with the options that the kernel shows."""

    side: Side


class SidesReady(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """How all sides of a trial stand in the first turn, and who measures."""

    stands: tuple[MountedSide, ...]
    engine: str


class LeftOut(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A side, or one job on it, could not be measured."""

    side: str
    job: str = ""
    why: str


class Note(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Something that a person should know; what it is at between windows; or why it waits at the moment."""

    text: str
    kind: Literal["note", "step", "pause"] = "note"


class TrialDone(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What a trial came to."""

    comparison: TrialComparison


class CellDone(msgspec.Struct, frozen=True, kw_only=True):
    """One job on one side, both by name; `why` it was not measured."""

    side: str
    job: str
    result: Result | None
    why: str = ""


class CompareDone(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """All that a comparison has measured."""

    sides: tuple[Side, ...]
    jobs: tuple[str, ...]
    cells: tuple[CellDone, ...]
    when: str
    image_folder: str
    image_bytes: int
    seed: int


class Finished(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The last: everything is cleaned up."""

    state: State
    error: str = ""


Event: TypeAlias = (
    Estimate
    | Started
    | Progress
    | BlockProgress
    | Point
    | JobDone
    | SideReady
    | SidesReady
    | LeftOut
    | Note
    | TrialDone
    | CompareDone
    | Finished
)

_EVENTS: Final[msgspec.json.Decoder[Event]] = msgspec.json.Decoder(Event)
_ASKED: Final[msgspec.json.Decoder[Asked]] = msgspec.json.Decoder(Asked)
_WORK: Final[msgspec.json.Decoder[Work]] = msgspec.json.Decoder(Work)


def line(message: Event | Asked | Work | Go) -> bytes:
    """As one line. Where it names what is no UTF-8, '?' stands for those bytes."""
    return encoded(message) + b"\n"


def event(text: bytes) -> Event:
    """The event of a line. Raises msgspec.MsgspecError."""
    return _EVENTS.decode(text)


def asked(text: bytes) -> Asked:
    """What a session is asked. Raises msgspec.MsgspecError."""
    return _ASKED.decode(text)


def work(text: bytes) -> Work:
    """What a worker is asked. Raises msgspec.MsgspecError."""
    return _WORK.decode(text)


def of_window(
    number: int, job: Job, seen: measure.WindowProgress, *, used: float, side: str = "", seconds_left: float = 0.0
) -> Progress:
    """The message of a window that has ended."""
    window = seen.window
    times = window.sync_ns or window.latencies_ns
    return Progress(
        at=number,
        job=job.id,
        side=side,
        used=used,
        seconds_left=seconds_left,
        headline=job.headline.name,
        value=value(job, window),
        void=seen.void,
        figure=seen.figure,
        counted=seen.counted,
        operations_per_s=window.operations / window.seconds if window.seconds > 0 else 0.0,
        bytes_per_s=window.bytes_per_s or 0.0,
        p50_us=_us(times, 0.5),
        p99_us=_us(times, 0.99),
    )


def _us(histogram: Mapping[int, int], share: float) -> float | None:
    found = quantile(histogram, share)
    return None if found is None else found / 1000
