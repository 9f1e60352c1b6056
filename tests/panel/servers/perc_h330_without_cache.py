"""A PERC H330 has no cache and no battery; a mirror of SSDs writes through, as it must. Nothing."""

from tests.panel import build, controllers

FIRST = ()
NEVER = ("raid-battery-write-through", "controller-cache-unprotected")


def server():
    disk = controllers.megaraid(0, "PERC H330 Adp", "DELL    ", "perccli64", cache="NRWTD", drives=("Onln", "Onln"))
    without = (
        ('"BBU": "Present"', '"BBU": "Absent"'),
        ('"Cachevault_Info": [{"Model": "CVPM05", "State": "Optimal"}]', '"Cachevault_Info": []'),
        ('"Med": "HDD"', '"Med": "SSD"'),
    )
    for asked in disk.commands:
        for old, new in without:
            disk.commands[asked] = disk.commands[asked].replace(old, new)
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", "xfs")])
