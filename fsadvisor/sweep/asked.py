"""What a sweep is asked, and what it tells: a line of JSON each, between the command and its measuring process."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from fsadvisor.survey.filesystem_types.registry import IN_PAPERS

Base: TypeAlias = Literal["image", "memory"]
"""What lies under dm-delay: an image in the folder, or the kernel's memory (null_blk)."""

DELAYS_MS: Final[tuple[float, ...]] = tuple(float(ms) for ms in range(11))
"""The paper's, from 0 to 10 ms."""
SHORT_DELAYS_MS: Final[tuple[float, ...]] = (0.1, 0.2, 0.5)
"""Below one millisecond, by null_blk where the kernel has it."""
FILESYSTEMS: Final = IN_PAPERS
WORKLOADS: Final = ("web", "file-server", "mail")
MOST_BYTES: Final = 8 << 30
"""That a workload on a filesystem in an image may read and write; no window is begun that would go beyond it."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One sweep: each filesystem with each workload at each latency, `passes` times there and back."""

    folder: str
    base: Base
    size_bytes: int
    filesystems: tuple[str, ...]
    workloads: tuple[str, ...]
    delays_ms: tuple[float, ...]
    passes: int = 2
    seconds: float = 3.0
    """Of a window at the longest delay; shorter ones in proportion to delay + 1 ms, at least a tenth."""
    most_operations: int | None = None
    """Windows are shorter where so many operations, at the rate of the one before, take less."""
    threads: int | None = None
    """Instead of the job's own."""
    files: int | None = None
    stretch: int = 1
    """Delays and seconds are so many times as long: for a guest whose processor is as much slower (`tools.paper`)."""
    options: dict[str, str] = {}
    """More mount options by type."""


class Point(msgspec.Struct, frozen=True, kw_only=True, tag="point"):
    """One window. Times are divided by the stretch."""

    filesystem: str
    workload: str
    asked_ms: float
    device_ms: float | None
    """Mean time of a read or write on the device, by its counters; None where there were too few to tell."""
    requests: int
    operations: int
    seconds: float
    throughput: float
    """Operations (whole loops of the workload) per second."""
    cpu_share: float
    """Processor time of the workload over its time; 1 is one processor."""
    run: int


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag="failed"):
    """A filesystem, or one workload on it, that could not be measured."""

    filesystem: str
    workload: str
    why: str


class Begun(msgspec.Struct, frozen=True, kw_only=True, tag="begun"):
    """A filesystem with a workload is being set up."""

    filesystem: str
    workload: str
    options: str = ""
    engine: str = ""


Told: TypeAlias = Point | Failed | Begun

_TOLD: Final[msgspec.json.Decoder[Told]] = msgspec.json.Decoder(Told)


def told(line: bytes) -> Told:
    """As it is heard. Raises msgspec.MsgspecError."""
    return _TOLD.decode(line)


def asked(line: bytes) -> Asked:
    """As it is asked. Raises msgspec.MsgspecError."""
    return msgspec.json.decode(line, type=Asked)
