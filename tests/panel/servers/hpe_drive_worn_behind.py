"""An HPE Smart Array with all drives OK; behind it one fails its own health test. The expert: replace that one, by
its serial number, while the array is whole.
"""

from tests.panel import build, controllers

FIRST = ("raid-drive-smart disk:sda",)


def server():
    volume = controllers.smart_array()
    sick = controllers.behind(
        ["cciss,0", "cciss,1"], ((197, "Current_Pending_Sector", 100, 0, 3),), at=1, path="/dev/sda"
    )
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")], commands=sick)
