"""Which disks are a RAID controller's volumes, and the tool that knows the controller."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers import raid_tools, ssacli, storcli
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.machine.port import Argv, Machine

Tool: TypeAlias = Literal["storcli64", "perccli64", "ssacli", "arcconf", "mvcli", "another"]

_VOLUMES: tuple[tuple[str, str, Tool], ...] = (
    ("DELL", r"PERC", "perccli64"),
    ("AVAGO|LSI|BROADCOM", r"MR|MegaRAID|SAS ?9|RAID", "storcli64"),
    ("LENOVO|IBM", r"RAID|ServeRAID", "storcli64"),
    ("FTS|FUJITSU", r"PRAID|RAID", "storcli64"),
    ("CISCO", r"UCS|RAID", "storcli64"),
    ("INTEL", r"RS\d|RMS\d|RAID", "storcli64"),
    ("SMC", r"SMC\d", "storcli64"),
    ("HPE?|COMPAQ", r"LOGICAL VOLUME", "ssacli"),
    ("ATA|MARVELL", r"DELLBOSS|ThinkSystem M\.2|MARVELL", "mvcli"),
    ("ADAPTEC|ASR.*|MSCC|MICROSEMI", r"", "arcconf"),
    ("ARECA|AMCC|3WARE|DPT|PROMISE", r"", "another"),
)
"""SCSI vendor, start of the model, and the tool that knows the controller."""
NEWER = {"storcli64": "storcli2", "perccli64": "perccli2"}
"""The tool of controllers of the mpi3mr driver, which the older one does not know; both may be there."""
_BY_HAND = "the controller's own tool (tw_cli, areca-cli)"


def tool(vendor: Fact[str], model: Fact[str]) -> Tool | None:
    """The tool to ask about a disk that names itself like a controller's volume; None for a drive."""
    if not isinstance(vendor, Known) or not isinstance(model, Known):
        return None
    return next((tool for maker, start, tool in _VOLUMES if _fits(maker, vendor) and _starts(start, model)), None)


def _fits(maker: str, vendor: Known[str]) -> bool:
    return re.fullmatch(maker, vendor.value.strip(), re.IGNORECASE) is not None


def _starts(start: str, model: Known[str]) -> bool:
    return re.match(start, model.value.strip(), re.IGNORECASE) is not None


def commands(tool: Tool | None) -> tuple[Argv, ...]:
    """What to ask; nothing for drives and for controllers whose tool is not read."""
    if tool == "ssacli":
        return (ssacli.CONFIG_ARGV,)
    if tool in ("arcconf", "mvcli"):
        return (raid_tools.ARCCONF_ARGV if tool == "arcconf" else raid_tools.MVCLI_ARGV,)
    if tool in ("storcli64", "perccli64"):
        return tuple(
            storcli.argv(one, question)
            for one in (tool, NEWER[tool])
            for question in (storcli.CONTROLLERS, storcli.VOLUMES, storcli.DRIVES, storcli.PATROL_READ)
        )
    return ()


def knowing(machine: Machine, tool: str, device: str) -> str:
    """The newer tool where that lists the volume, else the older."""
    newer = NEWER.get(tool, tool)
    listed = read_fact.command_record(machine, storcli.argv(newer, storcli.VOLUMES), storcli.parse)
    named = () if isinstance(listed, Unknown) else listed.controllers
    return newer if any(volume.device == device for one in named for volume in one.virtual_drives) else tool


def is_another(volumes: Sequence[tuple[int | None, storcli.VirtualDrive]], device: str) -> bool:
    """Whether all volumes that a tool lists name their disk, and none this one: another controller's are no answer."""
    devices = {volume.device for _, volume in volumes}
    return bool(devices) and None not in devices and device not in devices


def unlisted(tool: str, device: str) -> Unknown:
    """What to do where the tool lists other disks alone."""
    newer = NEWER.get(tool, tool)
    return Unknown(Cause.NOT_EXPOSED, f"install {newer}, where {tool} does not list {device}", tool)


def unasked(tool: Tool) -> Unknown:
    """What to do where the tool was not, or can't be, asked."""
    asked = " and ".join(f"`{' '.join(argv)}`" for argv in commands(tool)[:2]) or _BY_HAND
    return Unknown(Cause.NOT_EXPOSED, f"look with {asked} at the battery, the cache policy and the drives' own caches")
