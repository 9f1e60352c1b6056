"""Watches threads, and tells which ran and which waited, and for what, by where in the kernel they were.

A thread waits here where it is in state D: for a disk, a lock of the kernel or a journal. One that waits for a lock of
its own program, for a network socket or for work sleeps in state S, as all idle threads do, and is not seen.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar

from msgspec import Struct, field

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.machine import pulse
from fsadvisor.readers import process_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fsadvisor.machine.pulse import KernelCounters, ThreadSample, WaitingThread

K = TypeVar("K")
For: TypeAlias = Literal["disk", "lock", "journal", "network", "other", "gone on", "not told"]
_Place: TypeAlias = tuple[str, str, For]
"""Name, function, and what is waited for there."""

LEAST_SAMPLES: Final = 10
"""Fewer tell nothing of shares."""

_TOP: Final = 8
_SOURCE: Final = "/proc/PID/task/TID/stat"
_STACK: Final = Unknown(Cause.DENIED, "run as root", "/proc/PID/task/TID/stack")

_NETWORK: Final = re.compile(
    r"rpc_\w+|nfs\d?_\w+|ceph_\w+|cifs_\w+|smb2?_\w+|request_wait_answer|_*fuse_\w+|p9_\w+", re.ASCII
)
"""A filesystem over a network, or of a program (FUSE)."""

_KINDS: Final[tuple[tuple[For, re.Pattern[str]], ...]] = (
    (
        "journal",
        re.compile(
            r"jbd2_(log_wait_commit|journal_lock_updates|complete_transaction|journal_wait_updates)"
            r"|wait_transaction_(locked|switching)|add_transaction_credits|start_this_handle|do_get_write_access"
            r"|xlog_(wait\w*|grant_head_wait|state_get_iclog_space|cil_\w+)|_?xfs_log_force\w*"
            r"|wait_current_trans|btrfs_wait_for_commit|wait_for_commit|wait_log_commit|wait_for_writer"
            r"|zil_commit\w*|txg_wait_\w+|dmu_tx_(wait|delay)|f2fs_issue_checkpoint"
        ),
    ),
    (
        "lock",
        re.compile(
            r"(__)?mutex_lock\w*|__ww_mutex_lock\w*|rwsem_down_\w+|(__)?down(_read|_write|_common)?(_interruptible|_killable|_nested)?"
            r"|percpu_rwsem_wait|__percpu_down_read|rt_mutex_\w+|btrfs_(tree_)?(read_)?lock\w*|lock_extent\w*"
            r"|inode_dio_wait|f2fs_down_\w+"
        ),
    ),
    (
        "disk",
        re.compile(
            r"io_schedule\w*|(__)?wait_on_buffer|\w+_read_bh\w*|\w+_wait_writeback\w*|bit_wait_io\w*|folio_wait_\w+|__?folio_lock\w*|wait_on_page_\w+"
            r"|(__)?lock_page\w*|submit_bio_wait|blk_mq_\w+|blk_\w+|blkdev_issue_\w+|f2fs_issue_flush|rq_qos_wait|wbt_wait"
            r"|balance_dirty_pages\w*|wait_for_completion_io\w*|xfs_buf_\w+|iomap_dio_\w+|__blkdev_direct_IO\w*"
            r"|wait_on_bit_io|filemap_\w+|dio_\w+|md_\w+|raid\w+|dm_\w+|zio_wait"
        ),
    ),
)


_LOCKS_ITSELF: Final = re.compile(
    r"path_openat|open_last_lookups|filename_create|lookup_slow|__lookup_slow|do_(unlink|rename|rmdir)\w*|lock_rename"
    r"|start_(dirop|creating|removing)\w*|iterate_dir|vfs_(unlink|rmdir)|chmod_common|chown_common|do_truncate"
    r"|ext4_(buffered|dio)_write_iter|ext4_file_\w+_iter|xfs_ilock\w*|generic_file_write_iter|btrfs_inode_lock",
    re.ASCII,
)
"""Innermost in a stack, these wait for an inode's lock: a stack of /proc leaves out the functions that put to sleep."""


class Waiter(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Threads of one name that waited at one place in the kernel: how many at a time, and how many different ones.

    `function` is '' where it is not told; `kind` is what is waited for there.
    """

    name: str
    function: str
    kind: For
    waiting: float
    threads: int


class Runner(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A thread that ran, or could, in this share of the looks."""

    name: str
    pid: int
    thread: int
    share: float


class Threads(Struct, frozen=True, kw_only=True):
    """Means over all looks: how many threads ran or could, how many waited, and for what."""

    looks: int
    threads: float
    """How many there were, ours left out."""
    running: float
    waiting: float
    kinds: dict[For, Fact[float]]
    """Each, but what is not told; unknown where the places of some that waited may not be read.

    'gone on' are those that had by the time that their place was read: they may belong to any of the others.
    """
    waiters: tuple[Waiter, ...]
    """Those that were found waiting most often."""
    runners: tuple[Runner, ...]


def kind_of(functions: Iterable[str]) -> For:
    """What a thread waits for: the innermost function that tells decides, but a network's anywhere."""
    named = [name.partition(".")[0] for name in functions]
    if any(_NETWORK.fullmatch(name) for name in named):
        return "network"
    if named and _LOCKS_ITSELF.fullmatch(named[0]):
        return "lock"
    for name in named:
        for kind, pattern in _KINDS:
            if pattern.fullmatch(name):
                return kind
    return "other" if named else "not told"


def functions_of(where: str) -> tuple[str, ...]:
    """From a stack, or the one function that wchan names."""
    read = process_files.parse_process_stack(where)
    if isinstance(read, Unknown):
        return (where,) if re.fullmatch(r"[\w.]{1,200}", where, re.ASCII) else ()
    return read.functions


def threads(samples: Sequence[ThreadSample]) -> Fact[Threads]:
    """From all samples of the window."""
    refused = next((sample.unknown for sample in samples if sample.unknown is not None), None)
    if refused is not None:
        return refused
    if len(samples) < LEAST_SAMPLES:
        learn = f"watch for longer: there were {len(samples)} looks at the threads, and {LEAST_SAMPLES} are wanted"
        return Unknown(Cause.NOT_MEASURED, learn, _SOURCE)
    places: Counter[_Place] = Counter()
    who: dict[_Place, set[int]] = {}
    runners: Counter[tuple[str, int, int]] = Counter()
    for sample in samples:
        for waiter in sample.waiting:
            place = _place(waiter)
            places[place] += 1
            who.setdefault(place, set()).add(waiter.thread)
        runners.update((name, pid, thread) for pid, thread, name in sample.running)
    number = len(samples)
    return Known(
        Threads(
            looks=number,
            threads=sum(sample.threads for sample in samples) / number,
            running=sum(runners.values()) / number,
            waiting=sum(places.values()) / number,
            kinds=_by_kind(places, number),
            waiters=tuple(
                Waiter(name=place[0], function=place[1], kind=place[2], waiting=count / number, threads=len(who[place]))
                for place, count in _most(places)
            ),
            runners=tuple(
                Runner(name=name, pid=pid, thread=thread, share=count / number)
                for (name, pid, thread), count in _most(runners)
            ),
        ),
        _SOURCE,
    )


def _place(waiter: WaitingThread) -> _Place:
    functions = () if waiter.where is None else functions_of(waiter.where)
    kind = "gone on" if waiter.where == "" else kind_of(functions)
    telling = next((name for name in functions if kind_of((name,)) == kind), "")
    return waiter.name, telling, kind


def _by_kind(places: Counter[_Place], looks: int) -> dict[For, Fact[float]]:
    sums: Counter[For] = Counter()
    for (*_, kind), count in places.items():
        sums[kind] += count
    kinds: tuple[For, ...] = ("disk", "lock", "journal", "network", "other", "gone on")
    if sums["not told"]:
        return dict.fromkeys(kinds, _STACK)
    return {kind: Known(sums[kind] / looks, "/proc/PID/task/TID/stack") for kind in kinds}


def _most(counted: Counter[K]) -> list[tuple[K, int]]:
    return sorted(counted.items(), key=lambda one: (-one[1], str(one[0])))[:_TOP]


EVERY_S: Final = 0.05
SHARE: Final = 0.05
"""Of a processor, for looks at most: where there are many threads, they are looked at less often."""


class Watch(Struct, kw_only=True):
    """What was seen. `take` and `sample` ask the machine."""

    take: Callable[[], KernelCounters] = pulse.kernel_counters
    sample: Callable[[], ThreadSample] = pulse.sample_threads
    every_s: float = EVERY_S
    before: KernelCounters | None = None
    after: KernelCounters | None = None
    samples: list[ThreadSample] = field(default_factory=list)

    def begin(self) -> None:
        """The window begins now; what was seen before is forgotten."""
        self.before, self.after, self.samples = self.take(), None, []

    def end(self) -> None:
        """The window ends now, unless it is told to end again, later."""
        self.after = self.take()

    def both(self) -> tuple[KernelCounters, KernelCounters]:
        """How the window began and ended; what has not been taken is taken now."""
        before = self.before = self.before or self.take()
        after = self.after = self.after or self.take()
        return before, after

    def take_sample(self) -> float:
        """Of all threads; tells for how long to wait before the next, in seconds."""
        began_s = time.thread_time()
        sample = self.sample()
        if self.before is not None:
            self.samples.append(sample)
        return max((time.thread_time() - began_s) / SHARE, self.every_s)

    def inside(self) -> tuple[ThreadSample, ...]:
        """The samples between both."""
        if self.before is None or self.after is None:
            return ()
        begin_s, end_s = self.before.pulse.at_s, self.after.pulse.at_s
        return tuple(one for one in self.samples if begin_s <= one.at_s <= end_s)


def watch(seen: Watch, seconds: float, pause: Callable[[float], object]) -> None:
    """Watch for so many seconds. `pause` waits, and may raise to break it off: then `seen` has no end yet."""
    seen.begin()
    end_s = time.monotonic() + seconds
    while (left_s := end_s - time.monotonic()) > 0:
        pause(min(seen.take_sample(), left_s))
    seen.end()
