"""Which engine runs which job; and that a session that is killed leaves nothing, whoever runs it."""

import contextlib
import os
import random
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from fsadvisor.measure.probe import scratch_record
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.probe.run import opened
from fsadvisor.measure.probe.scratch_record import clear
from tests.cases import few
from tests.paths import ROOT
from tests.probe.filesystems import ONE_ALWAYS, mounted, needs_fio
from tests.waiting import END_S, comes_to

KILLED = """
import signal, sys
from msgspec.structs import replace
from pathlib import Path
from fsadvisor.measure.probe.run import opened
from fsadvisor.measure.probe.jobs import JOBS
seconds, folder, *names = sys.argv[1:]
signal.setitimer(signal.ITIMER_REAL, float(seconds))
while True:
    for name in names:
        job = JOBS[name]
        if hasattr(job.work, "file_bytes"):
            job = replace(job, work=replace(job.work, file_bytes=16 << 20))
        with opened(job, Path(folder)) as session:
            session.window(0.05)
            session.window(0.05)
"""
SESSIONS = ("commit-fsync-append", "fsync-ladder", "random-write-1-preallocated", "create-2-each", "allocate", "mail")


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        pytest.param("commit-fdatasync", "fio ", marks=needs_fio),
        pytest.param("random-read-32", "fio ", marks=(needs_fio, pytest.mark.long)),
        ("fsync-ladder", "fsadvisor "),
        *(pytest.param(one, "fsadvisor ", marks=pytest.mark.long) for one in ("stat-2", "punch", "web")),
    ],
)
def test_each_kind_of_job_has_its_engine_and_gives_a_window(name, engine, tmp_path):
    job = JOBS[name]
    if hasattr(job.work, "file_bytes"):
        job = replace(job, work=replace(job.work, file_bytes=16 << 20))
    with opened(job, tmp_path) as session:
        assert session.engine.startswith(engine)
        assert session.window(0.05).operations > 0
    assert list(tmp_path.iterdir()) == []


def test_existing_files_are_read_where_they_are(tmp_path):
    (tmp_path / "file").write_bytes(os.urandom(1 << 20))
    with opened(JOBS["fragmentation"], tmp_path) as session:
        assert session.window(0.05).extents >= 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def started_by(pid, moment):
    """fio, which has our open file's path among its arguments, workers, told their parent, and forks of it."""
    marks = (f"/proc/{pid}/fd/".encode(), f'"parent": {pid}}}'.encode(), str(moment).encode())
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if any(mark in (process / "cmdline").read_bytes() for mark in marks):
                yield int(process.name)


def await_end(pid):
    with contextlib.suppress(ProcessLookupError), os.fdopen(os.pidfd_open(pid)) as handle:
        assert select.select([handle], [], [], END_S)[0], Path(f"/proc/{pid}/cmdline").read_bytes()


def names(filesystem):
    return {entry.name for entry in filesystem.folder.iterdir()}


@pytest.fixture(scope="module", params=ONE_ALWAYS)
def filesystem(request, tmp_path_factory):
    with mounted(request.param, tmp_path_factory.mktemp(request.param)) as one:
        yield one


@needs_fio
@pytest.mark.parametrize("name", few(SESSIONS, 3))
def test_a_session_killed_at_random_moments_leaves_nothing(filesystem, name):
    """An alarm ends the process on the spot, as SIGKILL does; its fio and workers must go, and give back all."""
    free = filesystem.free_bytes()
    moment = random.Random(f"{filesystem.kind} {name}").uniform(0.05, 0.8)
    killed = subprocess.Popen([sys.executable, "-c", KILLED, str(moment), str(filesystem.folder), name], cwd=ROOT)
    assert killed.wait() == -signal.SIGALRM
    left = names(filesystem) - {"lost+found"}
    assert all(entry.startswith(scratch_record.PREFIX) for entry in left)
    for pid in started_by(killed.pid, moment):
        await_end(pid)
    # A worker that was just being started is seen by nobody, and holds the tree's lock until it finds us gone.
    assert comes_to(lambda: not clear(filesystem.folder) and not names(filesystem) - {"lost+found"})
    filesystem.remount()
    assert filesystem.has_back(free)
