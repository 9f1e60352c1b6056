"""A probe that runs beside a scenario, so that its disk can fail or go while it measures."""

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

from tests.lab.scenario import RESULTS, wait_for
from tools.lab import in_fork

_SECTOR = 512
_OURS = ("fio", "setpriv", "python3", "python3.11")
_ANSWER_SECONDS = 150
"""How long a probe may take to notice and to look at the machine anew: tools have 10 s each, the guest is slow."""


@dataclass(frozen=True)
class Said:
    """How a probe ended."""

    status: int
    out: str
    err: str
    seconds: float
    """From the trouble to the end."""

    @property
    def results(self):
        """The results of its report, by job."""
        return {one["job"]: one for one in json.loads(self.out)["results"]}


class Probe:
    """`fsadvisor probe --json --yes …` as a child of this process."""

    def __init__(self, *words):
        self._out, self._err = RESULTS / "probe-stdout", RESULTS / "probe-stderr"
        self._pid = in_fork.begun(["probe", "--json", "--yes", *words], self._out, self._err)

    def ended(self):
        """Wait until it has."""
        start = time.monotonic()
        found = []
        wait_for("the end of the probe", lambda: found or self._reaped(found), _ANSWER_SECONDS)
        return Said(found[0], self._out.read_text(), self._err.read_text(), time.monotonic() - start)

    def _reaped(self, found):
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        if pid:
            found.append(os.waitstatus_to_exitcode(status))
        return found

    def still_runs(self):
        """Whether it does; fails the test with what it said where it has ended."""
        assert os.waitpid(self._pid, os.WNOHANG)[0] == 0, self._out.read_text() + self._err.read_text()
        return True

    def wait_for_work(self, disk, *, reads=0, writes=0):
        """Until it has read and written more than so many bytes of a disk."""

        def done():
            words = Path(f"/sys/block/{disk}/stat").read_text().split()
            return self.still_runs() and int(words[2]) * _SECTOR > reads and int(words[6]) * _SECTOR > writes

        wait_for("the middle of the probe", done, 120)


def counted(disk):
    """Bytes read and written on a disk until now."""
    words = Path(f"/sys/block/{disk}/stat").read_text().split()
    return int(words[2]) * _SECTOR, int(words[6]) * _SECTOR


def running():
    """Processes that a probe could have started, as 'number name'."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            name = (process / "comm").read_text().strip()
        except OSError:
            continue
        if name in _OURS:
            found.add(f"{process.name} {name}")
    return found


def _may_be_set(file):
    """Limits that the kernel only tells change with a mapped device's table."""
    return file.is_file() and file.stat().st_mode & 0o200


def settings(*disks):
    """What a probe could have changed: queues of these disks, and the page cache's limits."""
    folders = [Path("/proc/sys/vm"), *(Path(f"/sys/block/{disk}/queue") for disk in disks)]
    found = {}
    for place in (file for folder in folders for file in sorted(folder.iterdir()) if _may_be_set(file)):
        try:
            found[str(place)] = place.read_text()
        except OSError:
            found[str(place)] = None
    return found
