"""The programs of the window: who waited, ran, read and wrote, by name and unit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Unknown
from fsadvisor.machine import symptoms
from fsadvisor.measure.now.model import Program
from fsadvisor.readers import process_files

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.symptoms import Holds
    from fsadvisor.measure.now.mounts import Places
    from fsadvisor.measure.now.threads import Waited

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
    """Each of those that are told."""
    return tuple(_program(pid, waited.get(pid), io.get(pid), looks, holds, places) for pid, holds in held.items())


def _program(pid: int, one: Waited | None, io: Io | None, looks: int, held: Holds, places: Places) -> Program:
    made = Program(
        pid=pid,
        name=one.name if one else symptoms.name_of(pid),
        unit=unit_of(held.group),
        groups=groups_of(held.group),
        places=places.of(held),
        kernel=held.kernel,
    )
    if io is not None:
        made.read_bytes, made.write_bytes = io
    if one is None or not looks:
        return made
    made.waiting, made.syncing, made.running = one.looks / looks, one.syncing / looks, one.running / looks
    made.held_back, made.journal_full = one.held_back / looks, one.journal_full / looks
    made.for_memory = one.for_memory / looks
    made.journal_at = places.of_waiting(held) if one.journal_full else ()
    made.directory = one.directory / looks
    made.works_in = held.paths[-1] if one.directory and held.paths else ""
    made.stuck_s = held.not_run_s if one.stuck else None
    made.frozen_at = places.of_waiting(held) if one.frozen else ()
    made.stuck, made.frozen = one.stuck, one.frozen
    if one.places:
        (made.kind, made.function), _ = one.places.most_common(1)[0]
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
