"""The kernel's log: each pattern knows its wordings, echoes are not counted twice, a new drive is a new one."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsadvisor.facts import NOT_APPLICABLE, Cause, Known, Unknown
from fsadvisor.machine import archived_logs
from fsadvisor.machine.redaction import log_about_storage
from fsadvisor.readers import kernel_log
from fsadvisor.survey import block
from fsadvisor.survey import faults as judged
from tests.cases import each, tries
from tests.panel import build

PATTERNS = kernel_log.patterns()


def log(*lines, start=100.0):
    return kernel_log.parse("".join(f"[{start + at:12.6f}] {line}\n" for at, line in enumerate(lines)))


def told(*lines):
    return {(it.pattern, it.device): it.count for it in log(*lines).events}


@each("pattern", PATTERNS)
def test_each_wording_of_a_pattern_is_known_alone_and_in_a_recording(pattern):
    for line in pattern.examples:
        assert pattern.match.match(line)
        if pattern.kind not in ("attached", "unnamed"):
            whole = f"[   12.000000] {line}\n"
            assert len(kernel_log.parse(whole).events) == 1, "the cheap look and the table agree"
            if pattern.kind in ("io", "link", "filesystem", "read-only", "hung"):
                again = kernel_log.parse(log_about_storage(whole))
                assert [it.kind for it in again.events] == [it.kind for it in kernel_log.parse(whole).events]


@tries(50)
@given(st.data())
def test_each_line_that_fits_a_pattern_holds_one_of_its_words(data):
    for pattern in data.draw(st.lists(st.sampled_from(PATTERNS), min_size=5, max_size=20, unique_by=id)):
        line = data.draw(st.from_regex(re.compile(pattern.match.pattern, re.ASCII)))
        assert any(word in line for word in pattern.words), (pattern.id, line)


def test_sixty_patterns_stand_in_a_kernel_each_with_its_file():
    assert len(PATTERNS) >= 60
    assert len({it.id for it in PATTERNS}) == len(PATTERNS)
    assert all(it.kernels and it.source.endswith((".c", ".h")) for it in PATTERNS)
    known = {it.id for it in PATTERNS}
    assert all(set(it.over) <= known - {it.id} for it in PATTERNS)


def test_a_line_that_only_echoes_another_is_not_counted():
    medium = "critical medium error, dev sda, sector 2048 op 0x0:(READ) flags 0x0"
    echo = "Buffer I/O error on dev sda, logical block 256, async page read"
    assert told(medium, echo, medium) == {("medium-error", "sda"): 2}
    assert told(echo) == {("buffer-error-async", "sda"): 1}


def test_a_device_is_called_by_its_name_where_the_line_has_its_path():
    assert told("Buffer I/O error on dev /dev/sdb, logical block 16, async page read") == {
        ("buffer-error-async", "sdb"): 1
    }


def test_what_was_said_before_another_drive_came_was_not_about_it():
    error = "I/O error, dev sdb, sector 8 op 0x1:(WRITE) flags 0x0"
    assert told(error, "sd 3:0:0:0: [sdb] Attached SCSI disk") == {}
    assert told("sd 3:0:0:0: [sdb] Attached SCSI disk", error) == {("io-error", "sdb"): 1}
    of_parts = ("Aborting journal on device loop0-8.", "EXT4-fs (loop0p1): Remounting filesystem read-only")
    of_another = "Aborting journal on device loop01-8."
    lines = (*of_parts, of_another, "loop0: detected capacity change from 0 to 204800")
    assert {device for _, device in told(*lines)} == {"loop01-8"}
    recorded = log_about_storage("".join(f"[   12.000000] {line}\n" for line in lines))
    assert {event.device for event in kernel_log.parse(recorded).events} == {"loop01-8"}


def test_what_was_said_of_a_loop_device_is_in_doubt_once_attached_ones_were_not_named():
    error = "I/O error, dev loop0, sector 8 op 0x1:(WRITE) flags 0x0"
    of_a_drive = "I/O error, dev sda, sector 8 op 0x1:(WRITE) flags 0x0"
    lost = "set_capacity_and_notify: 6 callbacks suppressed"
    text = "".join(f"[   12.000000] {line}\n" for line in (error, of_a_drive, lost))
    for whole in (text, log_about_storage(text)):
        assert {it.device: it.doubtful for it in kernel_log.parse(whole).events} == {"loop0": True, "sda": False}
    again = kernel_log.parse(f"{text}[   13.000000] {error}\n").events
    assert {(it.device, it.count, it.doubtful) for it in again} == {("loop0", 1, False), ("sda", 1, False)}
    up, device = Known(1000, "uptime"), replace(build_device("sda", ""), name="loop0", hardware="")
    assert judged.logged_on_disk(log(error, lost), device, up, "io").cause is Cause.NOT_EXPOSED
    assert judged.logged_on_disk(log(error, lost, error), device, up, "io").value == 1


def test_what_aacraid_says_in_two_lines_is_of_the_disk_that_the_second_names():
    first, second = "aacraid: Host adapter abort request.", "aacraid: Outstanding commands on (0,1,4,0):"
    for begins in ("[  100.000000] ", "[  100.000000] kernel: "):
        text = f"{begins}{first}\n{' ' * len(begins)}{second}\n{begins}{first}\n{begins}{second}\n"
        for whole in (text, log_about_storage(text)):
            assert [(it.device, it.count) for it in kernel_log.parse(whole).events] == [("0:1:4:0", 2)]
    other = f"[  100.000000] tmpfs: Unknown parameter 'x'\n               {second}\n"
    assert kernel_log.parse(other).events == ()


@pytest.mark.parametrize("sign", ["\r", "\v", "\f", "\x1c", "\x85", "\u2028"], ids=ascii)
def test_what_a_user_has_the_kernel_log_is_no_line_of_the_kernels_own(sign):
    error = "I/O error, dev sda, sector 8 op 0x1:(WRITE) flags 0x0"
    attached = f"{sign}[  101.000000] sd 0:0:0:0: [sda] Attached SCSI disk"
    failed = f"tmpfs: Unknown parameter 'x{attached}{sign}[  101.000001] {error.replace('sda', 'sdb')}'"
    assert told(error, failed) == {("io-error", "sda"): 1}
    recorded = log_about_storage("".join(f"[  100.000000] {line}\n" for line in (error, failed)))
    assert [it.device for it in kernel_log.parse(recorded).events] == ["sda"]
    assert dict(archived_logs.disks(f"[    1.000000] {failed}{sign}[    1.1]  sdc: sdc1\n")) == {}


def test_what_is_not_about_storage_is_left_alone():
    assert (
        log("usb 1-1: new device", "nvme nvme0: 4/0/0 default/read/poll queues", "ata1: SATA link up 6.0 Gbps").events
        == ()
    )


def test_a_log_that_may_not_be_read_is_not_an_empty_one():
    assert isinstance(kernel_log.parse("dmesg: read kernel buffer failed: Operation not permitted\n"), Unknown)
    assert isinstance(kernel_log.parse(""), Unknown)


def test_a_log_that_ends_within_a_line_is_cut_short():
    whole = "[    1.000000] sd 0:0:0:0: [sda] Attached SCSI disk\n[    2.000000] ata3: hard resetting link\n"
    assert not isinstance(kernel_log.parse(whole), Unknown)
    assert isinstance(kernel_log.parse(whole[:-9]), Unknown)


def test_a_recording_holds_no_line_about_anything_else_and_no_name_of_a_file():
    text = (
        "[    1.000000] Command line: root=/dev/sda1 password=secret\n"
        "[    2.000000] IN=eth0 SRC=192.0.2.1\n"
        "[    3.000000] EXT4-fs error (device sda1): ext4_lookup:1: inode #2: comm payroll: bad name 'salaries.txt'\n"
    )
    assert log_about_storage(text) == (
        "[    1.000000] \n[    3.000000] EXT4-fs error (device sda1): ext4_lookup:1: inode #2\n"
    )


def test_a_recording_holds_no_path_no_label_and_no_program_of_the_log():
    text = (
        "[    2.000000] BTRFS: device label payroll devid 1 transid 8 /dev/sda scanned by payrolld (312)\n"
        "[    3.000000] BTRFS warning (device sda): checksum error at logical 1 on dev /dev/sda, physical 1, root 5, "
        "inode 257, offset 0, length 4096, links 1 (path: home/payroll)\n"
        "[    4.000000] INFO: task payrolld:1234 blocked for more than 120 seconds.\n"
    )
    recorded = log_about_storage(text)
    assert "payroll" not in recorded
    assert [it.kind for it in kernel_log.parse(recorded).events] == [it.kind for it in kernel_log.parse(text).events]


def test_age_and_count_are_told_and_what_is_old_does_not_count():
    device = build_device("sda", "ata3")
    found = log(*["ata3: hard resetting link"] * 4, start=1000.0)
    young = judged.logged_on_disk(found, device, Known(1000 + 7200, "uptime"), "link")
    assert young.value == 4
    assert "the link was reset 4 times, first 2 h ago, last 119 min ago" in young.source
    assert judged.logged_on_disk(found, device, Known(1000 + 8 * 86400, "uptime"), "link").value == 0
    unknown = Unknown(Cause.DENIED, "")
    assert judged.logged_on_disk(found, device, unknown, "link") is unknown
    assert judged.logged_on_disk(found, device, Known(9000, "uptime"), "io") == Known(0, "dmesg")


def test_only_a_disks_own_port_controller_and_place_speak_of_it():
    found = log("ata4: hard resetting link", "nvme nvme1: controller is down; will reset: CSTS=0xffffffff")
    up = Known(1000, "uptime")
    assert judged.logged_on_disk(found, build_device("sda", "ata3"), up, "link").value == 0
    assert judged.logged_on_disk(found, build_device("sdb", "ata4"), up, "link").value == 1


def test_a_journals_error_is_its_filesystems():
    found = log("Aborting journal on device sda1-8.", "EXT4-fs (dm-3): Remounting filesystem read-only")
    up = Known(1000, "uptime")
    assert judged.logged_on_filesystem(found, ("sda1",), up).value == 1
    assert judged.logged_on_filesystem(found, ("dm-3",), up).value == 1
    assert judged.logged_on_filesystem(found, ("sda2",), up).value == 0


def test_a_title_says_what_most_lines_say_but_first_that_a_filesystem_stopped():
    damaged = "EXT4-fs error (device sda1): ext4_lookup:1785: inode #2: comm ls: iget: checksum invalid"
    found = log(damaged, damaged, "EXT4-fs (sda1): Remounting filesystem read-only", damaged)
    up = Known(1000, "uptime")
    assert judged.said_of_filesystem(found, ("sda1",), up).value == "ext4 went read-only"
    assert judged.said_of_filesystem(log(damaged), ("sda1",), up).value == "ext4 found itself damaged"
    assert judged.said_of_filesystem(found, ("sda2",), up) is NOT_APPLICABLE
    assert judged.said_of_filesystem(found, ("sda1",), Known(1000 + 8 * 86400, "uptime")) is NOT_APPLICABLE
    unreadable = "critical medium error, dev sda, sector 7 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0"
    disk = build_device("sda", "ata3")
    assert judged.said_of_disk(log(unreadable), disk, up).value == "unreadable sector"
    denied = Unknown(Cause.DENIED, "")
    assert judged.said_of_disk(denied, disk, up) is judged.said_of_filesystem(found, ("sda1",), denied) is denied


def build_device(name, port):
    drive = build.sata({"sda": 0, "sdb": 1}[name])
    machine = build.server(drive, mounts=[build.root(drive)])
    device = block.walk(machine).devices[name]
    return replace(device, hardware=f"../devices/pci0000:00/0000:00:17.0/{port}/host2/target2:0:0/2:0:0:0/block/{name}")


class Walked(list):
    """Events that count how often they are gone through."""

    walks = 0

    def __iter__(self):
        Walked.walks += 1
        return super().__iter__()


def event(device, first):
    return kernel_log.Event(pattern="x", kind="io", says="failed", device=device, count=1, first=first, last=first)


def test_the_log_is_gone_through_once_however_many_devices_ask():
    events = Walked([event("sdb", 1), event("sda2-8", 2), event("", 3), event("sda", 4), event("sda2", 5)])
    known = kernel_log.KernelLog(since=0.0, events=events)
    assert [it.first for it in known.about(frozenset({"sda2", "sdb"}))] == [1, 2, 5]
    assert [it.first for it in known.about(frozenset({"sda"}))] == [4]
    for at in range(1000):
        assert known.about(frozenset({f"nvme{at}n1"})) == []
    assert Walked.walks == 1
