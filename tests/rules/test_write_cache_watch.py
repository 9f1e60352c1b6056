"""The udev rule that watches over a drive told 'write through' believes a healthy drive and nothing else."""

import re
import subprocess

import pytest

from fsadvisor.rulebook.advise import judge
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.mutants import imagined
from fsadvisor.rulebook.rule import Outcome

RULE = next(rule for rule in own_rulebook().rules if rule.id == "flushes-on-protected-nvme")
EXAMPLE = next(example for example in RULE.examples if example.expect is Outcome.ADVISE)
LINES = [
    kept.line
    for kept in judge(RULE, imagined(RULE, EXAMPLE.facts)).instructions().keep
    if kept.file.startswith("/etc/udev")
]
PROGRAM = re.search(r"""PROGRAM=="/bin/sh -c '([^'"]+)'",""", LINES[1])[1].replace("$devnode", "/dev/nvme0n1")
AS_UDEV_DOES = {"DEVNAME": "/dev/nvme0n1"}
"""udev gives a program the device's properties and nothing else, no PATH either."""
HEALTHY = '{\n  "critical_warning" : %s,\n  "temperature" : 310\n}\n'
CAPACITORS = '{\n  "Bad user nand blocks - Raw":0,\n  "%s":%s,\n  "Log page version":3\n}\n'


def holds(folder, warning="0", key="Capacitor health", health="100", fails=""):
    """What the rule's program decides about a drive that answers so."""
    (folder / "smart").write_text(HEALTHY % warning)
    (folder / "ocp").write_text(CAPACITORS % (key, health))
    fake = folder / "nvme"
    fake.write_text(
        f'#!/bin/sh\n[ "$1" = "{fails}" ] && exit 1\ncase $1 in ocp) cat {folder}/ocp;; *) cat {folder}/smart;; esac\n'
    )
    fake.chmod(0o755)
    program = PROGRAM.replace(" && export PATH", f" && PATH={folder}:$PATH && export PATH")
    return subprocess.run(["/bin/sh", "-c", program], env=AS_UDEV_DOES, cwd=folder, check=False).returncode == 0


@pytest.mark.parametrize(
    ("warning", "key", "health"),
    [("0", "Capacitor health", "100"), ("2", "capacitor_health", "2"), ("0", "Capacitor Health", "115")],
)
def test_a_healthy_drive_is_believed_however_its_log_spells_it(tmp_path, warning, key, health):
    assert holds(tmp_path, warning, key, health)


@pytest.mark.parametrize("warning", ["16", "18", "1", "4", "20", "22", '"0x10"', ""])
def test_any_warning_but_heat_ends_it(tmp_path, warning):
    assert not holds(tmp_path, warning)


@pytest.mark.parametrize("health", ["0", "1", "65535", "655", "", '"n/a"'])
def test_capacitors_without_energy_or_without_being_there_end_it(tmp_path, health):
    assert not holds(tmp_path, health=health)


@pytest.mark.parametrize("fails", ["smart-log", "ocp"])
def test_a_drive_that_does_not_answer_ends_it(tmp_path, fails):
    assert not holds(tmp_path, fails=fails)


def test_the_rule_is_pinned_to_one_model_and_serial_number():
    assert 'ENV{ID_MODEL}=="SAMSUNG MZQL21T9HCJR-00A07"' in LINES[0]
    assert 'ENV{ID_SERIAL_SHORT}=="S000000"' in LINES[0]
    assert all('ENV{FSADVISOR_PLP}=="' in line for line in LINES[1:])
