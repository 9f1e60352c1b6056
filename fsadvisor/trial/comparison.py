"""What a trial's blocks add up to."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - decoding resolves the annotations at run time
from typing import Literal, TypeAlias

from msgspec import Struct

from fsadvisor.probe.result import Figure  # noqa: TC001
from fsadvisor.trial.ratio import Ratio  # noqa: TC001

End: TypeAlias = Literal["settled", "budget", "cancelled", "failed"]
"""Why it ended: it is told, time or bytes were used up, somebody stopped it, an error."""


class Side(Struct, frozen=True, kw_only=True):
    """What a side's windows add up to."""

    figure: Figure | None
    windows: int
    left_out: int
    operations: int
    flushes_per_operation: float | None
    """That the filesystem sent to its device; None where the kernel counts none."""
    amplification: float | None
    """Bytes that the filesystem wrote for each byte asked; None where they come later, or cannot be told."""


class Comparison(Struct, frozen=True, kw_only=True):
    """What came out. `gain` is how many times as fast the changed side is, against both sides that are as it is."""

    gain: Ratio | None
    control: Ratio | None
    """Of `again` against `default`, which are made alike: 1 within noise where images are as good as each other."""
    bare: Ratio | None
    """How many times as fast the image is as the folder itself."""
    sides: Mapping[str, Side]
    blocks: int
    left_out: int
    """Blocks with a window that does not count."""
    voids: tuple[str, ...]
    end: End
    error: str
    seconds: float


class Progress(Struct, frozen=True, kw_only=True):
    """After each block."""

    blocks: int
    gain: Ratio | None
    seconds: float
    seconds_left: float
