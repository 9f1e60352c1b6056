"""A guest of libvirt, stopped before its first instruction: what virsh says of its disks, and what fsadvisor tells.

`unshare --mount python -m tests.programs.guests libvirt TREE FOLDER` prints both as JSON.
"""

import contextlib
import json
import os
import sys
from pathlib import Path

from fsadvisor.facts import Unknown
from fsadvisor.machine.live import LiveMachine
from fsadvisor.survey.whole import survey
from tests.programs.engines import NoContainersHereError, daemon, prepare, tidy
from tests.programs.running import said

CACHES = {"file": "none", "block": "unsafe"}
"""The kind of a disk, and its cache."""
_USERS = {
    "passwd": "libvirt-qemu:x:64055:64055::/:/bin/false\n",
    "group": "libvirt-qemu:x:64055:\nkvm:x:64056:\n",
}
"""Whom the packages would add."""
_QEMU = (
    'user = "root"\ngroup = "root"\nsecurity_driver = "none"\nstdio_handler = "file"\n'
    "cgroup_controllers = []\nnamespaces = []\nremember_owner = 0\n"
)
_GUEST = """<domain type='qemu'><name>lab</name><memory unit='MiB'>32</memory><vcpu>1</vcpu>
<os><type arch='x86_64' machine='pc'>hvm</type></os>
<devices><emulator>/usr/bin/qemu-system-x86_64</emulator>{disks}</devices></domain>"""
_DISK = """<disk type='{kind}' device='disk'><driver name='qemu' type='raw' cache='{cache}'/>
<source {attribute}='{path}'/><target dev='{target}' bus='virtio'/></disk>"""


@contextlib.contextmanager
def loop_device(image):
    """A block device over a file."""
    device = said("losetup", "--find", "--show", str(image)).strip()
    try:
        yield device
    finally:
        said("losetup", "--detach", device)


def images(folder):
    """Two files for disks."""
    for kind in CACHES:
        (folder / kind).mkdir()
        with (folder / kind / "disk.raw").open("wb") as file:
            file.truncate(8 << 20)
    return folder / "file" / "disk.raw", folder / "block" / "disk.raw"


def defined(paths):
    """The guest as virsh keeps it: of each disk its place, its cache."""
    disks = [
        _DISK.format(
            kind=kind, cache=cache, path=paths[kind], attribute={"file": "file", "block": "dev"}[kind], target=f"vd{n}"
        )
        for n, (kind, cache) in zip("ab", CACHES.items(), strict=True)
    ]
    file = Path("/run/guest.xml")
    file.write_text(_GUEST.format(disks="".join(disks)))
    said("virsh", "define", str(file))
    listed = [line.split() for line in said("virsh", "domblklist", "lab", "--details").splitlines()[2:] if line.strip()]
    return {line[0]: line[3] for line in listed}


def told():
    """What is told of guests: their disks' places, caches and devices, and the files of those configured unsafe."""
    found = survey(LiveMachine(), {}).subjects
    guests = {
        it.id.removeprefix("service:qemu "): {
            name: None if isinstance(fact, Unknown) else fact.value
            for name, fact in (("cache", it.scope["service"].guest_cache), ("place", it.scope["service"].mount_point))
        }
        | {"below": list(it.below)}
        for it in found
        if it.id.startswith("service:qemu ")
    }
    return guests | {"unsafe": list(next(it for it in found if it.id == "host").scope["host"].unsafe_guests.value)}


def main(_name, tree, folder):
    """Run it."""
    os.environ.update({"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LIBVIRT_DEFAULT_URI": "qemu:///system"})
    place = Path(folder)
    prepare(Path(tree), place)
    for name, lines in _USERS.items():
        with Path("/etc", name).open("a") as file:
            file.write(lines)
    Path("/etc/libvirt").mkdir(exist_ok=True)
    Path("/etc/libvirt/qemu.conf").write_text(_QEMU)
    Path("/etc/libvirt/libvirtd.conf").write_text('auth_unix_rw = "none"\nunix_sock_group = "root"\n')
    image, other = images(place)
    try:
        with loop_device(other) as device, daemon("libvirtd", ready=("virsh", "version")):
            asked = defined({"file": image, "block": device})
            said("virsh", "start", "lab", "--paused")
            try:
                print(json.dumps({"asked": asked, "told": told()}))
            finally:
                said("virsh", "destroy", "lab")
    except NoContainersHereError as error:
        print(json.dumps({"no containers": str(error)}))
    finally:
        tidy()


if __name__ == "__main__":
    main(*sys.argv[1:])
