"""The watch over a drive told 'write through': its udev rules in udevd, its timer in systemd."""

import shutil
import subprocess
from pathlib import Path

import pytest

from fsadvisor.rulebook.advise import judge
from fsadvisor.rulebook.loading import load_rulebook
from fsadvisor.rulebook.mutants import imagined
from fsadvisor.rulebook.rule import Outcome
from tests.lab.scenario import ask_udevd, run, settle, wait_for

pytestmark = pytest.mark.lab

NVME = Path("/usr/sbin/nvme")
ANSWERS = Path("/run/lab/nvme-answers")
TIMER = "fsadvisor-write-cache.timer"
UNITS = Path("/etc/systemd/system")
RUNTIME = Path("/run/systemd/system")
_ROUNDS = "[Timer]\nOnUnitActiveSec=\nOnBootSec=1s\nOnUnitActiveSec=3s\nAccuracySec=1s\n"
"""An empty word takes all rounds back, the first one, too."""


class Watch:
    """A drive under watch, whose capacitor log a test writes."""

    def __init__(self, scenario, name):
        self.scenario, self.name = scenario, name
        self._queue = f"/sys/block/{name}/queue/write_cache"

    @property
    def cache(self):
        """What the kernel believes now."""
        return self.scenario.second_file(self._queue)

    def say(self, capacitors="100", warning="0"):
        """What the drive answers from now on; None: nothing."""
        for log, key, value in (("ocp", "Capacitor health", capacitors), ("smart-log", "critical_warning", warning)):
            file = ANSWERS / log
            if value is None:
                file.unlink(missing_ok=True)
            else:
                file.write_text(f'{{\n  "{key}":{value},\n  "Log page version":3\n}}\n')

    def override(self):
        """Tell the kernel 'write through', as the remedy does."""
        Path(self._queue).write_text("write through")


def _advised(model, serial):
    """The files that the rule would have people write for a drive of this name."""
    rule = next(rule for rule in load_rulebook().rules if rule.id == "flushes-on-protected-nvme")
    facts = dict(next(example for example in rule.examples if example.expect is Outcome.ADVISE).facts)
    facts |= {"disk.udev_model": model, "disk.udev_serial": serial}
    files = {}
    for part in judge(rule, imagined(rule, facts)).instructions().keep:
        files.setdefault(part.file, []).append(part.line)
    return files


def _udev(scenario, name, key):
    words = ["--query=property", f"--property={key}", "--value", f"/dev/{name}"]
    return scenario.second("udevadm", "info", *words).strip()


@pytest.fixture
def watch(scenario):
    """An NVMe drive with the advised files for it, and an nvme that answers what the test wants."""
    (name,) = scenario.attach("nvme")
    ANSWERS.mkdir(exist_ok=True)
    tool = ANSWERS / "nvme"
    tool.write_text(f"#!/bin/sh\nexec cat {ANSWERS}/$1\n")
    tool.chmod(0o755)
    run("mount", "--bind", str(tool), str(NVME))
    scenario.undo(run, "umount", str(NVME))
    for file, lines in _advised(_udev(scenario, name, "ID_MODEL"), _udev(scenario, name, "ID_SERIAL_SHORT")).items():
        scenario.write(file, "".join(f"{line}\n" for line in lines))
    ask_udevd("control", "--reload")
    scenario.undo(ask_udevd, "control", "--reload")
    return Watch(scenario, name)


def _trigger(name):
    run("udevadm", "trigger", "--action=change", f"/sys/block/{name}")
    settle()


@pytest.mark.thorough
def test_udev_believes_a_healthy_drive_and_takes_it_back_from_any_other(watch):
    """The advised udev rules: 'write through' while the drive proves its capacitors, 'write back' else"""
    watch.say()
    _trigger(watch.name)
    assert watch.cache == "write through"
    for answers in (
        {"capacitors": "0"},
        {"capacitors": "65535"},
        {"capacitors": None},
        {"warning": "16"},
        {"warning": None},
    ):
        watch.override()
        watch.say(**answers)
        _trigger(watch.name)
        assert watch.cache == "write back", answers
        watch.say()
        _trigger(watch.name)
        assert watch.cache == "write through"


@pytest.mark.thorough
def test_another_drive_is_left_alone(watch):
    """The advised udev rules: a drive of another serial number"""
    (other,) = watch.scenario.attach("nvme-4k")
    watch.say()
    _trigger(other)
    assert watch.scenario.second_file(f"/sys/block/{other}/queue/write_cache") == "write back"
    run("udevadm", "trigger", "--action=change", "--subsystem-match=block", "--property-match=FSADVISOR_PLP=?*")
    settle()
    assert watch.scenario.second_file(f"/sys/block/{other}/queue/write_cache") == "write back"


@pytest.fixture
def systemd(watch):
    """A systemd in a PID namespace of its own that runs the timer and nothing else; rounds of 3 s, not 10 minutes."""
    _trigger(watch.name)
    run("systemd-analyze", "verify", str(UNITS / TIMER))
    run("systemctl", "enable", TIMER)
    watch.scenario.undo((UNITS / "timers.target.wants" / TIMER).unlink)
    watch.scenario.write(UNITS / f"{TIMER}.d" / "lab.conf", _ROUNDS)
    RUNTIME.mkdir(parents=True)
    # While it is there, tools think that systemd has booted the guest.
    watch.scenario.undo(shutil.rmtree, RUNTIME)
    for unit in ("systemd-udevd.service", "systemd-udevd-control.socket", "systemd-udevd-kernel.socket"):
        (RUNTIME / unit).symlink_to("/dev/null")
    for folder in ("sysinit", "local-fs"):
        wants = Path(f"/usr/lib/systemd/system/{folder}.target.wants")
        if wants.is_dir():
            run("mount", "-t", "tmpfs", "none", str(wants))
            watch.scenario.undo(run, "umount", str(wants))
    alone = ["unshare", "--fork", "--pid", "--kill-child", "--mount-proc"]
    with Path("/run/lab/results/systemd.txt").open("w") as log:
        process = subprocess.Popen(
            [*alone, "/lib/systemd/systemd", "--system", f"--unit={TIMER}", "--log-target=console"],
            env={"container": "lab", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    watch.scenario.undo(process.wait)
    watch.scenario.undo(process.kill)
    return watch


@pytest.mark.thorough
def test_the_timer_takes_an_override_back_and_gives_it_again(systemd):
    """The advised timer under systemd: the override ends when the capacitors fail, and nobody does anything"""
    systemd.say(capacitors="0")
    systemd.override()
    wait_for("the timer takes the override back", lambda: systemd.cache == "write back", 120)
    systemd.say()
    wait_for("the timer gives it again", lambda: systemd.cache == "write through", 60)
    systemd.say(capacitors=None)
    wait_for("the timer takes it back from a silent drive", lambda: systemd.cache == "write back", 60)
    assert Path("/etc/systemd/system/timers.target.wants", TIMER).is_symlink()
    systemd.scenario.tell(
        claim="an override of write_cache whose watch sees the capacitors fail",
        seen="'write back' at the timer's next round",
        expected="'write back' without anybody's help",
    )
