"""Captures that the readers of the system's own files and tools are for."""

from fsadvisor.readers import block_files

KINDS = {
    "udevadm-export-db": lambda text: [block_files.parse_udev_export(text)],
    "lsblk-json": lambda text: [block_files.parse_lsblk(text)],
    "diskstats": lambda text: [block_files.parse_diskstats(text)],
}
