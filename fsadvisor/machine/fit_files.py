"""What a recording holds of two configuration files of others: what is read of them, no name, client or key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from fsadvisor import strict_json
from fsadvisor.patterns import late

if TYPE_CHECKING:
    import re

_OF_AZURE_DISK: Final = ("caching", "diskSizeGB", "lun", "opsPerSecondThrottle", "bytesPerSecondThrottle")


def instance_data(text: str) -> str:
    """cloud-init's: the size of the machine and of its disks on Azure, without who pays, names and keys."""
    try:
        compute = strict_json.DECODER.decode(text)["ds"]["meta_data"]["imds"]["compute"]
        profile = compute["storageProfile"]
        size = {
            "vmSize": compute["vmSize"],
            "storageProfile": {
                "osDisk": _azure_disk(profile["osDisk"]),
                "dataDisks": [_azure_disk(disk) for disk in profile["dataDisks"]],
            },
        }
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return "{}\n"
    return json.dumps({"ds": {"meta_data": {"imds": {"compute": size}}}}) + "\n"


def _azure_disk(disk: dict[str, Any]) -> dict[str, Any]:
    kind = str(disk.get("managedDisk", {}).get("storageAccountType", ""))
    return {it: disk[it] for it in _OF_AZURE_DISK if it in disk} | {"managedDisk": {"storageAccountType": kind}}


_COMMENT: Final = late(r"#[^\n]*")
_GANESHA: Final = late(
    r"""(?P<block>\w+)\s*\{|\}|(?P<key>\w+)\s*=\s*(?P<value>"[^"\n]*"|[^;{}\n]*?)\s*;|(?P<include>%(?:include|url)\b)"""
)
_KEYS: Final = ("path", "access_type", "name")


def ganesha(text: str) -> str:
    """NFS-Ganesha's: blocks, paths and who may write, without clients and realms."""
    told = (_token(it) for it in _GANESHA.finditer(_COMMENT.sub("", text)))
    return "".join(f"{it}\n" for it in told if it)


def _token(token: re.Match[str]) -> str:
    if token["block"]:
        return f"{token['block']} {{"
    if token["key"]:
        return f"{token['key']} = {token['value']};" if token["key"].lower() in _KEYS else ""
    return token["include"] or "}"
