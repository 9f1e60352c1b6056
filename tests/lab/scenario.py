"""One scenario in a guest: attaches disks, sets them up, asks fsadvisor and a second source, takes all away again."""

import json
import os
import re
import subprocess
import time
from pathlib import Path

from tests.lab.report import Report
from tools.lab import in_fork
from tools.lab.devices import DEVICES

RESULTS = Path("/run/lab/results")
SYS_BLOCK = Path("/sys/block")
PCI = Path("/sys/bus/pci")
ATTEMPTS = 10
PATIENT = ("--timeout", "90")
"""A guest's processor is emulated: a tool takes seconds to start, and tens of them on a busy host."""


class ToolError(Exception):
    """A tool failed; says what it was told and what it said."""


def run(*argv, text=None, check=True):
    """What a tool prints; it must succeed unless told otherwise."""
    done = subprocess.run(argv, input=text, capture_output=True, text=True, timeout=300)
    if check and done.returncode:
        raise ToolError(f"{' '.join(argv)}: {done.returncode}: {done.stderr}{done.stdout}")
    return done.stdout


def disks():
    """Names of the kernel's block devices."""
    return {path.name for path in SYS_BLOCK.iterdir()}


def place_of(name):
    """Where the kernel has a disk, as a key that sorts host 9 before host 10."""
    return [int(word) if word.isdecimal() else word for word in re.split(r"(\d+)", str((SYS_BLOCK / name).resolve()))]


def held_by(name):
    """Names of the devices upon a disk and its partitions."""
    return sorted(path.name for path in (SYS_BLOCK / name).glob("**/holders/*"))


def ask_udevd(*words):
    """Have udevadm speak with udevd, which hangs up now and then before it has heard all (systemd 252): ask again."""
    for _ in range(4):
        try:
            return run("udevadm", *words)
        except ToolError as error:
            if "Broken pipe" not in str(error) and "Connection reset" not in str(error):
                raise
    return run("udevadm", *words)


def settle():
    """Wait until udev has seen all that the kernel told it."""
    ask_udevd("settle", "--timeout=120")


def wait_for(what, truth, seconds=120):
    """Wait until something is true: the guest's kernel does much in the background."""
    end = time.monotonic() + seconds
    while not truth():
        assert time.monotonic() < end, f"not in {seconds} s: {what() if callable(what) else what}"
        time.sleep(0.05)


def unload(module):
    """Take a module out of the kernel; udev may hold what it made for a moment, or ask for it once more."""

    def is_out():
        subprocess.run(["rmmod", module], check=False)
        settle()
        return not Path(f"/sys/module/{module}").exists()

    settle()
    wait_for(f"{module} to be unloaded", is_out)


class Scenario:
    """What a test of the lab is given."""

    def __init__(self, name, stack):
        self.name = name
        self.checked = {}
        """Second source -> None, in the order asked."""
        self.kept = []
        self.story = None
        self._stack = stack
        self.folder = Path("/srv") / "lab"

    def undo(self, function, *arguments):
        """Call this at the end; the last first."""
        self._stack.callback(function, *arguments)

    def attach(self, *names):
        """Let the drivers take these of the guest's devices; the block devices that come with them, sorted."""
        found = set()
        for name in names:
            run("modprobe", "--all", *DEVICES[name].modules)
            found |= self._take(DEVICES[name])
        return sorted(found)

    def _take(self, device):
        """Attach one; its disks. Once more where they were not named in the order of their places.

        The kernel probes SCSI disks side by side and names each as its probe begins: on a busy host in any order.
        """
        before = disks()
        driver = PCI / "drivers" / device.driver

        def come():
            heads = {name for name in disks() - before if "/nvme-subsystem/" in str((SYS_BLOCK / name).resolve())}
            return heads | {name for name in disks() if device.address in str((SYS_BLOCK / name).resolve())}

        def let_go():
            if (driver / device.address).exists():
                (driver / "unbind").write_text(device.address)
            wait_for(lambda: f"{come()} to be gone, held by {[held_by(name) for name in come()]}", lambda: not come())
            settle()

        self.undo(let_go)
        for _ in range(ATTEMPTS):
            (driver / "bind").write_text(device.address)
            wait_for(
                lambda: f"{len(device.images)} disks, come are {come()}", lambda: len(come()) >= len(device.images)
            )
            settle()
            if sorted(come()) == sorted(come(), key=place_of):
                return come()
            let_go()
        raise AssertionError(f"{ATTEMPTS} times not in the order of their places")

    def format(self, kind, device, *options):
        """Make a filesystem; the options of each mkfs are its own."""
        quiet = {"ext4": ["-q"], "ext3": ["-q"], "ext2": ["-q"], "xfs": ["-q", "-f"], "btrfs": ["-q", "-f"]}
        force = {"f2fs": ["-q", "-f"], "nilfs2": ["-q", "-f"]}
        run(f"mkfs.{kind}", *(quiet | force).get(kind, []), *options, device)
        settle()

    def mount(self, device, place, options="defaults", kind=None):
        """Mount below /srv/lab; the mount point."""
        point = self.folder / place
        point.mkdir(parents=True, exist_ok=True)
        run("mount", *(["-t", kind] if kind else []), "-o", options, device, str(point))
        self.undo(run, "umount", str(point))
        return str(point)

    def write(self, path, text):
        """Write a setting below /sys, /proc or /etc, and its old words back at the end."""
        place = Path(path)
        old = place.read_text() if place.exists() else None
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        self.undo(place.unlink) if old is None else self.undo(place.write_text, _settable(old))

    def second(self, *argv, check=True):
        """What another tool says, kept as a source that this scenario was checked against."""
        self.checked[argv[0]] = None
        return run(*argv, check=check)

    def second_file(self, path):
        """What a file of the kernel says, kept as a source that this scenario was checked against."""
        self.checked[str(path).split("/")[1]] = None
        return Path(path).read_text().strip()

    def audit(self, *argv):
        """The report of `fsadvisor --json`."""
        return Report(json.loads(_said_by_cli(["--json", *PATIENT, *argv])))

    def keep(self, name):
        """Record this machine by `fsadvisor capture`; it must give the same verdicts as the machine itself."""
        if os.environ.get("FSADVISOR_LAB_KEEPS") == "no":
            return
        self.kept.append(name)
        _said_by_cli(["capture", *PATIENT, str(RESULTS / "captures" / name)], may_find=False)

    def tell(self, **story):
        """Figures that belong in the lab's tables: `claim`, and what was seen."""
        self.story = (self.story or []) + [story]


def _settable(text):
    """What to write to get a setting back: of a file that marks its choice, `a [b] c`, the choice."""
    return text.split("[")[1].split("]")[0] if "[" in text and "]" in text else text


def _said_by_cli(argv, may_find=True):
    """Standard output of the command line."""
    out, err = RESULTS / "stdout", RESULTS / "stderr"
    status = in_fork.ran(argv, out, err)
    assert status in ((0, 1) if may_find else (0,)), f"fsadvisor {' '.join(argv)}: {status}: {err.read_text()}"
    return out.read_text()
