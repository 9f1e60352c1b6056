"""An ext4 with its journal on an SSD of its own, which fails its health test. The expert: the filesystem goes with it.
Back up /srv, whose disk is well; unmount while the SSD works, make a journal inside, then replace it.
"""

from tests.machines import parts
from tests.panel import build

FIRST = ("drive-failing disk:sdc",)


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1)
    ssd = build.sata(2, passed=False)
    ssd.partition(1, 2 * build.GIB)
    answers = parts.ext4_answers("/dev/sdb2", size_bytes=400 * build.GIB)
    said = {
        argv: text.replace("Journal inode:            8", "Journal device:           0x0821")
        for argv, text in answers.items()
    }
    made = build.server(boot, disk, ssd, mounts=[build.root(boot), build.on(disk, "/srv", commands=said)])
    info = made.files.pop("/proc/fs/jbd2/sdb2-8/info")
    made.files["/proc/fs/jbd2/sdc1/info"] = info
    return made
