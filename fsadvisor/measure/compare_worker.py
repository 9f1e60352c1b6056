"""What a comparison's worker does: makes the filesystems in images, and runs each job on all sides in turn."""

from __future__ import annotations

import contextlib
import os
import random
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from fsadvisor.measure.compare import device, rounds
from fsadvisor.measure.compare.rounds import Entrant
from fsadvisor.measure.compare.workloads import CHOICES, Side, promise, with_file
from fsadvisor.measure.messages import JobDone, LeftOut, Note, SideReady, Started, of_window
from fsadvisor.measure.probe import scratch, scratch_tree
from fsadvisor.measure.probe.disks import Way
from fsadvisor.measure.probe.engine import EngineError
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.probe.measure import Where
from fsadvisor.measure.probe.run import opened
from fsadvisor.measure.trial.mounting import enter
from fsadvisor.measure.trial.testbed import images, standing
from fsadvisor.survey.filesystem_types.registry import type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fsadvisor.measure.messages import ComparePath, CompareWork, Event
    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.measure.probe.processes import Stop
    from fsadvisor.measure.trial.mounting import Privacy
    from fsadvisor.measure.trial.testbed import DevicePart, MountedScratch

Emit: TypeAlias = "Callable[[Event], None]"

_BELOW_IMAGE = "loop device"


def run(wanted: CompareWork, emit: Emit, stop: Stop) -> None:
    """Every job on every side that takes it. Raises EngineError; Stopped before the first job."""
    for folder in {os.fsdecode(it.folder) for it in wanted.paths}:
        for text in scratch_tree.clear(Path(folder)):
            emit(Note(text=text))
    with contextlib.ExitStack() as stack:
        entrants = [*map(_as_it_is, wanted.paths), *_made(wanted, emit, stop, stack)]
        _measure(wanted, entrants, emit, stop)


class _Entrant:
    """An entrant, and what its side is."""

    def __init__(self, side: Side, entrant: Entrant) -> None:
        self.side, self.entrant = side, entrant

    def takes(self, job: Job) -> bool:
        """Whether the side can be given the job."""
        return self.side.kind != "device" or device.readable(job)


def _as_it_is(asked: ComparePath) -> _Entrant:
    """A mounted path, or the device below it."""
    folder = Path(os.fsdecode(asked.folder))
    where = Where(
        target=asked.side.name,
        mount=asked.mount,
        write_back=asked.write_back,
        way=asked.below,
        depends=asked.depends,
    )
    below = asked.side.kind == "device"
    return _Entrant(
        asked.side,
        Entrant(
            name=asked.side.name,
            where=where,
            opened=partial(device.opened if below else opened, target=folder, way=asked.below),
            rest=(lambda: None) if below else partial(_rest, folder, whole=False),
        ),
    )


def _made(wanted: CompareWork, emit: Emit, stop: Stop, stack: contextlib.ExitStack) -> Iterator[_Entrant]:
    """The filesystems in images, for as long as the stack; those that cannot be made are told."""
    if not wanted.images:
        return
    folder = Path(os.fsdecode(wanted.image_folder))
    with stop.interruptible():
        paths = (Path(os.fsdecode(it.folder)) for it in wanted.paths)
        privacy = enter([folder, *paths, Path(__file__), Path(sys.executable), Path(sys.prefix)])
        parts = stack.enter_context(images(folder, len(wanted.images), wanted.image_bytes))
    read_below = False
    for name, part in zip(wanted.images, parts, strict=True):
        emit(Started(at=0, job="", side=name))
        found = _stands(name, part, privacy, emit, stop, stack)
        if found is None:
            continue
        yield _in_image(name, found, emit)
        if wanted.devices and not read_below and type_of(found.form.fs_type).places_are_offsets:
            read_below = True
            yield _below_image(name, found, emit)


def _stands(
    name: str, part: DevicePart, privacy: Privacy, emit: Emit, stop: Stop, stack: contextlib.ExitStack
) -> MountedScratch | None:
    try:
        with stop.interruptible():
            return stack.enter_context(standing(privacy, CHOICES[name].form, part))
    except EngineError as error:
        emit(LeftOut(side=name, why=str(error)))
        return None


def _in_image(name: str, found: MountedScratch, emit: Emit) -> _Entrant:
    choice = CHOICES[name]
    side = Side(
        name=name,
        kind="image",
        in_image=True,
        fs_type=found.form.fs_type,
        options=",".join(found.options),
        made_with=" ".join(found.mkfs),
        promise=promise(found.form.fs_type, (*found.options, *found.form.options), found.write_cache),
        dangers=choice.dangers,
        note="" if found.direct_io else "its loop device goes through the page cache of the filesystem below",
    )
    emit(SideReady(side=side))
    return _Entrant(
        side,
        Entrant(
            name=name,
            where=_where(name, found),
            opened=partial(opened, target=found.folder, way=Way.straight_to(found.loop)),
            rest=partial(_rest, found.folder, whole=True),
        ),
    )


def _below_image(name: str, found: MountedScratch, emit: Emit) -> _Entrant:
    side = Side(name=_BELOW_IMAGE, kind="device", in_image=True, fs_type="", options="", above=name)
    emit(SideReady(side=side))
    return _Entrant(
        side,
        Entrant(
            name=_BELOW_IMAGE,
            where=_where(name, found),
            opened=partial(device.opened, target=found.folder, way=Way.straight_to(found.loop)),
        ),
    )


def _where(name: str, found: MountedScratch) -> Where:
    return Where(
        target=f"image {name}",
        mount="",
        write_back=None if found.write_cache is None else found.write_cache == "write back",
        way=Way.straight_to(found.loop),
        depends={"mount.fs_type": found.form.fs_type, "mount.options": ",".join(found.options)},
    )


def _rest(folder: Path, *, whole: bool) -> None:
    """Bring to the disk what is still to be written: of a filesystem of ours all, of others' what is its journal's."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if whole:
            scratch.write_all(descriptor)
        else:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _measure(wanted: CompareWork, entrants: list[_Entrant], emit: Emit, stop: Stop) -> None:
    lots = random.Random(wanted.seed)  # noqa: S311 - an order, no secret
    for number, asked in enumerate(wanted.jobs, 1):
        if stop.asked:
            return
        job = with_file(JOBS[asked.id], asked.file_bytes)
        able = [it.entrant for it in entrants if it.takes(job)]
        events = rounds.rounds(job, able, seconds=wanted.seconds, width=wanted.width, stop=stop, lots=lots)
        for event in events:
            emit(_event(number, job, event, wanted.seconds))


def _event(number: int, job: Job, event: rounds.Event, seconds: float) -> Event:
    match event:
        case rounds.SideStarted():
            return Started(at=number, job=job.id, side=event.side)
        case rounds.SideWindow():
            used = min(1.0, event.progress.seconds / seconds)
            return of_window(number, job, event.progress, used=used, side=event.side)
        case rounds.SideEnded():
            return JobDone(at=number, side=event.side, result=replace(event.result, histogram_us=()))
