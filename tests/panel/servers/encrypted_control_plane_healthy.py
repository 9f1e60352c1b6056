"""A control plane on an encrypted drive with PLP, TRIM let through, etcd at 0.05 ms a flush. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("crypt-stops-discards", "etcd-slow-flushes")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disk = build.nvme(0, build.PM9A3, cache="write back", capacitors=99, flush_ms=0.05)
    crypt = build.volume(
        "dm-0",
        "253:0",
        ["nvme0n1"],
        "data",
        dm__uuid="CRYPT-LUKS2-0000-data",
        queue__discard_max_bytes="2199023255040",
        queue__logical_block_size="4096",
    )
    return build.server(
        boot,
        disk,
        layers=[crypt],
        mounts=[build.root(boot), build.Mount("/var/lib/etcd", "dm-0", "253:0", "ext4", options="rw,noatime")],
        commands={
            "dmsetup table": "data: 0 838860800 crypt aes-xts-plain64 :64:logon:x 0 259:0 32768 4 allow_discards "
            "no_read_workqueue no_write_workqueue sector_size:4096\n"
        },
        programs=[("etcd", "/var/lib/etcd")],
    )
