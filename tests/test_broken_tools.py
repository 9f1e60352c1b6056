"""Tools of a newer kind, and such as do not start: what they say is no word of the drive."""

import subprocess

import pytest

from fsadvisor import readers
from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.machine.live import LiveMachine
from fsadvisor.machine.port import Reply
from fsadvisor.readers import nvme_logs, nvme_output
from fsadvisor.survey import drive, read_fact
from tests.cases import each
from tests.paths import FIXTURES
from tests.waiting import END_S

OUTPUTS = FIXTURES / "outputs"
USAGE = "\n".join(f"  some-command-{at:<20} Says what command {at} does, in a line of a usage text" for at in range(70))
"""As long as that of 3.0, which names its commands before it says what was wrong."""
NVME_3 = f"""
here={OUTPUTS}
case "$1 $2" in
"id ctrl") exec cat $here/nvme_id_ctrl/json-2.16.out ;;
"id ns") exec cat $here/nvme_id_ns/json-2.16.out ;;
"log smart") exec cat $here/nvme_smart_log/json-2.16.out ;;
"get-feature "*) exec cat $here/nvme_get_feature/json-3.0.out ;;
"ocp smart-add-log")
    echo '{{ "error":"ERROR : OCP : Failure reading the C0 Log Page, ret = 16386" }}'; exit 2 ;;
*) cat <<'END'
{USAGE}
END
    echo "ERROR: Invalid sub-command '$1' for global" >&2; exit 1 ;;
esac
"""
"""nvme-cli 3.0 built without the old names, as it answered in a guest."""

NOT_STARTED = {
    "a library is missing": (
        127,
        "error while loading shared libraries: libnvme3.so.1: cannot open shared file: No such file or directory",
    ),
    "the program is not to be run": (126, "sh: /usr/sbin/nvme: Permission denied"),
    "it is another processor's": (126, "sh: /usr/sbin/nvme: cannot execute binary file: Exec format error"),
    "the C library is older": (1, "nvme: /lib/libc.so.6: version `GLIBC_2.38' not found (required by nvme)"),
    "musl does not find a library": (127, "Error loading shared library libnvme.so.1: No such file or directory"),
    "a symbol is missing": (127, "nvme: symbol lookup error: nvme: undefined symbol: nvme_scan"),
}


def stand_in(folder, name, body):
    (folder / name).write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{body}\n")
    (folder / name).chmod(0o755)


class Device:
    """A namespace of which only the path and the size count."""

    path = "/dev/nvme0n1"
    sectors = Unknown(Cause.NOT_EXPOSED, "")


def asked(folder):
    machine = LiveMachine(timeout=END_S, tool_folders=[str(folder)])
    return drive.ask(machine, Device, Known("nvme", "test"), Unknown(Cause.NOT_EXPOSED, ""), drive.OcpLogs(machine, {}))


def test_nvme_cli_3_without_the_old_names_tells_what_2_tells(tmp_path):
    stand_in(tmp_path, "nvme", NVME_3)
    new = asked(tmp_path)
    stand_in(tmp_path, "nvme", NVME_3.replace('"id ctrl"', '"id-ctrl "*').replace('"id ns"', '"id-ns "*'))
    stand_in(tmp_path, "nvme", (tmp_path / "nvme").read_text().replace('"log smart"', '"smart-log "*'))
    old = asked(tmp_path)
    for name in ("id_ctrl", "id_ns", "smart_log", "cache_feature"):
        assert not isinstance(getattr(new, name), Unknown), name
        assert getattr(new, name) == getattr(old, name)


def test_an_error_as_a_json_document_is_the_drives_refusal(tmp_path):
    stand_in(tmp_path, "nvme", NVME_3)
    assert asked(tmp_path).ocp.learn == nvme_output.DOES_NOT_ANSWER


@pytest.mark.parametrize("status", [-1, 16384 | 0x80, 4])
def test_an_error_that_is_no_refusal_of_the_command_is_not_taken_for_one(status):
    said = f'{{ "error":"ERROR : OCP : Failure reading the C0 Log Page, ret = {status}" }}'
    assert nvme_output.refused(said, "no OCP SMART log").cause is Cause.UNREADABLE


@pytest.mark.parametrize("why", NOT_STARTED)
def test_a_tool_that_does_not_start_is_the_tools_failure(why, tmp_path):
    status, said = NOT_STARTED[why]
    stand_in(tmp_path, "nvme", f'echo "{said.replace("`", "")}" >&2; exit {status}')
    stand_in(tmp_path, "smartctl", f'echo "{said.replace("`", "")}" >&2; exit {status}')
    found = asked(tmp_path)
    for record in (found.id_ctrl, found.id_ns, found.smart_log, found.cache_feature, found.ocp):
        assert record.cause is Cause.UNREADABLE
        assert record.learn.startswith("reinstall ")


@each("why", [why for why in NOT_STARTED if why != "the program is not to be run"])
def test_in_an_archive_without_exit_statuses_the_loaders_words_tell(why):
    """Apart from "Permission denied", which could be the device's."""
    said = NOT_STARTED[why][1]
    record = read_fact.understood(Reply(f"nvme: {said}\n", "nvme smart-log", 0), nvme_logs.parse_nvme_smart_log)
    assert (record.cause, record.learn) == (Cause.UNREADABLE, readers.REINSTALL)


def test_a_program_with_a_library_that_is_not_there_says_what_is_expected_here(tmp_path):
    """The real loader's words, of a real program whose library was taken away."""
    (tmp_path / "lib.c").write_text("int seven(void) { return 7; }\n")
    (tmp_path / "tool.c").write_text("int seven(void); int main(void) { return seven(); }\n")
    try:
        subprocess.run(["cc", "-shared", "-o", "libseven.so", "lib.c"], cwd=tmp_path, check=True, capture_output=True)
        subprocess.run(["cc", "-o", "nvme", "tool.c", "-L.", "-lseven"], cwd=tmp_path, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no compiler here")
    (tmp_path / "libseven.so").unlink()
    assert asked(tmp_path).smart_log.learn == "reinstall nvme: it does not start (exit status 127)"
