"""Runs in the guest: writes and acknowledges until the power is cut, or looks at what is left on the disks.

    python -m tools.lab.cut_guest write WORKLOAD DISK=PLACE…
    python -m tools.lab.cut_guest look WORKLOAD:DISK=PLACE…

A place is a PCI address and a unit there, `0000:00:05.0/3`.

An acknowledgement is a line on the console, printed after fsync has returned: what only the guest's page cache holds is
never counted as saved.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from tools.lab.cut_disks import DISKS, TELL, CutDisk

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 120
"""Writes on a disk, at most: then the guest is idle until it is cut."""
_AHEAD = 10
"""How many writes a disk may be ahead of the slowest: all are at work when the power is cut."""
_BLOCK = 4096
_PCI = Path("/sys/bus/pci")
_CLASSES = {"virtio-pci": "0x0100", "nvme": "0x0108"}
"""How the class of a PCI device starts that is the driver's."""
_ADDRESS = re.compile(r"/(0000:00:[0-9a-f]{2}\.0)/")
_TARGET = re.compile(r"/\d+:0:(\d+):0/")
_SYS_BLOCK = Path("/sys/block")
_MOUNTS = Path("/srv/cut")
WHOLE, LOST, DAMAGED = "wld"
"""What became of a write, a letter each; damaged is what is neither the old nor the new."""

Write = Callable[[int], None]


def _run(command: str) -> str:
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(f"`{command}` failed: {(done.stderr + done.stdout).strip()}")
    return done.stdout


def content(number: int, generation: int = 1) -> bytes:
    """What a write writes; generation 0 is what pages hold before."""
    return f"{number:11d} {generation:3d}\n".encode() * (_BLOCK // 16)


def _say(line: str) -> None:
    """One write, so that threads do not mix lines on the console."""
    os.write(1, f"{line}\n".encode())


def _place(block: Path) -> str:
    """Where a disk is, as PCI address and unit on it: the SCSI target, or the NVMe namespace."""
    path = str(block.resolve())
    address = _ADDRESS.findall(path)[-1]
    unit = (block / "nsid").read_text().strip() if block.name.startswith("nvme") else _TARGET.findall(path)[-1]
    return f"{address}/{unit}"


def _attach(places: Collection[str]) -> dict[str, Path]:
    """Give the disks at these places to their drivers; /dev/… of each."""
    for driver, controllers in (("virtio-pci", "virtio_scsi sd_mod"), ("nvme", "nvme")):
        _run(f"modprobe --all {controllers}")
        for address in sorted({place.split("/")[0] for place in places}):
            if (_PCI / "devices" / address / "class").read_text().startswith(_CLASSES[driver]):
                (_PCI / "drivers" / driver / "bind").write_text(address)
    end = time.monotonic() + 60
    while len(found := [*_SYS_BLOCK.glob("nvme*n*"), *_SYS_BLOCK.glob("sd*")]) < len(places):
        if time.monotonic() > end:
            raise OSError(f"only {len(found)} of {len(places)} disks")
        time.sleep(0.1)
    return {_place(block): Path("/dev") / block.name for block in found}


def _flushed(device: Path) -> None:
    """Empty a disk's cache."""
    handle = os.open(device, os.O_RDWR)
    os.fsync(handle)
    os.close(handle)


def begun(point: Path) -> None:
    """Put there what the workloads begin with."""
    (point / "files").mkdir()
    (point / "log").touch()
    (point / "pages").write_bytes(b"".join(content(number, 0) for number in range(MOST)))


def _prepared(disk: CutDisk, device: Path) -> Path:
    """Mount a disk for a workload; what it needs to begin with is on the medium before."""
    point = _MOUNTS / disk.name
    point.mkdir(parents=True)
    _run(f"mount -t {disk.kind} {device} {point}")
    begun(point)
    _run(f"umount {point}")
    _flushed(device)
    if disk.tell:
        _run(TELL[disk.tell].format(disk=device.name, controller=device.name.rpartition("n")[0]))
    _run(f"mount -t {disk.kind} -o {disk.options} {device} {point}")
    return point


def _files(point: Path) -> Write:
    folder = os.open(point / "files", os.O_RDONLY)

    def write(number: int) -> None:
        handle = os.open(str(number), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=folder)
        os.write(handle, content(number))
        os.fsync(handle)
        os.close(handle)
        os.fsync(folder)

    return write


def _in_place(name: str) -> Callable[[Path], Write]:
    def workload(point: Path) -> Write:
        handle = os.open(point / name, os.O_WRONLY)

        def write(number: int) -> None:
            os.pwrite(handle, content(number), number * _BLOCK)
            os.fdatasync(handle)

        return write

    return workload


WRITERS = {"files": _files, "log": _in_place("log"), "pages": _in_place("pages")}


class _Pace:
    """Keeps the disks together."""

    def __init__(self, names: Sequence[str]) -> None:
        self._done = dict.fromkeys(names, 0)
        self._moved = threading.Condition()

    def wait(self, name: str) -> None:
        """Until the disk is not far ahead of the slowest."""
        with self._moved:
            self._moved.wait_for(lambda: self._done[name] < min(self._done.values()) + _AHEAD)

    def moved(self, name: str, number: int) -> None:
        """A disk did its writes up to a number."""
        with self._moved:
            slowest = min(self._done.values())
            self._done[name] = number
            if min(self._done.values()) > slowest:
                self._moved.notify_all()


def _keep_writing(name: str, write: Write, pace: _Pace) -> None:
    try:
        for number in range(MOST):
            pace.wait(name)
            write(number)
            _say(f"ACK {name} {number}")
            pace.moved(name, number + 1)
    except OSError as error:
        _say(f"FAILED {name} {error}")
        pace.moved(name, MOST)


def write(workload: str, places: dict[str, str]) -> None:
    """Write on all disks at once, until the power is cut."""
    devices = _attach(places.values())
    begin = WRITERS[workload]
    writes = {}
    for disk in DISKS:
        if disk.name in places:
            try:
                writes[disk.name] = begin(_prepared(disk, devices[places[disk.name]]))
            except OSError as error:
                _say(f"FAILED {disk.name} {error}")
    pace = _Pace(list(writes))
    threads = [
        threading.Thread(target=_keep_writing, args=(name, write, pace), daemon=True) for name, write in writes.items()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _state(found: bytes, number: int, before: bytes | None) -> str:
    if found == content(number):
        return WHOLE
    return LOST if found == before else DAMAGED


def states(workload: str, point: Path) -> str:
    """What became of each write of a workload."""
    if workload == "files":
        paths = [point / "files" / str(number) for number in range(MOST)]
        return "".join(
            _state(path.read_bytes(), number, None) if path.exists() else LOST for number, path in enumerate(paths)
        )
    data = (point / workload).read_bytes()
    blocks = [data[number * _BLOCK : (number + 1) * _BLOCK] for number in range(MOST)]
    return "".join(
        _state(block, number, content(number, 0) if workload == "pages" else b"") for number, block in enumerate(blocks)
    )


def _left(workload: str, kind: str, device: Path) -> dict[str, str]:
    """What is left on a disk; mounting replays its journal."""
    point = _MOUNTS / device.name
    point.mkdir(parents=True)
    try:
        _run(f"mount -t {kind} {device} {point}")
    except OSError as error:
        return {"refused": str(error), "states": ""}
    try:
        return {"refused": "", "states": states(workload, point)}
    except OSError as error:
        return {"refused": str(error), "states": ""}
    finally:
        _run(f"umount {point}")


def look(places: dict[str, str]) -> None:
    """Write down what is left on each disk."""
    devices = _attach(places.values())
    kinds = {disk.name: disk.kind for disk in DISKS}
    left = {}
    for image, place in places.items():
        workload, name = image.split(":")
        left[image] = _left(workload, kinds[name], devices[place])
    results = Path("/run/lab/results")
    results.mkdir(parents=True, exist_ok=True)
    (results / "left.json").write_text(json.dumps(left))
    (results / "dmesg.txt").write_text(_run("dmesg"))


def main(argv: Sequence[str]) -> None:
    """Do what the host asks for."""
    verb, *rest = argv
    places = dict(word.split("=") for word in rest if "=" in word)
    if verb == "write":
        write(rest[0], places)
    else:
        look(places)


if __name__ == "__main__":
    main(sys.argv[1:])
