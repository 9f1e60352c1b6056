"""ext4 has recorded errors on a drive that is well: check it before it gets worse."""

from tests.panel import build

FIRST = ("filesystem-errors filesystem:/dev/sda2",)


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    return build.server(
        disk, mounts=[build.root(disk), build.on(disk, "/srv", files={"/sys/fs/ext4/sda2/errors_count": "17"})]
    )
