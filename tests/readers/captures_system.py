"""Captures that the readers of the system's own files and tools are for."""

from fsadvisor.readers import diskstats, lsblk, udev_export

KINDS = {
    "udevadm-export-db": lambda text: [udev_export.parse(text)],
    "lsblk-json": lambda text: [lsblk.parse(text)],
    "diskstats": lambda text: [diskstats.parse(text)],
}
