"""What root runs takes nothing from its caller's environment; what the system does not grant is said in one line."""

import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.live import LiveMachine
from fsadvisor.machine.time_limits import within
from fsadvisor.survey.mounts import use_of_mount
from tests.cases import few
from tests.command import ARGV
from tests.paths import FIXTURES, ROOT
from tests.probe.filesystems import needs_root
from tests.waiting import END_S

ON = ["--on", str(FIXTURES / "machines/pm9a3-postgresql-volatile"), "--text"]


def ran(command, cwd=ROOT, **options):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, **options)


@pytest.fixture
def evil(tmp_path):
    """A directory of programs and modules that leave a mark where they are run."""
    folder = tmp_path / "evil"
    folder.mkdir()
    for name in ("gcc", "ld", "cc", "objdump", "sh", "smartctl", "lsblk", "id"):
        (folder / name).write_text(f"#!/bin/sh\n: >{tmp_path}/{name}-ran\n")
        (folder / name).chmod(0o755)
    for name in ("json", "tomllib", "msgspec", "pyudev", "psutil", "gc", "argparse", "resource", "ctypes"):
        (folder / f"{name}.py").write_text(f"open('{tmp_path}/{name}-ran', 'w')\nraise ImportError('{name} of eve')\n")
    return folder


def marks(evil):
    return sorted(path.name for path in evil.parent.glob("*-ran"))


@needs_root
def test_no_module_of_pythonpath_is_imported(evil):
    done = ran([*ARGV, *ON], env={**os.environ, "PYTHONPATH": str(evil), "PYTHONINSPECT": "1"})
    assert (done.returncode in (0, 1), marks(evil)) == (True, []), done.stderr


@needs_root
def test_no_module_of_the_working_directory_is_imported(evil):
    done = ran([*ARGV, *ON], cwd=evil)
    assert (done.returncode in (0, 1), marks(evil)) == (True, []), done.stderr


@needs_root
@pytest.mark.namespaces
@pytest.mark.parametrize("hidden", ["", "mount --bind /dev/null $(readlink -f /usr/lib/*/libudev.so.1); "])
def test_no_compiler_is_asked_where_libudev_is(evil, hidden):
    """Without what ldconfig tells, ctypes runs gcc and ld from wherever PATH says."""
    command = shlex.join([*ARGV, "facts", "disk.model", "--values"])
    script = f"mount --bind /bin/false /sbin/ldconfig; {hidden}PATH={evil}:$PATH; export PATH; exec {command}"
    done = ran(["unshare", "-m", "/bin/sh", "-c", script])
    assert (done.returncode, done.stderr, marks(evil)) == (0, "", [])


@needs_root
@pytest.mark.namespaces
def test_a_missing_libudev_is_one_sentence():
    ask = "from fsadvisor.machine.live import LiveMachine; it = LiveMachine().udev(); print(it.cause.name, it.learn)"
    hide = "mount --bind /dev/null $(readlink -f /usr/lib/*/libudev.so.1)"
    script = f"{hide}; exec {shlex.join([sys.executable, '-c', ask])}"
    done = ran(["unshare", "-m", "/bin/sh", "-c", script])
    assert done.stdout.startswith("NO_TOOL install libudev1 and python3-pyudev (")
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


@needs_root
def test_the_loader_of_libraries_is_led_nowhere_else(evil, tmp_path):
    done = ran([*ARGV, "--version"], env={**os.environ, "LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": str(tmp_path / "log")})
    assert done.returncode == 0
    assert len(list(tmp_path.glob("log.*"))) <= 1, "only the first start heeds it"


@needs_root
def test_openssl_loads_no_module_that_the_caller_names(tmp_path):
    """hashlib is enough to have it read its configuration: from a pipe, it would wait for ever."""
    os.mkfifo(tmp_path / "openssl.cnf")
    done = ran([*ARGV, *ON], env={**os.environ, "OPENSSL_CONF": str(tmp_path / "openssl.cnf")}, timeout=END_S)
    assert done.returncode in (0, 1), done.stderr


def test_what_a_question_raises_is_told_at_once():
    with pytest.raises(ZeroDivisionError):
        within(600, lambda: 1 // 0)
    machine = LiveMachine(timeout=600)
    answer = machine._bounded(lambda: 1 // 0, "a question")
    assert isinstance(answer, Unknown)
    assert answer.cause is Cause.UNREADABLE
    assert "ZeroDivisionError" in answer.learn
    assert threading.active_count() < 50


@pytest.mark.parametrize("verb", [["--text"], ["--version"], ["--json"]])
def test_a_closed_standard_output_is_one_line(verb):
    done = ran(["sh", "-c", f"exec {shlex.join([*ARGV, *verb])} >&-"])
    assert done.returncode == 2
    assert done.stderr == "fsadvisor: standard output is closed; send it to a file or to /dev/null\n"


@pytest.mark.parametrize("words", few([["--help"], ["probe", "--help"], ["--version"], ["--no-such-thing"]], 3))
def test_what_nobody_reads_on_is_no_error_and_what_has_no_room_is_one_line(words):
    status = 2 if words == ["--no-such-thing"] else 0
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe, Path("/dev/full").open("wb") as full:
        told = {to: subprocess.run([*ARGV, *words], cwd=ROOT, stdout=to, stderr=subprocess.PIPE) for to in (pipe, full)}
        assert told[pipe].returncode == status
        assert told[full].returncode == 2
        if not status:
            assert told[pipe].stderr == b""
            assert told[full].stderr == b"fsadvisor: standard output: No space left on device\n"


def test_a_standard_error_that_takes_nothing_changes_neither_exit_status_nor_output(tmp_path):
    config = tmp_path / "config.toml"
    config.write_text('fail-on = "never"\n')
    told = ["--on", str(FIXTURES / "machines/ext4-nobarrier"), "--config", str(config), "--summary"]
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe, Path("/dev/full").open("wb") as full:
        for words, status in ((told, 0), (["explain", "no-such-rule"], 2)):
            alike = subprocess.run([*ARGV, *words], cwd=ROOT, capture_output=True)
            assert (alike.returncode, alike.stderr != b"") == (status, True)
            for to in (pipe, full):
                done = subprocess.run([*ARGV, *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=to)
                assert (done.returncode, done.stdout) == (status, alike.stdout)


@pytest.mark.parametrize("closed", few(["<&- 2>&-", "2>&-", "<&-"]))
def test_a_closed_standard_input_or_error_changes_no_exit_status(closed):
    for verb, status in ((["--version"], 0), (["--no-such-thing"], 2), (["explain", "no-such-rule"], 2)):
        done = ran(["sh", "-c", f"exec {shlex.join([*ARGV, *verb])} {closed}"])
        assert done.returncode == status


@pytest.mark.parametrize("files", few([5, 8, 12, 20], 3))
def test_few_open_files_are_one_line(files):
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    done = ran([*ARGV, "--text"], preexec_fn=limit)
    assert (done.returncode, done.stderr.count("\n"), done.stdout) == (2, 1, "")
    assert "no more open files" in done.stderr


@pytest.mark.parametrize("verb", ["probe fsync-ladder", "compare", "trial -o noatime --on-scratch", "waits --job mail"])
def test_on_a_closed_standard_input_nobody_is_asked(verb):
    done = ran(["sh", "-c", f"exec {shlex.join([*ARGV, *verb.split(), '/var/tmp'])} <&-"])
    assert done.returncode == 2
    assert "not started" in done.stderr
    assert "a bug of ours" not in done.stderr


@pytest.mark.parametrize("closed", [(0,), (2,), (0, 2)])
def test_no_open_files_beside_closed_ones_are_no_traceback(closed):
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
        for descriptor in closed:
            os.close(descriptor)

    done = ran([*ARGV, "--text"], preexec_fn=limit)
    assert done.returncode in (2, 127)  # the loader of libraries says 127 where it can't open any
    assert (done.stdout, "Traceback" in done.stderr) == ("", False)


@pytest.mark.parametrize("kib", few([60_000, 80_000, 100_000, 200_000, 300_000], 3))
def test_little_address_space_is_enough_or_one_line(kib):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (kib << 10, kib << 10))

    done = ran([*ARGV, "--text"], preexec_fn=limit)
    told = done.returncode == 2 and done.stderr.startswith("fsadvisor: too little to run with")
    assert (told or done.returncode in (0, 1), done.stderr.count("\n")) == (True, int(told)), done.stderr


@pytest.mark.parametrize("kib", few([6000, 8000, 10_000, 12_000, 16_000, 24_000], 3))
def test_little_memory_of_its_own_is_enough_or_one_line(kib):
    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (kib << 10, kib << 10))

    if ran([sys.executable, "-c", "import runpy, errno"], preexec_fn=limit).returncode:
        pytest.skip("Python itself can't begin with so little")
    done = ran([*ARGV, "--text"], preexec_fn=limit)
    assert done.returncode in (0, 1, 2), done.stderr
    assert "Traceback" not in done.stderr


@needs_root
def test_no_threads_are_one_line():
    def limit():
        os.setgroups([])
        os.setgid(64999)
        os.setuid(64999)
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))

    try:
        done = ran([*ARGV, "--text"], preexec_fn=limit)
    except PermissionError:
        pytest.skip("an ordinary user can't reach this Python")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "threads" in done.stderr


@pytest.mark.parametrize(
    ("before", "ended"), [("default_int_handler", -signal.SIGINT), ("SIG_IGN", 0)], ids=("heeded", "ignored")
)
def test_ctrl_c_raises_nothing_within_the_classes_that_are_being_loaded(before, ended):
    begun = (
        f"import os, signal, sys; sys.argv = ['fsadvisor', 'rules']; signal.signal(signal.SIGINT, signal.{before})\n"
        "class Pressed:\n"
        " def find_spec(self, name, *_):\n"
        "  if name == 'fsadvisor.rulebook.loading': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Pressed())\n"
        "from fsadvisor.__main__ import main\n"
        "main()\n"
    )
    assert ran([sys.executable, "-c", begun]).returncode == ended


def test_a_mount_point_is_quoted_where_a_command_is_offered():
    told = use_of_mount("/srv/a'; touch x #", {}, (), (), (), alone=False).workload
    words = shlex.split(told.learn.removeprefix("declare it: ").partition(" (or")[0])
    assert words == ["--workload", "/srv/a'; touch x #=oltp"]


@pytest.mark.parametrize(
    "words",
    few(
        [
            ["probe", "--yes", "--no-keep", "commit-fdatasync", "."],
            ["compare", "--dry-run", "."],
            ["doctor", "full", "."],
            ["trial", "--dry-run", "noatime", "--on-scratch", "."],
        ],
        2,
    ),
    ids=lambda words: words[0],
)
def test_a_working_directory_that_is_gone_is_one_line(words, tmp_path):
    (tmp_path / "gone").mkdir()
    command = f'cd "$1"; rmdir "$1"; shift; exec "$@" {shlex.join(words)}'
    done = ran(["sh", "-c", command, "sh", tmp_path / "gone", *ARGV], cwd=None)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert done.stderr.count("\n") == 1
    assert "working directory" in done.stderr


def test_a_disk_that_is_full_while_it_runs_does_not_break_it_for_good(tmp_path):
    checkout = tmp_path / "checkout"
    for name in ("fsadvisor", "rules", "fixtures/tables"):
        shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("__pycache__"))
    command = shlex.join([sys.executable, "-m", "fsadvisor", "find", "--help"])
    assert ran(["sh", "-c", f"ulimit -f 8; exec {command} > /dev/null"], cwd=checkout).stderr == ""
    again = ran(["sh", "-c", command], cwd=checkout)
    assert (again.returncode, again.stderr) == (0, "")
    assert [path.stem for path in checkout.rglob("*.pyc") if "cli" in path.parts] == []
