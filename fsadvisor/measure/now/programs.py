"""The programs of the window: who waited, ran, read and wrote, by name, unit and control group."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from fsadvisor.facts import Unknown
from fsadvisor.machine import symptoms
from fsadvisor.measure.now import Group, Program
from fsadvisor.measure.waits.rates import MemoryLeft
from fsadvisor.measure.waits.threads import LEAST_SAMPLES, functions_of, kind_of
from fsadvisor.measure.waits.window import lacking
from fsadvisor.readers import process_files, system_counters

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fsadvisor.machine.pulse import ThreadSample, WaitingThread
    from fsadvisor.machine.symptoms import Holds, Limited
    from fsadvisor.measure.now import Window
    from fsadvisor.measure.now.mounts import Places

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

_ALL: Final = frozenset({"iterate_supers", "ksys_sync"})
"""Whoever is in one of these writes out all filesystems, and waits for the slowest."""

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
    flushing: int = 0
    held_back: int = 0
    """Looks in which the kernel held it back because too much is dirty."""
    journal_full: int = 0
    for_memory: int = 0
    of_all: int = 0
    """Looks in sync(2), which is of all filesystems."""
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
    for sample in samples:
        for pid in {thread.pid for thread in sample.waiting}:
            _add(found[pid], [thread for thread in sample.waiting if thread.pid == pid])
        for pid in {pid for pid, *_ in sample.running}:
            found[pid].running += 1
        for pid, _, name in sample.running:
            found[pid].names[name] += 1
    for process in found.values():
        process.name = process.names.most_common(1)[0][0]
        if len(samples) >= LEAST_SAMPLES:
            _stuck(process, len(samples))
    return dict(found)


def _add(process: Waited, threads: list[WaitingThread]) -> None:
    """Count one sample of the process's waiting threads."""
    syncing = held_back = full = for_memory = of_all = False
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
        of_all |= not _ALL.isdisjoint(functions)
        process.directory += _for_directory(functions)
    process.looks += 1
    process.journal_full += full
    process.for_memory += for_memory
    process.syncing += syncing
    process.of_all += of_all
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
            process.flushing += _for_flush(functions)


_FLUSHES: Final = frozenset({"blkdev_issue_flush", "f2fs_issue_flush", "xlog_wait_on_iclog"})


def _for_flush(functions: Sequence[str]) -> bool:
    """Whether it waits for a flush to end, or for a write that begins with one: of jbd2's commit, or of XFS's log."""
    commit = functions[1:] if functions[:1] == ("__wait_on_buffer",) else functions
    return commit[:1] == ("jbd2_journal_commit_transaction",) or not _FLUSHES.isdisjoint(functions)


_MOST: Final = 12
_SEEN: Final = 0.1
"""Share of the looks from which on a process is told."""

_LEAST_BYTES: Final = 64 << 10
_UNIT: Final = re.compile(r"([\w@:.\\-]+\.(?:service|scope))(?:/|$)", re.ASCII)
_CONTAINER: Final = re.compile(r"(?:docker|crio|libpod|containerd)?[-/]?([0-9a-f]{64})", re.ASCII)

_LIMITING: Final = frozenset({"blkio", "memory"})
"""Controllers of the older hierarchy."""

Io = tuple[float, float]


def io_between(before: Mapping[int, str], after: Mapping[int, str], seconds: float) -> dict[int, Io]:
    """Bytes read and written per second of each process that was there all the time."""
    found: dict[int, Io] = {}
    for pid, text in after.items():
        if pid not in before or before[pid] == text or seconds <= 0:
            continue
        then, now = process_files.parse_process_io(before[pid]), process_files.parse_process_io(text)
        if isinstance(then, Unknown) or isinstance(now, Unknown):
            continue
        read, written = now.read_bytes - then.read_bytes, now.write_bytes - then.write_bytes
        if read >= 0 and written >= 0 and read + written:
            found[pid] = (read / seconds, written / seconds)
    return found


def worth(waited: Mapping[int, Waited], io: Mapping[int, Io], looks: int) -> tuple[int, ...]:
    """The processes that are told: those that waited, ran, or moved most."""
    least = max(_SEEN * looks, 1)
    waiting = sorted((pid for pid, one in waited.items() if one.looks >= least), key=lambda pid: -waited[pid].looks)
    running = sorted((pid for pid, one in waited.items() if one.running >= least), key=lambda pid: -waited[pid].running)
    moving = sorted((pid for pid, one in io.items() if sum(one) >= _LEAST_BYTES), key=lambda pid: -sum(io[pid]))
    return tuple(dict.fromkeys((*waiting[:_MOST], *moving[:_MOST], *running[:_MOST])))


def programs(
    waited: Mapping[int, Waited], io: Mapping[int, Io], looks: int, held: Mapping[int, Holds], places: Places
) -> tuple[Program, ...]:
    """A Program for each process in `held`."""
    return tuple(_program(pid, waited.get(pid), io.get(pid), looks, holds, places) for pid, holds in held.items())


def _program(pid: int, waited: Waited | None, io: Io | None, looks: int, held: Holds, places: Places) -> Program:
    name = waited.name if waited else symptoms.name_of(pid)
    made = Program(
        pid=pid,
        name=name,
        unit=unit_of(held.group),
        groups=groups_of(held.group),
        places=places.of_thread(name) if held.kernel else places.of(held),
        kernel=held.kernel,
    )
    if io is not None:
        made.read_bytes, made.write_bytes = io
    if waited is None or not looks:
        return made
    made.waiting, made.syncing, made.running = waited.looks / looks, waited.syncing / looks, waited.running / looks
    made.places = places.all if waited.of_all else made.places
    made.held_back, made.journal_full = waited.held_back / looks, waited.journal_full / looks
    made.for_memory = waited.for_memory / looks
    made.journal_at = places.of_waiting(held) if waited.journal_full else ()
    made.directory = waited.directory / looks
    made.works_in = held.directory if waited.directory else ""
    made.stuck_s = held.not_run_s if waited.stuck else None
    made.frozen_at = places.of_waiting(held) if waited.frozen else ()
    made.stuck, made.frozen, made.flushing = waited.stuck, waited.frozen, waited.flushing
    if waited.flushing:
        made.flushing_at = made.places if held.kernel else places.of_waiting(held)
    if waited.places:
        (made.kind, made.function), _ = waited.places.most_common(1)[0]
    return made


def groups_of(groups: str) -> tuple[str, ...]:
    """The paths that limit I/O or memory in the text of /proc/PID/cgroup; the root, which has no limit, is left out."""
    lines = (line.split(":", 2) for line in groups.split("\n"))
    found = (words[2] for words in lines if len(words) == 3 and (not words[1] or _LIMITING & set(words[1].split(","))))
    return tuple(dict.fromkeys(path for path in found if path != "/"))


def unit_of(groups: str) -> str:
    """The systemd unit, or the container, of the text of /proc/PID/cgroup."""
    container = _CONTAINER.search(groups)
    if container:
        return f"container {container[1][:12]}"
    units = _UNIT.findall(groups)
    return units[-1] if units else ""


_V2: Final = {"rbps": "rbytes", "wbps": "wbytes", "riops": "rios", "wiops": "wios"}
_WORDS: Final = {"rbps": "bytes read", "wbps": "bytes written", "riops": "reads", "wiops": "writes"}
_V1: Final = {
    "blkio.throttle.read_bps_device": ("rbps", "blkio.throttle.io_service_bytes", "Read"),
    "blkio.throttle.write_bps_device": ("wbps", "blkio.throttle.io_service_bytes", "Write"),
    "blkio.throttle.read_iops_device": ("riops", "blkio.throttle.io_serviced", "Read"),
    "blkio.throttle.write_iops_device": ("wiops", "blkio.throttle.io_serviced", "Write"),
}
_Key = tuple[str, str]
"""Device number and kind of limit."""


_WAITED: Final = 0.05
"""Of the time, from which on a group without a limit of I/O is told."""


def groups_between(before: Sequence[Limited], after: Sequence[Limited], seconds: float) -> tuple[Group, ...]:
    """Each group with limits of I/O, by the one that it was nearest to; and those that waited."""
    then = {group.path: group.files for group in before}
    found = [_group(group.path, then[group.path], group.files, seconds) for group in after if group.path in then]
    groups = [group for group in found if group.limit or max(group.io_some or 0, group.memory_some or 0) >= _WAITED]
    for group in groups:
        memory = symptoms.memory_of(group.path)
        if memory is not None:
            group.memory_limit, group.memory_used = memory.limit, memory.used
    return tuple(groups)


def inside(path: str, window: Window) -> list[Program]:
    """The programs of a control group, and of those below it."""
    return [program for program in window.programs if any(_within(own, path) for own in program.groups)]


def _within(group: str, path: str) -> bool:
    return group == path or group.startswith(path.rstrip("/") + "/")


_AT_LIMIT: Final = 0.9
_HITS: Final = 10
"""From either on a group is at its memory limit: Linux frees many pages at once."""


def memory_lacking(window: Window) -> float | None:
    """Share of the time that a thread waited for memory that the machine lacks. None where the pressure is not told."""
    if window.memory_some is None:
        return None
    full = [one for one in window.groups if _at_limit(one)]
    outer = [one for one in full if not any(one is not other and _within(one.path, other.path) for other in full)]
    left = MemoryLeft(available=window.memory_available, free=window.memory_free)
    return lacking(window.memory_some, left, sum(one.memory_some or 0 for one in outer))


def _at_limit(group: Group) -> bool:
    used = (group.memory_used or 0) / group.memory_limit if group.memory_limit else 0.0
    return used >= _AT_LIMIT or (used > 0 and (group.memory_hits or 0) >= _HITS)


def _group(path: str, before: dict[str, str], after: dict[str, str], seconds: float) -> Group:
    limits, a, b = dict(_limits(after)), _done(before), _done(after)
    made = Group(path=path)
    for key, limit in limits.items():
        # what has done nothing so far has no line
        share = max(b.get(key, 0) - a.get(key, 0), 0) / seconds / limit
        if made.of_limit is None or share > made.of_limit:
            made.of_limit = share
            made.device = symptoms.device_name(key[0])
            made.limit = f"{limit:,} {_WORDS[key[1]]} per second"
    made.memory_hits = _hits(before, after)
    made.io_some = _pressure(before, after, "io.pressure", seconds)
    made.memory_some = _pressure(before, after, "memory.pressure", seconds)
    return made


def _limits(files: dict[str, str]) -> Iterator[tuple[_Key, int]]:
    for line in files.get("io.max", "").split("\n"):
        device, *pairs = line.split() or [""]
        for name, equals, value in (pair.partition("=") for pair in pairs):
            if equals and value.isdecimal() and name in _V2 and int(value):
                yield (device, name), int(value)
    for file, (name, _, _) in _V1.items():
        for line in files.get(file, "").split("\n"):
            words = line.split()
            if len(words) == 2 and words[1].isdecimal() and int(words[1]):
                yield (words[0], name), int(words[1])


def _done(files: dict[str, str]) -> dict[_Key, int]:
    found: dict[_Key, int] = {}
    for line in files.get("io.stat", "").split("\n"):
        device, *pairs = line.split() or [""]
        told = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
        found |= {(device, name): int(told[key]) for name, key in _V2.items() if told.get(key, "").isdecimal()}
    for name, file, word in _V1.values():
        for line in files.get(file, "").split("\n"):
            words = line.split()
            if len(words) == 3 and words[1] == word and words[2].isdecimal():
                found[words[0], name] = int(words[2])
    return found


_LIMITS: Final = re.compile(r"^(?:high|max) (\d+)$", re.ASCII | re.MULTILINE)


def _hits(before: dict[str, str], after: dict[str, str]) -> int | None:
    """How often the cgroup's memory reached its limit."""
    a, b = (_LIMITS.findall(texts.get("memory.events", "")) for texts in (before, after))
    return max(sum(map(int, b)) - sum(map(int, a)), 0) if a and b else None


def _pressure(before: dict[str, str], after: dict[str, str], file: str, seconds: float) -> float | None:
    a, b = (system_counters.parse_pressure(texts.get(file, "")) for texts in (before, after))
    if isinstance(a, Unknown) or isinstance(b, Unknown) or a.some is None or b.some is None:
        return None
    if a.some.total_us is None or b.some.total_us is None:
        return None
    return min(max(b.some.total_us - a.some.total_us, 0) / seconds / 1e6, 1.0)


def moved_by(program: Program) -> float:
    """Bytes a second that it read and wrote."""
    return (program.read_bytes or 0) + (program.write_bytes or 0)


_ALONE, _MUCH, _FEW = 0.6, 0.2, 3
"""Of the bytes: with so much one program is the one; else those of so much each."""


def movers_of(here: list[Program]) -> list[Program]:
    """The program that moved most of the bytes, the few that each moved much, or all those of the unit that did."""
    moved = sum(map(moved_by, here))
    ordered = sorted(here, key=moved_by, reverse=True)
    if not moved or moved_by(ordered[0]) >= _ALONE * moved:
        return ordered[:1]
    few = [one for one in ordered[:_FEW] if moved_by(one) >= _MUCH * moved]
    units = dict.fromkeys(one.unit for one in ordered if one.unit)
    together = ([one for one in ordered if one.unit == unit and moved_by(one)] for unit in units)
    by_share = [few, *together]
    return next((found for found in by_share if sum(map(moved_by, found)) >= _ALONE * moved), few or ordered[:1])
