"""The kernel's log from what an archive has of it: dmesg in both forms, journals, syslog's files, kdump's."""

import tarfile

import pytest

from fsadvisor.machine import archived_logs
from fsadvisor.machine.opening import open_machine
from fsadvisor.machine.port import MachineError
from fsadvisor.readers import kernel_log
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.command import in_text
from tests.machine.test_archive_versions import FILES, known, section, seen, sos, write

CRASH = """\
[    0.000000] Linux version 5.14.0-427.13.1.el9_4.x86_64 (mockbuild@build) (gcc) #1 SMP
[    0.000000] Command line: root=/dev/mapper/rhel-root ro rootflags=noatime
[    0.000000] DMI: Dell Inc. PowerEdge R650/0PYXKY, BIOS 1.9.2 11/17/2022
[    2.200000] sd 0:0:0:0: [sda] 937703088 512-byte logical blocks: (480 GB/447 GiB)
[    2.300000]  sda: sda1 sda2
[    2.400000]  nvme0n1: p1
[90000.100000] blk_update_request: I/O error, dev sda, sector 12345 op 0x1:(WRITE) flags 0x0 phys_seg 1 prio class 0
[90000.200000] nvme nvme0: I/O 12 QID 3 timeout, aborting
[90010.100000] INFO: task xfsaild/dm-0:812 blocked for more than 122 seconds.
[90030.100000] Kernel panic - not syncing: Fatal exception
"""
BOOTED, FAILED = "Linux version 4.18.0-1", "blk_update_request: I/O error, dev sda, sector 8 op 0x1:(WRITE)"
JOURNAL = f"""\
-- Logs begin at Mon 2024-12-30 09:00:00 UTC, end at Thu 2025-01-02 10:00:00 UTC. --
Dec 30 09:00:00 db7 kernel: {FAILED}
Dec 31 10:00:00 db7 kernel: {BOOTED}
Dec 31 10:00:01 db7 systemd[1]: Started A.
Jan 02 09:00:00 db7 kernel: {FAILED}
Jan 02 10:00:00 db7 sshd[700]: kernel: {FAILED}
"""
ISO = f"""\
2024-12-31T10:00:00+0100 db7 kernel: {BOOTED}
2025-01-02T09:00:00+0100 db7 kernel: {FAILED}
2025-01-02T10:00:00+0100 db7 sshd[700]: kernel: {FAILED}
"""
CLOCKED = f"[Tue Dec 31 10:00:00 2024] {BOOTED}\n[Thu Jan  2 09:00:00 2025] {FAILED}\n"
UBUNTU = JOURNAL.replace("kernel: blk", "kernel: [169200.000001] blk")


def read(log):
    told = kernel_log.parse(log.text)
    return [(it.device, it.count, it.last) for it in told.events]


@each(
    ("outputs", "files"),
    [
        ({"dmesg": f"[    0.000000] {BOOTED}\n[169200.000000] {FAILED}\n"}, {}),
        ({"dmesg -T": CLOCKED}, {}),
        ({"journalctl --no-pager --boot": JOURNAL}, {}),
        ({"journalctl --all --this-boot --no-pager": JOURNAL}, {}),
        ({"journalctl --no-pager --boot=0 --output=short-iso": ISO}, {}),
        ({}, {"/var/log/messages": JOURNAL}),
        ({}, {"/var/log/kern.log": UBUNTU}),
        ({}, {"/var/log/messages": JOURNAL.replace("Linux version", "x"), "/proc/uptime": "172800.00 1.0\n"}),
        ({"uptime": " 10:00:00 up 2 days, 0 min,  1 user"}, {"/var/log/syslog": JOURNAL.replace("Linux", "x")}),
    ],
)
def test_each_form_of_the_log_tells_this_boots_failure_and_when_it_was(outputs, files):
    log = archived_logs.kernel_log(outputs.get, files.get)
    assert read(log) == [("sda", 1, pytest.approx(169200, abs=1))]
    assert log.source in {*outputs, *files}


def test_a_log_without_its_beginning_of_a_machine_without_uptime_tells_nothing():
    assert archived_logs.kernel_log({"dmesg -T": CLOCKED.replace("Linux version", "x")}.get, {}.get) is None


@each(
    ("said", "seconds"),
    [
        (" 14:32:01 up 12 days,  3:04,  2 users,  load average: 0.00", 12 * 86400 + 3 * 3600 + 240),
        (" 14:32:01 up 1 day, 22 min,  2 users,  load average: 0.00", 86400 + 22 * 60),
        (" 14:32:01 up  3:04,  1 user,  load average: 0.00", 3 * 3600 + 240),
        ("nothing", None),
    ],
)
def test_uptime_tells_the_seconds(said, seconds):
    told = archived_logs.uptime({"uptime": said}.get, None)
    assert (told and float(told.text)) == seconds


@pytest.mark.parametrize("at", ["vmcore-dmesg.txt", "nodes/worker-0/dmesg", "var/crash/1-2024/vmcore-dmesg.txt"])
def test_a_crashed_kernels_log_tells_disks_errors_and_what_hung(tmp_path, at):
    write(tmp_path, {at: CRASH} | ({"sos_commands/host/uname": ""} if at.startswith("var") else {}))
    places = [tmp_path, tmp_path / at] if at.startswith("vm") else [tmp_path]
    if not at.startswith("var"):
        with tarfile.open(tmp_path / "all.tar.gz", "w:gz") as tar:
            tar.add(tmp_path / at.partition("/")[0], f"x/{at.partition('/')[0]}")
        places.append(tmp_path / "all.tar.gz")
    for place in places:
        subjects = seen(place)
        assert [it for it in subjects if it.startswith("disk:")] == ["disk:nvme0n1", "disk:sda"]
        assert subjects["layer:sda2"].below == ("disk:sda",)
        assert known(subjects["disk:sda"], "disk.log_errors") == 1
        assert known(subjects["disk:sda"], "disk.size_bytes") == 937703088 * 512
        assert known(subjects["disk:nvme0n1"], "disk.log_link_troubles") == 1
        assert known(subjects["host"], "host.log_hung_tasks") == 1
        assert str(known(subjects["host"], "host.kernel")) == "5.14.0"
        assert known(subjects["host"], "host.product") == "Dell Inc. PowerEdge R650/0PYXKY"
        assert known(subjects["host"], "host.root_flags") == ("noatime",)


def test_a_supportconfigs_log_by_the_clock_is_read(tmp_path):
    boot = section("Command", "/bin/dmesg -T", CLOCKED.strip())
    disks = "".join(section("Configuration File", f"/{path}", text.strip()) for path, text in FILES.items())
    host = section("Command", "/usr/bin/hostnamectl", "  Chassis: server") + section(
        "Command", "/usr/bin/uptime", " 10:00:00 up 2 days, 0 min,  1 user"
    )
    write(tmp_path, {"s/basic-environment.txt": host, "s/boot.txt": boot, "s/fs-diskio.txt": disks})
    subject = seen(tmp_path)["disk:sda"]
    assert subject.scope["disk"].log_errors.value == 1
    assert subject.scope["disk"].log_errors.source.startswith("dmesg -T; ")


def test_the_end_of_a_log_that_is_too_long_is_read_from_a_folder_and_from_an_archive(tmp_path):
    top = sos(tmp_path / "s", "sos 3.6")
    noise = f"Jan 02 09:30:00 db7 sshd[1]: {'x' * 300}\n" * 14_000
    write(top, {"var/log/messages": noise + JOURNAL, "sos_commands/host/uptime": " 10:00 up 3 days, 0 min,  1 user"})
    with tarfile.open(tmp_path / "s.tar", "w") as tar:
        tar.add(top, "s")
    for place in (top, tmp_path / "s.tar"):
        assert known(seen(place)["disk:sda"], "disk.log_errors") == 1


@pytest.mark.parametrize("mark", ["sos_commands/host/uptime", "proc/self/status", "dmesg"])
def test_a_directory_of_several_machines_names_them(tmp_path, mark):
    write(tmp_path, {f"q/nodes/{node}/{mark}": CRASH for node in ("worker-0", "worker-1")})
    with pytest.raises(MachineError, match=r"holds 2 machines; .*: q/nodes/worker-0, q/nodes/worker-1"):
        open_machine(tmp_path)
    assert survey(open_machine(tmp_path / "q/nodes/worker-1"), {})


def test_names_of_machines_are_told_without_their_escapes(tmp_path):
    write(tmp_path, {f"\x1b[31m{node}/sos_commands/x": "" for node in "ab"})
    ran = in_text("--on", tmp_path)
    assert ran.returncode == 2
    assert "holds 2 machines" in ran.stderr
    assert "\x1b" not in ran.stderr


def test_a_log_that_is_too_long_says_how_to_cut_it(tmp_path):
    (tmp_path / "log").write_text(CRASH + "x" * (5 << 20))
    with pytest.raises(MachineError, match="keep its end: tail -c 4M FILE"):
        open_machine(tmp_path / "log")
