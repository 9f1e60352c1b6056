"""The shape of the cost, counted and never timed: what grows with the disks, and what a command loads."""

import subprocess
import sys
from collections import Counter

import pytest
from msgspec.structs import replace

from fsadvisor import __version__
from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.machine.port import Reply
from fsadvisor.machine.recorded import RecordedMachine
from fsadvisor.readers import kernel_log
from fsadvisor.report.as_json import as_json
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.storage import Storage
from fsadvisor.survey.block import Udev
from fsadvisor.survey.configured import Configured, device_missing, same_uuid
from fsadvisor.survey.drive import OcpLogs
from fsadvisor.survey.services import Neighbours
from fsadvisor.survey.whole import survey
from tests.paths import ROOT
from tools.bench.generated import write_machine

FEW, MANY = 10, 40
A_FEW_TIMES = 4
SLOW = {"shutil", "bz2", "lzma", "platform", "typing_extensions", "tempfile", "inspect", "dataclasses", "ctypes.util"}
"""No audit needs these, and each takes as long to load as several modules of ours."""
NOBODY_S_FAULT = (Cause.NOT_APPLICABLE, Cause.NOT_ATTESTED, Cause.NOT_MEASURED)
"""A file of the whole machine may be read by the few that need it; one of a disk is read once."""


class Counting:
    """Answers as the machine inside does, and counts the questions."""

    def __init__(self, inner):
        self.inner = inner
        self.asked = Counter()

    def __getattr__(self, question):
        answer = getattr(self.inner, question)
        return answer if not callable(answer) else lambda *what: self.count(question, what, answer)

    def count(self, question, what, answer):
        for one in what[0] if question in ("run", "expect") else [what]:
            self.asked[question, one if isinstance(one, tuple) else (one,)] += 1
        return answer(*what)


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("generated")
    for disks in (0, FEW, MANY):
        write_machine(folder / str(disks), disks)
    return folder


@pytest.fixture(scope="module")
def asked(generated):
    """The questions of a survey, by the number of disks."""
    counts = {}
    for disks in (0, FEW, MANY):
        machine = Counting(RecordedMachine(generated / str(disks)))
        survey(machine, {})
        counts[disks] = machine.asked
    return counts


@pytest.mark.long
@pytest.mark.parametrize("question", ["read", "entries", "link", "space", "run"])
def test_questions_grow_in_proportion_to_disks(asked, question):
    def total(disks):
        return sum(times for (kind, _), times in asked[disks].items() if kind == question)

    few, many = total(FEW) - total(0), total(MANY) - total(0)

    assert few > 0
    assert many / few == pytest.approx(MANY / FEW, rel=0.1)


@pytest.mark.long
def test_a_file_of_a_disk_is_read_once(asked):
    of_disks = {
        question: times
        for question, times in asked[MANY].items()
        if question not in asked[0] and question[0] in ("read", "link", "space") and "/devices/" not in question[1][0]
    }

    assert len(of_disks) > 50 * MANY
    assert {question: times for question, times in of_disks.items() if times > 1} == {}


@pytest.mark.long
def test_files_of_the_whole_machine_are_read_as_often_whatever_its_size(asked):
    of_host = {question for question in asked[FEW] if question in asked[0] and question[0] != "run"}

    assert len(of_host) > 20
    assert {it: asked[MANY][it] for it in of_host} == {it: asked[FEW][it] for it in of_host}
    assert max(asked[MANY][it] for it in of_host) <= A_FEW_TIMES


@pytest.mark.long
def test_a_command_is_asked_for_ahead_and_then_by_one_reader(asked):
    commands = {question[1]: times for question, times in asked[MANY].items() if question[0] == "run"}

    assert {argv: times for argv, times in commands.items() if times > 3} == {}


@pytest.mark.long
def test_subjects_of_the_same_disk_share_what_is_folded_below_them(generated):
    subjects = survey(RecordedMachine(generated / str(FEW)), {}).subjects
    folded = {id(subject.scope["below"]) for subject in subjects if subject.kind == "layer"}

    assert len(folded) <= FEW


class Watched(dict):
    """The scope of a subject that notes each time that it is asked."""

    def __init__(self, scope, asked, subject):
        super().__init__(scope)
        self.asked, self.subject = asked, subject

    def get(self, *key):
        self.asked.append(self.subject)
        return super().get(*key)

    def __getitem__(self, key):
        self.asked.append(self.subject)
        return super().__getitem__(key)


@pytest.mark.long
def test_rules_are_done_with_the_first_subjects_before_they_ask_the_last(generated):
    subjects = survey(RecordedMachine(generated / str(FEW)), {}).subjects
    disk = next(subject for subject in subjects if subject.kind == "disk")
    asked = []
    disks = [replace(disk, id=f"disk:{number:04}", scope=Watched(disk.scope, asked, number)) for number in range(1000)]
    advise(Storage(machine="made up", subjects=tuple(disks)), own_rulebook().rules)

    assert set(asked) == set(range(1000))
    assert max(at for at, number in enumerate(asked) if number == 0) < asked.index(999)


def test_a_program_looks_up_its_own_disks_and_not_those_of_all_others():
    looked_up = Counter()

    def disks_of(folder):
        looked_up[folder] += 1
        return Known((f"disk of {folder}",), "made up")

    folders = [Known(f"/srv/{number}", "made up") for number in range(MANY)]
    neighbours = Neighbours(folders, disks_of)

    assert not any(neighbours.shares_disk(folder).value for folder in folders)
    assert set(looked_up.values()) == {2}


def test_a_uuid_in_fstab_is_looked_up_and_not_searched_for_among_all_devices():
    walks = Counter()

    class Walked(dict):
        def items(self):
            walks["items"] += 1
            return super().items()

        values = None

    uuids = Walked({f"sda{number}": f"{number}-A" for number in range(MANY)})
    udev = Udev({"ID_FS_UUID": uuids, "ID_FS_TYPE": dict.fromkeys(uuids, "ext4")})
    for number in range(MANY):
        wanted = Configured(
            mount_point="/srv", fs_type="ext4", options=(), where="/etc/fstab:1", what=f"UUID={number}-A"
        )
        assert same_uuid(wanted, udev).value == ()
        assert device_missing(wanted, udev, (), {}).value is False

    assert walks == {"items": 1}


def test_the_log_of_a_drive_is_asked_for_once_however_many_others_are_held_against_it():
    machine = Counting(Logs())
    paths = [f"/dev/nvme{number}n1" for number in range(MANY)]
    logs = OcpLogs(machine, {path: (path, None) for path in paths})

    assert [logs.same_as(path, path) for path in paths] == [None] * MANY
    assert set(machine.asked.values()) == {1}
    assert len(machine.asked) == MANY


class Logs:
    """Each drive says its own path."""

    def run(self, commands):
        return [Reply(next(word for word in argv if word.startswith("/dev/")), "made up") for argv in commands]


@pytest.mark.long
def test_most_facts_that_say_the_same_are_one_object(generated):
    known = {}
    for subject in survey(RecordedMachine(generated / str(MANY)), {}).subjects:
        facts = subject.scope[subject.kind]
        for fact in (getattr(facts, name) for name in facts.__slots__):
            if isinstance(fact, Known):
                known[id(fact)] = (type(fact.value), fact.value, fact.source)

    assert len(known) - len(set(known.values())) < 20 * MANY


@pytest.mark.long
def test_a_generated_machine_answers_most_of_what_is_asked(generated):
    machine = RecordedMachine(generated / str(FEW))
    facts = [
        getattr(facts, name)
        for subject in survey(machine, {}).subjects
        for facts in (subject.scope[subject.kind],)
        for name in facts.__slots__
    ]
    applicable = [fact for fact in facts if not isinstance(fact, Unknown) or fact.cause not in NOBODY_S_FAULT]
    unknown = [fact for fact in applicable if isinstance(fact, Unknown)]

    assert len(unknown) < len(applicable) / 10


@pytest.mark.long
def test_the_json_report_comes_in_pieces_of_one_subject_or_verdict(generated):
    sizes = {}
    for disks in (FEW, MANY):
        storage = survey(RecordedMachine(generated / str(disks)), {})
        pieces = as_json(storage, advise(storage, own_rulebook().rules), about())
        sizes[disks] = sorted(map(len, pieces))

    assert len(sizes[MANY]) > 3 * len(sizes[FEW])
    assert sizes[MANY][-1] < 2 * sizes[FEW][-1]


def about():
    from fsadvisor.report.model import Provenance

    return Provenance(version="0", root=True)


def loaded(*arguments):
    """The modules that a command has loaded when it ends."""
    code = (
        "import sys, io\n"
        f"sys.argv = ['fsadvisor', *{list(arguments)!r}]\n"
        "from fsadvisor.__main__ import exit_status\n"
        "try:\n"
        "    exit_status()\n"
        "finally:\n"
        "    there = [name for name, module in sys.modules.items() if type(module).__name__ != '_LateModule']\n"
        "    print('\\n', *sorted(there), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    return set(done.stderr.split("\n")[-2].split())


def test_version_is_answered_before_anything_is_loaded():
    bare = subprocess.run([sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True)
    own = loaded("--version") - set(bare.stdout.split())

    assert own <= {"__future__", "errno", "fsadvisor", "fsadvisor.__main__"}


def test_the_program_ends_without_taking_itself_apart():
    code = "import atexit, sys; atexit.register(print, 'taken apart'); sys.argv = ['fsadvisor', '--version']\n"
    code += "from fsadvisor.__main__ import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)

    assert (done.returncode, done.stdout, done.stderr) == (0, f"fsadvisor {__version__}\n", "")


def test_the_program_waits_for_a_thread_that_has_something_to_finish():
    code = "import os, sys, threading; sys.argv = ['fsadvisor', '--version']\n"
    code += "threading.Thread(target=lambda: os.write(1, os.read(0, 9))).start()\n"
    code += "from fsadvisor.__main__ import main; sys.exit(main())"
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        version = running.stdout.readline()
        rest, _ = running.communicate("finished")

    assert (version, rest, running.returncode) == (f"fsadvisor {__version__}\n", "finished", 0)


@pytest.mark.long
@pytest.mark.parametrize("form", ["json", "html"])
def test_a_recorded_machine_is_judged_without_interface_and_without_live_libraries(generated, form):
    modules = loaded("--on", str(generated / str(FEW)), f"--{form}")

    assert f"fsadvisor.report.as_{form}" in modules
    assert modules.isdisjoint({"textual", "rich", "asyncio", "psutil", "pyudev", *SLOW})


def test_this_machine_is_judged_without_readers_that_nothing_asks():
    modules = loaded("--json")

    assert "fsadvisor.report.as_json" in modules
    assert modules.isdisjoint({"textual", "rich", "asyncio", "tomllib", *SLOW})


def test_of_the_kernels_log_only_patterns_are_compiled_whose_words_a_line_holds():
    quiet = "".join(
        f"[{at:12.6f}] {word} ({at}): mounted, and all is well\n"
        for at, word in enumerate(("XFS", "EXT4-fs", "BTRFS info", "F2FS-fs", "nvme nvme0", "sd", "ata1", "md"), 1)
    )
    kernel_log.patterns.cache_clear()
    kernel_log._beginning.cache_clear()
    kernel_log.parse(quiet)

    assert [row.id for row in kernel_log.patterns() if row.match._compiled] == []
