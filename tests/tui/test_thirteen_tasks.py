"""The thirteen tasks of somebody who has read README alone: what is pressed, how many keys that is, and what is seen.

What a person writes of his own (a reason) is no key of ours, and is left out of the count.
"""

import asyncio
import statistics

import pytest

from fsadvisor.machine.kept_files import ATTESTATIONS, WithFile, attestation_text
from fsadvisor.machine.opening import open_machine
from fsadvisor.tui.measuring import Measurer, probe_progress, trial_progress
from fsadvisor.tui.screens.plan import PlanScreen
from tests.cases import few
from tests.paths import FIXTURES
from tests.tui import played, test_probes
from tests.tui.driving import TERMINAL, session, shown, until
from tests.tui.test_live import App, Live, moved

OLD, RAID, LAB, MEASURED, DATABASE = (
    "old-storage-server",
    "raid-lvm-crypt-server",
    "lab-ext4-tuned",
    "pm9a3-postgresql-measured",
    "pm9a3-postgresql-volatile",
)
TASKS = {
    "the worst finding, and its commands copied": (LAB, "enter y", "sent to the terminal's clipboard"),
    "the drive's power-loss protection, and why": (OLD, ": p l p enter", "for partial"),
    "why nobarrier is not advised": (DATABASE, ": n o b a r enter", "CHECKED, NOT FOUND HERE: nobarrier"),
    "how long an fsync takes, and what of it are flushes": (MEASURED, "tab", "1.16 ms, 44 % of it flus"),
    "two mounts compared": (DATABASE, "7 c space j space c", "at most"),
    "a change tried before it is made": (DATABASE, "7 enter", "at most"),
    "a plan of three findings, as a diff of fstab": (RAID, "j j j space j j space j space 6 ] ]", "+LABEL=root / ext4"),
    "what if the drive were not protected": (DATABASE, ": p l p enter S enter", "SUPPOSITION"),
    "what its data sheet says, attested": (DATABASE, "a space", "1 answered"),
    "who writes to which disk": (DATABASE, "5", "postgres"),
    "the report saved": (OLD, "e down enter enter", "Saved"),
    "all facts of a mount": (OLD, "tab enter", "filesystem"),
    "a risk accepted": (OLD, "W", "Why it can be accepted until then"),
}


async def drive(machine, keys, tmp_path, expected):
    """Press the keys, and see the screen that is expected."""
    here = session(machine)
    recorded = open_machine(FIXTURES / "machines" / machine)
    file = tmp_path / "attest.toml"
    here.opened = lambda: (WithFile(recorded, ATTESTATIONS, attestation_text(file), str(file)), None)
    here.attestations, here.who, here.live = file, "Jo Doe", machine == DATABASE
    app = App(here, TERMINAL)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        app.prober = Measurer(app.post_message, probe_progress, test_probes.Played())
        app.trier = Measurer(app.post_message, trial_progress, played.Played())
        for key in keys.split(" "):
            await pilot.press({":": "colon", "/": "slash", "]": "right_square_bracket", "-": "minus"}.get(key, key))
            await pilot.pause()
            if isinstance(app.screen, PlanScreen):
                await until(pilot, lambda: app.screen._found is not None)  # it is made on a thread
        if isinstance(app.screen, Live):
            await moved(app, pilot, app.screen._sampling)
        await until(pilot, lambda: expected in shown(app))


@pytest.mark.parametrize("task", few(TASKS, 7))
def test_each_task_is_done_by_these_keys(task, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    machine, keys, expected = TASKS[task]
    asyncio.run(drive(machine, keys, tmp_path, expected))


def test_half_of_the_tasks_take_four_keys_at_most():
    assert len(TASKS) == 13
    assert statistics.median(len(keys.split(" ")) for _, keys, _ in TASKS.values()) <= 4
