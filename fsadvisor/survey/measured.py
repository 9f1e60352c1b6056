"""What probes measured, as facts of mounts and disks: where nothing has changed since that the figure depends on."""

from __future__ import annotations

import shlex
from datetime import datetime
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.machine.kept_files import PROBES
from fsadvisor.readers import own_records
from fsadvisor.storage import Disk, Ignored, Layer
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.own_records import Interval, Measured
    from fsadvisor.storage import Below, Facts, Mount, Storage
    from fsadvisor.storage.about import FasterSync

T = TypeVar("T")

Results: TypeAlias = "Mapping[str, tuple[Measured, ...]]"
"""Those on a mount by job, newest first."""

_REFUSED: Final = {Cause.DENIED: "it may not be read", Cause.TIMED_OUT: "it did not answer in time"}
_FEWEST_WINDOWS: Final = 6
_WIDEST: Final = 0.15
"""Half of the interval, as a share of the figure: what is less sure is no fact."""
_ROUNDING: Final = 1 + 1e-9
"""An interval of just that width is as sure as it has to be."""
_COMMIT, _APPEND = "commit-fdatasync", "commit-fdatasync-append"
_DSYNC, _LADDER = "commit-dsync", "fsync-ladder"
_NOT_SURE: Final = "probes of appends: on a disk that is or may be virtual none is sure enough"
_OF_A_LOOP: Final = ".direct_io"
"""What only loop devices have among the conditions of a result."""


class ProbesByMount(Struct, frozen=True):
    """All results that are kept, by mount point; and what of them cannot be read, which may be any."""

    by_mount: Mapping[str, Results]
    unknown: Unknown | None = None
    """Why what is not among them is not known to be not measured."""
    ignored: tuple[Ignored, ...] = ()


def read(machine: Machine) -> ProbesByMount:
    """The results that the machine keeps; that there is no file means that nothing was measured."""
    record = read_fact.file_record(machine, PROBES, own_records.parse_probe_results)
    if isinstance(record, Unknown):
        if record.cause is Cause.NOT_EXPOSED:
            return ProbesByMount({})
        why = f"{_REFUSED.get(record.cause, 'it cannot be read')}{': ' if record.learn else ''}{record.learn}"
        return ProbesByMount({}, record, (Ignored(place=record.source, what=record.source, why=why),))
    found: dict[str, dict[str, tuple[Measured, ...]]] = {}
    for one in sorted(record.results, key=lambda it: datetime.fromisoformat(it.when), reverse=True):
        jobs = found.setdefault(one.mount, {})
        jobs[one.job] = (*jobs.get(one.job, ()), one)
    if not record.unread:
        return ProbesByMount(found)
    where = machine.read(PROBES).source
    unknown = Unknown(Cause.UNREADABLE, f"of the results kept, some cannot be read: {record.unread[0]}", where)
    return ProbesByMount(
        found, unknown, tuple(Ignored(place=where, what="a result of a probe", why=why) for why in record.unread)
    )


def conditions(scope: Mapping[str, Facts], under: Iterable[Disk | Layer]) -> dict[str, str]:
    """What a result on a mount depends on, by fact, as text; what is not known is left out.

    `under` are the layers and disks below it. Only what everybody may read, so that root and others see the same.
    """
    found = {
        **_texts("host", scope.get("host"), "kernel_release"),
        **_texts("mount", scope.get("mount"), "fs_type", "options"),
        **_texts("filesystem", scope.get("filesystem"), "devices"),
        **_texts("below", scope.get("below"), "disks", "raid_levels", "read_ahead_kib"),
    }
    for part in under:
        if isinstance(part, Disk):
            names = ("model", "firmware", "write_cache", "scheduler", "requests")
            found |= _texts(f"disk {read_fact.value(part.name)}", part, *names)
        else:
            found |= _texts(f"layer {read_fact.value(part.name)}", part, "write_cache", "direct_io", "md_degraded")
    return found


def _texts(prefix: str, facts: Facts | None, *names: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in names if facts is not None else ():
        fact: Fact[Any] = getattr(facts, name)
        if isinstance(fact, Known):
            texts = sorted(map(str, fact.value)) if isinstance(fact.value, tuple) else [str(fact.value)]
            found[f"{prefix}.{name}"] = " ".join(texts)
    return found


def conditions_of(storage: Storage, mount_point: str) -> dict[str, str]:
    """What a result on a mount depends on; {} where there is no such mount."""
    subjects = {one.id: one for one in storage.subjects}
    mount = subjects.get(f"mount:{mount_point}")
    if mount is None:
        return {}
    seen: dict[str, None] = {}
    waiting = list(mount.below)
    while waiting:
        subject = waiting.pop()
        if subject in subjects and subject not in seen:
            seen[subject] = None
            waiting.extend(subjects[subject].below)
    parts = (subjects[subject].scope.get(subjects[subject].kind) for subject in seen)
    return conditions(mount.scope, [one for one in parts if isinstance(one, Disk | Layer)])


def with_measurements(
    mount: Mount, point: str, probed: ProbesByMount, now: Callable[[], Mapping[str, str]], virtual: Fact[bool]
) -> Mount:
    """The mount with what was measured on it.

    `now` gives the conditions of today; `virtual` says whether a disk below is, so that neighbours come and go.
    """
    facts = _MountFacts(point, probed.by_mount.get(point, {}), probed.unknown, now, _not_sure(virtual))
    return replace(mount, **facts.all())


def _not_sure(virtual: Fact[bool]) -> Unknown | None:
    """Why no probe of appends can become a fact; None where one can.

    On shared disks their interval is never told so narrow. Whether a disk is one may be learned first.
    """
    if isinstance(virtual, Unknown) and virtual.learn:
        return virtual
    return None if read_fact.value(virtual) is False else Unknown(Cause.NOT_EXPOSED, "", _NOT_SURE)


class _MountFacts:
    """The facts of one mount. Those of the same job share the reason why they are not known."""

    def __init__(
        self,
        point: str,
        results: Results,
        unknown: Unknown | None,
        now: Callable[[], Mapping[str, str]],
        not_sure: Unknown | None,
    ) -> None:
        self._results, self._unread, self._not_sure = results, unknown, not_sure
        self._conditions = now() if results else {}
        self._quoted = shlex.quote(point)
        self._valid: dict[str, Measured | Unknown] = {}

    def all(self) -> dict[str, Fact[Any]]:
        """By the field's name. Most mounts of a big machine were never measured: no job of theirs is asked further."""
        if not self._results:
            reasons = {job: self._again(job, "") for job in _MEASURE}
            return {name: reasons[of[0]] for name, of in _ALL.items()}
        return {name: self._fact(*of) for name, of in _OF_ONE.items()} | {
            name: self._of_two(*of) for name, of in _OF_TWO.items()
        }

    def _fact(self, job: str, pick: Callable[[Measured], Interval | float | None]) -> Fact[float]:
        result = self._result(job)
        if isinstance(result, Unknown):
            return result
        picked = pick(result)
        if picked is None:
            return self._again(job, f"the result of {_day(result)} does not tell it")
        if isinstance(picked, float):
            return Known(_rounded(picked), _source(result))
        return Known(_rounded(picked.median), f"{_source(result)}, {_rounded(picked.low)} to {_rounded(picked.high)}")

    def _of_two(self, one: str, other: str, reckon: Callable[[Interval, Interval], T]) -> Fact[T]:
        """Reckoned from the figures of two jobs, if both hold today."""
        first, second = self._result(one), self._result(other)
        if isinstance(first, Unknown) or isinstance(second, Unknown):
            return first if isinstance(first, Unknown) else cast("Unknown", second)
        reckoned = reckon(cast("Interval", first.figure), cast("Interval", second.figure))
        return Known(reckoned, f"{_source(first)}; {_source(second)}")

    def _result(self, job: str) -> Measured | Unknown:
        """The newest result that holds today, else why there is none."""
        valid = self._valid.get(job)
        if valid is None:
            found = [(one, doubt(one, self._conditions)) for one in self._results.get(job, ())]
            good = next((one for one, why in found if not why), None) if found else None
            valid = self._valid[job] = good or self._again(job, found[0][1] if found else "")
        return valid

    def _again(self, job: str, why: str) -> Unknown:
        if job == _APPEND and self._not_sure is not None:
            return self._not_sure if why or self._unread is None else self._unread
        learn = _MEASURE[job]
        if self._unread is not None and not why:
            if self._unread.cause is not Cause.UNREADABLE:
                return self._unread
            learn = f"{learn.replace('{}', self._quoted)} measures it; {self._unread.learn}"
            return replace(self._unread, sentence=learn, subject="")
        if why:
            return Unknown(Cause.NOT_MEASURED, f"{learn.replace('{}', self._quoted)}: {why}", PROBES)
        return Unknown(Cause.NOT_MEASURED, learn, PROBES, self._quoted)


def doubt(result: Measured, conditions: Mapping[str, str]) -> str:
    """Why a result is no fact today, '' where it is one; `conditions` are those of today on its mount."""
    return weakness(result) or staleness(result, conditions)


def weakness(result: Measured) -> str:
    """Why a result has never been sure enough for a fact, '' where it was."""
    if result.figure is None:
        return f"the probe of {_day(result)} came to no figure"
    if not result.believable:
        return f"the figure of {_day(result)} cannot be what it seems"
    if result.small_file:
        return f"on {_day(result)} there was no space for a file of the usual size"
    if result.figure.windows < _FEWEST_WINDOWS:
        count = "1 window" if result.figure.windows == 1 else f"{result.figure.windows} windows"
        return f"the probe of {_day(result)} ended after {count}"
    if result.figure.high - result.figure.low > 2 * _WIDEST * result.figure.median * _ROUNDING:
        return f"the interval of {_day(result)} is wider than ± {100 * _WIDEST:.0f} %"
    return ""


def staleness(result: Measured, conditions: Mapping[str, str]) -> str:
    """What is not today as it was then, '' where all that the result depends on is."""
    then = dict(result.depends)
    changed = next((name for name, value in then.items() if conditions.get(name) != value), None)
    if changed is not None and changed not in conditions:
        return f"it was measured on {_day(result)} with {changed} = {then[changed][:80]!r}, which cannot be told today"
    if changed is not None:
        return f"it was measured on {_day(result)} with {changed} = {then[changed][:80]!r}, which has changed since"
    return "" if then else f"the result of {_day(result)} does not say what it depends on"


def _faster(call: Interval, flag: Interval) -> FasterSync:
    """Beyond doubt only: the intervals have nothing in common."""
    if call.high < flag.low:
        return "fdatasync"
    return "O_DSYNC" if flag.high < call.low else "neither"


def _saved(slow: Interval, quick: Interval) -> float:
    """What the quick one saves of the slow one, in percent; nothing where their intervals have something in common."""
    return _rounded(100 * (1 - quick.median / slow.median)) if quick.high < slow.low else 0.0


def _part(name: str, result: Measured) -> Interval | None:
    """A step of the ladder. What the leaf disks flush is told apart from 'flush' only where others are above them.

    Results from before it was told where flushes are counted have those of the disks alone: above a loop device most
    of a flush is in their journal.
    """
    parts = dict(result.parts_us)
    if name != "data" and not result.flushes_at and any(one.endswith(_OF_A_LOOP) for one, _ in result.depends):
        return None
    return parts.get("flush_disks", parts.get("flush")) if name == "disk_flush" else parts.get(name)


def _share(part: str, result: Measured) -> float | None:
    """A step of the ladder as a share of the whole, in percent, where it is known to 15 of 100."""
    step, whole = _part(part, result), result.figure
    if step is None or whole is None or not whole.median or step.high - step.low > 2 * _WIDEST * whole.median:
        return None
    return min(100.0, 100 * step.median / whole.median)


_HEADLINES: Final[Mapping[str, str]] = {
    "commit_us": _COMMIT,
    "commit_dsync_us": _DSYNC,
    "fsync_us": _LADDER,
    "random_read_us": "random-read-1",
    "random_read_iops": "random-read-32",
    "random_write_iops": "random-write-32",
    "read_bytes_per_s": "read-direct",
    "write_bytes_per_s": "write-direct",
    "creates_per_s": "create-1",
}
"""Fact -> the job whose figure it is."""

_MEASURE: Final = {job: f"`fsadvisor probe {job} {{}}`" for job in (*_HEADLINES.values(), _APPEND)}
"""Job -> how to measure it on the mount."""


_SHARES: Final = ("data", "journal", "flush", "disk_flush")
"""Steps of the ladder."""

_OF_ONE: Final[Mapping[str, tuple[str, Callable[[Measured], Interval | float | None]]]] = {
    **{name: (job, attrgetter("figure")) for name, job in _HEADLINES.items()},
    "commit_p99_us": (_COMMIT, lambda it: dict(it.percentiles_us).get("p99")),
    "commit_amplification": (_COMMIT, attrgetter("amplification")),
    "flush_us": (_LADDER, partial(_part, "flush")),
    **{f"{part}_share_percent": (_LADDER, partial(_share, part)) for part in _SHARES},
}
"""Fact -> the job that tells it, and where in its result."""

_OF_TWO: Final[Mapping[str, tuple[str, str, Callable[[Interval, Interval], Any]]]] = {
    "faster_sync": (_COMMIT, _DSYNC, _faster),
    "dsync_saves_percent": (_COMMIT, _DSYNC, _saved),
    "append_share_percent": (_APPEND, _COMMIT, _saved),
}
"""Fact -> the two jobs whose figures it is reckoned from, and how."""

_ALL: Final[Mapping[str, tuple[Any, ...]]] = {**_OF_ONE, **_OF_TWO}


def _day(result: Measured) -> str:
    return result.when[:10]


def _source(result: Measured) -> str:
    return f"`fsadvisor probe {result.job}` on {_day(result)}, {result.engine}"


def _rounded(amount: float) -> float:
    """Three digits: no probe is surer than that."""
    return float(f"{amount:.3g}")


def flush_shares(mounts: Iterable[tuple[str, Mount, Below]]) -> dict[str, Fact[float]]:
    """By disk, the largest share of an fsync that was measured on filesystems that stand on that disk alone.

    `mounts` come with their points and what is below them; a disk without such a filesystem is left out.
    """
    found: dict[str, Fact[float]] = {}
    for point, mount, below in mounts:
        disks, share = read_fact.value(below.disks), mount.disk_flush_share_percent
        if disks is None or len(disks) != 1 or (isinstance(share, Unknown) and share.cause is Cause.NOT_APPLICABLE):
            continue
        before = found.get(disks[0])
        if isinstance(share, Known):
            if not isinstance(before, Known) or before.value < share.value:
                found[disks[0]] = Known(share.value, f"{share.source}, on {point}")
        elif before is None:
            found[disks[0]] = share
    return found
