"""SAP HANA on SLES: data and log on LUNs of a Fibre Channel array, four paths each, XFS. Nothing."""

from tests.panel import build

FIRST = ()
NEVER = (
    "multipath-one-path",
    "multipath-waits-for-ever",
    "hard-disk-without-scheduler",
    "commits-wait-for-drive",
    "xfs-small-log",
)


def server():
    boot = build.sata(8, attributes=build.PROTECTED)
    disks, layers, table, status = [], [], "", ""
    for lun, called in enumerate(("hana_data", "hana_log")):
        paths = []
        for at in range(4):
            path = build.sata(4 * lun + at, "OPEN-V", 2 * 1024 * build.GIB, device__vendor="HITACHI ")
            host = at // 2
            where = f"pci0000:00/0000:00:0{host + 2}.0/host{host}/rport-{host}:0-{at}/target{host}:0:{at}"
            path.made = (
                path.made[0] | {f"/sys/block/{path.name}/device/timeout": "30"},
                {f"/sys/block/{path.name}": f"../devices/{where}/{host}:0:{at}:{lun}/block/{path.name}"},
            )
            path.commands = {}
            paths.append(path)
        layer, told = build.multipath(
            paths, 4, name=f"dm-{lun}", number=f"253:{lun}", called=called, queueing="12 retries"
        )
        disks += paths
        layers.append(layer)
        table += told["dmsetup table"]
        status += told[" ".join(build.dmsetup.DMSETUP_STATUS_ARGV)]
        queueing = told
    queueing = queueing | {
        "dmsetup table": table,
        " ".join(build.dmsetup.DMSETUP_STATUS_ARGV): status,
        " ".join(build.dmsetup.MULTIPATHD_ARGV): "hana_data|12 retries\nhana_log|12 retries\n",
    }
    return build.server(
        boot,
        *disks,
        layers=layers,
        mounts=[
            build.root(boot),
            build.Mount(
                "/hana/data", "dm-0", "253:0", "xfs", inside="rw,attr2,inode64,logbufs=8,logbsize=256k,noquota"
            ),
            build.Mount("/hana/log", "dm-1", "253:1", "xfs", inside="rw,attr2,inode64,logbufs=8,logbsize=256k,noquota"),
        ],
        commands=queueing,
        kernel="5.14.21-150500.55.94-default",
        memory=768,
    )
