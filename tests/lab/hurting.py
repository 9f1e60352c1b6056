"""What `doctor` says of the guest now, and a program that waits for its disk."""

import subprocess
import sys

from fsadvisor.measure.now.answer import answer
from fsadvisor.measure.now.observe import observe
from fsadvisor.rulebook.loading import own_rulebook

SYNCS = "import os\nf = os.open('one', os.O_CREAT | os.O_RDWR)\nwhile True: os.pwrite(f, bytes(4096), 0); os.fsync(f)"


def hurting():
    """The verdict of each cause that hurts."""
    return [one.verdict for one in answer(observe(8), own_rulebook().rules).found if one.hurts]


def causes():
    """Rule and subject of each cause that hurts."""
    return {(one.rule.id, one.subject.name) for one in hurting()}


def at_work(scenario, place):
    """A program that syncs without pause."""
    process = subprocess.Popen([sys.executable, "-c", SYNCS], cwd=place)
    scenario.undo(process.wait)
    scenario.undo(process.kill)
    return process
