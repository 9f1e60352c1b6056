"""A look at no storage is a status of its own, never a healthy machine; a part of a look is a look."""

import json
import os
import shutil
import subprocess
import threading

import pytest

from fsadvisor.__main__ import _in_threads_too
from fsadvisor.report.as_json import could_not_look
from fsadvisor.storage.catalogue import catalogue
from tests.command import ARGV, in_text
from tests.paths import FIXTURES, ROOT
from tests.report import composed
from tests.waiting import END_S

SEEN = str(FIXTURES / "machines" / "xfs-logbsize")
NO_FOLDERS = "mount -t tmpfs none /sys && mount -t tmpfs none /proc && exec {}"
NO_DEVICES = "mount -t tmpfs none /sys && exec setpriv --reuid 65534 --regid 65534 --clear-groups {}"

namespaces = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("unshare") or not shutil.which("setpriv"), reason="namespaces need root"
)


@pytest.fixture
def archive(tmp_path):
    """A sos archive that holds neither /proc nor /sys nor what stands in for them."""
    for name, text in {"version.txt": "sosreport: 4.8\n", "sos_commands/host/uptime": "up\n"}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def without(script, *more):
    """What it says in a mount namespace where the script hid something."""
    line = " ".join([*ARGV, *more])
    argv = ["unshare", "-m", "sh", "-c", script.format(line)]
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=END_S, check=False)


@pytest.mark.parametrize("more", [(), ("--fail-on", "never"), ("--strict",)])
def test_an_archive_without_storage_exits_with_5_whatever_else_is_asked(archive, more):
    assert in_text("--on", archive, *more).returncode == 5


def test_the_first_line_says_that_nobody_could_look_and_no_line_says_that_all_is_well(archive):
    told = in_text("--on", archive, "--text").stdout
    assert told.startswith("Could not look: no block device and no mount was seen.")
    assert "Nothing to advise" not in told


def test_json_says_why_nobody_could_look_and_null_where_somebody_did(archive):
    summaries = [json.loads(in_text("--on", on, "--json").stdout)["summary"] for on in (archive, SEEN)]
    assert [it["could_not_look"] for it in summaries] == ["no block device and no mount was seen", None]


@namespaces
@pytest.mark.namespaces
def test_a_host_without_proc_and_sys_exits_with_5_and_says_what_to_mount():
    done = without(NO_FOLDERS, "--text")
    assert (done.returncode, done.stderr) == (5, "")
    assert "run it where /proc is mounted" in " ".join(done.stdout.split())


@namespaces
@pytest.mark.namespaces
def test_the_table_of_mounts_alone_is_no_look_for_an_ordinary_user():
    if without("exec setpriv --reuid 65534 --regid 65534 --clear-groups {}", "--version").returncode:
        pytest.skip("an ordinary user may not read the checkout")
    assert without(NO_DEVICES).returncode == 5


@pytest.mark.parametrize("root", [True, False, None])
def test_devices_and_mounts_are_a_look_for_whoever_sees_them(root):
    assert not could_not_look(composed.busy(), root)


@pytest.mark.parametrize("root", [True, False, None])
def test_neither_devices_nor_mounts_are_no_look_for_anybody(root):
    assert could_not_look(composed.empty(), root)
    assert could_not_look(composed.blind(), root)


@pytest.mark.parametrize(("root", "blind"), [(True, False), (None, False), (False, True)])
def test_mounts_above_hidden_devices_are_a_look_for_root_and_in_an_archive(root, blind):
    assert bool(could_not_look(composed.only_mounts(hidden=True), root)) == blind
    assert not could_not_look(composed.only_mounts(hidden=False), root)


def test_a_thread_that_dies_is_a_line_and_no_traceback(capfd, monkeypatch):
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setattr("sys.unraisablehook", lambda _: None)
    monkeypatch.delenv("FSADVISOR_TRACEBACK", raising=False)
    died = _in_threads_too()
    thread = threading.Thread(target=catalogue().__getitem__, args=("no such fact",))
    thread.start()
    thread.join()
    told = capfd.readouterr().err
    assert died == ["KeyError"]
    assert "a bug of ours: KeyError" in told
    assert "Traceback" not in told
