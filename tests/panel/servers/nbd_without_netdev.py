"""An XFS on a network block device, in fstab without _netdev: the next boot waits 90 s and stops in emergency mode."""

from tests.machines import parts
from tests.panel import build
from tests.told import disk

FIRST = ("network-disk-without-netdev mount:/srv",)
NEVER = ("fstab-device-missing",)


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    made = disk("nbd0", where="virtual", number="43:0", size="838860800", queue__rotational="0", stat=parts.stat(90, 9))
    remote = build.Drive("nbd0", made, {}, 400 * build.GIB, "43:0")
    return build.server(boot, remote, mounts=[build.root(boot), build.Mount("/srv", "nbd0", "43:0", "xfs")])
