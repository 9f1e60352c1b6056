"""`fsadvisor probe` as scripts and admins use it; what it refuses, and says, before anything is measured."""

import json
import os
import pty
import re
import select
import subprocess
import sys

import jsonschema
import pytest

from fsadvisor.probe.jobs import JOBS, SUITES
from fsadvisor.report.schema import schema
from tests.paths import ROOT
from tests.test_cli import MACHINE

ARGV = [sys.executable, "-m", "fsadvisor", "probe"]


def probe(*argv, **options):
    return subprocess.run(
        [*ARGV, *map(str, argv)], cwd=ROOT, capture_output=True, timeout=60, stdin=subprocess.DEVNULL, **options
    )


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


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ((), "say what to measure and where"),
        (("/var/tmp",), "--suite quick, or jobs before it"),
        (("commit-fdatsync", "/var/tmp"), "did you mean 'commit-fdatasync'?"),
        (("quick", "/var/tmp"), "--suite quick"),
        (("commit-fdatasync",), "say last in which folder"),
        (("commit-fdatasync", "/srv", "/var/tmp"), "one folder at a time"),
        (("--suite", "fast", "/var/tmp"), "'quick'"),
        (("commit-fdatasync", "--width", "0", "/var/tmp"), "no share"),
        (("commit-fdatasync", "--seconds", "never", "/var/tmp"), "no number of seconds"),
        (("commit-fdatasync", "/dev/null"), "character device"),
        (("commit-fdatasync", "/proc"), "proc"),
        (("commit-fdatasync", "/no/such"), "does not exist"),
        (("commit-fdatasync", "--yes", "/etc/passwd"), "name the folder that it is in"),
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
    with subprocess.Popen([*ARGV, "commit-fdatasync", str(tmp_path)], stdin=theirs, stderr=theirs, cwd=ROOT) as child:
        os.close(theirs)
        said = b""
        while b"[y/N]" not in said and child.poll() is None:
            if select.select([ours], [], [], 30)[0]:
                said += os.read(ours, 4096)
        if b"[y/N]" in said:
            os.write(ours, b"\n")
        assert child.wait(30) == 2
    os.close(ours)
    assert b"\x1b" not in said
    assert list(tmp_path.iterdir()) == []
