"""The filesystems that are made to be compared: as they come, and with options that people set for speed. Data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.trial.arena import Form

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fsadvisor.compare.side import Promise
    from fsadvisor.machine.port import Machine

_NO_FLUSHES: Final = frozenset({"nobarrier", "barrier=0", "fsync_mode=nobarrier"})
_FLUSHING: Final = frozenset({"ext3", "ext4", "xfs", "btrfs", "f2fs"})
"""Those that flush after a sync unless they are told not to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A filesystem to be made."""

    form: Form
    says: str
    """What it is, in a few words."""
    dangers: tuple[str, ...] = ()


def _choice(name: str, says: str, *options: str, mkfs: tuple[str, ...] = (), dangers: tuple[str, ...] = ()) -> Choice:
    fs_type = name.partition("-")[0]
    return Choice(form=Form(name=name, fs_type=fs_type, mkfs=mkfs, options=options), says=says, dangers=dangers)


_EVERY: Final = (
    _choice("ext4", "ext4 as it comes"),
    _choice(
        "ext4-tuned",
        "ext4 with fast commits, and times written late",
        *("noatime", "lazytime"),
        mkfs=("-O", "fast_commit"),
        dangers=("lazytime: after a power cut a file's times may be a day old",),
    ),
    _choice(
        "ext4-seed",
        "ext4 with four options that a guide calls safe",
        *("data=writeback", "noatime", "nobarrier", "commit=60"),
        dangers=(
            "nobarrier: without power-loss protection a power cut loses synced files, and can damage the filesystem",
            "data=writeback: after a power cut new files may hold old blocks, those of others among them",
            "commit=60: what nobody synced is lost of the last minute, and not of five seconds",
        ),
    ),
    _choice("xfs", "XFS as it comes"),
    _choice("xfs-tuned", "XFS with large log buffers", "noatime", "logbsize=256k"),
    _choice("btrfs", "Btrfs as it comes"),
    _choice(
        "btrfs-tuned",
        "Btrfs that overwrites in place",
        *("noatime", "nodatacow"),
        dangers=(
            "nodatacow: no checksums of data, no compression, no repair from a copy; a power cut can tear a write",
        ),
    ),
    _choice("f2fs", "F2FS as it comes"),
    _choice("f2fs-tuned", "F2FS whose checkpoints are made together", "noatime", "checkpoint_merge"),
)
CHOICES: Final[Mapping[str, Choice]] = {it.form.name: it for it in _EVERY}
"""Every filesystem that can be made, by its name."""


def promise(fs_type: str, options: Sequence[str], write_cache: str | None) -> Promise:
    """What a sync ends with there; `write_cache` is that of the loop device, whose 'write through' drops flushes."""
    if _NO_FLUSHES & set(options) or write_cache == "write through":
        return "no flushes"
    return "flushes" if fs_type in _FLUSHING and write_cache is not None else "not known"


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
