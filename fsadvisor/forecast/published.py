"""What seed 001 found on Linux 3.14: classes and inversions, as its sections and tables have them.

Rankings of that time do not hold today (errata E36, E37): these are to be set beside what is measured, never instead.
The figures behind them were published as pictures only, so C and l_sw of the paper's own cannot be had.
"""

from __future__ import annotations

from typing import Final

from fsadvisor.forecast.classes import Class

SOURCE: Final = "a paper of 2015, Linux 3.14, two 8-core Xeon, a RAM disk behind dm-delay; 20 minutes each"
FILESYSTEMS: Final = ("ext4", "xfs", "btrfs", "nilfs2", "f2fs")
WORKLOADS: Final = ("web", "file-server", "mail")

CLASSES: Final[dict[tuple[str, str], tuple[Class, str]]] = {
    ("ext4", "web"): (Class.I, ""),
    ("ext4", "file-server"): (Class.I, ""),
    ("ext4", "mail"): (Class.II, ""),
    ("xfs", "web"): (Class.II, ""),
    ("xfs", "file-server"): (Class.II, ""),
    ("xfs", "mail"): (Class.I, ""),
    ("btrfs", "web"): (Class.I, ""),
    ("btrfs", "mail"): (Class.III, "from 2 to 3 ms on"),
    ("nilfs2", "web"): (Class.I, ""),
    ("nilfs2", "file-server"): (Class.FALLS, ""),
    ("nilfs2", "mail"): (Class.III, "from 4 to 5 ms on"),
    ("f2fs", "web"): (Class.III, "but better again below 1 ms"),
    ("f2fs", "file-server"): (Class.II, ""),
    ("f2fs", "mail"): (Class.II, ""),
}
"""(filesystem, workload) -> class and what is said besides: observation 3. Btrfs under a file server is given none."""

INVERSIONS: Final[dict[str, frozenset[frozenset[str]]]] = {
    "web": frozenset({frozenset({"btrfs", "f2fs"}), frozenset({"nilfs2", "f2fs"})}),
    "file-server": frozenset(
        {
            frozenset({"ext4", "f2fs"}),
            frozenset({"xfs", "btrfs"}),
            frozenset({"xfs", "f2fs"}),
            frozenset({"btrfs", "f2fs"}),
        }
    ),
    "mail": frozenset({frozenset({"ext4", "xfs"}), frozenset({"ext4", "btrfs"}), frozenset({"nilfs2", "f2fs"})}),
}
"""Table 1: pairs that change places, by workload."""
