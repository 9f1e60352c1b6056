"""What programs share: disks, and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.storage import Below
from fsadvisor.survey import folds, look

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fsadvisor.storage import Subject

_SOURCE = "the stack in sysfs"


def disks(mount: Subject | None) -> Fact[tuple[str, ...]]:
    """The leaf disks under a place."""
    below = mount.scope.get("below") if mount else None
    return below.disks if isinstance(below, Below) else Unknown(Cause.NOT_EXPOSED, "", _SOURCE)


def _shared(one: Fact[tuple[str, ...]], other: Fact[tuple[str, ...]]) -> Fact[bool]:
    """Whether two sets of disks have one in common."""
    if isinstance(one, Unknown):
        return one
    return other if isinstance(other, Unknown) else Known(bool({*one.value} & {*other.value}), _SOURCE)


def shares_disk(
    own: Fact[str], others: Iterable[Fact[str]], disks_of: Callable[[str], Fact[tuple[str, ...]]]
) -> Fact[bool]:
    """Whether another program's folder is on a disk of this folder."""
    if isinstance(own, Unknown):
        return own
    here = disks_of(own.value)
    found = (other if isinstance(other, Unknown) else _shared(here, disks_of(other.value)) for other in others)
    return folds.any_of(found, "no other program was found")


def apart(own: Fact[str], log: Fact[str], disks_of: Callable[[str], Fact[tuple[str, ...]]]) -> Fact[bool]:
    """Whether a program's log is on other disks than its files."""
    if isinstance(log, Unknown):
        return log
    if isinstance(own, Unknown):
        return own
    return look.derive(_shared(disks_of(own.value), disks_of(log.value)), lambda it: not it)


def percent(part: Fact[int], whole: Fact[int]) -> Fact[int]:
    """A share in percent."""
    if isinstance(part, Unknown) or isinstance(whole, Unknown):
        return part if isinstance(part, Unknown) else whole
    return Known(part.value * 100 // whole.value if whole.value else 0, f"{part.source}, {whole.source}")
