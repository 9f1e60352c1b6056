"""Kinds of devices by the latency of one small read or write, nothing else waiting: what forecasts are made for."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Device(Struct, frozen=True, kw_only=True):
    """A kind of device; any one of a kind may differ from it by several times."""

    name: str
    latency_ms: float
    source: str
    verified: bool
    """Whether somebody measured or promises it; what is merely usual says so."""


DEVICES: Final = (
    Device(
        name="hard disk, 7200/min",
        latency_ms=8.0,
        source="half a turn is 4.2 ms; about as much for a seek is usual, not verified",
        verified=False,
    ),
    Device(
        name="cloud volume, general",
        latency_ms=1.0,
        source="usual for network volumes, not verified",
        verified=False,
    ),
    Device(
        name="cloud volume, fast",
        latency_ms=0.5,
        source="Amazon's word for io2 Block Express: below 500 µs on average for 16 KiB; measured by nobody here",
        verified=True,
    ),
    Device(
        name="SATA SSD",
        latency_ms=0.15,
        source="usual for a read alone, not verified; a paper of 2015 saw 1.5 ms on its Micron, under a mail server",
        verified=False,
    ),
    Device(
        name="NVMe",
        latency_ms=0.046,
        source="a chapter of 2026 on filesystems: 21,800 synced 4 KiB writes a second, one at a time, raw PM9A3",
        verified=True,
    ),
    Device(
        name="RAM disk",
        latency_ms=0.005,
        source="a paper on five filesystems (2015): at most 5 µs seen from user space",
        verified=True,
    ),
    Device(
        name="persistent memory",
        latency_ms=0.0003,
        source="a paper on five filesystems (2015): 200 to 300 ns; of the memory, without a block layer",
        verified=True,
    ),
)
"""From slow to fast."""

WARN_BELOW_MS: Final = 1.0
"""Below it the paper found the model arbitrarily inaccurate (observation 3)."""
