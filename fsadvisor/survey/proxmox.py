"""What Proxmox VE is configured with: its storages, and the disks of its guests on those that are thin.

Only types, names, paths and three options come back: the rest may hold addresses and passwords.

https://pve.proxmox.com/wiki/Storage, https://pve.proxmox.com/wiki/Manual:_qm.conf
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.patterns import late

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.survey.programs import RunningProgram

_SPACE: Final = "[[:space:]]"
STORAGES: Final[Argv] = (
    "grep", "-sE", f"^([a-z]+: [A-Za-z0-9._-]+|{_SPACE}+(sparse|path|is_mountpoint|disable)({_SPACE}.*)?)$",
    "/etc/pve/storage.cfg",
)  # fmt: skip
GUEST_DISKS: Final[Argv] = (
    "grep", "-rsoE",
    r"^((scsi|virtio|sata|ide)[0-9]+: [A-Za-z0-9._-]+:|\[)|[, ](discard=(on|unmap)|media=cdrom)",
    "/etc/pve/qemu-server/",
)  # fmt: skip
_NONE: Final = Known((), "no Proxmox runs here")
_OFF: Final = ("0", "no", "off", "false")
_FILE: Final = late(r"(?P<file>/[^:]*/(?P<guest>\d+)\.conf):(?P<told>.*)")


class Storage(Struct, frozen=True, kw_only=True):
    """A storage and its options by name; '' is one without a value."""

    kind: str
    options: Mapping[str, str]

    def is_set(self, name: str) -> bool:
        """Whether an option is there and not switched off."""
        return name in self.options and self.options[name] not in _OFF

    @property
    def thin(self) -> bool:
        """Whether blocks that a guest discards go back to others."""
        return self.kind == "lvmthin" or (self.kind == "zfspool" and self.is_set("sparse"))


class Facts(Struct, frozen=True, kw_only=True):
    """Of the host, where Proxmox runs."""

    guests_without_discard: Fact[tuple[str, ...]]
    unguarded_storages: Fact[tuple[str, ...]]


def facts(machine: Machine, programs: tuple[RunningProgram, ...] | Unknown, points: Container[str]) -> Facts:
    """Asked where its cluster filesystem runs; `points` are the mount points."""
    if isinstance(programs, Unknown):
        return Facts(guests_without_discard=programs, unguarded_storages=programs)
    if not any(it.program.name == "proxmox-cluster" for it in programs):
        return Facts(guests_without_discard=_NONE, unguarded_storages=_NONE)
    answer, disks = machine.run([STORAGES, GUEST_DISKS])
    if isinstance(answer, Unknown):
        return Facts(guests_without_discard=answer, unguarded_storages=answer)
    if not answer.text and not machine.root:
        denied = Unknown(Cause.DENIED, "run as root", answer.source)
        return Facts(guests_without_discard=denied, unguarded_storages=denied)
    storages = _storages(answer.text)
    unguarded = tuple(
        f"{name} ({it.options['path']})"
        for name, it in storages.items()
        if it.kind == "dir" and it.options.get("path", "/") in points and it.options.get("path") != "/"
        and not it.is_set("is_mountpoint") and not it.is_set("disable")
    )  # fmt: skip
    kept = disks if isinstance(disks, Unknown) else Known(tuple(_kept(disks.text, storages)), GUEST_DISKS[-1])
    return Facts(guests_without_discard=kept, unguarded_storages=Known(unguarded, STORAGES[-1]))


def _storages(text: str) -> dict[str, Storage]:
    found: dict[str, tuple[str, dict[str, str]]] = {}
    name = ""
    for line in text.split("\n"):
        if line[:1].isalpha():
            kind, _, name = line.partition(": ")
            found[name] = (kind, {})
        elif name and (words := line.split(None, 1)):
            found[name][1][words[0]] = words[1].strip() if len(words) > 1 else ""
    return {name: Storage(kind=kind, options=options) for name, (kind, options) in found.items()}


def _kept(text: str, storages: Mapping[str, Storage]) -> Iterator[str]:
    """'104 scsi0' of each disk on a thin storage that passes no discard on; snapshots, in sections, are left out."""
    disks: dict[tuple[str, str], bool] = {}
    now: tuple[str, str] | None = None
    past_sections: set[str] = set()
    for line in text.split("\n"):
        found = _FILE.fullmatch(line)
        if found is None or found["file"] in past_sections:
            continue
        told = found["told"].strip(" ,")
        if told == "[":
            past_sections.add(found["file"])
        elif ": " in told:
            slot, _, storage = told.removesuffix(":").partition(": ")
            now = (found["guest"], slot)
            disks[now] = storage in storages and storages[storage].thin
        elif now is not None and now[0] == found["guest"]:
            disks[now] = False  # it has discard=on, or is no disk
    yield from (f"{guest} {slot}" for (guest, slot), kept in sorted(disks.items()) if kept)
