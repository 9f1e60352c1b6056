"""`fsadvisor waits` as people use it: on this machine, and on an ext4 of our own while something syncs on it."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from fsadvisor.report.schema import schema
from tests.cases import each
from tests.command import ARGV, fsadvisor
from tests.loops import loops, needs_loop_devices, run
from tests.paths import ROOT
from tests.test_cli import MACHINE

SYNCING = """
import os, sys
file = os.open(sys.argv[1] + "/file", os.O_CREAT | os.O_WRONLY)
print("begun", flush=True)
while True:
    os.pwrite(file, b"x" * 4096, 0)
    os.fsync(file)
"""


def waits(*argv):
    return fsadvisor("waits", *argv)


def as_json(*argv):
    done = waits(*argv, "--json")
    found = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schema("waits")).validate(found)
    return done.returncode, found


@contextlib.contextmanager
def mounted(folder):
    """An ext4 of our own."""
    with loops(folder) as some:
        device = some.device("disk", 400)
        run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", device)
        yield some.mount(device, "place"), device.rpartition("/")[2]


@contextlib.contextmanager
def syncing(place):
    """A process that does nothing but sync, for as long as the block."""
    with subprocess.Popen([sys.executable, "-c", SYNCING, place], stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "begun\n"
            yield child.pid
        finally:
            child.kill()


@each(
    ("argv", "words"),
    [
        (("--job", "commit-fdatsync", "/var/tmp"), "did you mean 'commit-fdatasync'?"),
        (("--job", "commit-fdatasync"), "say in which directory"),
        (("/no/such/folder",), "on no mount that can be told"),
        (("--seconds", "0"), "no number of seconds"),
        (("--on", MACHINE), "no window in it"),
        (("--on", MACHINE, "/srv"), "leave TARGET and other options out"),
        (("--at", "02:10"), "say where with --on"),
        (("--job", "commit-fdatasync", "--yes", "/proc"), "proc"),
    ],
)
def test_what_can_not_be_watched_is_refused_with_what_to_do_instead(argv, words):
    done = waits(*argv)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_a_window_that_was_kept_is_told_as_this_machine_was(tmp_path):
    file = tmp_path / "window-1.json"
    looked = json.loads(fsadvisor("doctor", "--seconds", "1", "--json").stdout)["window"]
    file.write_text(json.dumps(looked))
    status, found = as_json("--on", tmp_path)
    assert status == (3 if found["sentences"][0]["id"] == "not told" else 0)
    assert (found["when"], found["seconds"]) == (looked["when"], looked["seconds"])
    assert found["processors"]["user"] == pytest.approx(looked["user"], abs=1e-5)
    assert {one["name"]: one["busy"] for one in found["disks"]["each"]} == {
        one["name"]: pytest.approx(one.get("busy", 0.0), abs=1e-5) for one in looked["devices"]
    }
    if "waiting" in looked:
        assert found["threads"]["waiting"] == pytest.approx(looked["waiting"], abs=1e-5)
    else:
        assert found["threads"]["known"] != "yes", "on a busy machine they were looked at too seldom"
    assert b"Where the time goes" in waits("--on", file, "--at", looked["when"]).stdout


def test_this_machine_is_watched_and_told_in_text():
    done = waits("--seconds", "0.6")
    text = done.stdout.decode()
    assert done.returncode in (0, 3), done.stderr
    assert text.startswith("Where the time goes: this machine, ")
    assert all(f"\n{head}" in text for head in ("Processors", "Disks", "Pressure", "Threads", "Locks"))
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "Locks       not known" in text


def test_the_same_as_json_is_of_the_published_shape():
    status, found = as_json("--seconds", "0.6")
    assert status == (3 if found["sentences"][0]["id"] == "not told" else 0)
    assert found["probe"] is None
    assert found["locks"]["known"] == "no"


def test_a_signal_ends_it_with_what_was_seen_so_far():
    command = [*ARGV, "waits", "--seconds", "600", "--json"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert "watching for 600 s" in child.stderr.readline()
        child.send_signal(signal.SIGINT)
        told, _ = child.communicate()
    assert child.returncode == 130
    assert json.loads(told)["seconds"] < 600


@pytest.mark.loop
@needs_loop_devices
def test_a_program_that_syncs_is_found_in_the_journal_of_its_ext4(tmp_path):
    with mounted(tmp_path) as (place, device), syncing(place):
        for seconds in (2, 20, 200):
            _, found = as_json(place, "--seconds", seconds)
            (journal,) = found["journals"]
            if journal["requested"]:  # else the disk was so busy with others' work that no commit came to an end
                break
    assert found["target"] == place
    assert (journal["kind"], journal["device"]) == ("ext4", device)
    assert 0 < journal["requested"] <= journal["transactions"]
    told = {one["name"]: one for one in found["disks"]["each"]}
    assert told[device]["writes"] > 0
    assert found["disks"]["untold"] == []
    if os.geteuid() == 0 and found["threads"]["known"] == "yes":
        named = {one["function"] for one in found["threads"]["waiters"]}
        assert any(name.startswith(("jbd2_", "folio_", "submit_bio", "blk", "__")) for name in named), named


@pytest.mark.long
@pytest.mark.loop
@needs_loop_devices
def test_a_probe_is_watched_at_its_work_and_leaves_nothing(tmp_path):
    with mounted(tmp_path) as (place, device):
        before = sorted(Path(place).iterdir())
        _, found = as_json(place, "--job", "commit-fdatasync", "--yes", "--seconds", "2")
        assert sorted(Path(place).iterdir()) == before
    assert found["probe"]["jobs"] == ["commit-fdatasync"]
    assert found["probe"]["results"][0]["windows"] >= 1
    told = {one["name"]: one for one in found["disks"]["each"]}
    assert told[device]["writes"] > 0
