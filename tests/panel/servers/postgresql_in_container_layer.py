"""PostgreSQL in a container without a volume: its files are in the container's own layer and go with it. The expert
says that before anything about the drive.
"""

from tests.panel import build

FIRST = ("database-on-overlay service:postgresql /var/lib/docker/overlay2/x/diff/var/lib/postgresql/data",)
NEVER = ("postgresql-fsync-off",)
LAYER = "9 0 0:50 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/var/lib/docker/overlay2/x/diff,workdir=/w\n"


def server():
    drive = build.sata(attributes=build.PROTECTED)
    made = build.server(drive, mounts=[build.root(drive)])
    inside = {"pid": 900, "name": "postgres", "user": "999", "cwd": "/var/lib/postgresql/data", "paths": [],
              "settings": [], "here": False, "mounts": LAYER, "container": "db-1"}  # fmt: skip
    made.running.append(inside)
    return made
