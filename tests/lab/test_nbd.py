"""`fsadvisor doctor` on a disk that another machine serves: late, or not at all once it is to empty its cache."""

import fcntl
import os
import socket
import struct
import subprocess
import threading
import time
from pathlib import Path

import pytest

from fsadvisor.measure.now.answer import answer
from fsadvisor.measure.now.observe import observe
from fsadvisor.rulebook.loading import own_rulebook
from tests.lab.hurting import at_work
from tests.lab.scenario import run, wait_for

pytestmark = pytest.mark.lab
LONGEST_LOOK_S = 180
SIZE = 320 << 20
"""Bytes: mkfs.xfs makes none below 300 MiB."""


class LateServer(threading.Thread):
    """Answers the requests of an NBD device from memory, each after a while: what its protocol calls transmission.

    A flush, and what comes after it, waits until `flushes` is set.
    """

    def __init__(self, sock, size, seconds):
        super().__init__(daemon=True)
        self.sock, self.held, self.seconds = sock, bytearray(size), seconds
        self.flushes, self.hangs = threading.Event(), threading.Event()
        self.flushes.set()

    def run(self):
        with self.sock, self.sock.makefile("rb") as asked:
            while len(head := asked.read(28)) == 28:
                _, kind, handle, at, size = struct.unpack(">IIQQI", head)
                time.sleep(self.seconds)
                answer = struct.pack(">IIQ", 0x67446698, 0, handle)
                if kind & 0xFFFF == 0:
                    answer += self.held[at : at + size]
                elif kind & 0xFFFF == 1:
                    self.held[at : at + size] = asked.read(size)
                elif kind & 0xFFFF == 2:
                    return
                elif kind & 0xFFFF == 3 and not self.flushes.is_set():
                    self.hangs.set()
                    self.flushes.wait()
                self.sock.sendall(answer)


SET_SOCK, SET_BLKSIZE, DO_IT, SET_SIZE_BLOCKS, DISCONNECT, SET_FLAGS = (0xAB00 + n for n in (0, 1, 3, 7, 8, 10))
HAS_FLAGS, SEND_FLUSH = 1, 4


def remote(scenario, seconds, flags):
    """nbd0, whose server answers after so many seconds; the server."""
    run("modprobe", "nbd", "nbds_max=1")
    away = ["modprobe", "-q", "-r", "nbd"]  # udev opens the device a last time
    scenario.undo(wait_for, "nbd to go", lambda: subprocess.run(away, check=False).returncode == 0)
    ours, theirs = socket.socketpair()
    scenario.undo(theirs.close)
    server = LateServer(ours, SIZE, seconds)
    server.start()
    device = os.open("/dev/nbd0", os.O_RDWR)
    scenario.undo(os.close, device)
    fcntl.ioctl(device, SET_BLKSIZE, 4096)
    fcntl.ioctl(device, SET_SIZE_BLOCKS, SIZE // 4096)
    fcntl.ioctl(device, SET_FLAGS, flags)
    fcntl.ioctl(device, SET_SOCK, theirs.fileno())
    serving = threading.Thread(target=fcntl.ioctl, args=(device, DO_IT), daemon=True)
    serving.start()
    scenario.undo(serving.join, 30)
    scenario.undo(fcntl.ioctl, device, DISCONNECT)
    wait_for("the device to be there", lambda: Path("/sys/block/nbd0/size").read_text().strip() == str(SIZE // 512))
    return server


MAKING = {
    "of a commit": ("mkfs.ext4", "-q", "-F", "-I", "256", "-E", "lazy_itable_init=0,lazy_journal_init=0"),
    "of a file in place": ("mkfs.ext2", "-q", "-F", "-I", "256"),
    "of a log": ("mkfs.xfs", "-q"),
    "of a superblock": ("mkfs.btrfs", "-q"),
}


@pytest.mark.parametrize("making", MAKING.values(), ids=MAKING)
def test_a_flush_that_does_not_end_is_told_as_a_silent_device(scenario, making):
    """an NBD server that answers no flush, under a program that syncs: the device that ends nothing"""
    server = remote(scenario, 0, HAS_FLAGS | SEND_FLUSH)
    run(*making, "/dev/nbd0")
    process = at_work(scenario, scenario.mount("/dev/nbd0", "data"))
    scenario.undo(server.flushes.set)
    server.flushes.clear()
    wait_for("a flush to be asked for", server.hangs.is_set)
    seconds = 24  # so many looks that a thread counts as stuck, on a guest without help of the processor
    seen = observe(seconds)
    while not any(one.stuck for one in seen.programs) and seconds < LONGEST_LOOK_S:
        seconds *= 2  # a busy host
        seen = observe(seconds)
    (counted,) = (one.in_flight for one in seen.devices if one.name == "nbd0")
    told = answer(seen, own_rulebook().rules).found
    found = {(one.verdict.rule.id, one.verdict.subject.name) for one in told}
    claim = "device-silent of nbd0"
    scenario.tell(claim=claim, seen=f"{', '.join(sorted(map(' '.join, found)))}; counted in flight: {counted}")
    assert found == {("device-silent", "nbd0")}, seen.programs
    assert any(f"pid {process.pid}" in one for one in told[0].waiters)


def test_an_nbd_target_that_lags_is_told_as_slow(scenario):
    """an NBD server that answers each request after 150 ms, under a program that syncs: the device, and whose it is"""
    remote(scenario, 0.15, 0)
    run("mkfs.ext2", "-q", "-F", "-I", "256", "/dev/nbd0")
    at_work(scenario, scenario.mount("/dev/nbd0", "data"))
    seen = observe(8)
    told = answer(seen, own_rulebook().rules).found
    found = {(one.verdict.rule.id, one.verdict.subject.name) for one in told if one.hurts}
    scenario.tell(claim="device-slow of nbd0", seen=", ".join(sorted(map(" ".join, found))))
    assert found == {("device-slow", "nbd0")}, [one for one in seen.devices if one.name == "nbd0"]
    assert "another machine's" in told[0].verdict.instructions().advice
