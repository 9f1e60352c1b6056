"""Why a filesystem has no room: which causes hold, and what frees how much, safest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from fsadvisor.facts import Fact, Known
from fsadvisor.rulebook.advise import judge
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Subject

SAFEST_FIRST: Final[dict[str, str]] = {
    "deleted-files-hold-space": "no file is lost: nobody can open them by name any more",
    "ext4-large-reserve": "no file is touched",
    "xfs-inode-share-used-up": "no file is touched, and no space is freed: more of it may hold inodes",
    "zfs-quota-nearly-used": "no file is touched: the limit is raised",
    "btrfs-nothing-to-allocate": "files are moved, not changed; it takes time and I/O",
    "xfs-inodes-need-large-pieces": "files have to be moved or deleted",
    "ext4-inodes-nearly-gone": "small files have to be deleted or moved: a person decides which",
    "filling-up": "a person decides what goes, or the filesystem grows",
    "nearly-full": "a person decides what goes, or the filesystem grows",
    "above-85-percent": "a person decides what goes, or the filesystem grows",
}
"""Rules that are causes of a full filesystem, and what their remedy does to files."""


class FullCause(Struct, frozen=True, kw_only=True):
    """A cause of a full filesystem that holds."""

    verdict: Verdict
    risk: str
    frees: int | None
    """Bytes, where that can be told."""


class Full(Struct, frozen=True, kw_only=True):
    """Why a filesystem is full: the causes that hold, and those that do not."""

    subject: Subject
    causes: tuple[FullCause, ...]
    excluded: tuple[Verdict, ...]
    open: tuple[Verdict, ...]


def full(subject: Subject, rules: Iterable[Rule]) -> Full:
    """Judge a filesystem by the rules that are causes, whatever they think of its severity."""
    by_id = {rule.id: rule for rule in rules}
    verdicts = [judge(by_id[name], subject) for name in SAFEST_FIRST if name in by_id]
    return Full(
        subject=subject,
        causes=tuple(
            FullCause(verdict=one, risk=SAFEST_FIRST[one.rule.id], frees=_frees(one))
            for one in verdicts
            if one.outcome in CALLS_FOR_ACTION
        ),
        excluded=tuple(one for one in verdicts if one.outcome is Outcome.OK),
        open=tuple(one for one in verdicts if one.outcome is Outcome.UNDETERMINED and one.to_learn()),
    )


def fact(subject: Subject, name: str) -> Fact[Any]:
    """A fact of the filesystem."""
    found: Fact[Any] = getattr(subject.scope["filesystem"], name)
    return found


def _frees(verdict: Verdict) -> int | None:
    size = fact(verdict.subject, "size_bytes")
    if verdict.rule.id == "ext4-large-reserve":
        reserved = fact(verdict.subject, "reserved_bytes")
        return reserved.value if isinstance(reserved, Known) else None
    if verdict.rule.id == "deleted-files-hold-space":
        share = fact(verdict.subject, "deleted_open_percent")
        return size.value * share.value // 100 if isinstance(share, Known) and isinstance(size, Known) else None
    return None
