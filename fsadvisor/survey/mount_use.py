"""What a mount is used for: by what people declare, the programs that keep files there, or its disks' counters."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.facts import Cause, Fact, Known, Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fsadvisor.storage import Disk, Workload
    from fsadvisor.survey.programs import RunningProgram

_ENOUGH_WRITES = 10_000
_STREAMING_WRITE_BYTES = 256 * 1024
_SMALL_WRITE_BYTES = 16 * 1024
_FLUSHED_SHARE = 0.1

_READS_ATIME = {"dovecot": "mail delivery", "postfix": "mail delivery", "exim": "mail delivery"}
_CLEANED_BY_AGE = ("/tmp", "/var/tmp")  # noqa: S108 - systemd-tmpfiles(8) ages these
_MAIL_FOLDERS = ("/var/mail", "/var/spool/mail", "/var/vmail")


class Use(Struct, frozen=True, kw_only=True):
    """What a mount is used for, why we say so, and who needs its access times."""

    workload: Fact[Workload]
    reasons: Fact[tuple[str, ...]]
    atime_readers: Fact[tuple[str, ...]]


def use_of_mount(
    point: str,
    declared: Mapping[str, Workload],
    services: Sequence[RunningProgram] | Unknown,
    unplaced: Sequence[RunningProgram],
    leaves: Sequence[Disk],
    alone: bool,
) -> Use:
    """The use of one mount.

    `services` are those on it, `unplaced` those that may be anywhere, `leaves` its disks; `alone` says that no other
    filesystem is on those disks, so that their counters speak for it.
    """
    readers = _atime_readers(point, services, unplaced)
    if point in declared:
        return _with_reasons(declared[point], ("declared by --workload",), readers)
    if isinstance(services, Unknown):
        return Use(workload=services, reasons=services, atime_readers=readers)
    if services:
        kinds = {service.program.workload for service in services}
        reasons = tuple(sorted({f"{service.program.name} keeps its files here" for service in services}))
        return _with_reasons(kinds.pop() if len(kinds) == 1 else "mixed", reasons, readers)
    guess = _by_counters(leaves) if alone else None
    if guess:
        return _with_reasons(*guess, readers)
    learn = f"declare it: --workload {shlex.quote(f'{point}=oltp')} (or metadata-heavy, streaming, mixed)"
    unknown = Unknown(Cause.NOT_ATTESTED, learn, "services, counters since boot")
    return Use(workload=unknown, reasons=unknown, atime_readers=readers)


def _with_reasons(workload: Workload, reasons: tuple[str, ...], readers: Fact[tuple[str, ...]]) -> Use:
    source = "; ".join(reasons)
    return Use(workload=Known(workload, source), reasons=Known(reasons, "what was found"), atime_readers=readers)


def _by_counters(leaves: Sequence[Disk]) -> tuple[Workload, tuple[str, ...]] | None:
    """Large writes are streaming; small ones of which many are flushed are transactions; else no guess."""
    totals = [(disk.writes, disk.written_bytes, disk.flushes) for disk in leaves]
    writes = written = flushes = 0
    for counted in totals:
        if any(isinstance(fact, Unknown) for fact in counted):
            return None
        values = [fact.value for fact in counted if isinstance(fact, Known)]
        writes, written, flushes = writes + values[0], written + values[1], flushes + values[2]
    if writes < _ENOUGH_WRITES:
        return None
    if written / writes >= _STREAMING_WRITE_BYTES:
        return "streaming", ("writes since boot are 256 KiB or larger on average",)
    if written / writes <= _SMALL_WRITE_BYTES and flushes / writes >= _FLUSHED_SHARE:
        return "oltp", ("writes since boot are 16 KiB or smaller on average, a tenth of them flushed",)
    return None


def _atime_readers(
    point: str, services: Sequence[RunningProgram] | Unknown, unplaced: Sequence[RunningProgram]
) -> Fact[tuple[str, ...]]:
    """Programs known to look at access times: mail readers on spools, age-based cleaners on /tmp."""
    if point in _CLEANED_BY_AGE:
        return Known((f"systemd-tmpfiles ages {point}",), "mount point")
    if point in _MAIL_FOLDERS:
        return Known(("mail readers compare access times",), "mount point")
    if isinstance(services, Unknown):
        return services
    found = {_READS_ATIME[it.program.name] for it in services if it.program.name in _READS_ATIME}
    elsewhere = [it.directory for it in unplaced if it.program.name in _READS_ATIME]
    somewhere = next((it for it in elsewhere if isinstance(it, Unknown)), None)
    if somewhere is not None and not found:
        return somewhere
    return Known(tuple(sorted(found)), "services on the mount")
