"""Two iSCSI paths with the default of 120 s: a lost switch is two minutes of standstill. Set 15."""

from tests.panel import build

FIRST = ("iscsi-path-given-up-late layer:dm-0",)
NEVER = ("multipath-paths-failed", "multipath-one-path")


def server():
    paths = [build.hdd(at, "iSCSI Disk", queue__scheduler="[none] mq-deadline") for at in range(2)]
    for at, path in enumerate(paths):
        where = f"platform/host{at + 2}/session{at + 1}/target{at + 2}:0:0/{at + 2}:0:0:0"
        path.made = (path.made[0], {f"/sys/block/{path.name}": f"../devices/{where}/block/{path.name}"})
        path.commands = {}
    boot = build.sata(4, attributes=build.PROTECTED)
    layer, commands = build.multipath(paths, 2)
    return build.server(
        boot,
        *paths,
        layers=[layer],
        mounts=[build.root(boot), build.Mount("/srv", "dm-0", "253:0", "xfs", fstab="_netdev")],
        commands=commands,
        files={f"/sys/class/iscsi_session/session{at}/recovery_tmo": "120" for at in (1, 2)},
    )
