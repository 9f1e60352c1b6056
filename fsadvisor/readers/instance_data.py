"""What Azure told the machine of its size and its disks as it started: cloud-init's /run/cloud-init/instance-data.json.

Written against cloud-init 20.4 to 25.3, which keeps the answer of Azure's metadata service below ds.meta_data.imds, and
that service's versions 2019-11-01 to 2025-04-07, which give numbers and yes and no as strings. It is the state of
the last start: a disk that came or changed later is not in it. Sample, cut:

    {"ds": {"meta_data": {"imds": {"compute": {"vmSize": "Standard_D4s_v5", "storageProfile": {
      "osDisk": {"caching": "ReadWrite", "diskSizeGB": "30", "managedDisk": {"storageAccountType": "Premium_LRS"}},
      "dataDisks": [{"caching": "None", "diskSizeGB": "512", "lun": "0", "opsPerSecondThrottle": "",
                     "managedDisk": {"storageAccountType": "Premium_LRS"}}]}}}}}}

https://learn.microsoft.com/en-us/azure/virtual-machines/instance-metadata-service (storage profile)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Unknown
from fsadvisor.readers import json_text
from fsadvisor.readers.parsing import whole

if TYPE_CHECKING:
    from fsadvisor.readers.json_text import Json

PATH: Final = "/run/cloud-init/instance-data.json"


class GivenDisk(Struct, frozen=True, kw_only=True):
    """A disk; `lun` is None of the system's own. The limits are told of Ultra disks alone."""

    lun: int | None
    gib: int | None
    kind: str | None
    """Premium_LRS, StandardSSD_ZRS, UltraSSD_LRS, …"""
    caching: str | None
    """None, ReadOnly, ReadWrite."""
    iops: int | None
    throughput: int | None


class InstanceData(Struct, frozen=True, kw_only=True):
    """The machine's size and its disks; nothing of other clouds."""

    size: str | None = None
    disks: tuple[GivenDisk, ...] = ()


def parse(text: str) -> InstanceData | Unknown:
    """Read what Azure told; another cloud's file has none of it."""
    document = json_text.load(text)
    if isinstance(document, Unknown):
        return document
    compute = json_text.member(document, "ds", "meta_data", "imds", "compute")
    system = json_text.member(compute, "storageProfile", "osDisk")
    data = [_disk(it) for it in json_text.items(compute, "storageProfile", "dataDisks")]
    return InstanceData(
        size=json_text.string(compute, "vmSize") or None,
        disks=(*([_disk(system)] if isinstance(system, dict) else []), *(it for it in data if it.lun is not None)),
    )


def _disk(told: Json) -> GivenDisk:
    return GivenDisk(
        lun=_number(told, "lun"),
        gib=_number(told, "diskSizeGB"),
        kind=json_text.string(told, "managedDisk", "storageAccountType") or None,
        caching=json_text.string(told, "caching") or None,
        iops=_number(told, "opsPerSecondThrottle"),
        throughput=_number(told, "bytesPerSecondThrottle"),
    )


def _number(told: Json, key: str) -> int | None:
    return whole(json_text.string(told, key) or "")
