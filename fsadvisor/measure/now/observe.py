"""One look: the counters of two moments, the threads between them, and what else hurts, as a window to keep.

Windows of an incident: looks kept from a minute before a pressure passes its threshold to a minute after.

Cheap while nothing happens: one small file is read every ten seconds, and a short look is taken every half minute.
"""

from __future__ import annotations

import os
import re
import time
from collections import deque
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct

from fsadvisor.facts import Known, Unknown
from fsadvisor.machine import symptoms
from fsadvisor.machine.time_limits import each_within, within
from fsadvisor.measure.now import Device, Journal, Logged, Window, mounts, programs
from fsadvisor.measure.now.programs import by_process
from fsadvisor.measure.waits.journals import Jbd2Work
from fsadvisor.measure.waits.rates import least_left, memory_left
from fsadvisor.measure.waits.threads import EVERY_S, Watch, watch
from fsadvisor.measure.waits.window import window as counted
from fsadvisor.readers import dmsetup, kernel_log, system_counters
from fsadvisor.survey.faults import names_of
from fsadvisor.survey.hosting import INITIAL
from fsadvisor.survey.read_fact import value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fsadvisor.machine.pulse import KernelCounters
    from fsadvisor.machine.symptoms import Limited
    from fsadvisor.measure.now.programs import Waited
    from fsadvisor.measure.waits.window import Disk, WaitsWindow

T = TypeVar("T")

_NAMED: Final = 3

_LOGGED_S: Final = 3600
_LASTING: Final = ("began", "read-only", "mounted")
"""Classes of the kernel's log that tell since when something is so: they are kept however old they are."""

_PATIENCE_S: Final = 3.0
"""After the look, for each question that may hang."""


def observe(seconds: float, say: Callable[[str], None] = lambda _: None, every_s: float = EVERY_S) -> Window:
    """Look for so many seconds, at the threads every so often. Nothing is waited for beyond its time limit."""
    outside = "programs, mounts and control groups outside of this container can't be seen"
    untold: list[str] = [outside] if symptoms.namespace("pid") != INITIAL["pid"] else []

    def asked(what: str, question: Callable[[], T | None], fallback: T) -> T:
        answer = within(_PATIENCE_S, question)
        if answer is None:
            untold.append(f"{what}: no answer in {_PATIENCE_S:g} s")
            return fallback
        return answer

    silent: set[int] = set()

    def counters() -> tuple[dict[int, str], tuple[Limited, ...]]:
        none: tuple[Limited, ...] = ()
        io, hung = symptoms.io_of_processes()
        silent.update(hung)
        return io, asked("limits of control groups", symptoms.limited_groups, none)

    io_before, limits_before = counters()
    nfs_before = symptoms.mount_statistics()
    seen = Watch(every_s=every_s)
    began_s = time.monotonic()
    say(f"looking for {seconds:g} s")

    def watched() -> bool:
        watch(seen, seconds, time.sleep)
        return True

    if not within(seconds + _PATIENCE_S, watched):
        untold.append("threads: asking some of them hangs; they were seen in part")
    before, after = seen.both()
    took_s = time.monotonic() - began_s
    io_after, limits_after = counters()
    totals = counted(before, after, seen.inside())
    left = least_left(memory_left(before.pulse), memory_left(after.pulse))
    mountinfo = symptoms.mount_table()
    table = mounts.table(mountinfo)
    waited = by_process(seen.inside())
    looks = len(seen.inside())
    io = programs.io_between(io_before, io_after, took_s)
    worth = programs.worth(waited, io, looks)
    told_of = each_within(_PATIENCE_S, {pid: partial(symptoms.holds, pid, _stuck(waited.get(pid))) for pid in worth})
    now, uptime_s = datetime.now(tz=UTC), time.monotonic()
    untold += [f"process {pid}: no answer in {_PATIENCE_S:g} s" for pid in worth if pid not in told_of]
    untold += [f"process {pid}: what it reads and writes can't be asked" for pid in sorted(silent)[:_NAMED]]
    untold += [f"and of {len(silent) - _NAMED} more processes"] if len(silent) > _NAMED else []
    held = {pid: told_of.get(pid, symptoms.Holds()) for pid in worth}
    space = symptoms.spaces(one.mount_point for one in table)
    filesystems = mounts.filesystems(
        table,
        space,
        symptoms.btrfs_jobs(),
        mounts.nfs_between(nfs_before, symptoms.mount_statistics(), took_s),
        mounts.times_mounted(mountinfo),
    )
    disks = value(totals.disks)
    exports = asked("what NFS serves", mounts.exports, "")
    where = mounts.places(mountinfo, filesystems, (one.name for one in disks.each) if disks else (), exports)
    seen_programs = programs.programs(waited, io, looks, held, where)
    mounts.add_scrubs(filesystems, seen_programs, held)
    log = recent(symptoms.kernel_log(), uptime_s, now)
    mounts.add_turned(filesystems, log, os.uname().release)
    mapper = asked("thin pools, multipath devices and RAID of LVM", partial(_mapper, totals), "")
    devices = (*_devices(totals, mapper, where), *mounts.gone(filesystems, symptoms.block_numbers()))
    known = {place.device for place in filesystems} | {one.device for one in log or ()}
    made = Window(
        when=now.isoformat(timespec="seconds"),
        seconds=round(totals.seconds, 2),
        looks=looks,
        root=os.geteuid() == 0,
        devices=tuple(one for one in devices if _worth(one, known)),
        uncounted=tuple(sorted({name for one in devices for name in one.below} - {one.name for one in devices})),
        filesystems=filesystems,
        programs=seen_programs,
        journals=tuple(_journals(totals)),
        groups=programs.groups_between(limits_before, limits_after, took_s),
        log=log,
        memory_available=left.available,
        memory_free=left.free,
        directory_waiting=round(sum(one.directory for one in waited.values()) / looks, 2) if looks else None,
        untold=tuple(untold),
    )
    _machine(made, totals, before, after)
    return made


def recent(text: str, uptime_s: float, now: datetime) -> tuple[Logged, ...] | None:
    """What the kernel's log told within the last hour, and since when what lasts is so; None where there is no log.

    Its own times are seconds since boot, of which `uptime_s` are over; these are the clock's.
    """
    read = kernel_log.parse(text)
    if isinstance(read, Unknown):
        return None

    def clock(at_s: float) -> str:
        return (now - timedelta(seconds=uptime_s - at_s)).isoformat(timespec="seconds")

    return tuple(
        Logged(
            pattern=event.pattern,
            kind=event.kind,
            says=event.says,
            device=event.device,
            count=event.count,
            first=clock(event.first),
            last=clock(event.last),
            doubtful=event.doubtful,
        )
        for event in read.events
        if event.kind in _LASTING or uptime_s - event.last <= _LOGGED_S
    )


def _stuck(waited: Waited | None) -> tuple[int, ...]:
    return tuple(waited.stuck_threads) if waited else ()


def _machine(made: Window, totals: WaitsWindow, before: KernelCounters, after: KernelCounters) -> None:
    cpu = value(totals.cpu)
    if cpu is not None:
        made.processors, made.processor, made.steal = cpu.processors, cpu.busy, cpu.steal
        made.user, made.system, made.interrupts = cpu.user, cpu.system, cpu.interrupts
        made.iowait = value(cpu.iowait)
    made.own = totals.own
    made.cpu_some, made.cpu_full = value(totals.pressure["cpu"].some), value(totals.pressure["cpu"].full)
    made.io_some, made.io_full = value(totals.pressure["io"].some), value(totals.pressure["io"].full)
    made.memory_some = value(totals.pressure["memory"].some)
    made.memory_full = value(totals.pressure["memory"].full)
    threads = value(totals.threads)
    if threads is not None:
        made.running, made.waiting = threads.running, threads.waiting
        made.kinds = {kind: fact.value for kind, fact in threads.kinds.items() if isinstance(fact, Known)}
        made.threads, made.waiters, made.runners = threads.threads, threads.waiters, threads.runners
    now, then = _memory(after), _memory(before)
    if now is not None and then is not None:
        page = after.pulse.page_bytes
        made.dirty = page * max(counters.dirty + (counters.writeback or 0) for counters in (now, then))
        made.dirty_limit = page * now.threshold if now.threshold else None
        swapped = [(now.swapped_in, then.swapped_in), (now.swapped_out, then.swapped_out)]
        made.swap_bytes = sum(page * (b - a) for b, a in swapped if a is not None and b is not None) / totals.seconds


def _memory(counters: KernelCounters) -> system_counters.VmStat | None:
    if isinstance(counters.pulse.vmstat, Unknown):
        return None
    read = system_counters.parse_vmstat(counters.pulse.vmstat.text)
    return None if isinstance(read, Unknown) else read


def _mapper(window: WaitsWindow) -> str | None:
    disks = value(window.disks)
    has_any = disks and any(one.name.startswith("dm-") for one in disks.each)
    return symptoms.mapper_status(_PATIENCE_S) if has_any else ""


def _devices(window: WaitsWindow, mapper: str, where: mounts.Places) -> Iterator[Device]:
    disks, modes, paths, actions = value(window.disks), pool_modes(mapper), paths_of(mapper), actions_of(mapper)
    for one in disks.each if disks else ():
        made = _device(one, modes, paths, where)
        made.md_action = actions.get(made.mapped, made.md_action)
        yield made


_POOL: Final = re.compile(
    r"(.+): \d+ \d+ thin-pool (?:\d+ \d+/\d+ \d+/\d+ \S+ (rw|ro|out_of_data_space)\b.*|(Fail))", re.ASCII
)


def pool_modes(text: str) -> dict[str, str]:
    """From `dmsetup status`: the mode of each thin pool by its name in /dev/mapper."""
    found = filter(None, map(_POOL.fullmatch, text.split("\n")))
    return {one[1]: one[2] or one[3] for one in found}


_RAID: Final = re.compile(r"(.+): \d+ \d+ raid \S+ \d+ \S+ \d+/\d+ ([a-z]+)( .*)?", re.ASCII)


def actions_of(text: str) -> dict[str, str]:
    """From `dmsetup status`: what each RAID of LVM does, by its name in /dev/mapper, in md's words: it is md's."""
    return {one[1]: one[2] for one in filter(None, map(_RAID.fullmatch, text.split("\n")))}


def paths_of(text: str) -> dict[str, int]:
    """From `dmsetup status`: how many paths of each multipath device work, by its name in /dev/mapper."""
    read = dmsetup.parse_dmsetup_status(text)
    devices = () if isinstance(read, Unknown) else read.devices
    return {one.name: sum(path.state == "active" for path in one.paths) for one in devices}


def _journals(window: WaitsWindow) -> Iterator[Journal]:
    for fact in window.works:
        work = value(fact)
        if isinstance(work, Jbd2Work):
            yield Journal(
                device=work.device,
                transactions=work.transactions,
                requested=work.requested,
                commit_us=value(work.commit_us),
            )


def _worth(device: Device, known: set[str]) -> bool:
    """Whether it is at work, or mounted, or the kernel's log tells of it: a loop device that is free has no size."""
    if device.busy or device.in_flight or device.flush or device.below or device.suspended:
        return True
    return bool(known & {device.name, *device.called}) and symptoms.text(f"/sys/block/{device.name}/size") != "0"


def reached_by(name: str, hardware: str) -> str:
    """By which protocol a disk of another machine is reached; '' where it is none, or that can't be told."""
    found = re.match(r"(nbd|rbd|drbd)\d+$", name, re.ASCII)
    if found:
        return found[1]
    if _SESSION.search(hardware):
        return "iscsi"
    return "nvme over a network" if "/nvme-fabrics/" in hardware else ""


_ADDRESS: Final = re.compile(r"/(\d+:\d+:\d+:\d+)(?=/)", re.ASCII)
"""Of a SCSI device: some lines of the kernel's log have that alone."""
_SESSION: Final = re.compile(r"/session(\d+)/target", re.ASCII)


def called(name: str, hardware: str) -> tuple[str, ...]:
    """By which other names the kernel's log speaks of a disk: its address, port, iSCSI session and connection."""
    sessions = (it for sid in _SESSION.findall(hardware) for it in (f"session{sid}", f"connection{sid}:0"))
    return tuple(sorted((names_of(name, hardware) | {*_ADDRESS.findall(hardware), *sessions}) - {name}))


def _device(disk: Disk, pools: dict[str, str], paths: dict[str, int], where: mounts.Places) -> Device:
    rates, block = disk.rates, f"/sys/block/{disk.name}"
    mapped = symptoms.text(f"{block}/dm/name") or ""
    suspended, hardware = symptoms.text(f"{block}/dm/suspended"), symptoms.hardware(disk.name)
    return Device(
        name=disk.name,
        below=symptoms.below(disk.name),
        reads=rates.reads,
        read_bytes=rates.read_bytes,
        read_ms=rates.read_ms,
        writes=rates.writes,
        write_bytes=rates.write_bytes,
        write_ms=rates.write_ms,
        flushes=rates.flushes,
        flush_ms=rates.flush_ms,
        flush=value(disk.flush),
        busy=rates.busy,
        queue=rates.queue,
        in_flight=rates.in_flight,
        discards=rates.discards,
        discard_bytes=rates.discard_bytes,
        discard=None if rates.discards is None else rates.discards * (rates.discard_ms or 0) / 1000,
        called=called(disk.name, hardware),
        reached_by=reached_by(disk.name, hardware),
        suspended=None if suspended is None else suspended == "1",
        state=symptoms.text(f"{block}/device/state") or "",
        mapped=mapped,
        pool_mode=pools.get(mapped),
        is_multipath=(symptoms.text(f"{block}/dm/uuid") or "").startswith("mpath-"),
        paths=paths.get(mapped),
        stands_on=where.of_path(symptoms.text(f"{block}/loop/backing_file") or ""),
        md_action=symptoms.text(f"{block}/md/sync_action"),
        md_done=symptoms.text(f"{block}/md/sync_completed"),
    )


MOST_BYTES: Final = 16 << 20
"""Kept in the directory; then the oldest go."""

_EVERY_S: Final = 10.0
_QUIET_EVERY_S: Final = 30.0
_QUIET_LOOK_S: Final = 1.0
_LOOK_S: Final = 5.0
_AROUND_S: Final = 60.0
_WHEN: Final = re.compile(r"\s*(io|cpu|memory)\s+pressure\s*>\s*([0-9]{1,3}(?:\.[0-9]+)?)\s*%?\s*")


class Threshold(Struct, frozen=True):
    """A pressure, and the percent above which an incident begins: of the kernel's mean over ten seconds."""

    what: str
    percent: float

    @property
    def file(self) -> str:
        """Where the kernel tells it."""
        return f"/proc/pressure/{self.what}"

    def passed(self, text: str | None) -> bool | None:
        """Whether this text of the file is above it; None where that can't be told."""
        read = None if text is None else system_counters.parse_pressure(text)
        if read is None or isinstance(read, Unknown) or read.some is None:
            return None
        mean = read.some.avg10_percent
        return None if mean is None else mean > self.percent


def threshold(text: str) -> Threshold | None:
    """'io pressure > 20 %'; None where it is none."""
    found = _WHEN.fullmatch(text)
    return Threshold(found[1], float(found[2])) if found and float(found[2]) <= 100 else None


class Watcher(Struct, kw_only=True):
    """What watching needs of the system. `sleep` tells whether to end."""

    clock: Callable[[], float]
    sleep: Callable[[float], bool]
    above: Callable[[], bool | None]
    observe: Callable[[float], Window]
    keep: Callable[[Window], None]
    over: Callable[[], None] = lambda: None
    """An incident has ended."""

    def watch(self, seconds: float) -> int:
        """For so long, or until it is to end; returns how many incidents there were."""
        until, quiet_at, after_until, incidents = self.clock() + seconds, self.clock(), 0.0, 0
        before: deque[tuple[float, Window]] = deque()
        lasts = False
        while (now := self.clock()) < until:
            if self.above():
                incidents += not lasts
                after_until, lasts = now + _AROUND_S, True
            elif lasts and now >= after_until:
                lasts = False
                self.over()
            if now < after_until:
                while before:
                    self.keep(before.popleft()[1])
                self.keep(self.observe(_LOOK_S))
            elif now >= quiet_at:
                before.append((now, self.observe(_QUIET_LOOK_S)))
                quiet_at = now + _QUIET_EVERY_S
            while before and before[0][0] < now - _AROUND_S - _QUIET_EVERY_S:
                before.popleft()
            if self.sleep(_EVERY_S):
                break
        if lasts:
            self.over()
        return incidents
