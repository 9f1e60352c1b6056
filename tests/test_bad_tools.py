"""Tools that hang, lie, stop half-way or are not there: an Unknown with its cause, never a wrong verdict."""

import json
import os
from pathlib import Path

import pytest

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.machine.live import LiveMachine
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.survey import drive
from fsadvisor.survey.host import COMMANDS
from fsadvisor.survey.whole import survey
from tests.cases import few
from tests.told import disk, machine
from tests.waiting import END_S

TOOLS = (
    "grep",
    "nvme",
    "smartctl",
    "dumpe2fs",
    "lsblk",
    "systemctl",
    "systemd-detect-virt",
    "dmsetup",
    "btrfs",
    "xfs_info",
    "mysqld",
    "zpool",
    "zfs",
    "lvs",
    "mount",
)
RULES = own_rulebook().rules

LIES = {
    "hangs": "exec sleep 60",
    "prints garbage": "head -c 3000 /dev/urandom",
    "prints half a document": """printf '{"vwc": 6, "critical_warning": 0, "smartctl": {"exit'""",
    "prints an empty document": "echo '{}'",
    "prints a list": "echo '[[[[1]]]]'",
    "says nothing": "exit 0",
    "fails": "echo 'Permission denied' >&2; exit 13",
    "prints a number": "echo 7",
}


def stand_ins(folder, script, kind=LiveMachine, timeout=1):
    """Every tool replaced by the same script."""
    for tool in TOOLS:
        path = folder / tool
        path.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n")
        path.chmod(0o755)
    return kind(timeout=timeout, tool_folders=[str(folder)])


def advice(found):
    return {(one.rule.id, one.subject.id) for one in advise(found, RULES) if one.outcome is Outcome.ADVISE}


@pytest.mark.parametrize("lie", few(LIES, 8))
def test_lying_tools_create_no_advice_on_this_machine(lie, tmp_path):
    before, found, after = (survey(made, {}) for made in (LiveMachine(), stand_ins(tmp_path, LIES[lie]), LiveMachine()))
    there = {one.id for one in before.subjects} & {one.id for one in after.subjects}
    others = ("loop", "pytest-of-")  # what other tests mount, and mount otherwise, meanwhile
    mine = {one for one in advice(found) if one[1] in there and not any(word in one[1] for word in others)}
    assert mine <= advice(before) | advice(after)


def test_tools_that_are_not_there_are_named_with_their_package(tmp_path):
    (answer,) = LiveMachine(tool_folders=[str(tmp_path)]).run([("nvme", "list")])
    assert answer == Unknown(Cause.NO_TOOL, "install nvme-cli", "nvme list")


@pytest.mark.skipif(Path("/run/systemd/system").is_dir(), reason="systemd is at work here")
def test_systemd_is_not_asked_for_where_something_else_is_at_work(tmp_path):
    host = survey(LiveMachine(tool_folders=[str(tmp_path)]), {}).subjects[0].scope["host"]
    assert host.fstrim_timer.learn == "look for a job that runs fstrim"


def test_a_tool_that_hangs_is_given_up_and_says_so(tmp_path):
    host = survey(stand_ins(tmp_path, LIES["hangs"]), {}).subjects[0].scope["host"]
    assert host.fstrim_timer.cause is Cause.TIMED_OUT
    assert "--timeout" in host.fstrim_timer.learn


class Waiting(LiveMachine):
    """Counts the rounds of questions in which a tool that hung was waited for."""

    rounds = 0

    def run(self, commands):
        new = [argv for argv in commands if argv not in self._runs]
        answers = super().run(commands)
        self.rounds += any(self._runs[argv].learn.startswith("retry") for argv in new)
        return answers


def test_with_every_tool_hung_the_survey_waits_for_them_at_most_twice(tmp_path):
    live = stand_ins(tmp_path, LIES["hangs"], Waiting)
    assert survey(live, {}).subjects
    assert live.rounds in (1, 2)


NVME = "pci0000:00/0000:00:01.0/nvme/nvme0"
OUTPUTS = {
    "garbage": "\x00\x1b[31m\udcff",
    "half a document": '{"vwc": 6, "critical_wa',
    "another tool's document": json.dumps({"blockdevices": []}),
    "nothing": "",
    "a deep document": "[" * 100_000,
    "wrong types": json.dumps({"vwc": "none", "critical_warning": None, "unsafe_shutdowns": [], "mn": 7}),
    "huge numbers": '{"vwc": ' + "9" * 5000 + ', "critical_warning": 1e999}',
}


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("cache", ["write back", "write through"])
def test_a_drive_that_answers_nonsense_is_never_proven(output, cache):
    made = machine(disk("nvme0n1", where=NVME, number="259:0", cache=cache))
    device = "/dev/nvme0n1"
    argvs = [" ".join(argv) for argv in drive.commands(_Named(device), Known("nvme", ""))]
    made.commands |= dict.fromkeys(argvs, OUTPUTS[output])
    (found,) = [one.scope["disk"] for one in survey(made, {}).subjects if one.kind == "disk"]
    assert isinstance(found.plp, Unknown) or found.plp.value == "unknown"
    assert isinstance(found.volatile_cache, Unknown)


class _Named:
    """A device of which only the path counts."""

    def __init__(self, path):
        self.path = path


def test_the_survey_asks_what_the_host_module_lists(tmp_path):
    asked = tmp_path / "asked"
    live = stand_ins(tmp_path, f'echo "${{0##*/}} $*" >> {asked}', timeout=END_S)
    survey(live, {})
    lines = asked.read_text().splitlines()
    assert all(" ".join(argv) in lines for argv in COMMANDS)
    assert len(lines) == len(set(lines)), "the same question was put twice"
    assert os.getuid() == 0 or "lsblk --json -o NAME,KNAME,LABEL" in lines
