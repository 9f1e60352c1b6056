"""A thin pool at 78 %, 82 % at the last look. The expert: it is what was warned of; a snapshot less cures nothing."""

from tests.panel import build
from tests.panel.servers import thin_pool_over_provisioned as before

FIRST = ("thin-pool-nearly-full layer:dm-1",)


def server():
    made = before.server()
    made.files |= build.looks((24, {"fill_level_percent": 82}), kind="others", key="vg0-pool-tpool")
    return made
