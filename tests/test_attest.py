"""`fsadvisor attest` and `waive` from the command line, and what a waiver does to the report and the exit status."""

import datetime as dt
import json
import tomllib

import jsonschema
import pytest
from msgspec import structs

from fsadvisor.attestation import TERMS, a_year_after, accepted_until
from fsadvisor.machine.kept_files import ATTESTATIONS, WithFile
from fsadvisor.machine.recorded import RecordedMachine
from fsadvisor.report.as_json import as_json
from fsadvisor.report.as_text import as_text
from fsadvisor.report.model import Provenance
from fsadvisor.report.schema import schema_text
from fsadvisor.rulebook.advise import advise, with_fitting_waivers
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.survey.whole import survey
from tests.command import in_text
from tests.paths import FIXTURES

MACHINE = FIXTURES / "machines" / "ext4-nobarrier"
SUBJECT = "filesystem:/dev/loop0"
RULES = own_rulebook().rules


@pytest.fixture
def file(tmp_path):
    return tmp_path / "attest.toml"


def run(file, *argv):
    return in_text("--on", MACHINE, "--attestations", file, *argv)


def attest(file, *argv):
    return run(file, "attest", *argv, "--by", "Jo Doe", "--link", "https://example.com/runbook")


def waive(file, *argv):
    return run(file, "waive", "nobarrier-unproven", SUBJECT, "--because", "scratch", "--until", "2099-01-01", *argv)


def seen(text):
    """The recorded machine with these attestations: its storage and verdicts."""
    storage = with_fitting_waivers(
        survey(WithFile(RecordedMachine(MACHINE), ATTESTATIONS, text, ATTESTATIONS), {}), RULES
    )
    return storage, advise(storage, RULES)


def waiver(rule="nobarrier-unproven", subject=SUBJECT, until="2026-12-31"):
    return f"""[[waiver]]
rule = "{rule}"
subject = "{subject}"
by = "Jo"
on = 2026-01-01
until = {until}
because = "a scratch disk"
"""


def text_of(text):
    storage, verdicts = seen(text)
    return " ".join("".join(as_text(storage, verdicts, Provenance(version="x", root=True), full=True)).split())


def json_of(text):
    storage, verdicts = seen(text)
    document = json.loads(b"".join(as_json(storage, verdicts, Provenance(version="x", root=True))))
    jsonschema.validate(document, json.loads(schema_text()))
    return document


def test_what_is_attested_is_written_told_and_listed(file):
    done = attest(file, "filesystem.runbook", "/dev/loop0")
    assert (done.returncode, done.stdout) == (0, "")
    assert f"written to {file}: attestation filesystem.runbook of {SUBJECT}, by Jo Doe, until" in done.stderr
    listed = run(file, "attest").stdout
    assert f"1 entry in {file}, 0 ignored" in " ".join(listed.split())
    assert f"filesystem.runbook of {SUBJECT} = yes" in listed
    assert "yes (attested by Jo Doe" in run(file, "facts", "filesystem.runbook", "--values").stdout


def test_what_was_attested_can_be_said_anew_and_taken_back(file):
    attest(file, "filesystem.runbook", SUBJECT)
    attest(file, "filesystem.runbook", SUBJECT, "no")
    assert file.read_text().count("[[attestation]]") == 1
    assert "value = false" in file.read_text()
    assert run(file, "attest", "filesystem.runbook", "/dev/loop0", "--remove").returncode == 0
    assert "[[attestation]]" not in file.read_text()
    assert "there is no attestation" in run(file, "attest", "filesystem.runbook", SUBJECT, "--remove").stderr


@pytest.mark.parametrize("word", ["/dev/loop0", "/srv/recorded/srv", SUBJECT])
def test_a_waiver_is_taken_back_by_the_words_that_it_was_made_with(file, word):
    assert run(file, "waive", "nobarrier-unproven", word, "--because", "a test").returncode == 0
    assert "[[waiver]]" in file.read_text()
    assert run(file, "waive", "nobarrier-unproven", word, "--remove").returncode == 0
    assert "[[waiver]]" not in file.read_text()


def test_of_the_host_nobody_must_say_whom_it_is_about(file):
    for argv, value in ((("host.backed_up",), "true"), (("host.backed_up", "no"), "false")):
        assert attest(file, *argv).returncode == 0
        assert f"value = {value}" in file.read_text()
    assert run(file, "attest", "host.backed_up", "--remove").returncode == 0
    assert "[[attestation]]" not in file.read_text()


def test_a_file_that_is_no_toml_is_named_and_left_as_it_is(file):
    file.write_text("[[")
    for done in (attest(file, "host.backed_up"), run(file, "attest")):
        assert done.returncode == 2
        assert f"{file} is not TOML" in done.stderr
    assert file.read_text() == "[["


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (("disk.plp", "vda", "proven"), "disk.plp can't be attested: it comes from disk.plp_evidence"),
        (("disk.datashet_plp", "vda"), "did you mean 'disk.datasheet_plp'?"),
        (("disk.datasheet_plp", "vbd"), "did you mean 'disk:vda'?"),
        (("disk.datasheet_plp", "vda", "maybe"), "disk.datasheet_plp is yes/no, not 'maybe'"),
        (("mount.workload", "/"), "say the value: mount.workload is 'oltp'"),
        (("mount.workload", "/", "olpt"), "did you mean 'oltp'?"),
        (("mount.sync_needed", "/"), "makes no sense for mount:/"),
        (("disk.datasheet_plp",), "say of what"),
        (("disk.datasheet_plp", "vda", "--until", "2020-01-01"), "is past already"),
        (("disk.datasheet_plp", "vda", "--until", "soon"), "is no date"),
        (("disk.datasheet_plp", "vda", "--link", "drawer 3"), "neither an address"),
        (("disk.datasheet_plp", "vda", "--link", ""), "--link (the datasheet, the runbook) or --because"),
        (("disk.datasheet_plp", "vda", "--by", ""), "say who attests it"),
    ],
)
def test_what_can_not_be_attested_is_one_clear_line_and_nothing_is_written(file, argv, says):
    command = ["attest", "--by", "Jo", "--link", "https://example.com/", *argv]
    done = run(file, *command)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert not file.exists()


def test_of_a_recorded_machine_nothing_is_written_to_this_one():
    done = in_text("--on", MACHINE, "attest", "disk.thin", "vda", "--by", "Jo")
    assert done.returncode == 2
    assert "--attestations FILE" in done.stderr


def test_a_file_that_can_not_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    done = attest(tmp_path / "file" / "attest.toml", "filesystem.runbook", SUBJECT)
    assert done.returncode == 2
    assert "Not a directory" in done.stderr


def test_an_audit_wants_the_file_that_it_is_given(tmp_path):
    done = run(tmp_path / "none")
    assert done.returncode == 2
    assert "no such file" in done.stderr


def test_a_waived_finding_stays_in_the_report_and_no_longer_counts(file):
    file.write_text("")
    assert run(file, "--fail-on", "critical").returncode == 1
    assert waive(file, "--by", "Jo").returncode == 0
    assert run(file, "--fail-on", "critical").returncode == 0
    report = json.loads(run(file, "--json").stdout)
    (found,) = [it for it in report["verdicts"] if it["rule"] == "nobarrier-unproven" and "waived" in it]
    assert found["verdict"] == "advise"
    assert (found["waived"]["by"], found["waived"]["because"]) == ("Jo", "scratch")


def test_a_filesystem_is_called_by_its_mount_point_as_well(file):
    said = ("--because", "scratch", "--until", "2099-01-01")
    assert run(file, "waive", "nobarrier-unproven", "/srv/recorded/srv", *said).returncode == 0
    assert [it["subject"] for it in tomllib.loads(file.read_text())["waiver"]] == [SUBJECT]


def test_a_waiver_needs_a_reason(file):
    assert "say why" in run(file, "waive", "nobarrier-unproven", SUBJECT, "--until", "2099-01-01").stderr
    assert not file.exists()


def test_a_waiver_without_a_day_ends_the_sooner_the_graver_it_is():
    day = dt.date(2026, 11, 20)
    told = " ".join(in_text("waive", "--help").stdout.split())
    for severity, days in TERMS.items():
        rule = next(one for one in RULES if one.severity == severity and one.urgency not in ("losing", "errors"))
        assert (accepted_until(rule, day) - day).days == days
    assert list(TERMS.values()) == sorted(TERMS.values())
    assert f"in {TERMS['critical']} days for what is critical, {TERMS['high']} for high" in told
    assert f"{TERMS['moderate']} for moderate, {TERMS['low']} for low" in told


def test_the_command_line_writes_the_day_of_saying_and_that_term(file):
    assert run(file, "waive", "nobarrier-unproven", SUBJECT, "--because", "scratch").returncode == 0
    entry = tomllib.loads(file.read_text())["waiver"][0]
    assert entry["on"] == dt.datetime.now().astimezone().date()
    assert (entry["until"] - entry["on"]).days == 7


def test_what_fails_now_is_accepted_for_thirty_days_at_most(file):
    server = ("--on", FIXTURES / "machines" / "old-storage-server", "--attestations", file)
    done = in_text(*server, "waive", "drive-failing", "sdb", "--because", "x", "--until", "2099-01-01")
    assert done.returncode == 2
    assert "30 days at most, until" in done.stderr
    assert not file.exists()
    assert in_text(*server, "waive", "drive-failing", "sdb", "--because", "x").returncode == 0


def test_a_waiver_of_an_unknown_rule_names_the_nearest(file):
    done = run(file, "waive", "nobarier-unproven", SUBJECT, "--because", "x", "--until", "2099-01-01")
    assert "did you mean 'nobarrier-unproven'?" in done.stderr


def test_a_capture_holds_what_was_said_and_replays_to_the_same(file, tmp_path):
    waive(file, "--by", "Jo Doe")
    folder = tmp_path / "again"
    assert run(file, "capture", str(folder)).returncode == 0
    done = in_text("--on", folder, "--json", "--fail-on", "critical")
    assert done.returncode == 0
    assert json.loads(done.stdout)["summary"]["waived"] == 1
    assert "Jo Doe" not in done.stdout


def test_the_text_marks_what_is_waived():
    said = text_of(waiver())
    assert "CRITICAL RISK, WAIVED:" in said
    assert "Waived by Jo on 2026-01-01 until 2026-12-31: a scratch disk" in said
    assert "1 waived; " in said
    assert "critical risk;" not in said


def test_an_expired_waiver_counts_no_more_and_says_so():
    report = json_of(waiver(until="2026-11-19"))
    assert report["summary"]["highest"] == "critical"
    assert report["summary"]["waived"] == 0
    assert report["summary"]["ignored"] == [
        {
            "place": "waiver 1",
            "what": f"nobarrier-unproven on {SUBJECT}, by Jo",
            "why": "it has expired on 2026-11-19",
        }
    ]
    assert "ATTESTATIONS, WAIVERS AND RESULTS OF PROBES THAT ARE IGNORED" in text_of(waiver(until="2026-11-19"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (waiver("nobarier-unproven"), "no rule is called 'nobarier-unproven'; did you mean 'nobarrier-unproven'?"),
        (waiver(subject="mount:/"), "nobarrier-unproven is a rule on a filesystem"),
        ("\x1b[31m", "not TOML"),
    ],
)
def test_a_waiver_that_fits_no_rule_is_ignored_aloud(text, why):
    assert why in json_of(text)["summary"]["ignored"][0]["why"]
    assert why in text_of(text)
    assert "\x1b" not in text_of(text)


def test_only_what_calls_for_action_is_marked_as_waived():
    _, verdicts = seen(waiver("ext4-errors", "filesystem:/dev/vda"))
    assert all(verdict.waiver is None for verdict in verdicts)


def test_waived_findings_stand_apart_from_the_others():
    storage, _ = seen("")
    other = structs.replace(
        next(it for it in storage.subjects if it.id == SUBJECT), id="filesystem:/dev/loop1", name="/dev/loop1"
    )
    waived, _ = seen(waiver())
    both = structs.replace(waived, subjects=(*waived.subjects, other))
    text = "".join(as_text(both, advise(both, RULES), Provenance(version="x", root=True), full=True))
    assert "1 critical risk" in text
    assert "critical, waived: " in text


def test_when_attestations_expire_no_advice_appears():
    """Expiry is forgetting: what is advised without them is advised with them, too."""
    held = seen("")[1]
    names = ("disk.thin", "disk.datasheet_plp", "disk.path_covered", "disk.firmware_trusted", "disk.swap_policy")
    for value in ("true", "false"):
        text = "".join(
            f'[[attestation]]\nfact = "{name}"\nsubject = "disk:vda"\nvalue = {value}\nby = "Jo"\n'
            f'on = 2026-11-20\nuntil = 2027-11-20\nbecause = "x"\n'
            for name in names
        )
        storage, verdicts = seen(text)
        assert storage.ignored == ()
        assert advised(held) <= advised(verdicts)


def advised(verdicts):
    return {(it.rule.id, it.subject.id) for it in verdicts if it.outcome.value == "advise"}


@pytest.mark.parametrize(
    ("day", "later"), [("2026-11-20", "2027-11-20"), ("2028-02-29", "2029-02-28"), ("2027-02-28", "2028-02-28")]
)
def test_a_year_later_is_the_same_day(day, later):
    assert a_year_after(dt.date.fromisoformat(day)) == dt.date.fromisoformat(later)
