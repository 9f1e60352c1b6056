"""Whether the kernel stopped writing to a filesystem by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.survey import read_fact
from fsadvisor.version import Version

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fsadvisor.machine.port import Answer
    from fsadvisor.survey.filesystem_types.base import Superblock

_MOUNTINFO = "/proc/self/mountinfo"
_STOPPED_OPTIONS = ("emergency_ro", "shutdown")
"""What ext4 adds to its options since 6.15 and 6.14."""
_EMERGENCY_RO = Version(6, 15)
_HIDDEN = "which kernels before 6.15 may say even if writes fail after an error"


def by_options(block: Superblock, seeds: Fact[bool]) -> Fact[bool]:
    """A Btrfs, and what an ext4 prints; `seeds` says that its format itself allows no writes.

    After an error the superblock is read-only while its mounts keep their rw; who remounts it read-only changes both.
    """
    options = block.mounts[0].super_options
    if any(word in options for word in _STOPPED_OPTIONS):
        return Known(True, _MOUNTINFO)
    if "ro" not in options:
        return Known(False, _MOUNTINFO)
    if any(mount.options == mount.super_options for mount in block.mounts):
        return Unknown(Cause.NOT_EXPOSED, "", "/proc/mounts, which does not tell the mount's ro from the superblock's")
    if not all("rw" in mount.options for mount in block.mounts):
        return Known(False, _MOUNTINFO)
    return read_fact.derive(seeds, lambda read_only_by_format: not read_only_by_format)


def ext4(block: Superblock, seeds: Fact[bool], errors: Fact[int], kernel: Fact[Version]) -> Fact[bool]:
    """After an error in an ext4: kernels that neither make the superblock read-only nor print emergency_ro hide it.

    Commit d3476f3dad4a (6.12, and in the stable series: Debian's 6.1.192 has it) left the superblock rw after an error;
    /proc/mounts and /proc/fs/ext4 then say rw though every write fails. No error in memory, nothing stopped it.
    """
    shown = by_options(block, seeds)
    if isinstance(shown, Unknown) or shown.value or "ro" in block.mounts[0].super_options:
        return shown
    if isinstance(kernel, Known) and kernel.value >= _EMERGENCY_RO:
        return shown
    if isinstance(errors, Unknown):
        return errors
    if errors.value:
        return Unknown(
            Cause.NOT_EXPOSED, "make a file on it, and see whether that fails", f"{_MOUNTINFO}: rw, {_HIDDEN}"
        )
    return Known(False, f"{_MOUNTINFO}, {errors.source}")


def xfs(answer: Answer) -> Fact[bool]:
    """An XFS: after a shutdown nothing in it can be opened, not even by xfs_info, and its options say nothing."""
    if isinstance(answer, Unknown):
        return answer
    failed = answer.status != 0 and answer.text.rstrip().endswith(": Input/output error")
    if failed or (answer.status == 0 and answer.text.startswith("meta-data=")):
        return Known(failed, answer.source)
    return Unknown(Cause.NOT_EXPOSED, "", answer.source)


def btrfs_seeds(writeable: Iterable[Fact[bool]]) -> Fact[bool]:
    """A Btrfs on seed devices, none of which may be written, is read-only by itself."""
    for fact in writeable:
        if isinstance(fact, Unknown) or fact.value:
            return read_fact.derive(fact, lambda _: False)
    return Known(True, "/sys/fs/btrfs/*/devinfo/*/writeable")
