"""In the guest: a disk of memory that takes a known time for a block, and another for a flush.

null_blk takes the same time for both. So the disk is two of them, joined by dm-linear: one without a write cache that
holds the blocks, and a small one with a write cache, to which a flush of the whole goes as well and which takes the
flush's time. Both times are kept by high-resolution timers, to the nanosecond.
https://docs.kernel.org/block/null_blk.html
"""

from __future__ import annotations

import contextlib
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.trials.plan import Costs

_CONFIG: Final = Path("/sys/kernel/config/nullb")
_BY_TIMER: Final = 2  # irqmode
NAME: Final = "planted"
STORE_MIB: Final = 640
"""Both halves lie on the part that holds the blocks: the one MiB of the other is left over."""
_TRIES: Final = 100


@contextlib.contextmanager
def null_blk(name: str, **settings: int) -> Iterator[str]:
    """A null_blk device with these settings, and its path."""
    folder, before = _CONFIG / name, _disks()
    folder.mkdir()
    try:
        for setting, value in ({"blocksize": 512, "memory_backed": 1} | settings).items():
            (folder / setting).write_text(str(value))
        (folder / "power").write_text("1")
        (made,) = _disks() - before
        scheduler = Path("/sys/block", made, "queue/scheduler")
        scheduler.write_text("none")  # another waits for milliseconds where the disk is busy
        yield f"/dev/{made}"
    finally:
        with contextlib.suppress(OSError):
            (folder / "power").write_text("0")
        folder.rmdir()


def _disks() -> set[str]:
    return {path.name for path in Path("/sys/block").iterdir()}


@contextlib.contextmanager
def planted(costs: Costs) -> Iterator[str]:
    """The disk's path."""
    timed = {"irqmode": _BY_TIMER, "hw_queue_depth": 1}
    with (
        null_blk("planted-store", size=STORE_MIB, completion_nsec=_ns(costs.write_us), **timed) as store,
        null_blk("planted-cache", size=1, cache_size=1, completion_nsec=_ns(costs.flush_us), **timed) as cache,
    ):
        table = "".join(
            f"{at} {length} linear {path} 0\n"
            for at, length, path in ((0, STORE_MIB << 11, store), (STORE_MIB << 11, 2048, cache))
        )
        run("dmsetup", "create", NAME, text=table)
        try:
            yield f"/dev/mapper/{NAME}"
        finally:
            _removed()


def _ns(microseconds: float) -> int:
    return round(1000 * microseconds)


def _removed() -> None:
    """Programs of udev may look at it for a moment."""
    for _ in range(_TRIES):
        if subprocess.run(["dmsetup", "remove", NAME], capture_output=True, check=False).returncode == 0:
            return
        time.sleep(0.1)
    run("dmsetup", "remove", NAME)


def kernel_name(path: str) -> str:
    """dm-0 of /dev/mapper/planted."""
    return Path(path).resolve().name


def run(*argv: str, text: str | None = None) -> str:
    """What a tool prints; an error with its own words where it fails."""
    done = subprocess.run(argv, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(argv)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout
