"""PostgreSQL in a Docker container, its volume a bind mount of NFS mounted soft: a slow filer becomes failed writes
in the middle of a commit. The expert: mount it hard, before anything else.
"""

from tests.panel import build

FIRST = ("database-on-soft-nfs service:postgresql /srv/pg/data",)
NEVER = ("database-on-overlay", "access-times-written")
INSIDE = (
    "9 0 0:50 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/var/lib/docker/overlay2/x/diff,workdir=/w\n"
    "10 9 0:62 /data /var/lib/postgresql/data rw - nfs4 filer:/pg rw,vers=4.2,soft,timeo=50,proto=tcp\n"
)


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    share = build.Mount(
        "/srv/pg", "filer:/pg", "0:62", "nfs4", inside="rw,vers=4.2,soft,timeo=50,proto=tcp", fstab="soft"
    )
    made = build.server(disk, mounts=[build.root(disk), share])
    for path in ("/proc/self/mountinfo", "/etc/fstab"):
        made.files[path] = made.files[path].replace("/dev/filer:", "filer:")
    made.running.append(
        {
            "pid": 900,
            "name": "postgres",
            "user": "999",
            "cwd": "/var/lib/postgresql/data",
            "paths": [],
            "settings": [],
            "here": False,
            "mounts": INSIDE,
            "container": "docker db-1",
        }
    )
    return made
