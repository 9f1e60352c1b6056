import fcntl
import json
import os
import pwd
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from types import MappingProxyType

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine import udev
from fsadvisor.machine.live import LiveMachine, refusal
from fsadvisor.machine.port import Reply
from fsadvisor.machine.runner import OUTPUT_CAP_BYTES
from fsadvisor.machine.watching import argument_paths
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.machine.stand_ins import write_tools
from tests.paths import ROOT
from tests.waiting import END_S

IMMUTABLE_FLAG, NO_DUMP_FLAG = 0x10, 0x40
FS_IOC_SETFLAGS = 0x40086602


def test_a_file_is_read_byte_for_byte(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"a\xff\n")
    assert LiveMachine().read(str(path)) == Reply("a\udcff\n", str(path), 0)


def test_paths_are_bytes_whatever_the_locale(tmp_path):
    name = os.fsencode(tmp_path) + b"/caf\xe9 \xc3\xa9"
    Path(os.fsdecode(name)).write_bytes(b"x")
    program = (
        "from fsadvisor.machine.live import LiveMachine\n"
        f"machine = LiveMachine(); path = {name.decode('utf-8', 'surrogateescape')!a}\n"
        f"print(machine.read(path).text, machine.entries({str(tmp_path)!r}) == (path.rsplit('/')[-1],))"
    )
    told = subprocess.run(
        [sys.executable, "-X", "utf8=0", "-c", program],
        cwd=ROOT, env={"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout == "x True\n"


@each("path", ["/nowhere", "/proc/version/x", "/nul\0byte", "/\ud800", ""])
def test_what_is_not_there_is_not_exposed(path):
    machine = LiveMachine()
    for answer in (machine.read(path), machine.entries(path), machine.link(path)):
        assert answer == Unknown(Cause.NOT_EXPOSED, "", path)
    assert machine.space(path).cause is machine.flags(path).cause is Cause.NOT_EXPOSED


@each("error", ["ENODEV", "ENXIO", "ENOENT", "ENOTDIR"])
def test_a_device_that_vanished_is_not_exposed(error):
    number = getattr(__import__("errno"), error)
    assert refusal(OSError(number, ""), "/sys/x").cause is Cause.NOT_EXPOSED


def test_other_errors_are_unreadable_and_say_why():
    assert LiveMachine().read("/sys/block").learn.startswith("Is a directory")
    assert LiveMachine().entries("/etc/passwd").cause is Cause.NOT_EXPOSED


def test_devices_and_fifos_are_never_opened(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    machine = LiveMachine(timeout=END_S)
    for path in (str(fifo), "/dev/null", str(tmp_path)):
        assert machine.read(path).cause is Cause.UNREADABLE
    assert machine.flags(str(fifo)).cause is machine.flags("/dev/null").cause is Cause.NOT_EXPOSED


def test_a_huge_file_is_not_read(tmp_path):
    sparse = tmp_path / "sparse"
    sparse.touch()
    os.truncate(sparse, 10 << 30)
    assert LiveMachine().read(str(sparse)).learn.startswith("more than 4 MiB")
    os.truncate(sparse, OUTPUT_CAP_BYTES)
    assert len(LiveMachine().read(str(sparse)).text) == OUTPUT_CAP_BYTES


def test_the_same_file_is_read_once_even_if_it_vanishes(tmp_path):
    path = tmp_path / "file"
    path.write_text("first")
    machine = LiveMachine()
    assert machine.read(str(path)).text == "first"
    path.unlink()
    assert machine.read(str(path)).text == "first"
    assert LiveMachine().read(str(path)).cause is Cause.NOT_EXPOSED


def test_the_same_command_is_run_once(tmp_path):
    machine = LiveMachine(tool_folders=write_tools(tmp_path))
    first = machine.run([("counted",), ("echo", "x"), ("counted",)])
    assert [reply.text for reply in first] == ["done\n", "x\n", "done\n"]
    assert machine.run([("counted",)]) == first[:1]
    assert (tmp_path / "counted.runs").read_text() == "run\n"


def test_a_link_tells_its_own_text(tmp_path):
    (tmp_path / "link").symlink_to("../no where")
    assert LiveMachine().link(str(tmp_path / "link")).text == "../no where"
    assert LiveMachine().link(str(tmp_path)) == Unknown(Cause.NOT_EXPOSED, "", str(tmp_path))


def test_entries_are_sorted(tmp_path):
    for name in "cab":
        (tmp_path / name).touch()
    assert LiveMachine().entries(str(tmp_path)) == ("a", "b", "c")


def test_an_ordinary_user_is_denied(tmp_path):
    (tmp_path / "secret").write_text("x")
    (tmp_path / "secret").chmod(0)
    (tmp_path / "locked").mkdir(mode=0)
    program = (
        "import os, sys\n"
        "from fsadvisor.machine.live import LiveMachine\n"
        "os.setuid(65534) if os.geteuid() == 0 else None\n"
        "machine = LiveMachine()\n"
        f"print(machine.root, machine.read('{tmp_path}/secret').cause.value,"
        f" machine.entries('{tmp_path}/locked').cause.value, machine.flags('{tmp_path}/secret').cause.value)"
    )
    for folder in tmp_path.parents:
        if str(folder).startswith("/tmp/"):
            folder.chmod(0o755)
    tmp_path.chmod(0o755)
    told = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout == "False denied denied denied\n"


def test_space_is_what_statvfs_says(tmp_path):
    room, answer = os.statvfs(tmp_path), json.loads(LiveMachine().space(str(tmp_path)).text)
    assert answer["size"] == room.f_blocks * room.f_frsize
    assert answer["inodes"] == room.f_files
    assert set(answer) == {"size", "free", "available", "inodes", "inodes_free"}


def test_flags_are_those_of_the_inode(tmp_path):
    path = tmp_path / "file"
    path.touch()
    with path.open() as file:
        try:
            fcntl.ioctl(file, FS_IOC_SETFLAGS, struct.pack("l", NO_DUMP_FLAG))
        except OSError:
            pytest.skip("the temporary folder's filesystem has no inode flags")
    assert int(LiveMachine().flags(str(path)).text, 16) & NO_DUMP_FLAG
    (tmp_path / "link").symlink_to(path)
    assert LiveMachine().flags(str(tmp_path / "link")).cause is Cause.NOT_EXPOSED


def test_udev_lists_every_block_device_in_export_db_form():
    before = set(LiveMachine().entries("/sys/block"))
    told = LiveMachine().udev()
    records = [record.splitlines() for record in told.text.split("\n\n") if record]
    names = {line.removeprefix("N: ") for record in records for line in record if line.startswith("N: ")}
    assert before & set(LiveMachine().entries("/sys/block")) <= names  # others come and go
    assert all(record[0].startswith("P: /devices/") and "E: SUBSYSTEM=block" in record for record in records)


@pytest.fixture
def named_process(tmp_path):
    """A running process named fsadvisor-tst with telling arguments."""
    program = tmp_path / "fsadvisor-tst"
    program.symlink_to(sys.executable)
    arguments = ["-D/srv/pg", "--datadir=/srv/my", "--password=/hunter2", "/etc/kafka.properties", "hunter3", "-F"]
    code = "import sys; print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [program, "-c", code, *arguments], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        yield process
        process.stdin.close()


def test_processes_are_found_by_exact_name_and_only_paths_leave(named_process, tmp_path):
    found = json.loads(LiveMachine().processes(["fsadvisor-tst", "nobody"]).text)
    (process,) = (it for it in found if it["pid"] == named_process.pid)  # another run of this may be on this machine
    assert process["cwd"] == str(tmp_path)
    assert process["paths"][-3:] == ["/srv/pg", "/srv/my", "/etc/kafka.properties"]
    assert process["settings"] == [["datadir", "/srv/my"], ["fsync", "off"]]
    assert process["here"] is True
    assert "hunter" not in json.dumps(process)
    assert "denied" not in process
    assert json.loads(LiveMachine().processes(["fsadvisor-ts"]).text) == []


def test_a_program_tells_whose_it_is_where_it_writes_and_where_it_was_started(tmp_path):
    program, code = tmp_path / "fsadvisor-wrt", "import sys; files = [open(sys.argv[1], 'w'), open('/etc/passwd')]"
    program.symlink_to(sys.executable)
    started_in = tmp_path / "gone"
    started_in.mkdir()
    with (
        tempfile.TemporaryDirectory(dir="/var/tmp") as folder,
        subprocess.Popen(
            [program, "-c", f"{code}; print(flush=True); sys.stdin.read()", f"{folder}/data"],
            cwd=started_in, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        ) as running,
    ):  # fmt: skip
        running.stdout.readline()
        started_in.rmdir()
        found = json.loads(LiveMachine().processes([program.name]).text)
        running.stdin.close()
    (process,) = (one for one in found if one["pid"] == running.pid)
    assert process["writes"] == folder
    assert process["user"] == pwd.getpwuid(os.getuid()).pw_name
    assert process["cwd"] == str(started_in)


def test_a_program_in_a_folder_deeper_than_a_path_can_say_hides_no_other(tmp_path):
    deep, plain = (tmp_path / name for name in ("fsadvisor-deep", "fsadvisor-pln"))
    deep.symlink_to(sys.executable)
    plain.symlink_to(sys.executable)
    down = "import os, sys\nfor _ in range(25): os.mkdir('x' * 200); os.chdir('x' * 200)\n"
    with (
        tempfile.TemporaryDirectory(dir="/var/tmp") as folder,
        subprocess.Popen(
            [deep, "-c", f"{down}print(flush=True); sys.stdin.read()"],
            cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        ) as below,
        subprocess.Popen([plain, "-c", "input()"], cwd=tmp_path, stdin=subprocess.PIPE, text=True) as running,
    ):  # fmt: skip
        below.stdout.readline()
        found = json.loads(LiveMachine().processes([deep.name, plain.name]).text)
        below.stdin.close()
        running.communicate("\n")
    told = {one["pid"]: (one["cwd"], one.get("denied", False)) for one in found}
    assert told[below.pid] == (None, True)
    assert told[running.pid] == (str(tmp_path), False)


def test_a_program_that_has_ended_runs_no_more(tmp_path):
    program = tmp_path / "fsadvisor-end"
    program.symlink_to(sys.executable)
    with subprocess.Popen([program, "-c", ""]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        found = json.loads(LiveMachine().processes(["fsadvisor-end"]).text)
        assert process.pid not in [it["pid"] for it in found]


@each(
    ("arguments", "paths"),
    [
        (["postgres", "-D", "/data", "-c", "config_file=/etc/x"], ["/data"]),
        (["java", "-Dkafka.logs.dir=/var/log", "-Xmx1g"], ["/var/log"]),
        (["mysqld", "-p/secret", "--password", "/secret", "--user=/u"], ["/u"]),
        (["x", "--api-token=/abc", "--tls_key=/k", "//host/share", "--dsn=//user@host"], []),
        (["x", "--token=y", "/data", "/new\nline"], ["/data", "/new\nline"]),
    ],
)
def test_paths_among_arguments(arguments, paths):
    assert argument_paths(arguments) == paths


def test_memory_and_transfers_are_told_by_the_kernels_own_files():
    storage = survey(LiveMachine(), {})
    (host,) = (one.scope["host"] for one in storage.subjects if one.kind == "host")
    assert host.memory_bytes.source == "/proc/meminfo"
    assert host.memory_bytes.value > 0
    for disk in (one.scope["disk"] for one in storage.subjects if one.kind == "disk"):
        assert disk.written_bytes.source == f"/sys/block/{disk.name.value}/stat"


def test_a_process_is_found_by_its_whole_name_which_the_kernel_cuts_short(tmp_path):
    program = tmp_path / "qemu-system-x86_64"
    program.symlink_to("/bin/sh")
    with subprocess.Popen([program, "-c", "echo; read _"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        running.stdout.readline()
        found = json.loads(LiveMachine().processes([program.name]).text)
        cut = json.loads(LiveMachine().processes([program.name[:15]]).text)
        running.stdin.close()
    assert running.pid in [one["pid"] for one in found]
    assert running.pid not in [one["pid"] for one in cut]


def test_pythons_own_way_to_find_a_library_is_back_once_pyudev_is_loaded():
    words = (
        "udev_context(); import ctypes.util; print(ctypes.util.find_library.__module__, ctypes.util.__spec__.origin)"
    )
    code = f"from fsadvisor.machine.udev import udev_context; {words}"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.startswith("ctypes.util /")


def test_a_udev_value_with_a_line_feed_can_not_pass_for_other_properties():
    class Device:
        device_path, device_node, device_links = "/devices/sda", "/dev/sda", ()
        properties = MappingProxyType({"ID_MODEL": "X\nE: ID_FS_LABEL=forged", "ID_BUS": "ata"})

    assert list(udev._udev_lines(Device())) == ["P: /devices/sda", "N: sda", "E: ID_BUS=ata", ""]


def test_what_is_looked_at_keeps_its_access_time(tmp_path):
    below = tmp_path / "below"
    below.mkdir()
    for file in ("read", "plainly", "below/listed"):
        (tmp_path / file).write_text("x" * 8192)
    asked = [tmp_path, below, *(tmp_path / file for file in ("read", "plainly", "below/listed"))]
    for path in asked:
        os.utime(path, (1, path.stat().st_mtime))
    machine = LiveMachine()
    machine.read(str(tmp_path / "read"))
    machine.settings(str(tmp_path / "read"))
    machine.entries(str(tmp_path))
    machine.extents(str(tmp_path))
    machine.flags(str(below))
    assert [path.stat().st_atime for path in asked] == [1] * len(asked)
    (tmp_path / "plainly").read_text()
    if (tmp_path / "plainly").stat().st_atime == 1:
        pytest.skip("the filesystem here keeps no access times")


@pytest.mark.parametrize("place", ["/proc/self/status", "/sys/kernel/tracing/trace_pipe"])
def test_a_link_to_what_the_kernel_makes_up_is_not_read(tmp_path, place):
    link = tmp_path / "postgresql.conf"
    link.symlink_to(place)
    if not Path(place).exists():
        pytest.skip(f"{place} is not here")
    assert LiveMachine().read(str(link)) == Reply("", str(link), 0)


SWAPPING = """
import os
while True:
    os.symlink("/dev/zero", "a")
    os.replace("a", "my.cnf")
    os.close(os.open("b", os.O_CREAT))
    os.replace("b", "my.cnf")
"""


def test_what_is_put_into_a_file_s_place_meanwhile_is_not_opened(tmp_path):
    path = tmp_path / "my.cnf"
    path.touch()
    with subprocess.Popen([sys.executable, "-c", SWAPPING], cwd=tmp_path) as swapping:
        try:
            seen = [LiveMachine().read(str(path)) for _ in range(1000)]
        finally:
            swapping.kill()
    assert not [one for one in seen if "more than 4 MiB" in repr(one)]
