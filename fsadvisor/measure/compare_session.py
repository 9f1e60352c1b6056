"""What a comparison does: looks around the paths, says what it takes, has it measured, makes its table and keeps it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import Known
from fsadvisor.machine.kept_files import COMPARED
from fsadvisor.machine.runner import encoded
from fsadvisor.measure import child, compare, compare_worker
from fsadvisor.measure.compare import CHOICES, Cell, Side, kernel_has
from fsadvisor.measure.compare.matrix import Standing, comparison
from fsadvisor.measure.compare.rounds import LEAST_WINDOWS
from fsadvisor.measure.messages import CompareJob, ComparePath, CompareWork, Finished, JobDone, LeftOut, Note, SideReady
from fsadvisor.measure.probe import EngineError, cost, disks, guard, store, surroundings
from fsadvisor.measure.probe.measure import WINDOW_SECONDS
from fsadvisor.measure.probe.result import Result
from fsadvisor.measure.probe.target import Objection, probe_lock, warning
from fsadvisor.measure.trial import mounting
from fsadvisor.pages.published import without_surrogates
from fsadvisor.storage import Below, Filesystem
from fsadvisor.survey import measured, read_fact
from fsadvisor.survey.whole import survey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.machine.port import Machine
    from fsadvisor.measure.compare.matrix import Comparison
    from fsadvisor.measure.messages import Event
    from fsadvisor.measure.probe.cost import Cost
    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.measure.probe.processes import Stop
    from fsadvisor.measure.probe.target import Holder, ProbePlace
    from fsadvisor.storage import Storage

    Hear = Callable[[Event], object]

_SLOW_BYTES_PER_S: Final = 50_000_000
_LEAST_SECONDS: Final = LEAST_WINDOWS * 2 * WINDOW_SECONDS
"""What a job takes on a side at most where it is given less: so many windows, each with a start of fio."""
_ROOT: Final = "run as root: images are mounted and devices read by root alone"
_ONLY_READ: Final = "nothing is written to a device, and only direct reads of blocks can be asked of one"


class ComparisonWanted(Struct, frozen=True, kw_only=True):
    """What is to be compared."""

    targets: tuple[str, ...]
    jobs: tuple[Job, ...]
    images: tuple[str, ...]
    """Names of `compare.CHOICES`; they are made on the first target's filesystem."""
    devices: bool
    """Whether the devices below are read, too."""
    seconds: float
    """For each job on each side, its set-up left out."""
    width: float
    in_data_directory: bool = False
    keep: bool = True
    """Whether it is kept who was best, where a comparison came to its end."""


class _Path(Struct, frozen=True, kw_only=True):
    """A target with what is around it."""

    asked: ComparePath
    place: ProbePlace


@contextlib.contextmanager
def around(wanted: ComparisonWanted, machine: Machine) -> Iterator[CompareSession]:
    """Look around the targets, and hold the locks on their mounts for as long as the block."""
    storage = survey(machine, {})
    with contextlib.ExitStack() as stack:
        locks: dict[str, Fact[Holder]] = {}
        paths = [_looked_at(target, machine, storage, stack, locks) for target in dict.fromkeys(wanted.targets)]
        able = {name: _obstacle(name, machine) for name in wanted.images}
        yield CompareSession(wanted, paths, able)


def _looked_at(
    target: str, machine: Machine, storage: Storage, stack: contextlib.ExitStack, locks: dict[str, Fact[Holder]]
) -> _Path:
    """`locks` are those that this process holds, by device: targets on one filesystem share it."""
    folder = surroundings.real(target)
    seen = surroundings.number_of(folder)
    is_folder = read_fact.value(surroundings.kind_of(folder)) == "folder"
    mount = surroundings.mount_of(folder, machine) if is_folder else None
    point = mount.mount_point if mount else ""
    device = mount.major_minor if mount else ""
    if device not in locks:
        locks[device] = stack.enter_context(probe_lock(mount))
    place = surroundings.place(folder, machine, storage, busy=locks[device])
    return _Path(asked=_asked(folder, seen, point, storage, place), place=place)


def _asked(folder: str, seen: tuple[int, int] | None, point: str, storage: Storage, place: ProbePlace) -> ComparePath:
    at = next((it for it in storage.subjects if it.id == f"mount:{point}"), None)
    below = at.scope.get("below") if at else None
    filesystem = at.scope.get("filesystem") if at else None
    depends = measured.conditions_of(storage, point)
    barriers = filesystem.barriers if isinstance(filesystem, Filesystem) else None
    flushes = read_fact.value(barriers) if barriers is not None else None
    fs_type = read_fact.value(place.fs_type) or ""
    return ComparePath(
        side=Side(
            name=without_surrogates(folder),
            kind="mounted",
            fs_type=without_surrogates(fs_type),
            options=without_surrogates(depends.get("mount.options", "")),
            promise="not known" if flushes is None else "flushes" if flushes else "no flushes",
        ),
        folder=encoded(folder),
        seen=seen,
        mount=without_surrogates(point),
        below=disks.way(storage, point) if point else None,
        write_back=read_fact.value(below.any_write_back) if isinstance(below, Below) else None,
        depends={name: without_surrogates(value) for name, value in depends.items()},
    )


def _obstacle(name: str, machine: Machine) -> str:
    """Why this filesystem cannot be made here, '' where nothing is known to speak against it."""
    if os.geteuid():
        return _ROOT
    fs_type = CHOICES[name].form.fs_type
    tool = f"mkfs.{fs_type}"
    if mounting.path_of(tool) is None:
        return str(mounting.missing(tool))
    there = kernel_has(fs_type, machine)
    return f"this kernel has no {fs_type}" if isinstance(there, Known) and not there.value else ""


class CompareSession:
    """One comparison: first `cost` and `findings`, then `measure`, then `table`."""

    def __init__(self, wanted: ComparisonWanted, paths: Sequence[_Path], obstacles: dict[str, str]) -> None:
        self.wanted, self._paths = wanted, paths
        self._images = tuple(name for name, why in obstacles.items() if not why)
        self._left_out = {name: why for name, why in obstacles.items() if why}
        self._cells: list[Cell] = []
        self._sides: dict[str, Side] = {}
        self.seed = random.randrange(1 << 31)  # noqa: S311 - an order, no secret
        self.image_bytes = compare.image_bytes(wanted.jobs)
        self._absent = {name: _not_made(name) for name in self._left_out}
        self._asked_paths = tuple(self._with_devices())
        images, work = self._setting_up(), cost.together(map(self._of_job, wanted.jobs))
        self.cost = replace(cost.together((images, work)), room_bytes=images.room_bytes + work.room_bytes)
        self.findings = tuple(self._against())
        self.state = "not started"
        self.failed = ""

    @property
    def refused(self) -> tuple[str, ...]:
        """Why it may not start, () where it may."""
        return tuple(it.says for it in self.findings if it.level == "refused")

    @property
    def image_folder(self) -> str:
        """Where images are made, '' where none are."""
        return self._paths[0].asked.side.name if self._images else ""

    @property
    def names(self) -> tuple[str, ...]:
        """The sides that will be measured, as far as they are known before."""
        return (*(it.side.name for it in self._asked_paths), *self._images)

    @property
    def whole(self) -> bool:
        """Whether every side has a figure for each job that it was given."""
        return bool(self._cells) and all(
            it.result is not None and it.result.end != "failed" and it.result.figure is not None for it in self._cells
        )

    @property
    def table(self) -> Comparison:
        """The results so far."""
        known = (*(it.side for it in self._asked_paths), *self._sides.values())
        sides = [*known, *(self._absent.get(name) or _not_made(name) for name in self._left_out)]
        jobs = self.wanted.jobs
        missing = [
            Cell(side=side, job=job, result=None, why=why)
            for side in sides
            for job in jobs
            if (why := self._why_not(side, job))
        ]
        return comparison(sides, jobs, [*missing, *self._cells])

    def _why_not(self, side: Side, job: Job) -> str:
        if side.name in self._left_out:
            return self._left_out[side.name]
        return _ONLY_READ if side.kind == "device" and not compare_worker.fits_device(job) else ""

    def _with_devices(self) -> Iterator[ComparePath]:
        for path in self._paths:
            asked = path.asked
            if self.wanted.devices and not os.geteuid() and any(map(compare_worker.fits_device, self.wanted.jobs)):
                name = f"device below {asked.side.name}"
                side = Side(name=name, kind="device", fs_type="", options="", above=asked.side.name)
                if why := compare_worker.device_obstacle(Path(os.fsdecode(asked.folder))):
                    self._left_out[name], self._absent[name] = why, side
                else:
                    yield replace(asked, side=side)
            yield asked

    def _setting_up(self) -> Cost:
        """The images are written once, so that nothing is allocated under them later."""
        size = len(self._images) * self.image_bytes
        return replace(cost.NOTHING, written_bytes=size, room_bytes=size, most_seconds=size / _SLOW_BYTES_PER_S)

    def _of_job(self, job: Job) -> Cost:
        """On all sides: they are open at the same time, those in images within them."""
        cost = compare.cost_of(job, max(self.wanted.seconds, _LEAST_SECONDS))
        devices = len(self._asked_paths) - len(self._paths) if compare_worker.fits_device(job) else 0
        writing = len(self._paths) + len(self._images)
        laid_out = compare.file_bytes(job) or 0
        return replace(
            cost,
            written_bytes=cost.written_bytes * writing + laid_out * devices,
            room_bytes=cost.room_bytes * (len(self._paths) + devices),
            files=cost.files * (len(self._paths) + devices),
            least_seconds=cost.least_seconds * (writing + devices),
            most_seconds=cost.most_seconds * (writing + devices),
        )

    def _against(self) -> Iterator[Objection]:
        shared = self._setting_up()
        mounts = [it.asked.mount for it in self._paths]
        own = cost.together(compare.cost_of(job, self.wanted.seconds) for job in self.wanted.jobs)
        for at, path in enumerate(self._paths):
            alike = mounts.count(mounts[at])
            room = own.room_bytes * 2 * alike + (shared.room_bytes if mounts[at] == mounts[0] else 0)
            there = replace(own, room_bytes=room, files=own.files * alike, written_bytes=self.cost.written_bytes)
            yield from guard.findings(there, path.place, in_data_directory=self.wanted.in_data_directory)
        for names, why in _together(self._left_out):
            yield warning("kind", f"left out: {', '.join(names)}: {why}")
        if self.wanted.devices and os.geteuid():
            yield warning("kind", f"left out: the devices below: {_ROOT}")

    def measure(self, stop: Stop, hear: Hear) -> None:
        """Measure all jobs on all sides, until somebody stops it."""
        work = CompareWork(
            jobs=tuple(CompareJob(id=it.id, file_bytes=compare.file_bytes(it)) for it in self.wanted.jobs),
            paths=self._asked_paths,
            images=self._images,
            image_folder=self._asked_paths[0].folder,
            image_bytes=self.image_bytes,
            seconds=self.wanted.seconds,
            width=self.wanted.width,
            seed=self.seed,
            devices=self.wanted.devices,
        )
        try:
            with stop.listening():
                for event in child.events(work, stop):
                    self._follow(event)
                    if not isinstance(event, Finished):
                        hear(event)
        except EngineError as error:
            self.failed = str(error)
        self.state = "cancelled" if stop.asked else "failed" if self.failed else "done"
        if self.wanted.keep and self.state == "done":
            self._keep(hear)

    def _keep(self, hear: Hear) -> None:
        """Who was best at what, for the lists of the explorer."""
        when = datetime.now(tz=UTC).isoformat(timespec="seconds")
        found = remembered(self.table, self._paths[0].asked, when)
        if found and (why := store.keep_for_this_user(found)):
            hear(Note(text=why))

    def _follow(self, event: Event) -> None:
        match event:
            case SideReady(side=side):
                self._sides[side.name] = side
            case LeftOut(side=name, why=why):
                self._left_out[name] = why
            case Finished(error=error):
                self.failed = error
            case JobDone(at=at, side=name, result=result):
                sides = {it.side.name: it.side for it in self._asked_paths} | self._sides
                self._cells.append(Cell(side=sides[name], job=self.wanted.jobs[at - 1], result=result))


def _not_made(name: str) -> Side:
    """The side that a filesystem would have been."""
    form = CHOICES[name].form
    options = ",".join(form.options)
    return Side(name=name, kind="image", in_image=True, fs_type=form.fs_type, options=options)


def _together(left_out: dict[str, str]) -> Iterator[tuple[list[str], str]]:
    """Names by the reason why they are left out."""
    for why in dict.fromkeys(left_out.values()):
        yield [name for name, one in left_out.items() if one == why], why


_AT_THE_TOP = (Standing.BEST, Standing.TIE)


def remembered(found: Comparison, first: ComparePath, when: str) -> Result | None:
    """None where nobody was ranked, or where it is not known which mount the first side is on.

    What it depends on is kept of the first side: another kernel, option or disk there makes it stale.
    """
    best = dict(_best(found))
    if not best or not first.mount:
        return None
    sides, jobs = tuple(side.name for side in found.sides), tuple(row.job.id for row in found.rows)
    results = [one.cell.result for row in found.rows for one in row.ranked if one.cell.result is not None]
    question = f"{', '.join(sides)} by {', '.join(jobs)}"
    return Result(
        job=f"{COMPARED}{hashlib.sha256(question.encode()).hexdigest()[:12]}",
        question=question,
        target=first.side.name,
        mount=first.mount,
        when=when,
        engine=results[0].engine,
        headline="",
        figure=None,
        end="settled",
        windows=sum(one.windows for one in results),
        seconds=sum(one.seconds for one in results),
        depends=first.depends,
        sides=sides,
        best=best,
    )


def _best(found: Comparison) -> Iterator[tuple[str, tuple[str, ...]]]:
    """By what was asked, the sides at the top: one is best, several tie."""
    for row in found.rows:
        for asked, members in row.groups():
            top = tuple(one.cell.side.name for one in members if one.standing in _AT_THE_TOP)
            if top:
                where = " in images" if asked.ground == "image" else ""
                yield f"{row.job.id}{where}{' without flushes' if asked.promise == 'no flushes' else ''}", top
