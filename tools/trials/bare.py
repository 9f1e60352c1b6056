"""In the guest: what the same job does on the same disk without fsadvisor, by fio alone in long runs.

Loop devices, filesystems, mounts and fio's arguments are written down here once more, so that nothing of a trial is in
the truth that it is held against.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tools.trials.disk import STORE_MIB, run
from tools.trials.rows import Bare

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILE_MIB: Final = 64
_ORDER: Final = ("default", "changed", "changed", "default")
FIO: Final = "/run/fio"
"""A copy: the other is taken away for trials without it."""
RUNS: Final = 2 * len(_ORDER)
"""Of both sides together."""
_HALF_BYTES: Final = STORE_MIB // 2 << 20


@contextlib.contextmanager
def _stood(device: str, half: int, options: str, folder: Path) -> Iterator[Path]:
    """A new ext4 on a half of the disk, and in it the file that is written over."""
    offset = (*("--offset", str(half * _HALF_BYTES)), *("--sizelimit", str(_HALF_BYTES)))
    loop = run("losetup", "--find", "--show", "--direct-io=on", *offset, device).strip()
    try:
        run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", loop)
        folder.mkdir(parents=True, exist_ok=True)
        run("mount", "-n", "-t", "ext4", *(("-o", options) if options else ()), loop, str(folder))
        try:
            file = folder / "file"
            run("dd", "if=/dev/zero", f"of={file}", "bs=1M", f"count={_FILE_MIB}", "oflag=direct", "conv=fsync")
            yield file
        finally:
            run("umount", str(folder))
    finally:
        run("losetup", "--detach", loop)


def runs(device: str, options: str, seconds: float, group: str, *, noisy: bool) -> Iterator[Bare]:
    """Runs of fio on both sides, A B B A, with the sides once on each half."""
    number = 0
    for half in (0, 1):
        with (
            _stood(device, half, "", Path("/run/bare/a")) as plain,
            _stood(device, 1 - half, options, Path("/run/bare/b")) as changed,
        ):
            for side in _ORDER:
                number += 1
                file = plain if side == "default" else changed
                yield _run(file, seconds, group=group, noisy=noisy, side=side, number=number)
    with Path(device).open("r+b", buffering=0) as disk:  # so that it counts as empty again
        for at in (0, _HALF_BYTES):
            disk.seek(at)
            disk.write(bytes(1 << 20))


def _run(file: Path, seconds: float, *, group: str, noisy: bool, side: str, number: int) -> Bare:
    said = run(
        *(FIO, "--name=bare", f"--filename={file}", "--rw=randwrite", "--bs=4k", f"--size={_FILE_MIB}m"),
        *("--ioengine=psync", "--fdatasync=1", "--overwrite=1", "--thread", "--randrepeat=0", f"--randseed={number}"),
        *(
            "--time_based",
            f"--runtime={round(1000 * seconds)}ms",
            "--output-format=json+",
            "--eta=never",
            "--disk_util=0",
        ),
    )
    latency = json.loads(said[said.index("{") :])["jobs"][0]["sync"]["lat_ns"]
    bins = {int(at): count for at, count in latency["bins"].items() if count}
    return Bare(
        group=group,
        noisy=noisy,
        side=side,
        number=number,
        operations=latency["N"],
        mean_us=latency["mean"] / 1000,
        bins_ns=bins,
    )
