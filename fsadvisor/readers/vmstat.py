"""Pages that wait to be written, and the kernel's limits for them: /proc/vmstat.

Written against Linux 6.18. The thresholds are what vm.dirty_* come to with the memory of the moment: above the
background one the kernel writes by itself, above the other whoever writes has to wait.

    nr_dirty 1189
    nr_writeback 22
    nr_dirty_threshold 1080405
    nr_dirty_background_threshold 539540

https://docs.kernel.org/admin-guide/sysctl/vm.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class VmStat:
    """In pages of memory; None where the kernel does not say."""

    dirty: int
    """Changed, and not yet sent to a disk."""
    writeback: int | None
    """On their way to a disk."""
    threshold: int | None
    """Dirty and on their way together: from here on writers wait."""
    background_threshold: int | None
    """From here on the kernel writes them by itself."""


def parse(text: str) -> VmStat | Unknown:
    """Read the file."""
    numbers: dict[str, int | None] = {}
    for line in text.split("\n"):
        name, _, value = line.partition(" ")
        if name.startswith(("nr_dirty", "nr_writeback")):
            numbers[name] = _pages(value)
    dirty = numbers.get("nr_dirty")
    if dirty is None:
        return refusal(text, "no nr_dirty line")
    return VmStat(
        dirty=dirty,
        writeback=numbers.get("nr_writeback"),
        threshold=numbers.get("nr_dirty_threshold"),
        background_threshold=numbers.get("nr_dirty_background_threshold"),
    )


def _pages(text: str) -> int | None:
    number = whole(text)
    return number if number is not None and number >= 0 else None
