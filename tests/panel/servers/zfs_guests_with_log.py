"""Proxmox with guests on zvols of hard disks and a SLOG with power-loss protection: as it should be. Nothing to say."""

from tests.panel import build, pools

FIRST = ()
NEVER = ("zfs-guests-without-log", "zfs-log-without-protection")


def server():
    disks = [build.hdd(at, queue__scheduler="[none] mq-deadline") for at in (1, 2)]
    logs = [build.sata(at, attributes=build.PROTECTED) for at in (3, 4)]
    vdevs = ("mirror", ("/dev/sdb1",), ("/dev/sdc1",), "logs", "mirror", ("/dev/sdd1",), ("/dev/sde1",))
    made = pools.on_zfs(disks=[*disks, *logs], vdevs=vdevs)
    made.running.append(build.guest(("/dev/zvol/tank/vm-100-disk-0", "none")))
    return made
