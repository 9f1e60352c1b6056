"""A Ceph OSD on a 990 PRO whose flush takes 3 ms: each write of a client waits. The expert: a drive with PLP."""

from tests.panel import build

FIRST = ("commits-wait-for-drive service:ceph-osd /var/lib/ceph/osd/ceph-0",)
NEVER = ("nobarrier-unproven",)


def server():
    boot, drive = build.sata(attributes=build.PROTECTED), build.nvme(flush_ms=3)
    return build.server(
        boot,
        drive,
        mounts=[build.root(boot), build.on(drive, "/var/lib/ceph/osd/ceph-0", "xfs")],
        programs=[("ceph-osd", "/var/lib/ceph/osd/ceph-0")],
    )
