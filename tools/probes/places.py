"""Where it is measured: a folder that was named, and filesystems on loop devices of our own, with direct I/O.

An image has no name and its blocks are written before: what is measured is no allocation in the filesystem below.
Nothing discards them again. Mounts are made in a mount namespace of our own and devices go with the last who uses
them, so that all of it is gone when we are, be it by SIGKILL.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from msgspec import Struct

from fsadvisor.measure.probe.scratch import scratch_file, tree
from tools.probes.page import noted

if TYPE_CHECKING:
    from collections.abc import Iterator

FILESYSTEMS: Final = ("ext4", "xfs", "btrfs")
_MAKE: Final = {
    "ext4": ("mkfs.ext4", "-q", "-E", "nodiscard"),
    "xfs": ("mkfs.xfs", "-q", "-K"),
    "btrfs": ("mkfs.btrfs", "-q", "-K"),
}
_OPTIONS: Final = {"btrfs": "nodiscard"}
"""Btrfs discards by itself where a device can."""
_IMAGE_BYTES: Final = 6 << 30
_PATIENCE_SECONDS: Final = 20
_NEW_MOUNTS: Final = 0x00020000
"""CLONE_NEWNS of linux/sched.h."""


class Spot(Struct, frozen=True):
    """A folder to measure in; `device` is the kernel's name of a loop device of ours, '' where it is not ours."""

    name: str
    folder: Path
    device: str


class Ground:
    """The spots: the folder, and one loop filesystem at a time, made when it is asked for."""

    def __init__(self, folder: Path, size: int = _IMAGE_BYTES) -> None:
        self.folder = folder
        self.names = (str(folder), *FILESYSTEMS)
        self._size = size
        self._now = ""
        self._spot = Spot(str(folder), folder, "")
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def spot(self, name: str) -> Spot:
        """The spot of a name; a loop one that was asked for before is gone. Raises EngineError, CalledProcessError."""
        if name == str(self.folder):
            return Spot(name, self.folder, "")
        if name != self._now:
            self._now = ""
            self._stack.close()
            self._spot = self._stack.enter_context(_loop(self.folder, name, self._size))
            self._now = name
        return self._spot


@contextlib.contextmanager
def _loop(folder: Path, kind: str, size: int) -> Iterator[Spot]:
    _unshared()
    with contextlib.ExitStack() as stack:
        mount = stack.enter_context(tree(folder)) / "d0"  # a name that the next start takes away, should we be killed
        mount.mkdir()
        stack.callback(mount.rmdir)
        with scratch_file(folder, size, "written") as image:
            noted(f"{kind}: its image is written")
            image.fill()
            device = _attached(image.path)
            try:
                run(*_MAKE[kind], device)
                run("mount", "-o", _OPTIONS.get(kind, "defaults"), device, str(mount))
            finally:
                run("losetup", "--detach", device)  # as soon as it is mounted nowhere
        stack.callback(_unmounted, mount)
        yield Spot(_name(kind, Path(device).name), mount, Path(device).name)


def _attached(image: str) -> str:
    """The path of a new loop device, one that passes flushes on where there is such a one."""
    for free in sorted(Path("/sys/block").glob("loop*")):
        if not (free / "loop").exists() and _cache(free.name) == "write back":
            with contextlib.suppress(subprocess.CalledProcessError):  # somebody else has it by now
                run("losetup", "--direct-io=on", f"/dev/{free.name}", image)
                return f"/dev/{free.name}"
    return run("losetup", "--find", "--show", "--direct-io=on", image).strip()


def _cache(device: str) -> str:
    return Path(f"/sys/block/{device}/queue/write_cache").read_text(encoding="ascii").strip()


def _name(kind: str, device: str) -> str:
    """With what makes it another kind of device than it should be."""
    direct = Path(f"/sys/block/{device}/loop/dio").read_text(encoding="ascii").strip() == "1"
    # a loop device that somebody once set to write through stays so when it is used again, and passes no flush on
    cache = _cache(device)
    told = ("" if cache == "write back" else f" ({device}: {cache}, so no flush reaches the disk)") + (
        "" if direct else f" ({device}: without direct I/O, so the page cache is measured)"
    )
    return f"loop {kind}{told}"


@functools.cache
def _unshared() -> None:
    """Mount from here on where nobody else sees it; what others unmount goes here, too, as far as they share mounts.

    Raises OSError.
    """
    if ctypes.CDLL(None, use_errno=True).unshare(_NEW_MOUNTS):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), "unshare")
    run("mount", "--make-rslave", "/")


def _unmounted(mount: Path) -> None:
    """Off, as soon as what was killed has let go of it. Raises CalledProcessError where it does not."""
    end = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            run("umount", str(mount))
        except subprocess.CalledProcessError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
        else:
            return


def run(*command: str) -> str:
    """What a tool prints. Raises CalledProcessError."""
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout
