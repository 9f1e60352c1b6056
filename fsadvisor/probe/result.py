"""What a probe found, with how sure it is; what is kept on disk and what facts and reports are made of."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - the store resolves the annotations at run time
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

End: TypeAlias = Literal["settled", "budget", "cancelled", "failed"]
"""Why it ended: the interval was narrow enough, time or bytes were used up, somebody stopped it, an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A median over windows with its 95 % interval; in the headline's unit."""

    median: float
    low: float
    high: float
    windows: int

    @property
    def half_width(self) -> float:
        """Half of the interval, as a share of the median: 0.05 is ± 5 %; 0 where the median is 0."""
        return (self.high - self.low) / 2 / self.median if self.median else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One job on one target."""

    job: str
    question: str
    target: str
    """The folder that was named."""
    mount: str
    """The mount point that it is on."""
    when: str
    """ISO 8601, UTC."""
    engine: str
    """'fio 3.33', or 'fsadvisor' for the stand-in, in full words."""
    headline: str
    """Headline's name, such as 'SYNC_US'."""
    figure: Figure | None
    """None where no window counted."""
    end: End
    error: str = ""
    windows: int = 0
    voids: tuple[str, ...] = ()
    """Why windows were left out, one entry each."""
    seconds: float = 0.0
    asked_bytes: int = 0
    percentiles_us: Mapping[str, float] = field(default_factory=dict)
    """'p50', 'p95', 'p99', 'p99.9' of the headline's operations; of the sync alone for SYNC_US."""
    histogram_us: tuple[tuple[float, int], ...] = ()
    """(upper edge in µs, count), ascending, at most 24 bins."""
    user_cpu_percent: float | None = None
    system_cpu_percent: float | None = None
    flushes_per_operation: float | None = None
    """As the devices of `flushes_at` count them."""
    flushes_at: tuple[str, ...] = ()
    """The devices nearest to the filesystem that count flushes; () where they are not known."""
    disk_flushes_per_operation: float | None = None
    """As the leaf disks count them, where they are others."""
    disks: tuple[str, ...] = ()
    """The leaf disks; () where they are not known."""
    amplification: float | None = None
    """Bytes written by the leaf disks over bytes asked; None where that cannot be told."""
    parts_us: Mapping[str, Figure] = field(default_factory=dict)
    """The fsync ladder's steps: 'data', 'journal', 'flush'; and what is told beside them: 'flush_counted' at
    `flushes_at`, 'flush_disks' at `disks` where they are others, 'dsync'."""
    device_us: float | None = None
    """Mean time that the leaf disks took for a read or write meanwhile, others' among them; None where there were too
    few to tell, or their counters cannot be read."""
    extents: int | None = None
    pressure_percent: Mapping[str, float] = field(default_factory=dict)
    """Share of the time in which some task waited for 'cpu' or 'io' meanwhile, and of the processors' time that was
    'stolen': the hypervisor ran others. Empty where no account is kept; 'stolen' is 0 also where a hypervisor does not
    tell, which no guest can see."""
    believable: bool = True
    """False where the figure contradicts what the disks or the latencies say: a remark tells how."""
    remarks: tuple[str, ...] = ()
    """What a reader has to know: a slow first window, throttling, bursts, an impossible figure."""
    small_file_bytes: int | None = None
    """The size of its file where there was no room for the job's usual one."""
    depends: Mapping[str, str] = field(default_factory=dict)
    """Facts it depends on -> their values then, as text: where one differs now, the result is stale."""
