"""How many cache flushes a disk is sent, and writes it ended, by the kernel's own count."""

import mmap
import os
from pathlib import Path

BLOCK = 4096


def sent(disk):
    """Flushes since boot: field 16 of /sys/block/D/stat."""
    return int(Path(f"/sys/block/{disk}/stat").read_text().split()[15])


def writes_ended(disk):
    """Since boot: field 5 of /sys/block/D/stat."""
    return int(Path(f"/sys/block/{disk}/stat").read_text().split()[4])


def prepare(path, blocks):
    """A file whose blocks are all allocated and written."""
    Path(path).write_bytes(b"\1" * BLOCK * blocks)
    os.sync()


def by_fsync(path, blocks):
    """Overwrite each block through the page cache, fsync after each."""
    opened = os.open(path, os.O_WRONLY)
    for number in range(blocks):
        os.pwrite(opened, b"\2" * BLOCK, number * BLOCK)
        os.fsync(opened)
    os.close(opened)


def by_dsync(path, blocks):
    """Overwrite each block by a direct write that returns when it is durable: O_DIRECT, O_DSYNC."""
    with mmap.mmap(-1, BLOCK) as block:
        block.write(b"\3" * BLOCK)
        opened = os.open(path, os.O_WRONLY | os.O_DIRECT | os.O_DSYNC)
        for number in range(blocks):
            assert os.pwritev(opened, [block], number * BLOCK) == BLOCK
        os.close(opened)
