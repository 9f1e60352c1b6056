"""An object server of Lustre: ldiskfs on md RAID 6 of ten that lost a member. The expert: the array, nothing else."""

from tests.panel import build

FIRST = ("md-degraded layer:md10",)
NEVER = ("fstab-device-missing", "network-disk-without-netdev", "md-write-hole", "md-without-spare")


def server():
    boot, disks = build.sata(0, attributes=build.PROTECTED), [build.hdd(at) for at in range(1, 10)]
    return build.server(
        boot,
        *disks,
        layers=[build.md("md10", "9:10", "raid6", [it.name for it in disks], md__raid_disks="10", md__degraded="1")],
        mounts=[
            build.root(boot),
            build.Mount(
                "/mnt/ost0000",
                "md10",
                "9:10",
                "lustre",
                inside="ro,svname=scratch-OST0000,mgsnode=10.10.0.1@o2ib,osd=osd-ldiskfs",
            ),
        ],
        fstab="UUID=5d1c6a2e-0000-4000-8000-000000000001 / ext4 errors=remount-ro 0 1\n"
        "/dev/md10 /mnt/ost0000 lustre noauto,_netdev 0 0\n",
        kernel="4.18.0-553.53.1.el8_lustre.x86_64",
    )
