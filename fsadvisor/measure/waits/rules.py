"""The sentences that shares can support, as data: what must hold, with its threshold, and what each leaves open.

A sentence holds where all of its conditions do, by Kleene's logic: what is not known makes none true. Thresholds are
ours: round numbers that part a clear case from a mixed one, and no law of nature; each sentence shows them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct

from fsadvisor.facts import UNKNOWN, Fact, Truth, Unknown, conjunction, disjunction, truth

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT: Final = 0.8
"""A processor or disk that is busy for more of the time is at its limit."""

IDLE: Final = 0.5
"""One that is busy for less is mostly idle."""

NOTHING: Final = 0.05
FLUSHED: Final = 0.5
STALLED: Final = 0.3
"""Some thread waited for I/O for this share of the time."""

UNSTALLED: Final = 0.1
HALF_A_THREAD: Final = 0.5
NOBODY: Final = 0.1
QUEUED: Final = 2.0
ALWAYS: Final = 0.9
STOLEN: Final = 0.1
SHORT_MEMORY: Final = 0.2


class Measures(Struct, frozen=True, kw_only=True):
    """What sentences may ask: shares of the time (0 to 1), or numbers of threads or requests on average."""

    processor: Fact[float]
    steal: Fact[float]
    disk: Fact[float]
    disk_most: Fact[float]
    queue: Fact[float]
    flush: Fact[float]
    io_some: Fact[float]
    cpu_some: Fact[float]
    memory_some: Fact[float]
    memory_lacking: Fact[float]
    waiting: Fact[float]
    disk_waiting: Fact[float]
    disk_waiting_most: Fact[float]
    lock_waiting: Fact[float]
    lock_waiting_most: Fact[float]
    lock_traced: Fact[float]
    steadiest: Fact[float]


Name: TypeAlias = Literal[
    "processor", "steal", "disk", "disk_most", "queue", "flush", "io_some", "cpu_some", "memory_some", "memory_lacking",
    "waiting", "disk_waiting", "disk_waiting_most", "lock_waiting", "lock_waiting_most", "lock_traced", "steadiest",
]  # fmt: skip

MEANS: Final[dict[Name, str]] = {
    "processor": "processors busy",
    "steal": "the hypervisor ran others",
    "disk": "the busiest disk had requests",
    "disk_most": "the busiest disk had requests or a flush, at most",
    "queue": "requests under way there, on average",
    "flush": "a flush was under way on the disk that flushed most (several at once count each)",
    "io_some": "a thread waited for I/O (pressure)",
    "cpu_some": "a thread waited for a processor (pressure)",
    "memory_some": "a thread waited for memory (pressure)",
    "memory_lacking": "a thread waited for memory that the machine lacks",
    "waiting": "threads waiting in the kernel (state D), on average",
    "disk_waiting": "threads seen waiting for a disk",
    "disk_waiting_most": "threads that may have waited for a disk",
    "lock_waiting": "threads seen waiting for a lock of the kernel or a journal",
    "lock_waiting_most": "threads that may have waited for a lock of the kernel or a journal",
    "lock_traced": "threads waiting for a lock of the kernel, as perf traced",
    "steadiest": "one thread ran, or could",
}
COUNTS: Final = frozenset[Name](
    (
        "queue",
        "waiting",
        "disk_waiting",
        "disk_waiting_most",
        "lock_waiting",
        "lock_waiting_most",
        "lock_traced",
    )
)
"""The rest are shares of the time."""


class ThresholdTest(Struct, frozen=True):
    """A measure against a threshold."""

    name: Name
    relation: Literal["at least", "below"]
    threshold: float

    @property
    def unit(self) -> Literal["share", "number"]:
        """Of what is measured: a share of the time, or a mean number."""
        return "number" if self.name in COUNTS else "share"

    @property
    def means(self) -> str:
        """What is measured, in words."""
        return MEANS[self.name]

    def holds(self, measures: Measures) -> Truth:
        """UNKNOWN where the measure is."""
        fact: Fact[float] = getattr(measures, self.name)
        if isinstance(fact, Unknown):
            return UNKNOWN
        return truth(fact.value >= self.threshold if self.relation == "at least" else fact.value < self.threshold)


class Rule(Struct, frozen=True, kw_only=True):
    """A sentence. All groups must hold, and of each group one condition. `implies` names a weaker sentence."""

    id: str
    says: str
    groups: tuple[tuple[ThresholdTest, ...], ...]
    leaves_open: str
    implies: str = ""

    def holds(self, measures: Measures) -> Truth:
        """Kleene's and, of Kleene's or."""
        return conjunction(disjunction(one.holds(measures) for one in group) for group in self.groups)

    @property
    def conditions(self) -> Iterator[ThresholdTest]:
        """The conditions of all groups."""
        for group in self.groups:
            yield from group


def _at_least(name: Name, threshold: float) -> ThresholdTest:
    return ThresholdTest(name, "at least", threshold)


def _below(name: Name, threshold: float) -> ThresholdTest:
    return ThresholdTest(name, "below", threshold)


_WAITED: Final = (
    _at_least("io_some", STALLED),
    _at_least("disk_waiting", HALF_A_THREAD),
    _at_least("lock_waiting", HALF_A_THREAD),
)
_IDLE: Final = ((_below("processor", IDLE),), (_below("disk_most", IDLE),), (_at_least("waiting", 1.0),))

RULES: Final = (
    Rule(
        id="memory",
        says="Memory is short: threads wait until some is freed",
        groups=((_at_least("memory_some", SHORT_MEMORY),), (_at_least("memory_lacking", SHORT_MEMORY),)),
        leaves_open="Which program takes it; and what the disks would do if it were not short, for part of their work "
        "may be swapping.",
    ),
    Rule(
        id="flushes",
        says="Flushes are the limit",
        groups=((_at_least("flush", FLUSHED),), _WAITED),
        leaves_open="Whether fewer flushes would do: that is for who syncs to say. A disk with several hardware "
        "queues may have more than one flush under way, and each counts.",
    ),
    Rule(
        id="disk",
        says="The disk is the limit: requests queue up there",
        groups=((_at_least("disk", LIMIT),), (_at_least("queue", QUEUED),), _WAITED),
        leaves_open="Whether it could do more at once. An SSD, RAID or cloud volume works on many requests side by "
        "side. One that is always busy may still have most of its speed to give.",
    ),
    Rule(
        id="latency",
        says="The disk's latency is the limit: there is hardly ever more than one request under way",
        groups=((_at_least("disk", LIMIT),), (_below("queue", QUEUED),), _WAITED),
        leaves_open="That the disk is at its limit: with more requests at once many disks would do far more.",
    ),
    Rule(
        id="background",
        says="The disk is busy, but hardly anybody waits for it: it writes in the background",
        groups=(
            (_at_least("disk", LIMIT),),
            (_below("io_some", UNSTALLED),),
            (_below("disk_waiting_most", HALF_A_THREAD),),
            (_below("lock_waiting_most", HALF_A_THREAD),),
        ),
        leaves_open="Who made the data dirty, and whether writers would wait if there were more of it.",
    ),
    Rule(
        id="processor",
        says="The processor is the limit",
        groups=((_at_least("processor", LIMIT),),),
        leaves_open="Whose work it is, and whether it is useful: time in the kernel may be spent spinning on locks.",
    ),
    Rule(
        id="steal",
        says="The hypervisor gives the processors to others",
        groups=((_at_least("steal", STOLEN),),),
        leaves_open="What the workload would need if it had them.",
    ),
    Rule(
        id="quota",
        says="Threads wait for a processor while processors are idle: a limit holds them back",
        groups=((_below("processor", IDLE),), (_at_least("cpu_some", IDLE),)),
        leaves_open="Which limit: a cgroup's cpu.max, an affinity to a few processors, or bursts shorter than the "
        "window.",
    ),
    Rule(
        id="thread",
        says="One thread is always at work, while there are processors for more: it may be the limit",
        groups=((_at_least("steadiest", ALWAYS),), (_below("processor", LIMIT),)),
        leaves_open="Whether others wait for what it does, or it does something of its own.",
    ),
    Rule(
        id="each other",
        says="Busy threads, idle disk, idle processor: they wait for each other",
        groups=(
            *_IDLE,
            (_below("disk_waiting_most", HALF_A_THREAD),),
            (_at_least("lock_waiting", HALF_A_THREAD), _at_least("lock_traced", HALF_A_THREAD)),
        ),
        leaves_open="Who holds what they wait for, and why so long. The functions named below tell, in the "
        "kernel's source, which lock or journal it is.",
        implies="elsewhere",
    ),
    Rule(
        id="elsewhere",
        says="Threads wait, while disks and processors are mostly idle: for each other, or for what is no disk here",
        groups=_IDLE,
        leaves_open="What they wait for: locks of the kernel, a journal, a network filesystem, or a disk that "
        "is slow to answer and idle in between.",
    ),
    Rule(
        id="nothing",
        says="Nothing is busy",
        groups=(
            (_below("processor", NOTHING),),
            (_below("disk_most", NOTHING),),
            (_below("waiting", NOBODY),),
        ),
        leaves_open="Threads that wait for a lock of their own program, for a network or for work: they look as idle "
        "ones do.",
    ),
)
