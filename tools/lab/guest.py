"""A guest: QEMU without KVM over this machine's root, read only, from start to power-off."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tools.lab import failures, initramfs
from tools.lab.devices import DEVICES, SHARES
from tools.lab.error import LabError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.lab.kernels import Kernel

QEMU = "qemu-system-x86_64"
MEMORY_MB = 1536
RESULT = "result.tar"
_ONE_PROCESSOR = "1,maxcpus=2"
"""With room for a second, which `nr_cpus=1` hides from the kernel: where there is none, QEMU 7.2 leaves the
guest's memory barriers out, and an NVMe controller, whose queues are shared with QEMU's own threads, now and then
misses a doorbell for good (one mount of NILFS2 in a hundred hung)."""
_WHERE_IT_HANGS = "softlockup_panic=1 watchdog_thresh=60"
"""A kernel that spins for two minutes ends its guest with a trace, instead of taking the time of the whole part."""

_PROLOGUE = """export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 TERM=dumb
cd '{checkout}'
rm -f /.dockerenv /run/.containerenv
# What this machine knows of its own probes and incidents is not the guest's.
rm -rf /var/lib/fsadvisor
hostname labguest; echo labguest > /etc/hostname; : > /etc/fstab
mount -t devpts devpts /dev/pts 2>/dev/null || {{ mkdir -p /dev/pts; mount -t devpts devpts /dev/pts; }}
mkdir -p /dev/shm; mount -t tmpfs shm /dev/shm
mount -t cgroup2 cgroup2 /sys/fs/cgroup
modprobe configfs; mount -t configfs configfs /sys/kernel/config
echo 'udev_log=err' > /etc/udev/udev.conf
mkdir -p /etc/udev/rules.d
# Each of their programs takes a second of the guest for each disk; no scenario needs what they say.
for rules in 55-scsi-sg3_id 58-scsi-sg3_symlink 60-multipath; do ln -sf /dev/null "/etc/udev/rules.d/$rules.rules"; done
/lib/systemd/systemd-udevd --daemon
ip link set lo up
"""
_EPILOGUE = f"""mkdir -p /run/lab/results /run/lab/share
mount -t 9p -o trans=virtio,version=9p2000.L,msize=1048576 results /run/lab/share
tar -C /run/lab/results -cf /run/lab/share/{RESULT}.part .
mv /run/lab/share/{RESULT}.part /run/lab/share/{RESULT}
umount /run/lab/share
echo o > /proc/sysrq-trigger
sleep 60
"""


@dataclass(frozen=True)
class Work:
    """What a guest does."""

    name: str
    script: str
    """Run by /bin/sh in the checkout, as root; what it leaves in /run/lab/results comes back."""
    devices: tuple[str, ...] = tuple(DEVICES)
    """Names of DEVICES that are on the guest's bus."""
    more: tuple[str, ...] = ()
    """Further options for QEMU."""
    bare_metal: bool = True
    """Whether the processor hides that it is QEMU's, as if the guest's devices were a real machine's."""


def _images(work: Work, folder: Path) -> dict[str, Path]:
    images = {}
    for name, megabytes in (image for device in work.devices for image in DEVICES[device].images):
        images[name] = folder / f"{name}.img"
        with images[name].open("wb") as file:
            file.truncate(megabytes << 20)
    return images


def _share(tag: str, path: Path, security: str, address: str) -> tuple[str, ...]:
    """A folder of this machine for the guest, by 9p."""
    slot = address.split(":")[2].split(".")[0]
    return (
        *("-fsdev", f"local,id={tag},path={str(path).replace(',', ',,')},security_model={security}"),
        *("-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag},addr=0x{slot}"),
    )


def command(kernel: Kernel, work: Work, folder: Path) -> list[str]:
    """QEMU's argv; makes the images and the initramfs in the folder."""
    checkout = Path(__file__).resolve().parents[2]
    script = _PROLOGUE.format(checkout=str(checkout).replace("'", "'\\''")) + work.script + "\n" + _EPILOGUE
    initrd = initramfs.write(kernel, script, SHARES, folder, (checkout, Path(sys.base_prefix)))
    images = {name: str(path).replace(",", ",,") for name, path in _images(work, folder).items()}
    shares = [
        ("root", Path("/"), "passthrough,readonly=on,multidevs=remap"),
        ("kernel", kernel.tree, "passthrough,readonly=on"),
        ("results", folder, "none"),
    ]
    return [
        *(QEMU, "-machine", "q35", "-accel", "tcg", "-cpu", "max" + (",-hypervisor" if work.bare_metal else "")),
        *("-smp", _ONE_PROCESSOR, "-m", str(MEMORY_MB), "-nodefaults", "-no-user-config", "-display", "none"),
        "-no-reboot",
        *("-serial", "stdio", "-kernel", str(kernel.image), "-initrd", str(initrd)),
        *("-append", f"console=ttyS0 quiet {_WHERE_IT_HANGS} panic=-1 mitigations=off nr_cpus=1"),
        *("-smbios", "type=1,manufacturer=fsadvisor,product=lab" if work.bare_metal else "type=0"),
        *(word for share, address in zip(shares, SHARES, strict=True) for word in _share(*share, address)),
        *(word.format(**images) for device in work.devices for word in DEVICES[device].argv),
        *work.more,
    ]


@contextmanager
def folder_for(name: str) -> Iterator[Path]:
    """A folder for a guest's images, taken away again."""
    with tempfile.TemporaryDirectory(prefix=f"fsadvisor-lab-{name}-", dir="/var/tmp") as folder:
        yield Path(folder)


_WITH_US = ("setpriv", "--pdeathsig", "KILL", "--")
"""Has the kernel end a process when the one that started it is gone."""
_live: set[subprocess.Popen[bytes]] = set()
_stopped = False
_lock = threading.Lock()


def stop_all() -> None:
    """Kill what was started and start nothing any more: those who wait for it, in other threads, go on to their end."""
    global _stopped  # noqa: PLW0603
    with _lock:
        _stopped = True
        for process in _live:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def started(argv: list[str], console: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process of its own group whose output goes to a file; killed at the end, even if this process is killed."""
    if shutil.which(argv[0]) is None:
        raise LabError(f"{argv[0]} is missing: the lab cannot run (`make lab` as root installs it)")
    with console.open("wb") as log, _lock:
        if _stopped:
            raise LabError("stopped")
        process = subprocess.Popen(
            [*_WITH_US, *argv], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
        _live.add(process)
    try:
        yield process
    finally:
        with _lock:
            _live.remove(process)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def run(kernel: Kernel, work: Work, results: Path, seconds: int) -> None:
    """Boot, do the work, bring /run/lab/results back as `results`; LabError where nothing came back.

    The console is kept as RESULTS/console.txt.
    """
    results.mkdir(parents=True, exist_ok=True)
    console = results / "console.txt"
    with folder_for(work.name) as folder, started(command(kernel, work, folder), console) as process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise LabError(
                f"{work.name}: still at work after {seconds} s; killed. {console} says how far it got"
            ) from None
        packed = folder / RESULT
        if not packed.exists():
            raise LabError(f"{work.name}: the guest ended without results: {last_words(console)}")
        with tarfile.open(packed) as archive:
            archive.extractall(results, filter="data")


def last_words(console: Path, most: int = 8) -> str:
    """The end of a guest's console, for an error message."""
    return " | ".join(failures.failures(failures.lines_of(console), most))
