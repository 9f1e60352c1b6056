"""In the guest: sets it up, and runs the sweep; the points go to /run/lab/results/sweep.jsonl, a line each.

argv: the stretch, seconds, passes, threads, files, the delays in ms with commas, filesystems, workloads, the most
operations of a window.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path

from fsadvisor.measure import child, messages, sweep_worker
from fsadvisor.measure.probe import own_worker

RESULTS = Path("/run/lab/results")
_SIZE_BYTES = 3 << 30
_SECONDS = {"ext4": ("commit", 5), "btrfs": ("commit", 30)}
_SYSCTLS = {  # in hundredths of a second, of a kernel as it comes
    "vm/dirty_writeback_centisecs": 500,
    "vm/dirty_expire_centisecs": 3000,
    "fs/xfs/xfssyncd_centisecs": 3000,
}
_DIRTY = {"vm/dirty_bytes": 16 << 20, "vm/dirty_background_bytes": 8 << 20}
_MODULES = ("dm-delay", "null_blk nr_devices=0", "ext4", "xfs", "btrfs", "f2fs", "nilfs2")


def _warm(filesystems: tuple[str, ...]) -> None:
    """Run every tool once, however long it takes.

    While the guest waits for this machine to read a program, its clock runs ahead, and minutes pass for time-outs.
    """
    with sweep_worker.memory_device(_SIZE_BYTES, 0) as name:
        for kind in filesystems:
            device, folder = f"/dev/{name}", Path("/run/warm")
            folder.mkdir(exist_ok=True)
            force = () if kind == "ext4" else ("-f",)
            subprocess.run([f"mkfs.{kind}", "-q", *force, device], check=True, stdout=subprocess.DEVNULL)
            more = ("-o", "nogc") if kind == "nilfs2" else ()
            subprocess.run(["mount", "-n", "-t", kind, *more, device, folder], check=True)
            subprocess.run(["umount", folder], check=True)
    subprocess.run(["dmsetup", "targets"], check=True, stdout=subprocess.DEVNULL)
    for _ in range(2):
        subprocess.run([sys.executable, "-I", "-S", own_worker.__file__, "{}"], check=False, stderr=subprocess.DEVNULL)


def main(argv: list[str]) -> int:
    """Do it."""
    stretch = int(argv[0])
    for module in _MODULES:
        subprocess.run(["modprobe", *module.split()], check=True)
    for name, usual in _SYSCTLS.items():
        Path("/proc/sys", name).write_text(str(min(usual * stretch, 720000)))
    for name, value in _DIRTY.items():
        Path("/proc/sys", name).write_text(str(value))
    _warm(tuple(argv[6].split(",")))
    Path("/proc/sys/kernel/hung_task_timeout_secs").write_text("0")
    work = messages.SweepWork(
        folder="/run",
        base="memory",
        size_bytes=_SIZE_BYTES,
        filesystems=tuple(argv[6].split(",")),
        workloads=tuple(argv[7].split(",")),
        delays_ms=tuple(map(float, argv[5].split(","))),
        passes=int(argv[2]),
        seconds=float(argv[1]),
        threads=int(argv[3]),
        files=int(argv[4]),
        most_operations=int(argv[8]),
        stretch=stretch,
        options={kind: f"{name}={seconds * stretch}" for kind, (name, seconds) in _SECONDS.items()},
    )
    with (RESULTS / "sweep.jsonl").open("wb", buffering=0) as file:
        for event in child.events(work):
            line = messages.line(event)
            file.write(line)
            print(line.decode(), end="", flush=True)
    with contextlib.suppress(OSError):
        print(sorted(path.name for path in Path("/sys/block").iterdir()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
