"""Oracle with ASM on two multipath LUNs, no filesystem on them; one fabric is down. The expert: mend it before the
other goes. Schedulers and flushes of paths are nobody's business here.
"""

from tests.panel import build

FIRST = ("multipath-paths-failed layer:dm-0",)
NEVER = (
    "hard-disk-without-scheduler",
    "commits-wait-for-drive",
    "disk-offline",
    "multipath-one-path",
    "multipath-one-adapter",
)


def server():
    boot = build.sata(4, attributes=build.PROTECTED)
    paths = [build.sata(at, "InfiniBox", device__vendor="NFINIDAT") for at in range(4)]
    for at, path in enumerate(paths):
        where = f"pci0000:00/0000:00:0{1 + at // 2}.0/host{at // 2}/rport-{at // 2}:0-{at}/target{at // 2}:0:{at}"
        path.made = (
            path.made[0],
            {f"/sys/block/{path.name}": f"../devices/{where}/{at // 2}:0:{at}:1/block/{path.name}"},
        )
        path.commands = {}
    first, told = build.multipath(paths, 2, called="asm-data1", queueing="queue")
    return build.server(
        boot,
        *paths,
        layers=[first],
        mounts=[build.root(boot), build.on(boot, "/u01", "xfs")],
        commands=told,
        programs=[("tnslsnr", "/u01/app/oracle/network")],
        kernel="5.15.0-300.163.18.el9uek.x86_64",
    )
