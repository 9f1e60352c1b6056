"""fio as an engine: its arguments as data, what its windows hold, its words, and that it never outlives us."""

import itertools
import os
import re
import select
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsadvisor.measure.probe import EngineError, ProbeWindow, fio
from fsadvisor.measure.probe.jobs import JOBS, Io
from fsadvisor.readers.fio import parse
from tests.cases import each, few
from tests.loops import run
from tests.paths import FIXTURES, ROOT
from tests.probe.filesystems import KINDS, mounted, needs_fio, needs_root
from tests.waiting import END_S, comes_to, running

MIB = 1 << 20
ENGINES = ("psync", "libaio", "io_uring")
IO_JOBS = [job for job in JOBS.values() if isinstance(job.work, Io)]
OTHER_KINDS = [kind for kind in KINDS if kind.values != ("ext4",)]
EVERYWHERE = ("commit-fdatasync", "commit-dsync-append", "random-write-32-sparse", "read-ahead-random")


def small(work):
    """The same on a file that is laid out in no time."""
    return replace(work, file_bytes=16 * MIB)


def argv(work, seconds=1.0, engines=ENGINES):
    return fio.argv(work, "/proc/1/fd/3", seconds, engines)


def set_to(arguments, option):
    return [it.partition("=")[2] for it in arguments if it.startswith(f"--{option}=")]


every_job = each("job", IO_JOBS)


class TestArguments:
    @every_job
    def test_name_our_open_file_and_nothing_else(self, job):
        arguments = argv(job.work)
        assert set_to(arguments, "filename") == ["/proc/1/fd/3"]
        assert not any("directory" in it or "/dev" in it for it in arguments)
        assert set_to(arguments, "allow_file_create") == ["0"]
        assert set_to(arguments, "unlink") == ["0"]
        assert set_to(arguments, "fallocate") == ["none"]

    @every_job
    def test_say_everything_once_and_as_option_and_value(self, job):
        names = [it.partition("=")[0] for it in argv(job.work)]
        assert len(names) == len(set(names))
        assert all(re.fullmatch(r"--[a-z_-]+=[A-Za-z0-9/+._-]+", it) for it in argv(job.work))

    @given(seconds=st.floats(0.0001, 3600))
    @every_job
    def test_tell_the_time_in_whole_milliseconds_of_which_there_is_one(self, job, seconds):
        (runtime,) = set_to(argv(job.work, seconds), "runtime")
        assert re.fullmatch(r"[1-9][0-9]*ms", runtime)

    @every_job
    def test_never_go_round_where_the_second_round_is_something_else(self, job):
        work = job.work
        unsynced_cache = not work.direct and work.sync == "none"
        consumed = work.operation == "write" and (work.pattern == "append" or work.state != "written")
        assert bool(set_to(argv(work), "time_based")) == (not unsynced_cache and not consumed)

    @every_job
    def test_keep_as_many_in_flight_as_the_job_says(self, job):
        arguments = argv(job.work)
        (engine,) = set_to(arguments, "ioengine")
        assert engine == ("psync" if job.work.depth == 1 else "libaio")
        assert set_to(arguments, "iodepth") == ([] if job.work.depth == 1 else [str(job.work.depth)])
        assert set_to(arguments, "numjobs") == [str(job.work.streams)]


@pytest.mark.parametrize("counter", ["tsc", "arch_sys_counter"])
def test_the_clock_that_the_kernel_trusts_need_not_be_tried_by_fio_at_each_start(counter):
    assert fio.clock_argument(counter) == ("--clocksource=clock_gettime",)


@each("call", ["hpet", "xen", "acpi_pm", "kvm-clock", "", None])
def test_where_the_time_may_cost_a_call_of_the_kernel_fio_chooses_its_clock(call):
    assert fio.clock_argument(call) == ()


def test_streams_lie_side_by_side_in_the_file():
    arguments = argv(JOBS["video-read"].work)
    assert set_to(arguments, "size") == set_to(arguments, "offset_increment") == [str(128 * MIB)]


def test_a_write_through_the_cache_ends_on_the_disk():
    assert set_to(argv(JOBS["write-buffered"].work), "end_fsync") == ["1"]
    assert set_to(argv(JOBS["write-direct"].work), "end_fsync") == []


def test_io_uring_stands_in_for_libaio_and_nothing_for_both():
    work = JOBS["random-read-32"].work
    assert set_to(argv(work, engines=("io_uring",)), "ioengine") == ["io_uring"]
    with pytest.raises(EngineError, match="neither libaio nor io_uring"):
        argv(work, engines=("psync",))


def sample(name):
    return (FIXTURES / "outputs" / "fio" / f"{name}.out").read_text()


class TestWords:
    def test_of_an_errno_are_ours(self):
        with pytest.raises(EngineError, match=r"while measuring in /srv: there is no space left .*ENOSPC"):
            fio.judged(sample("no-room"), "", 1, "measuring in /srv")

    def test_are_fios_own_where_there_is_no_errno(self):
        with pytest.raises(EngineError, match=r"fio said: out of luck$"):
            fio.judged(sample("dsync"), "fio: out of luck\n", 1, "measuring")

    def test_of_a_file_that_it_cannot_open_name_proc(self):
        with pytest.raises(EngineError, match=r"cannot open our scratch file by /proc: Operation not permitted"):
            fio.judged(sample("append-refused"), "", 1, "measuring")

    @given(out=st.text(max_size=80), said=st.text(max_size=80), status=st.integers(-9, 2))
    def test_of_anything_unreadable_are_one_error(self, out, said, status):
        with pytest.raises(EngineError, match="while measuring: "):
            fio.judged(out, said, status, "measuring")


@each("name", ["fdatasync-direct", "dsync", "randread-32", "append-fsync", "streams"])
def test_a_window_holds_every_operation_of_the_run(name):
    (job,) = parse(sample(name)).jobs
    reads = bool(job.read.operations)
    sync = {"fdatasync-direct": "fdatasync", "dsync": "dsync", "append-fsync": "fsync"}.get(name, "none")
    window = fio.window_of(job, Io(operation="read" if reads else "write", pattern="random", sync=sync), None)
    assert window.operations == sum(window.latencies_ns.values()) > 0
    assert sum(window.sync_ns.values()) == (0 if sync == "none" else window.operations)
    assert window.asked_bytes % window.operations == 0
    assert window.void == ""


def test_the_processor_time_of_all_streams_is_summed():
    (job,) = parse(sample("streams")).jobs
    window = fio.window_of(job, Io(operation="read", pattern="sequential"), None)
    assert window.seconds == 0.201
    assert window.system_cpu_seconds == pytest.approx(0.06 * 0.4)


def test_a_run_without_an_operation_is_void():
    (job,) = parse(sample("append-refused")).jobs
    assert fio.window_of(job, Io(operation="write", pattern="append"), None).void == "not one operation was done"


@pytest.fixture(scope="module")
def ext4(tmp_path_factory):
    with mounted("ext4", tmp_path_factory.mktemp("ext4")) as one:
        yield one


def run_once(job, filesystem):
    work = small(job.work)
    with fio.session(fio.find(), work, filesystem.folder, filesystem.way) as session:
        window = session.window(0.05)
        assert re.fullmatch(r"fio [0-9].*", session.engine)
        size = os.fstat(session.file.descriptor).st_size
    assert {entry.name for entry in filesystem.folder.iterdir()} <= {"lost+found"}
    assert window.void == ""
    in_flight = work.depth if fio.comes_up(work) else 0  # as its time begins: fio has their latencies, and no more
    blocks = (window.asked_bytes - window.early_bytes) / work.block_bytes
    assert window.operations <= blocks <= window.operations + in_flight
    assert 0 < window.operations <= sum(window.latencies_ns.values()) <= window.operations + in_flight
    syncs = sum(window.sync_ns.values())
    assert syncs == 0 if work.sync == "none" else window.operations - 1 <= syncs <= window.operations
    assert (window.disks is None) == (filesystem.way is None)
    assert size == (window.asked_bytes if work.pattern == "append" else work.file_bytes)
    if window.disks and work.operation == "write" and (work.direct or work.sync != "none"):
        assert window.disks.written_bytes >= window.asked_bytes / 2


@needs_fio
@pytest.mark.loop
@pytest.mark.parametrize("job", few(IO_JOBS, 18), ids=lambda job: job.id)
def test_every_job_runs_on_ext4_and_leaves_nothing(job, ext4):
    run_once(job, ext4)


@pytest.mark.long
@needs_fio
@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_jobs_run_on_other_filesystems(kind, tmp_path):
    with mounted(kind, tmp_path) as filesystem:
        for name in EVERYWHERE:
            run_once(JOBS[name], filesystem)


@pytest.mark.long
@needs_fio
@pytest.mark.loop
def test_append_goes_on_in_each_window_and_starts_anew_where_the_file_may_not_grow_further(ext4):
    work = replace(JOBS["append-direct"].work, file_bytes=2 * MIB)
    with fio.session(fio.find(), work, ext4.folder, None) as session:
        sizes = [0]
        for _ in range(12):
            window = session.window(0.05)
            size = os.fstat(session.file.descriptor).st_size
            assert size == window.asked_bytes + (sizes[-1] if sizes[-1] <= MIB else 0)
            sizes.append(size)
    assert max(sizes) <= 2 * MIB
    assert any(one > before > 0 for before, one in itertools.pairwise(sizes))
    assert any(one < before for before, one in itertools.pairwise(sizes))


def test_only_many_writes_at_once_begin_before_their_time():
    early = {job.id for job in IO_JOBS if fio.comes_up(job.work)}
    assert early == {"random-write-32"}
    assert set_to(argv(JOBS["random-write-32"].work), "ramp_time") == ["200ms"]


@each(("wrote", "early"), [(1500, 500), (1000, 0), (900, 0), (0, 200)])
def test_what_was_written_before_its_time_is_asked_too_but_no_part_of_its_speed(wrote, early):
    timed = ProbeWindow(seconds=1.0, operations=10, asked_bytes=1000)
    found = fio.with_early(timed, wrote)
    assert (found.asked_bytes, found.early_bytes) == (1000 + early, early)
    assert found.bytes_per_s == timed.bytes_per_s == 1000


@needs_fio
@pytest.mark.loop
def test_the_disk_sees_what_a_window_tells_that_began_before_its_time(ext4):
    with fio.session(fio.find(), small(JOBS["random-write-32"].work), ext4.folder, ext4.way) as session:
        window = session.window(0.05)
    assert window.early_bytes > 0
    of_the_filesystem = window.disks.written_bytes - window.asked_bytes
    assert 0 <= of_the_filesystem < MIB


@needs_fio
@needs_root
def test_a_filesystem_that_fills_up_in_the_middle_is_told(tmp_path):
    with mounted("tmpfs", tmp_path, megabytes=4) as filesystem:
        work = replace(JOBS["append-direct"].work, direct=False, sync="fsync")
        with (
            pytest.raises(EngineError, match=rf"measuring in {filesystem.folder}: there is no space left"),
            fio.session(fio.find(), work, filesystem.folder, None) as session,
        ):
            session.window(60)
        assert filesystem.free_bytes() == 4 * MIB


@needs_fio
@needs_root
def test_a_fio_that_may_not_open_our_file_is_told(tmp_path):
    tool = fio.find()
    stranger = replace(tool, before=("setpriv", "--reuid=65534", "--clear-groups"))
    with (
        pytest.raises(EngineError, match=r"scratch file by /proc: Permission denied"),
        fio.session(stranger, small(JOBS["commit-fsync"].work), tmp_path, None) as session,
    ):
        session.window(0.05)


@needs_fio
@needs_root
@pytest.mark.parametrize("job", ["random-read-1", "random-write-32"])
def test_a_filesystem_without_direct_io_is_told(job, tmp_path):
    run("mount", "-t", "ramfs", "ramfs", str(tmp_path))
    try:
        with (
            pytest.raises(EngineError, match=f"measuring in {tmp_path}: the filesystem has no direct I/O"),
            fio.session(fio.find(), small(JOBS[job].work), tmp_path, None) as session,
        ):
            session.window(0.05)
    finally:
        run("umount", str(tmp_path))


def stand_in(folder, text):
    tool = folder / "fio"
    tool.write_text(f"#!/bin/sh\n{text}\n")
    tool.chmod(0o755)
    return tool


class TestFinding:
    def test_there_is_none(self, tmp_path):
        assert fio.find(str(tmp_path)) is None

    def test_one_that_does_not_run_is_told_in_its_own_words(self, tmp_path):
        stand_in(tmp_path, "echo fio: a library is missing >&2; exit 127")
        with pytest.raises(EngineError, match="could not be run: fio: a library is missing"):
            fio.find(str(tmp_path))

    def test_where_setpriv_is_busyboxs_a_line_of_python_stands_in(self, tmp_path):
        stand_in(tmp_path, "echo fio-3.40")
        busybox = tmp_path / "setpriv"
        busybox.write_text("#!/bin/sh\necho unrecognized option >&2; exit 1\n")
        busybox.chmod(0o755)
        found = fio.find(str(tmp_path))
        assert found.version == "3.40"
        assert found.before[0] == sys.executable

    @needs_fio
    def test_its_engines_are_listed(self):
        assert {"psync", "libaio"} <= set(fio.find().engines)


OUTLIVED = """
import sys
from fsadvisor.measure.probe.processes import launcher
from fsadvisor.measure.probe.fio import Fio
pid, *before = sys.argv[1:]
shell = Fio(path="/bin/sh", before=tuple(before) or launcher(), version="")
shell.run(("-c", f"echo $$ > {pid}; exec cat < {pid}.fifo"), 10_000)
"""


@pytest.mark.parametrize("before", [("/usr/bin/setpriv", "--pdeathsig", "KILL"), ()], ids=["setpriv", "launcher"])
def test_it_dies_with_us_when_we_are_killed(before, tmp_path):
    """The stand-in waits on a FIFO for ever; we end by SIGKILL, without a chance to clean up."""
    pid = tmp_path / "pid"
    os.mkfifo(f"{pid}.fifo")
    with subprocess.Popen([sys.executable, "-c", OUTLIVED, pid, *before], cwd=ROOT) as starter:
        assert comes_to(lambda: pid.exists() and pid.read_text().endswith("\n"))
        ends = os.pidfd_open(int(pid.read_text()))
        starter.kill()
    with os.fdopen(ends):
        assert select.select([ends], [], [], END_S)[0]


def test_it_is_stopped_when_its_time_is_over(tmp_path):
    tool = fio.Fio(path="/bin/sh", before=(), version="")
    with pytest.raises(EngineError, match="did not end within 1 s and was stopped"):
        tool.run(("-c", f"sleep {END_S}; :", str(tmp_path)), 1)
    assert not running(tmp_path)
