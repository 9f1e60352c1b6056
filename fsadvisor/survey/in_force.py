"""Which configured options a running mount lacks, though kernel and mount(8) spell some in another way or not at all.

Seen on 6.1 and 6.12: ext4, XFS, Btrfs, F2FS and NILFS2 mounted with each of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor import secrecy
from fsadvisor.readers.parsing import size_bytes
from fsadvisor.survey.filesystem_types.registry import type_of

if TYPE_CHECKING:
    from collections.abc import Iterable

_FOR_THE_MOUNT_TOOL = frozenset(
    ("defaults", "auto", "noauto", "nofail", "_netdev", "user", "nouser", "users", "owner", "group", "fail")
)
"""Options that mount(8) and systemd use themselves; the kernel never shows them."""
_SHOWN_OTHERWISE = (
    *("x-", "X-", "comment=", "loop", "offset=", "sizelimit=", "subvol", "compress", "pri=", "uid=", "gid="),
    *("device=", "journal_dev=", "journal_path=", "pp=", "gcpid="),
)
"""Beginnings of options that the kernel spells in another way, or not at all."""
_FOR_ONE_MOUNT = frozenset(("clear_cache", "usebackuproot", "rescue=usebackuproot", "skip_balance", "nogc"))
"""What is done at the mount, and leaves no trace."""
_UNDONE_BY = {
    "rw": ("ro",),
    "async": ("sync",),
    "atime": ("noatime",),
    "relatime": ("noatime",),
    "norelatime": ("relatime", "noatime"),
    "strictatime": ("relatime", "noatime"),
    "noikeep": ("ikeep",),
    "sysvgroups": ("grpid", "bsdgroups"),
    "order=relaxed": ("order=strict",),
    "checkpoint=enable": ("checkpoint=disable",),
    "nodiscard": ("discard", "discard=async"),
}
"""Defaults that some kernel does not print, and what it prints where they are not in force."""
_DEFAULTS = frozenset(
    (
        *("suid", "dev", "exec", "diratime", "nolazytime", "nostrictatime", "barrier", "datacow", "datasum", "treelog"),
        *("acl", "noautodefrag", "noflushoncommit", "noenospc_debug", "nogrpid", "nolargeio", "noquota", "user_xattr"),
    )
)
"""Further ones, each undone by its own name with or without `no`."""
_ALSO_CALLED = {
    "barrier=0": "nobarrier",
    "barrier=1": "barrier",
    "noload": "norecovery",
    "uquota": "usrquota",
    "gquota": "grpquota",
    "pquota": "prjquota",
    "qnoenforce": "uqnoenforce",
    "bsdgroups": "grpid",
    "discard=sync": "discard",
    "space_cache=v1": "space_cache",
}


def lacking(wanted: Iterable[str], shown: tuple[str, ...], fs_type: str) -> tuple[str, ...]:
    """The configured options that are not in force."""
    in_force = {_one_way(option) for option in shown}
    return tuple(option for option in wanted if _may_be_told(option) and not _holds(option, in_force, fs_type))


def _may_be_told(option: str) -> bool:
    hidden = option in _FOR_THE_MOUNT_TOOL or option in _FOR_ONE_MOUNT or option.startswith(_SHOWN_OTHERWISE)
    return bool(option) and not hidden and not secrecy.hides(option)


def _holds(option: str, in_force: set[str], fs_type: str) -> bool:
    name = _one_way(option)
    if name in _UNDONE_BY:
        return not any(_is(shown, undone) for shown in in_force for undone in _UNDONE_BY[name])
    if name in in_force:
        return True
    if name in _DEFAULTS:
        return (name.removeprefix("no") if name.startswith("no") else f"no{name}") not in in_force
    own = type_of(fs_type)
    return dict(own.printed_as).get(name) in in_force or name in own.unprinted_defaults


def _is(shown: str, option: str) -> bool:
    """Whether it is that option, with any value: checkpoint=disable:0."""
    return shown == option or shown.startswith((f"{option}=", f"{option}:"))


def _one_way(option: str) -> str:
    """One spelling: 262144 for 256k, and the name that the kernel prints."""
    option = _ALSO_CALLED.get(option, option)
    name, equals, value = option.partition("=")
    size = size_bytes(value) if equals else None
    return option if size is None else f"{name}={size}"
