"""Probes' reports against the files in golden/probe/; `--accept` writes them anew."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from fsadvisor.measure.probe import cost
from fsadvisor.measure.probe.jobs import JOBS, SUITES
from fsadvisor.measure.probe.result import Figure
from fsadvisor.pages.glyphs import width
from fsadvisor.pages.text import render
from fsadvisor.report import probe_figures, probe_page
from fsadvisor.report.probe_figures import amount, number, time_text
from fsadvisor.report.schema import schema
from tests.cases import each
from tests.paths import ROOT
from tests.report import probed

GOLDEN = Path(__file__).parent / "golden_probe"


def as_json(results, state="done"):
    return probe_figures.as_json(
        target="/srv/data",
        mount="/srv",
        jobs=[it.job for it in results],
        state=state,
        cost=probed.COST,
        findings=probed.FINDINGS,
        results=results,
    )


def text(*results):
    return "".join(render(probe_page.results(results, JOBS), margin=2))


def listing():
    costs = {JOBS["commit-fdatasync"]: cost.of(JOBS["commit-fdatasync"], 20)}
    ids = ("commit-fdatasync", "create-1")
    suites = {"some": (ids, cost.together(cost.of(JOBS[it], 20) for it in ids))}
    return render(probe_page.listing(costs, suites), margin=2)


REPORTS = {
    "commit.txt": lambda: text(probed.COMMIT),
    "ladder.txt": lambda: text(probed.LADDER),
    "ladder_on_a_loop.txt": lambda: text(probed.ON_A_LOOP),
    "ladder_on_a_loop.json": lambda: as_json((probed.ON_A_LOOP,)),
    "suite.txt": lambda: text(*probed.SUITE),
    "failed.txt": lambda: text(probed.FAILED),
    "hostile.txt": lambda: text(probed.HOSTILE),
    "suite.json": lambda: as_json(probed.SUITE),
    "hostile.json": lambda: as_json((probed.HOSTILE,), "cancelled"),
    "refused.json": lambda: as_json((), "refused"),
    "before.txt": lambda: "".join(
        render(
            (
                probe_page.about(6, "/srv/data"),
                *probe_page.cost(probed.COST),
                *probe_page.findings(probed.FINDINGS),
            ),
            margin=2,
        )
    ),
    "list.txt": lambda: "".join(listing()),
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_what_its_golden_file_says(name, accepting):
    written = REPORTS[name]()
    golden = GOLDEN / name
    if accepting:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(written, encoding="utf-8")
    assert written == golden.read_text(encoding="utf-8")


def test_every_golden_file_belongs_to_a_report():
    assert {file.name for file in GOLDEN.iterdir()} == set(REPORTS)


@each("name", [it for it in REPORTS if it.endswith(".txt")])
def test_text_fits_80_columns_and_shows_no_control_characters(name):
    lines = REPORTS[name]().split("\n")
    assert all(width(line) <= 80 for line in lines)
    assert all(line.isprintable() for line in lines)


@each("name", [it for it in REPORTS if it.endswith(".json")])
def test_json_is_of_the_published_shape(name):
    jsonschema.Draft202012Validator(schema("probe")).validate(json.loads(REPORTS[name]()))


def test_the_committed_schema_is_that_of_the_program():
    assert json.loads((ROOT / "docs" / "probe.schema.json").read_text()) == json.loads(json.dumps(schema("probe")))


def test_a_table_keeps_the_order_of_the_run_and_says_that_it_is_no_ranking():
    said = text(*probed.SUITE).rpartition("\n\n  In the order")
    table = said[0].rpartition("\n\n")[2].splitlines()
    assert [line.split()[0] for line in table] == [it.job for it in probed.SUITE]
    assert "question of its own" in "".join(said[2].split("\n"))


def test_what_limits_a_figure_stands_right_below_it():
    lines = text(probed.ON_A_LOOP).splitlines()
    figure = next(at for at, line in enumerate(lines) if line.startswith("  937 µs"))
    limits = next(at for at, line in enumerate(lines) if "waited for the processor" in line)
    assert limits <= figure + 3
    assert limits < next(at for at, line in enumerate(lines) if "latency" in line)


def test_a_part_that_did_not_settle_is_hatched_and_called_so():
    bar, data, journal, flush = text(probed.ON_A_LOOP).split("░", 1)[1].splitlines()[:4]
    assert (bar.count("╲"), bar.count("▓"), bar.count("█")) == (12, 0, 27)
    assert "not settled: hatched" in journal
    assert "not settled" not in data + flush


def test_flushes_are_told_with_the_devices_that_counted_them():
    said = " ".join(text(probed.ON_A_LOOP).split())
    assert "its flushes, counted at loop8: 620 µs" in said
    assert "of these, counted at vda: 25 µs" in said
    assert "1.00 per operation at loop8; below that 2.00 per operation at vda" in said
    more = structs.replace(probed.ON_A_LOOP, flushes_at=("sda", "sdb", "sdc"), disks=("sda", "sdb", "sdc"))
    assert "its flushes, counted at sda and 2 more, the slowest: 620 µs" in " ".join(text(more).split())


def test_more_flushing_below_than_above_is_no_part_of_it():
    """Somebody else flushes the disk meanwhile: both counts are shown, and none is taken for a part of the other."""
    busy = probed.ON_A_LOOP.parts_us | {"flush_disks": Figure(median=700.0, low=690.0, high=710.0, windows=9)}
    said = " ".join(text(structs.replace(probed.ON_A_LOOP, parts_us=busy)).split())
    assert "with those of others, counted at vda: 700 µs" in said


def test_two_medians_are_told_apart():
    said = " ".join(text(probed.ON_A_LOOP).split())
    assert "median of the windows' medians, 95 % interval 905 µs to 969 µs" in said
    assert "latency of all 488 syncs together: p50 911 µs" in said


def test_a_figure_of_nothing_is_a_figure():
    assert "0 µs per operation" in text(probed.EMPTY)


@given(st.lists(st.floats(0.001, 1e6), min_size=1, max_size=6))
def test_the_cells_of_a_bar_are_all_used(parts):
    whole = sum(parts)
    cells = probe_page.whole_cells([part / whole for part in parts])
    assert sum(cells) == probe_page.BAR
    assert all(abs(one - part / whole * probe_page.BAR) < 1 + 1e-6 for one, part in zip(cells, parts, strict=True))


@each(
    ("value", "words"),
    [(0, "0"), (0.123456, "0.123"), (4.7149, "4.71"), (99.96, "100"), (289.4, "289"), (60649, "60,600")],
)
def test_three_digits_of_a_number_count(value, words):
    assert number(value) == words


@each(("us", "words"), [(0, "0 µs"), (289.4, "289 µs"), (12_480, "12.5 ms"), (2.5e6, "2.5 s")])
def test_times_are_told_in_the_unit_that_people_read(us, words):
    assert time_text(us) == words


def test_rates_are_told_in_powers_of_ten():
    assert [amount("BYTES_PER_S", it) for it in (0, 999, 1_500, 2.626e9)] == [
        "0 B/s",
        "999 B/s",
        "1.5 kB/s",
        "2.63 GB/s",
    ]


def test_every_suite_is_on_the_command_line():
    from fsadvisor.arguments_measure import SUITES as NAMES

    assert set(NAMES) == set(SUITES)


@each(
    ("slowest", "width", "verdict"),
    [
        (10_000.0, 0.0, "etcd: yes"),
        (10_001.0, 0.0, "etcd: no"),
        (9_700.0, 0.05, "etcd: not known"),
        (10_300.0, 0.05, "etcd: not known"),
        (10_600.0, 0.05, "etcd: no"),
        (8_520.0, 1.2, "etcd: not known"),
        (4_000.0, 1.2, "etcd: yes"),
    ],
)
def test_a_commit_is_held_against_what_a_program_asks_for(slowest, width, verdict):
    figure = Figure(median=8_000.0, low=8_000.0 * (1 - width), high=8_000.0 * (1 + width), windows=9)
    report = text(probed.result("commit-fdatasync", figure=figure, percentiles_us={"p50": 8_000.0, "p99": slowest}))
    told = " ".join(report.split())
    assert verdict in told
    assert "125 times a second" in told
    assert "20 ms are normal for a hard disk" in told


@pytest.mark.parametrize("job", ["fsync-ladder", "commit-dsync"])
def test_other_probes_tell_nothing_of_programs(job):
    assert "etcd" not in text(probed.result(job, percentiles_us={"p50": 8_000.0, "p99": 9_000.0}))
