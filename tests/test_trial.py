"""`fsadvisor trial` as scripts and admins use it: what it refuses, what it says before and after, what it leaves."""

import json
import os
import signal
import subprocess
from pathlib import Path

import jsonschema
import pytest

from fsadvisor.measure.probe import EngineError
from fsadvisor.measure.trial import empty
from fsadvisor.report.schema import schema
from tests.cases import few
from tests.command import ARGV, fsadvisor
from tests.loops import attached_images, loops, mounts, needs_loop_devices, run
from tests.trial.test_testbed import left
from tests.waiting import comes_to

pytestmark = pytest.mark.namespaces

SHORT = ("--job", "create-1", "--seconds", "1", "--yes", "--no-keep")
VALIDATOR = jsonschema.Draft202012Validator(schema("trial"))


def trial(*argv):
    return fsadvisor("trial", *argv)


@pytest.fixture
def scratch(tmp_path):
    """A folder on a filesystem of its own: of two on one mount, one would have to wait."""
    with loops(tmp_path) as loop:
        device = loop.device("ground", 4096)
        run("mkfs.ext4", "-q", device)
        place = Path(loop.mount(device, "ground"), "scratch")
        place.mkdir()
        yield place


def measured(*argv):
    """One that takes longer than a command is given otherwise."""
    return subprocess.run([*ARGV, "trial", *map(str, argv)], capture_output=True)


def found_by(*argv):
    """What a short trial reports, and its exit status."""
    done = measured(*argv, *SHORT, "--json")
    return json.loads(done.stdout), done.returncode


@pytest.mark.parametrize(
    ("argv", "words"),
    few(
        [
            ((), "say what to try and where"),
            (("noatime",), "say what to try and where"),
            (("--on-scratch", "/var/tmp"), "say what to try and where"),
            (("nobarrier-unprovn", "--on-scratch", "/var/tmp"), "did you mean 'nobarrier-unproven'?"),
            (("nobarrier-unproven", "noatime", "--on-scratch", "/var/tmp"), "one change at a time"),
            (("drive-failing", "--on-scratch", "/var/tmp"), "cannot be tried"),
            (("noatime", "--on-scratch", "/var/tmp", "--job", "comit-fsync"), "did you mean 'commit-fsync'?"),
            (("noatime", "--on-scratch", "/var/tmp", "--type", "a/b"), "no type of filesystem"),
            (("noatime", "--on-scratch", "/var/tmp", "--type", "exf4"), "did you mean 'ext4'?"),
            (("noatime", "--on-scratch", "/var/tmp", "--device", "/dev/null"), "not allowed with"),
            (("noatime", "--on-scratch", "/var/tmp", "--on", "/tmp"), "a recording has no disk"),
            (("noatime", "--on-scratch", "/no/such", "--yes"), "does not exist"),
            (("noatime", "--on-scratch", "/proc", "--yes"), "proc"),
            (("noatime", "--device", "/dev/null", "--yes"), "is no block device"),
        ],
        3,
    ),
)
def test_what_is_said_wrongly_or_may_not_be_is_refused_in_a_line(argv, words):
    done = trial(*argv)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_a_dry_run_says_what_is_tried_what_it_takes_and_the_danger(tmp_path):
    done = trial("data=writeback", "--type", "ext4", "--on-scratch", tmp_path, "--dry-run")
    said = " ".join(done.stdout.decode().split())
    assert "data=writeback`" in said
    assert "contents of deleted ones" in said
    assert "time 30 s at least" in said
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_as_json_is_of_the_published_shape(tmp_path):
    argv = ("ext4-without-journal", "--type", "ext4", "--on-scratch", tmp_path, "--dry-run", "--json")
    found = json.loads(trial(*argv).stdout)
    VALIDATOR.validate(found)
    assert (found["rule"], found["job"], found["gain"]) == ("ext4-without-journal", "commit-fsync-append", None)
    assert found["default"]["mkfs"][-2:] == ["-O", "^has_journal"]


@pytest.mark.loop
@needs_loop_devices
def test_without_a_terminal_it_names_the_command_that_goes_on(scratch):
    done = trial("noatime", "--on-scratch", scratch)
    assert done.returncode == 2
    assert b"there is no terminal to ask on" in done.stderr
    assert b"--yes" in done.stderr


@pytest.mark.loop
@needs_loop_devices
@pytest.mark.long
@pytest.mark.parametrize("fs_type", ["ext4", "xfs", "btrfs"])
def test_a_trial_measures_both_sides_says_a_sentence_and_leaves_nothing(fs_type, scratch):
    before = [line for line in mounts() if str(scratch) in line]
    found, status = found_by("noatime", "--type", fs_type, "--on-scratch", scratch)
    VALIDATOR.validate(found)
    assert found["state"] == "done", (found["error"], found["blocks"], found["voids"])
    assert status in (0, 3)
    assert set(found["sides"]) == {"default", "again", "changed", "bare"}
    assert found["sides"]["changed"]["shown_options"] != found["sides"]["default"]["shown_options"]
    assert found["gain"]["says"].startswith(("faster by", "slower by", "no difference", "not told"))
    assert found["control"]["blocks"] == found["blocks"] - found["blocks_left_out"] >= 6
    assert left(scratch) == []
    assert [line for line in mounts() if str(scratch) in line] == before


@pytest.mark.loop
@needs_loop_devices
def test_what_the_kernel_does_not_take_is_told_in_its_words_and_leaves_nothing(scratch):
    done = measured("no_such_option", "--type", "ext4", "--on-scratch", scratch, *SHORT)
    assert done.returncode == 3
    assert "failed: while mounting /dev/loop" in " ".join(done.stdout.decode().split())
    assert left(scratch) == []


@pytest.mark.long
@pytest.mark.loop
@needs_loop_devices
def test_a_folder_whose_name_is_no_utf_8_is_as_good_as_any(scratch):
    folder = scratch / os.fsdecode(b"b\xffd")
    folder.mkdir()
    found, _ = found_by("access-times-written", "--type", "ext4", "--on-scratch", folder)
    assert found["state"] == "done", (found["error"], found["blocks"], found["voids"])
    assert left(folder) == []


def begun(folder, *more):
    """A trial that has made its images."""
    argv = [*ARGV, "trial", "noatime", "--type", "ext4", "--on-scratch", str(folder), *SHORT, "--seconds", "600", *more]
    child = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert comes_to(lambda: any(str(folder) in it for it in attached_images()) or child.poll() is not None)
    return child


@pytest.mark.loop
@needs_loop_devices
def test_killed_it_leaves_no_mount_no_loop_device_and_no_file(scratch):
    child = begun(scratch)
    child.kill()
    child.communicate()
    assert left(scratch) == []


@pytest.mark.loop
@needs_loop_devices
def test_interrupted_it_ends_as_a_shell_expects_reports_and_leaves_nothing(scratch):
    child = begun(scratch, "--json")
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate()
    assert child.returncode == 130
    found = json.loads(out)
    VALIDATOR.validate(found)
    assert found["state"] == "cancelled"
    assert left(scratch) == []


@pytest.mark.long
@pytest.mark.loop
@needs_loop_devices
def test_an_empty_device_is_halved_when_its_name_is_said_and_empty_again_afterwards(tmp_path):
    with loops(tmp_path) as loop:
        device = loop.device("empty", 640)
        argv = ("noatime", "--type", "ext4", "--device", device)
        asked = trial(*argv, *SHORT)
        assert asked.returncode == 2
        assert f"--yes-erase {device.removeprefix('/dev/')}".encode() in asked.stderr
        wrong = trial(*argv, *SHORT, "--yes-erase", "sda")
        assert (wrong.returncode, b"is loop" in wrong.stderr) == (2, True)
        found, _ = found_by(*argv, "--yes-erase", device.removeprefix("/dev/"))
        VALIDATOR.validate(found)
        assert found["state"] == "done", (found["error"], found["blocks"], found["voids"])
        assert (found["control"], found["bare"], set(found["sides"])) == (None, None, {"default", "changed"})
        assert empty.used(device) == ()


@pytest.mark.loop
@needs_loop_devices
def test_a_device_that_anything_is_on_is_never_empty(tmp_path):
    with loops(tmp_path) as loop:
        device = loop.device("used", 128)
        assert empty.used(device) == ()
        run("mkfs.ext4", "-q", device)
        assert any("blkid finds" in it for it in empty.used(device))
        loop.mount(device, "place")
        assert any("it is mounted on" in it for it in empty.used(device))
        assert any("does not give it to us alone" in it for it in empty.used(device))
        with pytest.raises(EngineError, match="is not empty"), empty.halves(device):
            pass


@pytest.mark.loop
@needs_loop_devices
def test_a_device_that_is_mounted_on_a_name_with_signs_that_end_lines_elsewhere_is_mounted_there(tmp_path):
    with loops(tmp_path) as loop:
        device = loop.device("used", 8)
        run("mkfs.ext4", "-q", device)
        place = loop.mount(device, "two\r\rlines\v\u2028")
        assert f"it is mounted on {place}" in empty.used(device)


@pytest.mark.loop
@needs_loop_devices
def test_bytes_without_a_signature_are_no_emptiness(tmp_path):
    with loops(tmp_path) as loop:
        device = loop.device("bytes", 8)
        with Path(device).open("r+b") as file:
            file.seek(4096)
            file.write(b"somebody's")
        assert any("not all zeros" in it for it in empty.used(device))


@pytest.mark.loop
@needs_loop_devices
def test_partitions_and_swap_are_signatures(tmp_path):
    with loops(tmp_path) as loop:
        device = loop.device("swap", 8)
        run("mkswap", device)
        assert any("swap" in it for it in empty.used(device))
