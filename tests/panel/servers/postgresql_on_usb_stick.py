"""A mini PC with PostgreSQL on a USB stick, 40 ms a flush. The kernel calls the stick rotational. The expert says it
once: backups to another machine, and an SSD for the database. He speaks of no hard disk.
"""

from tests.panel import build

FIRST = ("database-on-card service:postgresql /var/lib/postgresql/15/main",)
NEVER = ("log-beside-data-on-hard-disk", "commits-wait-for-drive")
PLACE = "/var/lib/postgresql/15/main"
PORT = "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0"


def stick(removable="1"):
    """A USB stick, or with another word a disk in a USB case."""
    drive = build.hdd(1, "Ultra Fit", 61524148224, removable=removable, flush_ms=40)
    drive.commands = {}
    return build.placed(drive, PORT)


def server(removable="1", program="postgres", place=PLACE):
    boot, drive = build.sata(0, attributes=build.PROTECTED), stick(removable)
    mounts = [build.root(boot), build.on(drive, place, size=50 * build.GIB)]
    return build.server(boot, drive, mounts=mounts, programs=[(program, place)], files=build.postgresql(place))
