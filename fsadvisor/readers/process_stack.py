"""Where in the kernel a thread is: /proc/PID/task/TID/stack.

Written against Linux 6.18 (CONFIG_STACKTRACE); root only. Innermost first. A thread that runs its own code has none.

    [<0>] jbd2_log_wait_commit+0xd1/0x130
    [<0>] ext4_sync_file+0x182/0x350
    [<0>] do_fsync+0x38/0x70
    [<0>] __x64_sys_fdatasync+0x13/0x20

https://docs.kernel.org/filesystems/proc.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_FRAME = re.compile(r"\[<[0-9a-f]+>\] (\S+?)\+0x", re.ASCII)
_SYNCING = re.compile(
    r"vfs_fsync_range|do_fsync|(?:__\w+_)?sys_(?:fsync|fdatasync|sync|syncfs|msync|sync_file_range2?)|ksys_sync"
    r"|sync_filesystem|\w+_sync_file|\w+_file_fsync|blkdev_fsync|zpl_fsync",
    re.ASCII,
)
"""All ways into a sync: the calls, writes of files opened with O_SYNC, and io_uring's workers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessStack:
    """The functions, innermost first."""

    functions: tuple[str, ...]
    syncing: bool
    """It waits in fsync, fdatasync, sync, msync, or a write that syncs."""


def parse(text: str) -> ProcessStack | Unknown:
    """Read the file; an empty one is a thread that is not in the kernel."""
    functions = tuple(_FRAME.findall(text))
    if not functions and text.strip():
        return refusal(text, "no stack of the kernel")
    return ProcessStack(
        functions=functions, syncing=any(_SYNCING.fullmatch(name.partition(".")[0]) for name in functions)
    )
