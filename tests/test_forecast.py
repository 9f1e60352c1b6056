"""`fsadvisor forecast` as people use it; what it refuses before anything is measured."""

import json

import jsonschema
import pytest

from fsadvisor.report.schema import schema
from tests.command import fsadvisor
from tests.test_cli import MACHINE

TABLE = "filesystem,workload,latency_ms,throughput\n" + "".join(
    f"{name},mail,{ms},{c / (ms + software)}\n"
    for name, c, software in (("ext4", 1000, 0.5), ("xfs", 1200, 1.5))
    for ms in (0, 1, 2, 5, 10)
)


def forecast(*argv):
    return fsadvisor("forecast", *argv)


def refused(*argv):
    done = forecast(*argv)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr
    return done.stderr.decode()


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "measured.csv"
    file.write_text(TABLE)
    return file


def test_a_file_is_fitted(table):
    said = " ".join(forecast("--fit", table).stdout.decode().split())
    assert "l_sw = 0.5 ms" in said
    assert "l_sw = 1.5 ms" in said
    assert "persistent memory" in said


def test_json_is_of_the_published_shape(table):
    found = json.loads(forecast("--json", "--fit", table).stdout)
    jsonschema.Draft202012Validator(schema("forecast")).validate(found)
    assert [it["fit"]["c"] for it in found["curves"]] == [1000, 1200]


def test_a_picture_is_drawn_once_and_never_over_a_file(table, tmp_path):
    picture = tmp_path / "curves.svg"
    assert forecast("--fit", table, "--out", picture).returncode == 0
    assert picture.read_text().startswith("<svg")
    assert "is there already" in refused("--fit", table, "--out", picture)


def test_markdown_has_a_table_for_each_workload(table):
    said = forecast("--fit", table, "--markdown").stdout.decode()
    assert "| ext4 | 1,000 " in said


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ((), "say one of"),
        (("/srv", "--fit", "x.csv"), "say one of"),
        (("--sweep",), "--on-scratch DIR"),
        (("--sweep", "--on-scratch", "/var/tmp", "--jobs", "mial"), "did you mean 'mail'"),
        (("--sweep", "--on-scratch", "/var/tmp", "--filesystems", "zfs"), "no filesystem 'zfs'"),
        (("--sweep", "--delays", "1,fast"), "no list of two delays"),
        (("--fit", "/nowhere/at/all.csv"), "No such file"),
        (("--fit", "/dev/null", "--out", "picture.png"), "does not end in .svg"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(argv, said):
    assert said in refused(*argv)


def test_a_recording_has_nothing_to_forecast_from():
    assert "--on" in refused("--on", MACHINE, "/srv")
