"""The page about `fsadvisor waits`: every sentence with what it rests on, made from the rules themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.measure.waits.rules import MEANS, RULES
from fsadvisor.measure.waits.sentence import MIXED, MIXED_OPEN, NOT_TOLD, NOT_TOLD_OPEN
from fsadvisor.measure.waits.threads import LEAST_SAMPLES
from fsadvisor.measure.waits.window import LEAST_SECONDS
from fsadvisor.pages.markdown import plain, table
from fsadvisor.report.waits_page import BUSY, IOWAIT, measure_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.measure.waits.rules import Rule, ThresholdTest

_HEAD: Final = """# Where the time goes

`fsadvisor waits [TARGET] [--seconds N]` watches the machine for 5 seconds, or for N; `fsadvisor waits TARGET --job JOB`
watches while a probe is at its work, from the end of its first window to the end of its last. It reads counters before
and after, and looks at all threads in between, and changes nothing. One window is one run: what it says holds for that
window alone, and another window may say otherwise.

A sentence holds where all of its conditions do. What is not known makes no condition true, so that forgetting a measure
never makes a sentence. The thresholds are round numbers of ours, that part a clear case from a mixed one; each sentence
is printed with what was measured beside them. Several may hold at once; the gravest stands first.

"""
_FLUSHES: Final = (
    "Since Linux 5.5, for whole disks whose requests are queued: device mapper and md count none, their members do."
)
_EXT4: Final = (
    "The kernel prints averages since the mount, cut down to ticks of its clock, 1 to 10 ms: what a transaction of the "
    "window took lies between two bounds, which are wide where there were many before."
)
_THREADS: Final = (
    f"Looks, {LEAST_SAMPLES} at least, at most every 50 ms and for at most 5 % of a processor. What threads wait for "
    "is told by the function of the kernel that they are in, which root may read. Threads that wait for a lock of "
    "their own program, for a network or for work sleep as idle ones do, and are not seen."
)
_LOCKS: Final = (
    "With --locks only, because perf switches tracepoints on for as long as it runs. Without it nothing is said of "
    "locks, in particular not that there were no waits. Journals wait by other means than locks, and are no part."
)
_SOURCES: Final = (
    ("processors", "/proc/stat", IOWAIT),
    ("disks", "/proc/diskstats", BUSY),
    ("flushes", "/proc/diskstats", _FLUSHES),
    ("pressure", "/proc/pressure", "The kernel's sums over the window, not its averages of 10 s or more."),
    ("ext4", "/proc/fs/jbd2", _EXT4),
    ("XFS", "/sys/fs/xfs", "Counts of the log; before Linux 4.4 of all filesystems together."),
    ("Btrfs", "/sys/fs/btrfs", "Since Linux 6.0; who waits for another's commit is not in its time."),
    ("threads", "/proc/PID/task/TID/stat, stack, wchan", _THREADS),
    ("locks", "perf lock", _LOCKS),
)


def page() -> str:
    """docs/waits.md."""
    return "".join(_page())


def _page() -> Iterator[str]:
    yield _HEAD
    yield "## The sentences\n\n"
    for rule in RULES:
        yield from _sentence(rule)
    for says, leaves_open in ((MIXED, MIXED_OPEN), (NOT_TOLD, NOT_TOLD_OPEN)):
        yield f"**{plain(says)}.**\n\n"
        yield "Where no other sentence holds, and " + (
            "everything is known.\n\n" if says == MIXED else "something is not known: it is listed.\n\n"
        )
        yield f"It leaves open: {plain(leaves_open)}\n\n"
    yield "## What is read\n\n"
    yield from table(("of", "from", "what to know"), [list(map(plain, row)) for row in _SOURCES])
    yield f"\nA window shorter than {LEAST_SECONDS:g} s is not judged.\n"


def _sentence(rule: Rule) -> Iterator[str]:
    yield f"**{plain(rule.says)}.**\n\n"
    for group in rule.groups:
        yield f"- {plain(', or '.join(map(_condition, group)))}\n"
    yield f"\nIt leaves open: {plain(rule.leaves_open)}\n\n"


def _condition(one: ThresholdTest) -> str:
    return f"{MEANS[one.name]}: {one.relation} {measure_text(one.name, one.threshold)}"
