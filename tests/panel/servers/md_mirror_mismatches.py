"""Swap on a RAID 1 counts mismatches: of no consequence. The fstab entry whose disk is gone will stop the next boot."""

from tests.machines import parts
from tests.panel import build

FIRST = ("fstab-device-missing mount:/srv/archive",)
NEVER = ("md-mismatches",)


def server():
    disks = [build.sata(0, attributes=build.PROTECTED), build.sata(1, attributes=build.PROTECTED)]
    there, gone = "11111111-0000-4000-8000-000000000001", "deaddead-0000-4000-8000-000000000002"
    array = (
        f"P: /devices/md0\nN: md0\nE: SUBSYSTEM=block\nE: DEVTYPE=disk\nE: ID_FS_UUID={there}\nE: ID_FS_TYPE=ext4\n\n"
    )
    return build.server(
        *disks,
        layers=[build.md("md0", "9:0", "raid1", ["sda", "sdb"], md__mismatch_cnt="256")],
        mounts=[build.Mount("/", "md0", "9:0")],
        udev=parts.udev("sda", "x") + array,
        fstab=f"UUID={there} / ext4 defaults 0 1\nUUID={gone} /srv/archive xfs defaults 0 2\n",
    )
