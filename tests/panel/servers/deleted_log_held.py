"""97 % full, du finds a tenth of it: java holds a deleted log of 380 GB open. Let it reopen its log."""

from fsadvisor.readers import process_files
from tests.panel import build

FIRST = ("deleted-files-hold-space filesystem:/dev/sda2",)
NEVER = ("ext4-inodes-nearly-gone", "ext4-large-reserve")


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    held = "2050 77 742187500 /proc/4711/fd/12\n2049 78 742187500 /proc/12/fd/3\n"
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/srv", used=97)],
        commands={" ".join(process_files.DELETED_FILES_ARGV): held},
        files={"/proc/4711/comm": "java"},
    )
