"""A ProLiant with SSDs VO0960JFDGU, firmware HPD2, behind its Smart Array, 31,900 hours. The expert: all of them die at
32,768, in 36 days, and the array with them. The firmware today.
"""

import json

from tests.panel import build, controllers

FIRST = ("raid-drive-firmware disk:sda",)
NEVER = ("raid-drive-smart", "raid-drive-sick")


def server(revision="HPD2"):
    volume = controllers.smart_array()
    told = controllers.behind([f"cciss,{at}" for at in range(4)], path="/dev/sda", model="HP VO0960JFDGU", rpm=0)
    said = {"firmware_version": revision, "power_on_time": {"hours": 31900}}
    known = {asked: json.dumps(json.loads(words) | said) for asked, words in told.items()}
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")], commands=known)
