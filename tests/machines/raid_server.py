"""A server with SATA drives, software RAID, encryption and LVM, and an fstab that will not boot."""

from tests.machines import parts
from tests.told import stacked

_SSD, _SSD_BYTES = "Crucial_CT1000MX500SSD1", 1000204886016
_HDD, _HDD_BYTES = "ST4000NM0035-1V4107", 4000787030016
_HDDS = ("sdd", "sde", "sdf")

_TABLES = """md0_crypt: 0 1952493568 crypt aes-xts-plain64 :64:logon:cryptsetup:00000000-d0 0 9:0 32768
vg0-srv: 0 838860800 linear 253:0 2048
vg0-images: 0 419430400 linear 253:0 838862848
vg0-tmp: 0 41943040 linear 253:0 1258293248
"""
_FSTAB = """LABEL=root   /                ext4  errors=remount-ro,data=journal 0 1
/dev/mapper/vg0-srv    /srv    ext4  nobarrier,discard,noatime,nodiratime,data=writeback,commit=60 0 2
/dev/mapper/vg0-images /var/lib/images xfs nobarrier,ikeep,attr2,logbsize=256k 0 2
/dev/mapper/vg0-tmp    /var/spool/upload ext4 sync,strictatime 0 2
/dev/sdc1    /var/log         xfs   noatime,discard 0 2
/dev/md1     /backup          ext4  nodelalloc,noauto_da_alloc 0 2
"""
_MOUNTS = (
    parts.mounted(29, "8:1", "/", "rw,relatime", "ext4", "/dev/sda1", "rw,errors=remount-ro"),
    parts.mounted(
        40,
        "253:1",
        "/srv",
        "rw,noatime",
        "ext4",
        "/dev/mapper/vg0-srv",
        "rw,nobarrier,discard,data=writeback,commit=60",
    ),
    parts.mounted(
        41,
        "253:2",
        "/var/lib/images",
        "rw,relatime",
        "xfs",
        "/dev/mapper/vg0-images",
        "rw,attr2,inode32,logbufs=8,logbsize=32k,noquota",
    ),
    parts.mounted(42, "253:3", "/var/spool/upload", "rw,sync,strictatime", "ext4", "/dev/mapper/vg0-tmp", "rw,sync"),
    parts.mounted(
        43,
        "8:33",
        "/var/log",
        "rw,noatime",
        "xfs",
        "/dev/sdc1",
        "rw,attr2,discard,inode64,logbufs=8,logbsize=32k,noquota",
    ),
    parts.mounted(44, "9:1", "/backup", "rw,relatime", "ext4", "/dev/md1", "rw,nodelalloc,noauto_da_alloc"),
)


def _md(name, number, level, members, chunk, **more):
    return stacked(
        name,
        number,
        members,
        **{
            "size": "1953260544",
            "md__level": level,
            "md__chunk_size": str(chunk),
            "md__degraded": "0",
            "md__consistency_policy": "resync",
            "md__array_state": "clean",
            "md__sync_action": "idle",
            "md__mismatch_cnt": "0",
            "md__last_sync_action": "check",
            "md__raid_disks": str(max(len(members), 2)),
            "queue__read_ahead_kb": "128",
            "queue__physical_block_size": "4096",
            "queue__discard_max_bytes": "0",
            "queue__optimal_io_size": str(chunk * 2),
            "queue__minimum_io_size": str(chunk),
            **{f"md__dev-{member}__offset": "262144" for member in members},
            **more,
        },
    )


def _mapped(name, number, below, mapped, kind, **more):
    uuid = "CRYPT-LUKS2-0000-md0_crypt" if kind == "crypt" else f"LVM-EXAMPLE{mapped}"
    settings = {"queue__discard_max_bytes": "0", "queue__read_ahead_kb": "128", "queue__physical_block_size": "4096"}
    return stacked(name, number, [below], dm__name=mapped, dm__uuid=uuid, **settings, **more)


def _drives():
    for port, name in enumerate(("sda", "sdb", "sdc"), 1):
        yield parts.sata(name, _SSD, _SSD_BYTES, f"8:{16 * (port - 1)}", port=port)
    for port, name in enumerate(_HDDS, 4):
        yield parts.sata(
            name,
            _HDD,
            _HDD_BYTES,
            f"8:{16 * (port - 1)}",
            port=port,
            spins=True,
            queue__scheduler="[none] mq-deadline kyber bfq",
        )
    yield parts.partition("sda", "sda1", "8:1", 50 * parts.GIB)
    yield parts.partition("sda", "sda2", "8:2", 881 * parts.GIB, start=104859648)
    yield parts.partition("sdb", "sdb2", "8:18", 881 * parts.GIB, start=104859648)
    yield parts.partition("sdc", "sdc1", "8:33", 900 * parts.GIB, start=63)
    yield _md("md0", "9:0", "raid1", ["sda2"], 0, md__degraded="1")
    yield _md("md1", "9:1", "raid5", _HDDS, 524288, md__stripe_cache_size="256", md__mismatch_cnt="128")
    yield _mapped("dm-0", "253:0", "md0", "md0_crypt", "crypt")
    for at, mapped in enumerate(("vg0-srv", "vg0-images", "vg0-tmp"), 1):
        yield _mapped(f"dm-{at}", f"253:{at}", "dm-0", mapped, "linear")


def raid_lvm_crypt_server():
    """What an old server that grew by hand looks like."""
    files = {"/proc/meminfo": parts.meminfo(128, dirty_mib=9000), "/proc/sys/kernel/osrelease": "6.18.2-1-amd64"}
    for device, options in (
        ("sda1", parts.EXT4_OPTIONS),
        ("dm-1", "rw delalloc nobarrier discard auto_da_alloc errors=continue commit=60 data=writeback"),
        ("dm-3", f"{parts.EXT4_OPTIONS} sync"),
        ("md1", "rw nodelalloc barrier noauto_da_alloc errors=continue commit=5 data=ordered"),
    ):
        files |= parts.ext4_files(device, options, commits=9_000, commit_us=7_000)
    commands = {"dmsetup table": _TABLES}
    for name in ("sda", "sdb", "sdc"):
        commands |= parts.sata_answers(f"/dev/{name}", _SSD, _SSD_BYTES, attributes=_WORN if name == "sdb" else ())
    for name in _HDDS:
        commands |= parts.sata_answers(f"/dev/{name}", _HDD, _HDD_BYTES, spins=7200)
    return parts.machine(
        *_drives(),
        mounts=_MOUNTS,
        fstab=_FSTAB,
        files=parts.HOST_FILES
        | parts.STALLED
        | files
        | {"/sys/fs/ext4/md1/errors_count": "3"}
        | parts.attested(("mount.sync_needed", "mount:/var/spool/upload", "false")),
        commands=commands
        | parts.ext4_answers("/dev/sda1", size_bytes=50 * parts.GIB)
        | parts.ext4_answers("/dev/dm-1", size_bytes=400 * parts.GIB, journal="64M", Inode_size="128")
        | parts.ext4_answers("/dev/dm-3", size_bytes=20 * parts.GIB, journal="128M")
        | parts.ext4_answers(
            "/dev/md1",
            size_bytes=7400 * parts.GIB,
            errors=3,
            Filesystem_features="has_journal ext_attr filetype sparse_super",
        )
        | parts.xfs_answers("/var/lib/images", "/dev/mapper/vg0-images", case="v4_striped")
        | parts.xfs_answers("/var/log", "/dev/sdc1", bigtime__1="bigtime=0")
        | parts.host_answers(fstrim_timer=False),
        processes=[
            parts.process(900, "dockerd", "/srv/docker"),
            parts.process(901, "virtqemud", "/var/lib/images/vm1.qcow2"),
        ],
        spaces={
            "/": parts.room(50 * parts.GIB, 62),
            "/srv": parts.room(400 * parts.GIB, 97),
            "/var/lib/images": parts.room(200 * parts.GIB, 70),
            "/var/spool/upload": parts.room(20 * parts.GIB, 11, inodes_used_percent=97),
            "/var/log": parts.room(900 * parts.GIB, 20),
            "/backup": parts.room(7400 * parts.GIB, 88),
        },
    )


_WORN = ((5, "Reallocated_Sector_Ct", 80, 10, 412), (202, "Percent_Lifetime_Remain", 1, 1, 99))

MACHINES = {"raid-lvm-crypt-server": raid_lvm_crypt_server}
