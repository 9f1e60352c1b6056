"""A strange archive or directory costs no more than its size, and ends in a sentence."""

import bz2
import gzip
import io
import itertools
import json
import lzma
import os
import shutil
import socket
import tarfile
import zlib
from functools import partial

import pytest

from tests.cases import few
from tests.paths import FIXTURES
from tests.probe.filesystems import needs_root
from tests.trust.bounded import audited, bounded, refused
from tools.fuzz.tars import END, content, header, long_name, members, pax, report

PACKERS = {"xz": partial(lzma.compress, preset=0), "gz": gzip.compress, "bz2": bz2.compress}
ZEROS = bytes(64 << 20)

BOMBS = {
    "one path of 30 000 directories": (
        lambda: pax(path="x/etc/" + "a/" * 30_000 + "b") + header("b"),
        "a name of more than 4096 bytes",
    ),
    "one path of 400 000 directories": (
        lambda: pax(path="x/etc/" + "a/" * 400_000 + "b") + header("b"),
        "a name or a header of more than 64 KiB",
    ),
    "one path of 1 000 directories": (
        lambda: pax(path="x/etc/" + "a/" * 1000 + "b") + header("b"),
        "a path of more than 100 names",
    ),
    "50 names of 1 MB": (
        lambda: b"".join(pax(path=f"x/etc/{it}" + "a" * 1_000_000) + header("b") for it in range(50)),
        "a name or a header of more than 64 KiB",
    ),
    "15 000 names of 4 KB": (
        lambda: b"".join(long_name(b"x/etc/%d/" % it + b"a" * 4000) + header("b") for it in range(15_000)),
        "holds names of more than",
    ),
    "5000 long names for one file": (lambda: long_name(b"a" * 511) * 5000, "more than 16 headers for one file"),
    "5000 extended headers for one file": (lambda: pax(path="a") * 5000, "more than 16 headers for one file"),
    "digits that tarfile searches in quadratic time": (
        lambda: (header("x", 60_000, tarfile.XHDTYPE) + content(b"1" * 60_000) + header("b")) * 100,
        "damaged or cut short",
    ),
    "a size below zero": (lambda: header("x/etc/a", -1024) + END, "damaged or cut short"),
    "a link of 1 MB": (lambda: long_name(b"a" * (1 << 20), tarfile.GNUTYPE_LONGLINK), "of more than 64 KiB"),
}
"""What a tar says of its members, and what is told of it."""


@pytest.mark.parametrize("name", few(BOMBS, 5))
def test_what_headers_say_costs_no_more_than_a_sentence(name, tmp_path):
    make, told = BOMBS[name]
    bomb = tmp_path / "bomb.tar.xz"
    bomb.write_bytes(lzma.compress(make(), preset=0))
    said = refused("--on", bomb)
    assert told in said
    assert said.startswith(f"fsadvisor: {bomb}: ")


@pytest.mark.long
@pytest.mark.parametrize("packer", PACKERS)
def test_a_million_members_are_refused(packer, tmp_path):
    bomb = tmp_path / "bomb.tar"
    bomb.write_bytes(PACKERS[packer](members(10_000)) * 100)
    assert "the most for an archive of its size" in refused("--on", bomb)


@pytest.mark.parametrize(
    ("name", "packer"), few(itertools.product(["x/sos_commands/a", "x/var/log/messages"], PACKERS), 8)
)
def test_an_archive_that_unpacks_to_gigabytes_is_refused(packer, name, tmp_path):
    bomb = tmp_path / "bomb.tar"
    pack = PACKERS[packer]
    bomb.write_bytes(pack(report(header(name, 3 << 30))[: -len(END)]) + pack(ZEROS) * 48)
    assert "unpacks to more than" in refused("--on", bomb)


@pytest.mark.long
def test_files_of_4_mib_without_end_are_refused(tmp_path):
    bomb = tmp_path / "bomb.tar.xz"
    file = header("x/sos_commands/a", 4 << 20) + bytes(4 << 20)
    bomb.write_bytes(lzma.compress(file) * 300)
    assert "unpacks to more than" in refused("--on", bomb)


@pytest.mark.long
def test_what_comes_after_the_end_of_a_tar_costs_no_more(tmp_path):
    bomb = tmp_path / "bomb.tar.xz"
    bomb.write_bytes(lzma.compress(report()) + lzma.compress(ZEROS) * 100)
    assert audited("--on", bomb)["machine"]


def test_a_dictionary_of_gigabytes_is_refused(tmp_path):
    packed = bytearray(lzma.compress(report()))
    block = packed[12:24]  # its size, flags, LZMA2, the size of its property, the dictionary, 3 bytes of nothing, CRC
    assert block[2:4] == b"\x21\x01"
    block[4] = 39
    packed[12:24] = block[:8] + zlib.crc32(block[:8]).to_bytes(4, "little")
    bomb = tmp_path / "bomb.tar.xz"
    bomb.write_bytes(packed)
    assert "unpacking takes more than 128 MiB" in refused("--on", bomb)


@pytest.mark.parametrize(
    "more",
    few(
        [
            members(20, kind=tarfile.FIFOTYPE),
            members(20, kind=tarfile.CHRTYPE, devmajor=1, devminor=5),
            members(20, kind=tarfile.BLKTYPE),
            members(20, kind=tarfile.LNKTYPE, linkname="/etc/shadow"),
            members(20, name="/x/etc/{}"),
            members(20, name="x/../../etc/{}"),
            members(20, kind=tarfile.SYMTYPE, name="x/etc/{}", linkname="../" * 20 + "x/etc"),
            pax(GNU__sparse__major=1, GNU__sparse__minor=0, GNU__sparse__realsize=1 << 62) + header("x/etc/fstab"),
            pax(size="9" * 400, uid="-" + "9" * 400, mtime="1e400") + header("x/etc/a"),
            long_name(b"x/etc/a\n\x1b[31m\xe2\x80\xae\xff") + header("b"),
        ],
        3,
    ),
)
def test_members_that_are_no_plain_files_are_passed_over(more, tmp_path):
    archive = tmp_path / "sos.tar.gz"
    archive.write_bytes(gzip.compress(report(more)))
    assert any(subject["kind"] == "mount" for subject in audited("--on", archive)["subjects"])


def test_extended_headers_name_what_comes_after_them(tmp_path):
    archive = tmp_path / "sos.tar"
    text = b"/dev/sdb /srv xfs rw 0 0\n"
    long = "sos/proc/" + "a/" * 60 + "b"
    archive.write_bytes(
        header("sos/sos_commands/a/b")
        + pax(path="sos/proc/mounts", size=len(text))
        + header("short", 0)
        + content(text)
        + long_name(long.encode() + b"\0")
        + header("short")
        + END
    )
    assert "mount:/srv" in [it["id"] for it in audited("--on", archive)["subjects"]]


def test_links_in_circles_and_without_end_lead_nowhere(tmp_path):
    links = {"sys/block": "../proc/a", "proc/a": "../sys/block", "proc/mounts": "a/" * 2000, "etc": "."}
    more = b"".join(
        long_name(target.encode(), tarfile.GNUTYPE_LONGLINK) + header(f"sos/{name}", kind=tarfile.SYMTYPE)
        for name, target in links.items()
    )
    archive = tmp_path / "sos.tar"
    archive.write_bytes(report(more))
    assert audited("--on", archive)["machine"]


@pytest.mark.long
def test_a_directory_of_very_many_names_is_refused(tmp_path):
    for name in range(10_001):
        (tmp_path / str(name)).touch()
    assert "more than 10000 names in it" in refused("--on", tmp_path)


FLOODS = {
    "empty lines of partitions": ("proc/partitions", "\n" * (1 << 20)),
    "a firmware's name without end": ("sos_commands/kernel/dmesg", "[    0.000000] " + "DMI: " * 200_000),
    "mounts in mounts": ("sos_commands/filesys/mount_-l", "x on / type x (" * 70_000),
}


@pytest.mark.parametrize("floods", few([[*FLOODS], *([it] for it in FLOODS)]), ids=str)
def test_a_text_that_nearly_fits_again_and_again_costs_no_more_than_its_size(floods, tmp_path):
    for folder in ("proc", "sos_commands"):
        (tmp_path / folder).mkdir()
    for name, text in (FLOODS[it] for it in floods):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert bounded("--on", tmp_path, "--summary")[0] in (0, 1, 5)


def unpacked(tmp_path):
    with tarfile.open(fileobj=io.BytesIO(report())) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "sos"


def test_a_directory_of_pipes_sockets_and_links_is_read_without_waiting(tmp_path):
    top = unpacked(tmp_path)
    for name in ("proc/self/mountinfo", "proc/swaps", "etc/fstab", "sos_commands/xfs/lsblk_-O_-P"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(top / name)
    (top / "sys").symlink_to(top)
    (top / "etc/loop").symlink_to("loop")
    (top / "proc/cmdline").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(os.path.relpath(top / "proc/version"))
    assert any(subject["kind"] == "mount" for subject in audited("--on", top)["subjects"])


@needs_root
def test_a_directory_of_devices_is_read_without_opening_them(tmp_path):
    top = unpacked(tmp_path)
    (top / "etc").mkdir()
    os.mknod(top / "etc/fstab", 0o020600, os.makedev(1, 5))
    os.mknod(top / "proc/swaps", 0o060600, os.makedev(7, 200))
    assert audited("--on", top)["machine"]


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_a_captured_output_that_is_no_file_is_refused_without_waiting(make, tmp_path):
    make(tmp_path / "a")
    status, out, said = bounded("drive", tmp_path / "a")
    assert (status, "not a regular file" in said) == (2, True), (out, said)


def test_a_captured_output_may_come_through_a_pipe_of_the_caller_s_own():
    reading, writing = os.pipe()
    with os.fdopen(reading), os.fdopen(writing, "w") as file:
        file.write(json.dumps({"vid": 1, "mn": "DRIVE", "sn": "S", "vwc": 6}))
        file.close()
        status, out, said = bounded("drive", f"/dev/fd/{reading}", pass_fds=[reading])
    assert (status, "DRIVE" in out) == (0, True), said


@pytest.mark.parametrize(
    "text",
    [
        '{"vid": 1, "mn": "DRIVE", "sn": "S", "vwc": 1, "vwc": 0}',
        '{"vid": 1, "mn": "DRIVE", "sn": "S", "vwc": 1}\n{"vid": 1, "mn": "DRIVE", "sn": "S", "vwc": 1, "vwc": 0}',
        '[{"smartctl": {"version": [7, 4]}, "model_name": "DRIVE", "nvme": [{"vwc": 0, "vwc": 0}]}]',
    ],
)
def test_a_key_that_stands_twice_in_a_captured_output_is_no_choice(text, tmp_path):
    (tmp_path / "twice").write_text(text)
    status, out, said = bounded("drive", tmp_path / "twice")
    assert (status, "the JSON has a key twice: 'vwc'" in said) == (2, True), (out, said)
    assert "DRIVE" not in out


def test_a_recorded_directory_of_very_many_names_is_not_gone_through(tmp_path):
    recording = shutil.copytree(FIXTURES / "machines/lab-xfs-shut-down", tmp_path / "many")
    (recording / "files/sys/block%entries").write_text(json.dumps([f"d{it}" for it in range(300_000)]))
    status, out, _ = bounded("--on", recording, "--json")
    assert status in (0, 1)
    assert "more than 20000 names" in out


def test_very_many_windows_are_read_up_to_what_watch_keeps(tmp_path):
    for it in range(100):
        (tmp_path / f"window-{it}.json").touch()
        os.truncate(tmp_path / f"window-{it}.json", 4 << 20)
    status, out, said = bounded("--on", tmp_path, "--summary")
    assert status == 5, (out, said)


@pytest.mark.long
def test_many_links_to_one_large_file_are_answered_up_to_a_limit(tmp_path):
    large = bytes(4 << 20)
    udev = "".join(
        f"P: /devices/a/d{it}\nE: DEVTYPE=disk\nE: MAJOR=8\nE: MINOR={it}\nE: SUBSYSTEM=block\n\n" for it in range(1000)
    ).encode()
    more = (
        header("sos/sos_commands/devices/udevadm_info_--export-db", len(udev)) + content(udev),
        header("sos/sys/devices/b/queue/write_cache", len(large)) + large,
        *(header(f"sos/sys/block/d{it}", kind=tarfile.SYMTYPE, linkname="../devices/b") for it in range(1000)),
    )
    archive = tmp_path / "links.tar.xz"
    archive.write_bytes(lzma.compress(report(*more), preset=1))
    status, out, said = bounded("--on", archive, "--json")
    assert (status, "more than 1024 MiB were asked for before it" in out) == (0, True), said
