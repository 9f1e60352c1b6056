"""A Dell BOSS card with a whole mirror for the system, data on an SSD with PLP. The expert: nothing."""

from tests.machines import parts
from tests.panel import build, controllers

FIRST = ()


def server():
    card = controllers.boss(parts.sample("mvcli", "optimal"))
    data = build.sata(1, attributes=build.PROTECTED)
    return build.server(card, data, mounts=[build.root(card), build.on(data, "/srv", "xfs")])
