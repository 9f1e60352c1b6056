"""What may not be said to mkfs and mount: another device or file than the scratch filesystem's own image.

An external journal (ext4), a log or realtime device (XFS), or one device more (Btrfs) would be written to, and made
anew without a question.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NAMING: Final = frozenset(
    ("device", "name", "file", "logdev", "rtdev", "journal_dev", "journal_path", "loop", "remount", "bind", "rbind")
)
"""Words that name a device or a file in their value, or have mount(8) do something else than mount the image."""


def outside(options: Iterable[str], mkfs: Iterable[str]) -> str:
    """The first of the mount options and arguments of mkfs that reaches beyond the image, '' where none does."""
    found = (word for option in options for word in option.split(",") if _names(word))
    return next(chain(found, _arguments(mkfs)), "")


def _arguments(words: Iterable[str]) -> Iterator[str]:
    """Those that name something, and those that stand alone: to mkfs such a word is a device, or a size."""
    alone = True
    for word in words:
        is_option = word.startswith("-")
        if (alone and not is_option) or "/" in word or any("=" in it and _names(it) for it in word.split(",")):
            yield word
        alone = not is_option


def _names(word: str) -> bool:
    return "/" in word or word.partition("=")[0] in _NAMING
