"""Proxmox: two guests on zvols of a mirror of hard disks, without SLOG. Each flush of a guest waits for the disks. The
expert: a mirrored SLOG with PLP, never sync=disabled.
"""

from tests.panel import build, pools

FIRST = ("zfs-guests-without-log filesystem:zfs at /tank",)
NEVER = ("zfs-sync-disabled", "vm-cache-unsafe", "nearly-full")


def server():
    made = pools.on_zfs()
    made.running.append(build.guest(("/dev/zvol/tank/vm-100-disk-0", "none"), ("/dev/zvol/tank/vm-101-disk-0", "none")))
    return made
