"""Jobs in groups that people look for, and suites."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from fsadvisor.probe.job import Allocation, Existing, Io, Ladder, Metadata, Mix
from fsadvisor.probe.jobs import JOBS, SUITES

if TYPE_CHECKING:
    from fsadvisor.probe.job import Job

_TITLES: Final = (
    ("commit", "Commit latency"),
    ("ladder", "What an fsync is made of"),
    ("random", "Random reads and writes"),
    ("sequential", "Sequential reads and writes"),
    ("metadata", "Metadata: files by the second"),
    ("allocation", "Allocation of large files"),
    ("server", "Servers' mixes"),
    ("existing", "Files that are there already"),
)
SUITE_WORDS: Final = {
    "quick": "the most telling",
    "oltp": "for databases",
    "metadata": "for many small files",
    "streaming": "for large files",
    "full": "everything",
}


@cache
def groups() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Title and jobs of each group."""
    kinds: dict[str, list[str]] = {name: [] for name, _ in _TITLES}
    for job in JOBS.values():
        kinds[_kind(job)].append(job.id)
    return tuple((title, tuple(kinds[name])) for name, title in _TITLES)


def _kind(job: Job) -> str:
    match job.work:
        case Io(sync="none", pattern="append"):
            return "commit"
        case Io(sync="none", pattern=pattern):
            return pattern
        case Io():
            return "commit"
        case Ladder():
            return "ladder"
        case Metadata():
            return "metadata"
        case Allocation():
            return "allocation"
        case Mix():
            return "server"
        case Existing():
            return "existing"


def is_title(key: str) -> bool:
    """Whether the row is the title of a group."""
    return key.startswith("group:")


def members(key: str) -> tuple[str, ...]:
    """The jobs that a row stands for: 'suite:quick', 'group:Commit latency', 'job:create-1'."""
    kind, _, name = key.partition(":")
    if kind == "suite":
        return SUITES.get(name, ())
    if kind == "group":
        return dict(groups()).get(name, ())
    return (name,) if name in JOBS else ()
