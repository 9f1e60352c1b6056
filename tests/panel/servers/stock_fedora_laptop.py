"""A laptop as a server: Fedora's Btrfs on an encrypted consumer NVMe, docker. Nothing to say; nobody commits here."""

from tests.panel import build, pools

FIRST = ()
NEVER = ("power-loss-protection-failed", "flushes-without-protection", "btrfs-single-metadata")


def server():
    disk = build.nvme(0, flush_ms=0.9)
    part, _ = disk.partition(3)
    crypt = build.volume("dm-0", "253:0", [part], "luks-1", dm__uuid="CRYPT-LUKS2-0000-luks-1")
    data = pools.btrfs("/", [disk], "single", metadata_profile="dup")
    return build.server(
        disk,
        layers=[crypt],
        mounts=[data],
        commands={"dmsetup table": "luks-1: 0 838860800 crypt aes-xts-plain64 :64:logon:key 0 259:3 32768 1 "
                  "allow_discards\n"},
        programs=[("dockerd", "/var/lib/docker")],
        kernel="6.15.4-200.fc42.x86_64",
        memory=16,
    )  # fmt: skip
