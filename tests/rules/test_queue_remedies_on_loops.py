"""Remedies that write to a device's queue: the kernel takes them, and their undo brings the first state back."""

import subprocess
from pathlib import Path

import pytest

from fsadvisor.rulebook.advise import judge
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.mutants import imagined
from fsadvisor.rulebook.rule import Outcome
from tests.loops import loops, needs_loop_devices

pytestmark = [pytest.mark.loop, needs_loop_devices]

RULES = {rule.id: rule for rule in own_rulebook().rules}
CASES = [
    ("flushes-on-protected-nvme", "write_cache", "write back", "write through"),
    ("volatile-cache-not-flushed", "write_cache", "write through", "write back"),
    ("power-loss-protection-failed", "write_cache", "write through", "write back"),
    ("hard-disk-without-scheduler", "scheduler", "none", "mq-deadline"),
    ("zoned-without-write-order", "scheduler", "none", "mq-deadline"),
    ("writeback-not-throttled", "wbt_lat_usec", "0", None),
]
FACT = {"write_cache": "disk.write_cache", "scheduler": "disk.scheduler", "wbt_lat_usec": "disk.write_throttle_us"}


def instructions(rule, device, attribute, first):
    """The commands of the rule's first example that advises, for this device in this state."""
    example = next(it for it in rule.examples if it.expect is Outcome.ADVISE)
    value = int(first) if first.isdecimal() else first
    facts = {**example.facts, "disk.name": device, FACT[attribute]: value}
    return judge(rule, imagined(rule, facts)).instructions()


def shell(commands):
    for command in commands:
        subprocess.run(command, shell=True, check=True)


def chosen(file):
    text = file.read_text().strip()
    return text.partition("[")[2].partition("]")[0] if "[" in text else text


@pytest.mark.parametrize(("rule", "attribute", "first", "afterwards"), CASES, ids=str)
def test_the_kernel_takes_the_remedy_and_its_undo(rule, attribute, first, afterwards, tmp_path):
    with loops(tmp_path) as loop:
        name = loop.device("disk", 16).removeprefix("/dev/")
        file = Path(f"/sys/block/{name}/queue/{attribute}")
        if not file.exists():
            pytest.skip(f"this kernel has no queue/{attribute}")
        try:
            file.write_text(first)
        except OSError as refused:
            pytest.skip(f"this kernel does not take {first}: {refused}")
        asked = instructions(RULES[rule], name, attribute, first)
        assert asked.now
        shell(asked.now)
        assert chosen(file) == afterwards if afterwards else int(chosen(file)) > 0
        shell(asked.undo)
        assert chosen(file) == first
