"""What people are asked on one page: for a drive or a model, filled in, and answered in one go."""

import re

import pytest

from fsadvisor.machine.kept_files import ATTESTATIONS
from fsadvisor.storage.about import CHECKLISTS
from fsadvisor.storage.catalogue import catalogue
from fsadvisor.survey.whole import survey
from tests.command import in_text
from tests.paths import FIXTURES
from tests.told import disk, machine

MACHINE = FIXTURES / "machines" / "pm9a3-postgresql-volatile"
MODEL = "SAMSUNG MZQL23T8HCLS-00A07"
WHO = ("--by", "Jo Doe", "--because", "looked it up")


@pytest.fixture
def file(tmp_path):
    return tmp_path / "attest.toml"


def run(file, *argv):
    return in_text("--on", MACHINE, *(("--attestations", file) if file else ()), *argv)


def checklist(file, *argv):
    return run(file, "attest", "--checklist", "plp", *argv)


def marks(page):
    return {name: mark for mark, name in re.findall(r"^\[ ?(yes|no|\?) ?\] (\w+):", page, re.MULTILINE)}


def test_every_fact_of_a_checklist_can_be_attested():
    assert all(catalogue()[name].attested for names in CHECKLISTS.values() for name in names)


def test_the_page_holds_every_question_and_no_answer_that_nobody_gave():
    page = checklist(None).stdout
    assert set(marks(page)) == {name.partition(".")[2] for name in CHECKLISTS["plp"]}
    assert "--answer runbook=ANSWER" in page
    assert "=yes" not in page, "who pastes the command must not say yes to what was not read"


def test_a_model_is_answered_once_and_the_page_then_has_it(file):
    done = checklist(file, MODEL, *WHO, "--answer", "runbook=yes", "--answer", "backed_up=no")
    assert (done.returncode, done.stderr.count("written to")) == (0, 2), done.stderr
    assert f'subject = "model:{MODEL}"' in file.read_text()
    told = marks(checklist(file, "nvme0n1").stdout)
    assert (told["runbook"], told["backed_up"], told["swap_policy"]) == ("yes", "no", "?")
    assert run(file, "attest", "disk.runbook", MODEL, "--remove").returncode == 0
    assert marks(checklist(file, "nvme0n1").stdout)["runbook"] == "?"


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (("nvme9n1",), "neither a disk nor a model here; did you mean 'nvme0n1'?"),
        (("nvme0n1", *WHO, "--answer", "runbok=yes"), "did you mean 'runbook'?"),
        (("nvme0n1", *WHO, "--answer", "runbook"), "say the answer"),
        (("nvme0n1", *WHO, "--answer", "runbook=ANSWER"), "disk.runbook is yes/no, not 'ANSWER'"),
        (("nvme0n1", "--answer", "runbook=yes"), "--by WHO"),
        (("nvme0n1", "disk:sda"), "is of one disk or model"),
    ],
)
def test_a_mistake_is_told_in_a_line_and_nothing_is_written(file, argv, says):
    file.write_text("# mine\n")
    done = checklist(file, *argv)
    assert done.returncode == 2
    assert says in " ".join(done.stderr.split()), done.stderr
    assert file.read_text() == "# mine\n"


def test_one_wrong_answer_leaves_all_unwritten(file):
    file.write_text("# mine\n")
    done = checklist(file, "nvme0n1", *WHO, "--answer", "runbook=yes", "--answer", "swap_policy=perhaps")
    assert (done.returncode, file.read_text()) == (2, "# mine\n")


def entry(fact, *drives):
    pins = "".join(
        f'\n[[attestation.drive]]\nmodel = "EXAMPLE"\nserial = "{serial}"\n{more}\n' for serial, more in drives
    )
    return f"""[[attestation]]
fact = "{fact}"
subject = "model:EXAMPLE"
value = true
by = "Jo"
on = 2026-11-20
until = 2027-11-20
because = "read"
{pins}"""


def facts(text, name, *, firmware="1.0", serials=("S1", "S2")):
    disks = [
        disk(f"sd{letter}", device__model="EXAMPLE", device__rev=firmware, serial=serial)
        for letter, serial in zip("ab", serials, strict=True)
    ]
    storage = survey(machine(*disks, files={ATTESTATIONS: text}), {})
    read = catalogue()[name].reader()
    told = [getattr(read(it.scope), "value", None) for it in storage.subjects if it.kind == "disk"]
    return told, [one.why for one in storage.ignored]


def test_what_is_said_of_a_model_counts_for_the_drives_that_were_there_then():
    both = entry("disk.runbook", ("S1", ""), ("S2", ""))
    assert facts(both, "disk.runbook") == ([True, True], [])
    assert facts(both, "disk.runbook", serials=("S1", "S9")) == ([True, None], []), "a drive put in is asked of anew"


def test_what_is_said_of_firmware_ends_with_the_firmware():
    text = entry("disk.firmware_trusted", ("S1", 'firmware = "1.0"'), ("S2", 'firmware = "1.0"'))
    assert facts(text, "disk.firmware_trusted") == ([True, True], [])
    told, why = facts(text, "disk.firmware_trusted", firmware="2.0")
    assert told == [None, None]
    assert why == ["the firmware of sda is another now: '2.0', not '1.0'"]


def test_a_model_and_one_of_its_drives_that_contradict_each_other_do_not_count():
    one = entry("disk.runbook", ("S1", "")).replace("model:EXAMPLE", "disk:sda").replace("true", "false")
    told, why = facts(one + entry("disk.runbook", ("S1", ""), ("S2", "")), "disk.runbook")
    assert told == [None, True]
    assert set(why) == {"another entry says otherwise of the same"}


def test_who_knows_better_than_what_was_looked_up_may_say_no(file):
    assert marks(checklist(None).stdout)["path_covered"] == "yes"
    assert checklist(file, "nvme0n1", *WHO, "--answer", "path_covered=no").returncode == 0
    assert marks(checklist(file, "nvme0n1").stdout)["path_covered"] == "no"
