"""Another user can neither have root's probe delete something, nor keep it waiting; a killed one leaves nothing."""

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from itertools import count
from pathlib import Path

import pytest
from msgspec.structs import replace

from fsadvisor.machine.live import LiveMachine
from fsadvisor.measure.probe import guard, lock, scratch_record
from fsadvisor.measure.probe.cost import Cost
from fsadvisor.measure.probe.scratch_tree import PREFIX, clear, descriptor_of, tree
from fsadvisor.measure.probe.surroundings import mount_of, place
from fsadvisor.storage import Storage
from tests.command import fsadvisor
from tests.loops import run, unmount
from tests.paths import ROOT
from tests.probe.filesystems import mounted, names_in, needs_root

EVE = 65533
CONTENT = "root's"


def in_child(act):
    """Do it in a process of its own; the signal that ended it, 0 where none did."""
    child = os.fork()
    if not child:
        status = 1
        try:
            act()
            status = 0
        except BaseException:  # noqa: BLE001 - told, and no test of the parent goes on in the child
            traceback.print_exc()
        finally:
            os._exit(status)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended <= 0
    return -ended


def become_eve():
    os.setgroups([])
    os.setgid(EVE)
    os.setuid(EVE)


def as_eve(act):
    assert in_child(lambda: (become_eve(), act())) == 0


def as_user(act):
    """As somebody with a state directory of their own."""
    if os.geteuid() == 0:
        as_eve(act)
    else:
        act()


LEFT = set()
"""Trees that were left, whose records are root's."""


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


def is_whole(folder):
    return [(folder / it).read_text() for it in ("dump.sql", "f000000", "deep/er/x")] == [CONTENT] * 3


def fill(inside):
    """What jobs put into a tree."""
    for name in ("file-0", "log-1", "f000012"):
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600, dir_fd=inside))
    os.mkdir("d3", 0o700, dir_fd=inside)
    os.close(os.open("d3/w3-000001", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600, dir_fd=inside))


def left_by_a_killed_probe(folder):
    def probe():
        with tree(folder) as made:
            fill(descriptor_of(made))
            os.kill(os.getpid(), signal.SIGKILL)

    assert in_child(probe) == signal.SIGKILL
    (left,) = (it for it in folder.iterdir() if it.name.startswith(PREFIX))
    LEFT.add(left.name)
    return left


def what_is_in(left):
    return {str(it.relative_to(left)) for it in left.rglob("*")}


FILLED = {"file-0", "log-1", "f000012", "d3", "d3/w3-000001"}


def edited(left, change):
    """Its record, as another probe would have written it."""
    record = scratch_record.state_directory() / left.name
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert len(lines) == 2
    for line in lines:
        change(line)
    record.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_what_a_killed_probe_left_is_taken_away_with_its_record(space):
    left = left_by_a_killed_probe(space)
    assert what_is_in(left) == FILLED
    assert clear(space) == (f"took away {left}, left by a killed probe",)
    assert not left.exists()
    assert left.name not in scratch_record.names()
    assert clear(space) == ()


def test_a_record_that_its_owner_takes_away_meanwhile_hides_no_other(space, monkeypatch):
    left = left_by_a_killed_probe(space)
    others = scratch_record.state_directory() / f"{PREFIX}of-another"
    others.touch()
    listed = os.scandir

    @contextlib.contextmanager
    def then_taken_away(directory):
        with listed(directory) as entries:
            found = [*entries]
            others.unlink(missing_ok=True)
            yield found

    monkeypatch.setattr(os, "scandir", then_taken_away)
    assert left.name in scratch_record.names()
    assert others.name not in scratch_record.names()


@needs_root
@pytest.mark.parametrize("name", [f"{PREFIX}00000000-1-1", f"{PREFIX}0123456789abcdef"])
def test_a_directory_that_eve_renames_to_such_a_name_is_left_alone_and_named(space, backup, name):
    as_eve(lambda: backup.rename(space / name))
    assert clear(space) == (f"{space / name} is left alone: no record says that a probe made it; look into it",)
    assert is_whole(space / name)


@needs_root
def test_a_whole_probe_of_root_in_her_directory_deletes_nothing_of_roots(mount_of_hers, backup):
    name = f"{PREFIX}00000000-1-1"
    as_eve(lambda: backup.rename(mount_of_hers / name))
    done = fsadvisor("probe", "--yes", "--no-keep", "create-1", "--seconds", "0.2", mount_of_hers)
    assert b"is left alone" in done.stderr, done.stderr.decode()
    assert is_whole(mount_of_hers / name)
    assert names_in(mount_of_hers) == {name}


@needs_root
def test_nor_is_one_that_she_gives_the_name_of_a_tree_that_was_left(space, backup):
    left = left_by_a_killed_probe(space)
    as_eve(lambda: (left.rename(space / "moved"), backup.rename(left)))
    (said,) = clear(space)
    assert said == f"{left} is left alone: it is not the directory that a probe made under that name; look into it"
    assert is_whole(left)
    as_eve(lambda: (left.rename(backup), (space / "moved").rename(left)))
    assert clear(space) == (f"took away {left}, left by a killed probe",)
    assert is_whole(backup)


@needs_root
def test_nor_what_she_puts_into_its_place_while_the_probe_runs(space, backup):
    with pytest.raises(Exception, match="something else is in its place"), tree(space) as made:  # noqa: PT012
        fill(descriptor_of(made))
        LEFT.add(made.name)
        as_eve(lambda: (made.rename(space / "moved"), backup.rename(made)))
    assert is_whole(made)
    assert what_is_in(space / "moved") == FILLED


@needs_root
@pytest.mark.parametrize("call", ["unlink", "rmdir"])
def test_nor_what_she_puts_into_its_place_once_it_was_looked_at(space, backup, call, monkeypatch):
    left = left_by_a_killed_probe(space)
    go = getattr(os, call)

    def swapped(name, *, dir_fd=None):
        if not (space / "moved").exists():
            as_eve(lambda: (left.rename(space / "moved"), backup.rename(left)))
        go(name, dir_fd=dir_fd)

    monkeypatch.setattr(os, call, swapped)
    (said,) = clear(space)
    assert "could not be taken away: Directory not empty" in said
    assert is_whole(left)


def foreign_file(left):
    (left / "dump.sql").write_text(CONTENT)


def foreign_file_below(left):
    (left / "d3" / "dump.sql").write_text(CONTENT)


def deep_directory(left):
    (left / "d3" / "d4").mkdir()


def symbolic_link(left):
    (left / "f000001").symlink_to("/etc")


def hard_link(left):
    (left.parent / "kept").write_text(CONTENT)
    (left / "f000001").hardlink_to(left.parent / "kept")


def fifo(left):
    os.mkfifo(left / "file-7")


def file_of_eve(left):
    os.chown(left / "file-0", EVE, EVE)


def directory_of_eve(left):
    os.chown(left / "d3", EVE, EVE)


OURS = [foreign_file, foreign_file_below, deep_directory, symbolic_link, hard_link, fifo]


@pytest.mark.parametrize(
    "plant", [*OURS, *(pytest.param(it, marks=needs_root) for it in (file_of_eve, directory_of_eve))]
)
def test_where_one_thing_in_it_is_not_a_probes_nothing_of_it_is_deleted(space, plant):
    left = left_by_a_killed_probe(space)
    plant(left)
    before = what_is_in(left)
    (said,) = clear(space)
    assert "is left alone" in said
    assert "in it was not made by a probe; look into it" in said
    assert what_is_in(left) == before >= FILLED
    assert left.name in scratch_record.names()


@needs_root
@pytest.mark.parametrize("at", ["d3", "."])
def test_a_mount_in_it_or_over_it_is_not_entered(space, backup, at):
    left = left_by_a_killed_probe(space)
    run("mount", "--bind", str(backup), str(left / at))
    try:
        (said,) = clear(space)
        assert "is left alone" in said
        assert is_whole(backup)
    finally:
        run("umount", str(left / at))
    assert what_is_in(left) == FILLED
    assert clear(space) == (f"took away {left}, left by a killed probe",)


def another_boot(line):
    line.update(boot="01234567", device=line["device"] + 1)


def another_inode(line):
    line.update(generation=(line["generation"] or 0) + 1)


def another_device(line):
    line.update(device=line["device"] + 1)


def no_generations(line):
    line.update(boot="01234567", generation=None)


def test_after_another_boot_it_is_known_by_its_inode_and_generation(space):
    left = left_by_a_killed_probe(space)
    edited(left, another_boot)
    taken = f"took away {left}, left by a killed probe"
    alone = f"{left} is left alone: it is not the directory that a probe made under that name; look into it"
    with tree(space) as made:
        generation = scratch_record.generation_of(descriptor_of(made))
    assert clear(space) == (taken if generation is not None else alone,)


@pytest.mark.parametrize("change", [another_inode, another_device, no_generations])
def test_one_with_its_inode_number_alone_is_left_alone(space, change):
    left = left_by_a_killed_probe(space)
    edited(left, change)
    assert clear(space) == (
        f"{left} is left alone: it is not the directory that a probe made under that name; look into it",
    )
    assert what_is_in(left) == FILLED


def killed_before_each_step(act):
    """Do it in ever new processes, each killed before one more of the calls that Python's audit hooks are told of."""
    for step in count():

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


def test_killed_before_any_of_its_steps_it_leaves_nothing_to_the_next_start(eves):
    def probe():
        with tree(eves) as made:
            fill(descriptor_of(made))

    def all_steps():
        trees = []
        for _ in killed_before_each_step(probe):
            trees.append(len(names_in(eves)))
            said = clear(eves)
            assert all(it.startswith("took away ") for it in said), said
            assert (names_in(eves), scratch_record.names()) == (set(), ())
        assert sum(trees) >= 10
        assert len(trees) - sum(trees) >= 10

    as_user(all_steps)


def test_killed_while_it_clears_it_leaves_the_rest_to_the_next_start(eves):
    def all_steps():
        left = left_by_a_killed_probe(eves)
        steps = 0
        for _ in killed_before_each_step(lambda: clear(eves)):
            steps += 1
            if not left.exists():
                clear(eves)
                assert scratch_record.names() == ()
                left = left_by_a_killed_probe(eves)
        assert steps >= 20
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
    def many():
        for number in range(scratch_record.MOST + 3):
            left_by_a_killed_probe(eves).rename(eves / f"moved-{number}")
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
            with lock.held(mount_of(str(one.folder), LiveMachine())) as busy:
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
        with lock.held(one) as first, lock.held(other) as second:
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
