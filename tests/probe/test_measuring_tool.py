"""What `make measure` writes and in which order it runs; its figures take hours and are not made here."""

import os
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.probe.jobs import JOBS, SUITES
from tests.paths import ROOT
from tests.probe.filesystems import needs_fio
from tools.probes.__main__ import JOBS as MEASURED
from tools.probes.against_long import order
from tools.probes.alone import alone
from tools.probes.page import TITLES, put, table
from tools.probes.short import Short


@given(st.integers(1, 60), st.integers(1, 9))
def test_every_run_has_its_turn_and_a_long_one_is_first(shorts, longs):
    runs = list(order(shorts, longs))
    assert (runs.count(False), runs.count(True)) == (shorts, longs)
    assert runs[0]


def test_long_runs_stand_at_both_ends_and_between():
    assert "".join("sL"[one] for one in order(6, 3)) == "LsssLsssL"


def test_a_part_that_is_run_again_takes_the_place_of_its_section_and_leaves_the_others(tmp_path):
    page = tmp_path / "probes.md"
    for part, text in (("kills", "none left"), ("long", "old"), ("long", "new")):
        put(page, part, text, "/")
    said = page.read_text()
    assert [line[3:] for line in said.splitlines() if line.startswith("## ")] == [TITLES["long"], TITLES["kills"]]
    assert "old" not in said
    assert "none left" in said
    assert f"Linux {os.uname().release}" in said


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
@pytest.mark.parametrize("job", ["commit-fdatasync", "commit-dsync-append", "random-read-32", "write-direct"])
def test_fio_alone_gives_a_figure_and_leaves_nothing(tmp_path, job):
    small = replace(JOBS[job], work=replace(JOBS[job].work, file_bytes=4 << 20))
    with alone(small, tmp_path) as fio:
        assert fio.figure(0.2) > 0
    assert list(tmp_path.iterdir()) == []


def test_make_has_a_target_for_it():
    assert "-m tools.probes $(ARGS)" in (ROOT / "Makefile").read_text()
