"""What fio measured, as `fio --output-format=json+` prints it: JSON with a histogram of latencies.

Written against fio 3.33; reads 3.0 (whose times are the first in ns) to 3.39. The lines before the document are fio's
own errors. `sync` holds the fsync and fdatasync calls alone, which the write's latency leaves out; its `total_ios` may
be 0 where they were counted all the same, so `lat_ns.N` counts. An O_DSYNC write is a write. With group_reporting,
`runtime` is the longest job's and `job_runtime` the sum, of which the CPU's shares are.

    {"fio version": "fio-3.33", "jobs": [{"jobname": "w", "error": 0, "job_runtime": 501, "usr_cpu": 2.2,
     "write": {"io_bytes": 1171456, "total_ios": 286, "runtime": 501, "lat_ns": {"N": 286, "bins": {"35584": 1}}},
     "sync": {"total_ios": 0, "lat_ns": {"N": 286, "mean": 1207110.4, "bins": {"79360": 1}}}}]}

https://fio.readthedocs.io/en/latest/fio_doc.html#json-output
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.facts import Unknown, unreadable
from fsadvisor.readers import refusal, unread_pieces, whole
from fsadvisor.readers.json_text import integer, items, load, member, real, string

if TYPE_CHECKING:
    from fsadvisor.readers.json_text import Json

_TIMES = ("lat_ns", "clat_ns")
"""From the submission of a request, and from the end of its submission: fio keeps bins of the one it was asked for."""


class Latencies(Struct, frozen=True, kw_only=True):
    """How long the operations of one kind took, in ns."""

    bins: tuple[tuple[int, int], ...]
    """(the bin's middle in ns, how many), ascending; empty without json+ or where percentiles are off."""


class Direction(Struct, frozen=True, kw_only=True):
    """The reads, or the writes, of a job."""

    bytes: int
    operations: int
    runtime_ms: int
    latencies: Latencies


class FioJob(Struct, frozen=True, kw_only=True):
    """One job, or one group of them."""

    error: int
    """An errno, or 0."""
    runtime_ms: int
    user_cpu_percent: float | None
    """Of one CPU and of `runtime_ms`."""
    system_cpu_percent: float | None
    read: Direction
    write: Direction
    sync: Latencies


class FioOutput(Struct, frozen=True, kw_only=True):
    """What one run of fio said."""

    jobs: tuple[FioJob, ...]
    errors: tuple[str, ...]
    """What fio said before the document."""


def parse(text: str) -> FioOutput | Unknown:
    """Read the document and what stands before it."""
    start = text.find("{")
    # fio repeats an option of its jobs that was given twice; nothing of those is read here.
    document = load(text[start:], repeats=True) if start >= 0 else refusal(text, "no JSON in the output")
    if isinstance(document, Unknown):
        return document
    version = (string(document, "fio version") or "").removeprefix("fio-")
    jobs = [_job(one) for one in items(document, "jobs")]
    read = tuple(job for job in jobs if job is not None)
    if not version or len(read) < len(jobs):
        return unreadable("not the JSON of fio 3.0 or later")
    said = [line.strip() for line in text[:start].splitlines() if line.strip()]
    return FioOutput(jobs=read, errors=unread_pieces(said))


def _job(document: Json) -> FioJob | None:
    runtime = integer(document, "job_runtime")
    read, write = _direction(document, "read"), _direction(document, "write")
    if runtime is None or runtime < 0 or read is None or write is None:
        return None
    return FioJob(
        error=abs(integer(document, "error") or 0),
        runtime_ms=runtime,
        user_cpu_percent=real(document, "usr_cpu"),
        system_cpu_percent=real(document, "sys_cpu"),
        read=read,
        write=write,
        sync=_latencies(member(document, "sync", "lat_ns")),
    )


def _direction(document: Json, name: str) -> Direction | None:
    numbers = [integer(document, name, key) for key in ("io_bytes", "total_ios", "runtime")]
    counts = [number for number in numbers if number is not None and number >= 0]
    if len(counts) < len(numbers):
        return None
    both = [_latencies(member(document, name, key)) for key in _TIMES]
    return Direction(
        bytes=counts[0],
        operations=counts[1],
        runtime_ms=counts[2],
        latencies=next((one for one in both if one.bins), both[0]),
    )


def _latencies(document: Json) -> Latencies:
    given = member(document, "bins")
    bins: list[tuple[int, int]] = []
    for key, count in given.items() if isinstance(given, dict) else ():
        middle = whole(key)
        if middle is not None and middle >= 0 and isinstance(count, int) and not isinstance(count, bool) and count > 0:
            bins.append((middle, count))
    count = max(0, integer(document, "N") or 0)
    return Latencies(
        bins=tuple(sorted(bins)),
    )
