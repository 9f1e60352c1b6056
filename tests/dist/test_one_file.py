"""fsadvisor.pyz says what the installed program says, in foreign surroundings too."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import few
from tests.command import fsadvisor
from tests.paths import ROOT
from tests.wheel import built
from tools.dist import one_file

MACHINES = sorted(folder.parent for folder in (ROOT / "fixtures" / "machines").glob("*/machine.toml"))
ALONE = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return built(tmp_path_factory)


@pytest.fixture(scope="module")
def pyz(wheel, tmp_path_factory):
    made = tmp_path_factory.mktemp("pyz") / "fsadvisor.pyz"
    one_file.one_file(wheel, made)
    return made


def run(pyz, *argv, **options):
    options = {"env": ALONE, "cwd": ROOT} | options
    return subprocess.run([sys.executable, "-S", pyz, *map(str, argv)], capture_output=True, check=False, **options)


def told(done):
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("form", few(["--json", "--text", "--html"], 3))
@pytest.mark.parametrize(
    "machine",
    [MACHINES[0], *(pytest.param(it, marks=pytest.mark.long) for it in MACHINES[6::6])],
    ids=lambda it: it.name,
)
def test_each_form_of_the_report_is_the_same_to_the_byte(pyz, machine, form):
    assert told(run(pyz, "--on", machine, form)) == told(fsadvisor("--on", str(machine), form))


@pytest.mark.long
@pytest.mark.parametrize(
    "words",
    few(
        [
            "--version",
            "--help",
            "explain order",
            "schema",
            "doctor --on fixtures/demo/incident.jsonl",
            "schema probe",
            "schema doctor",
            "waits --on fixtures/demo/incident.jsonl",
            "facts",
            "--colour",
            "rules --help",
        ],
        8,
    ),
)
def test_each_verb_answers_the_same(pyz, words):
    assert told(run(pyz, *words.split())) == told(fsadvisor(*words.split()))


@pytest.mark.parametrize(
    ("done", "given"),
    [
        ("msgspec.json.format(given)", '{"a":1.50,"b":[],"c":{},"d":[1,{"x":"a,{]:"}],"e":null,"f":"é"}'),
        (
            "msgspec.json.encode(msgspec.json.decode(given, type=activity_logs._Disk))",
            '{"disk-device":"sda","rkB":1.5,"await":2,"aqu-sz":1.0}',
        ),
    ],
)
def test_the_stand_in_does_what_msgspec_does(done, given):
    asks = f"import sys, msgspec; from fsadvisor.readers import activity_logs; given = sys.stdin.buffer.read(); print({done})"
    said = [
        subprocess.run([sys.executable, "-c", asks], input=given.encode(), capture_output=True, env=ALONE | path).stdout
        for path in ({}, {"PYTHONPATH": f"{one_file.STANDIN}:{ROOT}"})
    ]
    assert said[0] == said[1] != b""


@pytest.mark.long
def test_a_rule_with_a_mistake_gets_the_same_words(pyz, tmp_path):
    rule = (ROOT / "rules" / "filesystem" / "nobarrier-unproven.toml").read_text()
    for name, text in {
        "kind": rule.replace('kind     = "risk"', 'kind = "rusk"'),
        "key": rule.replace('kind     = "risk"', 'kin = "risk"'),
        "type": rule.replace('kind     = "risk"', "kind = 3"),
    }.items():
        (tmp_path / name / "filesystem").mkdir(parents=True)
        (tmp_path / name / "filesystem" / "nobarrier-unproven.toml").write_text(text)
        argv = ("--rules", str(tmp_path / name), "--on", str(MACHINES[0]), "--text")
        assert text != rule
        assert told(run(pyz, *argv)) == told(fsadvisor(*argv))


@pytest.mark.long
def test_it_fits_into_two_megabytes_and_is_the_same_when_made_again(pyz, wheel, tmp_path):
    again = tmp_path / "again.pyz"
    one_file.one_file(wheel, again)
    assert again.read_bytes() == pyz.read_bytes()
    assert len(again.read_bytes()) <= 2_000_000


@pytest.mark.long
@pytest.mark.namespaces
def test_nothing_stays_where_it_was_unpacked(pyz, tmp_path):
    if os.geteuid() == 0:
        script = 'mount -t tmpfs tmpfs /dev/shm && "$@" >/dev/null && ls -A /dev/shm'
        started = [
            "unshare",
            "--mount",
            "--propagation",
            "private",
            "sh",
            "-c",
            script,
            "sh",
            sys.executable,
            "-S",
            pyz,
        ]
        done = subprocess.run(
            [*started, "--on", MACHINES[0], "--json"], capture_output=True, check=True, env=ALONE, cwd=ROOT
        )
        assert done.stdout == b""
    else:
        run(pyz, "--on", MACHINES[0], "--json", env=ALONE | {"XDG_RUNTIME_DIR": str(tmp_path)})
        assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.namespaces
@pytest.mark.skipif(os.geteuid() != 0, reason="makes mounts")
def test_it_runs_where_no_program_may_run_from_memory_and_the_root_is_read_only(pyz, tmp_path):
    tmpfs = [f"mount -t tmpfs -o noexec,nosuid tmpfs {place}" for place in ("/run", "/dev/shm")]
    script = " && ".join(
        (*tmpfs, "mount --bind / /mnt", "mount -o remount,bind,ro /mnt", 'exec "$@" --on "$MACHINE" --json')
    )
    done = subprocess.run(
        ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", sys.executable, "-S", pyz],
        capture_output=True,
        check=False,
        cwd=ROOT,
        env=ALONE | {"MACHINE": str(MACHINES[0])},
    )
    assert told(done) == told(fsadvisor("--on", str(MACHINES[0]), "--json"))


def other_pythons():
    return [*Path.home().glob(".pyenv/versions/*/bin/python"), *Path("/usr/bin").glob("python[23].*[0-9]")]


@pytest.mark.long
@pytest.mark.parametrize("argv", [("--on", MACHINES[0], "--json"), ("--on", MACHINES[0], "--text"), ("schema", "plan")])
def test_each_newer_python_says_the_same(pyz, argv):
    """Nothing is shared with this one's packages, so that this tries the program itself on it."""
    for python in other_pythons():
        done = subprocess.run([python, "-S", pyz, *argv], capture_output=True, env=ALONE, cwd=ROOT)
        if done.returncode != 2:  # too old
            assert told(done) == told(fsadvisor(*map(str, argv))), python


@pytest.mark.long
def test_too_old_a_python_is_one_sentence(pyz):
    asked = {
        python: subprocess.run([python, pyz, "--version"], capture_output=True, text=True) for python in other_pythons()
    }
    old = [done for done in asked.values() if done.returncode]
    for done in old:
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert "needs Python 3.11 or later" in done.stderr
    if not old:
        pytest.skip("no older Python here")
