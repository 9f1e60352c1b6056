"""Mount options by family: words of which only one can be in force, and how the kernel then shows it."""

from __future__ import annotations

from typing import Final

_FAMILIES: Final = (
    ("atime", "noatime", "relatime", "norelatime", "strictatime", "nostrictatime"),
    ("ro", "rw"),
    ("sync", "async"),
    ("compress", "compress-force", "nocompress"),
)
_FAMILY_OF: Final = {word: family for family in _FAMILIES for word in family}

_SHOWN: Final = {
    "noatime": "noatime",
    "relatime": "relatime",
    "strictatime": "-",
    "ro": "ro",
    "rw": "rw",
    "sync": "sync",
    "async": "-",
}
"""Flags that the kernel shows in one way only; '-' is no word at all."""

_LEVELS: Final = {"zstd": "zstd:3", "zlib": "zlib:3"}
"""Btrfs shows the level that counts where none was given (Linux 5.1)."""

_OF_THE_MOUNT: Final = frozenset(
    word for name in ("atime", "diratime", "suid", "dev", "exec", "symfollow") for word in (name, f"no{name}")
)

NONE: Final = "-"
"""How the absence of all words of a family is written."""


def family(option: str) -> tuple[str, ...]:
    """The names that exclude each other with this option's: ('barrier', 'nobarrier') for 'barrier=1'."""
    name = option.partition("=")[0]
    if name in _FAMILY_OF:
        return _FAMILY_OF[name]
    positive = name[2:] if name.startswith("no") and len(name) > 2 else name
    return positive, f"no{positive}"


def of_the_mount(option: str) -> bool:
    """Whether it is a matter of the mount, where others are of the filesystem, at all its mounts at once."""
    return not _OF_THE_MOUNT.isdisjoint(family(option))


def in_family(options: tuple[str, ...], names: tuple[str, ...]) -> str:
    """The words of a family among the options in force, as `findmnt` shows them."""
    return ",".join(option for option in options if option.partition("=")[0] in names) or NONE


def shown(option: str, before: str) -> tuple[str, ...]:
    """What the kernel may show of the option's family once the option is in force; () where that can't be told.

    A word that stands for the default is not shown: its opposite is gone then.
    """
    name, equals, value = option.partition("=")
    if option in _SHOWN:
        return (_SHOWN[option],)
    if name in ("atime", "norelatime", "nostrictatime"):
        return ()
    words = (option, f"{name}={_LEVELS[value]}") if equals and name in _FAMILIES[3] and value in _LEVELS else (option,)
    return words if before == NONE else (*words, NONE)
