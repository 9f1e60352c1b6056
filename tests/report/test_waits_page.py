"""Accounts of where the time goes against the files in golden_waits/; `--accept` writes them anew."""

import json
from pathlib import Path

import jsonschema
import pytest
from msgspec.structs import replace

from fsadvisor.facts import Known
from fsadvisor.measure.waits.sentence import account
from fsadvisor.measure.waits.window import Locks, window
from fsadvisor.pages.glyphs import width
from fsadvisor.pages.text import render
from fsadvisor.readers import kernel_traces
from fsadvisor.report import waits_json, waits_page
from fsadvisor.report.schema import schema
from tests.cases import each
from tests.paths import FIXTURES
from tests.waits.made import DIRECTORY, NOT_KNOWN, disk, look, moment, stat, syncing

GOLDEN = Path(__file__).parent / "golden_waits"
WHEN = "2026-11-22T01:40:00+00:00"
HOSTILE = "\x1b[31mred\nline`$(x)\u202e"


def locks():
    read = kernel_traces.parse_perf_lock((FIXTURES / "outputs/perf_lock/directory.out").read_text())
    return Known(Locks(waiting=1.9134, spinning=0.0041, locks=read.locks), "perf lock contention")


def contended():
    """Fifty threads that make files in one directory, and a disk that has little to do."""
    xfs = "log {0} {0} {1} {0} {0}\npush_ail {0} {1} 0 0 0 0 0 0 0 0\n"
    btrfs = "commits {}\ntotal_commit_ms {}\n"
    before = moment(
        0.0, disk() + disk("sdb", number=16), stat(), xfs={"sdb1": xfs.format(7, 1)}, btrfs={"u-u": btrfs.format(1, 1)}
    )
    after = moment(
        5.0,
        disk(writes=90, write_ms=30, busy_ms=40, queue_ms=30, flushes=4, flush_ms=3) + disk("sdb", number=16),
        stat(120, 880),
        cpu_us=300_000,
        xfs={"sdb1": xfs.format(900, 4)},
        btrfs={"u-u": btrfs.format(3, 901)},
    )
    looks = [look(at / 20, ("worker",) * (at % 2), [("worker", DIRECTORY)] * 12) for at in range(100)]
    return window(before, after, looks, locks())


def unknown():
    """An ordinary user in a container, whose kernel tells little."""
    before, after = (moment(at, stat=NOT_KNOWN, diskstats=NOT_KNOWN, pressure=NOT_KNOWN) for at in (0.0, 5.0))
    return window(before, after, [look(unknown=NOT_KNOWN)])


def hostile():
    """A process that calls itself what would harm a terminal, and a disk with too long a name."""
    name = "cciss/c0d0p-of-a-very-long-name"
    before, after = (
        moment(0.0, disk(name), stat()),
        moment(4.0, disk(name, 10, 5, 3900, 9000), stat(400, 400), io_us=3_000_000),
    )
    looks = [look(at / 20, (HOSTILE,), [(HOSTILE, None)]) for at in range(50)]
    return window(before, after, looks)


WINDOWS = {"syncing": syncing, "contended": contended, "unknown": unknown, "hostile": hostile}


def accounted(name):
    target = HOSTILE if name == "hostile" else "/srv" if name == "syncing" else ""
    return account(WINDOWS[name](), WHEN, target, notes=("Processors are the whole machine's.",) if target else ())


def written(account):
    return "".join(render(waits_page.document(account), margin=0))


def reports():
    for name in WINDOWS:
        yield f"{name}.txt", lambda name=name: written(accounted(name))
        yield f"{name}.json", lambda name=name: waits_json.as_json(accounted(name))


REPORTS = dict(reports())


@pytest.mark.parametrize("name", REPORTS)
def test_an_account_is_as_kept(name, accepting):
    text = REPORTS[name]()
    file = GOLDEN / name
    if accepting:
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


@each("name", [name for name in REPORTS if name.endswith(".txt")])
def test_lines_are_as_wide_as_a_terminal_and_show_no_control_characters(name):
    for line in REPORTS[name]().split("\n"):
        assert width(line) <= 80, line
        assert line.isprintable()


@pytest.mark.parametrize("name", WINDOWS)
def test_what_is_printed_as_json_is_of_the_published_shape(name):
    found = json.loads(waits_json.as_json(accounted(name)))
    jsonschema.Draft202012Validator(schema("waits")).validate(found)
    assert found["sentences"]


def test_what_is_not_known_is_said_with_its_cure_and_never_as_a_number():
    text = REPORTS["unknown.txt"]()
    assert "It cannot be told where the time goes." in text
    assert "Processors  not known: denied" in text
    assert "0 %" not in text.partition("Processors")[2].partition("Pressure")[0]


def test_without_perf_locks_are_not_said_to_be_free():
    assert "Locks       not known: run `fsadvisor waits --locks`" in REPORTS["syncing.txt"]()


def test_shares_are_round_where_they_are_large_and_never_nothing_where_they_are_not():
    assert [waits_page.percent(one) for one in (0, 0.0001, 0.0123, 0.5, 1)] == [
        "0 %",
        "< 0.1 %",
        "1.2 %",
        "50 %",
        "100 %",
    ]


def test_a_commit_that_began_before_the_window_is_not_said_to_have_filled_it():
    text = "commits {}\ntotal_commit_ms {}\n"
    before, after = (moment(at, btrfs={"u": text.format(*told)}) for at, told in ((0.0, (3, 100)), (5.0, (4, 30_100))))
    told = account(window(before, after, ()), "2026-11-22T01:40:00+00:00")
    assert "100 % of the time at most" in " ".join(written(told).split())


def test_a_window_during_a_probe_names_it():
    told = replace(accounted("syncing"), job="commit-fdatasync")
    assert "while the probe commit-fdatasync ran" in " ".join(written(told).split())
