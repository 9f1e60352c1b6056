"""What sysstat, atop and PCP kept of a time that is over, judged as a look is."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from fsadvisor.measure.now.stored_windows import interval_windows, trouble
from fsadvisor.readers import activity_logs, pmdumplog
from tests.command import in_text
from tests.paths import FIXTURES
from tests.waiting import END_S

RECORDED = FIXTURES / "outputs/sadf/slow-disk.out"
KEPT = {"sadf": ("sysstat", 5), "atop": ("atop", 6), "pmdumplog": ("PCP", 7)}
SADC = Path("/usr/lib/sysstat/sadc")


@pytest.mark.parametrize("tool", KEPT)
def test_a_slow_disk_of_the_night_is_told_from_what_was_kept(tool):
    by, windows = KEPT[tool]
    done = in_text("doctor", "--on", str(FIXTURES / "outputs" / tool / "slow-disk.out"))
    assert done.returncode == 1
    assert f"{windows} windows were kept" in done.stdout
    assert "fsadvisor explain device-slow" in done.stdout
    assert f"none are read of what {by} keeps" in " ".join(done.stdout.split())
    assert done.stderr == ""


def test_atop_and_pcp_tell_the_same_of_the_same_time():
    ends = [parse((FIXTURES / "outputs" / tool / "slow-disk.out").read_text())[-2] for tool, parse in BOTH]
    assert [one.disks[0].name for one in ends] == ["staged", "staged"]
    assert [one.disks[0].requests for one in ends] == pytest.approx([11.8] * 2, rel=0.03)
    assert [one.disks[0].ms for one in ends] == pytest.approx([107] * 2, rel=0.03)
    assert [one.disks[0].queue for one in ends] == pytest.approx([1.27] * 2, rel=0.03)
    assert [one.io_full for one in ends] == pytest.approx([93] * 2, abs=1)
    assert [one.iowait_percent for one in ends] == pytest.approx([95] * 2, abs=1)


BOTH = (("atop", activity_logs.parse_atop), ("pmdumplog", pmdumplog.parse))


def test_where_pmlogger_began_anew_nothing_is_told_of_the_time_between():
    text = (FIXTURES / "outputs/pmdumplog/slow-disk.out").read_text()
    records = text.split("\n\n")
    marked = [*records[:5], "Thu Nov 26 04:29:36.000000 2026  <mark>", *records[5:]]
    assert len(pmdumplog.parse("\n\n".join(marked))) == len(pmdumplog.parse(text)) - 1


def test_a_counter_that_began_anew_or_has_one_record_is_not_known():
    text = (FIXTURES / "outputs/pmdumplog/slow-disk.out").read_text()
    last = pmdumplog.parse(text.replace("67328801", "1").replace("(mem.vmstat.pswpout)", "(mem.vmstat.other)"))[-1]
    assert last.io_some is None
    assert last.swapped_pages is None
    assert last.io_full > 90


def test_another_interval_is_chosen_by_its_time():
    first = interval_windows(activity_logs.parse_sadf(RECORDED.read_text()), "sysstat")[0]
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
    (one,) = interval_windows(activity_logs.parse_sadf(MINIMAL), "sysstat")
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
    assert "What is wrong, in the" in done.stdout
    if os.geteuid() == 0:
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            Path(folder).chmod(0o755)
            theirs = Path(shutil.copy(file, folder))
            os.chown(theirs, 65534, 65534)
            assert "What is wrong, in the" in in_text("doctor", "--on", str(theirs)).stdout
            theirs.chmod(0)  # root may read it all the same, its owner may not
            assert in_text("doctor", "--on", str(theirs)).returncode == 2
    file.write_bytes(file.read_bytes()[:3] + b"\0" * 100)
    broken = in_text("doctor", "--on", str(file))
    assert broken.returncode == 2
    assert str(file) in broken.stderr


def test_a_file_of_atops_is_read_by_its_own_tool_and_a_name_for_a_shell_is_not(tmp_path):
    if not shutil.which("atop"):
        pytest.skip("atop is not installed")
    file = tmp_path / "day"
    subprocess.run(["atop", "-w", file, "1", "3"], check=True, capture_output=True)
    assert "2 windows were kept" in in_text("doctor", "--on", str(file)).stdout
    other = file.rename(tmp_path / "day;touch x")
    done = in_text("doctor", "--on", str(other))
    assert done.returncode == 2
    assert "copy it to a name of letters" in done.stderr


def test_an_archive_of_pcps_is_read_by_its_own_tool_whatever_of_it_is_named(tmp_path):
    if not (shutil.which("pmlogger") and shutil.which("pmdumplog") and Path("/var/lib/pcp/pmns/root").exists()):
        pytest.skip("PCP is not installed and set up; without its names pmlogger waits for ever")
    (tmp_path / "config").write_text(f"log mandatory on 1 sec {{ {' '.join(pmdumplog.METRICS[:8])} }}\n")
    linux = "add,60,/var/lib/pcp/pmdas/linux/pmda_linux.so,linux_init"
    words = ("pmlogger", "-o", "-K", "clear", "-K", linux, "-c", "config", "-s", "3", "-l", "log", "day")
    subprocess.run(words, check=True, capture_output=True, cwd=tmp_path, timeout=END_S)
    for name in ("day", "day.0", "day.index", "day.meta"):
        assert "2 windows were kept" in in_text("doctor", "--on", str(tmp_path / name)).stdout


@pytest.mark.parametrize("begins", [b"\xef\xbe\xed\xfe", b"\0\0\0\x84\x50\x05\x26\x02"])
def test_what_only_begins_as_such_a_file_is_refused(tmp_path, begins):
    file = tmp_path / "day.index"
    file.write_bytes(begins + b"\0" * 200)
    done = in_text("doctor", "--on", str(file))
    assert done.returncode == 2
    assert str(file) in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_no_window_is_refused_and_holds_nobody_up(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "junk").write_bytes(b"\xff\xfe\x00{")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path / "gone", tmp_path / "junk"):
        done = in_text("doctor", "--on", str(path))
        assert done.returncode == 2
        assert str(path) in done.stderr
