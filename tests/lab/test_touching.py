"""What fsadvisor writes while it looks, is looked at, and measures: every file, access time and request to a disk."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from fsadvisor.measure.probe import processes, scratch_record
from tests.lab import touched
from tests.lab.exploring import Explorer
from tests.lab.probing import Probe, counted
from tests.lab.scenario import RESULTS, run, settle
from tools.lab import in_fork

pytestmark = pytest.mark.lab

OWN = ("/var/lib/fsadvisor/", "/run/fsadvisor/", "/run/fsadvisor", "/run", f"{RESULTS}/", str(RESULTS))
"""Its own state, and what it was told to write to; of /run itself, that the one of its directories came."""
TERMINALS = ("/dev/null", "/dev/ptmx", "/dev/pts/", "/dev/tty")
UDEV = "/run/udev/"
"""udevd tidies up there by itself, and whoever asks it reads: a file that was written to is told of all the same."""
SCRATCH = re.compile(r".*/(\.fsadvisor-scratch-[^/]*|#\d+ \(deleted\))(/.*)?")
"""A directory of its own, or a file without a name."""
MKFS = ("-E", "lazy_itable_init=0,lazy_journal_init=0")
OLD = 1_000_000_000
STATE = Path("/var/lib/fsadvisor")
LEFT = re.compile(r"/var/lib/fsadvisor(|/probes\.jsonl|/seen\.json\.gz|/scratch)")
"""What a probe and the explorer leave on the root."""
RECORD = re.compile(r"/var/lib/fsadvisor/scratch/\.fsadvisor-scratch-[0-9a-f]{16}")


def database(scenario, point):
    """A PostgreSQL that does nothing, with files that were last read long ago."""
    top = Path(point) / "pg"
    (top / "base" / "1").mkdir(parents=True)
    (top / "postgresql.conf").write_text("fsync = on\n")
    (top / "PG_VERSION").write_text("15\n")
    for number in range(20):
        (top / "base" / "1" / str(number)).write_bytes(bytes(1 << 16))
    program = Path("/tmp/postgres")
    program.symlink_to("/bin/sh")
    scenario.undo(program.unlink)
    child = subprocess.Popen([program, "-c", "sleep 3000 & wait", "-D", top], cwd=top, start_new_session=True)
    scenario.undo(child.wait)
    scenario.undo(os.killpg, child.pid, 9)
    return top


def made_old(*tops):
    """Access times of long ago, of all below."""
    for top in tops:
        for path in sorted(touched.state(top), reverse=True):
            os.utime(path, (OLD, Path(path).stat().st_mtime), follow_symlinks=False)


def looked_at(words):
    out = RESULTS / "looked-at"
    status = in_fork.ran(words, out, RESULTS / "stderr")
    assert status in (0, 1), (RESULTS / "stderr").read_text()
    assert out.read_text() or "capture" in words


def in_the_explorer(disk, point):
    """Opens places, a finding, and has a suite measured on the mount; quits while it is."""
    explorer = Explorer()
    explorer.until("Quit")
    for key in "2354":
        explorer.still()
        explorer.press(key)
    explorer.until("Suites")
    explorer.still()
    assert any(f"in {point}" in explorer.answer("j") for _ in range(10)), "the mount is not to be chosen"
    for key in ("\t", "\x1b[B", "m"):
        explorer.still()
        explorer.press(key)
    explorer.until("at most")
    written = counted(disk)[1]
    explorer.press("y")
    explorer.until_so(lambda: counted(disk)[1] > written + (1 << 20))
    return explorer.end()


def foreign(paths):
    """Of these, what is neither fsadvisor's own nor a terminal."""
    own = {path for path in paths if path in OWN or path.startswith(tuple(one for one in OWN if one.endswith("/")))}
    return sorted(path for path in {*paths} - own if not path.startswith(TERMINALS) and not SCRATCH.match(path))


def leave_records_of(point):
    """What probes leave that are killed as they make a tree in there: one now, one before the machine was booted."""
    directory = os.open(point, os.O_RDONLY | os.O_DIRECTORY)
    for number in range(2):
        with scratch_record.new(f"{scratch_record.PREFIX}{number:016}", directory):
            pass
    os.close(directory)
    record = STATE / "scratch" / f"{scratch_record.PREFIX}{1:016}"
    record.write_text(record.read_text().replace(processes.boot(), "00000000"))


def kept():
    return touched.state(STATE) if STATE.exists() else {}


class Arena:
    """Two disks with an ext4 each, one of them read-only; a database, all access times long ago; all is watched."""

    def __init__(self, scenario):
        self.measured, self.other = scenario.attach("sas-ssd")[0], scenario.attach("sata-hdd")[0]
        points = []
        for disk in (self.measured, self.other):
            scenario.format("ext4", f"/dev/{disk}", *MKFS)
            points.append(scenario.mount(f"/dev/{disk}", disk, "strictatime"))
        self.point, elsewhere = points
        database(scenario, self.point)
        made_old(self.point)
        leave_records_of(elsewhere)
        run("mount", "-o", "remount,ro", elsewhere)
        os.utime("/var/lib")  # the root's upper layer has it from now on
        run("sync")
        settle()
        self._numbers = {
            disk: scenario.second_file(f"/sys/block/{disk}/dev").replace(":", ",")
            for disk in (self.measured, self.other)
        }
        self._places = (self.point, elsewhere, "/run", "/tmp", "/dev")
        self._requests, self._writes = touched.Requests(scenario), touched.Writes(scenario)
        self._before, self._inodes = touched.state(*self._places), touched.inodes_in_use("/")
        self._kept = kept()

    def changing(self, disk):
        """Kinds of requests that changed something on a disk."""
        return self._requests.changing().get(self._numbers[disk], set())

    def foreign(self):
        """Files that were written to, and what came, went or changed, its access time too, that is not its own."""
        changed = touched.changed(self._before, touched.state(*self._places))
        return foreign({*self._writes.seen(), *(path for path in changed if not path.startswith(UDEV))})

    def left(self):
        """What came or changed in its state, which may lie below the root's upper layer already."""
        now = kept()
        return [path for path in touched.changed(self._kept, now) if path in now]

    def unexpected(self):
        """Of it, what neither a probe nor the explorer leaves; a killed probe's record may be looked into, no more."""
        now = kept()

        def is_as_it_was(path):
            return RECORD.fullmatch(path) and path in self._kept and now[path][1:4] == self._kept[path][1:4]

        return [path for path in self.left() if not LEFT.fullmatch(path) and not is_as_it_was(path)]

    def gone(self):
        """What a killed probe of an earlier scenario had left there, and this one took away."""
        return self._kept.keys() - kept().keys()

    def made_on_root(self):
        """Inodes of the root's upper layer that were not in use before."""
        return touched.inodes_in_use("/") - self._inodes


@pytest.mark.timeout(600)
def test_a_look_and_a_probe_write_nothing_but_state_scratch_and_what_was_named(scenario):
    """An audit in all forms, a capture, a probe: each file, access time and disk that changed"""
    arena = Arena(scenario)

    for words in (["--text"], ["--json"], ["--html"], ["plan"], ["capture", str(RESULTS / "captured")]):
        looked_at(words)
    assert (arena.changing(arena.measured), arena.changing(arena.other)) == (set(), set())
    assert (arena.foreign(), arena.made_on_root()) == ([], 0)

    said = Probe("--seconds", "1", "commit-fdatasync", arena.point).ended()
    assert said.status == 0, said.err
    assert arena.changing(arena.measured), "the tracepoint saw nothing of the probe"
    assert arena.changing(arena.other) == set()
    assert set(arena.foreign()) <= {arena.point}
    assert arena.unexpected() == []
    assert -len(arena.gone()) <= arena.made_on_root() <= len(arena.left())
    assert str(STATE / "probes.jsonl") in arena.left()
    scenario.tell(
        claim="an audit writes nothing but what was named, a probe its scratch and its state", seen="nothing else"
    )


@pytest.mark.timeout(600)
def test_the_explorer_writes_nothing_but_its_state_and_a_scratch(scenario):
    """The explorer on a terminal, which quits while it measures: each file, access time and disk that changed"""
    arena = Arena(scenario)

    assert in_the_explorer(arena.measured, arena.point) == 0
    assert arena.changing(arena.measured), "the tracepoint saw nothing of the probe"
    assert arena.changing(arena.other) == set()
    assert set(arena.foreign()) <= {arena.point}
    assert arena.unexpected() == []
    assert -len(arena.gone()) <= arena.made_on_root() <= len(arena.left())
    scenario.tell(claim="the explorer writes nothing but its scratch and its state", seen="nothing else")
