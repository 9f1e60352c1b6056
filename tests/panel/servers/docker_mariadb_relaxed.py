"""MariaDB in Docker on a volume; the option file in its container says innodb_flush_log_at_trx_commit=0. The expert: it
is the owner's choice, and may lose a second of orders; say so, and nothing of the drive.
"""

from tests.panel import build

FIRST = ()
BESIDE = ("commits-not-flushed service:mysql /srv/db",)
NEVER = ("database-on-overlay", "commits-wait-for-drive")
INSIDE = (
    "9 0 0:50 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/var/lib/docker/overlay2/x/diff,workdir=/w\n"
    "10 9 8:2 /db /var/lib/mysql rw - ext4 /dev/sda2 rw\n"
)


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    conf = "[mysqld]\ninnodb_flush_log_at_trx_commit = 0\n"
    made = build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/srv")],
        files={
            "/proc/900/root/etc/mysql/my.cnf": conf,
            "/proc/900/root/var/lib/mysql/mariadb_upgrade_info": "10.11.6-MariaDB",
        },
    )
    made.running.append(
        {
            "pid": 900,
            "name": "mariadbd",
            "user": "999",
            "cwd": "/var/lib/mysql",
            "paths": [],
            "settings": [],
            "here": False,
            "mounts": INSIDE,
            "container": "docker shop-db-1",
        }
    )
    return made
