"""The report for programs."""

import functools
import json
import math
import shutil
import subprocess
import tracemalloc

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsadvisor.arguments import DOCUMENTS
from fsadvisor.facts import Known
from fsadvisor.report import model
from fsadvisor.report.as_json import as_json
from fsadvisor.report.schema import schema, schema_text
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, SILENT
from fsadvisor.storage import Disk
from tests.cases import each
from tests.report import composed

MACHINES = {"busy": composed.busy, "hostile": composed.hostile, "empty": composed.empty, "blind": composed.blind}


@functools.cache
def validator():
    return jsonschema.Draft202012Validator(schema())


def written(storage, about=composed.ABOUT, *, every=False):
    return b"".join(as_json(storage, advise(storage, composed.rules(), every=every), about)).decode()


def one_disk(**facts):
    on = composed.host()
    return composed.machine("one", on, composed.disk("sda", on, **facts))


def facts_of(report, subject_id):
    return next(subject["facts"] for subject in report["subjects"] if subject["id"] == subject_id)


def unknown_of(report, subject_id):
    """Why facts of a subject are not known."""
    unknown = next(subject["unknown"] for subject in report["subjects"] if subject["id"] == subject_id)
    return {name: report["unknown"][at] for name, at in unknown.items()}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("every", [False, True])
def test_a_report_passes_a_validator_that_is_not_ours(machine, every):
    about = model.Provenance(version="1", root=None, rule_errors=composed.BROKEN)
    report = json.loads(written(MACHINES[machine](), about, every=every))
    validator().validate(report)


@each("machine", MACHINES)
def test_a_report_reads_back_into_the_types_that_it_was_made_of(machine):
    text = written(MACHINES[machine]())
    report = msgspec.json.decode(text, type=model.Report)
    assert len(report.subjects) == len(MACHINES[machine]().subjects)
    calling = [verdict for verdict in report.verdicts if verdict.verdict in CALLS_FOR_ACTION]
    ranks = [verdict.rank[:-1] for verdict in calling]
    assert report.verdicts[: len(calling)] == tuple(calling)
    assert ranks == sorted(ranks)


def test_jq_finds_the_rules_that_advise():
    jq = shutil.which("jq")
    if jq is None:
        pytest.skip("jq is not installed")
    query = '.verdicts[] | select(.verdict=="advise") | .rule'
    found = subprocess.run([jq, "-r", query], input=written(composed.hostile()), text=True, capture_output=True)
    assert found.returncode == 0
    assert set(found.stdout.split()) == {"barriers-off", "flush-to-protected-cache"}


def test_each_subject_and_each_verdict_stands_on_its_own_line():
    storage = composed.busy()
    verdicts = advise(storage, composed.rules())
    lines = b"".join(as_json(storage, verdicts, composed.ABOUT)).decode().splitlines()
    items = [json.loads(line.removesuffix(",")) for line in lines if line.startswith('{"rule"') and "truths" in line]
    assert len(items) == sum(one.outcome not in SILENT for one in verdicts)
    assert len([line for line in lines if line.startswith('{"id":') and '"below":' in line]) == len(storage.subjects)


@each("document", DOCUMENTS)
def test_a_schema_is_the_same_text_each_time_and_by_each_python(document):
    assert schema_text(document) == schema_text(document)
    assert json.loads(schema_text(document))["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    # Python 3.13 takes the indentation of docstrings away, older ones do not.
    assert r"\n " not in schema_text(document)


@each(
    "spoil",
    [
        lambda report: report.update(host_name="x"),
        lambda report: report["subjects"][0].update(serial="x"),
        lambda report: report["verdicts"][0].update(score=1),
        lambda report: facts_of(report, "host").update({"host.x": {"source": ""}}),
        lambda report: facts_of(report, "host").update({"host.x": None}),
        lambda report: report["unknown"][0].update(cause="lost"),
        lambda report: report["verdicts"][0]["truths"].append("maybe"),
        lambda report: report.update(schema="fsadvisor/report/1"),
    ],
)
def test_the_schema_refuses_what_is_not_in_it(spoil):
    report = json.loads(written(composed.busy()))
    spoil(report)
    with pytest.raises(jsonschema.ValidationError):
        validator().validate(report)


def test_a_byte_that_is_no_utf8_is_told_by_four_characters_that_every_parser_takes():
    report = msgspec.json.decode(written(one_disk(model="caf\udce9 \ud800")))
    assert facts_of(report, "disk:sda")["disk.model"] == "caf\\xe9 \\ud800"


def test_control_characters_come_back_as_they_were_and_never_stand_in_the_text():
    model_name = "\x1b[31m\x7f\x9b\u202e\u200b\u2028\U000e0041é漢"
    text = written(one_disk(model=model_name))
    assert facts_of(json.loads(text), "disk:sda")["disk.model"] == model_name
    assert all(line.isprintable() for line in text.split("\n"))
    assert "é漢" in text


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_has_no_word_for_is_not_known(number):
    on = composed.host(io_full_avg60_percent=number)
    fact = unknown_of(json.loads(written(composed.machine("m", on))), "host")["host.io_full_avg60_percent"]
    assert fact == {"cause": "unreadable", "learn": ""}


def test_a_size_beyond_64_bits_stays_exact():
    report = json.loads(written(one_disk(size_bytes=2**70)))
    assert facts_of(report, "disk:sda")["disk.size_bytes"] == 2**70


def test_facts_that_make_no_sense_for_a_subject_are_left_out_and_unknown_ones_are_not():
    report = json.loads(written(one_disk()))
    facts, unknown = facts_of(report, "disk:sda"), unknown_of(report, "disk:sda")
    assert "disk.capacitor_health" not in {**facts, **unknown}
    assert unknown["disk.fua"] == {"cause": "not_exposed", "learn": ""}
    assert "disk.fua" not in facts


def test_where_facts_come_from_is_told_where_all_evidence_is_asked_for():
    storage = one_disk()
    (short, full) = (
        json.loads(b"".join(as_json(storage, advise(storage, composed.rules()), composed.ABOUT, sources=sources)))
        for sources in (False, True)
    )
    assert not any("sources" in subject for subject in short["subjects"])
    for subject in full["subjects"]:
        assert {name for names in subject.pop("sources").values() for name in names} == set(subject["facts"])
        validator().validate(full)
    assert full == short


def test_every_fact_that_a_rule_asks_is_found_through_its_subject():
    report = json.loads(written(composed.busy()))
    rules = {rule["id"]: rule for rule in report["rules"]}
    subjects = {subject["id"]: subject for subject in report["subjects"]}
    for verdict in report["verdicts"]:
        subject = subjects[verdict["subject"]]
        own = {name.partition(".")[0] for name in (*subject["facts"], *subject["unknown"])}
        for ask in rules[verdict["rule"]]["asks"][: len(verdict["truths"])]:
            kinds = {name.partition(".")[0] for name in ask["facts"]}
            assert kinds <= {*own, "host", *subject.get("scope", ())}
    assert subjects["mount:/srv"]["scope"].keys() >= {"filesystem"}


def test_a_mount_leads_to_its_filesystem_instead_of_repeating_its_facts():
    subjects = {subject["id"]: subject for subject in json.loads(written(composed.busy()))["subjects"]}
    mount = subjects["mount:/srv"]
    assert {name.partition(".")[0] for name in mount["facts"]} == {"mount"}
    (filesystem,) = (subjects[below] for below in mount["below"])
    assert {name.partition(".")[0] for name in filesystem["facts"]} == {"filesystem", "below"}


def test_the_summary_counts_what_the_verdicts_say():
    report = json.loads(written(composed.busy()))
    outcomes = [verdict["verdict"] for verdict in report["verdicts"]]
    outcomes += [one["verdict"] for one in report["passed"] for _ in one["subjects"]]
    assert {outcome: number for outcome, number in report["summary"]["verdicts"].items() if number} == {
        outcome: outcomes.count(outcome) for outcome in set(outcomes)
    }
    assert report["summary"]["highest"] == "critical"
    assert report["summary"]["incomplete"] is True


def test_undetermined_verdicts_tell_their_causes():
    report = json.loads(written(composed.busy()))
    (verdict,) = (one for one in report["verdicts"] if one["subject"] == "disk:nvme21n1")
    assert verdict["verdict"] == "undetermined"
    (rule,) = (one for one in report["rules"] if one["id"] == verdict["rule"])
    told = dict(zip((ask["expr"] for ask in rule["asks"]), verdict["truths"], strict=False))
    assert "unknown" in {truth for expr, truth in told.items() if "disk.write_cache" in expr}
    unknown = unknown_of(report, "disk:nvme21n1")["disk.write_cache"]
    assert unknown == {"cause": "no_tool", "learn": "install nvme-cli"}


def test_commands_stand_only_where_nothing_is_in_the_way():
    for verdict in json.loads(written(composed.busy()))["verdicts"]:
        remedy = verdict.get("remedy")
        assert bool(remedy and remedy["now"]) is (verdict["verdict"] == "advise")
        assert bool(remedy and remedy["no_commands"]) is (verdict["verdict"] in ("withheld", "blocked"))


def written_size_and_peak(disks):
    """Characters of the report on so many disks, and the memory that writing it took at most."""
    storage = composed.many(disks)
    verdicts = advise(storage, composed.rules())
    tracemalloc.start()
    size = sum(len(piece) for piece in as_json(storage, verdicts, composed.ABOUT))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return size, peak


def test_a_mount_names_its_own_filesystem_for_what_is_below_though_another_stands_on_the_same():
    on = composed.host()
    first, second = (composed.mounted("sda", point, on) for point in ("/srv", "/var"))
    filesystem, mount = (replace(it, scope={**it.scope, "below": first[0].scope["below"]}) for it in second)
    root = replace(filesystem, id="filesystem:/dev/sda2"), replace(mount, below=("filesystem:/dev/sda2",))
    for order in ((*first, *root), (*root, *first)):
        report = json.loads(written(composed.machine("alike", on, *order)))
        scopes = {each["id"]: each["scope"] for each in report["subjects"] if each["kind"] == "mount"}
        assert {name: set(scope.values()) for name, scope in scopes.items()} == {
            "mount:/srv": {"filesystem:/dev/sda"},
            "mount:/var": {"filesystem:/dev/sda2"},
        }


@pytest.mark.long
def test_memory_stays_flat_while_a_report_of_megabytes_is_written():
    written_size_and_peak(1)  # what is made once stays out of the comparison
    size, peak = written_size_and_peak(1200)
    assert size > 5_000_000
    assert peak < size / 10


@given(st.text(st.characters(exclude_categories=())), st.text(st.characters(exclude_categories=())))
def test_any_text_gives_json_without_control_characters(name, label):
    on = composed.host()
    disk = composed.subject("disk", name, disk=composed.known(Disk, label, model=name, plp_evidence=(label,)), host=on)
    text = written(composed.machine(label, on, disk))
    assert all(line.isprintable() for line in text.split("\n"))
    validator().validate(msgspec.json.decode(text))
    assert isinstance(disk.scope["disk"].model, Known)
