"""An md mirror of two partitions of one PERC volume, made years ago: pointless, but the controller keeps the copies.
Nothing to say of redundancy.
"""

from tests.panel import build, controllers

FIRST = ()
NEVER = ("array-on-one-disk",)


def server():
    volume = controllers.megaraid(0, "PERC H755 Front", "DELL    ", "perccli64", drives=("Onln",) * 4)
    halves = [volume.partition(number, start=number * 500_000_000)[0] for number in (2, 3)]
    return build.server(
        volume,
        layers=[build.md("md0", "9:0", "raid1", halves)],
        mounts=[build.root(volume), build.Mount("/srv", "md0", "9:0")],
    )
