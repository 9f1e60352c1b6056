"""A gateway's eMMC whose estimate of wear is low, but which has used 90 % of its spare blocks (pre_eol_info 3): image
it today, move what writes.
"""

from tests.panel.servers import emmc_at_its_end

FIRST = ("emmc-spare-blocks-used disk:mmcblk0",)
NEVER = ("drive-worn-out", "drive-nearly-worn-out")


def server():
    return emmc_at_its_end.server("0x02 0x01", spare="0x03")
