"""How the kernel sends TRIM to a SATA drive, and drives that do not take the queued kind well.

https://www.kernel.org/doc/Documentation/ABI/testing/sysfs-ata (trim)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.storage import TrimCommand
from fsadvisor.survey import look

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.survey.block import BlockDevice

_PLACE = re.compile(r"/ata(\d+)/host\d+/target\d+:(\d+):(\d+)/")
_QUEUED_TRIM_TROUBLE = re.compile(
    r"(Micron[_ ]?(M5[015]0|1100)|Crucial_CT\d+(M5[05]0|MX100)|Samsung SSD 8[4-7]0 |SAMSUNG ?MZ7LH"
    r"|(Seagate IronWolf )?ZA\d+NM10\d{3})"
)
"""Families in libata's list of drives without queued TRIM (drivers/ata/libata-core.c, Linux 7.2), and Seagate's
IronWolf 110, of which corruption was reported though it is not in that list."""


def trim(machine: Machine, device: BlockDevice) -> Fact[TrimCommand]:
    """The kernel's choice for the drive; behind a port multiplier the channel tells the drive."""
    place = _PLACE.search(device.hardware)
    if place is None:
        return Unknown(Cause.NOT_EXPOSED, "", device.hardware)
    port, channel, target = place.groups()
    name = f"dev{port}.{target}" if channel == "0" else f"dev{port}.{channel}.{target}"
    return look.choice(look.text(machine, f"/sys/class/ata_device/{name}/trim"), TrimCommand)


def queued_trim_trouble(model: Fact[str]) -> Fact[bool]:
    """Whether its model belongs to a family that mishandles queued TRIM."""
    if isinstance(model, Unknown):
        return model
    return Known(bool(_QUEUED_TRIM_TROUBLE.match(model.value)), f"model {model.value}")
