"""Two machines with rare things: a lab where everything is tried, and a host on a storage network."""

import json

from fsadvisor.readers import dmsetup, volume_tools, zfs_tools
from fsadvisor.survey import host
from tests.machines import parts
from tests.panel import pools
from tests.told import partition, stacked

_HDD, _HDD_BYTES = "ST2000NM0055-1V4104", 2000398934016
_SSD, _SSD_BYTES = "SHGP31-1000GM-2", 1000204886016
_ZONED, _ZONED_BYTES = "WDC ZN540 EXAMPLE", 4000787030016

_DATASET = (
    ("sync", "standard"),
    ("atime", "on"),
    ("relatime", "off"),
    ("recordsize", 131072),
    ("logbias", "throughput"),
)


def database_lab():
    """Databases on everything that a mount can be, and settings that were tried once and stayed."""
    disks = [
        parts.sata("sda", _HDD, _HDD_BYTES, "8:0", port=1, spins=True, stat=parts.stat(20_000_000, 380_000)),
        parts.nvme("nvme0n1", _SSD, _SSD_BYTES, "259:0", at="0000:51:00.0"),
        parts.nvme("nvme1n1", _ZONED, _ZONED_BYTES, "259:1", at="0000:52:00.0", queue__zoned="host-managed"),
    ]
    fstab = (
        "/dev/sda / ext4 noacl,nouser_xattr 0 1\n/dev/nvme0n1 /srv/f2fs f2fs checkpoint=disable 0 0\n"
        "/dev/sdz /srv/new xfs delaylog 0 2\n"
    )
    commands = {
        " ".join(zfs_tools.ZPOOL_LIST_ARGV): "tank\t9\tONLINE\t42\t33\toff\n",
        " ".join(zfs_tools.ZPOOL_STATUS_ARGV): pools.zpool_status(
            "tank", ("/dev/sdz1", 0, 0, 0, "block size: 512B configured, 4096B native"), scan="none requested"
        ),
        " ".join(zfs_tools.ZFS_GET_ARGV): "".join(f"tank\t{name}\t{value}\n" for name, value in _DATASET),
    }
    made = parts.machine(
        *disks,
        mounts=[
            parts.mounted(29, "8:0", "/", "rw,relatime", "ext4", "/dev/sda", "rw"),
            parts.mounted(40, "259:0", "/srv/f2fs", "rw,relatime", "f2fs", "/dev/nvme0n1", "rw,checkpoint=disable"),
            parts.mounted(41, "259:1", "/srv/nilfs", "rw,relatime", "nilfs2", "/dev/nvme1n1", "rw"),
            parts.mounted(
                42, "0:60", "/srv/merged", "rw,relatime", "overlay", "overlay", "rw,upperdir=/srv/up,volatile"
            ),
            parts.mounted(43, "0:61", "/srv/memory", "rw,relatime", "tmpfs", "tmpfs", "rw,size=8g"),
            parts.mounted(44, "0:62", "/srv/nfs", "rw,relatime", "nfs4", "filer:/db", "rw,vers=4.2,soft,proto=tcp"),
            parts.mounted(45, "0:63", "/tank", "rw,relatime", "zfs", "tank", "rw,xattr"),
            parts.mounted(46, "8:1", "/srv/old", "rw,relatime", "reiserfs", "/dev/sda1", "rw"),
        ],
        fstab=fstab,
        files=parts.HOST_FILES
        | parts.STALLED
        | parts.ext4_files("sda")
        | {
            "/proc/meminfo": parts.meminfo(64),
            "/proc/sys/kernel/osrelease": "6.8.0-52-generic",
            "/proc/sys/vm/dirty_bytes": "1048576",
            "/proc/sys/vm/dirty_background_bytes": "524288",
            "/proc/sys/vm/dirty_writeback_centisecs": "0",
            "/sys/module/zfs/parameters/zfs_nocacheflush": "0",
            "/sys/module/zfs/parameters/zil_nocacheflush": "1",
            "/var/lib/docker/image/devicemapper/repositories.json": "{}",
            "/tank/pg/PG_VERSION": "17\n",
            "/tank/pg/postgresql.conf": "debug_io_direct = data\n",
            "/srv/f2fs/redis/redis.conf": "appendonly yes\nappendfsync no\n",
        }
        | parts.attested(
            ("filesystem.remake_planned", "filesystem:/dev/nvme0n1", "true"),
            ("filesystem.remake_planned", "filesystem:/dev/nvme1n1", "true"),
        ),
        commands=commands
        | parts.sata_answers("/dev/sda", _HDD, _HDD_BYTES, spins=7200)
        | parts.nvme_answers("/dev/nvme0n1", _SSD, _SSD_BYTES, vwc=7)
        | parts.nvme_answers("/dev/nvme1n1", _ZONED, _ZONED_BYTES, vwc=6)
        | parts.ext4_answers("/dev/sda", size_bytes=_HDD_BYTES)
        | parts.host_answers(fstrim_timer=True)
        | {" ".join(host.DEFRAGMENTING): "/etc/cron.weekly/defrag\n"},
        processes=[
            parts.process(10, "etcd", "/var/lib/etcd", unsafe_no_fsync=None),
            parts.process(11, "mongod", "/srv/f2fs/mongo"),
            parts.process(12, "mongod", "/srv/nfs/mongo"),
            parts.process(13, "postgres", "/tank/pg"),
            parts.process(14, "postgres", "/srv/memory/pg"),
            parts.process(15, "mysqld", "/srv/merged/mysql"),
            parts.process(16, "mysqld", "/srv/nilfs/mysql"),
            parts.process(17, "dockerd", "/var/lib/docker"),
        ],
        spaces={
            **{place: parts.room(_SSD_BYTES, 40) for place in ("/", "/srv/nilfs", "/tank", "/srv/old")},
            "/srv/f2fs": parts.room(_SSD_BYTES - (2 << 20), 40),
        },
    )
    made.statuses[" ".join(host.DEFRAGMENTING)] = 0
    return made


_PROVEN, _PROVEN_BYTES = "SAMSUNG MZQL21T9HCJR-00A07", 1920383410176
_TABLES = """mpatha: 0 4194304000 multipath 0 0 1 1 service-time 0 1 2 8:0 1 1
vg0-pool-tpool: 0 2097152000 thin-pool 253:2 253:3 512 0
vg0-odd: 0 419430400 linear 253:0 2049
vg0-data-before: 0 419430400 snapshot 253:9 253:8 P 8
"""
_PATHS = "mpatha: 0 4194304000 multipath 2 0 0 0 1 1 A 0 1 2 8:0 A 0 0 1 \n"


def _lvs(*volumes):
    names = volume_tools.LVS_ARGV[volume_tools.LVS_ARGV.index("-o") + 1].split(",")
    rows = [dict.fromkeys(names, "") | {"vg_name": "vg0", "lv_active": "active"} | one for one in volumes]
    return {" ".join(volume_tools.LVS_ARGV): json.dumps({"report": [{"lv": rows}]})}


def san_host():
    """A LUN over one path, LVM that fills up, and an NVMe drive whose last save was not finished."""
    size = 2000 * parts.GIB
    lun = parts.sata("sda", "VV", size, "8:0", port=1, device__vendor="3PARdata", device__state="running")
    place = "pci0000:00/0000:00:03.0/host1/rport-1:0-0/target1:0:0/1:0:0:1"
    lun = (lun[0], {"/sys/block/sda": f"../devices/{place}/block/sda"})
    quiet = {"queue__discard_max_bytes": "0", "queue__physical_block_size": "4096", "size": "419430400"}

    def mapped(name, number, below, called, uuid="LVM-EXAMPLE"):
        return stacked(name, number, below, dm__name=called, dm__uuid=f"{uuid}{called}", **quiet)

    return parts.machine(
        lun,
        parts.nvme("nvme0n1", _PROVEN, _PROVEN_BYTES, "259:0", queue__read_ahead_kb="8192", stat=parts.stat(9000, 3)),
        parts.nvme("nvme1n1", _PROVEN, _PROVEN_BYTES, "259:2", at="0000:42:00.0"),
        partition("nvme0n1", "nvme0n1p1", "259:1"),
        mapped("dm-0", "253:0", ["sda"], "mpatha", "mpath-"),
        mapped("dm-1", "253:1", ["dm-0"], "vg0-pool-tpool"),
        mapped("dm-4", "253:4", ["dm-0"], "vg0-odd"),
        mapped("dm-5", "253:5", ["dm-0"], "vg0-data-before"),
        mounts=[
            parts.mounted(29, "259:1", "/", "rw,relatime", "ext4", "/dev/nvme0n1p1", "rw"),
            parts.mounted(40, "259:2", "/srv/pg", "rw,noatime", "ext4", "/dev/nvme1n1", "rw,nobarrier,discard"),
            parts.mounted(41, "253:4", "/srv/images", "rw,noatime", "xfs", "/dev/mapper/vg0-odd", parts.XFS_OPTIONS),
        ],
        fstab="/dev/nvme0n1p1 / ext4 defaults 0 1\n/dev/nvme1n1 /srv/pg ext4 noatime,nobarrier,discard 0 2\n"
        "/dev/mapper/vg0-odd /srv/images xfs noatime 0 2\n",
        files=parts.HOST_FILES
        | parts.ext4_files("nvme0n1p1")
        | parts.ext4_files("nvme1n1", f"{parts.EXT4_OPTIONS.replace('barrier', 'nobarrier')} discard")
        | {
            "/proc/meminfo": parts.meminfo(256),
            "/proc/sys/kernel/osrelease": "6.12.41-1-generic",
            "/srv/pg/main/PG_VERSION": "17\n",
            "/srv/pg/main/postgresql.conf": "wal_init_zero = off\nwal_recycle = off\nshared_buffers = 160GB\n",
        },
        commands={"dmsetup table": _TABLES, " ".join(dmsetup.DMSETUP_STATUS_ARGV): _PATHS}
        | _lvs(
            {"lv_name": "pool", "lv_dm_path": "/dev/mapper/vg0-pool", "segtype": "thin-pool", "data_percent": "93.10"}
            | {"metadata_percent": "71.00", "lv_attr": "twi-aotz--"},
            {"lv_name": "data-before", "lv_dm_path": "/dev/mapper/vg0-data-before", "segtype": "linear"}
            | {"data_percent": "88.00", "lv_attr": "swi-a-s---", "origin": "data"},
        )
        | parts.nvme_answers("/dev/nvme0n1", _PROVEN, _PROVEN_BYTES, vwc=7, capacitors=100, unfinished=2)
        | parts.nvme_answers("/dev/nvme1n1", _PROVEN, _PROVEN_BYTES, vwc=7, capacitors=98)
        | parts.ext4_answers("/dev/nvme0n1p1", size_bytes=_PROVEN_BYTES)
        | parts.ext4_answers("/dev/nvme1n1", size_bytes=_PROVEN_BYTES)
        | parts.xfs_answers("/srv/images", "/dev/mapper/vg0-odd")
        | parts.host_answers(fstrim_timer=True),
        processes=[parts.process(20, "postgres", "/srv/pg/main"), parts.process(21, "mysqld", "/var/lib/mysql")],
        spaces={place: parts.room(_PROVEN_BYTES, 40) for place in ("/", "/srv/pg", "/srv/images")},
    )


MACHINES = {"database-lab": database_lab, "san-host": san_host}
