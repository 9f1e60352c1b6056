"""PostgreSQL on DRBD in sync, protocol A. `drbdsetup status` does not tell the protocol, so nothing is said of it and
nothing is made up; the expert has no other word on it.
"""

from tests.machines import parts
from tests.panel import build
from tests.panel.servers import drbd_in_sync

FIRST = ()
NEVER = ("drbd-not-in-sync", "drbd-flushes-off", "database-without-redundancy", "array-on-one-disk")


def server():
    made = drbd_in_sync.server()
    made.running.append(parts.process(1000, "postgres", "/srv/16/main"))
    made.files |= build.postgresql("/srv/16/main") | {"/etc/drbd.d/r0.res": "resource r0 { net { protocol A; } }\n"}
    return made
