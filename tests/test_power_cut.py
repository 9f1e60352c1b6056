"""What the lab makes of a power cut: acknowledgements, what is left, the log of writes, the table and its claims."""

import io
import struct

import pytest

from tests.cases import each
from tests.lab.log_writes import DISCARD, FLUSH, FUA, MAGIC, MARK, apply, entries
from tools.lab.cut_disks import DISKS, WORKLOADS
from tools.lab.cut_guest import DAMAGED, LOST, MOST, WHOLE, WRITERS, begun, states
from tools.lab.cut_table import markdown, wrong
from tools.lab.power_cut import acknowledged, failed

SECTOR = 512


def row(disk, workload="files", **more):
    """A cut in which nothing was lost."""
    return {
        "kernel": "6.1.0-56-amd64",
        "workload": workload,
        "disk": disk,
        "acknowledged": 20,
        "whole": 20,
        "lost": 0,
        "damaged": 0,
        "failed": "",
        "refused": "",
        "check": "",
    } | more


def test_only_lines_that_came_out_whole_are_acknowledgements():
    console = b"[    1.0] nvme: x\r\nACK ext4 0\r\nACK xfs 0\r\nACK ext4 1\r\nACK xfs 1"

    assert acknowledged(console) == {"ext4": 2, "xfs": 1}


def test_a_disk_that_could_not_be_written_says_why():
    assert failed(b"ACK xfs 0\r\nFAILED ext4 Input/output error\r\n") == {"ext4": "Input/output error"}


def test_nothing_is_wrong_where_barriers_keep_and_nobarrier_loses():
    assert wrong([row("ext4"), row("ext4-nobarrier", whole=0, lost=20)]) == []


@each(
    ("found", "words"),
    [
        (row("ext4", whole=19, lost=1), "1 of 20 acknowledged writes are lost"),
        (row("ext4-fua", whole=18, lost=2), "2 of 20 acknowledged writes are lost"),
        (row("xfs", whole=19, damaged=1), "1 of them damaged"),
        (row("btrfs", refused="bad superblock"), "does not mount: bad superblock"),
        (row("f2fs", check="orphans"), "its check is not content: orphans"),
        (row("ext4-nobarrier"), "the cut proves nothing"),
        (row("nilfs2", failed="no such module"), "could not be tried: no such module"),
    ],
)
def test_what_contradicts_a_claim_is_a_sentence(found, words):
    (sentence,) = wrong([found])

    assert words in sentence


def test_a_drive_that_ignores_fua_may_lose_what_was_acknowledged_last():
    assert wrong([row("ext4-fua", whole=19, lost=1)]) == []


def test_without_journal_overwrites_are_lost_on_old_kernels_only():
    lost = row("ext4-bare", "pages", whole=0, lost=20)

    assert wrong([lost]) == []
    assert wrong([lost | {"kernel": "6.12.1"}])
    assert wrong([row("ext4-bare", "pages", kernel="6.12.1")]) == []


def test_the_table_has_a_line_for_each_disk():
    rows = [row(disk.name, workload) for disk in DISKS for workload in WORKLOADS]
    rows[0] |= {"whole": 17, "lost": 3}

    table = markdown(rows).splitlines()

    assert len(table) == 2 + len(DISKS)
    assert table[2] == "| ext4, defaults | 6.1.0-56-amd64 | **3 of 20** | 0 of 20 | 0 of 20 | mounts, sound |"
    assert {line.count("|") for line in table} == {7}


def test_every_disk_loses_in_workloads_that_there_are():
    letters = {workload[0] for workload in WORKLOADS}

    assert len(letters) == len(WORKLOADS)
    assert all(set(disk.loses) <= letters for disk in DISKS)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_what_was_written_is_found_whole_lost_or_damaged(tmp_path, workload):
    begun(tmp_path)
    write = WRITERS[workload](tmp_path)
    for number in range(3):
        write(number)
    assert states(workload, tmp_path) == WHOLE * 3 + LOST * (MOST - 3)

    path = tmp_path / "files" / "1" if workload == "files" else tmp_path / workload
    data = path.read_bytes()
    torn = data.index(b"          1   1") + 100
    path.write_bytes(data[:torn] + bytes(16) + data[torn + 16 :])

    assert states(workload, tmp_path) == WHOLE + DAMAGED + WHOLE + LOST * (MOST - 3)


def entry(sector, sectors, flags, data=b""):
    return struct.pack("<QQQQ", sector, sectors, flags, len(data) if flags & MARK else 0) + (
        data if flags & MARK else b""
    )


def test_the_log_of_writes_is_read_as_the_kernel_writes_it(tmp_path):
    log = tmp_path / "log"
    sectors = [
        struct.pack("<QQQI", MAGIC, 1, 5, SECTOR),
        entry(8, 2, FUA),
        b"a" * SECTOR,
        b"b" * SECTOR,
        entry(0, 0, MARK, b"file/1"),
        entry(0, 0, FLUSH),
        entry(9, 1, DISCARD),
        entry(1, 1, 0),
        b"c" * SECTOR,
    ]
    log.write_bytes(b"".join(sector.ljust(SECTOR, b"\0") for sector in sectors))

    found = list(entries(log))

    assert [one.is_durable_point for one in found] == [True, False, True, False, False]
    assert [one.mark for one in found] == [None, "file/1", None, None, None]
    image = io.BytesIO(bytes(12 * SECTOR))
    for one in found:
        apply(one, image)
    whole = image.getvalue()
    assert [whole[place * SECTOR : place * SECTOR + 1] for place in (0, 1, 7, 8, 9)] == [
        b"\0",
        b"c",
        b"\0",
        b"a",
        b"\0",
    ]
