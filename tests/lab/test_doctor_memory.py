"""`fsadvisor doctor` on control groups that run out of their own memory, on both kernels."""

import subprocess
import sys
from pathlib import Path

import pytest

from fsadvisor.measure.now.answer import answer
from fsadvisor.measure.now.look import look
from fsadvisor.rulebook.shelf import own_shelf
from tests.lab import null_blk
from tests.lab.scenario import run, wait_for

pytestmark = [pytest.mark.lab, pytest.mark.kernels]
GROUPS = Path("/sys/fs/cgroup")
MEMORY_MIB = 64
TOUCHES = "import random\nb = bytearray(b'x' * (160 << 20))\nn = len(b)\nwhile True: b[random.randrange(n)] ^= 1"
READS = "import os\nf = os.open('big', os.O_RDONLY)\nwhile True:\n os.lseek(f, 0, 0)\n while os.read(f, 1 << 20): pass"


def slow_disk(scenario, name, milliseconds):
    return null_blk.create(scenario, name, cache_size=64, irqmode=2, completion_nsec=milliseconds * 1_000_000)


def in_group(scenario, code, place):
    """A Python program in a control group of 64 MiB, of which it needs more; the group's folder."""
    (GROUPS / "cgroup.subtree_control").write_text("+memory +io")
    group = GROUPS / "staged"
    group.mkdir()
    scenario.undo(group.rmdir)
    scenario.undo(wait_for, "the group to be empty", lambda: not (group / "cgroup.procs").read_text())
    (group / "memory.max").write_text(str(MEMORY_MIB << 20))
    enter = ("sh", "-c", f'echo $$ > {group}/cgroup.procs; exec "$@"', "sh")
    process = subprocess.Popen([*enter, sys.executable, "-c", code], cwd=place)
    scenario.undo(process.wait)
    scenario.undo(process.kill)
    return group


def causes(scenario, claim):
    seen = look(8)
    found = {(one.verdict.rule.id, one.verdict.subject.name) for one in answer(seen, own_shelf().rules).found}
    waits = max((one.for_memory for one in seen.programs), default=0.0)
    pressure = max((one.memory_some or 0.0 for one in seen.groups), default=0.0)
    told = ", ".join(sorted(map(" ".join, found))) or "nothing"
    scenario.tell(
        claim=claim, seen=f"{told}; pressure {100 * pressure:.0f} %, in swap {100 * waits:.0f} % of the looks"
    )
    return found


@pytest.mark.parametrize("milliseconds", [1, 5])
def test_a_swap_storm_in_a_control_group_is_told_by_where_its_program_waits(scenario, milliseconds):
    """swap storm of a program of 160 MiB in a control group of 64 MiB: the group's limit, and not the swap disk"""
    disk = slow_disk(scenario, "nullb0", milliseconds)
    run("mkswap", f"/dev/{disk}")
    run("swapon", f"/dev/{disk}")
    scenario.undo(run, "swapoff", f"/dev/{disk}")
    group = in_group(scenario, TOUCHES, "/")
    swapped = group / "memory.swap.current"
    wait_for("the program to be swapped out", lambda: int(swapped.read_text()) > 80 << 20)
    assert causes(scenario, "group-short-of-memory of /staged") == {("group-short-of-memory", "/staged")}


def test_a_control_group_that_reads_files_past_its_limit_is_no_swap_storm(scenario):
    """a reader of 150 MiB of files in a control group of 64 MiB, which never waits for memory: nothing"""
    disk = slow_disk(scenario, "nullb0", 1)
    scenario.format("ext4", f"/dev/{disk}")
    place = scenario.mount(f"/dev/{disk}", "data")
    (Path(place) / "big").write_bytes(bytes(150 << 20))
    run("sync")
    Path("/proc/sys/vm/drop_caches").write_text("1")
    group = in_group(scenario, READS, place)
    limit = (MEMORY_MIB - 8) << 20
    wait_for("its memory to be used up", lambda: int((group / "memory.current").read_text()) > limit)
    assert not {rule for rule, _ in causes(scenario, "nothing of memory")} & {"group-short-of-memory", "memory-short"}
