"""What is compared: a mounted path as it is, the device below it, or a filesystem made for this in an image.

The filesystems that are made for it are those that the filesystem types name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.measure.probe.job import Io, Ladder, Mix
from fsadvisor.measure.trial.testbed import Form
from fsadvisor.survey.filesystem_types.registry import NO_FLUSH_OPTIONS, TYPES, type_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fsadvisor.machine.port import Machine
    from fsadvisor.measure.probe.job import Job
    from fsadvisor.measure.probe.result import Result
    from fsadvisor.survey.filesystem_types.base import Variant

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


class Choice(Struct, frozen=True, kw_only=True):
    """A filesystem to be made."""

    form: Form
    says: str
    """What it is, in a few words."""
    dangers: tuple[str, ...] = ()


def _choice(fs_type: str, made: Variant) -> Choice:
    name = f"{fs_type}-{made.suffix}" if made.suffix else fs_type
    form = Form(name=name, fs_type=fs_type, mkfs=made.mkfs, options=made.options)
    return Choice(form=form, says=made.says, dangers=made.dangers)


_EVERY: Final = tuple(_choice(fs_type.name, made) for fs_type in TYPES.values() for made in fs_type.variants)
CHOICES: Final[Mapping[str, Choice]] = {it.form.name: it for it in _EVERY}
"""Every filesystem that can be made, by its name."""


def promise(fs_type: str, options: Sequence[str], write_cache: str | None) -> Promise:
    """What a sync ends with there; `write_cache` is that of the loop device, whose 'write through' drops flushes."""
    if NO_FLUSH_OPTIONS & set(options) or write_cache == "write through":
        return "no flushes"
    return "flushes" if type_of(fs_type).flushes_after_sync and write_cache is not None else "not known"


def kernel_has(fs_type: str, machine: Machine) -> Fact[bool]:
    """Whether the kernel has the filesystem, built in, loaded or as a module."""
    listed = machine.read("/proc/filesystems")
    if not isinstance(listed, Unknown) and fs_type in listed.text.split():
        return Known(True, "/proc/filesystems")
    release = machine.read("/proc/sys/kernel/osrelease")
    if isinstance(release, Unknown):
        return release
    modules = f"/lib/modules/{release.text.strip()}/modules.dep"
    found = machine.read(modules)
    if isinstance(found, Unknown):
        none = found.cause is Cause.NOT_EXPOSED and not isinstance(listed, Unknown)
        return Known(False, "/proc/filesystems") if none else found
    return Known(f"/{fs_type}.ko" in found.text, modules)
