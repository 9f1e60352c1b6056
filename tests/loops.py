"""Real filesystems on loop devices, taken away again whatever happens: at the latest by the next session of pytest."""

import contextlib
import ctypes
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.waiting import comes_to

TOOLS = ("losetup", "mount", "umount", "mkfs.ext4", "mkfs.xfs", "mkfs.btrfs", "tune2fs", "findmnt", "lsblk", "btrfs")

needs_loop_devices = pytest.mark.skipif(
    os.geteuid() != 0 or not all(map(shutil.which, TOOLS)) or not Path("/dev/loop-control").exists(),
    reason="loop devices need root and the filesystems' tools (`make test` as root installs them)",
)


def mounts():
    """The lines of mountinfo; names of mount points need not be UTF-8, and some other test's has a carriage return."""
    return Path("/proc/self/mountinfo").read_bytes().decode(errors="surrogateescape").split("\n")[:-1]


root_is_a_mount = pytest.mark.skipif(
    not any(line.split(" ")[4] == "/" for line in mounts()),
    reason="in a chroot the filesystem under the images is not among the mounts",
)


def run(*argv):
    """What a tool prints; it must succeed."""
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def unmount(place):
    """Unmount; what a process that has just been killed still held is let go a moment later."""
    assert comes_to(
        lambda: subprocess.run(["umount", place], check=False).returncode == 0 or not os.path.ismount(place)
    )


_C = ctypes.CDLL(None, use_errno=True)
_NEW_MOUNTS, _NEW_FOLDER, _DETACH = 0x20000, 0x200, 2  # CLONE_NEWNS, CLONE_FS, MNT_DETACH
_PRIVATE = 1 << 18 | 1 << 14  # MS_PRIVATE, MS_REC


def _called(name, *given):
    if getattr(_C, name)(*given):
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


@contextlib.contextmanager
def mounts_of_its_own():
    """What is mounted in the block is mounted for this thread and what it starts, and for nobody else.

    Whatever else runs on this host may copy all mounts that it sees into a namespace of its own, as `unshare --mount`
    and systemd do: what we unmount would still be in use there.
    """
    folder = Path.cwd()
    with Path("/proc/thread-self/ns/mnt").open() as before:
        _called("unshare", _NEW_MOUNTS)
        try:
            _called("mount", None, b"/", None, _PRIVATE, None)
            for place in _below([f"{temporary().resolve()}/"], _mount_points()):  # nor do we hold what is another's
                _C.umount2(os.fsencode(place), _DETACH)
            yield
        finally:
            _called("unshare", _NEW_FOLDER)  # who shares it with other threads can't change to other mounts
            _called("setns", before.fileno(), _NEW_MOUNTS)
            os.chdir(folder)


class Loops:
    """Makes images, loop devices and mounts below a folder."""

    def __init__(self, folder, stack):
        self.folder = folder
        self._stack = stack

    def device(self, name, megabytes):
        """A loop device over a new sparse image, which goes with it: all of a run take a disk seconds to free."""
        image = self.folder / f"{name}.img"
        with image.open("wb") as file:
            file.truncate(megabytes << 20)
        self._stack.callback(image.unlink, missing_ok=True)
        device = run("losetup", "--find", "--show", str(image)).strip()
        self._stack.callback(run, "losetup", "--detach", device)
        return device

    def mount(self, device, name, options="defaults"):
        """Mount a device on a new folder; returns the folder."""
        place = self.folder / name
        place.mkdir()
        run("mount", "-o", options, device, str(place))
        self._stack.callback(unmount, str(place))
        return str(place)


@contextlib.contextmanager
def loops(folder):
    """Loop devices that live as long as the block."""
    with contextlib.ExitStack() as stack:
        yield Loops(folder, stack)


def temporary():
    """Where pytest makes pytest-of-USER, and in that a folder for each session."""
    return Path(os.environ.get("PYTEST_DEBUG_TEMPROOT") or tempfile.gettempdir())


def clear_left(folder):
    """Take away the mounts and loop devices that our sessions killed in the middle left below their own folders."""
    if os.geteuid() == 0 and shutil.which("losetup"):
        made = folder.resolve().glob("pytest-of-*/pytest-[0-9]*")
        dead = [f"{one}/" for one in made if one.lstat().st_uid == 0 and not one.is_symlink() and _ended(one)]
        for _ in range(2):  # an image may lie on a mount, which goes once its device has gone
            for place in _below(dead, _mount_points()):
                subprocess.run(["umount", place], check=False, capture_output=True)
            attached = attached_images()
            for image in _below(dead, attached):
                subprocess.run(["losetup", "--detach", attached[image]], check=False, capture_output=True)
            comes_to(lambda: not _below(dead, attached_images()), within=30)  # who looks at one holds it for a moment


def _ended(session):
    """pytest writes its process number into its folder's .lock, and removes the file when it ends by itself."""
    try:
        os.kill(int((session / ".lock").read_text()), 0)
    except (FileNotFoundError, ProcessLookupError):
        return True
    except (ValueError, OSError):
        return False
    return False


def _below(folders, places):
    """The last mounted first."""
    return [place for place in reversed(list(places)) if place.startswith(tuple(folders))]


def _mount_points():
    return [re.sub(r"\\([0-7]{3})", lambda sign: chr(int(sign[1], 8)), line.split(" ")[4]) for line in mounts()]


def attached_images():
    """Image -> loop device. One that goes while it is read is left out."""
    found = {}
    for file in Path("/sys/block").glob("loop*/loop/backing_file"):
        with contextlib.suppress(OSError):
            found[file.read_text(errors="surrogateescape").rstrip("\n")] = f"/dev/{file.parts[3]}"
    return found
