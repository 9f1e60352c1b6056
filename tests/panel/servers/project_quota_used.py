"""PostgreSQL on an XFS that is 40 % full, in a directory whose project quota is 97 % used: it stops next, and df on the
mount shows nothing of it. The expert: the quota.
"""

from tests.machines import parts
from tests.panel import build

FIRST = ("project-quota-nearly-used service:postgresql /srv/pg",)
NEVER = ("nearly-full", "filling-up")


def server():
    drive = build.nvme(model=build.PM9A3)
    quota = f"{parts.XFS_OPTIONS.replace('noquota', 'prjquota')}"
    made = build.server(
        drive,
        mounts=[build.root(drive), build.on(drive, "/srv", "xfs", inside=quota, fstab="prjquota")],
        programs=[("postgres", "/srv/pg")],
        files=build.postgresql("/srv/pg"),
    )
    made.spaces["/srv/pg"] = parts.room(50 * build.GIB, 97, 3)
    return made
