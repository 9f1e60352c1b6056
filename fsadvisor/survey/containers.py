"""Where a file of a container lies on the host: by what is mounted there and here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers.mount_tables import parse_mountinfo
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.mount_tables import Mount

_SOURCE = "/proc/PID/mountinfo of the container, /proc/self/mountinfo"
_NOT_HERE = Unknown(Cause.NOT_EXPOSED, "run fsadvisor in its container", f"{_SOURCE}: it is not mounted here")


class Place(Struct, frozen=True, kw_only=True):
    """A path on the host; `in_layer` says that it is in the container's own writable layer, and ends with it."""

    path: Fact[str]
    in_layer: Fact[bool]


_UNKNOWN = Place(path=_NOT_HERE, in_layer=_NOT_HERE)


class Mounts:
    """The mounts of a container beside those of the host."""

    def __init__(self, machine: Machine, theirs: str) -> None:
        table = parse_mountinfo(theirs)
        self._theirs = () if isinstance(table, Unknown) else table.mounts
        host = read_fact.understood(machine.read("/proc/self/mountinfo"), parse_mountinfo)
        self._ours = () if isinstance(host, Unknown) else host.mounts

    def place(self, path: str) -> Place:
        """Where it lies here; unknown where a mount of the container is not one of the host's."""
        if ".." in path.split("/") or (over := _last_over(path, self._theirs)) is None:
            return _UNKNOWN
        rest = _rest(path, over.mount_point)
        if over.fs_type == "overlay":
            upper = next((it[len("upperdir=") :] for it in over.super_options if it.startswith("upperdir=")), None)
            inside = f"{over.root.rstrip('/')}{rest}"
            return _UNKNOWN if upper is None else _in(Known(f"{upper}{inside}", _SOURCE), layer=True)
        inside = f"{over.root.rstrip('/')}{rest}" or "/"
        same = [it for it in self._ours if it.major_minor == over.major_minor and _is_below(inside, it.root)]
        seen = [place for it in same if _last_over(place := _joined(it, inside), self._ours) is it]
        return _in(Known(min(seen, key=len), _SOURCE), layer=False) if seen else _UNKNOWN


def _in(path: Known[str], *, layer: bool) -> Place:
    return Place(path=path, in_layer=Known(layer, _SOURCE))


def _joined(mount: Mount, inside: str) -> str:
    return f"{mount.mount_point.rstrip('/')}{_rest(inside, mount.root)}" or "/"


def _rest(path: str, top: str) -> str:
    return path[len(top.rstrip("/")) :].rstrip("/")


def _is_below(path: str, top: str) -> bool:
    return f"{path.rstrip('/')}/".startswith(f"{top.rstrip('/')}/")


def _last_over(path: str, mounts: Iterable[Mount]) -> Mount | None:
    """The mount that a path is on: the longest mount point above it, of several at one place the last."""
    above = [it for it in mounts if _is_below(path, it.mount_point)]
    longest = max((len(it.mount_point) for it in above), default=0)
    return next((it for it in reversed(above) if len(it.mount_point) == longest), None)
