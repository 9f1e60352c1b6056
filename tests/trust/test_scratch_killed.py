"""A probe that is killed at any step leaves nothing, and no other user keeps one waiting."""

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest
from msgspec.structs import replace

from fsadvisor.machine.live import LiveMachine
from fsadvisor.measure.probe import guard, scratch_record
from fsadvisor.measure.probe.cost import Cost
from fsadvisor.measure.probe.scratch import descriptor_of, tree
from fsadvisor.measure.probe.scratch_record import clear
from fsadvisor.measure.probe.surroundings import mount_of, place
from fsadvisor.measure.probe.target import probe_lock
from fsadvisor.storage import Storage
from tests.cases import few
from tests.command import fsadvisor
from tests.loops import run
from tests.paths import ROOT
from tests.probe.filesystems import mounted, names_in, needs_root
from tests.trust.eve import EVE, FILLED, as_eve, as_user, become_eve, fill, in_child, left_by_a_killed_probe, what_is_in


def killed_before_each_second_step(first, act):
    """Do it in ever new processes, each killed two of the calls later that Python's audit hooks are told of."""
    for step in count(first, 2):

        def cut_short(step=step):
            left = iter(range(step))

            def hook(event, _):
                if event.startswith(("os.", "open", "fcntl.", "shutil.")) and next(left, None) is None:
                    signal.raise_signal(signal.SIGKILL)  # os.kill would be told to the hook

            sys.addaudithook(hook)
            act()

        ended = in_child(cut_short)
        yield step
        if ended == 0:
            return


@pytest.mark.parametrize("first", few([0, 1], 2))
def test_killed_before_any_of_its_steps_it_leaves_nothing_to_the_next_start(first, eves):
    def probe():
        with tree(eves) as made:
            fill(descriptor_of(made))

    def all_steps():
        trees = []
        for _ in killed_before_each_second_step(first, probe):
            trees.append(len(names_in(eves)))
            said = clear(eves)
            assert all(it.startswith("took away ") for it in said), said
            assert (names_in(eves), scratch_record.names()) == (set(), ())
        assert sum(trees) >= 5
        assert len(trees) - sum(trees) >= 5

    as_user(all_steps)


@pytest.mark.parametrize("first", few([0, 1], 2))
def test_killed_while_it_clears_it_leaves_the_rest_to_the_next_start(first, eves):
    def all_steps():
        left = left_by_a_killed_probe(eves)
        steps = 0
        for _ in killed_before_each_second_step(first, lambda: clear(eves)):
            steps += 1
            if not left.exists():
                clear(eves)
                assert scratch_record.names() == ()
                left = left_by_a_killed_probe(eves)
        assert steps >= 10
        clear(eves)
        assert (names_in(eves), scratch_record.names()) == (set(), ())

    as_user(all_steps)


def test_one_that_was_only_about_to_be_made_is_removed_only_if_it_is_empty(space):
    left = left_by_a_killed_probe(space)
    record = scratch_record.state_directory() / left.name
    record.write_text(record.read_text().splitlines(keepends=True)[0] + '{"boot": "cut o')
    (said,) = clear(space)
    assert said == f"{left} is left alone: no probe put anything into it (Directory not empty); look into it"
    assert what_is_in(left) == FILLED
    shutil.rmtree(left)
    left.mkdir()
    assert clear(space) == (f"took away {left}, left by a killed probe",)
    assert not left.exists()


def test_of_a_living_probe_neither_tree_nor_record_is_touched(space):
    with tree(space) as made:
        fill(descriptor_of(made))
        assert in_child(lambda: clear(space)) == 0
        assert clear(space) == ()
        assert what_is_in(made) == FILLED
        assert made.name in scratch_record.names()
    assert names_in(space) == set()
    assert made.name not in scratch_record.names()


@needs_root
def test_remounted_read_only_it_keeps_its_record_until_it_can_be_taken_away(tmp_path):
    with mounted("tmpfs", tmp_path) as one:
        left = left_by_a_killed_probe(one.folder)
        run("mount", "-o", "remount,ro", str(one.folder))
        (said,) = clear(one.folder)
        assert "could not be taken away: Read-only file system; the next probe there tries again" in said
        run("mount", "-o", "remount,rw", str(one.folder))
        assert clear(one.folder) == (f"took away {left}, left by a killed probe",)


@needs_root
def test_without_a_place_for_records_that_nobody_else_may_change_there_is_none(eves, monkeypatch):
    """The tree works, and what a kill leaves is told."""
    theirs = eves.parent / "theirs"
    os.chown(theirs, EVE - 1, EVE - 1)
    theirs.chmod(0o777)
    monkeypatch.setenv("XDG_STATE_HOME", str(theirs))

    def probe():
        with tree(eves) as made:
            fill(descriptor_of(made))
        assert names_in(eves) == set()
        left = left_by_a_killed_probe(eves)
        alone, not_kept = clear(eves)
        assert alone == f"{left} is left alone: no record says that a probe made it; look into it"
        assert not_kept.startswith(f"no record of scratch directories can be kept, for {theirs} belongs to {EVE - 1}: ")

    as_eve(probe)
    assert list(theirs.iterdir()) == []


@needs_root
def test_an_ordinary_user_clears_what_is_left_of_theirs_and_nothing_of_roots(eves):
    of_root = left_by_a_killed_probe(eves)

    def eve():
        of_root.rename(eves / "moved")
        left = left_by_a_killed_probe(eves)
        (eves / "moved").rename(of_root)
        assert clear(eves) == (f"took away {left}, left by a killed probe",)

    as_eve(eve)
    assert names_in(eves) == {of_root.name}
    assert clear(eves) == (f"took away {of_root}, left by a killed probe",)


def test_of_records_whose_tree_is_nowhere_the_oldest_go(eves):
    folders = [eves / str(number) for number in range(scratch_record.MOST + 3)]

    def probe():
        with contextlib.ExitStack() as made:
            for folder in folders:
                folder.mkdir()
                made.enter_context(tree(folder))
            os.kill(os.getpid(), signal.SIGKILL)

    def many():
        assert in_child(probe) == signal.SIGKILL
        for folder in folders:
            (left,) = folder.iterdir()
            left.rename(folder / "moved")
        newest = scratch_record.names()[0]
        assert len(scratch_record.names()) == scratch_record.MOST + 3
        other = eves / "other"
        other.mkdir()
        assert clear(other) == ()
        assert len(scratch_record.names()) == scratch_record.MOST
        assert scratch_record.names()[0] == newest

    as_user(many)


@contextlib.contextmanager
def locked_by_eve(folder):
    """She holds a lock on a directory that she may read."""
    ready, done = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        become_eve()
        os.close(done[1])
        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.write(ready[1], b"x")
        os.read(done[0], 1)
        os._exit(0)
    os.close(done[0])
    try:
        assert os.read(ready[0], 1) == b"x"
        yield
    finally:
        os.close(done[1])
        os.waitpid(child, 0)
        os.close(ready[0])
        os.close(ready[1])


@needs_root
def test_a_lock_of_eves_on_the_mount_is_a_warning_and_keeps_no_probe_of_roots_waiting(tmp_path):
    tmp_path.chmod(0o755)
    with mounted("tmpfs", tmp_path) as one:
        as_seen = Path("/proc/self/cwd")
        os.chdir(one.folder)
        with locked_by_eve(as_seen):
            with probe_lock(mount_of(str(one.folder), LiveMachine())) as busy:
                assert busy.value == "another"
                found = place(str(one.folder), LiveMachine(), Storage(machine="", subjects=()), busy=busy)
                said = [it for it in guard.findings(COST, found) if it.question == "busy"]
                assert [it.level for it in said] == ["warning"]
            done = fsadvisor("probe", "--yes", "--no-keep", "create-1", "--seconds", "0.2", one.folder)
        os.chdir("/")
        assert b"somebody has locked the mount" in done.stderr, done.stderr.decode()
        assert b"wait until" not in done.stderr
        assert names_in(one.folder) == set()


COST = Cost(written_bytes=1, room_bytes=1, files=1, least_seconds=0.0, most_seconds=1.0)


@needs_root
def test_a_place_for_locks_that_another_user_may_change_is_not_used(eves, monkeypatch):
    theirs = eves.parent / "theirs"
    theirs.chmod(0o777)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(theirs))
    one, other = (replace(mount_of(str(eves), LiveMachine()), mount_point=str(eves / it)) for it in (".", "../state"))

    def lock_twice():
        with probe_lock(one) as first, probe_lock(other) as second:
            assert (first.value, second.value) == ("nobody", "you" if trusted else "nobody")

    for trusted in (False, True):
        os.chown(theirs, EVE - 1 + trusted, EVE)
        theirs.chmod(0o700 if trusted else 0o777)
        as_eve(lock_twice)
        assert [it.name for it in theirs.iterdir()] == ["fsadvisor"] * trusted


def test_a_record_that_makes_no_sense_has_nothing_deleted(space):
    left = left_by_a_killed_probe(space)
    for nonsense in ("{}\n[]\n", "\0\0\n\0\n", "x"):
        (scratch_record.state_directory() / left.name).write_text(nonsense)
        assert all("is left alone" in said for said in clear(space))
        assert what_is_in(left) == FILLED


ON_VAR = """
import subprocess
from pathlib import Path
from fsadvisor.machine.kept_files import PROBES
from fsadvisor.measure.trial.mounting import enter
subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/var/lib"], check=True)
Path(PROBES).parent.mkdir()
mounted = Path(PROBES).parent.stat().st_dev
enter([])
assert Path(PROBES).parent.stat().st_dev == mounted, "records would go below the mount"
"""


@needs_root
@pytest.mark.namespaces
def test_a_trial_lets_go_of_other_mounts_but_not_of_that_with_the_records():
    done = subprocess.run(["unshare", "-m", sys.executable, "-c", ON_VAR], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
