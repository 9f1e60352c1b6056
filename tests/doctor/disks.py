"""A disk that misbehaves: an image behind QEMU's storage daemon, which hands it on as a file for a loop device."""

import contextlib
import os
import shutil
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from tests.doctor.staging import program
from tests.loops import run, unmount
from tests.waiting import comes_to

DAEMON = "qemu-storage-daemon"
needs_drive = pytest.mark.skipif(
    not shutil.which(DAEMON), reason=f"the drive is {DAEMON}, of Debian's qemu-system-common"
)
POSTGRES = Path("/usr/lib/postgresql/15/bin")


class Disk:
    """Its device, and the daemon that stands for the drive."""

    def __init__(self, device, daemon):
        self.device, self.daemon = device, daemon
        self.name = Path(device).name

    @contextlib.contextmanager
    def stopped(self):
        """The drive answers nothing as long as the block lasts."""
        os.kill(self.daemon, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.daemon, signal.SIGCONT)


@contextlib.contextmanager
def disk(folder, megabytes, *limits, fails=""):
    """A loop device over a drive; `limits` are QEMU's of its throttle groups, such as x-iops-total=10.

    `fails` is what QEMU's blkdebug lets fail: read, write or flush. The image is in memory, where there is room: else
    the drive would be as slow as the disk below this machine, with all that others do there meanwhile.
    """
    memory, file = Path("/dev/shm"), folder / "drive"
    room = os.statvfs(memory) if memory.is_dir() else None
    fits = room is not None and room.f_bavail * room.f_frsize > megabytes << 20
    image = memory / f"fsadvisor-drive-{os.getpid()}.img" if fits else folder / "drive.img"
    with image.open("wb") as made:
        made.truncate(megabytes << 20)
    file.touch()
    below, node, more = f"driver=file,filename={image},node-name=image,discard=unmap", "image", []
    if limits:
        node = "limited"
        more = ["--object", ",".join(("throttle-group,id=group", *limits))]
        more += ["--blockdev", f"driver=throttle,throttle-group=group,file=image,node-name={node},discard=unmap"]
    if fails:
        more = ["--blockdev", "driver=blkdebug,node-name=bad,image=image"]
        more[-1] += f",inject-error.0.event=none,inject-error.0.iotype={fails},inject-error.0.errno=5"
        node = "bad"
    export = f"type=fuse,id=export,node-name={node},mountpoint={file},writable=on"
    with subprocess.Popen([DAEMON, "--blockdev", below, *more, "--export", export]) as daemon:
        try:
            assert comes_to(lambda: file.stat().st_size == megabytes << 20)
            image.unlink()  # the daemon has it open: it goes with it, whoever is killed
            device = run("losetup", "--find", "--show", str(file)).strip()
            try:
                yield Disk(device, daemon.pid)
            finally:
                run("losetup", "--detach", device)
        finally:
            daemon.send_signal(signal.SIGCONT)
            daemon.terminate()


@contextlib.contextmanager
def mounted(device, folder, kind="ext4", *options):
    """A new filesystem on it, whose ext4 has no inode tables to write meanwhile; the mount point."""
    finished = ("-E", "lazy_itable_init=0,lazy_journal_init=0") if kind == "ext4" else ()
    run(f"mkfs.{kind}", "-q", *finished, *options, device)
    folder.mkdir()
    run("mount", device, str(folder))
    try:
        yield str(folder)
    finally:
        unmount(str(folder))


@contextlib.contextmanager
def quick(folder, megabytes, *options):
    """An ext4 on a drive as quick as a good SSD, whatever others do meanwhile: the device's name, the mount point."""
    with (
        disk(folder, megabytes, "x-iops-total=3000") as drive,
        mounted(drive.device, folder / "quick", "ext4", *options) as place,
    ):
        yield drive.name, place


@contextlib.contextmanager
def postgresql(place, folder, *bench, options=()):
    """A server with its data in `place`, and pgbench at work on it."""
    for one in (folder, *folder.parents):
        mode = stat.S_IMODE(one.stat().st_mode)
        if not mode & stat.S_IXOTH:
            one.chmod(mode | 0o011)  # the server runs as a user of its own, and must pass; /tmp is open already
    shutil.chown(place, "postgres", "postgres")
    own = ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--")
    run(*own, f"{POSTGRES}/initdb", "-D", f"{place}/d", "-A", "trust")
    argv = [*own, f"{POSTGRES}/postgres", "-D", f"{place}/d", "-k", place]
    argv += [word for option in ("listen_addresses=", "log_min_messages=panic", *options) for word in ("-c", option)]
    client = (*own, f"{POSTGRES}/pgbench", "-h", place)
    ready = [*own, f"{POSTGRES}/pg_isready", "-q", "-h", place]
    with program("", place, *argv):
        assert comes_to(lambda: subprocess.run(ready, check=False).returncode == 0)
        run(*client, "-q", "-i", "-s", "5", "postgres")
        with program("", place, *client, *bench, "-T", "10000", "postgres"):
            yield
