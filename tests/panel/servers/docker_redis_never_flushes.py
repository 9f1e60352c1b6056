"""Redis in Docker as a shop's queue, started with --appendonly yes --appendfsync no. The expert: its log is flushed by
the kernel alone, and a power cut takes half a minute of jobs. everysec costs little.
"""

from tests.panel import build
from tests.panel.servers.docker_mariadb_relaxed import INSIDE

FIRST = ("redis-log-not-flushed service:redis /srv/db",)
NEVER = ("database-on-overlay", "settings-not-in-force")


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    made = build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv")])
    made.running.append(
        {
            "pid": 900,
            "name": "redis-server",
            "user": "999",
            "cwd": "/data",
            "paths": [],
            "settings": [],
            "here": False,
            "mounts": INSIDE.replace("/var/lib/mysql", "/data"),
            "container": "docker queue-1",
            "started": [["config_file", None], ["appendonly", "yes"], ["appendfsync", "no"]],
        }
    )
    return made
