"""What is tried: a filesystem as the machine's own is, and the same with a change that a rule or a person names.

What options and formats can cost, beside what they gain, is a sentence for each that can lose something.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.measure.probe.jobs import JOBS, Existing
from fsadvisor.measure.trial.mounting import is_type, outside
from fsadvisor.measure.trial.testbed import ScratchFilesystem
from fsadvisor.patterns import did_you_mean
from fsadvisor.storage import Filesystem, Mount
from fsadvisor.survey import read_fact
from fsadvisor.survey.filesystem_types.registry import MADE, type_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Storage

_OPTIONS: Final = {
    "nobarrier": "nobarrier: no cache flushes; a power cut can lose what was synced, and damage the filesystem, unless "
    "every drive below keeps its cache",
    "barrier=0": "barrier=0: no cache flushes; a power cut can lose what was synced, and damage the filesystem, unless "
    "every drive below keeps its cache",
    "fsync_mode=nobarrier": "fsync_mode=nobarrier: syncs do not reach the disk; a power cut can lose what was synced",
    "data=writeback": "data=writeback: after a crash files written last may hold contents of deleted ones",
    "data=journal": "data=journal: every byte is written twice",
    "journal_async_commit": "journal_async_commit: a torn commit may be taken for a whole one after a crash",
    "nodatacow": "nodatacow: no checksums, no compression. A write that is cut off may be half old and half new. "
    "A bad copy on a mirror is not noticed",
    "nodatasum": "nodatasum: what a disk returns wrongly is not noticed",
    "notreelog": "notreelog: each fsync commits the whole filesystem",
    "async": "async: nothing waits for the disk unless a program asks for it",
    "lazytime": "lazytime: times of files may be a day old after a crash",
    "noatime": "noatime: programs that ask when a file was last read get no answer (some mail readers, tmpwatch)",
    "noauto_da_alloc": "noauto_da_alloc: a file replaced without fsync may be empty after a crash",
    "discard": "discard: each deletion is told to the drive at once; what was deleted cannot be had back",
    "norecovery": "norecovery: the journal is not replayed",
    "checkpoint=disable": "checkpoint=disable: everything since it was mounted is lost at a crash",
    "wsync": "wsync: every change of a name waits for the log",
}
_COMMIT: Final = "commit={}: what nobody synced in the last {} s is lost at a crash"
_LONG_COMMIT_SECONDS: Final = 30
_FORMATS: Final = {
    "^has_journal": "without a journal a crash can damage the filesystem, and each start after one needs a full check",
    "^metadata_csum": "without checksums metadata that a disk returns wrongly is not noticed",
    "fast_commit": "fast commits are young: some combinations of changes fall back to whole ones",
}


def dangers(options: Iterable[str], mkfs: Iterable[str]) -> tuple[str, ...]:
    """What these options and arguments of mkfs can cost; () where nothing is known of any."""
    return tuple(dict.fromkeys((*_of_options(options), *_of_formats(mkfs))))


def _of_options(options: Iterable[str]) -> Iterator[str]:
    for option in options:
        name, _, value = option.partition("=")
        if option in _OPTIONS:
            yield _OPTIONS[option]
        elif name == "commit" and value.isascii() and value.isdecimal() and int(value) > _LONG_COMMIT_SECONDS:
            yield _COMMIT.format(value, value)


def _of_formats(mkfs: Iterable[str]) -> Iterator[str]:
    for argument in mkfs:
        for word in argument.split(","):
            if word in _FORMATS:
                yield f"mkfs {word}: {_FORMATS[word]}"


OPTIONS_JOB: Final = "commit-fdatasync"
"""What is measured where options are named and no job."""
_MKFS: Final = "mkfs:"
_TAKEN_OVER: Final = frozenset(
    (
        *("atime", "noatime", "relatime", "strictatime", "diratime", "nodiratime"),
        *("lazytime", "sync", "dirsync", "data", "commit", "barrier"),
        *("nobarrier", "delalloc", "nodelalloc", "discard", "nodiscard", "auto_da_alloc"),
        *(
            "noauto_da_alloc",
            "journal_checksum",
            "journal_async_commit",
            "dioread_nolock",
            "dioread_lock",
            "max_batch_time",
        ),
        *("min_batch_time", "inode_readahead_blks", "logbsize", "logbufs", "allocsize", "largeio"),
        *("swalloc", "filestreams", "inode32", "wsync", "nodatacow", "nodatasum"),
        *("compress", "compress-force", "autodefrag", "flushoncommit", "ssd", "nossd"),
        *("ssd_spread", "max_inline", "notreelog", "fsync_mode", "mode", "background_gc"),
        *("active_logs", "alloc_mode"),
    )
)
"""Options of the machine's own mount that are taken over: those that make it fast or slow, on any device."""
_DEFAULTS: Final = frozenset(
    (
        *("relatime", "diratime", "delalloc", "barrier", "auto_da_alloc", "data=ordered", "commit=5", "nodiscard"),
        *("dioread_nolock", "min_batch_time=0", "max_batch_time=15000", "inode_readahead_blks=32"),
        *("logbufs=8", "logbsize=32k"),
    )
)
"""What the kernel does anyway, and shows in some places."""
_FAMILIES: Final = (
    frozenset(("atime", "noatime", "relatime", "norelatime", "strictatime", "nostrictatime")),
    frozenset(("sync", "async")),
    frozenset(("compress", "compress-force", "nocompress")),
)


class ChangeError(Exception):
    """Why it cannot be tried: one sentence for the person who asked."""


class TrialChange(Struct, frozen=True, kw_only=True):
    """Two filesystems to be compared."""

    what: str
    """The change in words, such as 'noatime'."""
    rule: str
    """The rule that names it, '' where a person does."""
    title: str
    """The rule's title."""
    job: Job
    default: ScratchFilesystem
    changed: ScratchFilesystem
    left_out: tuple[str, ...]
    """Options of the machine's own mount that are not taken over."""
    dangers: tuple[str, ...]


class Own(Struct, frozen=True, kw_only=True):
    """The machine's own filesystem, as far as a scratch one can be made like it."""

    mount_point: str
    fs_type: str
    options: tuple[str, ...] = ()
    mkfs: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def own(storage: Storage, mount_point: str) -> Own:
    """What stands on a mount point, from its facts; nothing is said of what is not known."""
    subject = next((it for it in storage.subjects if it.id == f"mount:{mount_point}"), None)
    mount = subject.scope.get("mount") if subject else None
    filesystem = subject.scope.get("filesystem") if subject else None
    if not isinstance(mount, Mount):
        return Own(mount_point=mount_point, fs_type="")
    fs_type, words = read_fact.value(mount.fs_type) or "", read_fact.value(mount.options) or ()
    taken = [word for word in words if word.partition("=")[0] in _TAKEN_OVER]
    if words and not {"noatime", "relatime"} & set(taken):
        taken.append("strictatime")
    own_type = type_of(fs_type)
    taken = [word for word in taken if word not in _DEFAULTS and word not in own_type.unprinted_defaults]
    return Own(
        mount_point=mount_point,
        fs_type=fs_type,
        options=tuple(taken),
        mkfs=own_type.mkfs_alike(filesystem) if isinstance(filesystem, Filesystem) else (),
        left_out=tuple(word for word in words if word not in taken and word not in _DEFAULTS | {"rw", "ro"}),
    )


def of_options(words: Sequence[str], own: Own, fs_type: str, job: str) -> TrialChange:
    """The change that a person names: mount options, and 'mkfs:' with arguments. Raises ChangeError."""
    options, mkfs = _split(words)
    kind = fs_type or (own.fs_type if own.fs_type in MADE else MADE[0])
    base = own if own.fs_type == kind else Own(mount_point=own.mount_point, fs_type=kind)
    return _change(
        what=" ".join((*options, *((f"mkfs {shlex.join(mkfs)}",) if mkfs else ()))),
        kind=kind,
        base=base,
        sides=((), (), options, mkfs),
        job=job or OPTIONS_JOB,
    )


def _split(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    options: list[str] = []
    mkfs: list[str] = []
    for word in words:
        try:
            if word.startswith(_MKFS):
                mkfs += shlex.split(word.removeprefix(_MKFS))
            else:
                options += [it for it in word.split(",") if it]
        except ValueError as error:
            raise ChangeError(f"{word!r}: {str(error).lower()}") from error
    return tuple(options), tuple(mkfs)


def of_rule(rule: Rule, own: Own, fs_type: str, job: str) -> TrialChange:
    """The change that a rule's [trial] names. Raises ChangeError where it has none, or not for this filesystem."""
    asked = rule.trial
    if asked is None:
        raise ChangeError(
            f"{rule.id} cannot be tried on a scratch filesystem: its remedy is no option or format of one"
        )
    kind = fs_type or (own.fs_type if own.fs_type in asked.types else asked.types[0])
    if kind not in asked.types:
        raise ChangeError(f"{rule.id} is tried on {', '.join(asked.types)}, not on {kind}")
    base = own if own.fs_type == kind else Own(mount_point=own.mount_point, fs_type=kind)
    sides = (asked.before, asked.mkfs_before, asked.after, asked.mkfs_after)
    change = _change(
        what=_words(asked.after, asked.mkfs_after), kind=kind, base=base, sides=sides, job=job or asked.job
    )
    return replace(change, rule=rule.id, title=rule.title)


def _words(options: tuple[str, ...], mkfs: tuple[str, ...]) -> str:
    return " ".join((*options, *((f"mkfs {shlex.join(mkfs)}",) if mkfs else ()))) or "without it"


def _change(*, what: str, kind: str, base: Own, sides: tuple[tuple[str, ...], ...], job: str) -> TrialChange:
    """`sides` are options and arguments of mkfs before, and after."""
    if not is_type(kind):
        raise ChangeError(f"{kind!r} is no type of filesystem{did_you_mean(kind, MADE)}")
    if job not in JOBS:
        raise ChangeError(f"no job {job!r}{did_you_mean(job, JOBS)}; fsadvisor probe --list names them")
    if isinstance(JOBS[job].work, Existing):
        raise ChangeError(f"{job} reads files that are there already, and a scratch filesystem has none")
    before, mkfs_before, after, mkfs_after = sides
    if beyond := outside((*before, *after), (*mkfs_before, *mkfs_after)):
        raise ChangeError(f"{beyond!r} reaches beyond the image: a scratch filesystem has no other device and no file")
    default = ScratchFilesystem(
        name="default",
        fs_type=kind,
        mkfs=(*base.mkfs, *mkfs_before),
        options=_joined(_without(base.options, after), before),
    )
    changed = ScratchFilesystem(
        name="changed",
        fs_type=kind,
        mkfs=(*base.mkfs, *mkfs_after),
        options=_joined(_without(base.options, before), after),
    )
    return TrialChange(
        what=what,
        rule="",
        title="",
        job=JOBS[job],
        default=default,
        changed=changed,
        left_out=base.left_out,
        dangers=dangers(after, mkfs_after),
    )


def _without(options: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """The options but for those that are in question: of the same family, on or off, as one of the others."""
    taken = [_family(other) for other in others]
    return tuple(option for option in options if not any(_family(option) & it for it in taken))


def _joined(options: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    more = tuple(more)
    return (*_without(options, more), *more)


def _family(option: str) -> frozenset[str]:
    name = option.partition("=")[0]
    whole = next((it for it in _FAMILIES if name in it), None)
    positive = name[2:] if name.startswith("no") and len(name) > 2 else name
    return whole or frozenset((positive, f"no{positive}"))
