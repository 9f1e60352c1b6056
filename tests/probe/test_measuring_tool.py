"""What `make measure` writes and in which order it runs; its figures take hours and are not made here."""

import datetime as dt
import os
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsadvisor.measure.probe import EngineError
from fsadvisor.measure.probe import fio as engine
from fsadvisor.measure.probe.jobs import JOBS, SUITES
from fsadvisor.measure.probe.scratch_record import PREFIX, clear
from tests.cases import few
from tests.loops import attached_images, mounts, needs_loop_devices
from tests.paths import ROOT
from tests.probe.filesystems import needs_fio
from tests.waiting import comes_to
from tools.probes import against_long, ratio
from tools.probes.__main__ import JOBS as MEASURED
from tools.probes.__main__ import Minutes, filled
from tools.probes.against_long import order
from tools.probes.alone import Alone, alone
from tools.probes.page import TITLES, conditions, put, table
from tools.probes.rows import Part, Row, Rows
from tools.probes.short import Short, short


def stored(file, where):
    return Rows(file, conditions(where), lambda: dt.datetime(2026, 11, 22, 2, 40, tzinfo=dt.UTC))


def part_of(*names, plan=1, fails=()):
    """A part whose rows say how often they were measured before."""
    turns = count()
    return Part(
        id="long",
        names=names,
        plan={"shorts": plan},
        measure=lambda name: Row(cells=(name, str(next(turns))), failed=name in fails),
        text=lambda rows: " ".join("".join(row.cells) for row in rows),
    )


@given(st.integers(1, 60), st.integers(1, 9))
def test_every_run_has_its_turn_and_a_long_one_is_first(shorts, longs):
    runs = list(order(shorts, longs))
    assert (runs.count(False), runs.count(True)) == (shorts, longs)
    assert runs[0]


def test_long_runs_stand_at_both_ends_and_between():
    assert "".join("sL"[one] for one in order(6, 3)) == "LsssLsssL"


def test_a_part_that_is_run_again_takes_the_place_of_its_section_and_leaves_the_others(tmp_path):
    page = tmp_path / "probes.md"
    rows = [stored(tmp_path / "rows", "/").measure(part_of("a"), "a")]
    for part, text in (("kills", "none left"), ("long", "old"), ("long", "new")):
        put(page, part, text, rows)
    said = page.read_text()
    assert [line[3:] for line in said.splitlines() if line.startswith("## ")] == [TITLES["long"], TITLES["kills"]]
    assert "old" not in said
    assert "none left" in said
    assert f"\n2026-11-22 02:40 to 2026-11-22 02:40 UTC; {conditions('/')}; load " in said
    assert f"Linux {os.uname().release}" in conditions("/")


def test_a_row_that_tells_less_is_filled_up_and_no_cell_breaks_the_table():
    assert table(("a", "b"), [("x|y\nz",)]) == "| a | b |\n| --- | --- |\n| x\\|y z |  |\n"


def test_an_interval_holds_its_ends():
    one = Short(median=2.0, low=1.0, high=3.0, seconds=1.0, settled=True, engine="")
    assert [one.holds(truth) for truth in (0.9, 1.0, 3.0, 3.1)] == [False, True, True, False]
    assert one.half_width == 0.5


def test_the_jobs_are_those_of_the_table():
    assert set(MEASURED) <= set(JOBS)
    assert "append-direct" not in SUITES["quick"]


@needs_fio
@pytest.mark.parametrize("job", few(["commit-fdatasync", "commit-dsync-append", "random-read-32", "write-direct"], 2))
def test_fio_alone_gives_a_figure_and_leaves_nothing(tmp_path, job):
    small = replace(JOBS[job], work=replace(JOBS[job].work, file_bytes=4 << 20))
    with alone(small, tmp_path) as fio:
        assert fio.figure(0.2) > 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("job", MEASURED)
def test_fio_alone_is_asked_for_what_a_probe_asks_it(job, tmp_path):
    work = JOBS[job].work
    by_hand = options(Alone(JOBS[job], work, tmp_path, engine.Fio(path="fio", before=(), version="")).arguments())
    by_probe = options(engine.argv(work, "file", 0.5, ("libaio",)))
    grows = {"size"} if work.pattern == "append" else set()
    told = {"name", "filename", "output-format", "eta", "disk_util", *grows}
    as_is = {"invalidate": "1", "numjobs": "1", "allow_file_create": "0", "create_on_open": "0", "unlink": "0"}
    as_is |= {"runtime": "500ms", "iodepth": "1"}
    assert {**as_is, **without(by_hand, told)} == {**as_is, **without(by_probe, told)}


def options(arguments):
    return dict(one.removeprefix("--").partition("=")[::2] for one in arguments)


def without(options, names):
    return {name: value for name, value in options.items() if name not in names}


def test_rows_of_several_calls_stand_in_one_table_in_its_own_order(tmp_path):
    names = ("a", "b", "c")
    for name in ("c", "a"):
        stored(tmp_path / "rows", "/").measure(part_of(*names), name)
    found = stored(tmp_path / "rows", "/")
    assert [one.name for one in found.of(part_of(*names))] == ["a", "c"]
    assert found.missing(part_of(*names)) == ("b",)


def test_rows_of_another_plan_or_place_or_that_failed_are_still_to_be_measured(tmp_path):
    stored(tmp_path / "rows", "/").measure(part_of("a", "b", fails="b"), "a")
    stored(tmp_path / "rows", "/").measure(part_of("a", "b", fails="b"), "b")
    assert stored(tmp_path / "rows", "/").missing(part_of("a", "b")) == ("b",)
    assert stored(tmp_path / "rows", "/").missing(part_of("a", "b", plan=2)) == ("a", "b")
    assert stored(tmp_path / "rows", "/proc").missing(part_of("a", "b")) == ("a", "b")


def test_a_row_measured_again_takes_the_place_of_the_older_one(tmp_path):
    rows, part = stored(tmp_path / "rows", "/"), part_of("a")
    rows.measure(part, "a")
    rows.measure(part, "a")
    assert [one.row.cells for one in rows.of(part)] == [("a", "1")]


def test_a_line_that_a_crash_cut_off_hides_no_other_row(tmp_path):
    file = tmp_path / "rows"
    rows, part = stored(file, "/"), part_of("a", "b")
    rows.measure(part, "a")
    rows.measure(part, "b")
    file.write_bytes(file.read_bytes()[:-20])
    assert rows.missing(part) == ("b",)
    rows.measure(part, "b")
    assert rows.missing(part) == ()


def test_each_row_is_in_the_page_before_the_next_begins(tmp_path):
    page, rows = tmp_path / "probes.md", stored(tmp_path / "rows", "/")
    part = part_of("a", "b")
    seen = []
    looking = replace(
        part, measure=lambda name: (seen.append(page.exists() and page.read_text()), part.measure(name))[1]
    )
    filled(looking, part.names, rows, Minutes(None, lambda: 0.0), page)
    assert [("a0" in (text or ""), "b1" in (text or "")) for text in (*seen, page.read_text())] == [
        (False, False),
        (True, False),
        (True, True),
    ]


def test_no_row_is_begun_that_would_probably_end_too_late(tmp_path):
    page, rows, part = tmp_path / "probes.md", stored(tmp_path / "rows", "/"), part_of("a", "b", "c", "d")
    clock = count(0, 60)  # a minute for each question
    filled(part, part.names, rows, Minutes(4.0, lambda: next(clock)), page)
    assert rows.missing(part) == ("c", "d")


def one_short(low, high):
    return Short(median=(low + high) / 2, low=low, high=high, seconds=2.0, settled=True, engine="")


def test_what_half_a_minute_of_fio_says_is_held_against_each_interval():
    told = [(1, one_short(9, 11)), (2, one_short(11.5, 13)), (4, one_short(11, 12.5))]
    truths = [(0, 10.0), (3, 12.0)]
    row = against_long.judged("job", told, truths, [{}] * 6)
    assert row.tallies == (2, 3, 3)  # the median, 11, and the nearer of 10 and 12
    assert row.cells[1] == "3, 1 without a figure"
    assert row.cells[5] == "1.068"  # of 11.75, the median of the short ones
    assert row.cells[-2:] == ("2", "18.2 %")


def test_a_job_without_a_single_figure_is_still_to_be_measured():
    assert against_long.judged("job", [], [(0, 10.0)], [{}, {}]).failed
    assert ratio.judged("job", 2, [{}, {}]).failed


def test_what_is_refused_is_not_asked_thirty_times():
    with pytest.raises(EngineError, match="/proc"):
        short("commit-fdatasync", Path("/proc"), 1)


@given(st.floats(0.5, 2), st.floats(1, 1e6), st.floats(0.9, 1.1))
def test_what_drifts_one_way_cancels_out_of_a_round(times, figure, drift):
    steps = [figure * drift**at for at in range(4)]  # ABBA
    found = ratio.ratio([steps[0], steps[3]], [times * steps[1], times * steps[2]])
    assert found == pytest.approx(times)


@pytest.mark.loop
@needs_loop_devices
def test_a_killed_measurement_leaves_no_loop_device_no_mount_and_no_image(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from tools.probes.places import Ground;"
        "ground = Ground(Path(sys.argv[1]), 300 << 20); spot = ground.spot('ext4');"
        "print(spot.device, spot.folder, flush=True); time.sleep(600)"
    )
    before = set(mounts())
    child = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    device, mount = child.stdout.readline().split()
    backing = Path(f"/sys/block/{device}/loop/backing_file")
    assert backing.read_text().startswith(f"{tmp_path}/")
    assert Path(f"/sys/block/{device}/loop/dio").read_text() == "1\n"
    assert not any(mount in line for line in set(mounts()) - before)
    child.kill()
    child.wait()
    child.stdout.close()
    assert comes_to(lambda: not any(it.startswith(f"{tmp_path}/") for it in attached_images()))
    assert [one.name.startswith(PREFIX) for one in tmp_path.iterdir()] == [True]
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == []
    assert comes_to(lambda: clear(tmp_path) and not list(tmp_path.iterdir()))


def test_make_has_a_target_for_it():
    assert "-m tools.probes $(ARGS)" in (ROOT / "Makefile").read_text()
