"""ZFS pools and Btrfs filesystems of several drives."""

from fsadvisor.readers import (
    zfs_tools,
)
from tests.panel.build import GIB, PROTECTED, Mount, hdd, root, sata, server

SCRUBBED = "scrub repaired 0B in 02:13:45 with 0 errors on Sun Nov  8 02:37:46 2026"


def zpool(*pools, datasets=(), status=None, autotrim="off"):
    """What zpool and zfs say: pools are (name, ashift, health, capacity, fragmentation), datasets (name, {…})."""
    usual = {"sync": "standard", "atime": "on", "relatime": "on", "recordsize": "131072", "logbias": "latency",
             "compression": "lz4", "primarycache": "all", "quota": "0", "refquota": "0"}  # fmt: skip
    lines = [f"{name}\t{key}\t{value}\n" for name, own in datasets for key, value in (usual | own).items()]
    return {
        " ".join(zfs_tools.ZPOOL_LIST_ARGV): "".join("\t".join(map(str, (*pool, autotrim))) + "\n" for pool in pools),
        " ".join(zfs_tools.ZFS_GET_ARGV): "".join(lines),
    } | ({" ".join(zfs_tools.ZPOOL_STATUS_ARGV): status} if status else {})


def zpool_status(name, *vdevs, state="ONLINE", scan=SCRUBBED, errors="No known data errors"):
    """`zpool status` of a pool: vdevs are 'mirror' or 'logs' alone, or (device, READ, WRITE, CKSUM, note)."""
    rows, indent = [f"\t{name}  {state}  0 0 0\n"], "  "
    for vdev in vdevs:
        if isinstance(vdev, tuple):
            device, *more = vdev
            counts = [*more, 0, 0, 0][:3]
            note = f"  {more[3]}" if len(more) > 3 else ""
            rows.append(f"\t{indent}{device}  ONLINE  {' '.join(map(str, counts))}{note}\n")
        elif vdev in ("logs", "special", "cache", "spares"):
            rows.append(f"\t{vdev}\t\n")
            indent = "  "
        else:
            rows.append(f"\t  {vdev}-0  ONLINE  0 0 0\n")
            indent = "    "
    return (
        f"  pool: {name}\n state: {state}\n  scan: {scan}\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n"
        + "".join(rows)
        + f"\nerrors: {errors}\n"
    )


def on_zfs(dataset=(), *, disks=None, vdevs=("mirror", ("/dev/sdb1",), ("/dev/sdc1",)), files=(), capacity=60, more=(),
           listed=("tank", 12, "ONLINE"), autotrim="off", place="/tank", **rest):  # fmt: skip
    """A server with a pool at /tank, of two hard disks in a mirror unless said otherwise, and a boot SSD; atime is off.

    `dataset` are properties of it, `more` other mounts.
    """
    disks = [hdd(at, queue__scheduler="[none] mq-deadline") for at in (1, 2)] if disks is None else disks
    boot = sata(0, attributes=PROTECTED)
    for disk in disks:
        disk.partition(1)
    told = zpool((*listed, capacity, 20), datasets=[("tank", {"atime": "off"} | dict(dataset))],
                 status=zpool_status("tank", *vdevs), autotrim=autotrim)  # fmt: skip
    mount = Mount(place, "tank", "0:50", "zfs", inside="rw,xattr,noacl", options="rw,noatime", used=capacity)
    return server(boot, *disks, mounts=[root(boot), mount, *more], commands=told | rest.pop("commands", {}),
                  files=ZFS_FILES | dict(files), **rest)  # fmt: skip


def arc(gib):
    """ARC's statistics with its limit."""
    return {
        "/proc/spl/kstat/zfs/arcstats": f"9 1 0x01 147 39984 1 2\nname type data\nc_max  4  {gib * GIB}\nsize 4 {GIB}\n"
    }


ZFS_FILES = {"/sys/module/zfs/parameters/zfs_nocacheflush": "0", "/sys/module/zfs/parameters/zil_nocacheflush": "0"}


BTRFS_UUID = "eeeeeeee-0000-4000-8000-000000000007"


def btrfs(place, drives, profile="raid1", *, errors=0, data=10**12, data_used=4 * 10**11, metadata=2 * 10**10,
          metadata_used=4 * 10**9, unallocated=10**12, missing=0, metadata_profile=None, **more):  # fmt: skip
    """A Btrfs over whole drives; sizes in bytes."""
    folder = f"/sys/fs/btrfs/{BTRFS_UUID}"
    files = {f"{folder}/label": "pool", f"{folder}/commit_stats": ""}
    size, copies = data + metadata + unallocated, (metadata_profile or profile).upper()
    for at, drive in enumerate(drives, 1):
        files |= {
            f"{folder}/devices/{drive.name}": "",
            f"{folder}/devinfo/{at}/writeable": "1",
            f"{folder}/devinfo/{at}/error_stats": (
                f"write_errs 0\nread_errs {errors}\nflush_errs 0\ncorruption_errs {errors}\ngeneration_errs 0\n"
            ),
        }
    for feature in ("extended_iref", "free_space_tree", "no_holes", "skinny_metadata"):
        files[f"{folder}/features/{feature}"] = "1"
    files["/sys/fs/btrfs/features/free_space_tree"] = "0"
    device = f"/dev/{drives[0].name}"
    usage = f"""Overall:
    Device size:\t\t{size}
    Device allocated:\t\t{data + metadata}
    Device unallocated:\t\t{unallocated}
    Device missing:\t\t{missing}
    Device slack:\t\t0
    Used:\t\t\t{data_used + metadata_used}
    Free (estimated):\t\t{unallocated + data - data_used}\t(min: {unallocated + data - data_used})
    Free (statfs, df):\t\t{unallocated + data - data_used}
    Data ratio:\t\t\t1.00
    Metadata ratio:\t\t1.00
    Global reserve:\t\t5767168\t(used: 0)
    Multiple profiles:\t\tno

Data,{profile.upper()}: Size:{data}, Used:{data_used} ({100 * data_used / data:.2f}%)
   {device}\t{data}

Metadata,{copies}: Size:{metadata}, Used:{metadata_used} ({100 * metadata_used / metadata:.2f}%)
   {device}\t{metadata}

System,{copies}: Size:33554432, Used:16384 (0.05%)
   {device}\t33554432

Unallocated:
   {device}\t{unallocated}
"""
    commands = {f"btrfs filesystem usage -b {place}": usage, f"btrfs subvolume list -s {place}": ""}
    return Mount(place, drives[0].name, "0:41", "btrfs", inside="rw,ssd,space_cache=v2,subvolid=5,subvol=/",
                 size=size, files=files, commands=commands, **more)  # fmt: skip
