"""The disks that QEMU was started with."""

import json
import shutil
import subprocess

import pytest

from fsadvisor.machine.watching import QEMU_NAMES, processes, qemu_disks
from tests.cases import each
from tests.waiting import comes_to


def said_of(pid):
    return [it for it in json.loads(processes(QEMU_NAMES).text) if it["pid"] == pid]


def node(**words):
    return ["qemu", "-blockdev", json.dumps({"driver": "file", "filename": "/srv/a.qcow2", "node-name": "n"} | words)]


@each(
    ("arguments", "cache"),
    [
        (node(), "writeback"),
        (node(cache={"direct": True, "no-flush": False}), "none"),
        (node(cache={"direct": False, "no-flush": True}), "unsafe"),
        (["qemu", "-blockdev", "driver=file,filename=/srv/a.qcow2,cache.no-flush=on"], "unsafe"),
        (["qemu", "-blockdev", "driver=qcow2,file.filename=/srv/a.qcow2,file.cache.direct=on"], "none"),
        (["kvm", "-drive", "file=/srv/a.qcow2,if=none,id=drive-scsi0,cache=unsafe,format=qcow2,aio=threads"], "unsafe"),
        (["kvm", "-drive", "file=/srv/a.qcow2,if=none,id=drive-scsi0,format=raw,cache=none"], "none"),
        (["kvm", "-drive", "file=/srv/a.qcow2,if=virtio"], "writeback"),
        (["kvm", "-drive", "file=/srv/a.qcow2,cache=writeback,cache.no-flush=on"], "unsafe"),
        (["kvm", "-drive", "file=/srv/a.qcow2,cache=directsync"], "directsync"),
    ],
)
def test_each_spelling_tells_the_file_and_how_the_cache_is_used(arguments, cache):
    assert qemu_disks(arguments) == [{"path": "/srv/a.qcow2", "cache": cache}]


def test_a_comma_in_a_name_is_doubled():
    assert qemu_disks(["kvm", "-drive", "file=/srv/a,,b.raw,cache=none"]) == [{"path": "/srv/a,b.raw", "cache": "none"}]


@each(
    "arguments",
    [
        node(**{"read-only": True}),
        ["kvm", "-drive", "file=/srv/install.iso,media=cdrom,if=ide"],
        ["kvm", "-drive", "if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE.fd"],
        ["kvm", "-drive", "file=rbd:pool/vm-100-disk-0:conf=/etc/ceph/ceph.conf:id=admin,cache=unsafe"],
        ["kvm", "-blockdev", '{"driver":"nbd","server":{"type":"unix","path":"/run/nbd.sock"}}'],
        ["kvm", "-blockdev", "{" * 5000],
        ["kvm", "-blockdev"],
        [],
    ],
)
def test_what_is_read_only_on_the_network_or_no_disk_is_left_out(arguments):
    assert qemu_disks(arguments) == []


@pytest.mark.skipif(shutil.which("qemu-system-x86_64") is None, reason="QEMU is not installed")
def test_a_real_qemu_is_seen_with_its_disk_and_nothing_else_of_it(tmp_path):
    image = tmp_path / "guest.raw"
    image.write_bytes(bytes(1 << 20))
    drive = f"file={image},if=none,format=raw,cache=unsafe,file.locking=off"
    argv = [
        "qemu-system-x86_64",
        "-M",
        "none",
        "-nodefaults",
        "-display",
        "none",
        "-S",
        "-name",
        "SECRET",
        "-drive",
        drive,
    ]
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as guest:
        try:
            # on a busy machine Popen returns before the kernel has set its new name, and its arguments
            assert comes_to(lambda: any(it["images"] for it in said_of(guest.pid)))
            (told,) = said_of(guest.pid)
        finally:
            guest.kill()
    assert told["images"] == [{"path": str(image), "cache": "unsafe"}]
    assert "SECRET" not in json.dumps(told)
