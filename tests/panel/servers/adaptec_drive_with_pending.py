"""An Adaptec volume that is optimal; the third drive behind it has 16 unreadable sectors, which only smartctl tells."""

from tests.panel import build, controllers

FIRST = ("raid-drive-smart disk:sda",)
NEVER = ("raid-volume-degraded", "raid-drive-sick")


def server():
    volume = controllers.adaptec()
    kinds = [f"aacraid,0,0,{at}" for at in range(4)]
    sick = controllers.behind(kinds, ((197, "Current_Pending_Sector", 100, 0, 16),), at=2, path="/dev/sda")
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")], commands=sick)
