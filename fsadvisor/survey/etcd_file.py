"""etcd's configuration file: where it is, and where it puts the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers import database_files
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.database_files import EtcdConf


def has_one(settings: Mapping[str, str | None], environment: Mapping[str, str]) -> bool:
    """Whether it was started with one."""
    return "config_file" in settings or "ETCD_CONFIG_FILE" in environment


def path(settings: Mapping[str, str | None], environment: Mapping[str, str]) -> str:
    """As it was told; '' where that is nothing."""
    return settings.get("config_file") or environment.get("ETCD_CONFIG_FILE") or ""


def read(machine: Machine, place: str) -> EtcdConf | Unknown:
    """Its settings about storage."""
    return read_fact.understood(machine.settings(place), database_files.parse_etcd_conf)


def data_directory(machine: Machine, named: str, root: str | None, seen: Fact[str], usual: str) -> Fact[str]:
    """The folder that the file names, as its container has it, else what was seen: not the usual place.

    `root` is the way to the root that it sees, None where that is not known.
    """
    place = f"{root}{named}"
    record = read(machine, place) if named.startswith("/") and root is not None else None
    told = None if record is None or isinstance(record, Unknown) else record.get("data-dir")
    if told and told.startswith("/"):
        return Known(told, place)
    if read_fact.value(seen) != usual:
        return seen
    return record if isinstance(record, Unknown) else Unknown(Cause.NOT_EXPOSED, "look for its data-dir", place)
