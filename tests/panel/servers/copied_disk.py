"""Somebody copied the data disk with dd and left the copy in: which one boots next is chance. New UUID for the copy."""

from tests.panel import build

FIRST = ("uuid-on-two-devices mount:/srv",)
NEVER = ("fstab-device-missing", "nearly-full")
UUID = "0f1e2d3c-0000-4000-8000-00000000abcd"


def server():
    boot, disk, copy = (build.sata(at, attributes=build.PROTECTED) for at in range(3))
    data = build.on(disk, "/srv")
    copy.partition(2, start=209715200 + 2048)
    return build.server(
        boot,
        disk,
        copy,
        mounts=[build.root(boot), data],
        fstab=f"/dev/sda1 / ext4 errors=remount-ro 0 1\nUUID={UUID} /srv ext4 defaults 0 2\n",
        udev="".join(
            f"P: /x/{name}\nN: {name}\nE: ID_FS_TYPE=ext4\nE: ID_FS_UUID={UUID}\n\n" for name in ("sdb2", "sdc2")
        ),
    )
