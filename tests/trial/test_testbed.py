"""Scratch filesystems that nobody else sees, and of which nothing is left however their process ends."""

import json
import os
import random
import signal
import time

import pytest

from fsadvisor.measure.child import started
from fsadvisor.measure.probe import EngineError
from fsadvisor.measure.trial.testbed import ScratchFilesystem, images, mkfs_arguments
from tests.cases import few
from tests.loops import attached_images, loops, mounts, needs_loop_devices, run
from tests.waiting import comes_to

pytestmark = pytest.mark.namespaces

TASK = "tests.trial.tasks:look"
MIB = 1 << 20


def asked(folder, *forms, size=320 * MIB, wait=False):
    return json.dumps({"folder": str(folder), "bytes": size, "forms": list(forms), "wait": wait}).encode()


def told(folder, *forms, **more):
    with started(TASK, asked(folder, *forms, **more)) as worker:
        return [one for line in worker.lines() if "mounts" not in (one := json.loads(line))]


def stood(folder, *forms, **more):
    """What is told of filesystems that could all be made."""
    found = told(folder, *forms, **more)
    fails_by_its_error(found[-1])
    return found


def fails_by_its_error(line):
    assert "error" not in line, line["error"]


@pytest.mark.loop
@needs_loop_devices
def test_what_others_have_mounted_is_not_held(tmp_path):
    with loops(tmp_path) as loop:
        device = loop.device("others", 64)
        run("mkfs.ext4", "-q", device)
        place = loop.mount(device, "others")
        with started(TASK, asked(tmp_path, *two("ext4"), size=192 * MIB)) as worker:
            mounts = json.loads(next(worker.lines()))["mounts"]
            assert not any(f" {place} " in line for line in mounts)
            assert any(" /proc " in line for line in mounts)


def two(fs_type, *options, mkfs=()):
    return (
        {"name": "default", "fs_type": fs_type},
        {"name": "changed", "fs_type": fs_type, "options": list(options), "mkfs": list(mkfs)},
    )


def left(folder):
    """What stays of a folder's images; the kernel lets go of them a moment after their user ends."""

    def found():
        loops = {file for file in attached_images() if file.startswith(f"{folder}/")}
        return [*sorted(loops), *sorted(map(str, folder.iterdir()))]

    comes_to(lambda: not found())
    return found()


@pytest.mark.loop
@needs_loop_devices
@pytest.mark.parametrize(
    ("fs_type", "option"),
    [
        ("ext4", "nobarrier"),
        *(pytest.param(*it, marks=pytest.mark.long) for it in (("xfs", "noatime"), ("btrfs", "nodatacow"))),
    ],
    ids=str,
)
def test_two_filesystems_stand_side_by_side_unseen_and_leave_nothing(fs_type, option, tmp_path):
    default, changed = stood(tmp_path, *two(fs_type, option))
    if option == "nobarrier":
        without_barriers_no_flushes_are_sent_and_by_default_they_are(default, changed)
    assert option in changed["options"]
    assert option not in default["options"]
    assert default["loop"] != changed["loop"]
    assert default["operations"]
    assert default["mkfs"][0] == f"mkfs.{fs_type}"
    assert left(tmp_path) == []
    assert str(tmp_path) not in "\n".join(mounts())


def without_barriers_no_flushes_are_sent_and_by_default_they_are(default, changed):
    if default["cache"] == "write back":
        # Of flushes that wait at the same time, such as an fsync's and that of the journal's own clock, one is sent.
        assert default["flushes"] >= 0.8 * default["operations"]
    assert changed["flushes"] == 0


@pytest.mark.loop
@needs_loop_devices
@pytest.mark.parametrize(
    ("forms", "size", "words"),
    few(
        [
            (two("ext4", "no-such-option"), 192 * MIB, "mounting /dev/loop"),
            (two("ext4", mkfs=("-O", "no-such-feature")), 192 * MIB, "mkfs.ext4 said"),
            (two("nosuchfs"), 192 * MIB, "mkfs.nosuchfs is not installed"),
            (two("../sh"), 192 * MIB, "no type of filesystem"),
            (two("btrfs", mkfs=("/dev/no-such",)), 320 * MIB, "reaches beyond the image"),
            (two("xfs", "logdev=/dev/no-such"), 320 * MIB, "reaches beyond the image"),
            (two("xfs"), 64 * MIB, "too little for xfs"),
            (two("ext4"), 1 << 50, "too little for 2 images"),
        ],
        4,
    ),
    ids=["option", "feature", "tool", "type", "device", "log", "size", "room"],
)
def test_what_cannot_be_made_is_told_in_a_sentence_and_leaves_nothing(forms, size, words, tmp_path):
    assert words in told(tmp_path, *forms, size=size)[-1]["error"]
    assert left(tmp_path) == []


def at_work(folder):
    return started(TASK, asked(folder, *two("ext4"), size=192 * MIB, wait=True))


def heard(worker):
    for line in worker.lines():
        fails_by_its_error(json.loads(line))


def killed(folder, after):
    """Kill a worker so many seconds after it was asked."""
    with at_work(folder) as worker:
        time.sleep(after)
        os.kill(worker.number, signal.SIGKILL)
        with pytest.raises(EngineError, match="was killed by SIGKILL"):
            heard(worker)


@pytest.mark.loop
@needs_loop_devices
@pytest.mark.parametrize("after", few([0.3, 0.8, 2.5], 3))
def test_a_worker_killed_at_any_moment_leaves_no_loop_device_and_no_file(after, tmp_path):
    killed(tmp_path, after)
    assert left(tmp_path) == []


@pytest.mark.long
@pytest.mark.loop
@pytest.mark.timeout(600)
@needs_loop_devices
def test_twenty_kills_at_random_moments_leave_nothing(tmp_path):
    moments = random.Random(7)
    for _ in range(20):
        killed(tmp_path, moments.uniform(0.0, 5.0))
        assert left(tmp_path) == []


@pytest.mark.loop
@needs_loop_devices
def test_a_worker_told_to_stop_clears_up_and_ends_well(tmp_path):
    with at_work(tmp_path) as worker:
        lines = worker.lines()
        for _ in range(3):  # the mounts, and the two filesystems: from then on it waits
            fails_by_its_error(json.loads(next(lines)))
        os.kill(worker.number, signal.SIGTERM)
        assert list(lines) == []
    assert left(tmp_path) == []


def test_the_extended_options_of_ext4_become_one_argument():
    made = mkfs_arguments(
        ScratchFilesystem(name="changed", fs_type="ext4", mkfs=("-O", "^has_journal", "-E", "stride=4"))
    )
    assert made.count("-E") == 1
    assert made[made.index("-E") + 1].endswith("nodiscard,stride=4")
    assert made[-2:] == ("-O", "^has_journal")


def test_images_leave_a_tenth_of_the_filesystem_free(tmp_path):
    room = os.statvfs(tmp_path)
    size = int(room.f_bavail * room.f_frsize * 0.99)
    with pytest.raises(EngineError, match="has to stay"), images(tmp_path, 1, size):
        pass
