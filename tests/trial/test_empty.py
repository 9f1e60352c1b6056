"""A device is taken only where it is proven empty while nobody else can have it."""

import os
import struct
import sys
from pathlib import Path

import pytest

from fsadvisor.measure.trial import empty
from tests.loops import loops, needs_loop_devices, run

pytestmark = [pytest.mark.loop, needs_loop_devices]

GIB = 1 << 30
_HEARD = {}


def _hear(event, arguments):
    """An audit hook stays for ever, so that there is one for all tests."""
    if _HEARD and event == "open" and arguments[0] == _HEARD["device"]:
        _HEARD["events"].append("held" if arguments[2] & os.O_EXCL and arguments[2] & os.O_RDWR else "opened")
    if _HEARD and event == "subprocess.Popen":
        _HEARD["events"].extend(
            it for it in ("blkid", "wipefs") if any(word.endswith(f"/{it}") for word in arguments[1])
        )


@pytest.fixture
def heard():
    if not hasattr(sys, "heard_by_test_empty"):
        sys.addaudithook(_hear)
        sys.heard_by_test_empty = True
    yield _HEARD
    _HEARD.clear()


def test_it_is_held_alone_from_before_it_is_asked(tmp_path, heard):
    with loops(tmp_path) as loop:
        heard |= {"device": loop.device("empty", 16), "events": []}
        with empty.halves(heard["device"]):
            assert heard["events"] == ["held", "blkid", "wipefs"]
            assert any("does not give it to us alone" in it for it in empty.used(heard["device"]))


def test_what_was_found_used_is_not_wiped(tmp_path):
    with loops(tmp_path) as loop:
        device = loop.device("used", 64)
        run("mkfs.ext4", "-q", device)
        before = run("blkid", "-p", device)
        with pytest.raises(empty.EngineError, match="is not empty"), empty.halves(device):
            pass
        assert run("blkid", "-p", device) == before


@pytest.mark.parametrize(("kind", "reasons"), [(0x83, ()), (0x82, ("its partition's type is 0x82",))])
def test_an_empty_partition_is_told_by_its_type_from_one_that_has_a_use(tmp_path, kind, reasons):
    with loops(tmp_path) as loop:
        device = loop.device("parted", 64)
        with Path(device).open("r+b") as disk:  # a partition table of DOS: one from 1 to 33 MiB
            entry = struct.pack("<4xB3xII", kind, 2048, 65536)
            disk.write(bytes(446) + entry + bytes(48) + b"\x55\xaa")
        run("partx", "--add", device)
        try:
            found = empty.used(f"{device}p1")
        finally:
            run("partx", "--delete", device)
    assert len(found) == len(reasons)
    assert all(one.startswith(reason) for one, reason in zip(found, reasons, strict=True))


def test_of_a_large_device_no_more_is_used_than_mkfs_can_write_soon(tmp_path):
    with loops(tmp_path) as loop:
        device = loop.device("large", 200 << 10)
        with empty.halves(device) as (first, second):
            assert (first.offset, second.offset) == (0, 100 * GIB)
            assert first.size_bytes == second.size_bytes == 64 * GIB
