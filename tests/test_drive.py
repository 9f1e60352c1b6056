"""`fsadvisor drive FILE…` as scripts and admins use it."""

import json

import jsonschema
import pytest

from fsadvisor.report.schema import schema
from tests import command
from tests.machines import parts
from tests.paths import ROOT

ID_CTRL = {"vid": 1, "mn": "EVIL\u202e\x1b[31m DRIVE", "sn": "S1", "vwc": 6}


def fsadvisor(*argv):
    return command.fsadvisor("drive", *argv)


@pytest.fixture
def captured(tmp_path):
    file = tmp_path / "id-ctrl.json"
    file.write_text(json.dumps(ID_CTRL))
    return file


def test_the_json_is_one_document_of_the_published_shape(captured):
    done = fsadvisor(captured, "--json")
    report = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schema("drive")).validate(report)
    assert (done.returncode, report["schema"]) == (0, "fsadvisor/drive/1")
    (one,) = report["drives"]
    assert one.keys() == {"model", "volatile_cache", "plp"}
    assert one["plp"].keys() == {"verdict", "evidence", "settle"}
    assert all(it.keys() == {"verdict", "says", "source"} for it in one["plp"]["evidence"])
    assert one["volatile_cache"] is False
    assert one["plp"]["settle"]


def test_the_committed_schema_is_that_of_the_program():
    assert json.loads((ROOT / "docs" / "drive.schema.json").read_text()) == json.loads(json.dumps(schema("drive")))


def test_a_file_that_can_not_be_judged_is_named_and_the_others_are_judged(captured, tmp_path):
    junk = tmp_path / "junk"
    junk.write_text("hello\n")
    done = fsadvisor(junk, captured, tmp_path / "absent", tmp_path, "--json")
    assert done.returncode == 2
    assert len(json.loads(done.stdout)["drives"]) == 1
    lines = done.stderr.decode().splitlines()
    assert [str(path) in line for path, line in zip((junk, tmp_path / "absent", tmp_path), lines, strict=True)] == [
        True
    ] * 3
    assert "Traceback" not in done.stderr.decode()


def test_no_drive_at_all_is_an_empty_list(tmp_path):
    done = fsadvisor(tmp_path / "absent", "--json")
    assert (done.returncode, json.loads(done.stdout)["drives"]) == (2, [])


def test_strangers_text_can_not_harm_the_terminal(captured):
    done = fsadvisor(captured)
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout
    assert "\u202e" not in done.stdout.decode()
    assert b"power-loss protection  unknown" in done.stdout


def test_the_text_says_what_was_weighed_and_what_would_settle_it(captured):
    said = fsadvisor(captured).stdout.decode()
    assert "for proven: vwc 6 bit 0: no volatile write cache" in said
    assert "nvme smart-log" in said


def test_a_test_that_a_drive_shows_as_two_attributes_is_told_once(tmp_path):
    """The S4510 has its capacitor test as 175 and as 235; where one of them failed, both are told."""

    def told(of_235):
        model, test = "INTEL SSDSC2KB480G8", (175, "Power_Loss_Cap_Test", 100, 10, 0)
        report = json.loads(*parts.sata_answers("/dev/sda", model, 480103981056, attributes=[test]).values())
        table = report["ata_smart_attributes"]["table"]
        table.append(next(it for it in table if it["id"] == 175) | {"id": 235, "value": of_235})
        file = tmp_path / "smartctl.json"
        file.write_text(json.dumps(report))
        (one,) = json.loads(fsadvisor(file, "--json").stdout)["drives"]
        return [it["verdict"] for it in one["plp"]["evidence"] if it["says"].startswith("Power_Loss_Cap_Test")]

    assert told(100) == ["proven"]
    assert told(5) == ["proven", "failed"]
