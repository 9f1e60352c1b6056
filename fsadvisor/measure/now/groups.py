"""Control groups that have a limit of I/O: how near to it they were."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Unknown
from fsadvisor.machine import symptoms
from fsadvisor.measure.now.model import Group
from fsadvisor.readers import system_counters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.machine.symptoms import Limited

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


def between(before: Sequence[Limited], after: Sequence[Limited], seconds: float) -> tuple[Group, ...]:
    """Each group with limits of I/O, by the one that it was nearest to; and those that waited."""
    then = {one.path: one.files for one in before}
    found = [_group(one.path, then[one.path], one.files, seconds) for one in after if one.path in then]
    told = [one for one in found if one.limit or max(one.io_some or 0, one.memory_some or 0) >= _WAITED]
    for one in told:
        memory = symptoms.memory_of(one.path)
        if memory is not None:
            one.memory_limit, one.memory_used = memory.limit, memory.used
    return tuple(told)


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
    """How often its memory reached its limit."""
    a, b = (_LIMITS.findall(texts.get("memory.events", "")) for texts in (before, after))
    return max(sum(map(int, b)) - sum(map(int, a)), 0) if a and b else None


def _pressure(before: dict[str, str], after: dict[str, str], file: str, seconds: float) -> float | None:
    a, b = (system_counters.parse_pressure(texts.get(file, "")) for texts in (before, after))
    if isinstance(a, Unknown) or isinstance(b, Unknown) or a.some is None or b.some is None:
        return None
    if a.some.total_us is None or b.some.total_us is None:
        return None
    return min(max(b.some.total_us - a.some.total_us, 0) / seconds / 1e6, 1.0)
