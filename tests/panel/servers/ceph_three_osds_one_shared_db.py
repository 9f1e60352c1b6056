"""Three OSDs on hard disks, their `block.db` on one shared 990 PRO with 4 ms a flush. The expert: each commit of all
three waits for that one drive, and if it dies all three are gone. One drive with PLP for at most a few OSDs, said once.
"""

from tests.panel import build

FIRST = ("commits-wait-for-drive service:ceph-osd /var/lib/ceph/osd/ceph-0",)
NEVER = ("hard-disk-without-scheduler", "database-without-redundancy")
OSDS = ("/var/lib/ceph/osd/ceph-0", "/var/lib/ceph/osd/ceph-1", "/var/lib/ceph/osd/ceph-2")


def server():
    boot, shared = build.sata(0, attributes=build.PROTECTED), build.nvme(0, flush_ms=4)
    disks = [build.hdd(at, flush_ms=12) for at in (1, 2, 3)]
    layers, table, links = [], "", {}
    for at, (disk, place) in enumerate(zip(disks, OSDS, strict=True)):
        block, log = f"ceph--{at}-osd--block--{at}", f"ceph--db-osd--db--{at}"
        layers += [
            build.volume(f"dm-{at}", f"253:{at}", [disk.name], block),
            build.volume(f"dm-{at + 3}", f"253:{at + 3}", ["nvme0n1"], log),
        ]
        table += f"{block}: 0 838860800 linear {disk.number} 2048\n"
        table += f"{log}: 0 125829120 linear 259:0 {2048 + at * 125829120}\n"
        links |= {f"{place}/block": f"/dev/ceph-{at}/osd-block-{at}", f"{place}/block.db": f"/dev/ceph-db/osd-db-{at}"}
    made = build.server(
        boot,
        *disks,
        shared,
        layers=layers,
        mounts=[build.root(boot), *(build.Mount(it, "tmpfs", f"0:{44 + at}", "tmpfs") for at, it in enumerate(OSDS))],
        programs=[("ceph-osd", it) for it in OSDS],
        commands={"dmsetup table": table},
    )
    made.links |= links
    return made
