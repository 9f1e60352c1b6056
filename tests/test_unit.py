"""`fsadvisor unit`, which prints and installs nothing, and the file of defaults."""

import json
import shlex
import shutil
import subprocess

import pytest

from fsadvisor import arguments
from fsadvisor.verbs.unit import unit
from tests.command import in_text
from tests.paths import FIXTURES

RISKY, CALM = (FIXTURES / "machines" / name for name in ("ext4-nobarrier", "xfs-logbsize"))
ODD = ("--only", '/srv/50% "$HOME"')


def printed(*argv, every="daily"):
    return "".join(unit("/usr/bin/env", ["unit", *argv], every))


def starts(text):
    """The words of the service's command and those of the cron line, as a shell would see them."""
    (service,) = [line.partition("=")[2] for line in text.splitlines() if line.startswith("ExecStart=")]
    cron = text.splitlines()[-1].partition(" root ")[2].replace("\\%", "%")
    return shlex.split(service.replace("%%", "%").replace("$$", "$")), shlex.split(cron)


@pytest.mark.parametrize("more", [(), ODD, ("--json=lines", "--fail-on", "high")])
def test_both_run_the_report_with_the_options_that_were_given(more):
    for words in starts(printed(*more)):
        assert words[1:] == list(more)
        assert words[0].startswith("/")
        assert arguments.parsed(words[1:]).verb is None


def test_files_are_named_by_paths_that_hold_in_any_directory_and_what_unit_alone_takes_is_left_out(
    monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    for words in starts(printed("--every", "weekly", "--output", "x.prom", "--rules=mine")):
        assert words[1:] == ["--output", f"{tmp_path}/x.prom", f"--rules={tmp_path}/mine"]


@pytest.mark.parametrize("every", ["hourly", "daily", "weekly"])
def test_systemd_finds_nothing_to_say_about_the_service_and_the_timer(every, tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    text = printed(*ODD, every=every)
    service, timer = text.split("# /etc/systemd/system/fsadvisor.timer\n")
    (tmp_path / "fsadvisor.service").write_text(service)
    (tmp_path / "fsadvisor.timer").write_text(timer)
    for name in ("fsadvisor.service", "fsadvisor.timer"):
        command = ["systemd-analyze", "verify", "--man=no", str(tmp_path / name)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        assert [line for line in ran.stderr.splitlines() if "fsadvisor" in line] == []


def test_the_command_prints_it_and_takes_the_forms_of_the_report_but_no_other_machine():
    ran = in_text("unit", "--every", "hourly", "--format", "openmetrics")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "OnCalendar=hourly" in ran.stdout
    assert in_text("unit", "--on", RISKY).returncode == 2
    assert in_text("unit", "--only", "/srv\n* * * * * root id").stdout == ""


@pytest.fixture
def config(tmp_path):
    file = tmp_path / "config.toml"

    def written(text):
        file.write_text(text)
        file.chmod(0o644)
        return file

    return written


def test_a_file_gives_defaults_which_the_command_line_overrides(config):
    file = config('fail-on = "never"\n')
    assert in_text("--on", RISKY, "--json").returncode == 1
    assert in_text("--on", RISKY, "--config", file, "--json").returncode == 0
    assert in_text("--on", RISKY, "--config", file, "--fail-on", "low", "--json").returncode == 1
    assert in_text("--on", RISKY, "--fail-on", "moderate", "--config", file, "--json").returncode == 1


def test_workloads_and_a_part_come_from_it_too(config):
    file = config('only = "/srv/recorded/srv"\n[workload]\n"/srv/recorded/srv" = "oltp"\n')
    report = json.loads(in_text("--on", RISKY, "--config", file, "--json").stdout)
    mounts = {one["id"]: one["facts"] for one in report["subjects"] if one["kind"] == "mount"}
    assert {at: facts["mount.workload"] for at, facts in mounts.items()} == {"mount:/srv/recorded/srv": "oltp"}


def test_what_comes_from_a_file_is_told_so_that_a_part_is_not_taken_for_the_whole_but_quiet_is_quiet(config):
    file = config('fail-on = "never"\nonly = "/srv/recorded/srv"\n')
    assert in_text("--on", RISKY, "--config", file).stderr == f"fsadvisor: with the defaults of {file}: fail-on, only\n"
    quiet = in_text("--on", RISKY, "--config", file, "--quiet")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")


def test_recordings_that_are_compared_are_whole_whatever_the_file_says_of_this_machine(config):
    file = config('fail-on = "never"\nonly = "/nowhere"\n[workload]\n"/nowhere" = "oltp"\n')
    assert in_text("diff", CALM, RISKY).returncode == 1
    assert in_text("diff", CALM, RISKY, "--config", file).returncode == 0


def test_commands_that_judge_nothing_do_not_read_it(config):
    file = config("fail-no = 1")
    assert in_text("--config", file, "schema").returncode == 2  # an option that the command does not heed
    assert "takes no --config" in in_text("--config", file, "schema").stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('fail-no = "high"', "no option 'fail-no' is read from it; did you mean 'fail-on'?"),
        ('fail-on = "hihg"', "did you mean 'high'?"),
        ('[workload]\n"/srv" = "db"', "'db' is none of"),
        ('[workload]\nsrv = "oltp"', "is not MOUNT=KIND"),
        ("workload = 1", "it may say"),
        ('workload = ["/srv=oltp"]', 'workload is a table, such as {"/srv" = "oltp"}'),
        ("only = " + "[" * 5000, "it may say"),
        ("fail-on", "it may say"),
    ],
)
def test_what_it_says_wrongly_is_one_clear_line(config, text, says):
    ran = in_text("--on", CALM, "--config", config(text))
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert says in ran.stderr
    assert "config.toml" in ran.stderr


def test_a_file_that_others_may_change_is_not_believed(config):
    file = config('fail-on = "never"\n')
    file.chmod(0o666)
    ran = in_text("--on", RISKY, "--config", file)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "may be changed by everybody" in ran.stderr


def test_a_file_that_was_named_has_to_be_there(tmp_path):
    ran = in_text("--on", RISKY, "--config", tmp_path / "none.toml")
    assert ran.returncode == 2
    assert "no such file" in ran.stderr
