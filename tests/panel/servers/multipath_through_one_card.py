"""Two paths to one disk, both through the same HBA: the card is the single point that multipath was bought against."""

from tests.panel import build

FIRST = ()
BESIDE = ("multipath-one-adapter layer:dm-0",)
NEVER = ("multipath-one-path", "multipath-paths-failed")


def server():
    paths = [build.hdd(at, "ST8000NM0075", queue__scheduler="[none] mq-deadline") for at in range(2)]
    for at, path in enumerate(paths):
        where = f"pci0000:00/0000:00:03.0/host0/port-0:{at}/end_device-0:{at}/target0:0:{at}/0:0:{at}:0"
        path.made = (path.made[0], {f"/sys/block/{path.name}": f"../devices/{where}/block/{path.name}"})
    boot = build.sata(4, attributes=build.PROTECTED)
    layer, commands = build.multipath(paths, 2)
    return build.server(
        boot,
        *paths,
        layers=[layer],
        mounts=[build.root(boot), build.Mount("/srv", "dm-0", "253:0", "xfs")],
        commands=commands,
    )
