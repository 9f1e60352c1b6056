"""`fsadvisor compare` as scripts and admins use it: what it refuses, what it leaves, and one real comparison."""

import json
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest

from fsadvisor.measure.compare import CHOICES, USUAL
from fsadvisor.report.schema import schema
from tests.cases import each
from tests.command import ARGV, fsadvisor
from tests.loops import attached_images, loops, needs_loop_devices, run
from tests.paths import ROOT
from tests.test_cli import MACHINE
from tests.waiting import comes_to

pytestmark = pytest.mark.namespaces

COMPARE = [*ARGV, "compare"]


def compare(*argv):
    return fsadvisor("compare", *argv)


def refused(*argv):
    done = compare(*argv)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr
    return done.stderr.decode()


@each(
    ("argv", "words"),
    [
        ((), "say what to compare"),
        (("--jobs", "create-11", "/var/tmp"), "did you mean 'create-1'?"),
        (("--jobs", "read-files", "/var/tmp"), "files that are there already"),
        (("--images", "ext5", "/var/tmp"), "no filesystem 'ext5'"),
        (("--images", "none", "--jobs", "create-1", "/proc"), "proc"),
        (("--images", "none", "--jobs", "create-1", "/no/such"), "does not exist"),
        (("--out", "a.png", "/var/tmp"), "is no SVG"),
        (("--out", "/no/such/a.svg", "/var/tmp"), "/no/such/a.svg: No such file or directory"),
        (("--html", "/var/tmp"), "compare takes no --html"),
        (("--seconds", "0", "/var/tmp"), "no number of seconds"),
    ],
)
def test_what_can_not_be_compared_is_refused_with_the_nearest_choice(argv, words):
    assert words in refused(*argv)


def test_a_recording_has_no_disk():
    assert "a recording has no disk" in refused("--on", MACHINE, "/")


def test_a_picture_is_never_written_over(tmp_path):
    there = tmp_path / "a.svg"
    there.write_text("mine")
    assert "is there already" in refused("--out", there, "/var/tmp")
    assert there.read_text() == "mine"


def test_the_list_names_every_filesystem_and_the_usual_jobs():
    said = compare("--list").stdout.decode()
    assert all(f"  {name} " in said for name in (*CHOICES, *USUAL))


def test_a_dry_run_says_what_it_takes_and_touches_nothing(tmp_path):
    done = compare("--dry-run", "--images", "none", "--no-devices", "--jobs", "create-1", tmp_path)
    said = done.stdout.decode()
    assert said.startswith("1 job on 1 side in turn")
    assert [it.split()[0] for it in said.splitlines() if it.startswith("  ") and it[2] != " "][1:4] == [
        "time",
        "writes",
        "takes",
    ]
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_as_json_is_of_the_published_shape(tmp_path):
    found = json.loads(compare("--dry-run", "--json", "--jobs", "create-1", tmp_path).stdout)
    jsonschema.Draft202012Validator(schema("compare")).validate(found)
    assert found["state"] in ("not started", "refused")  # another probe may run on the same mount
    assert all(cell["standing"] == "not ranked" for row in found["workloads"] for cell in row["cells"])


def test_without_a_terminal_and_without_yes_it_says_what_to_type(tmp_path):
    done = compare("--images", "none", "--jobs", "create-1", tmp_path)
    if b"not started" not in done.stderr:
        pytest.skip("the guard refuses the folder of temporary files here")
    assert done.returncode == 2
    assert b"--yes" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_audit_loads_nothing_of_it():
    loaded = "any(m.startswith(('fsadvisor.measure.compare', 'fsadvisor.measure.trial')) for m in sys.modules)"
    code = f"import sys, fsadvisor.cli as c; c.run(['--on', sys.argv[1], '--json']); sys.exit({loaded})"
    done = subprocess.run([ARGV[0], "-c", code, str(MACHINE)], stdout=subprocess.DEVNULL, cwd=ROOT)
    assert done.returncode == 0


# On a real filesystem


@pytest.mark.loop
@needs_loop_devices
def test_two_folders_of_one_mount_do_not_wait_for_each_other(mounted):
    places = [mounted / name for name in ("one", "other")]
    for place in places:
        place.mkdir()
    argv = ("--dry-run", "--images", "none", "--no-devices", "--jobs", "create-1")
    said = " ".join(compare(*argv, *places).stdout.decode().split())
    assert "on 2 sides" in said
    assert "another probe runs" not in said


@pytest.mark.loop
@needs_loop_devices
def test_folders_of_one_mount_need_room_side_by_side(tmp_path):
    with loops(tmp_path) as some:
        device = some.device("small", 1000)
        run("mkfs.ext4", "-q", device)
        folder = Path(some.mount(device, "place"))
        places = [folder / f"{number}" for number in range(4)]
        for place in places:
            place.mkdir()
        argv = ("--dry-run", "--images", "none", "--no-devices", "--jobs", "commit-fsync")
        alone, together = (compare(*argv, *them).stdout for them in (places[:1], places))
    assert b"free some" not in alone
    assert b"free some" in together


@pytest.fixture
def mounted(tmp_path):
    """An ext4 of our own with room for images, past the page cache of the host."""
    with loops(tmp_path) as some:
        device = some.device("disk", 8000)
        run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", device)
        run("losetup", "--direct-io=on", device)
        yield Path(some.mount(device, "place"))


def names(folder):
    return sorted(it.name for it in folder.iterdir() if it.name != "lost+found")


@pytest.mark.loop
@needs_loop_devices
def test_a_device_that_has_no_place_for_a_file_is_left_out_before_it_starts(tmp_path):
    with loops(tmp_path) as some:
        device = some.device("btrfs", 2000)
        run("mkfs.btrfs", "-q", device)
        place = some.mount(device, "place")
        done = compare("--dry-run", "--images", "none", "--jobs", "random-read-1", place)
    said = " ".join(done.stdout.decode().split())
    assert f"1 job on 1 side in turn sides {place} time" in said
    assert f"left out: device below {place}:" in said


def our_images(folder):
    """Loop devices over files of the folder; the kernel takes them away a moment after their user ends."""

    def left():
        return [it for it in attached_images() if it.startswith(f"{folder}/")]

    comes_to(lambda: not left())
    return left()


@pytest.mark.long
@pytest.mark.loop
@needs_loop_devices
def test_paths_devices_and_images_are_compared_and_nothing_is_left(mounted, tmp_path):
    picture = tmp_path / "found.svg"
    done = compare(
        *("--images", "ext4,xfs,btrfs", "--jobs", "random-read-1,commit-fdatasync", "--seconds", "0.5"),
        *("--json", "--yes", "--no-keep", "--out", picture, mounted),
    )
    found = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schema("compare")).validate(found)
    assert found["state"] == "done", done.stderr
    sides = {it["name"]: it for it in found["sides"]}
    assert set(sides) == {f"device below {mounted}", str(mounted), "ext4", "xfs", "btrfs", "loop device"}
    assert {it["ground"] for it in sides.values() if it["kind"] == "image"} == {"image"}
    for row in found["workloads"]:
        asked = [cell["question"] for cell in row["cells"] if cell["standing"] in ("best", "tie", "behind")]
        assert {it["ground"] for it in asked} <= {"image"}
        measured = {it["side"] for it in row["cells"] if it["result"] and it["result"]["windows"]}
        devices = {f"device below {mounted}", "loop device"}
        assert measured == (set(sides) if row["job"] == "random-read-1" else set(sides) - devices), done.stderr
    assert ET.fromstring(picture.read_text()).tag.endswith("svg")
    assert names(mounted) == []
    assert our_images(mounted) == []
    told = [it for it in done.stderr.decode().splitlines() if " on " in it and it.startswith("fsadvisor: ")]
    assert len(told) == 10


def begun(mounted):
    """A comparison that has begun to measure."""
    argv = [*COMPARE, "--images", "ext4,btrfs", "--jobs", "create-1,stat-2", "--seconds", "600", "--yes", "--json"]
    child = subprocess.Popen([*argv, str(mounted)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
    assert comes_to(lambda: names(mounted) or child.poll() is not None)
    assert child.poll() is None, child.stderr.read()
    return child


@pytest.mark.loop
@needs_loop_devices
def test_a_signal_ends_it_with_what_there_is_and_leaves_nothing(mounted):
    with begun(mounted) as child:
        child.terminate()
        said, _ = child.communicate()
    found = json.loads(said)
    assert (child.returncode, found["state"]) == (143, "cancelled")
    assert names(mounted) == []
    assert our_images(mounted) == []


@pytest.mark.loop
@needs_loop_devices
def test_a_killed_one_leaves_at_most_a_folder_that_the_next_start_takes_away(mounted):
    with begun(mounted) as child:
        at_work = Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
        child.kill()
        child.communicate()
    assert comes_to(lambda: not any(Path("/proc", it).exists() for it in at_work))  # and their mounts with them
    assert our_images(mounted) == []
    assert len(names(mounted)) <= 1
    done = compare("--images", "none", "--no-devices", "--jobs", "commit-fsync", "--seconds", "0.2", "--yes", mounted)
    assert done.returncode in (0, 3), done.stderr  # 3 where others write so much that its one window does not count
    assert names(mounted) == []
