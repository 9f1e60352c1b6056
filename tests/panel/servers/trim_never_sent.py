"""A consumer SSD of two years without fstrim and without discard: enable the timer. No word on anything else."""

from tests.panel import build

FIRST = ("discards-never-sent host",)
NEVER = ("access-times-written",)


def server():
    disk = build.sata(0, "Samsung SSD 860 EVO 1TB", 1000204886016)
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv")], fstrim=False)
