"""`fsadvisor probe` as scripts and admins use it; what it refuses, and says, before anything is measured."""

import contextlib
import json
import os
import pty
import re
import select
import subprocess
from pathlib import Path

import jsonschema
import pytest

from fsadvisor.machine.live import LiveMachine
from fsadvisor.measure.probe.jobs import JOBS, SUITES
from fsadvisor.measure.probe.scratch_record import lock_tree
from fsadvisor.measure.probe.surroundings import mount_of
from fsadvisor.measure.probe.target import probe_lock
from fsadvisor.report.schema import schema
from tests.cases import each, few
from tests.command import ARGV, fsadvisor
from tests.loops import loops, needs_loop_devices, run
from tests.paths import ROOT
from tests.test_cli import MACHINE
from tests.waiting import END_S, comes_to

PROBE = [*ARGV, "probe"]


def probe(*argv):
    return fsadvisor("probe", *argv)


def refused(*argv):
    """The lines that a command that is refused gets."""
    done = probe(*argv)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr
    return done.stderr.decode()


def listed(text):
    return re.findall(r"(?m)^  (\S+)", text)


def test_the_list_names_every_job_and_suite_with_what_it_takes():
    done = probe("--list")
    assert (done.returncode, done.stderr) == (0, b"")
    assert listed(done.stdout.decode()) == [*SUITES, *JOBS]
    assert b"6 jobs, 88 s at most, writes" in done.stdout


def test_a_dry_run_says_what_it_takes_and_touches_nothing(tmp_path):
    done = probe("--suite", "metadata", "--dry-run", tmp_path)
    said = done.stdout.decode()
    assert f"16 jobs in {tmp_path}" in " ".join(said.splitlines())
    assert [line.split()[0] for line in said.splitlines() if line.startswith("  ")][:3] == ["time", "writes", "takes"]
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_as_json_is_of_the_published_shape(tmp_path):
    found = json.loads(probe("commit-fdatasync", "--dry-run", "--json", tmp_path).stdout)
    jsonschema.Draft202012Validator(schema("probe")).validate(found)
    assert found["jobs"] == ["commit-fdatasync"]
    assert found["results"] == []


@each(
    ("argv", "words"),
    [
        ((), "say what to measure and where"),
        (("/var/tmp",), "--suite quick, or jobs before it"),
        (("commit-fdatsync", "/var/tmp"), "did you mean 'commit-fdatasync'?"),
        (("quick", "/var/tmp"), "--suite quick"),
        (("commit-fdatasync",), "say last in which directory"),
        (("commit-fdatasync", "/srv", "/var/tmp"), "one directory at a time"),
        (("--suite", "quik", "/var/tmp"), "did you mean 'quick'?"),
        (("commit-fdatasync", "--width", "0", "/var/tmp"), "no share"),
        (("commit-fdatasync", "--seconds", "never", "/var/tmp"), "no number of seconds"),
        (("commit-fdatasync", "/dev/null"), "character device"),
        (("commit-fdatasync", "/proc"), "proc"),
        (("commit-fdatasync", "/no/such"), "does not exist"),
        (("commit-fdatasync", "--yes", "/etc/passwd"), "name the directory that it is in"),
    ],
)
def test_what_can_not_be_measured_is_refused_with_the_nearest_choice(argv, words):
    assert words in refused(*argv)


def test_a_recording_has_no_disk_to_measure():
    assert "a recording has no disk" in refused("--on", MACHINE, "commit-fdatasync", "/")


def test_a_refusal_as_json_is_on_stdout_with_its_reasons():
    done = probe("commit-fdatasync", "--json", "/proc")
    found = json.loads(done.stdout)
    assert (done.returncode, found["state"]) == (2, "refused")
    assert {it["level"] for it in found["findings"]} >= {"refused"}


def test_without_a_terminal_and_without_yes_it_says_what_to_type(tmp_path):
    done = probe("commit-fdatasync", tmp_path)
    if b"not started" not in done.stderr:
        pytest.skip("the guard refuses the folder of temporary files here")
    assert done.returncode == 2
    assert f"fsadvisor probe commit-fdatasync {tmp_path} --yes".encode() in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_on_a_terminal_it_asks_and_anything_but_yes_is_no(tmp_path):
    ours, theirs = pty.openpty()
    with subprocess.Popen([*PROBE, "commit-fdatasync", str(tmp_path)], stdin=theirs, stderr=theirs, cwd=ROOT) as child:
        os.close(theirs)
        said = b""
        while b"[y/N]" not in said and child.poll() is None:
            if select.select([ours], [], [], 30)[0]:
                with contextlib.suppress(OSError):  # EIO where it has just been refused and has ended
                    said += os.read(ours, 4096)
        if b"[y/N]" in said:
            os.write(ours, b"\n")
        assert child.wait(END_S) == 2
    os.close(ours)
    assert b"\x1b" not in said
    assert list(tmp_path.iterdir()) == []


# On a real filesystem


@pytest.fixture
def mounted(tmp_path):
    """An ext4 of our own, past the page cache of the host."""
    with loops(tmp_path) as some:
        device = some.device("disk", 400)
        run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", device)
        run("losetup", "--direct-io=on", device)
        yield Path(some.mount(device, "place"))


def names(folder):
    return sorted(it.name for it in folder.iterdir())


MEASURED = ["commit-fsync", "stat-2", "fsync-ladder"]


def is_let_go(tree):
    """Whether nobody uses it any more: workers find out a moment after their probe was killed."""
    descriptor = os.open(tree, os.O_RDONLY)
    try:
        return lock_tree(descriptor)
    finally:
        os.close(descriptor)


@pytest.mark.loop
@needs_loop_devices
def test_jobs_run_are_told_and_leave_nothing(mounted):
    jobs = ("commit-fdatasync", "create-2-each", "fsync-ladder")
    done = probe(*jobs, "--seconds", "0.5", "--yes", "--no-keep", "--json", mounted)
    found = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schema("probe")).validate(found)
    assert [it["job"] for it in found["results"]] == list(jobs)
    assert all(it["windows"] for it in found["results"]), done.stderr
    assert found["mount"] == str(mounted)
    assert [line.partition(":")[0] for line in done.stderr.decode().splitlines()[-3:]] == ["fsadvisor"] * 3
    assert b"\x1b" not in done.stderr
    assert b"\r" not in done.stderr
    assert names(mounted) == ["lost+found"]


@pytest.mark.loop
@needs_loop_devices
@pytest.mark.parametrize("job", few(MEASURED, 3))
def test_a_signal_ends_it_with_the_results_so_far_and_leaves_nothing(mounted, job):
    more = [it for it in MEASURED if it != job]  # so that it can't have ended on a machine that is slow to send it
    argv = [*PROBE, "create-1", job, *more, "--seconds", "1", "--yes", "--no-keep", "--json", str(mounted)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT) as child:
        while b" create-1: " not in child.stderr.readline():
            assert child.poll() is None
        child.terminate()
        said, _ = child.communicate()
    found = json.loads(said)
    assert (child.returncode, found["state"]) == (143, "cancelled")
    assert [it["job"] for it in found["results"]][:1] == ["create-1"]
    assert names(mounted) == ["lost+found"]


@pytest.mark.loop
@needs_loop_devices
def test_what_a_killed_probe_left_is_taken_away_by_the_next(mounted):
    argv = [*PROBE, "stat-2", "--seconds", "30", "--yes", "--no-keep", str(mounted)]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT) as child:
        while names(mounted) == ["lost+found"]:
            assert child.poll() is None
        child.kill()
    (left,) = (it for it in mounted.iterdir() if it.name != "lost+found")
    assert comes_to(lambda: is_let_go(left))
    done = probe("commit-fsync", "--seconds", "0.5", "--yes", "--no-keep", mounted)
    assert b"took away" in done.stderr
    assert names(mounted) == ["lost+found"]


@pytest.mark.loop
@needs_loop_devices
def test_a_filesystem_that_is_nearly_full_is_refused_with_the_jobs_that_would_do(mounted):
    with (mounted / "big").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, 250 << 20)
    said = refused("allocate", "create-1", "--yes", mounted)
    assert "choose jobs that take less" in said
    assert f"these may run there: fsadvisor probe create-1 {mounted}" in said


@pytest.mark.loop
@needs_loop_devices
def test_a_filesystem_that_takes_no_writes_is_refused(mounted):
    run("mount", "-o", "remount,ro", str(mounted))
    assert "is read-only" in refused("commit-fsync", "--yes", mounted)


@pytest.mark.loop
@needs_loop_devices
def test_a_second_probe_on_the_same_mount_is_refused(mounted):
    with probe_lock(mount_of(str(mounted), LiveMachine())):
        assert "another probe runs" in refused("create-1", "--yes", mounted)
