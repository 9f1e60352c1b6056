"""What changed of a machine: between two runs of the explorer, which keeps a gist of all facts, or two reports.

Facts that move all the time are left out, and so is what is not known: being told less by a machine is no change of it.
"""

from __future__ import annotations

import datetime as dt  # noqa: TC003 - msgspec reads the types
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec
from msgspec import Struct, field

from fsadvisor.facts import Known
from fsadvisor.pages.published import encodable
from fsadvisor.pages.values import value_text
from fsadvisor.report import titles
from fsadvisor.report.as_json import own_facts
from fsadvisor.rulebook.advise import among
from fsadvisor.rulebook.rule import SPOKEN
from fsadvisor.storage.catalogue import catalogue
from fsadvisor.version import Version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.storage import Storage

SCHEMA: Final = "fsadvisor/seen/1"

MOVING: Final = frozenset(
    {
        *("host.available_bytes", "host.dirty_now_bytes", "host.uptime_seconds", "host.io_full_avg60_percent"),
        *("host.io_stalled", "host.dirty_limit_bytes", "host.dirty_limit_seconds"),
        *("disk.flushes", "disk.writes", "disk.written_bytes", "disk.read_bytes", "disk.flush_ms_avg"),
        *("disk.flush_time_percent", "disk.plp_evidence", "disk.plp_starts", "disk.temperature_c"),
        *("filesystem.used_percent", "filesystem.inodes_used_percent", "filesystem.inodes_used"),
        *("filesystem.commit_us", "filesystem.journal_flushing_ms", "filesystem.unallocated_percent"),
        *("layer.fill_percent", "layer.pool_metadata_percent"),
        *("mount.workload_reasons", "service.extents", "service.extents_per_gib", "service.largest_folder"),
    }
)
"""Facts whose change is no news."""

_LONGEST: Final = 256
"""Characters of a text that are kept."""

_NEW, _GONE = "is new", "is gone"
_COUNTS: Final = {
    "disk": "host.block_devices",
    "layer": "host.block_devices",
    "filesystem": "host.mounts",
    "mount": "host.mounts",
    "service": "host.services",
}
"""The fact that is known where the subjects of a kind could be listed."""

Plain: TypeAlias = "bool | int | float | str | list[str]"
Facts: TypeAlias = "Mapping[str, Mapping[str, Plain]]"
"""Values by subject id and name."""


class Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a rule said of a subject, where it calls for action or could not tell."""

    verdict: str
    severity: str
    title: str
    waived: bool = False


class _Seen(msgspec.Struct, forbid_unknown_fields=True):
    """The file: what was seen of a machine, and when (ISO 8601, in UTC). `findings` are by subject id and rule."""

    schema: str
    machine: str
    when: dt.datetime
    subjects: dict[str, dict[str, bool | int | float | str | list[str]]]
    findings: dict[str, dict[str, Said]] | None = None


class Gist(Struct, frozen=True):
    """All facts that stay, by subject id and name, as of a moment."""

    machine: str
    when: dt.datetime
    facts: Mapping[str, Mapping[str, Plain]]
    findings: dict[str, dict[str, Said]] | None = None
    """None where they were not kept."""


class Change(Struct, frozen=True, forbid_unknown_fields=True):
    """A fact that is another, in words; `fact` is empty where the subject itself came or went."""

    subject: str
    fact: str
    before: str
    now: str

    @property
    def words(self) -> str:
        """'write_cache: write back -> write through'."""
        return f"{self.fact.partition('.')[2]}: {self.before} -> {self.now}" if self.fact else self.now


class History(Struct, frozen=True, dict=True):
    """What changed since a moment, subject by subject."""

    since: dt.datetime
    changes: tuple[Change, ...] = field(default=())

    @cached_property
    def by_subject(self) -> Mapping[str, Sequence[Change]]:
        """The changes by subject id."""
        changes: dict[str, list[Change]] = {}
        for change in self.changes:
            changes.setdefault(change.subject, []).append(change)
        return changes

    @property
    def moment(self) -> str:
        """'2026-11-20 22:01', in the time of the place."""
        return self.since.astimezone().strftime("%Y-%m-%d %H:%M")


def gist(machine: str, storage: Storage, when: dt.datetime, verdicts: Iterable[Verdict] | None = None) -> Gist:
    """The facts and findings that are kept of a machine, to compare it later."""
    found = None if verdicts is None else _findings(verdicts)
    return Gist(machine, when, {subject.id: dict(_plain_facts(subject)) for subject in storage.subjects}, found)


def _findings(verdicts: Iterable[Verdict]) -> dict[str, dict[str, Said]]:
    findings: dict[str, dict[str, Said]] = {}
    for verdict in among(verdicts, SPOKEN):
        title = str(encodable(titles.title(verdict.rule, (verdict.subject,))))
        said = Said(verdict.outcome.value, verdict.rule.severity, title, verdict.waiver is not None)
        findings.setdefault(str(encodable(verdict.subject.id)), {})[verdict.rule.id] = said
    return findings


def _plain_facts(subject: Any) -> Iterator[tuple[str, Plain]]:  # noqa: ANN401 - a Subject
    for name, fact in own_facts(subject):
        if isinstance(fact, Known) and stays(name):
            yield name, _plain(fact.value)


def stays(fact: str) -> bool:
    """Whether a change of it is news by itself; what is below tells its own."""
    return fact not in MOVING and not fact.startswith("below.")


def _plain(value: Any) -> Plain:  # noqa: ANN401 - any type of the catalogue
    if isinstance(value, str | Version):
        return plain_text(str(value))
    if isinstance(value, tuple):
        return [plain_text(one) for one in value]
    return value  # type: ignore[no-any-return]  # bool, int, float


def plain_text(text: str) -> str:
    """As much of a text as is kept."""
    return str(encodable(text[:_LONGEST]))


def text_of(seen: Gist) -> bytes:
    """As it stands in the file."""
    facts = {str(encodable(subject)): dict(some) for subject, some in seen.facts.items()}
    machine = str(encodable(seen.machine))
    return msgspec.json.encode(
        _Seen(schema=SCHEMA, machine=machine, when=seen.when, subjects=facts, findings=seen.findings)
    )


def gist_of(text: bytes) -> Gist | None:
    """What a file tells, None where it tells nothing that we understand."""
    try:
        seen = msgspec.json.decode(text, type=_Seen)
    except (msgspec.MsgspecError, RecursionError):
        return None
    if seen.schema != SCHEMA or seen.when.tzinfo is None:
        return None
    return Gist(seen.machine, seen.when, seen.subjects, seen.findings)


def history(before: Gist, now: Gist) -> History | None:
    """What changed between two gists of the same machine; None where it was another one."""
    if before.machine != str(encodable(now.machine)):
        return None
    return History(before.when, tuple(changes(before.facts, now.facts)))


def changes(before: Facts, now: Facts) -> Iterator[Change]:
    """What is another, new or gone, by subject; `before` has been in JSON."""
    present = {str(encodable(subject)): subject for subject in now}
    for key, subject in present.items():
        old = before.get(key)
        if old is not None:
            yield from _changed(subject, old, now[subject])
        elif were_listed(before, key):
            yield Change(subject, "", "", _NEW)
    yield from (Change(key, "", "", _GONE) for key in before if key not in present and were_listed(now, key))


def were_listed(seen: Facts, subject: str) -> bool:
    """Whether that look could list subjects of its kind: what could not be listed has neither come nor gone."""
    count = _COUNTS.get(subject.partition(":")[0])
    return count is None or count in seen.get("host", {})


def _changed(subject: str, old: Mapping[str, Plain], new: Mapping[str, Plain]) -> Iterator[Change]:
    for name, value in new.items():
        if name in old and old[name] != value and name in catalogue():
            yield Change(subject, name, _words(name, old[name]), _words(name, value))


def _words(name: str, value: Plain) -> str:
    """The value as people say it; a file may hold one of another type than the catalogue has now."""
    try:
        return value_text(catalogue()[name], tuple(value) if isinstance(value, list) else value)
    except (TypeError, AttributeError, ValueError):
        return str(value)
