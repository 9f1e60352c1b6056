"""A Smart Array with all well, PostgreSQL on it. Nothing to say."""

from tests.panel import build, controllers

FIRST = ()


def server():
    disk = controllers.smart_array()
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/postgresql", "xfs", options="rw,noatime")],
        programs=[("postgres", "/var/lib/postgresql/16/main")],
        files=build.postgresql("/var/lib/postgresql/16/main"),
    )
