# ruff: noqa: D102 - port.Machine documents the methods
"""A machine as a sos report shows it: the archive, packed or unpacked, with what sos copied and ran as root.

Written against sos 3.9 to 4.10. A command's output is in sos_commands/<plugin>/<command>, where sos writes the
command with `_` for what is neither letter, digit nor one of ``_-./``, and `.` for `/`:

    nvme id-ctrl -H /dev/nvme0n1 -> sos_commands/nvme/nvme_id-ctrl_-H_.dev.nvme0n1

A sos archive holds parts of folders only, so what is absent from it is not known to be absent from the machine.

https://github.com/sosreport/sos/blob/main/sos/report/plugins/__init__.py (_mangle_command)

What sos did not copy from /sys/block, but tells elsewhere: names, numbers and sizes of block devices.

Which devices lie under which comes from `lsblk -O -P` (KNAME, PKNAME), the rest from udev's database and
/proc/partitions. The replies name these sources. A folder appears here only where all that readers look for in it
is told: without lsblk, no `slaves` folder is listed, and nobody may think that there is nothing below.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from fsadvisor.facts import Cause, Unknown, unreadable
from fsadvisor.machine import sos_outputs, sources
from fsadvisor.machine.fit_to_tell import settings_about_storage
from fsadvisor.machine.port import Answer, Argv, MachineError, Reply
from fsadvisor.machine.runner import MOST_NAMES, too_many
from fsadvisor.machine.trees import Tree, resolved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


LSBLK = "lsblk -O -P"
PARTITIONS = "/proc/partitions"
_SECTORS_PER_BLOCK = 2
_PARTITION_LINE = re.compile(r"^\s*\d+\s+\d+\s+(\d{1,18})\s+(\S+)$", re.MULTILINE)
_PARENT = re.compile(r'(?:^|\s)(KNAME|PKNAME)="([^"]*)"')


class DerivedDevices(Struct, frozen=True):
    """Files, folders and links below /sys/block as they must have been."""

    files: dict[str, Reply] = field(default_factory=dict)
    folders: dict[str, set[str]] = field(default_factory=dict)
    links: dict[str, Reply] = field(default_factory=dict)


def derived_devices(udev: str, partitions: str, lsblk: str) -> DerivedDevices:
    """Put together what the three texts tell; an empty text tells nothing."""
    devices = DerivedDevices()
    sizes = {name: int(blocks) * _SECTORS_PER_BLOCK for blocks, name in _PARTITION_LINE.findall(partitions)}
    for record in udev.split("\n\n"):
        lines = record.strip().split("\n")
        properties = dict(line[3:].split("=", 1) for line in lines if line.startswith("E: ") and "=" in line)
        if lines[0].startswith("P: /devices/"):
            _add(devices, lines[0].removeprefix("P: "), properties, sizes)
    if lsblk:
        _add_slaves(devices, lsblk)
    return devices


def _add(devices: DerivedDevices, path: str, properties: Mapping[str, str], sizes: Mapping[str, int]) -> None:
    *_, parent, name = path.split("/")
    is_partition = properties.get("DEVTYPE") == "partition"
    folder = f"/sys/block/{parent}/{name}" if is_partition else f"/sys/block/{name}"
    told = {
        "dev": (f"{properties.get('MAJOR')}:{properties.get('MINOR')}" if "MAJOR" in properties else None),
        "partition": properties.get("PARTN"),
        "dm/name": properties.get("DM_NAME"),
        "dm/uuid": properties.get("DM_UUID"),
    }
    for leaf, text in told.items():
        if text is not None:
            devices.files[f"{folder}/{leaf}"] = Reply(f"{text}\n", sources.UDEV)
            devices.folders.setdefault(folder, set()).add(leaf.partition("/")[0])
    if name in sizes:
        devices.files[f"{folder}/size"] = Reply(f"{sizes[name]}\n", PARTITIONS)
        devices.folders.setdefault(folder, set()).add("size")
    if is_partition:
        devices.folders.setdefault(f"/sys/block/{parent}", set()).add(name)
        return
    devices.folders.setdefault("/sys/block", set()).add(name)
    devices.links[folder] = Reply(f"..{path}", sources.UDEV)
    if not path.startswith("/devices/virtual/"):
        devices.folders.setdefault(folder, set()).add("device")


def _add_slaves(devices: DerivedDevices, lsblk: str) -> None:
    names = devices.folders.get("/sys/block", set())
    for name in names:
        devices.folders[f"/sys/block/{name}/slaves"] = set()
        devices.folders.setdefault(f"/sys/block/{name}", set()).add("slaves")
    for line in lsblk.splitlines():
        told = dict(_PARENT.findall(line))
        if told.get("PKNAME") and told.get("KNAME") in names:
            devices.folders[f"/sys/block/{told['KNAME']}/slaves"].add(told["PKNAME"])


Entries: TypeAlias = tuple[str, ...] | Unknown

NOT_IN_SOS = "run `fsadvisor capture` on the machine itself: the sos archive does not hold this"

SPELLINGS: dict[Argv, tuple[str, ...]] = {
    ("nvme", "list"): ("nvme list",),
    ("nvme", "id-ctrl"): ("nvme id-ctrl -H {path}", "nvme id-ctrl {path}", "nvme id-ctrl -H {path}n1"),
    ("nvme", "id-ns"): ("nvme id-ns -H {path}", "nvme id-ns {path}"),
    ("nvme", "smart-log"): ("nvme smart-log {path}", "nvme smart-log {path}n1"),
    ("smartctl",): ("smartctl -a {path} -j", "smartctl --all {path} -j", "smartctl --all {path}n1 -j"),
    ("dumpe2fs", "-h"): ("dumpe2fs -h {path}", "dumpe2fs {path}"),
    ("xfs_info",): ("xfs_info {path}",),
    ("btrfs", "filesystem", "show"): ("btrfs filesystem show",),
    ("dmsetup", "table"): ("dmsetup table",),
}
"""What sos runs instead of a command of ours that begins so; {path} stands for its argument that is a path."""

_WHOLE_FOLDERS = re.compile(
    r"/sys/block/[^/]+/(?:queue|loop|md)(?:/.*)?|/sys/fs/xfs(?:/.*)?|/proc/fs(?:/.*)?|/etc/cron[^/]*"
    r"|/etc/systemd(?:/.*)?|/etc/lvm(?:/.*)?"
)
"""Folders that sos copies wholly, so that a name missing there is a name missing on the machine."""

_UDEV_DATABASE = "udevadm info --export-db"
_LONGEST_NAME = 255
_MOST_ANSWERED_BYTES = 1 << 30
"""Of all files together: thousands of links may lead to the same few megabytes."""


class SosMachine:
    """Answers from the tree of a sos report. Raises MachineError where it is none."""

    def __init__(self, tree: Tree, name: str) -> None:
        top = _top(tree)
        if top is None:
            raise MachineError(name, "no sos_commands in it", "name a sos archive, or the directory unpacked from one")
        self._tree = tree
        self._name = name
        self._top = top
        self._left_bytes = _MOST_ANSWERED_BYTES
        self._outputs = dict(self._command_outputs())
        lsblk = self._output(tuple(LSBLK.split()))
        self._derived = derived_devices(*(_text(answer) for answer in (self.udev(), self._copied(PARTITIONS), lsblk)))

    @property
    def name(self) -> str:
        return self._name

    @property
    def root(self) -> bool:
        return True

    @property
    def today(self) -> dt.date:
        return dt.datetime.now().astimezone().date()

    def read(self, path: str) -> Answer:
        told = self._copied(path) or self._derived.files.get(path) or sos_outputs.setting(path, self._text_of)
        return told or _missing(path)

    def entries(self, path: str) -> Entries:
        place = self._place(path)
        names = None if place is None else self._tree.names(place)
        derived = self._derived.folders.get(path)
        whole = _WHOLE_FOLDERS.fullmatch(path) and names is not None
        if not whole and not self._is_told(path):
            return _missing(path)
        every = tuple(sorted({*(names or ()), *(derived or ())}))
        return too_many(path) if len(every) > MOST_NAMES else every

    def _is_told(self, path: str) -> bool:
        """Whether a folder of block devices is told wholly: a device's own only with what lies below it."""
        folders = self._derived.folders
        if path == "/sys/block" or path.endswith("/slaves"):
            return path in folders
        return "slaves" in folders.get(path, ())

    def link(self, path: str) -> Answer:
        folder, _, name = path.rstrip("/").rpartition("/")
        place = self._place(folder)
        target = None if place is None else self._tree.target(f"{place}/{name}".lstrip("/"))
        return Reply(target, path) if target is not None else self._derived.links.get(path) or _missing(path)

    def run(self, commands: Sequence[Argv]) -> list[Answer]:
        return [self._output(argv) for argv in commands]

    def expect(self, commands: Sequence[Argv]) -> None:
        """Nothing has to be run ahead of its question."""

    def udev(self) -> Answer:
        place = self._outputs.get(_mangled(_UDEV_DATABASE))
        answer = _named(None if place is None else self._content(place), sources.UDEV)
        if isinstance(answer, Unknown):
            return answer
        records = [record for record in answer.text.split("\n\n") if "\nE: SUBSYSTEM=block" in record]
        return Reply("".join(f"{record.strip()}\n\n" for record in records), sources.UDEV)

    def processes(self, names: Sequence[str]) -> Answer:  # noqa: ARG002 - sos lists them, without their folders
        return _missing(sources.PROCESSES)

    def counters(self) -> Answer:
        return _missing(sources.COUNTERS)

    def space(self, mount_point: str) -> Answer:
        return sos_outputs.space(mount_point, self._text_of) or _missing(sources.space(mount_point))

    def flags(self, path: str) -> Answer:
        return _missing(sources.flags(path))

    def settings(self, path: str) -> Answer:
        answer = self.read(path)
        return (
            answer if isinstance(answer, Unknown) else replace(answer, text=settings_about_storage(path, answer.text))
        )

    def extents(self, path: str) -> Answer:
        return _missing(sources.extents(path))

    def _copied(self, path: str) -> Answer | None:
        place = self._place(path)
        content = None if place is None else self._content(place)
        return None if content is None else _named(content, path)

    def _content(self, place: str) -> Answer | None:
        if self._left_bytes < 0:
            return unreadable(f"more than {_MOST_ANSWERED_BYTES >> 20} MiB were asked for before it", place)
        content = self._tree.content(place)
        self._left_bytes -= len(content.text) if isinstance(content, Reply) else 0
        return content

    def _place(self, path: str) -> str | None:
        """The name in the tree, links followed as on the machine: '/' is the report's top."""
        return resolved(self._tree, path, self._top)

    def _command_outputs(self) -> Iterator[tuple[str, str]]:
        commands = f"{self._top}/sos_commands".lstrip("/")
        for plugin in self._tree.names(commands) or ():
            for output in self._tree.names(f"{commands}/{plugin}") or ():
                yield output, f"{commands}/{plugin}/{output}"

    def _output(self, argv: Argv) -> Answer:
        for command in _spellings(argv):
            place = self._outputs.get(_mangled(command))
            content = None if place is None else self._content(place)
            if content is not None:
                return _named(content, command)
        return sos_outputs.command(argv, self._text_of) or _missing(sources.command(argv))

    def _text_of(self, command: str) -> str | None:
        """A command's output, by sos's spelling."""
        place = self._outputs.get(_mangled(command))
        content = None if place is None else self._content(place)
        return content.text if isinstance(content, Reply) else None


def _spellings(argv: Argv) -> Iterator[str]:
    """The command itself, then what sos runs instead of it."""
    yield " ".join(argv)
    path = next((argument for argument in argv if argument.startswith("/")), "")
    for start, spellings in SPELLINGS.items():
        if argv[: len(start)] == start:
            yield from (spelling.replace("{path}", path) for spelling in spellings)


def _mangled(command: str) -> str:
    return re.sub(r"[^\w./-]+", "_", command).replace("/", ".").strip(" ._-")[:_LONGEST_NAME]


def _named(content: Answer | None, source: str) -> Answer:
    return _missing(source) if content is None else replace(content, source=source)


def _text(answer: Answer | None) -> str:
    return answer.text if isinstance(answer, Reply) else ""


def _missing(source: str) -> Unknown:
    return Unknown(Cause.NOT_EXPOSED, NOT_IN_SOS, source)


def _top(tree: Tree) -> str | None:
    """The folder that holds sos_commands: the tree itself, or the one below it."""
    names = tree.names("") or ()
    if "sos_commands" in names:
        return ""
    return next((name for name in names if "sos_commands" in (tree.names(name) or ())), None)
