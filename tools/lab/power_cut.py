"""Cuts the power of disks with a volatile write cache while files are written, and counts what is left of them.

Each disk is an nbdkit process whose `cache` filter keeps to itself what the guest wrote and did not flush; the guest
sees a SCSI or NVMe drive. The cut kills QEMU first, so that nothing can be acknowledged any more, and then nbdkit: what
was not flushed is gone. A second guest mounts what is left, as a server does that has power again.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from tools.lab import guest
from tools.lab.cut_disks import WORKLOADS, CutDisk
from tools.lab.cut_guest import DAMAGED, LOST, WHOLE
from tools.lab.error import LabError
from tools.lab.tool import output

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tools.lab.kernels import Kernel

MEGABYTES = 320
"""Of each image, sparse: XFS takes no less than 300."""
ENOUGH = 20
"""Acknowledged writes on each disk before the power is cut, at least."""
CUTS = {workload: ENOUGH + 3 * index for index, workload in enumerate(WORKLOADS)}
"""How many each disk has acknowledged at least, when the power is cut."""
_SECONDS = 480
_SLOT = 0x05
_GUEST = "udevadm control --exit\n.venv/bin/python -S -m tools.lab.cut_guest"
"""udev has nothing to do here, and takes seconds to look at so many disks."""
_ACKNOWLEDGED = re.compile(rb"^ACK (\S+) (\d+)\r?$", re.MULTILINE)
_FAILED = re.compile(rb"^FAILED (\S+) (.*?)\r?$", re.MULTILINE)

_CHECKS = {
    "ext4": ("e2fsck", "-fn"),
    "xfs": ("xfs_repair", "-n", "-f"),
    "btrfs": ("btrfs", "check", "--readonly"),
    "f2fs": ("fsck.f2fs", "--dry-run"),
}
"""NILFS2 has none."""

Row = dict[str, Any]


def _made(disk: CutDisk, image: Path) -> None:
    """Make the filesystem, natively: that is fast, and the guest has it on a medium that was flushed."""
    with image.open("wb") as file:
        file.truncate(MEGABYTES << 20)
    quiet = ["-q"] if disk.kind == "ext4" else ["-q", "-f"]
    output([f"mkfs.{disk.kind}", *quiet, *disk.make, str(image)])


def _volatile(image: Path, socket: Path, folder: Path) -> list[str]:
    """Argv of a disk with a volatile cache."""
    return [
        *("env", f"TMPDIR={folder}", "nbdkit", "--foreground", "-U", str(socket), "--filter=cache"),
        *("file", str(image), "cache=writeback", "cache-min-block-size=4096"),
    ]


def _scsi(slot: int, drives: int) -> tuple[list[str], list[str]]:
    """QEMU's options for a SCSI controller with disks that honour FUA, of the drives d0, d1, …; the disks' places."""
    more = ["-device", f"virtio-scsi-pci,id=scsi,addr={slot:#x}"]
    for unit in range(drives):
        more += ["-device", f"scsi-hd,bus=scsi.0,scsi-id={unit},drive=d{unit},dpofua=on"]
    return more, [f"0000:00:{slot:02x}.0/{unit}" for unit in range(drives)]


def _nvme(slot: int, first: int, drives: int) -> tuple[list[str], list[str]]:
    """QEMU's options for NVMe controllers of a namespace each; the namespaces' places."""
    more, places = [], []
    for index in range(drives):
        more += ["-device", f"nvme,serial=CUT{index:03d},drive=d{first + index},addr={slot + index:#x}"]
        places.append(f"0000:00:{slot + index:02x}.0/1")
    return more, places


def _wait(what: str, truth: Callable[[], bool], process: subprocess.Popen[bytes], seconds: int) -> None:
    end = time.monotonic() + seconds
    while not truth():
        if process.poll() is not None or time.monotonic() > end:
            raise LabError(f"power cut: {what}: {'ended' if process.poll() is not None else f'not in {seconds} s'}")
        time.sleep(0.05)


def acknowledged(console: bytes) -> dict[str, int]:
    """How many writes each disk acknowledged, by the lines on the guest's console that came out whole."""
    counts: dict[str, int] = {}
    for name, number in _ACKNOWLEDGED.findall(console[: console.rfind(b"\n") + 1]):
        counts[name.decode()] = int(number) + 1
    return counts


def failed(console: bytes) -> dict[str, str]:
    """The disks that could not be written to, and why."""
    return {name.decode(): why.decode("utf-8", "replace") for name, why in _FAILED.findall(console)}


def _cut(kernel: Kernel, workload: str, images: Mapping[CutDisk, Path], enough: int, console: Path) -> dict[str, int]:
    """Write on the disks until each has acknowledged enough, then cut; what each had acknowledged."""
    disks = sorted(images, key=lambda disk: disk.bus, reverse=True)
    scsi = sum(disk.bus == "scsi" for disk in disks)
    controller, targets = _scsi(_SLOT, scsi)
    controllers, namespaces = _nvme(_SLOT + 1, scsi, len(disks) - scsi)
    more, places = [*controller, *controllers], [*targets, *namespaces]
    words = " ".join(f"{disk.name}={place}" for disk, place in zip(disks, places, strict=True))
    script = f"{_GUEST} write {workload} {words}"
    with guest.folder_for("cut") as folder, ExitStack() as stack:
        caches = []
        for index, disk in enumerate(disks):
            socket = folder / f"{index}.sock"
            argv = _volatile(images[disk], socket, folder)
            caches.append(stack.enter_context(guest.started(argv, folder / f"{index}.txt")))
            _wait(f"nbdkit for {disk.name}", socket.exists, caches[-1], 10)
            drive = f"if=none,id=d{index},format=raw,cache=writeback,file=nbd+unix:///?socket={socket}"
            more = ["-drive", drive, *more]
        argv = guest.command(kernel, guest.Work("cut", script, devices=(), more=tuple(more)), folder)
        machine = stack.enter_context(guest.started(argv, console))

        def is_enough() -> bool:
            said = console.read_bytes()
            done, out = acknowledged(said), failed(said)
            return all(done.get(disk.name, 0) >= enough or disk.name in out for disk in disks)

        _wait(f"{enough} writes on each disk; {console} says how far it got", is_enough, machine, _SECONDS)
        # QEMU first: what it has not printed by now was never acknowledged.
        for process in (machine, *caches):
            process.send_signal(signal.SIGKILL)
            process.wait()
    return acknowledged(console.read_bytes())


def _look(kernel: Kernel, images: Sequence[Path], results: Path) -> dict[str, dict[str, str]]:
    """Boot once more and read what is left on all images."""
    controller, places = _scsi(_SLOT, len(images))
    more = [
        word
        for index, image in enumerate(images)
        for word in ("-drive", f"if=none,id=d{index},format=raw,cache=unsafe,file={image}")
    ]
    words = " ".join(f"{image.name}={place}" for image, place in zip(images, places, strict=True))
    script = f"{_GUEST} look {words}"
    guest.run(kernel, guest.Work("look", script, devices=(), more=(*more, *controller)), results, _SECONDS)
    left: dict[str, dict[str, str]] = json.loads((results / "left.json").read_text())
    return left


def _check(disk: CutDisk, image: Path) -> str:
    """What the filesystem's own check says after the mount; empty where it is content, or where there is none."""
    argv = _CHECKS.get(disk.kind)
    if argv is None:
        return ""
    try:
        done = subprocess.run(
            [*argv, str(image)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise LabError(f"{argv[0]}: {error.strerror}; `make lab` as root installs it") from error
    if done.returncode == 0:
        return ""
    said = [line for line in done.stdout.splitlines() if line and not line.startswith("Pass ")]
    return " | ".join(said[:3]) or f"{argv[0]} ended with {done.returncode}"


def run(kernel: Kernel, disks: Sequence[CutDisk], results: Path) -> list[Row]:
    """Cut once in each workload; a row for each cut of each disk, kept in RESULTS/cut.jsonl."""
    output(["nbdkit", "--version"])
    results.mkdir(parents=True, exist_ok=True)
    acknowledged_by, failed_by = {}, {}
    with guest.folder_for("cut-images") as folder:
        images: dict[tuple[str, CutDisk], Path] = {}
        for workload, enough in CUTS.items():
            fresh = {disk: folder / f"{workload}:{disk.name}" for disk in disks}
            for disk, image in fresh.items():
                _made(disk, image)
            console = results / f"console-{workload}.txt"
            acknowledged_by[workload] = _cut(kernel, workload, fresh, enough, console)
            failed_by[workload] = failed(console.read_bytes())
            images |= {(workload, disk): image for disk, image in fresh.items()}
        left = _look(kernel, list(images.values()), results / "look")
        rows = []
        for (workload, disk), image in images.items():
            found, count = left[image.name], acknowledged_by[workload].get(disk.name, 0)
            states = found["states"][:count]
            rows.append(
                {
                    "kernel": kernel.release,
                    "workload": workload,
                    "disk": disk.name,
                    "acknowledged": count,
                    "whole": states.count(WHOLE),
                    "lost": states.count(LOST) if found["states"] else count,
                    "damaged": states.count(DAMAGED),
                    "failed": failed_by[workload].get(disk.name, ""),
                    "refused": found["refused"],
                    "check": "" if found["refused"] else _check(disk, image),
                }
            )
    (results / "cut.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return rows
