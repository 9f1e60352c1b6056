"""Another user can't have root's probe delete something, whatever she puts where."""

import contextlib
import os

import pytest

from fsadvisor.measure.probe import scratch_record
from fsadvisor.measure.probe.scratch import descriptor_of, tree
from fsadvisor.measure.probe.scratch_record import PREFIX, clear
from tests.command import fsadvisor
from tests.loops import run
from tests.probe.filesystems import names_in, needs_root
from tests.trust.eve import (
    CONTENT,
    EVE,
    FILLED,
    LEFT,
    as_eve,
    edited,
    fill,
    is_whole,
    left_by_a_killed_probe,
    what_is_in,
)


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
