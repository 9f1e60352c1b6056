"""The gateway in its first year: life time estimation 0x01 of both sorts of flash. Nothing."""

from tests.panel.servers import emmc_at_its_end

FIRST = ()


def server():
    return emmc_at_its_end.server("0x01 0x01")
