"""PostgreSQL with barrier=0 on a PERC that is well, as a guide of 2012 says: no gain, and wrong in a bad hour."""

from tests.panel import build, controllers

FIRST = ("nobarrier-on-protected-drives filesystem:/dev/sda2",)
NEVER = ("nobarrier-unproven",)


def server():
    disk = controllers.megaraid(0, "PERC H730P Mini", "DELL    ", "perccli64")
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/postgresql", inside="rw,nobarrier", fstab="barrier=0")],
        programs=[("postgres", "/var/lib/postgresql/16/main")],
        files=build.postgresql("/var/lib/postgresql/16/main"),
    )
