"""What one measured latency allows to say: C and l_sw cannot be told apart, but neither can be below 0."""

from __future__ import annotations

from msgspec import Struct


class Bounds(Struct, frozen=True):
    """Operations/s on another device, whatever the software's share is."""

    least: float
    most: float


def bounds(device_ms: float, throughput: float, other_ms: float) -> Bounds:
    """From operations/s on a device of `device_ms` (above 0), what one of `other_ms` brings, were the model true.

    All of it software: the same. None of it: as many times more as the device is faster.
    """
    if other_ms <= 0:
        return Bounds(throughput, float("inf"))
    alone = throughput * device_ms / other_ms
    return Bounds(min(throughput, alone), max(throughput, alone))
