"""PostgreSQL on LVM on LUKS on a 990 PRO, 1.9 ms a flush: the drive, through all the layers; not the encryption."""

from tests.panel import build

FIRST = ("commits-wait-for-drive service:postgresql /var/lib/postgresql/16/main",)
NEVER = ("crypt-through-workqueues", "crypt-small-sectors", "access-times-written")


def server():
    disk = build.nvme(0, flush_ms=1.9)
    part, number = disk.partition(2)
    return build.server(
        disk,
        layers=[
            build.volume("dm-0", "253:0", [part], "luks-1", dm__uuid="CRYPT-LUKS2-0000-luks-1"),
            build.volume("dm-1", "253:1", ["dm-0"], "vg0-pg"),
        ],
        mounts=[build.root(disk), build.Mount("/var/lib/postgresql", "dm-1", "253:1")],
        commands=build.lvs({"lv_name": "pg", "lv_dm_path": "/dev/mapper/vg0-pg"})
        | {"dmsetup table": f"luks-1: 0 838860800 crypt aes-xts-plain64 :64:logon:key 0 {number} 32768\n"
           "vg0-pg: 0 838860800 linear 253:0 2048\n"},
        programs=[("postgres", "/var/lib/postgresql/16/main")],
        files=build.postgresql("/var/lib/postgresql/16/main"),
    )  # fmt: skip
