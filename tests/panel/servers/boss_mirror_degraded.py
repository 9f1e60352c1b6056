"""A Dell BOSS card whose mirror of two M.2 drives has lost one; it holds the root. The expert: replace the M.2
drive, the system hangs on one.
"""

from tests.machines import parts
from tests.panel import build, controllers

FIRST = ("raid-volume-degraded disk:sda",)


def server():
    card = controllers.boss(parts.sample("mvcli", "degraded"))
    data = build.sata(1, attributes=build.PROTECTED)
    return build.server(card, data, mounts=[build.root(card), build.on(data, "/srv", "xfs")])
