"""`fsadvisor diff`: what is new since a report, a recording or the last look."""

import datetime as dt
import json
import os

import pytest

from fsadvisor.report import difference, history
from fsadvisor.report.as_json import as_json
from fsadvisor.report.model import Provenance
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from tests.command import in_text
from tests.paths import FIXTURES
from tests.report import composed

MACHINES = FIXTURES / "machines"
CALM, RISKY = MACHINES / "xfs-logbsize", MACHINES / "ext4-nobarrier"
RULES = own_rulebook().rules
HIGH = ("critical", "high")
REPORT = '{"schema":"%s","machine":{},"summary":{},"subjects":[],"verdicts":[]}'


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """The same machine before and after: two reports that differ by a cache that was switched off."""
    folder = tmp_path_factory.mktemp("reports")
    for name in ("volatile", "no-volatile"):
        told = in_text("--on", MACHINES / f"pm9a3-postgresql-{name}", "--json").stdout
        (folder / f"{name}.json").write_text(told)
    return folder / "volatile.json", folder / "no-volatile.json"


def side(storage):
    about = Provenance(version="1", root=True)
    return difference.side_of(b"".join(as_json(storage, advise(storage, RULES), about)))


def on_host(*disks, **host):
    on = composed.host(**host)
    return side(composed.machine("x", on, *(composed.disk(name, on, **facts) for name, facts in disks)))


def compared(old, new, grave=HIGH):
    return difference.difference(old, new, RULES, grave, ("old", "new"))


def test_a_finding_that_is_gone_is_told_with_the_facts_that_decided_it(reports):
    ran = in_text("diff", *reports)
    assert ran.returncode == 0
    assert "Gone: 1 finding" in ran.stdout
    assert "write_cache: write back -> write through" in ran.stdout


def test_json_has_the_same_in_the_published_shape(reports):
    found = json.loads(in_text("diff", *reports, "--json").stdout)
    assert (found["schema"], found["findings_compared"]) == (difference.SCHEMA, True)
    (gone,) = found["findings"]
    assert (gone["mark"], gone["rule"], gone["counts"]) == ("gone", "flushes-on-protected-nvme", False)
    assert {fact["fact"] for fact in gone["facts"]} == {"disk.write_cache", "disk.flush_time_percent"}


def test_a_severity_that_is_none_is_told_with_its_place(reports, tmp_path):
    report = json.loads(reports[0].read_text())
    report["verdicts"][0]["severity"] = "\x1b[31mhigh"
    (tmp_path / "hostile.json").write_text(json.dumps(report))
    ran = in_text("diff", reports[0], tmp_path / "hostile.json")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "no report that `fsadvisor --json` prints" in ran.stderr
    assert "`$.verdicts[" in ran.stderr


def test_a_report_and_its_recording_are_alike(reports):
    ran = in_text("diff", reports[0], MACHINES / "pm9a3-postgresql-volatile")
    assert ran.returncode == 0
    assert ran.stdout.split()[-6:] == ["findings:", "as", "before;", "0", "facts", "changed."]


@pytest.mark.parametrize(("level", "status"), [("low", 1), ("never", 0)])
def test_advice_that_is_new_exits_with_1_where_it_is_grave_enough(level, status):
    assert in_text("diff", CALM, RISKY, "--fail-on", level).returncode == status
    assert in_text("diff", RISKY, RISKY, "--fail-on", level).returncode == 0


def test_advice_that_was_waived_and_is_not_any_more_counts_and_the_other_way_round_it_does_not():
    said = history.Said("advise", "high", "a title")
    waived = history.Said("advise", "high", "a title", waived=True)
    sides = [difference.ReportSide(facts={"host": {}}, findings={"host": {"a-rule": one}}) for one in (waived, said)]
    assert [one.counts for one in compared(*sides).findings] == [True]
    assert [one.counts for one in compared(*reversed(sides)).findings] == [False]


def test_a_finding_on_disks_that_could_not_be_listed_is_not_gone_but_not_told():
    said = {"disk:sda": {"a-rule": history.Said("advise", "high", "a title")}}
    old = difference.ReportSide(facts={"host": {"host.block_devices": 1}, "disk:sda": {}}, findings=said)
    blind = difference.ReportSide(facts={"host": {}}, findings={})
    seeing = difference.ReportSide(facts={"host": {"host.block_devices": 0}}, findings={})
    assert [(one.mark.value, one.now.verdict) for one in compared(old, blind).findings] == [("changed", "undetermined")]
    assert [one.mark.value for one in compared(old, seeing).findings] == ["gone"]


def test_facts_of_other_disks_do_not_stand_below_a_finding():
    (rule,) = (one for one in RULES if one.id == "drive-failing")
    name = rule.checks[0].expression.names[0]
    told, other = {name: True}, {name: False}
    said = {"disk:sda": {rule.id: history.Said("advise", rule.severity, rule.title)}}
    old = difference.ReportSide(facts={"host": {}, "disk:sda": told, "disk:sdb": told}, findings={})
    new = difference.ReportSide(facts={"host": {}, "disk:sda": other, "disk:sdb": other}, findings=said)
    (found,) = compared(old, new).findings
    assert [(one.subject, one.fact) for one in found.facts] == [("disk:sda", name)]


def test_a_new_side_that_nobody_could_look_at_is_no_green(tmp_path, reports):
    (tmp_path / "version.txt").write_text("sosreport: 4.8\n")
    (tmp_path / "sos_commands").mkdir()
    ran = in_text("diff", reports[0], tmp_path)
    assert ran.returncode == 5
    assert "could not look: no block device and no mount was seen" in ran.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "no report that"),
        ('{"schema":"x"}', "no report that"),
        (REPORT % "fsadvisor/plan/1", "a document 'fsadvisor/plan/1', not fsadvisor/report/1 or fsadvisor/report/2"),
    ],
)
def test_a_file_that_is_no_report_is_one_clear_line(tmp_path, text, says):
    file = tmp_path / "old.json"
    file.write_text(text)
    ran = in_text("diff", file, CALM)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert says in ran.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root's last look is the machine's own")
def test_where_no_last_look_is_kept_that_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert "no last look is kept" in in_text("diff", "last").stderr


def test_the_last_look_keeps_its_findings():
    on = composed.host()
    storage = composed.machine("x", on, composed.disk("sda", on, smart_passed=False))
    then = dt.datetime(2026, 11, 20, tzinfo=dt.UTC)
    kept = history.gist_of(history.text_of(history.gist("here", storage, then, advise(storage, RULES))))
    last = difference.ReportSide(facts=kept.facts, findings=kept.findings)
    found = compared(last, side(storage))
    assert found.findings_compared
    assert found.findings == ()
    assert kept.findings["disk:sda"]


def test_a_last_look_of_before_findings_were_kept_still_tells_of_facts():
    text = b'{"schema":"fsadvisor/seen/1","machine":"","when":"2026-11-20T00:00:00Z","subjects":{"host":{}}}'
    kept = history.gist_of(text)
    assert kept.findings is None
    old = difference.ReportSide(facts=kept.facts, findings=kept.findings)
    told = "".join(difference.as_text(compared(old, on_host())))
    assert "findings: not kept then" in told
