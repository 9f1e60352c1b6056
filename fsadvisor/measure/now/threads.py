"""What each process waited for, from all looks at the threads."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from fsadvisor.facts import Unknown
from fsadvisor.measure.waits.threads import LEAST_SAMPLES, functions_of, kind_of
from fsadvisor.readers import process_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.machine.waiting import ThreadSample, WaitingThread

_FREEZE: Final = re.compile(
    r"mnt_want_write\w*|filename_create|\w*write\w*|path_openat|do_(mkdir|unlink|rename|rmdir|symlink|link)at\w*"
    r"|\w+_page_mkwrite|sb_start_\w+|\w+_fault|\w+_update_time|touch_atime",
    re.ASCII,
)
"""Whoever waits in percpu_rwsem_wait below one of these waits for a filesystem that is frozen, or is being frozen."""


_JOURNAL_FULL: Final = re.compile(r"(__)?jbd2_log_(wait_for_space|do_checkpoint)|xlog_grant_head_wait", re.ASCII)
"""Whoever is in one of these waits until old transactions have been written in place, and the journal has room."""

_FOR_MEMORY: Final = re.compile(
    r"do_swap_page|swap(in)?_read\w*|swap_cluster_readahead|swap_vma_readahead|read_swap_cache\w*"
    r"|(do_)?try_to_free_\w*pages|(__)?mem_cgroup_(handle_over_high|out_of_memory)|reclaim_(throttle|high)"
    r"|throttle_direct_reclaim|shrink_(node|lruvec|folio_list|inactive_list)\w*|__alloc_pages_(slowpath|direct_\w+)\w*",
    re.ASCII,
)
"""Whoever is in one of these waits for what was swapped out, or for memory that is being freed.

The kernel's pressure counts waits for swap only where a page comes back soon after it went: in guests of 6.1 and 6.12 a
program that waited all the time had 14 to 26 %, and one that read files past its limit and never waited 6 to 18 %.
"""

_DIRECTORY: Final = re.compile(
    r"open_last_lookups|path_openat|filename_create|__?lookup_slow|lookup_slow|do_(unlink|rename|rmdir)\w*|lock_rename"
    r"|vfs_(unlink|rmdir|rename)|iterate_dir|start_(dirop|creating|removing)\w*|end_dirop|lock_two_directories",
    re.ASCII,
)
"""Where one of these is innermost, but for the lock's own functions, a directory's lock is waited for."""

_INODE_LOCK: Final = re.compile(r"rwsem_down_\w+|down_(read|write)\w*|__mutex_lock\w*", re.ASCII)
_WOKEN: Final = 2
"""Times that a thread may be woken and yet be stuck: some waits in the kernel look again every few seconds. One that
goes from request to request is seen at one place in all looks, too, but has run between them."""


class Waited(Struct, kw_only=True):
    """A process, over all looks."""

    name: str = ""
    looks: int = 0
    syncing: int = 0
    running: int = 0
    stuck: int = 0
    frozen: int = 0
    held_back: int = 0
    """Looks in which the kernel held it back because too much is dirty."""

    journal_full: int = 0
    for_memory: int = 0
    directory: int = 0
    """Waits of its threads for a directory's lock, over all looks."""

    stuck_threads: list[int] = field(default_factory=list)
    places: Counter[tuple[str, str]] = field(default_factory=Counter)
    """What is waited for, and the function that tells."""

    threads: Counter[tuple[int, str]] = field(default_factory=Counter)
    """Thread and where it was."""

    ran: dict[int, list[int]] = field(default_factory=dict)
    """Of each thread, how often it had been put on a processor by each look."""

    names: Counter[str] = field(default_factory=Counter)


def by_process(samples: Sequence[ThreadSample]) -> dict[int, Waited]:
    """Of each process that was seen to wait or run."""
    found: defaultdict[int, Waited] = defaultdict(Waited)
    for one in samples:
        for pid in {thread.pid for thread in one.waiting}:
            _add(found[pid], [thread for thread in one.waiting if thread.pid == pid])
        for pid in {pid for pid, *_ in one.running}:
            found[pid].running += 1
        for pid, _, name in one.running:
            found[pid].names[name] += 1
    for process in found.values():
        process.name = process.names.most_common(1)[0][0]
        if len(samples) >= LEAST_SAMPLES:
            _stuck(process, len(samples))
    return dict(found)


def _add(process: Waited, threads: list[WaitingThread]) -> None:
    """One look at the threads of it that wait."""
    syncing = held_back = full = for_memory = False
    for thread in threads:
        where = thread.where or ""
        functions = functions_of(where)
        kind = kind_of(functions)
        telling = next((name for name in functions if kind_of((name,)) == kind), "")
        process.names[thread.name] += 1
        process.places[kind, telling] += 1
        process.threads[thread.thread, where] += 1
        if thread.ran is not None:
            process.ran.setdefault(thread.thread, []).append(thread.ran)
        stack = process_files.parse_process_stack(where)
        syncing |= not isinstance(stack, Unknown) and stack.syncing
        held_back |= any(name.startswith("balance_dirty_pages") for name in functions)
        full |= any(map(_JOURNAL_FULL.fullmatch, functions))
        for_memory |= any(map(_FOR_MEMORY.fullmatch, functions))
        process.directory += _for_directory(functions)
    process.looks += 1
    process.journal_full += full
    process.for_memory += for_memory
    process.syncing += syncing
    process.held_back += held_back


def _for_directory(functions: Sequence[str]) -> bool:
    """Whether the lock that is waited for is a directory's, by who calls the functions that wait."""
    while functions and _INODE_LOCK.fullmatch(functions[0]):
        functions = functions[1:]
    return bool(functions) and _DIRECTORY.fullmatch(functions[0]) is not None


def _stuck(process: Waited, looks: int) -> None:
    for (thread, where), count in process.threads.items():
        ran = process.ran.get(thread, [])
        if count == looks and where and not (ran and max(ran) - min(ran) > _WOKEN):
            process.stuck += 1
            process.stuck_threads.append(thread)
            functions = functions_of(where)
            freezing = "percpu_rwsem_wait" in functions and any(map(_FREEZE.fullmatch, functions))
            process.frozen += freezing
