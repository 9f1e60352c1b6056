"""Filesystems that are full by different causes, on loop devices: each cause is told, and its remedy cures it."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from fsadvisor.machine.live import LiveMachine
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.survey.whole import survey
from tests.loops import loops, mounts, needs_loop_devices, run

pytestmark = [pytest.mark.loop, needs_loop_devices]
RULES = own_rulebook().rules


@pytest.fixture
def made(tmp_path_factory):
    with loops(tmp_path_factory.mktemp("full")) as loop:
        yield loop


def look(place):
    """The facts of the filesystem mounted there, and which rules advise on it."""
    storage = survey(LiveMachine(), {})
    subject = next(
        it for it in storage.subjects if it.kind == "filesystem" and it.scope["filesystem"].mount_point.value == place
    )
    found = {it.rule.id for it in advise(storage, RULES) if it.subject is subject and it.outcome is Outcome.ADVISE}
    return subject.scope["filesystem"], found


def fill_with_names(place):
    at = 0
    try:
        while True:
            os.close(os.open(f"{place}/{at}", os.O_CREAT | os.O_WRONLY))
            at += 1
    except OSError:
        return at


def fill(place, name="fill", share=None):
    """Write until a share of what is free is written, or all."""
    stat = os.statvfs(place)
    size = stat.f_bavail * stat.f_frsize if share is None else int(stat.f_bavail * stat.f_frsize * share)
    with Path(f"{place}/{name}").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, size)
        file.flush()


def fill_in_pieces(place):
    for at in range(400):
        with Path(f"{place}/{at}").open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, 1 << 20)


def test_an_ext4_without_inodes_has_space_and_says_so(made):
    device = made.device("inodes", 64)
    run("mkfs.ext4", "-q", "-N", "1024", device)
    place = made.mount(device, "inodes")
    fill_with_names(place)
    known, advised = look(place)
    assert (known.inodes_used_percent.value, known.used_percent.value < 50) == (100, True)
    assert advised & {"ext4-inodes-nearly-gone", "nearly-full"} == {"ext4-inodes-nearly-gone"}


def test_an_xfs_at_its_share_of_inodes_is_cured_by_a_larger_share(made):
    device = made.device("imaxpct", 400)
    run("mkfs.xfs", "-q", "-i", "maxpct=1", device)
    place = made.mount(device, "imaxpct")
    fill_with_names(place)
    assert "xfs-inode-share-used-up" in look(place)[1]
    run("xfs_growfs", "-m", "50", place)
    assert "xfs-inode-share-used-up" not in look(place)[1]


MAKE = {"ext4": ("mkfs.ext4", "-q", "-m", "0"), "btrfs": ("mkfs.btrfs", "-q", "-m", "single")}


def mounted(made, kind, name, megabytes=64):
    """A filesystem, and a directory in it for files: of Btrfs a subvolume, whose files have a number of their own."""
    device = made.device(name, megabytes if kind == "ext4" else 300)
    run(*MAKE[kind], device)
    place = made.mount(device, name)
    folder = Path(f"{place}/folder")
    run("btrfs", "-q", "subvolume", "create", str(folder)) if kind == "btrfs" else folder.mkdir()
    return place, folder


@pytest.mark.namespaces
@pytest.mark.parametrize("kind", ["ext4", "btrfs", "container"])
def test_a_deleted_file_that_is_open_is_named_by_who_holds_it(made, kind):
    place, folder = mounted(made, "ext4" if kind == "container" else kind, "held")
    inner = ()
    if kind == "container":
        for name in ("lower", "upper", "work", "merged"):
            (folder / name).mkdir()
        layers = f"lowerdir={folder}/lower,upperdir={folder}/upper,workdir={folder}/work"
        inner = (
            "unshare",
            "--mount",
            "sh",
            "-ec",
            f'mount -t overlay -o {layers} overlay {folder}/merged; exec "$0" "$@"',
        )
        folder = folder / "merged"
    stat = os.statvfs(place)
    size = int(stat.f_bavail * stat.f_frsize * 0.97)
    hold = f"exec > {folder}/fill; fallocate -l {size} {folder}/fill; rm {folder}/fill; echo held >&2; exec sleep 1000"
    with subprocess.Popen([*inner, "sh", "-ec", hold], stderr=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stderr.readline() == "held\n"
            known, advised = look(place)
            assert known.deleted_open_percent.value > 80
            assert f"sleep {holder.pid}" in known.deleted_open_by.value
            assert "deleted-files-hold-space" in advised
        finally:
            holder.kill()
    assert "deleted-files-hold-space" not in look(place)[1]


@pytest.mark.namespaces
@pytest.mark.parametrize("kind", ["ext4", "btrfs"])
def test_files_below_a_mount_point_are_found_without_a_change_of_mounts(made, kind):
    place, folder = mounted(made, kind, "above")
    other = made.device("over", 32)
    run(*MAKE["ext4"], other)
    hidden = folder / "data"
    hidden.mkdir()
    (hidden / "out").symlink_to("/usr")
    fill(hidden, share=0.97)
    taken = int(subprocess.run(["du", "-sk", hidden], capture_output=True, text=True, check=True).stdout.split()[0])
    before = hidden.stat().st_atime_ns
    run("mount", other, str(hidden))
    try:
        before_look = mounts_below(place)
        told = json.loads(LiveMachine().hidden(str(hidden), place).text)
        assert abs(told["bytes"] - (taken << 10)) <= 8192
        known, advised = look(place)
        assert known.hidden_percent.value > 80
        assert known.hidden_below.value == (str(hidden),)
        assert "files-hidden-below-mount" in advised
        assert mounts_below(place) == before_look
        assert "fill\n" in run_in_own_mounts(place, "ls /mnt/folder/data")
        run_in_own_mounts(place, "rm /mnt/folder/data/fill")
        assert "files-hidden-below-mount" not in look(place)[1]
    finally:
        run("umount", str(hidden))
    assert hidden.stat().st_atime_ns == before


@pytest.mark.parametrize("kind", ["ext4", "btrfs"])
def test_a_directory_that_is_mounted_over_itself_hides_nothing(made, kind):
    place, folder = mounted(made, kind, "itself")
    fill(folder, share=0.97)
    run("mount", "--bind", str(folder), str(folder))  # as container engines do, so that its mounts stay private
    try:
        known, advised = look(place)
        assert (known.hidden_percent.value, known.hidden_below.value) == (0, ())
        assert "files-hidden-below-mount" not in advised
    finally:
        run("umount", str(folder))


def mounts_below(place):
    """Those of tests beside this one come and go."""
    return [line for line in mounts() if line.split()[4].startswith(place)]


def run_in_own_mounts(place, command):
    """As the remedy has it."""
    script = f"mount --bind {place} /mnt && {command}"
    argv = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", script]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def test_an_xfs_without_sparse_inodes_tells_how_its_free_space_lies(made):
    device = made.device("pieces", 320)
    run("mkfs.xfs", "-q", "-i", "sparse=0", device)
    place = made.mount(device, "pieces")
    fill(place, share=0.9)
    for at in range(3000):
        Path(f"{place}/{at}").write_bytes(b"x" * 4096)
    run("sync", "--file-system", place)
    fill(place, "rest", share=0.95)
    for at in range(0, 3000, 2):
        Path(f"{place}/{at}").unlink()
    run("sync", "--file-system", place)
    known, advised = look(place)
    assert "xfs-inodes-need-large-pieces" in advised
    said = subprocess.run(["xfs_spaceman", "-c", "freesp -s", place], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in said.splitlines() if line.split()[:1] and line.split()[0].isdigit()]
    small = sum(int(row[3]) for row in rows if int(row[1]) < 16) * 100 // sum(int(row[3]) for row in rows)
    assert known.xfs_small_free_percent.value == small
    assert small > 10


def test_what_is_kept_for_root_is_less_after_the_remedy(made):
    device = made.device("reserve", 64)
    run("mkfs.ext4", "-q", "-m", "30", device)
    place = made.mount(device, "reserve")
    before = look(place)[0].reserved_bytes.value
    run("tune2fs", "-m", "1", device)
    assert before > 10 * look(place)[0].reserved_bytes.value > 0


def test_a_btrfs_that_gave_all_space_to_data_is_told_by_that(made):
    device = made.device("allocated", 400)
    run("mkfs.btrfs", "-q", "-m", "single", device)
    place = made.mount(device, "allocated")
    with pytest.raises(OSError, match="No space left"):
        fill_in_pieces(place)
    known, advised = look(place)
    assert known.unallocated_percent.value < 2
    assert "btrfs-nothing-to-allocate" in advised
