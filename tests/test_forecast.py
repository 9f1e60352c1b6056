"""`fsadvisor forecast` as people use it; what it refuses before anything is measured."""

import json
import os
import signal
import subprocess
from pathlib import Path

import jsonschema
import pytest

from fsadvisor.machine.live import LiveMachine
from fsadvisor.measure.sweep_session import Planned
from fsadvisor.report.schema import schema
from fsadvisor.verbs.forecast import RefusedError, guarded, results_in
from tests.cases import each, few
from tests.command import ARGV, fsadvisor
from tests.measure.test_sweep_session import request
from tests.paths import ROOT
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


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_refused_without_waiting(make, tmp_path):
    make(tmp_path / "endless")
    assert "not a regular file; name a table of measurements" in refused("--fit", tmp_path / "endless")


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "bytes").write_bytes(TABLE.encode() + b"\xff")
    assert "is no text" in refused("--fit", tmp_path / "bytes")


def test_a_table_with_a_byte_order_mark_is_read(table):
    table.write_text(TABLE, encoding="utf-8-sig")
    assert forecast("--fit", table).returncode == 0


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


@each(
    ("argv", "said"),
    [
        ((), "say one of"),
        (("/srv", "--fit", "x.csv"), "say one of"),
        (("--sweep",), "--on-scratch DIR"),
        (("--sweep", "--on-scratch", "/var/tmp", "--jobs", "mial"), "did you mean 'mail'"),
        (("--sweep", "--on-scratch", "/var/tmp", "--filesystems", "zfs"), "'zfs' is none of ext4, xfs,"),
        (("--sweep", "--delays", "1,fast"), "no list of two delays"),
        (("--fit", "/nowhere/at/all.csv"), "No such file"),
        (("--fit", "/dev/null", "--out", "picture.png"), "is no SVG"),
        (("--fit", "/dev/null", "--out", "/no/such/picture.svg"), "/no/such/picture.svg: No such file or directory"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(argv, said):
    assert said in refused(*argv)


def test_results_that_cannot_be_read_are_not_taken_for_none(tmp_path):
    garbled, folder = tmp_path / "garbled", tmp_path
    garbled.write_text("no result\n")
    assert results_in([tmp_path / "missing"]) == ([], [])
    assert [it.split(": ")[0] for it in results_in([garbled, folder])[1]] == [
        "A result that is kept cannot be read",
        "Results that are kept cannot be read",
    ]


def test_a_report_is_written_though_its_picture_cannot_be(table, tmp_path):
    picture = tmp_path / f"{'a' * 300}.svg"
    done = forecast("--fit", table, "--out", picture)
    assert done.returncode == 2
    assert b"l_sw" in done.stdout
    assert b"File name too long" in done.stderr


@pytest.mark.parametrize(("folder", "says"), [("/proc", "proc"), ("/no/such", "does not exist")])
def test_a_sweep_is_refused_where_a_probe_would_be(folder, says):
    planned = Planned(asked=request(folder=folder), left_out=())
    with pytest.raises(RefusedError, match=says), guarded(planned, LiveMachine()):
        pass


NEVER_ENDING = """
import sys
from fsadvisor.measure.messages import SweepWork
from fsadvisor.measure.sweep_session import Planned
from fsadvisor.verbs import forecast

asked = SweepWork(folder=sys.argv[1], base="image", size_bytes=1 << 26, filesystems=("ext4",) * 100000,
    workloads=("mail",), delays_ms=(0.0, 10.0))
sys.stderr.write("begun\\n")
try:
    forecast.swept(Planned(asked=asked, left_out=()))
except forecast.RefusedError as error:
    print(*error.args)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
@pytest.mark.namespaces
@pytest.mark.parametrize("number", few([signal.SIGTERM, signal.SIGHUP, signal.SIGINT], 3))
def test_a_sweep_that_is_told_to_end_takes_away_what_it_made(number, tmp_path):
    argv = [ARGV[0], "-c", NEVER_ENDING, str(tmp_path)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT) as child:
        child.stderr.readline()
        while not children(child.pid) and child.poll() is None:
            os.sched_yield()
        child.send_signal(number)
        out, _ = child.communicate()
    assert out == b"stopped before its end\n"


def children(number):
    return Path(f"/proc/{number}/task/{number}/children").read_text().split()


def test_a_recording_has_nothing_to_forecast_from():
    assert "--on" in refused("--on", MACHINE, "/srv")
