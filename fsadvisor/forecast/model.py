"""The User Performance Expectation Model of seed 001, section 2: throughput = C / (l_dev + l_sw).

One operation of a workload takes as long as the device's latency and the software's together; C says how many such
times pass in a second for each operation, with all that runs side by side. It is what users expect of a faster device,
no description of a filesystem: where it fails is what `classes` tells.
"""

from __future__ import annotations

from msgspec import Struct


class Model(Struct, frozen=True):
    """C in operations/s times ms, l_sw in ms; C is above 0. l_sw below 0 is a fit that means nothing near 0 ms."""

    c: float
    software_ms: float

    def throughput(self, device_ms: float) -> float | None:
        """Operations/s on a device of this latency in ms; None where the model has no answer (l_dev + l_sw <= 0)."""
        whole = device_ms + self.software_ms
        return self.c / whole if whole > 0 else None

    @property
    def most(self) -> float | None:
        """Operations/s that no device can better: those of a device that takes no time."""
        return self.throughput(0.0)


def crossing_ms(one: Model, other: Model) -> float | None:
    """The device latency at which two expectations are the same; None where they never are at 0 ms or more."""
    if one.c == other.c:
        return None
    where = (other.c * one.software_ms - one.c * other.software_ms) / (one.c - other.c)
    return where if where >= 0 and where + min(one.software_ms, other.software_ms) > 0 else None
