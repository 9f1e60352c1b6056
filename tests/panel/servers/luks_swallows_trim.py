"""An SSD below LUKS without allow-discards, fstrim.timer on: it trims nothing, week by week. The expert mentions it."""

from tests.panel import build

FIRST = ()
BESIDE = ("crypt-stops-discards layer:dm-0",)
NEVER = ("discards-never-sent",)


def server():
    disk = build.sata(attributes=build.PROTECTED, queue__discard_max_bytes="2147450880")
    part, number = disk.partition(2)
    return build.server(
        disk,
        layers=[build.volume("dm-0", "253:0", [part], "luks-1", dm__uuid="CRYPT-LUKS2-0000-luks-1")],
        mounts=[build.root(disk), build.Mount("/srv", "dm-0", "253:0")],
        commands={"dmsetup table": f"luks-1: 0 838860800 crypt aes-xts-plain64 :64:logon:k 0 {number} 32768\n"},
    )
