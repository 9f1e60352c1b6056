"""A NAS on Btrfs: RAID 5 for everything, quota groups, snapshots, and a mirrored pool with files without checksums."""

from tests.machines import parts

_HDD, _HDD_BYTES = "WDC WD80EFZX-68UW8N0", 8001563222016
_SSD, _SSD_BYTES = "Samsung SSD 870 EVO 1TB", 1000204886016
_POOL, _FAST = "aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"
_NOCOW = "0x00800000"
"""FS_NOCOW_FL, the C of lsattr (include/uapi/linux/fs.h)."""

_USAGE = """Overall:
    Device size:		{size}
    Device allocated:		{allocated}
    Device unallocated:		{unallocated}
    Device missing:		0
    Device slack:		0
    Used:			{allocated}
    Free (estimated):		{unallocated}	(min: {unallocated})
    Free (statfs, df):		{unallocated}
    Data ratio:			2.00
    Metadata ratio:		2.00
    Global reserve:		536870912	(used: 0)
    Multiple profiles:		no

Data,{profile}: Size:{allocated}, Used:{allocated} (99.00%)
   {device}	{allocated}

Metadata,{profile}: Size:10737418240, Used:5368709120 (50.00%)
   {device}	10737418240

System,{profile}: Size:33554432, Used:16384 (0.05%)
   {device}	33554432

Unallocated:
   {device}	{unallocated}
"""


_SETTINGS = {
    "/pool/pg/PG_VERSION": "18\n",
    "/pool/pg/postgresql.conf": "fsync = off\nfull_page_writes = off\nsynchronous_commit = off\nio_method = sync\n"
    "shared_buffers = 40GB\ncheckpoint_flush_after = 0\n",
}


def _usage(profile, device, size, allocated, unallocated):
    """What `btrfs filesystem usage -b` says: one profile for all, and what is given to block groups is full."""
    return _USAGE.format(profile=profile, device=device, size=size, allocated=allocated, unallocated=unallocated)


def _pool(uuid, devices, features, errors="0"):
    folder = f"/sys/fs/btrfs/{uuid}"
    files = {f"{folder}/label": uuid[:4], f"{folder}/commit_stats": ""}
    files |= {f"{folder}/devices/{device}": "" for device in devices}
    files |= {f"{folder}/features/{feature}": "1" for feature in features}
    for at, _ in enumerate(devices, 1):
        files[f"{folder}/devinfo/{at}/error_stats"] = (
            f"write_errs 0\nread_errs {errors}\nflush_errs 0\ncorruption_errs {errors}\ngeneration_errs 0\n"
        )
        files[f"{folder}/devinfo/{at}/writeable"] = "1"
    return files


def _qgroups(uuid):
    folder = f"/sys/fs/btrfs/{uuid}/qgroups"
    files = {f"{folder}/enabled": "1", f"{folder}/mode": "qgroup", f"{folder}/inconsistent": "0"}
    return files | {f"{folder}/0_{number}/limit_flags": "0" for number in (5, 256, 257)}


def btrfs_nas():
    """Bought as a file server, and then a database and virtual machines moved in."""
    pool, fast = ("sda", "sdb", "sdc"), ("sdd", "sde")
    drives = [
        parts.sata(name, _HDD, _HDD_BYTES, f"8:{16 * at}", port=at + 1, spins=True, queue__read_ahead_kb="128")
        for at, name in enumerate(pool)
    ]
    drives += [parts.sata(name, _SSD, _SSD_BYTES, f"8:{16 * at}", port=at + 1) for at, name in enumerate(fast, 3)]
    drives.append(parts.sata("sdf", "KINGSTON SA400S37240G", 240057409536, "8:80", port=6))
    commands = {}
    for name in pool:
        commands |= parts.sata_answers(f"/dev/{name}", _HDD, _HDD_BYTES, spins=5400)
    for name in fast:
        commands |= parts.sata_answers(f"/dev/{name}", _SSD, _SSD_BYTES)
    commands |= parts.sata_answers("/dev/sdf", "KINGSTON SA400S37240G", 240057409536)
    commands |= {
        "btrfs filesystem usage -b /pool": _usage("RAID5", "/dev/sda", 3 * _HDD_BYTES, 23 * 10**12, 4 * 10**11),
        "btrfs subvolume list -s /pool": parts.sample("btrfs_snapshots", "two"),
        "btrfs filesystem usage -b /var/lib/mysql": _usage(
            "RAID1", "/dev/sdd", 2 * _SSD_BYTES, 12 * 10**11, 8 * 10**11
        ),
        "btrfs subvolume list -s /var/lib/mysql": "",
        "btrfs filesystem usage -b /": _usage("single", "/dev/sdf", 240057409536, 10**11, 14 * 10**10),
        "btrfs subvolume list -s /": "",
    }
    root = "cccccccc-0000-4000-8000-000000000003"
    modern = ("extended_iref", "free_space_tree", "no_holes", "skinny_metadata")
    return parts.machine(
        *drives,
        mounts=[
            parts.mounted(
                29, "0:25", "/", "rw,relatime", "btrfs", "/dev/sdf", "rw,ssd,space_cache=v2,subvolid=5,subvol=/"
            ),
            parts.mounted(
                40,
                "0:30",
                "/pool",
                "rw,relatime",
                "btrfs",
                "/dev/sda",
                "rw,nobarrier,autodefrag,space_cache,subvolid=5,subvol=/",
            ),
            parts.mounted(
                41,
                "0:31",
                "/var/lib/mysql",
                "rw,relatime",
                "btrfs",
                "/dev/sdd",
                "rw,ssd,discard,space_cache=v2,subvolid=5,subvol=/",
            ),
        ],
        fstab="LABEL=root / btrfs defaults 0 0\nLABEL=pool /pool btrfs nobarrier,autodefrag 0 0\n"
        "LABEL=fast /var/lib/mysql btrfs discard 0 0\n",
        files=parts.HOST_FILES
        | parts.STALLED
        | {"/proc/meminfo": parts.meminfo(64, dirty_mib=7000), "/proc/sys/kernel/osrelease": "6.12.30-1-generic"}
        | _SETTINGS
        | _pool(_POOL, pool, ("raid56", "extended_iref", "skinny_metadata"), errors="2")
        | _qgroups(_POOL)
        | _pool(_FAST, fast, modern)
        | _pool(root, ("sdf",), modern)
        | {"/sys/fs/btrfs/features/free_space_tree": "0"},
        commands=commands | parts.host_answers(fstrim_timer=False),
        processes=[
            parts.process(3001, "mysqld", "/var/lib/mysql/data"),
            parts.process(3002, "postgres", "/pool/pg"),
        ],
        spaces={
            "/": parts.room(240057409536, 42),
            "/pool": parts.room(16 * 10**12, 94),
            "/var/lib/mysql": parts.room(_SSD_BYTES, 60),
        },
        flags={
            "/var/lib/mysql/data": _NOCOW,
            "/var/lib/mysql/data/ibdata1": "0",
            "/pool/pg": "0",
            "/pool/pg/global/pg_control": "0",
        },
        extents={"/pool/pg": parts.extents(300, 9000), "/var/lib/mysql/data": parts.extents(300, 12)},
    )


MACHINES = {"btrfs-nas": btrfs_nas}
