"""Mounts as configured: /etc/fstab and systemd mount units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor import secrecy
from fsadvisor.facts import Cause, Unknown
from fsadvisor.readers import mount_tables, systemd_units
from fsadvisor.readers.mount_tables import split_options
from fsadvisor.survey import look

if TYPE_CHECKING:
    from fsadvisor.machine.port import Argv, Machine

FSTAB = "/etc/fstab"
MOUNT_UNITS: Argv = (
    "systemctl",
    "show",
    "*.mount",
    "--all",
    "--property=Id,Where,What,Type,Options,FragmentPath,SourcePath",
)
_MAY_HIDE_UNITS = frozenset((Cause.DENIED, Cause.TIMED_OUT, Cause.UNREADABLE))
"""Without systemd there are no units; a systemd that does not answer may have some."""
_UNIT_FOLDER = "/etc/systemd/system"
_MADE_FROM_FSTAB = "/run/systemd/generator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """A mount that the machine would make at its next start; `where` says in which file and line.

    Its options are without their secrets.
    """

    mount_point: str
    fs_type: str
    options: tuple[str, ...]
    where: str
    what: str = ""
    """The device as it is named there: `UUID=…`, `/dev/sdb1`, a server's path."""


def configured(machine: Machine) -> tuple[dict[str, Configured], Unknown | None]:
    """The configured mounts by mount point (a unit in /etc wins over fstab), and why there may be others, if so."""
    found: dict[str, Configured] = {}
    table = look.file_record(machine, FSTAB, mount_tables.parse_fstab)
    if not isinstance(table, Unknown):
        for entry in table.entries:
            if entry.mount_point.startswith("/") and entry.fs_type != "swap":
                found[entry.mount_point] = Configured(
                    mount_point=entry.mount_point,
                    fs_type=entry.fs_type,
                    options=secrecy.options(entry.options),
                    where=f"{FSTAB}:{entry.line}",
                    what=entry.spec,
                )
    units = look.command_record(machine, MOUNT_UNITS, systemd_units.parse_systemctl_show)
    found.update(_loaded_units(units))
    found.update(_unit_files(machine))
    if isinstance(table, Unknown) and (table.cause is not Cause.NOT_EXPOSED or table.learn):
        return found, table  # a machine without fstab is one thing, a recording without it another
    return found, units if isinstance(units, Unknown) and units.cause in _MAY_HIDE_UNITS else None


def _loaded_units(record: systemd_units.SystemctlShow | Unknown) -> dict[str, Configured]:
    """Units that systemd has loaded from files other than those that it makes from fstab."""
    if isinstance(record, Unknown):
        return {}
    found: dict[str, Configured] = {}
    for unit in record.units:
        path, where, options = unit.get("FragmentPath"), unit.get("Where"), unit.get("Options")
        if path and where and not path.startswith(_MADE_FROM_FSTAB):
            found[where] = Configured(
                mount_point=where,
                fs_type=unit.get("Type") or "auto",
                options=secrecy.options(split_options(options or "")),
                where=path,
                what=unit.get("What") or "",
            )
    return found


def _unit_files(machine: Machine) -> dict[str, Configured]:
    """The administrator's own unit files, loaded or not: what they ask for, rather than what is in force."""
    names = machine.entries(_UNIT_FOLDER)
    found: dict[str, Configured] = {}
    for name in look.names(names):
        path = f"{_UNIT_FOLDER}/{name}"
        unit = look.file_record(machine, path, systemd_units.parse_mount_unit) if name.endswith(".mount") else None
        if unit is None or isinstance(unit, Unknown) or not unit.where:
            continue
        found[unit.where] = Configured(
            mount_point=unit.where,
            fs_type=unit.fs_type or "auto",
            options=secrecy.options(unit.options or ()),
            where=path,
        )
    return found
