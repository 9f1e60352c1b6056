"""What a killed session of the tests left is taken away by the next, and nothing else is."""

import contextlib
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests.conftest import pytest_sessionfinish
from tests.loops import Loops, clear_left, loops, mounts_of_its_own, needs_loop_devices, run

pytestmark = [pytest.mark.loop, needs_loop_devices]


def left_by(owner, folder, stack):
    """A mounted image on a mount in a session's folder; the device, and the text of the mounts."""
    folder.mkdir(parents=True)
    if owner is not None:
        (folder / ".lock").write_text(owner)
    small = folder / "odd name"
    small.mkdir()
    run("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(small))
    stack.callback(subprocess.run, ["umount", small], check=False, capture_output=True)
    kept = stack.enter_context(contextlib.ExitStack())
    loop = Loops(small, kept)
    device = loop.device("disk", 8)
    run("mkfs.ext4", "-q", device)
    return device, loop.mount(device, "place"), kept


def dead():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return str(ended.pid)


def devices():
    return run("losetup", "--list", "--noheadings", "--output", "NAME,BACK-FILE")


@pytest.mark.parametrize("owner", [dead, lambda: None], ids=["killed", "ended"])
def test_what_is_below_a_folder_whose_session_has_ended_is_taken_away(owner, tmp_path):
    with contextlib.ExitStack() as stack:
        *_, kept = left_by(owner(), tmp_path / "pytest-of-us" / "pytest-7", stack)
        clear_left(tmp_path)
        assert str(tmp_path) not in devices()
        assert str(tmp_path) not in run("findmnt", "-rn", "-o", "TARGET")
        kept.pop_all()


@pytest.mark.parametrize(
    ("owner", "name"),
    [("living", "pytest-7"), ("", "pytest-7"), (None, "another"), (None, "pytest-current")],
)
def test_what_is_of_a_living_session_or_of_none_stays(owner, name, tmp_path):
    with contextlib.ExitStack() as stack:
        device, place, _ = left_by(
            str(os.getpid()) if owner == "living" else owner, tmp_path / "pytest-of-us" / name, stack
        )
        clear_left(tmp_path)
        assert device in devices()
        assert os.path.ismount(place)


def test_a_session_that_ends_takes_no_lock_of_another(tmp_path, monkeypatch, request):
    monkeypatch.setenv("PYTEST_DEBUG_TEMPROOT", str(tmp_path))
    factory = pytest.TempPathFactory(None, 3, "failed", request.config.trace, _ispytest=True)
    lock = factory.getbasetemp() / ".lock"
    assert lock.exists()
    next(pytest_sessionfinish(SimpleNamespace(config=SimpleNamespace(_tmp_path_factory=factory))))
    assert not lock.exists()
    lock.write_text("of a session that took the number")
    factory._exit_stack.close()
    assert lock.exists()


def test_what_is_mounted_in_mounts_of_a_tests_own_is_held_by_no_other_process(tmp_path):
    copies = ["sh", "-c", "read _; exec unshare --mount cat /proc/self/mountinfo"]
    with subprocess.Popen(copies, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        with mounts_of_its_own(), loops(tmp_path) as loop:
            device = loop.device("disk", 8)
            run("mkfs.ext4", "-q", device)
            place = loop.mount(device, "srv")
            seen, _ = other.communicate("\n")
            assert os.path.ismount(place)
        assert seen
        assert place not in seen


def test_what_is_no_longer_mounted_is_not_waited_for(tmp_path):
    with loops(tmp_path) as loop:
        device = loop.device("disk", 32)
        run("mkfs.ext4", "-q", device)
        run("umount", loop.mount(device, "srv"))
