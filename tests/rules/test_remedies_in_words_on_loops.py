"""Remedies in words that a filesystem can show: done by hand on loop devices, held against a second tool, undone."""

from pathlib import Path

import pytest

from fsadvisor.machine.live import LiveMachine
from fsadvisor.survey.whole import survey
from tests.loops import loops, needs_loop_devices, run

pytestmark = [pytest.mark.loop, pytest.mark.usefixtures("own_mounts"), needs_loop_devices]


@pytest.fixture
def loop(tmp_path):
    with loops(tmp_path) as made:
        yield made


def facts(place):
    """Facts of the filesystem that is mounted there."""
    spaces = (it.scope["filesystem"] for it in survey(LiveMachine(), {}).subjects if it.kind == "filesystem")
    return next(it for it in spaces if it.mount_point.value == place)


def test_an_ext4_stops_after_errors_once_told_to_and_continues_again(loop):
    device = loop.device("disk", 64)
    run("mkfs.ext4", "-q", "-e", "continue", device)
    place = loop.mount(device, "data", "errors=continue")
    assert "errors=continue" in facts(place).options.value

    run("mount", "-o", "remount,errors=remount-ro", place)
    assert "errors=remount-ro" in facts(place).options.value
    assert "errors=remount-ro" in run("findmnt", "-no", "FS-OPTIONS", "--mountpoint", place) or (
        "errors" not in run("findmnt", "-no", "FS-OPTIONS", "--mountpoint", place)
    )
    run("tune2fs", "-e", "remount-ro", device)
    assert "Remount read-only" in run("tune2fs", "-l", device)

    run("mount", "-o", "remount,errors=continue", place)
    assert "errors=continue" in facts(place).options.value


def test_a_reserve_is_what_tune2fs_and_the_kernel_say_before_and_after(loop):
    device = loop.device("disk", 256)
    run("mkfs.ext4", "-q", "-m", "20", device)
    place = loop.mount(device, "data")

    def reserved():
        """In bytes: tune2fs's blocks, and those that the kernel keeps for delayed allocation."""
        lines = dict(line.split(":", 1) for line in run("tune2fs", "-l", device).splitlines()[1:] if ":" in line)
        own = int(Path(f"/sys/fs/ext4/{Path(device).name}/reserved_clusters").read_text())
        return (int(lines["Reserved block count"]) + own) * int(lines["Block size"])

    first = reserved()
    assert facts(place).reserved_bytes.value == first > 50_000_000
    run("tune2fs", "-m", "1", device)
    assert facts(place).reserved_bytes.value == reserved() < first / 4
    run("tune2fs", "-m", "20", device)
    assert facts(place).reserved_bytes.value == reserved() == first
