"""contrib/fleet.sql over the lines of many hosts, by DuckDB."""

import datetime as dt
import json

import pytest

from tests.command import in_text
from tests.paths import FIXTURES, ROOT

SQL = (ROOT / "contrib/fleet.sql").read_text()
MONDAY = dt.datetime(2026, 11, 16, 5, tzinfo=dt.UTC)


def stamped(rows, host, when):
    """A machine's lines as if a host of that name had printed them then."""
    for row in rows:
        yield {**row, "host": host, "id": f"id-{host}", "time": when.strftime("%Y-%m-%dT%H:%M:%SZ")}


def lines_of(name):
    told = in_text("--on", FIXTURES / "machines" / name, "--json=lines").stdout
    return [json.loads(line) for line in told.splitlines()]


@pytest.fixture(scope="module")
def printed():
    return {name: lines_of(name) for name in ("ext4-nobarrier", "xfs-logbsize", "raid-lvm-crypt-server")}


@pytest.fixture
def fleet(tmp_path):
    duckdb = pytest.importorskip("duckdb")

    def opened(*reports):
        for number, rows in enumerate(reports):
            (tmp_path / f"{number}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        database = duckdb.connect()
        database.execute(f"SET VARIABLE reports = '{tmp_path}/*.jsonl'")
        database.execute(SQL)
        return lambda query: database.execute(query).fetchall()

    return opened


def test_the_newest_report_of_each_host_says_who_has_which_risk(fleet, printed):
    monday, friday = MONDAY, MONDAY + dt.timedelta(days=4)
    ask = fleet(
        stamped(printed["ext4-nobarrier"], "a", monday),
        stamped(printed["xfs-logbsize"], "a", friday),
        stamped(printed["ext4-nobarrier"], "b", monday),
    )
    at_risk = ask("SELECT host FROM risks WHERE rule = 'nobarrier-unproven'")
    assert at_risk == [("b",)]
    assert ask("SELECT count(DISTINCT host) FROM latest") == [(2,)]


def test_what_to_do_first_begins_with_the_gravest_and_then_with_what_most_hosts_have(fleet, printed):
    hosts = [stamped(printed["ext4-nobarrier"], host, MONDAY) for host in "abc"]
    ask = fleet(*hosts, stamped(printed["raid-lvm-crypt-server"], "d", MONDAY))
    found = ask("SELECT severity, rule, hosts, findings FROM first_to_do")
    grave = ["critical", "high", "moderate", "low"]
    assert [grave.index(row[0]) for row in found] == sorted(grave.index(row[0]) for row in found)
    also = [row for row in printed["raid-lvm-crypt-server"] if row.get("rule") == "nobarrier-unproven"]
    assert ("critical", "nobarrier-unproven", 4, 3 + len(also)) in found
    direct = {(row["rule"]) for row in printed["raid-lvm-crypt-server"] if row.get("counts") and "behind" not in row}
    assert {row[1] for row in found} == direct | {"nobarrier-unproven"}


def test_what_is_new_since_a_week_is_held_against_the_report_of_then_and_survives_a_renaming(fleet, printed):
    week = dt.timedelta(days=7)
    (known,) = (row for row in printed["ext4-nobarrier"] if row.get("counts"))
    named = [{**row, "stable": "x"} if row == known else row for row in printed["ext4-nobarrier"]]
    moved = [{**row, "subject": "filesystem:/dev/sdz"} if row.get("stable") else row for row in named]
    ask = fleet(
        stamped(printed["xfs-logbsize"], "a", MONDAY),
        stamped(printed["ext4-nobarrier"], "a", MONDAY + week),
        stamped(named, "renamed", MONDAY),
        stamped(moved, "renamed", MONDAY + week),
        stamped(printed["ext4-nobarrier"], "first-report", MONDAY + week),
    )
    assert ask("SELECT host, rule FROM new_since(7)") == [("a", "nobarrier-unproven")]


def test_drives_are_counted_by_model_and_firmware_with_what_is_found_on_them(fleet, printed):
    disk = {"schema": "fsadvisor/lines/1", "what": "disk", "machine": "m", "model": "EXAMPLE", "firmware": "1.0"}
    finding = {"schema": "fsadvisor/lines/1", "what": "finding", "machine": "m", "rule": "r", "severity": "high"}
    head = {"schema": "fsadvisor/lines/1", "what": "machine", "machine": "m", "version": "1", "undetermined": 0}
    rows = [
        head, {**disk, "subject": "disk:sda", "plp": "proven"}, {**disk, "subject": "disk:sdb", "plp": "unknown"},
        {**finding, "subject": "disk:sdb", "counts": True}, {**finding, "subject": "disk:sda", "counts": False},
    ]  # fmt: skip
    ask = fleet(stamped(rows, "a", MONDAY), stamped(rows, "b", MONDAY))
    assert ask("SELECT model, firmware, drives, hosts, plp, findings FROM drives") == [
        ("EXAMPLE", "1.0", 4, 2, "proven, unknown", 2)
    ]


def test_hosts_whose_green_is_not_to_be_believed_are_named(fleet, printed):
    blind = [{**printed["xfs-logbsize"][0], "could_not_look": "no block device and no mount was seen"}]
    calm = [{**printed["xfs-logbsize"][0], "undetermined": 0}]
    ask = fleet(
        stamped(blind, "blind", MONDAY),
        stamped(calm, "calm", MONDAY),
        stamped(calm, "silent", MONDAY - dt.timedelta(days=30)),
    )
    assert ask("SELECT host FROM unseen") == [("blind",), ("silent",)]


@pytest.mark.long
def test_ten_thousand_hosts_are_answered(fleet, printed):
    names = list(printed)
    ask = fleet(*(stamped(printed[names[at % 3]], f"host{at}", MONDAY) for at in range(10_000)))
    assert ask("SELECT count(DISTINCT host) FROM latest") == [(10_000,)]
    assert ask("SELECT max(hosts) FROM first_to_do")[0][0] >= 3_333
