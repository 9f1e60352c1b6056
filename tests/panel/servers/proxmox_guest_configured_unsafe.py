"""Proxmox: a stopped guest has cache=unsafe in its configuration. Take it out before it starts again."""

from fsadvisor.survey.tenants import UNSAFE_GUESTS
from tests.panel import build

FIRST = ("guests-configured-unsafe host",)
NEVER = ("vm-cache-unsafe",)


def server():
    drive = build.sata(attributes=build.PROTECTED)
    return build.server(
        drive,
        mounts=[build.root(drive)],
        programs=[("libvirtd", "/var/lib/libvirt/images")],
        commands={" ".join(UNSAFE_GUESTS): "/etc/pve/qemu-server/104.conf\n"},
    )
