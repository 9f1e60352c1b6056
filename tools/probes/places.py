"""Where it is measured: a folder that was named, and filesystems on loop devices of our own, with direct I/O."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FILESYSTEMS: Final = ("ext4", "xfs", "btrfs")
_IMAGE_BYTES: Final = 6 << 30
_PATIENCE_SECONDS: Final = 20


@dataclass(frozen=True, slots=True)
class Spot:
    """A folder to measure in; `device` is the kernel's name of a loop device of ours, '' where it is not ours."""

    name: str
    folder: Path
    device: str


@contextlib.contextmanager
def spots(folder: Path, filesystems: Iterable[str], size: int = _IMAGE_BYTES) -> Iterator[tuple[Spot, ...]]:
    """The folder, and one loop filesystem of each kind with its image in it; root only where there are any."""
    with contextlib.ExitStack() as stack:
        made = [Spot(str(folder), folder, "")]
        made += [stack.enter_context(_loop(folder, kind, size)) for kind in filesystems]
        yield tuple(made)


@contextlib.contextmanager
def _loop(folder: Path, kind: str, size: int) -> Iterator[Spot]:
    with contextlib.ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fsadvisor-measure-", dir=folder)))
        image, mount = place / "image", place / kind
        with image.open("wb") as file:
            file.truncate(size)
        device = run("losetup", "--find", "--show", "--direct-io=on", str(image)).strip()
        stack.callback(run, "losetup", "--detach", device)
        run(f"mkfs.{kind}", "-q", device)
        mount.mkdir()
        run("mount", device, str(mount))
        stack.callback(_unmounted, mount)
        name = Path(device).name
        cache = Path(f"/sys/block/{name}/queue/write_cache").read_text(encoding="ascii").strip()
        # a loop device that somebody once set to write through stays so when it is used again, and passes no flush on
        told = "" if cache == "write back" else f" ({name}: {cache}, so no flush reaches the disk)"
        yield Spot(f"loop {kind}{told}", mount, name)


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
