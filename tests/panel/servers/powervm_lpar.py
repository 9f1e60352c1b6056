"""A partition of PowerVM: virtual SCSI disks of the VIOS. Nothing; the hardware is another's."""

from tests.panel import build

FIRST = ()
NEVER = ("flushes-without-protection", "hard-disk-without-scheduler")


def server():
    disk = build.sata(0, "VDASD", 100 * build.GIB, device__vendor="AIX     ", queue__rotational="1")
    disk.made = (disk.made[0], {"/sys/block/sda": "../devices/vio/30000002/host0/target0:0:1/0:0:1:0/block/sda"})
    disk.commands = {}
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/srv", "xfs")],
        vm="powervm",
        kernel="5.14.0-503.el9.ppc64le",
        programs=[("postgres", "/srv/pg")],
        files=build.postgresql("/srv/pg"),
    )
