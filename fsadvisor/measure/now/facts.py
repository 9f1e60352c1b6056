"""The window as subjects that rules of causes judge, `rules/now/`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.measure.now.mounts import devices_of, flushed_by, pool_of, uppermost, with_below, works_on
from fsadvisor.measure.now.programs import inside, memory_lacking, moved_by, movers_of
from fsadvisor.readers import kernel_log
from fsadvisor.storage import Now, Subject
from fsadvisor.survey.filesystem_types.registry import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.measure.now import Device, Filesystem, Group, Logged, Program, Window

THE_LOOK: Final = "the look"
_BY_THREADS: Final = "by threads that wait for one flush all the time; the kernel counts it when it has ended"
_HALF: Final = 0.5
_ALL_THE_TIME: Final = 0.95
_NOT_SEEN: Final = Unknown(Cause.NOT_MEASURED, "run `fsadvisor doctor` as root, for 5 s or longer", THE_LOOK)
_NOT_HERE: Final = Unknown(
    Cause.NOT_MEASURED, "not told here; look for 5 s or longer, and not in a container", THE_LOOK
)
"""The same of root's looks."""


def subjects(window: Window) -> tuple[Subject, ...]:
    """The machine, then devices, filesystems, programs and control groups."""
    found = (
        _machine(window),
        *(_device(one, window) for one in window.devices if not _is_empty_drive(one, window)),
        *_filesystems(window),
        *(_program(one, window) for one in window.programs),
        *(_group(one, window) for one in window.groups),
    )
    return tuple(_subject(_as_root(one) if window.root else one) for one in found)


_DRIVE_OF_MEDIA: Final = re.compile(r"(fd|sr)\d+", re.ASCII)


def _is_empty_drive(dev: Device, window: Window) -> bool:
    """A drive of floppies or discs of which nothing is mounted: whoever looks for a medium in it gets I/O errors."""
    mounted = {place.device for place in window.filesystems}
    return _DRIVE_OF_MEDIA.fullmatch(dev.name) is not None and dev.name not in mounted


def _as_root(now: Now) -> Now:
    return replace(now, **{name: _NOT_HERE for name in now.__struct_fields__ if getattr(now, name) is _NOT_SEEN})


def _subject(now: Now) -> Subject:
    what = now.what.value if isinstance(now.what, Known) else ""
    name = now.name.value if isinstance(now.name, Known) else ""
    return Subject(id=f"now:{what}:{name}", kind="now", name=name, below=(), scope={"now": now})


def _fact(value: Any) -> Fact[Any]:  # noqa: ANN401 - whatever the window holds
    return _NOT_SEEN if value is None else Known(value, THE_LOOK)


def _percent(share: float | None) -> Fact[Any]:
    return _fact(None if share is None else round(100 * share, 1))


def _base(window: Window, what: str, name: str) -> dict[str, Fact[Any]]:
    return {
        "what": _fact(what),
        "name": _fact(name),
        "seconds": _fact(window.seconds),
        "io_some_percent": _percent(window.io_some),
    }


def _lines(window: Window, logged: Iterable[Logged], left_out: int = 0) -> Fact[Any]:
    lines = list(logged)
    sure = sum(one.count for one in lines if not one.doubtful)
    if sure and left_out:
        return Known(sure, kernel_log.least(left_out))
    return _fact(None if window.log is None or (lines and not sure) else sure)


def _stacks_seen(window: Window) -> bool:
    """Whether it was told where threads waited: root alone may read that of others."""
    return window.root and window.waiting is not None


def _machine(window: Window) -> Now:
    dirty = None if window.dirty is None or not window.dirty_limit else window.dirty / window.dirty_limit
    held_back = max((one.held_back for one in window.programs), default=0.0)
    return Now(
        **_base(window, "machine", "this machine"),
        processor_percent=_percent(window.processor),
        steal_percent=_percent(window.steal),
        processor_some_percent=_percent(window.cpu_some),
        memory_some_percent=_percent(window.memory_some),
        memory_full_percent=_percent(window.memory_full),
        memory_lacking_percent=_percent(memory_lacking(window)),
        swapped_bytes=_fact(window.swap_bytes),
        dirty_percent=_percent(dirty),
        held_back_percent=_percent(held_back if _stacks_seen(window) else None),
        directory_waiting=_fact(window.directory_waiting if _stacks_seen(window) else None),
        lock_waiting=_fact(window.kinds.get("lock") if _stacks_seen(window) else None),
        memory_waiting_percent=_for_memory(window.programs, window),
        memory_available_percent=_percent(window.memory_available),
        log_hung_tasks=_lines(window, [one for one in window.log or () if one.kind == "hung"]),
    )


def _for_memory(programs: Iterable[Program], window: Window) -> Fact[Any]:
    waits = (one.for_memory for one in programs if not one.kernel)
    return _percent(max(waits, default=0.0) if _stacks_seen(window) else None)


def _device(dev: Device, window: Window) -> Now:
    requests = dev.reads + dev.writes if dev.requests is None else dev.requests
    spent = dev.reads * (dev.read_ms or 0) + dev.writes * (dev.write_ms or 0) + requests * (dev.request_ms or 0)
    programs = (program for program in window.programs if not program.kernel and not program.job)
    here = [program for program in programs if works_on(program, dev.name, window)]
    moved = sum(map(moved_by, here)) if window.root else 0.0
    of_all = max(moved, (dev.read_bytes + dev.write_bytes) / _TIMES)
    movers = movers_of(here)
    others = (program.waiting for program in here if program not in movers)
    facts = {} if dev.suspended is None else {"suspended": _fact(dev.suspended)}
    if dev.pool_mode is not None:
        facts["pool_mode"] = _fact(dev.pool_mode)
    if dev.paths is not None:
        facts["paths"] = _fact(dev.paths)
    if dev.state and not _may_be_spared(dev, window):
        facts["device_state"] = _fact(dev.state)
    if dev.flushes is not None:
        facts["flush_ms"] = _fact(round(dev.flush_ms, 2) if dev.flushes and dev.flush_ms is not None else None)
    below = with_below({dev.name}, window)
    facts["below_idle"] = _fact(_below_idle(below - {dev.name} if dev.below else below, window))
    silent = [place.mount_point for place in window.filesystems if place.answers is False]
    reached = (each.reached_by for each in window.devices if each.name in below and each.reached_by)
    facts["reached_by"] = _fact(next(reached, "none of these"))
    if dev.md_action is not None:
        facts["md_action"] = _fact("delayed" if dev.md_done == "delayed" else dev.md_action)
    hung = _hung_flushes(dev, below, window)
    return Now(
        **_base(window, "device", dev.name),
        busy_percent=Known(100.0, _BY_THREADS) if hung else _percent(dev.busy),
        queue=_fact(round(dev.queue, 2)),
        in_flight=Known(hung, _BY_THREADS) if hung and not dev.in_flight else _fact(dev.in_flight),
        below_answers=_fact(not below.intersection(silent)),
        completed=_fact(round(_ended(dev) * window.seconds)),
        requests=_fact(round(requests, 1)),
        moved_bytes=_fact(round(dev.read_bytes + dev.write_bytes)),
        latency_ms=_fact(round(spent / requests, 2) if requests else None),
        flush_percent=_percent(dev.flush),
        mover_percent=_percent(sum(map(moved_by, movers)) / of_all if moved else None),
        movers=_fact(len(movers) if moved else None),
        discard_percent=_percent(dev.discard),
        discards=_fact(None if dev.discards is None else round(dev.discards, 1)),
        in_a_discard=_fact(_in_a_discard(dev, window)),
        log_errors=_lines(window, window.log_of_device(dev, "io"), window.log_left_out()),
        log_resets=_lines(window, window.log_of_device(dev, "link")),
        others_waiting_percent=_percent(max(others, default=0.0) if window.waiting is not None else None),
        waits_elsewhere=_fact(_waits_elsewhere(below, window)),
        **facts,
    )


def _may_be_spared(dev: Device, window: Window) -> bool:
    """Whether a multipath device above has, or may have, a path that works: then it goes on without this one."""
    return any(one.is_multipath and one.paths != 0 and dev.name in one.below for one in window.devices)


def _hung_flushes(dev: Device, below: frozenset[str], window: Window) -> int:
    """Threads that waited for one flush here all the time, while nothing ended here or in what this is made of.

    Linux 6.1 counts a flush, or a write that begins with one, when it has ended: a device that hangs in it looks idle.
    (blk_mq_check_inflight counts what was handed to the driver, and that is the flush of all of them together.)
    """
    if not below.isdisjoint(window.uncounted) or any(_ended(one) for one in window.devices if one.name in below):
        return 0
    waits = (one for one in window.programs if one.flushing and flushed_by(one.flushing_at, window) == {dev.name})
    return sum(one.flushing for one in waits if not (one.kernel and _may_hold_up(one, window)))


def _may_hold_up(journal: Program, window: Window) -> bool:
    """Whether a program waits there for another thing than the journal: jbd2 may wait until its operation has ended."""
    here = (one for one in window.programs if not one.kernel and not {*one.places}.isdisjoint(journal.flushing_at))
    return any(one.waiting and one.kind != "journal" and not one.flushing for one in here)


_TRIMS: Final = frozenset({"fstrim", "blkdiscard"})


def sends_discards(program: Program) -> bool:
    """Whether it is a tool that does nothing else, or was seen to wait in a discard (mkfs sends one, too)."""
    return program.name in _TRIMS or program.function == "blkdev_issue_discard"


def _in_a_discard(dev: Device, window: Window) -> bool:
    """Whether nothing ends here, and all who wait here are known to send discards: one of those may take minutes.

    Who works at places that are not told may wait here, too. Targets of the device mapper count what they hold back
    when they hand it on: there the uppermost device has it.
    """
    may_be_here = (one for one in window.programs if not one.places or works_on(one, dev.name, window))
    waiting = [one for one in may_be_here if one.waiting]
    if not waiting or _ended(dev) or not all(map(sends_discards, waiting)):
        return False
    stack = with_below({dev.name}, window)
    counted = any(one.in_flight for one in window.devices if one.name in stack)
    own = any(dev.name in uppermost(place, window) for one in waiting for place in one.places)
    return bool(dev.in_flight) or (own and not counted and min(one.waiting for one in waiting) >= _ALL_THE_TIME)


def _ended(dev: Device) -> float:
    """Requests per second, flushes and discards among them."""
    requests = dev.reads + dev.writes if dev.requests is None else dev.requests
    return requests + (dev.flushes or 0) + (dev.discards or 0)


def _below_idle(names: frozenset[str], window: Window) -> bool:
    """Whether these devices are known to be mostly idle: one that came or went meanwhile may have been busy."""
    busy = (one.busy + (one.flush or 0) for one in window.devices if one.name in names)
    return names.isdisjoint(window.uncounted) and max(busy, default=0.0) < _HALF


_TIMES: Final = 10
"""So many times what its programs move a device moves at most; more is the kernel's own (pvmove, a snapshot, swap)."""


def _filesystems(window: Window) -> Iterator[Now]:
    frozen = _frozen(window)
    for one in window.filesystems:
        yield _filesystem(one, window, frozen)


def _frozen(window: Window) -> dict[str, int]:
    """How many threads wait to begin a write on each filesystem: told where there is one that it can be.

    A frozen filesystem writes nothing, so one whose device wrote is none.
    """
    wrote = {one.name for one in window.devices if one.writes}
    device = {one.mount_point: one.device for one in window.filesystems}
    found: dict[str, int] = {}
    for program in window.programs:
        calm = [place for place in program.frozen_at if device.get(place) not in wrote]
        if program.frozen and len(calm) == 1:
            found[calm[0]] = found.get(calm[0], 0) + program.frozen
    return found


def _waits_elsewhere(devices: frozenset[str], window: Window) -> bool:
    """Whether all programs that wait are known to work on other storage than these devices.

    What is on several devices, or on what is not told, may be here; so may those that were not seen.
    """
    if window.waiting is None:
        return False
    waiting = [one for one in window.programs if one.waiting >= _WAITS and not (one.kernel or one.job)]
    return bool(waiting) and all(
        one.places and not any(_may_be_on(place, devices, window) for place in one.places) for one in waiting
    )


def _may_be_on(place: str, devices: frozenset[str], window: Window) -> bool:
    below = devices_of(place, window)
    fs_type = next((one.type for one in window.filesystems if one.mount_point == place), "")
    if fs_type in _OF_SERVERS:
        return False
    own = TYPES.get(fs_type)
    return not below or (own is not None and own.uuid_in_common) or bool(below & devices)


_OF_SERVERS: Final = frozenset({"nfs", "nfs4", "cifs", "smb3", "ceph"})
_WAITS: Final = 0.1
"""Share of the looks from which on a program waits."""


def _filesystem(fs: Filesystem, window: Window, frozen: dict[str, int]) -> Now:
    facts: dict[str, Fact[Any]] = {}
    here = [each for each in window.programs if fs.mount_point in each.places]
    room = _takes_writes(fs) and not _room_is_anothers(fs, window)
    if fs.inodes and room:
        facts["inodes_free"] = _fact(fs.inodes_free)
    if fs.pool_state is not None and _first_of_pool(fs, window.filesystems) is fs:
        facts["pool_state"] = _fact(fs.pool_state)
    if fs.job is not None:
        facts["job"] = _fact(fs.job)
    if fs.operations is not None:
        facts["network_ms"] = _fact(fs.operation_ms)
    if fs.size != 0 and room:
        facts["available_percent"] = _fact(round(100 * (fs.available or 0) / fs.size, 2) if fs.size else None)
        facts["available_bytes"] = _fact(fs.available)
    return Now(
        **_base(window, "filesystem", fs.mount_point),
        type=_fact(fs.type),
        answers=_fact(fs.answers),
        statfs=_fact(None if fs.answers is None else fs.refuses or ("answered" if fs.answers else "no answer")),
        frozen_waiters=_fact(frozen.get(fs.mount_point, 0) if _stacks_seen(window) else None),
        turned_read_only=_fact(_turned(fs)),
        log_damage=_lines(window, window.log_of_filesystem(fs.names, "filesystem")),
        journal_full_percent=_percent(_journal_full(fs, here, window) if _stacks_seen(window) else None),
        **facts,
    )


def _first_of_pool(fs: Filesystem, among: Iterable[Filesystem]) -> Filesystem:
    return next(one for one in among if pool_of(one) == pool_of(fs))


def _takes_writes(fs: Filesystem) -> bool:
    """A squashfs, a disc or what is mounted read-only has no room by its nature."""
    return "ro" not in fs.super_options and not (fs.mounts == 1 and "ro" in fs.options)


def _room_is_anothers(fs: Filesystem, window: Window) -> bool:
    """Whether another filesystem tells the same room: the one below an overlay, or a ZFS pool's first that is told."""
    alike = [one for one in window.filesystems if one.available == fs.available]
    if pool_of(fs):
        return _first_of_pool(fs, alike) is not fs
    if fs.type != "overlay":
        return False
    upper = next((one.partition("=")[2] for one in fs.super_options if one.startswith("upperdir=")), "")
    below = (one.mount_point.rstrip("/") for one in alike if one.type != "overlay" and one.size == fs.size)
    return any(upper.startswith(f"{point}/") for point in below)


_WRITES: Final = 0.5
"""Of the time, that a device is busy at least whose journal is full: old transactions are written in place."""


def _journal_full(filesystem: Filesystem, here: list[Program], window: Window) -> float | None:
    """The largest share of a program's that waited here; None where it can have been elsewhere, too."""
    found: list[float | None] = [0.0]
    for program in (each for each in here if each.journal_full):
        busy = {point for point in program.places if _busy(devices_of(point, window), window) >= _WRITES}
        where = busy if len(busy) == 1 else busy.intersection(program.journal_at)
        if filesystem.mount_point in where:
            found.append(program.journal_full if len(where) == 1 else None)
    told = [share for share in found if share is not None]
    return None if len(told) < len(found) else max(told)


def _busy(devices: frozenset[str], window: Window) -> float:
    return max((one.busy for one in window.devices if one.name in devices), default=0.0)


def _turned(fs: Filesystem) -> bool | None:
    """The kernel leaves the mount writable when it makes the filesystem read-only because of an error.

    Since 6.12 (commit d3476f3dad4a, in stable series too) an ext4's own options say rw, and emergency_ro since 6.15.

    A remount of another mount of the same filesystem looks alike, so then it takes an error that was counted.
    """
    if "emergency_ro" in fs.super_options or "shutdown" in fs.super_options or (fs.turned and fs.errors is None):
        return True
    if fs.errors and "ro" not in fs.super_options:
        return fs.turned
    if "ro" not in fs.super_options or "rw" not in fs.options:
        return False
    return True if fs.mounts == 1 or fs.errors else None


def named(program: Program) -> str:
    """'fio (pid 12, fio.service)'."""
    return f"{program.name} (pid {program.pid}{', ' + program.unit if program.unit else ''})"


def _program(program: Program, window: Window) -> Now:
    seen = window.waiting is not None
    facts = {"waits_in": _fact(program.function)} if program.function else {}
    return Now(
        **_base(window, "program", named(program)),
        **facts,
        waits_for=_fact(program.kind or "not told"),
        waiting_percent=_percent(program.waiting if seen else None),
        sync_percent=_percent(program.syncing if _stacks_seen(window) else None),
        stuck_threads=_fact(program.stuck if _stacks_seen(window) else None),
        kernel_thread=_fact(program.kernel),
    )


def _group(group: Group, window: Window) -> Now:
    facts = {"limit_percent": _percent(group.of_limit)} if group.limit else {}
    if group.memory_limit:
        facts["memory_limit_percent"] = _percent((group.memory_used or 0) / group.memory_limit)
    if group.memory_hits is not None:
        facts["memory_limit_hits"] = _fact(group.memory_hits)
    return Now(
        **_base(window, "group", group.path),
        group_memory_percent=_percent(group.memory_some),
        memory_waiting_percent=_for_memory(inside(group.path, window), window),
        swapped_bytes=_fact(window.swap_bytes),
        memory_available_percent=_percent(window.memory_available),
        **facts,
    )
