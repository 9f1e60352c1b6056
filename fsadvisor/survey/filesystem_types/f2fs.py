"""F2FS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers import json_text
from fsadvisor.survey import read_fact
from fsadvisor.survey.filesystem_types import MOUNTINFO, Devices, Facts, FilesystemType, Superblock, Variant

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.mount_tables import MountEntry
    from fsadvisor.survey.block import BlockDevice, BlockTree
    from fsadvisor.version import Version

_NO_FLUSHES = ("nobarrier", "fsync_mode=nobarrier")
"""Shown only when set (Linux 5.10 to 7.2)."""


def _devices(
    machine: Machine,
    mount: MountEntry,
    device: BlockDevice | None,
    _tree: BlockTree,
    _listed: Any,  # noqa: ANN401 - nothing is listed
) -> Devices:
    if device is None:
        return Devices((), False)
    return Devices((device.name,), _is_all(machine, mount, device))


def _is_all(machine: Machine, mount: MountEntry, device: BlockDevice) -> bool:
    """Whether it lives on this device alone: on more, of which nothing in /proc or /sys tells, it is larger.

    What statvfs calls its size is all that mkfs laid out but the first segment, so it is smaller than a single device.
    """
    space = read_fact.understood(machine.space(mount.mount_point), json_text.load)
    size = None if isinstance(space, Unknown) else json_text.integer(space, "size")
    sectors = read_fact.value(device.sectors)
    return size is not None and sectors is not None and size < sectors * 512


def _facts(_machine: Machine, block: Superblock, _kernel: Fact[Version]) -> Facts:
    """It prints checkpoint=disable, with what it may cost in blocks, while there are none (since 4.20)."""
    options = block.mounts[0].super_options
    no_checkpoints = any(word.startswith("checkpoint=disable") for word in options)
    return {
        "barriers": Known(not set(_NO_FLUSHES) & set(options), MOUNTINFO),
        "online_discard": _discard(options),
        "checkpoints": Known(not no_checkpoints, MOUNTINFO),
    }


def _discard(options: tuple[str, ...]) -> Fact[str]:
    """It prints either word, and leaves discarding to a thread."""
    if "discard" in options:
        return Known("async", MOUNTINFO)
    return Known("none", MOUNTINFO) if "nodiscard" in options else Unknown(Cause.NOT_EXPOSED, "", MOUNTINFO)


F2FS: Final = FilesystemType(
    name="f2fs",
    devices=_devices,
    devices_untold=True,
    facts=_facts,
    mkfs_quiet=("-q", "-f"),
    mkfs_at_once=("-t", "0"),
    least_bytes=128 << 20,
    flushes_after_sync=True,
    no_flush_options=_NO_FLUSHES,
    in_papers=True,
    variants=(
        Variant(says="F2FS as it comes"),
        Variant(
            suffix="tuned",
            says="F2FS whose checkpoints are made together",
            options=("noatime", "checkpoint_merge"),
        ),
    ),
)
