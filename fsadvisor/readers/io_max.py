"""A cgroup's limits on I/O: io.max in a folder of /sys/fs/cgroup (cgroup v2).

Written against Linux 6.18. Devices without any limit are not listed, so an empty file sets none.

    8:16 rbps=2097152 wbps=max riops=max wiops=120

https://docs.kernel.org/admin-guide/cgroup-v2.html#io-interface-files
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

UNLIMITED: Final = "max"

Limit: TypeAlias = int | Literal["max"] | None
"""A number; 'max' where there is no limit; None where the file doesn't say."""

_DEVICE = re.compile(r"[0-9]{1,10}:[0-9]{1,10}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class IoLimit:
    """The limits on one device."""

    maj_min: str
    """Device number, '8:16'."""
    rbps: Limit
    """Bytes read per second."""
    wbps: Limit
    """Bytes written per second."""
    riops: Limit
    """Reads per second."""
    wiops: Limit
    """Writes per second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IoMax:
    """One file."""

    limits: tuple[IoLimit, ...]
    unread: tuple[str, ...] = ()


def parse(text: str) -> IoMax | Unknown:
    """Read one io.max."""
    limits: list[IoLimit] = []
    unread: list[str] = []
    for line in filter(str.strip, text.split("\n")):
        device, *pairs = line.split()
        values = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
        if _DEVICE.fullmatch(device) and not values.keys().isdisjoint(("rbps", "wbps", "riops", "wiops")):
            limits.append(_limits(device, values))
        else:
            unread.append(line)
    if unread and not limits:
        return refusal(text, "no lines of io.max")
    return IoMax(limits=tuple(limits), unread=unread_pieces(unread))


def _limits(device: str, values: dict[str, str]) -> IoLimit:
    return IoLimit(
        maj_min=device,
        rbps=_limit(values.get("rbps")),
        wbps=_limit(values.get("wbps")),
        riops=_limit(values.get("riops")),
        wiops=_limit(values.get("wiops")),
    )


def _limit(text: str | None) -> Limit:
    return UNLIMITED if text == UNLIMITED else whole(text)
