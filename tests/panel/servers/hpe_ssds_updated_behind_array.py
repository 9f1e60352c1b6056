"""The same ProLiant with HPD8 on all of its SSDs. The expert: nothing to do."""

from tests.panel.servers import hpe_ssds_dead_at_32768_hours_behind_array

FIRST = ()
NEVER = ("raid-drive-firmware",)


def server():
    return hpe_ssds_dead_at_32768_hours_behind_array.server("HPD8")
