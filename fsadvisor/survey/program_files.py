"""Where a program's files lie on the host: in a container, by a list of processes alone, as etcd's file says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import server_files
from fsadvisor.readers.mount_tables import parse_mountinfo
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.mount_tables import MountEntry
    from fsadvisor.readers.server_files import EtcdConf

_SOURCE = "/proc/PID/mountinfo of the container, /proc/self/mountinfo"
_NOT_HERE = Unknown(Cause.NOT_EXPOSED, "run fsadvisor in its container", f"{_SOURCE}: it is not mounted here")


class HostPath(Struct, frozen=True, kw_only=True):
    """A path on the host; `in_layer` says that it is in the container's own writable layer, and ends with it."""

    path: Fact[str]
    in_layer: Fact[bool]


_UNKNOWN = HostPath(path=_NOT_HERE, in_layer=_NOT_HERE)


class Mounts:
    """The mounts of a container beside those of the host."""

    def __init__(self, machine: Machine, theirs: str) -> None:
        table = parse_mountinfo(theirs)
        self._theirs = () if isinstance(table, Unknown) else table.mounts
        self._ours = of_host(machine)

    def place(self, path: str) -> HostPath:
        """Where it lies here; unknown where a mount of the container is not one of the host's."""
        if ".." in path.split("/") or (over := last_over(path, self._theirs)) is None:
            return _UNKNOWN
        inner = inside(over, path)
        if is_layered(over):
            upper = written_layer(over)
            return _UNKNOWN if upper is None else _in(Known(f"{upper}{inner.rstrip('/')}", _SOURCE), layer=True)
        seen = shown_at(inner, over.major_minor, self._ours)
        return _in(Known(min(seen, key=len), _SOURCE), layer=False) if seen else _UNKNOWN


def of_host(machine: Machine) -> tuple[MountEntry, ...]:
    """The mounts that we see; none where the table can't be read."""
    table = read_fact.understood(machine.read("/proc/self/mountinfo"), parse_mountinfo)
    return () if isinstance(table, Unknown) else table.mounts


def inside(mount: MountEntry, path: str) -> str:
    """A path on a mount as its filesystem has it."""
    return f"{mount.root.rstrip('/')}{_rest(path, mount.mount_point)}" or "/"


def is_layered(mount: MountEntry) -> bool:
    """Whether it shows directories of others, one over the other."""
    return mount.fs_type == "overlay"


def written_layer(mount: MountEntry) -> str | None:
    """The directory that an overlay writes to."""
    return next((it[len("upperdir=") :] for it in mount.super_options if it.startswith("upperdir=")), None)


def shown_at(path: str, major_minor: str, mounts: Sequence[MountEntry]) -> list[str]:
    """The places at which a path of a filesystem is seen: by its mounts, where no other is mounted over it."""
    same = [it for it in mounts if it.major_minor == major_minor and _is_below(path, it.root)]
    return [place for it in same if last_over(place := _joined(it, path), mounts) is it]


def _in(path: Known[str], *, layer: bool) -> HostPath:
    return HostPath(path=path, in_layer=Known(layer, _SOURCE))


def _joined(mount: MountEntry, inside: str) -> str:
    return f"{mount.mount_point.rstrip('/')}{_rest(inside, mount.root)}" or "/"


def _rest(path: str, top: str) -> str:
    return path[len(top.rstrip("/")) :].rstrip("/")


def _is_below(path: str, top: str) -> bool:
    return f"{path.rstrip('/')}/".startswith(f"{top.rstrip('/')}/")


def last_over(path: str, mounts: Sequence[MountEntry]) -> MountEntry | None:
    """The mount that a path is on: the longest mount point above it, of several at one place the last."""
    above = [it for it in mounts if _is_below(path, it.mount_point)]
    longest = max((len(it.mount_point) for it in above), default=0)
    return next((it for it in reversed(above) if len(it.mount_point) == longest), None)


_NOT_DATA = ("/usr/", "/bin/", "/sbin/", "/opt/", "/etc/", "/run/")


def listed_directory(program: str, process: str, datadir: str | None, paths: Sequence[str]) -> Fact[str]:
    """By the arguments of a program that works in its data folder."""
    given = datadir
    if program == "postgresql":  # -D, which comes first
        given = next((path for path in paths if not path.startswith(_NOT_DATA)), given)
    if given and given.startswith("/"):
        return Known(given, f"argument of {program}")
    return Unknown(Cause.NOT_EXPOSED, f"run `pwdx $(pgrep -o {process})` on the machine", f"arguments of {program}")


_FILES: dict[str, tuple[re.Pattern[str], tuple[str, ...], tuple[str, ...]]] = {
    "mysql": (
        late(r"^[ \t]*datadir[ \t]*=[ \t]*(/\S*)", re.MULTILINE),
        ("/etc/my.cnf", "/etc/mysql/my.cnf"),
        ("/etc/my.cnf.d", "/etc/mysql/conf.d", "/etc/mysql/mariadb.conf.d", "/etc/mysql/mysql.conf.d"),
    ),
    "redis": (
        late(r"^[ \t]*dir[ \t]+(/\S*)", re.MULTILINE),
        ("/etc/redis/redis.conf", "/etc/redis.conf", "/etc/valkey/valkey.conf", "/etc/valkey.conf"),
        (),
    ),
}
"""How a program's files name its data folder, the files, and the folders of such files."""


def configured_directory(machine: Machine, program: str) -> Known[str] | None:
    """The data folder that all files of a program agree on, where nothing tells its working directory."""
    if program not in _FILES:
        return None
    pattern, files, folders = _FILES[program]
    more = (f"{folder}/{name}" for folder in folders for name in read_fact.names(machine.entries(folder)))
    named: dict[str, str] = {}
    for path in (*files, *more):
        answer = machine.settings(path)
        if not isinstance(answer, Unknown):
            named |= {value.rstrip("/"): path for value in pattern.findall(answer.text)}
    return Known(*named.popitem()) if len(named) == 1 else None


def has_etcd_file(settings: Mapping[str, str | None], environment: Mapping[str, str]) -> bool:
    """Whether etcd was started with a configuration file."""
    return "config_file" in settings or "ETCD_CONFIG_FILE" in environment


def etcd_file_path(settings: Mapping[str, str | None], environment: Mapping[str, str]) -> str:
    """The path of etcd's configuration file; '' where it was started without one."""
    return settings.get("config_file") or environment.get("ETCD_CONFIG_FILE") or ""


def read_etcd_file(machine: Machine, place: str) -> EtcdConf | Unknown:
    """The settings about storage of etcd's configuration file."""
    return read_fact.understood(machine.settings(place), server_files.parse_etcd_conf)


def etcd_data_directory(machine: Machine, named: str, root: str | None, seen: Fact[str], usual: str) -> Fact[str]:
    """The folder that the file names, as its container has it, else what was seen: not the usual place.

    `root` is the way to the root that it sees, None where that is not known.
    """
    file = f"{root}{named}"
    record = read_etcd_file(machine, file) if named.startswith("/") and root is not None else None
    folder = None if record is None or isinstance(record, Unknown) else record.get("data-dir")
    if folder and folder.startswith("/"):
        return Known(folder, file)
    if read_fact.value(seen) != usual:
        return seen
    return record if isinstance(record, Unknown) else Unknown(Cause.NOT_EXPOSED, "look for its data-dir", file)
