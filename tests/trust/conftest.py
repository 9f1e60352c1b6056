"""Directories of eve's."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from fsadvisor.measure.probe import scratch_record
from tests.loops import run, unmount
from tests.trust.eve import CONTENT, EVE, LEFT


@pytest.fixture
def space():
    """A directory of eve's, in a place that she can reach."""
    above = Path(tempfile.mkdtemp(prefix="fsadvisor-trust-", dir="/tmp"))
    above.chmod(0o755)
    folder = above / "space"
    folder.mkdir()
    if os.geteuid() == 0:
        os.chown(folder, EVE, EVE)
    yield folder
    shutil.rmtree(above)
    while LEFT:
        (scratch_record.state_directory() / LEFT.pop()).unlink(missing_ok=True)


@pytest.fixture
def mount_of_hers(space):
    """The same as a mount of its own, on which no other test's probe runs."""
    run("mount", "-t", "tmpfs", "-o", f"size=64m,mode=755,uid={EVE},gid={EVE}", "tmpfs", str(space))
    yield space
    unmount(space)


@pytest.fixture
def eves(space, monkeypatch):
    """Her directory, and one for her records, which no other test uses."""
    for name in ("state", "theirs"):
        (space.parent / name).mkdir()
        if os.geteuid() == 0:
            os.chown(space.parent / name, EVE, EVE)
    monkeypatch.setenv("XDG_STATE_HOME", str(space.parent / "state"))
    return space


@pytest.fixture
def backup(space):
    """Root's in eve's directory: she can rename it, and no more."""
    folder = space / "rootbackup"
    (folder / "deep" / "er").mkdir(parents=True, mode=0o700)
    for file in (folder / "dump.sql", folder / "f000000", folder / "deep" / "er" / "x"):
        file.write_text(CONTENT)
        file.chmod(0o600)
    folder.chmod(0o700)
    return folder
