"""What stands on this machine for others: disks of guests, of Proxmox's too, OSDs, and clients' dropped flushes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import server_files
from fsadvisor.storage import Below
from fsadvisor.survey import read_fact
from fsadvisor.survey.below import NOT_FOLLOWED, Folding
from fsadvisor.survey.filesystem_types.registry import (
    mount_point_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping

    from fsadvisor.machine.port import Answer, Argv, Machine
    from fsadvisor.storage.about import NfsExported
    from fsadvisor.survey.inventory import Surveyed
    from fsadvisor.survey.programs import RunningProgram


_NOT_FOLLOWED: Final = Below(**dict.fromkeys(Below.__struct_fields__, NOT_FOLLOWED))


def device_places(found: Surveyed, program: RunningProgram) -> tuple[str | None, str | None] | None:
    """The layers or disks with the files and with the log, each None where it can't be followed; None of others.

    Without a filesystem of ours are disks of QEMU's guests, and a Ceph OSD of BlueStore. The OSD's directory, in memory
    or on the root filesystem, has links alone.
    """
    if program.device:
        disk = _at(found, program.device)
        return disk, disk
    directory = read_fact.value(program.directory)
    if program.program.name != "ceph-osd" or directory is None:
        return None
    machine = found.inventory.machine
    every = {name: machine.link(f"{directory}/{name}") for name in ("block.wal", "block.db", "block")}
    links = {name: it for name, it in every.items() if not (isinstance(it, Unknown) and it.cause is Cause.NOT_EXPOSED)}
    if not links:
        return None
    return _place(found, links.get("block")), _place(found, next(iter(links.values())))


def _place(found: Surveyed, link: Answer | None) -> str | None:
    return None if link is None or isinstance(link, Unknown) else _at(found, link.text)


def _at(found: Surveyed, target: str) -> str | None:
    group, _, volume = target.removeprefix("/dev/").partition("/")
    mapped = f"/dev/mapper/{group.replace('-', '--')}-{volume.replace('-', '--')}"
    device = found.inventory.tree.named(target) or found.inventory.tree.named(mapped)
    return None if device is None else f"{'disk' if device.is_disk else 'layer'}:{device.name}"


def below_program(found: Surveyed, subject_id: str | None) -> Below:
    """What is under it: of a whole disk the disk."""
    if subject_id is not None and subject_id in found.disks:
        folding = Folding(found.inventory.stack, found.disks, {}, {})
        device = found.inventory.tree.devices[subject_id.partition(":")[2]]
        queue = found.inventory.queue_of(device)
        return folding.below(subject_id, (queue.discards,), queue.read_ahead_kib)
    return found.below.get(subject_id or "", _NOT_FOLLOWED)


UNSAFE_GUESTS: Final[Argv] = (
    "grep", "-rslE", "cache=['\"]?unsafe", "/etc/libvirt/qemu/", "/etc/pve/qemu-server/",
)  # fmt: skip
_HOSTS_OF_GUESTS: Final = ("libvirt", "qemu", "proxmox-cluster")

_SPACE: Final = "[[:space:]]*"
_LINES: Final = (
    f"^{_SPACE}(strict{_SPACE}sync{_SPACE}={_SPACE}[a-z0-9]+|include{_SPACE}=|config{_SPACE}backend{_SPACE}=)"
)
SAMBA: Final[Argv] = ("grep", "-siEo", _LINES, "/etc/samba/smb.conf")
_IGNORED: Final = late(r"strict\s*sync\s*=\s*(no|false|0|off)", re.IGNORECASE)


def runs_guests(programs: Iterable[RunningProgram] | Unknown) -> Fact[bool]:
    """Whether a program that runs guests was found."""
    if isinstance(programs, Unknown):
        return programs
    return Known(any(it.program.name in _HOSTS_OF_GUESTS for it in programs), "running processes")


def unsafe_guests(machine: Machine, hosted: Fact[bool]) -> Fact[tuple[str, ...]]:
    """The files of guests, running or not, with a disk that drops flushes; asked where guests are run.

    Only names of files come back: the rest may hold passwords.

    https://libvirt.org/formatdomain.html#hard-drives-floppy-disks-cdroms,
    https://pve.proxmox.com/wiki/Manual:_qm.conf
    """
    if isinstance(hosted, Unknown) or not hosted.value:
        return NOT_APPLICABLE
    return read_fact.files_named(machine, UNSAFE_GUESTS)


def flushes_ignored(machine: Machine) -> Fact[bool]:
    """Whether Samba answers a client's flush without doing it, for one share at least.

    Of a line only what it sets comes back: the rest may hold passwords.

    https://www.samba.org/samba/docs/current/man-html/smb.conf.5.html (strict sync)
    """
    answer = machine.run([SAMBA])[0]
    if isinstance(answer, Unknown):
        return answer
    if _IGNORED.search(answer.text):
        return Known(True, SAMBA[-1])
    told = answer.text.lower()
    if "include" in told or "backend" in told or "sync" not in told:
        learn = "run `testparm -sv` and look for strict sync: without a line it was no before Samba 4.7"
        return Unknown(Cause.NOT_EXPOSED, learn, answer.source)
    return Known(False, SAMBA[-1])


_BLANK: Final = "[[:space:]]"
PROXMOX_STORAGES: Final[Argv] = (
    "grep", "-sE", f"^([a-z]+: [A-Za-z0-9._-]+|{_BLANK}+(sparse|path|is_mountpoint|disable)({_BLANK}.*)?)$",
    "/etc/pve/storage.cfg",
)  # fmt: skip
PROXMOX_DISKS: Final[Argv] = (
    "grep", "-rsoE",
    r"^((scsi|virtio|sata|ide)[0-9]+: [A-Za-z0-9._-]+:|\[)|[, ](discard=(on|unmap)|media=cdrom)",
    "/etc/pve/qemu-server/",
)  # fmt: skip
_NONE: Final = Known((), "no Proxmox runs here")
_OFF: Final = ("0", "no", "off", "false")
_FILE: Final = late(r"(?P<file>/[^:]*/(?P<guest>\d+)\.conf):(?P<value>.*)")


class ProxmoxStorage(Struct, frozen=True, kw_only=True):
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


class ProxmoxFacts(Struct, frozen=True, kw_only=True):
    """Of the host, where Proxmox runs."""

    guests_without_discard: Fact[tuple[str, ...]]
    unguarded_storages: Fact[tuple[str, ...]]


def proxmox_facts(
    machine: Machine, programs: tuple[RunningProgram, ...] | Unknown, points: Container[str]
) -> ProxmoxFacts:
    """What Proxmox VE is configured with: its storages, and the disks of its guests on those that are thin.

    Asked where its cluster filesystem runs; `points` are the mount points.

    Only types, names, paths and three options come back: the rest may hold addresses and passwords.

    https://pve.proxmox.com/wiki/Storage, https://pve.proxmox.com/wiki/Manual:_qm.conf
    """
    if isinstance(programs, Unknown):
        return ProxmoxFacts(guests_without_discard=programs, unguarded_storages=programs)
    if not any(it.program.name == "proxmox-cluster" for it in programs):
        return ProxmoxFacts(guests_without_discard=_NONE, unguarded_storages=_NONE)
    answer, disks = machine.run([PROXMOX_STORAGES, PROXMOX_DISKS])
    if isinstance(answer, Unknown):
        return ProxmoxFacts(guests_without_discard=answer, unguarded_storages=answer)
    if not answer.text and not machine.root:
        denied = Unknown(Cause.DENIED, "run as root", answer.source)
        return ProxmoxFacts(guests_without_discard=denied, unguarded_storages=denied)
    storages = _storages(answer.text)
    unguarded = tuple(
        f"{name} ({storage.options['path']})"
        for name, storage in storages.items()
        if storage.kind == "dir" and storage.options.get("path", "/") in points and storage.options.get("path") != "/"
        and not storage.is_set("is_mountpoint") and not storage.is_set("disable")
    )  # fmt: skip
    kept = disks if isinstance(disks, Unknown) else Known(tuple(_undiscarded(disks.text, storages)), PROXMOX_DISKS[-1])
    return ProxmoxFacts(guests_without_discard=kept, unguarded_storages=Known(unguarded, PROXMOX_STORAGES[-1]))


def _storages(text: str) -> dict[str, ProxmoxStorage]:
    found: dict[str, tuple[str, dict[str, str]]] = {}
    name = ""
    for line in text.split("\n"):
        if line[:1].isalpha():
            kind, _, name = line.partition(": ")
            found[name] = (kind, {})
        elif name and (words := line.split(None, 1)):
            found[name][1][words[0]] = words[1].strip() if len(words) > 1 else ""
    return {name: ProxmoxStorage(kind=kind, options=options) for name, (kind, options) in found.items()}


def _undiscarded(text: str, storages: Mapping[str, ProxmoxStorage]) -> Iterator[str]:
    """'104 scsi0' of each disk on a thin storage that passes no discard on; snapshots, in sections, are left out."""
    disks: dict[tuple[str, str], bool] = {}
    now: tuple[str, str] | None = None
    past_sections: set[str] = set()
    for line in text.split("\n"):
        found = _FILE.fullmatch(line)
        if found is None or found["file"] in past_sections:
            continue
        value = found["value"].strip(" ,")
        if value == "[":
            past_sections.add(found["file"])
        elif ": " in value:
            slot, _, storage = value.removesuffix(":").partition(": ")
            now = (found["guest"], slot)
            disks[now] = storage in storages and storages[storage].thin
        elif now is not None and now[0] == found["guest"]:
            disks[now] = False  # it has discard=on, or is no disk
    yield from (f"{guest} {slot}" for (guest, slot), kept in sorted(disks.items()) if kept)


_NFSD: Final = "/proc/fs/nfsd/threads"
_MOUNTS: Final = "/proc/self/mountinfo"
"""nfs-server.service mounts the server's own filesystem, and it stays mounted."""


def exported(
    machine: Machine, points: Container[str], ganesha: Fact[bool], passed_over: Container[str] = ()
) -> Callable[[str], Fact[NfsExported]]:
    """Of a mount point, how it is exported, by the kernel's server or by NFS-Ganesha; `ganesha`: whether that runs."""
    by_kernel = _by_kernel(machine, points, passed_over)
    if isinstance(ganesha, Unknown) or not ganesha.value:
        return by_kernel  # what runs is not known: the kernel's answer is as good as it was
    record = read_fact.file_record(machine, server_files.GANESHA_PATH, server_files.parse_ganesha_conf)
    if isinstance(record, Unknown):
        why = record if record.learn else Unknown(Cause.NOT_EXPOSED, "look for NFS-Ganesha's exports", record.source)
        return lambda point: by_kernel(point) if read_fact.value(by_kernel(point)) in ("sync", "async") else why
    writable = {mount_point_of(it.path, points, passed_over) for it in record.exports if it.writable}

    def exported_at(mount_point: str) -> Fact[NfsExported]:
        kernels = by_kernel(mount_point)
        if read_fact.value(kernels) in ("sync", "async"):
            return kernels
        if mount_point in writable:
            return Known("sync", server_files.GANESHA_PATH)
        if not record.whole:
            return Unknown(Cause.NOT_EXPOSED, "look in the files that it includes", server_files.GANESHA_PATH)
        return kernels

    return exported_at


def _by_kernel(
    machine: Machine, points: Container[str], passed_over: Container[str]
) -> Callable[[str], Fact[NfsExported]]:
    """Nothing is exported where no server runs, whatever the table still says."""
    mounts = read_fact.value(read_fact.text(machine, _MOUNTS))
    if mounts is not None and " - nfsd " not in mounts:
        return lambda _: read_fact.shared_fact("no", f"no NFS server: {_MOUNTS}")
    threads = read_fact.number(machine, _NFSD)
    if read_fact.value(threads) == 0:
        return lambda _: read_fact.shared_fact("no", f"no NFS server: {_NFSD}")
    if isinstance(threads, Unknown):
        stopped = threads
        return lambda _: stopped
    table = read_fact.file_record(machine, server_files.ETAB, server_files.parse_nfs_exports)
    if isinstance(table, Unknown):
        unknown = table
        return lambda _: Known("no", f"no {server_files.ETAB}") if read_fact.is_not_there(unknown) else unknown
    found: dict[str, NfsExported] = {}
    for export in table.exports:
        point = mount_point_of(export.path, points, passed_over)
        if point is not None and "rw" in export.options:
            found[point] = "async" if "async" in export.options or found.get(point) == "async" else "sync"
    if table.unread:
        return lambda point: read_fact.fact_of(found.get(point), server_files.ETAB)
    return lambda point: Known(found.get(point, "no"), server_files.ETAB)
