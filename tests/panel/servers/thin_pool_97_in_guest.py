"""A KVM guest whose docker data is on a thin volume of a pool at 97 %. The expert: enlarge the guest's disk or the
pool; what's virtual changes nothing about that.
"""

from tests.panel import build

FIRST = ("thin-pool-nearly-full layer:dm-1",)
NEVER = ("nearly-full", "drive-failing", "hard-disk-without-scheduler")


def server():
    disk = build.virtio(0, 100 * build.GIB)
    pv, _ = disk.partition(2)
    return build.server(
        disk,
        layers=[
            build.volume("dm-1", "253:1", [pv], "vg0-pool-tpool"),
            build.volume("dm-2", "253:2", ["dm-1"], "vg0-docker"),
        ],
        mounts=[build.root(disk), build.Mount("/var/lib/docker", "dm-2", "253:2", "xfs")],
        commands=build.lvs(
            {"lv_name": "pool", "lv_dm_path": "/dev/mapper/vg0-pool", "segtype": "thin-pool", "data_percent": "97.12",
             "metadata_percent": "31.00", "lv_attr": "twi-aotz--"},
            {"lv_name": "docker", "lv_dm_path": "/dev/mapper/vg0-docker", "segtype": "thin", "pool_lv": "pool",
             "data_percent": "97.00", "lv_attr": "Vwi-aotz--"},
        )
        | {"dmsetup table": "vg0-pool-tpool: 0 838860800 thin-pool 253:8 253:9 512 0\n"
           "vg0-docker: 0 838860800 thin 253:1 1\n"},
        programs=[("dockerd", "/var/lib/docker")],
        vm="kvm",
    )  # fmt: skip
