"""What is named on the command line may be no file at all, or one that nobody expected: one line, no bug of ours."""

import itertools

import pytest

from fsadvisor.facts import Cause
from fsadvisor.machine.trees import FolderTree
from tests.cases import few
from tests.command import in_text
from tests.paths import FIXTURES

MACHINE = str(FIXTURES / "machines/lab-nvme-nobarrier")
NAMES = {"a long name": "a" * 300, "a long path": "a/" * 3000, "in circles": "loop/x", "nothing": "absent", "text": "f"}
COMMANDS = {
    "--on": ("--text", "--on", "@"),
    "doctor": ("doctor", "--on", "@"),
    "waits": ("waits", "--on", "@"),
    "diff, old": ("diff", "@", MACHINE),
    "diff, new": ("diff", MACHINE, "@"),
    "--rules": ("--text", "--on", MACHINE, "--rules", "@"),
    "watch": ("watch", "--for", "1s", "--out", "@"),
    "compare": ("compare", "--dry-run", "@", "/"),
}
CASES = {f"{command}, {name}": (COMMANDS[command], NAMES[name]) for command, name in itertools.product(COMMANDS, NAMES)}


@pytest.mark.parametrize(("words", "name"), few(CASES.values(), 3), ids=CASES)
def test_what_is_no_such_file_is_told_in_a_line(words, name, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "f").write_text("text\n")
    done = in_text(*(tmp_path / name if word == "@" else word for word in words))
    assert done.returncode == 2, done
    assert done.stderr or "refused: " in done.stdout


@pytest.mark.parametrize("content", [b"[" * 200_000, b'{"a":' * 200_000, b'{"a": "\xff"}', b"{", b"\0\0"])
@pytest.mark.parametrize("words", [COMMANDS["doctor"], COMMANDS["diff, old"]], ids=["doctor", "diff"])
def test_json_that_is_none_is_told_in_a_line(words, content, tmp_path):
    (tmp_path / "a.json").write_bytes(content)
    done = in_text(*(tmp_path / "a.json" if word == "@" else word for word in words))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done


def test_a_file_that_can_not_be_read_is_unreadable():
    assert FolderTree("/proc/self").content("mem").cause is Cause.UNREADABLE
