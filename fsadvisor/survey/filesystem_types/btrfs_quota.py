"""Quota groups of a Btrfs, from sysfs (Linux 5.9, commit 49e5fb46211d; `mode` came with simple quotas in 6.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.survey import look
from fsadvisor.version import Version

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine

_IN_SYSFS = Version(5, 9)
_LOOKED_AT = 200
"""Container stores have a group for each of thousands of subvolumes."""


def quota(machine: Machine, folder: str, kernel: Fact[Version]) -> Fact[Literal["off", "qgroup", "squota"]]:
    """Whether space is accounted by group, and how; the folder is there only while it is."""
    names = machine.entries(folder)
    if isinstance(names, Unknown):
        return names
    if "qgroups" not in names:
        if isinstance(kernel, Unknown):
            return kernel
        source = "/sys/fs/btrfs/*/qgroups"
        return Known("off", source) if kernel.value >= _IN_SYSFS else Unknown(Cause.NOT_EXPOSED, "", source)
    enabled = look.switch(machine, f"{folder}/qgroups/enabled")
    if isinstance(enabled, Unknown) or not enabled.value:
        return look.derive(enabled, lambda _: "off")
    mode = look.text(machine, f"{folder}/qgroups/mode")
    simple = isinstance(mode, Known) and mode.value == "squota"
    return Known("squota" if simple else "qgroup", enabled.source)


def limits(machine: Machine, folder: str) -> Fact[bool]:
    """Whether any group has a limit, or is only counted."""
    names = machine.entries(f"{folder}/qgroups")
    if isinstance(names, Unknown):
        return names
    groups = [name for name in names if name[:1].isdigit()]
    for group in groups[:_LOOKED_AT]:
        flags = look.number(machine, f"{folder}/qgroups/{group}/limit_flags")
        if isinstance(flags, Unknown) or flags.value:
            return look.derive(flags, bool)
    source = "/sys/fs/btrfs/*/qgroups/*/limit_flags"
    return Known(False, source) if len(groups) <= _LOOKED_AT else Unknown(Cause.NOT_EXPOSED, "", source)
