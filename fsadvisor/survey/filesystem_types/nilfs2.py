"""NILFS2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Fact, Known
from fsadvisor.survey.filesystem_types import MOUNTINFO, Facts, FilesystemType, Superblock

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.version import Version


def _facts(_machine: Machine, block: Superblock, _kernel: Fact[Version]) -> Facts:
    """It shows `nobarrier` only where it is set (Linux 5.10 to 7.2), and `discard`, which it does at once."""
    options = block.mounts[0].super_options
    return {
        "barriers": Known("nobarrier" not in options, MOUNTINFO),
        "online_discard": Known("sync" if "discard" in options else "none", MOUNTINFO),
    }


NILFS2: Final = FilesystemType(
    name="nilfs2",
    facts=_facts,
    unprinted_defaults=("errors=remount-ro",),
    quotas="none",
    mkfs_quiet=("-q", "-f"),
    mkfs_at_once=("-K",),
    helper_options=("nogc",),
    no_flush_options=("nobarrier",),
    in_papers=True,
)
