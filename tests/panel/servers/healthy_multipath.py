"""SAS disks over multipath with none as scheduler, as SUSE sets it. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("hard-disk-without-scheduler",)


def server():
    from tests.told import stacked

    paths = [
        build.hdd(0, "ST8000NM0075", queue__scheduler="[none] mq-deadline"),
        build.hdd(1, "ST8000NM0075", queue__scheduler="[none] mq-deadline"),
    ]
    boot = build.sata(2, attributes=build.PROTECTED)
    path = stacked(
        "dm-0",
        "253:0",
        ["sda", "sdb"],
        dm__name="mpatha",
        dm__uuid="mpath-35000c500a0000001",
        queue__physical_block_size="4096",
        queue__discard_max_bytes="0",
        queue__read_ahead_kb="128",
    )
    status = "mpatha: 0 15628053168 multipath 2 0 0 0 1 1 A 0 2 2 8:0 A 0 0 1 8:16 A 0 0 1 \n"
    return build.server(
        boot,
        *paths,
        layers=[path],
        mounts=[build.root(boot), build.Mount("/srv", "dm-0", "253:0", "xfs")],
        commands={
            "dmsetup table": "mpatha: 0 15628053168 multipath 0 0 1 1 service-time 0 2 2 8:0 1 1 8:16 1 1\n",
            "dmsetup status": status,
        },
    )
