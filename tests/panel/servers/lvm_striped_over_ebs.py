"""PostgreSQL on a volume that LVM stripes over two EBS volumes, for their bandwidth: AWS keeps copies of each. Nothing
to say of redundancy, nor of anything else.
"""

from tests.panel import build

FIRST = ()
NEVER = ("database-without-redundancy", "array-on-one-disk")
PLACE = "/var/lib/postgresql"


def server():
    boot, *drives = (build.ebs(at) for at in range(3))
    told = {"lv_name": "pg", "lv_dm_path": "/dev/mapper/vg0-pg", "segtype": "striped"}
    return build.server(
        boot,
        *drives,
        layers=[build.volume("dm-0", "253:0", [it.name for it in drives], "vg0-pg")],
        mounts=[build.root(boot), build.Mount(PLACE, "dm-0", "253:0", "xfs")],
        commands={"dmsetup table": "vg0-pg: 0 800000000 striped 2 128 259:16 2048 259:32 2048\n"} | build.lvs(told),
        programs=[("postgres", f"{PLACE}/16/main")],
        files=build.postgresql(f"{PLACE}/16/main") | build.AMAZON,
        vm="amazon",
    )
