"""A SATA drive's names, how the kernel sends TRIM to it, and drives that do not take the queued kind well.

https://www.kernel.org/doc/Documentation/ABI/testing/sysfs-ata (trim)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.storage import TrimCommand
from fsadvisor.survey import look

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.smart_record import SmartReport
    from fsadvisor.survey.block import BlockDevice

_PLACE = re.compile(r"/ata(\d+)/host\d+/target\d+:(\d+):(\d+)/")
_QUEUED_TRIM_TROUBLE = re.compile(
    r"(Micron[_ ]?(M5[015]0|1100)|Crucial_CT\d+(M5[05]0|MX100)|Samsung SSD 8[4-7]0\b|SAMSUNG ?MZ7LH"
    r"|(Seagate IronWolf )?ZA\d+NM10\d{3})"
)
"""Families in libata's list of drives without queued TRIM (drivers/ata/libata-core.c, Linux 7.2), and Seagate's
IronWolf 110, of which corruption was reported though it is not in that list."""
_CUT_BEFORE_IT_TELLS = re.compile(r"Crucial_CT\d+(M5?|MX1?0?)|Seagate IronWolf")
_SCSI_MODEL = 16
"""Characters of a model that the kernel passes on from a SATA drive (libata: SCSI INQUIRY); of firmware, the last 4."""


def whole_name(told: Fact[str], smart: SmartReport | Unknown, udev: Mapping[str, str]) -> Fact[str]:
    """The model as the drive itself has it, where the kernel cut it: smartctl's word, else udev's."""
    if isinstance(told, Unknown):
        return told
    own = None if isinstance(smart, Unknown) else smart.model_name
    by_udev = udev.get("ID_MODEL_ENC", "").replace("\\x20", " ").strip()
    for name, source in ((own, "smartctl model"), (by_udev, "udev ID_MODEL_ENC")):
        if name and name != told.value and is_same_model(name, told.value):
            return Known(name, source)
    return told


def is_same_model(one: str | None, other: str | None) -> bool:
    """Whether two names are of one model, where either may be cut."""
    if not one or not other:
        return (one or None) == (other or None)
    short, long = sorted((one, other), key=len)
    return short == long or (len(long) > _SCSI_MODEL and short == long[:_SCSI_MODEL].strip())


def whole_firmware(told: Fact[str], smart: SmartReport | Unknown) -> Fact[str]:
    """The firmware revision, where the kernel passes on its end only."""
    own = None if isinstance(smart, Unknown) else smart.firmware_version
    if own and isinstance(told, Known) and own != told.value and own.endswith(told.value):
        return Known(own, "smartctl firmware version")
    return told


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
    if _CUT_BEFORE_IT_TELLS.fullmatch(model.value):
        learn = "run as root with smartmontools installed: the kernel cuts the model to 16 characters"
        return Unknown(Cause.NO_TOOL, learn, f"model {model.value}")
    return Known(bool(_QUEUED_TRIM_TROUBLE.match(model.value)), f"model {model.value}")
