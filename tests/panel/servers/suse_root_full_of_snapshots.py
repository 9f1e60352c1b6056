"""A SLES root of 40 GiB on Btrfs at 96 % with 60 snapshots of snapper. The expert: delete snapshots (`snapper delete`);
that `rm` frees nothing.
"""

from tests.panel import build, pools

FIRST = ("nearly-full filesystem:/dev/sda",)


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    gib = build.GIB
    data = pools.btrfs(
        "/",
        [disk],
        "single",
        metadata_profile="dup",
        data=36 * gib,
        data_used=35 * gib,
        metadata=gib,
        metadata_used=600 << 20,
        unallocated=2 * gib,
        used=96,
    )
    about = "gen 1000 cgen 900 top level 266 otime 2026-10-01 10:00:00"
    rows = "".join(f"ID {300 + at} {about} path @/.snapshots/{at}/snapshot\n" for at in range(1, 61))
    data.commands["btrfs subvolume list -s /"] = rows
    return build.server(disk, mounts=[data], kernel="6.4.0-150600.23.47-default")
