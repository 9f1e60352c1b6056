"""An XFS shut itself down: nothing on it can be opened. Look in the kernel log, unmount, repair."""

from tests.panel import build

FIRST = ("filesystem-shut-down filesystem:/dev/sdb2",)


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.sata(1, attributes=build.PROTECTED)
    data = build.on(disk, "/srv", "xfs")
    made = build.server(boot, disk, mounts=[build.root(boot), data])
    command = next(it for it in data.all_commands() if "xfs_info" in it)
    made.commands[command] = "xfs_info: cannot open /srv: Input/output error\n"
    made.statuses[command] = 1
    return made
