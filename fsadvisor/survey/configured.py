"""Mounts as configured: /etc/fstab and systemd mount units; which of their options a running mount lacks.

Options were seen on 6.1 and 6.12: ext4, XFS, Btrfs, F2FS and NILFS2 mounted with each of them. Kernel and mount(8)
spell some in another way or not at all.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor import secrecy
from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import mount_tables, size_bytes, systemd_units
from fsadvisor.readers.mount_tables import split_options
from fsadvisor.survey import read_fact
from fsadvisor.survey.filesystem_types.registry import (
    IN_MEMORY,
    IN_POOLS,
    OVER_THE_NETWORK,
    OVERLAY,
    UUID_OF_ONE_DEVICE,
    type_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.volume_tools import LogicalVolume
    from fsadvisor.survey.block import BlockTree, Udev
    from fsadvisor.survey.filesystem_types import Superblock


FSTAB = "/etc/fstab"
MOUNT_UNITS: Argv = (
    "systemctl",
    "show",
    "*.mount",
    "--all",
    "--property=Id,Where,What,Type,Options,FragmentPath,SourcePath",
)
_MAY_HIDE_UNITS = frozenset((Cause.DENIED, Cause.TIMED_OUT, Cause.UNREADABLE))
"""Without systemd there are no units; a systemd that does not answer may have some."""
_UNIT_FOLDER = "/etc/systemd/system"
_MADE_FROM_FSTAB = "/run/systemd/generator"


class Configured(Struct, frozen=True, kw_only=True, gc=False):
    """A mount that the machine would make at its next start; `where` says in which file and line.

    Its options are without their secrets.
    """

    mount_point: str
    fs_type: str
    options: tuple[str, ...]
    where: str
    what: str = ""
    """The device as it is named there: `UUID=…`, `/dev/sdb1`, a server's path."""
    fsck_pass: int | None = None
    """The sixth field of a line of fstab, 0 where it is left out; a unit has none."""


def configured(machine: Machine) -> tuple[dict[str, Configured], Unknown | None]:
    """The configured mounts by mount point (a unit in /etc wins over fstab), and why there may be others, if so."""
    found: dict[str, Configured] = {}
    table = read_fact.file_record(machine, FSTAB, mount_tables.parse_fstab)
    if not isinstance(table, Unknown):
        for entry in table.entries:
            if entry.mount_point.startswith("/") and entry.fs_type != "swap":
                found[entry.mount_point] = Configured(
                    mount_point=entry.mount_point,
                    fs_type=entry.fs_type,
                    options=secrecy.options(entry.options),
                    where=f"{FSTAB}:{entry.line}",
                    what=entry.spec,
                    fsck_pass=entry.passno or 0,
                )
    units = read_fact.command_record(machine, MOUNT_UNITS, systemd_units.parse_systemctl_show)
    found.update(_loaded_units(units))
    found.update(_unit_files(machine))
    if isinstance(table, Unknown) and not read_fact.is_not_there(table):
        return found, table  # a machine without fstab is one thing, a recording without it another
    return found, units if isinstance(units, Unknown) and units.cause in _MAY_HIDE_UNITS else None


def ignored_lines(machine: Machine) -> Fact[tuple[str, ...]]:
    """The lines of fstab that libmount passes over."""
    table = read_fact.file_record(machine, FSTAB, mount_tables.parse_fstab)
    if isinstance(table, Unknown):
        return Known((), f"no {FSTAB}") if read_fact.is_not_there(table) else table
    return Known(tuple(f"line {number}" for number in table.ignored), FSTAB)


def _loaded_units(record: systemd_units.SystemctlShow | Unknown) -> dict[str, Configured]:
    """Units that systemd has loaded from files other than those that it makes from fstab."""
    if isinstance(record, Unknown):
        return {}
    found: dict[str, Configured] = {}
    for unit in record.units:
        path, where, options = unit.get("FragmentPath"), unit.get("Where"), unit.get("Options")
        if path and where and not path.startswith(_MADE_FROM_FSTAB):
            found[where] = Configured(
                mount_point=where,
                fs_type=unit.get("Type") or "auto",
                options=secrecy.options(split_options(options or "")),
                where=path,
                what=unit.get("What") or "",
            )
    return found


def _unit_files(machine: Machine) -> dict[str, Configured]:
    """The administrator's own unit files, loaded or not: what they ask for, rather than what is in force."""
    names = machine.entries(_UNIT_FOLDER)
    found: dict[str, Configured] = {}
    for name in read_fact.names(names):
        path = f"{_UNIT_FOLDER}/{name}"
        unit = read_fact.file_record(machine, path, systemd_units.parse_mount_unit) if name.endswith(".mount") else None
        if unit is None or isinstance(unit, Unknown) or not unit.where:
            continue
        found[unit.where] = Configured(
            mount_point=unit.where,
            fs_type=unit.fs_type or "auto",
            options=secrecy.options(unit.options or ()),
            where=path,
        )
    return found


_FOR_THE_MOUNT_TOOL = frozenset(
    ("defaults", "auto", "noauto", "nofail", "_netdev", "user", "nouser", "users", "owner", "group", "fail")
)
"""Options that mount(8) and systemd use themselves; the kernel never shows them."""
_SHOWN_OTHERWISE = (
    *("x-", "X-", "comment=", "loop", "offset=", "sizelimit=", "subvol", "compress", "pri=", "uid=", "gid="),
    *("umask=", "fmask=", "dmask=", "mode="),  # FAT shows umask as two of four digits, tmpfs no mode of 1777
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
    share = option.startswith("size=") and option.endswith("%")  # of the memory: the kernel shows KiB
    return bool(option) and not hidden and not share and not secrecy.hides(option)


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
    """Whether a shown option is `option`, with any value: checkpoint=disable:0."""
    return shown == option or shown.startswith((f"{option}=", f"{option}:"))


@lru_cache(maxsize=1024)
def _one_way(option: str) -> str:
    """One spelling: 262144 for 256k, and the name that the kernel prints."""
    option = _ALSO_CALLED.get(option, option)
    name, equals, value = option.partition("=")
    size = size_bytes(value) if equals else None
    return option if size is None else f"{name}={size}"


_TAGS: Final = {
    "UUID=": "ID_FS_UUID",
    "LABEL=": "ID_FS_LABEL",
    "/dev/disk/by-uuid/": "ID_FS_UUID",
    "/dev/disk/by-label/": "ID_FS_LABEL",
}
_PLAIN: Final = late(r"/dev/((?:sd|hd|vd|xvd|nvme|mmcblk|md|loop)[a-z0-9]+)")
_MAPPER: Final = "/dev/mapper/"
_HOLDING: Final = ("lvm2_member", "crypto_luks")
"""As udev calls them, in lower case."""
_WITHOUT_A_DEVICE: Final = IN_POOLS | OVER_THE_NETWORK | IN_MEMORY | {OVERLAY}


def device_missing(
    wanted: Configured, udev: Udev, tree: BlockTree, volumes: Mapping[str, LogicalVolume] | Unknown
) -> Fact[bool]:
    """By its name among the kernel's devices and device mapper's, or by its UUID or label among those of udev."""
    if wanted.fs_type in _WITHOUT_A_DEVICE:
        return NOT_APPLICABLE
    what = wanted.what.strip('"').replace('="', "=")
    if name := _PLAIN.fullmatch(what):
        return Known(name[1] not in tree.devices, f"{wanted.where}, /sys/block")
    if what.startswith(_MAPPER):
        return _not_mapped(what, wanted.where, udev, tree, volumes)
    tag = _tag(what)
    return _by_tag(*tag, wanted.where, udev) if tag else read_fact.fact_of(None, wanted.where)


def _tag(what: str) -> tuple[str, str] | None:
    """The UUID or label that it names, and udev's key for it."""
    found = ((what.removeprefix(start).strip('"'), key) for start, key in _TAGS.items() if what.startswith(start))
    return next(found, None)


def mounted_elsewhere(wanted: Configured, udev: Udev, tree: BlockTree, blocks: Iterable[Superblock]) -> Fact[bool]:
    """Whether what it names is mounted all the same, as where a symbolic link leads to another place."""
    tag = _tag(wanted.what)
    device = tree.named(wanted.what)
    if wanted.fs_type in OVER_THE_NETWORK or device is not None or _PLAIN.fullmatch(wanted.what):
        names = {device.name} if device else set()
    elif tag is None or udev.unread is not None or not udev.having(tag[1]):
        return udev.unread or Unknown(Cause.NOT_EXPOSED, "look with `findmnt` whether it is mounted", wanted.where)
    else:
        names = set(udev.having(tag[1]).get(tag[0].lower(), ()))
    elsewhere = any(it.source == wanted.what or names.intersection(it.devices) for it in blocks)
    return Known(elsewhere, f"{wanted.where}, /proc/self/mountinfo")


def _not_mapped(
    path: str, where: str, udev: Udev, tree: BlockTree, volumes: Mapping[str, LogicalVolume] | Unknown
) -> Fact[bool]:
    """Not known where a mapped device does not tell its name, and where the next boot may make the device.

    It makes volumes that are whole and not active, and what is on a member of LVM or on a LUKS that is closed now.
    """
    source = "/sys/block/dm-*/dm/name"
    if path in tree.mapped:
        return Known(False, f"{where}, {source}")
    if not tree.devices or sum(it.startswith("dm-") for it in tree.devices) > len(tree.mapped):
        return Unknown(Cause.NOT_EXPOSED, "", source)
    volume = volumes if isinstance(volumes, Unknown) else volumes.get(path.removeprefix(_MAPPER))
    if udev.unread is not None or isinstance(volume, Unknown):
        return udev.unread or Unknown(Cause.NOT_EXPOSED, "ask lvs, as root", "lvs")
    used = {slave for device in tree.devices.values() for slave in device.slaves or ()}
    closed = [name for kind in _HOLDING for name in udev.having("ID_FS_TYPE").get(kind, ()) if name not in used]
    if closed or (volume is not None and volume.health != "partial"):
        return Unknown(Cause.NOT_EXPOSED, f"open or activate what {where} names, and look again", source)
    return Known(True, f"{where}, {source}")


_RENUMBERED: Final = late(r"/dev/(?:sd[a-z]+|nvme[0-9]+n)[0-9].*|/dev/sd[a-z]+")
_ONE_FILESYSTEM: Final = UUID_OF_ONE_DEVICE | {"ntfs"}  # which is what udev calls the type of the driver ntfs3
"""The members of an array, of a pool or of a Btrfs have one UUID in common by design."""


def kernel_name(wanted: Configured) -> Fact[bool]:
    """Whether the configuration names a disk by the order in which it was found."""
    if not wanted.what:
        return read_fact.fact_of(None, wanted.where)
    return read_fact.shared_fact(_RENUMBERED.fullmatch(wanted.what) is not None, wanted.where)


def same_uuid(wanted: Configured, udev: Udev) -> Fact[tuple[str, ...]]:
    """The devices that may be meant, where the configuration names a UUID or label that several have."""
    if (tag := _tag(wanted.what)) is None:
        return Known((), wanted.where)
    if udev.unread is not None:
        return udev.unread
    value, key = tag
    named = [it for it in udev.having(key).get(value.lower(), ()) if udev.get(it, key) == value]
    meant = [it for it in named if udev.get(it, "ID_FS_TYPE") in _ONE_FILESYSTEM]
    return Known(tuple(sorted(meant)) if len(meant) > 1 else (), f"{wanted.where}, udev {key}")


def _by_tag(value: str, key: str, where: str, udev: Udev) -> Fact[bool]:
    if udev.unread is not None:
        return udev.unread
    known = udev.having(key)
    if not known:
        return Unknown(Cause.NOT_EXPOSED, "look where udev runs", f"udev {key}")
    return Known(value.lower() not in known, f"{where}, udev {key}")
