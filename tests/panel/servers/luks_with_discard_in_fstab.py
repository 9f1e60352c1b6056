"""PostgreSQL on ext4 with `discard` over LUKS that lets none through, on an SSD with PLP. The expert mentions that the
option does nothing there; nothing is grave.
"""

from tests.panel import build

PLACE = "/var/lib/postgresql"
FIRST = ()
BESIDE = ("crypt-stops-discards layer:dm-0",)
NEVER = ("ext4-online-discard", "discards-never-sent", "database-without-redundancy")


def server():
    disk = build.sata(attributes=build.PROTECTED, queue__discard_max_bytes="2147450880")
    part, number = disk.partition(2)
    data = build.Mount(PLACE, "dm-0", "253:0", inside="rw,discard", fstab="defaults,discard")
    return build.server(
        disk,
        layers=[build.volume("dm-0", "253:0", [part], "luks-1", dm__uuid="CRYPT-LUKS2-0000-luks-1")],
        mounts=[build.root(disk), data],
        commands={"dmsetup table": f"luks-1: 0 838860800 crypt aes-xts-plain64 :64:logon:k 0 {number} 32768\n"},
        programs=[("postgres", f"{PLACE}/16/main")],
        files=build.postgresql(f"{PLACE}/16/main"),
    )
