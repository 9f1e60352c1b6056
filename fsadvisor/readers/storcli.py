"""`storcli64 /call show all J` (Broadcom MegaRAID), `perccli64` alike (Dell PERC): RAID controllers.

Written against storcli 7.13 to 7.28. Both listings are read: the detailed one of MegaRAID firmware ("Basics",
"Status", "HwCfg") and the flat one ("Product Name") of IT-mode adapters and of `show` without `all`.
`/call/vall show all J` adds each volume's device name and disk cache policy, `/call/eall/sall show all J`
each drive's errors, `/call show patrolread J` whether the controller reads all drives in the background; their records
hold only that. storcli2 and perccli2 (controllers of the mpi3mr driver; read: 8.5 and 8.11) answer to the same words in
other forms: 'CurrentCache', 'PID', a drive's 'Status', lists 'Virtual Drives' and 'Drives List', 'Energy Pack Info'.

    {"Controllers": [{"Command Status": {"Controller": 0, "Status": "Success"},
      "Response Data": {"Basics": {"Model": "..."}, "Status": {"Controller Status": "Optimal"},
       "VD LIST": [{"DG/VD": "0/0", "TYPE": "RAID1", "State": "Optl", "Cache": "RWBD"}],
       "Cachevault_Info": [{"Model": "CVPM02", "State": "Optimal"}]}}]}

https://techdocs.broadcom.com/ (StorCLI Reference Manual)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.facts import Cause, Unknown, unreadable
from fsadvisor.patterns import late
from fsadvisor.readers import json_text, whole
from fsadvisor.readers.json_text import Json, integer, items, member, string

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTROLLERS = ("/call", "show", "all", "J")
VOLUMES = ("/call/vall", "show", "all", "J")
DRIVES = ("/call/eall/sall", "show", "all", "J")
PATROL_READ = ("/call", "show", "patrolread", "J")


def argv(tool: str = "storcli64", question: tuple[str, ...] = CONTROLLERS) -> tuple[str, ...]:
    """The command; `tool` is storcli64, storcli, perccli64, perccli, storcli2 or perccli2."""
    return (tool, *question)


class VirtualDrive(Struct, frozen=True, kw_only=True):
    """A volume that the controller shows to the kernel as one disk."""

    id: str
    """Drive group and volume as printed: '0/0'."""
    state: str | None
    """Optl, Dgrd, Pdgd, OfLn, …"""
    cache_policy: str | None
    """'write back' (WB, falls back to write through with a bad battery), 'always write back' (AWB and FWB, does
    not) or 'write through' (WT)."""
    disk_cache_policy: str | None
    """The drives' own write cache: 'disabled', 'enabled' or 'default' (whatever the drive does)."""
    device: str | None
    """/dev/sdX; only the volumes' own listing has it."""


class PhysicalDrive(Struct, frozen=True, kw_only=True):
    """A drive behind the controller."""

    id: str
    """Enclosure and slot as printed: '252:0'."""
    device_id: int | None
    """N of `smartctl -d megaraid,N`; storcli2 has none."""
    drive_group: int | None
    """None for a drive in no group."""
    state: str | None
    """Onln, Rbld, …; of storcli2 its status: Online, Good, …"""
    media: str | None
    """HDD or SSD."""
    model: str | None
    foreign: bool
    """It holds a configuration of another controller, or an old one of this."""
    media_errors: int | None = None
    """This and the next are told by the drives' own listing alone."""
    predicted_to_fail: bool | None = None


class Controller(Struct, frozen=True, kw_only=True):
    """One controller."""

    number: int | None
    bbu_status: int | None = None
    """The firmware's battery status word as it is; 0 means no complaint."""
    bbu: str | None = None
    """HwCfg's 'Present', 'Absent' or 'Undefined'."""
    energy_packs: tuple[str | None, ...] = ()
    """States of what keeps the cache through a power loss (battery, or flash and capacitor): nothing but 'Optimal'
    protects for sure."""
    virtual_drives: tuple[VirtualDrive, ...] = ()
    physical_drives: tuple[PhysicalDrive, ...] = ()
    patrol_read: str | None = None
    """'Auto', 'Manual' or 'Disable'."""
    failure: str | None = None
    """Why this controller did not answer, in the tool's words."""

    @property
    def learns(self) -> bool:
        """Whether the battery is in a learn cycle, in which its state may be 'Unknown', and is neither missing nor bad.

        Bits of the status word (FreeBSD's sys/dev/mfi/mfireg.h): 0 pack missing, 6 learn cycle active, 10 replace pack.
        """
        return self.bbu_status is not None and self.bbu_status & (1 << 0 | 1 << 6 | 1 << 10) == 1 << 6


class StorcliReport(Struct, frozen=True, kw_only=True):
    """All controllers that the tool knows."""

    controllers: tuple[Controller, ...]


_CACHE = late(r"(?:NR|R)?(AWB|FWB|WB|WT)[DC]?")
_WRITE = {"WB": "write back", "AWB": "always write back", "FWB": "always write back", "WT": "write through"}
_DISK_CACHE = {
    "dsbl": "disabled",
    "enbl": "enabled",
    "dflt": "default",
    "Disabled": "disabled",
    "Enabled": "enabled",
    "Disk's Default": "default",
    "Default": "default",
}
_VOLUME_KEY = late(r"/c[0-9]{1,9}/v([0-9]{1,9})")
_DRIVE_KEY = late(r"Drive /c[0-9]{1,9}(?:/e[0-9]{1,9})?/s[0-9]{1,9}")


def parse(text: str) -> StorcliReport | Unknown:
    """The controllers, or why there are none."""
    document = json_text.load(text)
    if isinstance(document, Unknown):
        return document if "{" in text else _refusal(text)
    entries = items(document, "Controllers")
    if not entries:
        return unreadable("the JSON is not storcli's")
    descriptions = " ".join(string(entry, "Command Status", "Description") or "" for entry in entries)
    controllers = tuple(controller for entry in entries if (controller := _controller(entry)) is not None)
    if all(controller.failure is not None for controller in controllers):
        refused = _refusal(descriptions)
        if not controllers or refused.cause is not Cause.UNREADABLE:
            return refused
    return StorcliReport(controllers=controllers)


def _refusal(text: str) -> Unknown:
    lowered = text.lower()
    if any(word in lowered for word in ("permission", "privilege", "root")):
        return Unknown(Cause.DENIED, "run as root")
    if "no controller" in lowered:
        return Unknown(Cause.NOT_EXPOSED, "run as root: otherwise storcli finds no controller even where one is")
    return unreadable("storcli's output holds no controller")


def _controller(entry: Json) -> Controller | None:
    number = _number(entry, "Command Status", "Controller")
    response = member(entry, "Response Data")
    if string(entry, "Command Status", "Status") == "Failure" and not isinstance(response, dict):
        failure = string(entry, "Command Status", "Description")
        return None if number is None else Controller(number=number, failure=failure or "")
    if not isinstance(response, dict):
        return None
    return Controller(
        number=number,
        bbu_status=integer(response, "Status", "BBU Status"),
        bbu=string(response, "HwCfg", "BBU"),
        energy_packs=(
            *_energy_packs(response, "Cachevault_Info"),
            *_energy_packs(response, "BBU_Info"),
            *(string(entry, "Status") for entry in items(response, "Energy Pack Info")),
        ),
        virtual_drives=tuple(_virtual_drives(response)),
        physical_drives=tuple(_physical_drives(response)),
        patrol_read=next(
            (
                string(row, "Value")
                for row in items(response, "Controller Properties")
                if string(row, "Ctrl_Prop") == "PR Mode"
            ),
            None,
        ),
    )


def _number(entry: Json, *path: str) -> int | None:
    """storcli2 writes some numbers as text."""
    number = integer(entry, *path)
    return whole(string(entry, *path)) if number is None else number


def _energy_packs(response: Json, key: str) -> list[str | None]:
    """Of one object per pack, or of a list of {"Property", "Value"} for the one there is."""
    entries = items(response, key)
    properties = {string(entry, "Property"): string(entry, "Value") for entry in entries}
    if set(properties) - {None}:
        return [properties.get("State")]
    return [string(entry, "State") for entry in entries]


def _virtual_drives(response: dict[str, Json]) -> Iterator[VirtualDrive]:
    policies = _drive_group_policies(response)
    for entry in items(response, "VD LIST"):
        yield from _virtual_drive(entry, policies, None)
    for key, entries in response.items():
        if (volume := _VOLUME_KEY.fullmatch(key)) and isinstance(entries, list):
            for entry in entries:
                yield from _virtual_drive(entry, policies, member(response, f"VD{volume[1]} Properties"))
    for entry in items(response, "Virtual Drives"):
        yield from _virtual_drive(member(entry, "VD Info"), policies, member(entry, "VD Properties"))


def _drive_group_policies(response: Json) -> dict[str, str | None]:
    """The drives' own cache policy (column PDC) by drive group, from the group's own row of the topology."""
    return {
        str(integer(row, "DG")): _DISK_CACHE.get(string(row, "PDC") or "")
        for row in items(response, "TOPOLOGY")
        if "-" in (member(row, "Arr"), member(row, "Span"))
    }


def _virtual_drive(entry: Json, policies: dict[str, str | None], properties: Json) -> Iterator[VirtualDrive]:
    identity = string(entry, "DG/VD")
    if identity is None:
        return
    policy = string(properties, "Disk Cache Policy") or string(properties, "Drive Write Cache Policy")
    own = _DISK_CACHE.get(policy or "")
    yield VirtualDrive(
        id=identity,
        state=string(entry, "State"),
        cache_policy=_cache_policy(string(entry, "Cache") or string(entry, "CurrentCache") or ""),
        disk_cache_policy=own or policies.get(identity.split("/")[0]),
        device=string(properties, "OS Drive Name"),
    )


def _cache_policy(letters: str) -> str | None:
    """Of letters such as 'NRWTD' or 'RAWBD'."""
    found = _CACHE.fullmatch(letters.strip().replace(",", ""))
    return _WRITE[found[1]] if found else None


def _physical_drives(response: dict[str, Json]) -> Iterator[PhysicalDrive]:
    lists: list[tuple[list[Json] | tuple[Json, ...], Json]] = [(items(response, "PD LIST"), None)]
    lists += [
        (rows, member(response, f"{key} - Detailed Information", f"{key} State"))
        for key, rows in response.items()
        if _DRIVE_KEY.fullmatch(key) and isinstance(rows, list)
    ]
    lists += [
        ([member(row, "Drive Information")], member(row, "Drive Detailed Information", "LU/NS Properties"))
        for row in items(response, "Drives List")
    ]
    for entry, errors in ((entry, errors) for rows, errors in lists for entry in rows):
        identity = string(entry, "EID:Slt")
        if identity is not None:
            yield _physical_drive(entry, identity, errors)


def _predicted(errors: Json) -> bool | None:
    count, alert = integer(errors, "Predictive Failure Count"), string(errors, "S.M.A.R.T alert flagged by drive")
    if count or alert == "Yes":
        return True
    counts_alone = member(errors, "Last Predictive Failure Event Sequence Number") is not None  # storcli2 has no alert
    return False if count == 0 and (alert == "No" or counts_alone) else None


def _physical_drive(entry: Json, identity: str, errors: Json) -> PhysicalDrive:
    group, device_id = integer(entry, "DG"), integer(entry, "DID")
    return PhysicalDrive(
        id=identity,
        device_id=device_id,
        drive_group=whole(string(entry, "DG")) if group is None else group,
        state=string(entry, "Status") or string(entry, "State"),
        media=string(entry, "Med"),
        model=_stripped(string(entry, "Model")),
        foreign=string(entry, "DG") == "F",
        media_errors=integer(errors, "Media Error Count"),
        predicted_to_fail=_predicted(errors),
    )


def _stripped(text: str | None) -> str | None:
    return None if text is None else text.strip()
