"""A node whose MX500s have 4 % of their life left: replace them, one at a time."""

from tests.panel import build

FIRST = ("drive-nearly-worn-out disk:sdb",)
NEVER = ("discards-never-sent", "access-times-written")


def server():
    worn = ((202, "Percent_Lifetime_Remain", 4, 1, 96),)
    boot, disk = (
        build.sata(0, attributes=build.PROTECTED),
        build.sata(1, "CT1000MX500SSD1", 1000204886016, attributes=worn),
    )
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv")])
