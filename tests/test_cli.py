"""The command line as scripts and admins use it."""

import datetime as dt
import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from fsadvisor.arguments import OF_REPORT, parsed
from fsadvisor.arguments_help import EXAMPLES, TAKES
from fsadvisor.machine.live import LiveMachine
from fsadvisor.machine.recording import RecordingMachine
from fsadvisor.report.as_json import as_json
from fsadvisor.report.model import Provenance
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.survey.whole import only, survey
from tests.cases import each, few
from tests.command import fsadvisor, started
from tests.machines.replay import FOLDERS
from tests.paths import FIXTURES, ROOT
from tests.told import disk, machine, stacked
from tests.waiting import END_S

MACHINE = str(FIXTURES / "machines" / "ext4-nobarrier")
QUIET = str(FIXTURES / "machines" / "xfs-logbsize")


def refused(*argv):
    """The one line that a wrong command line gets."""
    done = fsadvisor(*argv)
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"Traceback" not in done.stderr
    return done.stderr.decode()


def test_the_version_is_printed_alone():
    done = started("--version")
    assert (done.returncode, done.stdout[:10], done.stderr) == (0, b"fsadvisor ", b"")


@pytest.mark.parametrize("order", [("--on", MACHINE, "--json"), ("--json", "--on", MACHINE)])
def test_json_is_one_document(order):
    report = json.loads(fsadvisor(*order).stdout)
    assert report["schema"] == "fsadvisor/report/2"
    assert [it["rule"] for it in report["verdicts"] if it["verdict"] == "advise"] == ["nobarrier-unproven"]


@pytest.mark.parametrize(
    ("machine", "more", "code"),
    [
        (MACHINE, (), 1),
        (MACHINE, ("--fail-on", "critical"), 1),
        (MACHINE, ("--fail-on", "never"), 0),
        (MACHINE, ("--fail-on", "never", "--strict"), 3),
        (QUIET, (), 0),
        (QUIET, ("--strict",), 3),
    ],
)
def test_exit_codes_tell_findings_and_gaps(machine, more, code):
    assert fsadvisor("--on", machine, *more).returncode == code


def test_the_same_bytes_come_out_whatever_the_terminal_and_the_locale():
    plain = started("--on", MACHINE).stdout
    odd = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "TERM": "dumb", "COLUMNS": "40"}
    assert started("--on", MACHINE, env=odd).stdout == fsadvisor("--on", MACHINE).stdout == plain
    assert b"\x1b" not in plain


@pytest.mark.parametrize("columns", few(["\u00b2", "-3", "wide", "9" * 5000], 3))
def test_a_width_that_no_terminal_has_is_not_taken(columns):
    assert started("facts", "--help", env={**os.environ, "COLUMNS": columns}).returncode == 0


def test_a_reader_that_goes_away_is_no_failure():
    shell = f"{sys.executable} -m fsadvisor --on {MACHINE} --json | head -c 10; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], cwd=ROOT, capture_output=True, timeout=END_S, check=False)
    assert done.returncode in (0, 1)
    assert done.stderr == b""


def test_a_full_disk_under_stdout_is_told():
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "fsadvisor", "--on", MACHINE],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=END_S,
            check=False,
        )
    assert done.returncode == 2
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr


@each(
    ("argv", "says"),
    [
        (("--fail-on", "hgih"), "did you mean 'high'?"),
        (("--workload", "/=olpt"), "did you mean 'oltp'?"),
        (("--workload", "oltp"), "is not MOUNT=KIND"),
        (("--timeout", "soon"), "no number of seconds"),
        (("--timeout", "-1"), "no number of seconds"),
        (("--nonsense",), "--nonsense"),
        (("explian",), "did you mean 'explain'?"),
        (("--jsn",), "did you mean '--json'?"),
        (("doctor", "--secnds", "3"), "did you mean '--seconds'?"),
        (("schema", "repor"), "did you mean 'report'?"),
        (("--json", "--format", "nagios"), "not allowed with"),
        (("probe", "--list", "--json"), "leave --json out"),
        (("compare", "--list", "--json"), "leave --json out"),
        (("compare", "/tmp", "--json", "--markdown"), "not allowed with"),
        (("--on", MACHINE, "--demo"), "not allowed with"),
        (("forecast", "--sweep", "--on-scratch", "/tmp", "--jobs", "nope"), "none of web, file-server, mail"),
        (("explain", "nobarier-unproven"), "did you mean 'nobarrier-unproven'?"),
        (("facts", "disk.nothing"), "disk.nothing"),
        (("--on", "/nowhere"), "/nowhere"),
        (("--on", "/etc/passwd"), "/etc/passwd: no archive: neither a tar nor packed"),
        (("--on", "/etc"), "/etc"),
        (("--on", MACHINE, "--only", "/srv/recorded/svr"), "did you mean '/srv/recorded/srv'?"),
        (("--on", MACHINE, "--workload", "/srv/recorded/svr=oltp"), "did you mean '/srv/recorded/srv'?"),
        (("--rules", "/nowhere"), "/nowhere: no such directory of rules"),
        (("rule", "try", "/nowhere.toml"), "/nowhere.toml"),
        (("doctor", "--on", sys.executable), "no window of fsadvisor: it is no text"),
        (("capture", "/"), "/"),
        (("--json", "--text"), "not allowed with"),
    ],
)
def test_a_wrong_command_line_is_one_clear_line(argv, says):
    assert says in refused(*argv)


@pytest.mark.parametrize(
    ("argv", "of"),
    [
        (("--only", ""), "argument --only"),
        (("--on=",), "argument --on"),
        (("plan", "--out", ""), "argument --out"),
        (("--rules", "", "--summary"), "argument --rules"),
        (("trial", "-o", "", "--on-scratch", "/tmp"), "argument -o"),
        (("compare", ""), "an argument"),
        (("doctor", "full", ""), "an argument"),
    ],
)
def test_what_a_script_s_unset_variable_leaves_is_not_taken_for_the_working_directory_or_for_all(argv, of):
    assert f": {of} is empty; " in refused(*argv)


def test_a_hostile_argument_is_escaped():
    said = refused("explain", "\x1b[31mred")
    assert "\x1b" not in said


@pytest.mark.parametrize("target", ["/srv/recorded/srv", "loop0", "/dev/loop0"])
def test_only_a_mount_or_device_keeps_what_stands_on_and_under_it(target):
    report = json.loads(fsadvisor("--on", MACHINE, "--json", "--only", target).stdout)
    ids = {it["id"] for it in report["subjects"]}
    assert {"host", "disk:vda", "layer:loop0", "filesystem:/dev/loop0", "mount:/srv/recorded/srv"} <= ids


@pytest.mark.parametrize("target", ["vg--a-root", "/dev/mapper/vg--a-root", "/dev/vg-a/root", "dm-0"])
def test_only_takes_a_volume_by_the_name_that_people_know(target):
    volume = stacked("dm-0", "253:0", ["sda"], dm__name="vg--a-root")
    storage = survey(machine(disk("sda"), volume, mounts=["1 0 253:0 / /srv rw - xfs /dev/dm-0 rw"]), {})
    assert {"disk:sda", "mount:/srv"} <= {it.id for it in only(storage, target).subjects}
    assert only(storage, "vg-a/root-") is None


def test_a_declared_workload_decides_what_nobody_could_tell():
    report = json.loads(fsadvisor("--on", MACHINE, "--json", "--workload", "/=metadata-heavy").stdout)
    verdicts = {(it["rule"], it["subject"]): it["verdict"] for it in report["verdicts"]}
    assert verdicts["access-times-written", "mount:/"] in ("advise", "blocked")


def test_a_capture_of_a_recording_replays_to_the_same_verdicts_byte_for_byte(tmp_path):
    again = tmp_path / "again"
    assert fsadvisor("--on", MACHINE, "capture", str(again)).returncode == 0
    first, second = (json.loads(fsadvisor("--on", str(it), "--json").stdout) for it in (MACHINE, again))
    assert json.dumps(first["verdicts"]) == json.dumps(second["verdicts"])


def test_a_live_audit_and_its_recording_give_the_same_verdicts(tmp_path):
    """In one process, so that no test beside this one mounts anything between the two."""
    machine = RecordingMachine(LiveMachine())
    live = verdict_lines(survey(machine, {}))
    machine.write(tmp_path / "live")
    replayed = json.loads(fsadvisor("--on", str(tmp_path / "live"), "--json").stdout)["verdicts"]
    assert told(live) == told(replayed)


def told(verdicts):
    """How often each rule says what of which kind: names of places and servers get stand-ins in a recording."""
    return Counter((one["rule"], one["subject"].partition(":")[0], one["verdict"]) for one in verdicts)


def verdict_lines(storage):
    about = Provenance(version="x", root=True)
    return json.loads(b"".join(as_json(storage, advise(storage, own_rulebook().rules), about)))["verdicts"]


def test_a_recording_holds_no_identity_of_this_machine(tmp_path):
    assert fsadvisor("capture", str(tmp_path / "live")).returncode == 0
    secrets = identities_of_this_machine()
    for path in (tmp_path / "live").rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        for secret in secrets:
            assert secret not in content, (path, secret)
            assert secret not in os.fsencode(path.relative_to(tmp_path)), (path, secret)


def test_json_says_which_machine_and_tells_no_id_of_it_unless_asked():
    secrets = identities_of_this_machine()
    told = fsadvisor("--json").stdout
    assert not [secret for secret in secrets if secret in told]
    machine = json.loads(told)["machine"]
    assert machine["host"] == os.uname().nodename
    assert dt.datetime.fromisoformat(machine["time"]).tzinfo is not None
    plain = json.loads(fsadvisor("--json", "--plain-ids").stdout)["machine"]
    assert plain["id"] == Path("/etc/machine-id").read_text().strip()
    assert plain["boot"] == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert len({machine["id"], machine["boot"], plain["id"], plain["boot"]}) == 4


def identities_of_this_machine():
    """What lsblk, /sys and /etc say of serials, WWNs, UUIDs, MACs and the machine's id."""
    columns = subprocess.run(
        ["lsblk", "-nro", "SERIAL,WWN,UUID,PARTUUID"], capture_output=True, check=False
    ).stdout.split()
    found = {word for word in columns if len(word) > 5}
    for pattern in ("sys/class/net/*/address", "sys/block/*/serial", "sys/block/*/device/serial", "etc/machine-id"):
        for path in Path("/").glob(pattern):
            found.add(path.read_bytes().strip())
    return {word for word in found if len(word) > 5 and word.strip(b"0:")}


def test_the_schema_is_json():
    assert json.loads(fsadvisor("schema").stdout)["$schema"].startswith("https://json-schema.org/")


@pytest.mark.parametrize("rule", ["nobarrier-unproven", "access-times-written"])
def test_explain_prints_a_rules_page(rule):
    done = fsadvisor("explain", rule)
    assert done.returncode == 0
    assert rule in done.stdout.decode()


def test_facts_lists_names_and_on_a_machine_their_values():
    assert b"disk.write_cache" in fsadvisor("facts", "disk.*").stdout
    assert b"write back" in fsadvisor("--on", MACHINE, "facts", "disk.write_cache", "--values").stdout


def test_what_is_wrong_with_a_stranger_s_rule_is_fit_for_a_terminal_and_stands_in_no_document(tmp_path):
    text = (ROOT / "rules/host/discards-never-sent.toml").read_text()
    (tmp_path / "discards-never-sent.toml").write_text(
        text.replace('why = """\n', 'why = """\n\\u001b[31mred ' + "very " * 30)
    )
    words = ("--on", MACHINE, "rule", "try", tmp_path / "discards-never-sent.toml")
    plain, page = fsadvisor(*words), fsadvisor(*words, "--html")
    assert (plain.returncode, page.returncode) == (1, 1)
    assert rb"\x1b[31mred" in plain.stdout
    assert rb"\x1b[31mred" in page.stderr
    assert page.stdout.startswith(b"<!DOCTYPE html>")
    assert all(b"\x1b" not in it for it in (plain.stdout, plain.stderr, page.stdout, page.stderr))


def test_rule_try_runs_the_examples_and_judges_the_machine():
    done = fsadvisor("--on", MACHINE, "rule", "try", "rules/filesystem/nobarrier-unproven.toml")
    assert done.returncode == 0
    assert b"nobarrier-unproven" in done.stdout


def test_a_broken_rule_is_told_with_file_line_and_the_nearest_name(tmp_path):
    text = (ROOT / "rules/filesystem/nobarrier-unproven.toml").read_text()
    broken = tmp_path / "nobarrier-unproven.toml"
    broken.write_text(text.replace('expr = "filesystem.barriers == False"', 'expr = "filesystem.bariers == False"'))
    said = refused("rule", "try", str(broken))
    assert "nobarrier-unproven.toml:" in said
    assert "did you mean 'filesystem.barriers'?" in said


def test_a_folder_with_a_broken_rule_leaves_the_other_rules_running(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "broken.toml").write_text("id = ")
    done = fsadvisor("--on", MACHINE, "--rules", str(tmp_path), "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert report["summary"]["rules_not_loaded"]


@pytest.mark.parametrize("folder", few(FOLDERS, 6))
def test_recorded_machines_are_audited_without_a_word_on_stderr(folder):
    done = fsadvisor("--on", folder)
    assert (done.stderr, done.returncode in (0, 1)) == (b"", True)


def test_the_help_names_each_command_once_and_in_a_group():
    told = fsadvisor("--help").stdout.decode()
    for verb in TAKES.keys() - {"try"}:
        assert len(re.findall(rf"^  {verb} +\S", told, re.MULTILINE)) == 1, verb
    assert max(map(len, told.splitlines())) <= 80


@pytest.mark.parametrize("verb", few(sorted(TAKES), 3))
def test_a_commands_help_has_the_options_that_it_takes_and_examples(verb):
    told = fsadvisor(*(["rule"] if verb == "try" else []), verb, "--help").stdout.decode()
    shown = {name for name in OF_REPORT if re.search(rf"^  --{name.replace('_', '-')}\b", told, re.MULTILINE)}
    assert shown == TAKES[verb] & set(OF_REPORT)
    assert ("examples:" in told) is (verb != "rule")


@each("line", [line for lines in EXAMPLES.values() for line in lines])
def test_every_example_of_a_help_is_a_command_line_that_is_taken(line):
    command = line.partition("  ")[0].rpartition("; ")[2].partition(" | ")[0]
    program, *words = shlex.split(command)
    chosen = parsed(words)
    assert program == "fsadvisor"
    assert words[:1] != ["trial"] or (chosen.on_scratch and (chosen.words or chosen.options))


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize(
    ("verb", "options"), [("plan", ["--html"]), ("probe", ["--strict"]), ("explain", ["--fail-on", "low"])]
)
def test_an_option_of_the_report_that_a_command_does_not_heed_is_refused(verb, options, before):
    done = fsadvisor(*(options if before else ()), verb, "--", "x") if before else fsadvisor(verb, "x", *options)
    assert done.returncode == 2
    said = f"fsadvisor: {verb} takes no {options[0]}; what it takes: fsadvisor {verb} --help\n"
    assert done.stderr.decode() == said


def test_quiet_says_nothing_where_there_is_nothing_and_all_where_there_is():
    for options in (["--text"], ["--json"], ["--summary"], []):
        whole = fsadvisor("--on", QUIET, *options)
        for level, status in (("never", 0), ("low", 1)):
            done = fsadvisor("--on", MACHINE, *options, "--quiet", "--fail-on", level)
            assert (done.returncode, bool(done.stdout), done.stderr) == (status, bool(status), b"")
        assert whole.stdout
    assert fsadvisor("--on", QUIET, "--quiet").stdout == b""


def test_a_summary_is_one_line_with_the_first_finding():
    lines = fsadvisor("--on", MACHINE, "--summary").stdout.decode().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(f"{MACHINE}: 1 critical risk")
    assert "First: /srv/recorded/srv (ext4): nobarrier" in lines[0]
