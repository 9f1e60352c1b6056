"""A Ceph OSD of `ceph-volume raw`: the link `block` leads to a whole 990 PRO at 3 ms a flush. Drives with PLP."""

from tests.panel import build

FIRST = ("commits-wait-for-drive service:ceph-osd /var/lib/ceph/osd/ceph-0",)
NEVER = ("database-in-memory",)


def server(drive=None):
    boot = build.sata(attributes=build.PROTECTED)
    drive = drive or build.nvme(flush_ms=3)
    place = "/var/lib/ceph/osd/ceph-0"
    made = build.server(
        boot,
        drive,
        mounts=[build.root(boot), build.Mount(place, "tmpfs", "0:44", "tmpfs", fstab="defaults")],
        programs=[("ceph-osd", place)],
    )
    made.links[f"{place}/block"] = f"/dev/{drive.name}"
    return made
