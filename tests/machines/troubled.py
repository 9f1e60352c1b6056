"""Machines on which much has gone wrong: drives that fail, and formats and options that nobody should use any more."""

import json

from fsadvisor.readers import storcli, zfs_tools
from tests.machines import parts
from tests.told import stacked

_NVME, _NVME_BYTES = "Samsung SSD 980 PRO 2TB", 2000398934016
_CRYPT = "cr_docker: 0 1900000000 crypt aes-xts-plain64 :64:logon:cryptsetup:00000000-d1 0 259:4 32768\n"


def worn_nvme_database():
    """Four NVMe drives: a cache that is not flushed, a failed backup, a worn one, one behind a slow link."""
    ports = (
        ("nvme0n1", "0000:41:00.0"),
        ("nvme1n1", "0000:42:00.0"),
        ("nvme2n1", "0000:43:00.0"),
        ("nvme3n1", "0000:44:00.0"),
    )
    changed = (
        {"cache": "write through"},
        {"stat": parts.stat(90_000_000, 400_000)},
        {"queue__scheduler": "none [mq-deadline] kyber bfq"},
        {"link": "8.0 GT/s PCIe"},
    )
    said = ({}, {"critical_warning": 16}, {"percent_used": 104, "media_errors": 7}, {"critical_warning": 2})
    disks = [
        parts.nvme(name, _NVME, _NVME_BYTES, f"259:{at}", at=place, **more)
        for at, ((name, place), more) in enumerate(zip(ports, changed, strict=True))
    ]
    commands = {"dmsetup table": _CRYPT, "mysqld --version": _MYSQL}
    for (name, _), log in zip(ports, said, strict=True):
        commands |= parts.nvme_answers(f"/dev/{name}", _NVME, _NVME_BYTES, vwc=7, log=log)
    return parts.machine(
        *disks,
        parts.partition("nvme3n1", "nvme3n1p1", "259:4", 1800 * parts.GIB),
        stacked(
            "dm-0",
            "253:0",
            ["nvme3n1p1"],
            dm__name="cr_docker",
            dm__uuid="CRYPT-LUKS2-0000-cr_docker",
            queue__physical_block_size="4096",
            queue__discard_max_bytes="0",
        ),
        mounts=[
            parts.mounted(29, "259:0", "/", "rw,relatime", "ext4", "/dev/nvme0n1", "rw,journal_async_commit"),
            parts.mounted(40, "259:1", "/var/lib/mysql", "rw,relatime", "ext4", "/dev/nvme1n1", "rw,data=journal"),
            parts.mounted(41, "259:2", "/srv/redis", "rw,noatime", "ext4", "/dev/nvme2n1", "rw,data=writeback"),
            parts.mounted(
                42, "253:0", "/var/lib/docker", "rw,noatime", "xfs", "/dev/mapper/cr_docker", parts.XFS_OPTIONS
            ),
        ],
        fstab="LABEL=root / ext4 journal_async_commit 0 1\nLABEL=db /var/lib/mysql ext4 data=journal 0 2\n"
        "LABEL=redis /srv/redis ext4 noatime,data=writeback 0 2\n"
        "/dev/mapper/cr_docker /var/lib/docker xfs noatime,inode64,logbufs=8 0 2\n",
        files=parts.HOST_FILES
        | parts.ext4_files("nvme0n1", f"{parts.EXT4_OPTIONS} journal_async_commit")
        | parts.ext4_files(
            "nvme1n1", parts.EXT4_OPTIONS.replace("ordered", "journal"), commits=900_000, commit_us=21_000
        )
        | parts.ext4_files("nvme2n1", parts.EXT4_OPTIONS.replace("ordered", "writeback"))
        | {"/proc/meminfo": parts.meminfo(512), "/proc/sys/kernel/osrelease": "6.12.41-1-generic"}
        | _SETTINGS,
        commands=commands
        | parts.ext4_answers("/dev/nvme0n1", size_bytes=_NVME_BYTES)
        | parts.ext4_answers("/dev/nvme1n1", size_bytes=_NVME_BYTES, journal="64M")
        | parts.ext4_answers("/dev/nvme2n1", size_bytes=_NVME_BYTES)
        | parts.xfs_answers(
            "/var/lib/docker", "/dev/mapper/cr_docker", ftype__1="ftype=0", crc__1="crc=0", bigtime__1="bigtime=0"
        )
        | parts.host_answers(fstrim_timer=True),
        processes=[
            parts.process(1001, "mysqld", "/var/lib/mysql/data"),
            parts.process(1002, "redis-server", "/srv/redis/data"),
            parts.process(1003, "dockerd", "/var/lib/docker"),
        ],
        extents={"/var/lib/mysql/data": parts.extents(400, 6000), "/srv/redis/data": parts.extents(4, 3)},
        spaces={
            place: parts.room(_NVME_BYTES, 50) for place in ("/", "/var/lib/mysql", "/srv/redis", "/var/lib/docker")
        },
    )


_MYSQL = "mysqld  Ver 8.0.36 for Linux on x86_64 (MySQL Community Server - GPL)\n"
_SETTINGS = {
    "/etc/my.cnf": "[mysqld]\ndatadir=/var/lib/mysql/data\ninnodb_flush_method=nosync\ninnodb_doublewrite=OFF\n"
    "innodb_flush_log_at_trx_commit=2\n",
    "/etc/redis/redis.conf": "appendonly yes\nappendfsync no\n",
    "/var/lib/docker/image/vfs/repositories.json": "{}",
}
"""Settings of a database that somebody wanted to be fast."""

_SSD, _SSD_BYTES = "INTEL SSDSC2KB480G8", 480103981056
_HDD, _HDD_BYTES = "ST8000NM0055-1RM112", 8001563222016


def _controller():
    """A MegaRAID whose cache goes on writing back when the battery fails, and the drives' own caches are on."""
    answers = json.loads(parts.sample("storcli", "megaraid"))
    for one in answers["Controllers"]:
        data = one.get("Response Data", {})
        for volume in data.get("VD LIST", []):
            volume["Cache"] = "RAWBD"
    volumes = json.loads(parts.sample("storcli", "volumes"))
    for name, told_of in volumes["Controllers"][0]["Response Data"].items():
        if name.startswith("/c0/v"):
            told_of[0]["Cache"] = "RAWBD"
        if isinstance(told_of, dict) and "Disk Cache Policy" in told_of:
            told_of["Disk Cache Policy"] = "Enabled"
    return {
        " ".join(storcli.argv()): json.dumps(answers),
        " ".join(storcli.argv("storcli64", storcli.VOLUMES)): json.dumps(volumes),
    }


def old_storage_server():
    """A RAID controller that trusts its battery, hard disks near their end, and formats of fifteen years ago."""
    volume = parts.sata("sda", "MR9361-8i", 48 * 10**12, "8:0", port=1, device__vendor="AVAGO   ")
    volume = (volume[0], {"/sys/block/sda": "../devices/pci0000:00/0000:00:03.0/host0/target0:2:0/0:2:0:0/block/sda"})
    disks = [
        parts.sata(name, _HDD, _HDD_BYTES, f"8:{16 * at}", port=at + 1, spins=True, queue__wbt_lat_usec="0")
        for at, name in enumerate(("sdb", "sdc", "sdd", "sde"), 1)
    ]
    disks.append(parts.sata("sdf", _SSD, _SSD_BYTES, "8:80", port=6, bcache__cache_replacement_policy="lru"))
    commands = _controller() | parts.behind_megaraid("/dev/sda") | parts.sata_answers("/dev/sdf", _SSD, _SSD_BYTES)
    failing = ((5, "Reallocated_Sector_Ct", 4, 10, 3992), (187, "Reported_Uncorrect", 1, 0, 61))
    for name in ("sdb", "sdc", "sdd", "sde"):
        commands |= parts.sata_answers(
            f"/dev/{name}",
            _HDD,
            _HDD_BYTES,
            spins=7200,
            attributes=failing if name == "sdb" else (),
            passed=name != "sdb",
        )
    pool = "dddddddd-0000-4000-8000-000000000004"
    folder = f"/sys/fs/btrfs/{pool}"
    btrfs = {f"{folder}/label": "pool", f"{folder}/devices/sdd": "", f"{folder}/devinfo/1/writeable": "1"}
    btrfs[f"{folder}/devinfo/1/error_stats"] = parts.sample("btrfs_error_stats", "clean")
    usage = parts.sample("btrfs_usage", "missing_device")
    return parts.machine(
        volume,
        *disks,
        stacked("bcache0", "252:0", ["sde", "sdf"], bcache__cache_mode="writethrough [writeback] writearound none"),
        mounts=[
            parts.mounted(29, "8:0", "/", "rw,relatime", "ext4", "/dev/sda", "rw"),
            parts.mounted(40, "8:16", "/old", "rw,relatime", "ext4", "/dev/sdb", "ro"),
            parts.mounted(
                41, "8:32", "/srv/images", "rw,noatime", "xfs", "/dev/sdc", parts.XFS_OPTIONS.replace("64", "32", 1)
            ),
            parts.mounted(42, "0:40", "/pool", "rw,noatime", "btrfs", "/dev/sdd", "rw,degraded,space_cache=v2"),
            parts.mounted(43, "252:0", "/srv/cached", "rw,noatime", "ext4", "/dev/bcache0", "rw"),
            parts.mounted(44, "0:50", "/tank", "rw,relatime", "zfs", "lost", "rw,xattr"),
        ],
        fstab="/dev/sda / ext4 journal_async_commit,data=ordered 0 1\n/dev/sdb /old ext4 defaults 0 2\n"
        "/dev/sdc /srv/images xfs noatime,inode32,logbufs=8 0 2\n"
        "/dev/sdd /pool btrfs degraded,recovery,inode_cache 0 0\n"
        "/dev/bcache0 /srv/cached ext4 noatime 0 2\n",
        files=parts.HOST_FILES
        | parts.ext4_files("sda", parts.EXT4_OPTIONS)
        | {"/proc/fs/ext4/bcache0/options": "rw\nbarrier\n", "/sys/fs/ext4/bcache0/errors_count": "0"}
        | {"/proc/fs/ext4/sdb/options": "ro\nbarrier\ndata=ordered\n", "/sys/fs/ext4/sdb/errors_count": "17"}
        | btrfs
        | {"/sys/fs/btrfs/features/free_space_tree": "0", "/sys/module/zfs/parameters/zfs_nocacheflush": "1"}
        | {"/sys/module/zfs/parameters/zil_nocacheflush": "0"}
        | {"/proc/meminfo": parts.meminfo(32), "/proc/sys/kernel/osrelease": "6.8.12-1-pve"},
        commands=commands
        | parts.ext4_answers("/dev/sda", size_bytes=15 * 10**12, Filesystem_features=_NO_64BIT)
        | parts.ext4_answers("/dev/sdb", size_bytes=_HDD_BYTES, errors=17)
        | parts.ext4_answers("/dev/bcache0", size_bytes=_HDD_BYTES, Filesystem_features=_NO_JOURNAL)
        | parts.xfs_answers("/srv/images", "/dev/sdc", **_MANY_GROUPS)
        | {"btrfs filesystem usage -b /pool": usage, "btrfs subvolume list -s /pool": ""}
        | {" ".join(zfs_tools.ZPOOL_LIST_ARGV): parts.sample("zpool_list", "three_pools")}
        | {" ".join(zfs_tools.ZFS_GET_ARGV): _DATASET}
        | parts.host_answers(fstrim_timer=False),
        processes=[
            parts.process(500, "mongod", "/srv/cached/mongo"),
            parts.process(501, "dockerd", "/srv/images/docker"),
        ],
        spaces={
            "/": parts.room(15 * 10**12, 60),
            "/old": parts.room(_HDD_BYTES, 99),
            "/srv/images": parts.room(_HDD_BYTES, 50),
            "/pool": parts.room(_HDD_BYTES, 40),
            "/srv/cached": parts.room(_HDD_BYTES, 20),
            "/tank": parts.room(_HDD_BYTES, 20),
        },
    )


_DATASET = (
    "lost\tsync\tdisabled\nlost\tatime\ton\nlost\trelatime\toff\nlost\trecordsize\t131072\nlost\tlogbias\tlatency\n"
)
_MANY_GROUPS = {"agcount=4": "agcount=1024", "agsize=25600": "agsize=1907728", "blocks=102400": "blocks=1953506122"}
_NO_JOURNAL = "ext_attr extent dir_index filetype 64bit"
_NO_64BIT = "has_journal ext_attr resize_inode dir_index filetype extent flex_bg sparse_super large_file metadata_csum"

MACHINES = {"worn-nvme-database": worn_nvme_database, "old-storage-server": old_storage_server}
