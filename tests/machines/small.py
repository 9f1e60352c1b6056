"""A virtual machine in a cloud, and a mail server on hard disks."""

from tests.machines import parts

_EBS, _LOCAL = "Amazon Elastic Block Store", "Amazon EC2 NVMe Instance Storage"
_GP3_BYTES, _LOCAL_BYTES = 536870912000, 1900000000000


def cloud_vm():
    """AWS: the root and the mail on EBS volumes, PostgreSQL on the instance store that goes when the machine stops."""
    disks = [
        parts.nvme("nvme0n1", _EBS, 107374182400, "259:0", cache="write through", at="0000:00:04.0"),
        parts.nvme("nvme1n1", _EBS, _GP3_BYTES, "259:2", cache="write through", at="0000:00:1f.0"),
        parts.nvme("nvme2n1", _LOCAL, _LOCAL_BYTES, "259:3", cache="write through", at="0000:00:1e.0"),
    ]
    commands = {"systemd-detect-virt --vm": "amazon\n"}
    for device, model, size in (
        ("/dev/nvme0n1", _EBS, 107374182400),
        ("/dev/nvme1n1", _EBS, _GP3_BYTES),
        ("/dev/nvme2n1", _LOCAL, _LOCAL_BYTES),
    ):
        commands |= parts.nvme_answers(device, model, size, vwc=0, firmware="1.0" if model == _EBS else "0")
    return parts.machine(
        *disks,
        parts.partition("nvme0n1", "nvme0n1p1", "259:1", 100 * parts.GIB),
        mounts=[
            parts.mounted(29, "259:1", "/", "rw,relatime", "ext4", "/dev/nvme0n1p1", "rw,discard,commit=30"),
            parts.mounted(40, "259:2", "/srv/mail", "rw,relatime", "xfs", "/dev/nvme1n1", parts.XFS_OPTIONS),
            parts.mounted(
                41, "259:3", "/var/lib/postgresql", "rw,noatime", "ext4", "/dev/nvme2n1", "rw,nobarrier,data=writeback"
            ),
        ],
        fstab="LABEL=root / ext4 discard,commit=30 0 1\n/dev/nvme1n1 /srv/mail xfs defaults 0 2\n"
        "/dev/nvme2n1 /var/lib/postgresql ext4 noatime,nobarrier,data=writeback,nofail 0 2\n",
        files=parts.HOST_FILES
        | parts.ext4_files("nvme0n1p1", f"{parts.EXT4_OPTIONS.replace('commit=5', 'commit=30')} discard")
        | parts.ext4_files("nvme2n1", "rw delalloc nobarrier commit=5 data=writeback", commits=9_000_000, commit_us=180)
        | {
            "/proc/meminfo": parts.meminfo(64),
            "/proc/sys/kernel/osrelease": "6.8.0-1021-aws",
            "/sys/class/dmi/id/sys_vendor": "Amazon EC2",
            "/sys/class/dmi/id/product_name": "i4i.2xlarge",
            "/sys/class/dmi/id/chassis_asset_tag": "Amazon EC2",
        },
        commands=commands
        | parts.ext4_answers("/dev/nvme0n1p1", size_bytes=100 * parts.GIB)
        | parts.ext4_answers("/dev/nvme2n1", size_bytes=1769 * parts.GIB)
        | parts.xfs_answers("/srv/mail", "/dev/nvme1n1")
        | parts.host_answers(fstrim_timer=True),
        processes=[
            parts.process(2001, "postgres", "/var/lib/postgresql/16/main"),
            parts.process(2002, "dovecot", "/srv/mail"),
        ],
        spaces={
            "/": parts.room(100 * parts.GIB, 40),
            "/srv/mail": parts.room(_GP3_BYTES, 55),
            "/var/lib/postgresql": parts.room(_LOCAL_BYTES, 30),
        },
        flags={"/var/lib/postgresql/16/main": "0x80000"},
    )


_HDD, _HDD_BYTES = "ST2000NM0055-1V4104", 2000398934016


def hdd_mail_server():
    """Two hard disks: the system and the mail on one, the queue on the other; mutt users read here too."""
    disks = [
        parts.sata(
            name, _HDD, _HDD_BYTES, f"8:{16 * at}", port=at + 1, spins=True, queue__scheduler="[none] mq-deadline bfq"
        )
        for at, name in enumerate(("sda", "sdb"))
    ]
    commands = {}
    for name in ("sda", "sdb"):
        commands |= parts.sata_answers(
            f"/dev/{name}", _HDD, _HDD_BYTES, spins=7200, attributes=((197, "Current_Pending_Sector", 100, 0, 8),)
        )
    return parts.machine(
        *disks,
        parts.partition("sda", "sda1", "8:1", 97 * parts.GIB),
        parts.partition("sda", "sda2", "8:2", 1765 * parts.GIB, start=204802048),
        mounts=[
            parts.mounted(29, "8:1", "/", "rw,relatime", "ext4", "/dev/sda1", "rw,errors=remount-ro"),
            parts.mounted(40, "8:2", "/var/mail", "rw,strictatime", "ext4", "/dev/sda2", "rw,data=journal"),
            parts.mounted(41, "8:16", "/var/spool/postfix", "rw,relatime", "xfs", "/dev/sdb", parts.XFS_OPTIONS),
        ],
        fstab="LABEL=root / ext4 errors=remount-ro 0 1\n/dev/sda2 /var/mail ext4 strictatime,data=journal 0 2\n"
        "/dev/sdb /var/spool/postfix xfs defaults 0 2\n",
        files=parts.HOST_FILES
        | parts.STALLED
        | parts.ext4_files("sda1")
        | parts.ext4_files(
            "sda2", parts.EXT4_OPTIONS.replace("ordered", "journal"), commits=4_000_000, commit_us=41_000
        )
        | {"/proc/meminfo": parts.meminfo(256, dirty_mib=14000), "/proc/sys/kernel/osrelease": "6.1.0-28-amd64"}
        | parts.attested(
            ("filesystem.remake_planned", "filesystem:/dev/sda2", "true"),
            ("filesystem.largest_folder_names", "filesystem:/dev/sda2", "240000"),
            ("filesystem.remake_planned", "filesystem:/dev/sdb", "true"),
        ),
        commands=commands
        | parts.ext4_answers("/dev/sda1", size_bytes=97 * parts.GIB)
        | parts.ext4_answers("/dev/sda2", size_bytes=1765 * parts.GIB, journal="64M")
        | parts.xfs_answers("/var/spool/postfix", "/dev/sdb", **{"blocks=16384,": "blocks=2560,"})
        | parts.host_answers(fstrim_timer=False),
        processes=[
            parts.process(700, "dovecot", "/var/mail"),
            parts.process(701, "master", "/var/spool/postfix"),
        ],
        spaces={
            "/": parts.room(97 * parts.GIB, 44),
            "/var/mail": parts.room(1765 * parts.GIB, 71, inodes_used_percent=60),
            "/var/spool/postfix": parts.room(_HDD_BYTES, 8),
        },
    )


MACHINES = {"cloud-vm": cloud_vm, "hdd-mail-server": hdd_mail_server}
