"""What sysstat kept of a time that is over, judged as a look is."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from fsadvisor.measure.now.history import windows
from fsadvisor.measure.now.kept import trouble
from fsadvisor.readers import sadf
from tests.command import in_text
from tests.paths import FIXTURES

RECORDED = FIXTURES / "outputs/sadf/slow-disk.out"
SADC = Path("/usr/lib/sysstat/sadc")


def test_a_slow_disk_of_the_night_is_told_from_what_sysstat_kept():
    done = in_text("doctor", "--on", str(RECORDED))
    assert done.returncode == 1
    assert "5 windows were kept" in done.stdout
    assert "fsadvisor explain device-slow" in done.stdout
    assert "sysstat keeps none of them" in done.stdout
    assert done.stderr == ""


def test_another_interval_is_chosen_by_its_time():
    first = windows(sadf.parse(RECORDED.read_text()))[0]
    done = in_text("doctor", "--on", str(RECORDED), "--at", first.when[11:16])
    assert done.returncode == 0
    assert f"{first.when}: I/O pressure 0 %, busiest disk 0 % (this one)" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--on", str(RECORDED), "--at", "23:59"), "no window ends then or later"),
        (("--on", str(RECORDED), "--at", "2 am"), "--at 2 am: no time; say one in UTC, such as 02:10"),
        (("--at", "02:10"), "say where with --on"),
    ],
)
def test_a_time_that_is_not_there_is_refused(words, said):
    done = in_text("doctor", *words)
    assert done.returncode == 2
    assert said in done.stderr


def test_what_sysstat_did_not_keep_is_not_known_and_not_zero():
    (one,) = windows(sadf.parse(MINIMAL))
    assert (one.io_some, one.steal, one.swap_bytes, one.waiting) == (None, None, None, None)
    assert trouble(one) == (0.0, 0.0)


MINIMAL = """{"sysstat": {"hosts": [{"statistics": [
  {"timestamp": {"date": "2026-01-01", "time": "00:10:00", "utc": 1, "interval": 600}},
  {"timestamp": {"date": "2026-01-01", "time": "00:20:00", "utc": 0, "interval": 600}}
]}]}}"""


def test_a_file_of_sysstats_is_read_by_its_own_tool(tmp_path):
    if not (SADC.exists() and shutil.which("sadf")):
        pytest.skip("sysstat is not installed")
    file = tmp_path / "sa01"
    subprocess.run([SADC, "-S", "XALL", "1", "2", str(file)], check=True, capture_output=True)
    done = in_text("doctor", "--on", str(file))
    assert "What is wrong now" in done.stdout
    file.write_bytes(file.read_bytes()[:3] + b"\0" * 100)
    broken = in_text("doctor", "--on", str(file))
    assert broken.returncode == 2
    assert str(file) in broken.stderr


def test_what_is_no_window_is_refused_and_holds_nobody_up(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "junk").write_bytes(b"\xff\xfe\x00{")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path / "gone", tmp_path / "junk"):
        done = in_text("doctor", "--on", str(path))
        assert done.returncode == 2
        assert str(path) in done.stderr
