"""What is compared: a mounted path as it is, the device below it, or a filesystem made for this in an image."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

from fsadvisor.probe.job import Io, Ladder, Mix

if TYPE_CHECKING:
    from fsadvisor.probe.job import Job
    from fsadvisor.probe.result import Result

Kind: TypeAlias = Literal["device", "mounted", "image"]
"""The block device below a path, of which is only read; a path as it is mounted; a filesystem in an image."""
Promise: TypeAlias = Literal["flushes", "no flushes", "not known"]
"""What a sync ends with: a flush of the disks' caches, none (nobarrier), or that could not be told."""


class Side(Struct, frozen=True, kw_only=True):
    """One of those that are compared. Its name is its column's."""

    name: str
    kind: Kind
    fs_type: str
    """'' for a device."""
    options: str
    """Mount options; '' for a device."""
    made_with: str = ""
    """Arguments of mkfs beyond its defaults."""
    promise: Promise = "not known"
    above: str = ""
    """Of a device: the side whose filesystem is on it."""
    in_image: bool = False
    """A filesystem in an image, or the loop device below one."""
    dangers: tuple[str, ...] = ()
    """What its options cost in safety: a sentence for each."""
    note: str = ""
    """What else a reader has to know of it."""

    @property
    def ground(self) -> Literal["image", "bare"]:
        """What is below: figures of images hold the filesystem under the image, too, and those of paths do not."""
        return "image" if self.in_image else "bare"


class Cell(Struct, frozen=True, kw_only=True):
    """One job on one side."""

    side: Side
    job: Job
    result: Result | None
    """None where it was not begun."""
    why: str = ""
    """Why it was not, in a sentence."""


def syncs(job: Job) -> bool:
    """Whether syncs are part of what is timed, so that what a sync promises is part of the question."""
    match job.work:
        case Io(sync=sync):
            return sync != "none"
        case Ladder():
            return True
        case Mix(steps=steps):
            return "fsync" in steps
    return False
