"""A developer's laptop: Ubuntu's ext4 on LVM on LUKS on a 990 PRO, docker, MySQL for trying things, a swap file; 3 ms
a flush. The expert: nothing is in danger; commits take what such a drive takes, were anyone to wait for them.
"""

from tests.panel import build

FIRST = ("commits-wait-for-drive service:mysql /var/lib/mysql",)
NEVER = ("database-without-redundancy", "drive-failing", "swap-without-redundancy", "discards-never-sent",
         "crypt-stops-discards")  # fmt: skip


def server():
    disk = build.nvme(0, flush_ms=3)
    part, number = disk.partition(3)
    return build.server(
        disk,
        layers=[
            build.volume("dm-0", "252:0", [part], "dm_crypt-0", dm__uuid="CRYPT-LUKS2-0000-dm_crypt-0",
                         queue__discard_max_bytes="2199023255040"),
            build.volume("dm-1", "252:1", ["dm-0"], "ubuntu--vg-ubuntu--lv", queue__discard_max_bytes="2199023255040"),
        ],
        mounts=[build.Mount("/", "dm-1", "252:1", fstab="defaults")],
        commands=build.MYSQL
        | build.lvs({"lv_name": "ubuntu-lv", "lv_dm_path": "/dev/mapper/ubuntu--vg-ubuntu--lv"})
        | {"dmsetup table": f"dm_crypt-0: 0 838860800 crypt aes-xts-plain64 :64:logon:k 0 {number} 32768 1 "
           "allow_discards\nubuntu--vg-ubuntu--lv: 0 838860800 linear 252:0 2048\n"},
        programs=[("dockerd", "/var/lib/docker"), ("mysqld", "/var/lib/mysql")],
        files={"/etc/mysql/my.cnf": "[mysqld]\ndatadir=/var/lib/mysql\n",
               "/proc/swaps": "Filename Type Size Used Priority\n/swap.img file 8388604 0 -2\n"},
        kernel="6.14.0-29-generic",
        memory=16,
    )  # fmt: skip
