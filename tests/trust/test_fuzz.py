"""Each part of `make fuzz` has nothing to say of a few inputs, tells what breaks a law, and keeps what broke it."""

import os
import shutil
import signal
from itertools import islice
from random import Random

import pytest

from tests.cases import few
from tests.probe.filesystems import needs_root
from tests.waiting import END_S
from tools.fuzz import __main__ as campaign
from tools.fuzz import archives, child, explorer, kills
from tools.fuzz.part import Failure

QUICK = [name for name in campaign.PARTS if name != "kills"]
STILL_THERE = {"text": signal.SIGTERM, "recorded": signal.SIGKILL, "probe": signal.SIGKILL}


@pytest.mark.parametrize("name", few(QUICK, 8))
def test_a_few_inputs_break_no_law(name):
    assert [it for failures in islice(campaign.PARTS[name](Random("a few")), 4) for it in failures] == []


@pytest.mark.long
@needs_root
@pytest.mark.loop
@pytest.mark.skipif(not shutil.which("mkfs.ext4"), reason="e2fsprogs is not installed")
def test_nothing_is_left_of_what_is_killed():
    with kills.ground() as place:
        for name, number in STILL_THERE.items():
            assert kills.left(kills.Kill(name, 0.7, number, group=False), place, END_S)[1] == [], name
        assert kills.left(kills.Kill("explorer begins", 0.5, signal.SIGTERM, group=False), place, END_S)[1] == []
    assert not place.is_mount()


def test_strange_files_are_made_below_the_directory_of_their_own_only(tmp_path):
    mine, other = tmp_path / "mine", tmp_path / "other"
    mine.mkdir()
    other.mkdir()
    (mine / "link").symlink_to(other)
    (mine / "loop").symlink_to("loop")
    os.mkfifo(mine / "pipe")
    for name in ("link/a/b", "link", "loop/a", "pipe", "pipe/a", "../other/a"):
        for seed in range(20):
            archives.put(mine / name, mine / "outside", Random(seed))
    assert list(other.iterdir()) == []
    assert sorted(it.name for it in mine.iterdir()) == ["link", "loop", "pipe"]


@pytest.mark.long
def test_what_an_answer_changes_and_takes_is_seen(tmp_path):
    said = child.done("attest", "--attestations", str(tmp_path / "a.toml"), "host.backed_up", "host", "no", "--by", "x")
    wrong = " ".join(child.wrong(said, 0.0, -1))
    assert "it changes something: open" in wrong
    assert "MiB" in wrong
    assert "of CPU" in wrong


def test_a_terminal_that_is_left_changed_is_seen(tmp_path):
    changes = "stty -echo; printf '\\033[?1049h'; sleep 600 & wait"
    at_work, wrong = explorer.ended("explorer begins", ["sh", "-c", changes], tmp_path, 2.0, signal.SIGTERM)
    assert (at_work, wrong) == (True, ["the terminal's settings are not put back", "the terminal is left with ?1049h"])


def test_a_failure_is_kept_with_the_input_that_made_it(tmp_path, capsys):
    def part(random):
        yield [Failure("it broke", bytes([random.randrange(256)]))]

    status = campaign.main(["--parts", "part", "--seed", "7", "--save", str(tmp_path)], {"part": part})
    assert status == 1
    assert (tmp_path / "part-7-1.input").read_bytes() == bytes([Random("part 7").randrange(256)])
    assert "it broke" in (tmp_path / "part-7-1.txt").read_text()
    assert "1 inputs, 1 failures, seed 7" in capsys.readouterr().out
