"""In the guest, a process of its own: a neighbour on the same disk and processor, whose appetite changes.

argv: a number to draw lots with, the disk, and what it takes for a block, in µs. Every few seconds it draws by lot how
busy it keeps the disk. It reads single blocks, which the trial's requests have to wait for as the disk does one thing
at a time, and now and then takes the processor away from everybody. It writes nothing.
"""

from __future__ import annotations

import math
import mmap
import os
import random
import sys
import time
from typing import Final

_BLOCK: Final = 4096
_GAPS: Final = (1.0, 20.0)
"""Between reads, on average, in times of what a read takes: it keeps the disk busy for 5 to 50 % of the time."""
_MOODS_S: Final = (0.3, 3.0)
_STALLS: Final = 0.02
"""Of reads are followed by one."""
_LONGEST_STALL_S: Final = 0.003
_PRIORITY: Final = 10


def main(argv: list[str]) -> None:
    """Until it is killed."""
    lots, takes = random.Random(int(argv[0])), float(argv[2]) / 1e6
    disk = os.open(argv[1], os.O_RDONLY | os.O_DIRECT)
    blocks = os.lseek(disk, 0, os.SEEK_END) // _BLOCK - 512
    block = mmap.mmap(-1, _BLOCK)
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_PRIORITY))
    print("at work", flush=True)
    while True:
        gap = takes * math.exp(lots.uniform(*map(math.log, _GAPS)))
        until = time.monotonic() + lots.uniform(*_MOODS_S)
        while time.monotonic() < until:
            time.sleep(lots.expovariate(1 / gap))
            os.preadv(disk, [block], lots.randrange(blocks) * _BLOCK)
            if lots.random() < _STALLS:
                end = time.monotonic() + lots.uniform(0, _LONGEST_STALL_S)
                while time.monotonic() < end:
                    pass


if __name__ == "__main__":
    main(sys.argv[1:])
