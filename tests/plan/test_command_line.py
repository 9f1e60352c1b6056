"""`fsadvisor plan` as people call it, on a recording of a composed machine, by our own rules."""

import json

import jsonschema
import pytest

from fsadvisor.machine.recording import RecordingMachine
from fsadvisor.plan.documents import as_json
from fsadvisor.report.schema import schema, schema_text
from fsadvisor.survey.whole import survey
from tests.command import in_text as fsadvisor
from tests.paths import FIXTURES
from tests.plan import composed
from tests.plan.composed import TEXTS, planned
from tests.told import disk, machine

CONTAINER = str(FIXTURES / "machines" / "ext4-nobarrier")
MOUNTS = [
    "1 0 254:0 / / rw,relatime - ext4 /dev/vda rw",
    "2 1 254:16 / /srv rw,noatime - ext4 /dev/vdb rw,nobarrier",
]
FSTAB = "/dev/vda / ext4 defaults 0 1\n/dev/vdb /srv ext4 noatime,nobarrier 0 2\n"
OPTIONS = {"/proc/fs/ext4/vda/options": "rw\nbarrier\n", "/proc/fs/ext4/vdb/options": "rw\nnobarrier\n"}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A server on which barriers are off above a volatile cache, as a recording."""
    disks = [
        disk(name, where=f"pci0000:00/0000:00:0{at}.0/virtio{at}", number=number)
        for at, (name, number) in enumerate([("vda", "254:0"), ("vdb", "254:16")], start=4)
    ]
    recording = RecordingMachine(machine(*disks, mounts=MOUNTS, fstab=FSTAB, files=OPTIONS))
    survey(recording, {})
    folder = tmp_path_factory.mktemp("machine") / "server"
    recording.write(folder)
    return str(folder)


def test_the_plan_for_all_advice_is_a_text_with_the_script_first(recorded):
    done = fsadvisor("--on", recorded, "plan")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("#!/bin/sh\n# plan.sh, proposed by fsadvisor")
    assert "run mount --options-source=mtab -o remount,barrier /srv\n" in done.stdout
    assert "-/dev/vdb /srv ext4 noatime,nobarrier 0 2\n+/dev/vdb /srv ext4 noatime 0 2\n" in done.stdout


def test_a_finding_is_chosen_by_its_mount_point_and_written_into_a_folder(recorded, tmp_path):
    done = fsadvisor("--on", recorded, "plan", "nobarrier-unproven:/srv", "--out", str(tmp_path / "plan"))
    assert (done.returncode, done.stdout) == (0, "")
    assert "nothing was run: read README.txt there first" in done.stderr
    assert sorted(it.name for it in (tmp_path / "plan").iterdir()) == ["README.txt", "fstab.diff", "plan.sh", "undo.sh"]
    again = fsadvisor("--on", recorded, "plan", "--out", str(tmp_path / "plan"))
    assert (again.returncode, "not empty" in again.stderr) == (2, True)


def test_the_plan_as_json_passes_a_validator_that_is_not_ours(recorded):
    found = json.loads(fsadvisor("--on", recorded, "plan", "--json").stdout)
    jsonschema.Draft202012Validator(schema("plan")).validate(found)
    (step,) = [it for it in found["steps"] if it["findings"][0]["rule"] == "nobarrier-unproven"]
    (change,) = step["changes"]
    assert change["do"] == "run mount --options-source=mtab -o remount,barrier /srv"
    assert change["settings"][0]["seen"] == "nobarrier"


def test_json_of_every_sort_of_plan_is_one_document_of_the_schema():
    text = composed.FSTAB.replace("what", "w\udce9\x1b")
    for texts in (TEXTS, TEXTS | {"/etc/fstab": text}):
        said = as_json(planned(texts=texts))
        assert said.replace("\n", "").isprintable()
        jsonschema.Draft202012Validator(schema("plan")).validate(json.loads(said))
    assert json.loads(fsadvisor("schema", "plan").stdout) == json.loads(schema_text("plan"))


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (("nobarier-unproven",), "did you mean 'nobarrier-unproven'?"),
        (("nobarrier-unproven:/svr",), "no filesystem '/svr'; did you mean '/srv'?"),
        (("nobarrier-unproven:/",), "its checks pass"),
        (("--out", "/proc/x"), "/proc/x: "),
    ],
)
def test_a_wrong_choice_is_one_clear_line(recorded, argv, says):
    done = fsadvisor("--on", recorded, "plan", *argv)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert says in done.stderr


def test_what_is_not_proven_safe_is_refused_with_its_question():
    done = fsadvisor("--on", CONTAINER, "plan", "nobarrier-unproven")
    assert done.returncode == 2
    assert "Does fsadvisor run outside any container? no" in done.stderr
    every = fsadvisor("--on", CONTAINER, "plan")
    assert every.returncode == 0
    assert "There is nothing that a script could do." in every.stdout
    assert "Not planned" in every.stdout
