"""What a process has read and written since it began: /proc/PID/io.

Written against Linux 6.18 (CONFIG_TASK_IO_ACCOUNTING). Only root may read that of others. Bytes count for whoever
made the pages dirty, when it did, not for the kernel's thread that writes them later; those of children that were
waited for come on top.

    rchar: 6976
    wchar: 0
    syscr: 10
    syscw: 0
    read_bytes: 0
    write_bytes: 0
    cancelled_write_bytes: 0

https://docs.kernel.org/filesystems/proc.html#proc-pid-io
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import counts

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessIo:
    """In bytes, at the storage."""

    read_bytes: int
    write_bytes: int
    cancelled_write_bytes: int
    """Written to files that were cut or removed before they reached a disk; in `write_bytes`, too."""


def parse(text: str) -> ProcessIo | Unknown:
    """Read the file."""
    numbers = counts(text, ": ")
    if "write_bytes" not in numbers or "read_bytes" not in numbers:
        return refusal(text, "no write_bytes line")
    return ProcessIo(
        read_bytes=numbers["read_bytes"],
        write_bytes=numbers["write_bytes"],
        cancelled_write_bytes=numbers.get("cancelled_write_bytes", 0),
    )
