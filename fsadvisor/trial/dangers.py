"""What mount options and formats can cost, beside what they gain: a sentence for each that can lose something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_OPTIONS: Final = {
    "nobarrier": "nobarrier: no cache flushes; a power cut can lose what was synced, and damage the filesystem, unless "
    "every drive below keeps its cache",
    "barrier=0": "barrier=0: no cache flushes; a power cut can lose what was synced, and damage the filesystem, unless "
    "every drive below keeps its cache",
    "fsync_mode=nobarrier": "fsync_mode=nobarrier: syncs do not reach the disk; a power cut can lose what was synced",
    "data=writeback": "data=writeback: after a crash files written last may hold contents of deleted ones",
    "data=journal": "data=journal: every byte is written twice",
    "journal_async_commit": "journal_async_commit: a torn commit may be taken for a whole one after a crash",
    "nodatacow": "nodatacow: no checksums and no compression; a write that is cut off may be half old and half new, "
    "and a bad copy on a mirror is not noticed",
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


def of(options: Iterable[str], mkfs: Iterable[str]) -> tuple[str, ...]:
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
