"""A data-centre drive at 101 % of its endurance, all else well: replace it on a planned day."""

from tests.panel import build

FIRST = ("drive-worn-out disk:nvme0n1",)
NEVER = ("drive-nearly-worn-out",)


def server():
    disk = build.nvme(
        0, build.PM9A3, 3840755982336, vwc=6, cache="write through", capacitors=100, log={"percent_used": 101}
    )
    return build.server(disk, mounts=[build.root(disk)])  # fmt: skip
