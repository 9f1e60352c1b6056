# ruff: noqa: D102 - port.Machine documents the methods
"""A machine as a sos report shows it: the archive, packed or unpacked, with what sos copied and ran as root.

Written against sos 3.2 to 4.10. A command's output is in sos_commands/<plugin>/<command>, where sos writes the
command with `_` for what is neither letter, digit nor one of ``_-./``, and `.` for `/`:

    nvme id-ctrl -H /dev/nvme0n1 -> sos_commands/nvme/nvme_id-ctrl_-H_.dev.nvme0n1

A sos archive holds parts of folders only, so what is absent from it is not known to be absent from the machine.

https://github.com/sosreport/sos/blob/main/sos/report/plugins/__init__.py (_mangle_command)

What sos did not copy from /sys/block is put together in `archived_devices`. A device's folder appears here only where
all that readers look for in it is told: else nobody may think that there is nothing below it.

The archive of SUSE's supportconfig is brought into this form by `supportconfig`. That of insights-client names outputs
alike, in insights_commands, without a folder for each plugin. A bare tree of /proc and /sys, as of a node in a
must-gather, has no outputs at all. A node's directory of a must-gather, and what kdump left of a crashed kernel, have
its log, from which `archived_logs` takes the disks, too.
"""

from __future__ import annotations

import datetime as dt
import re
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from fsadvisor.facts import Unknown, unreadable
from fsadvisor.machine import archived_logs, archived_tools, port, sos_outputs
from fsadvisor.machine.archived_devices import PAIRS, PARTITIONS, TREE, UNSEEN, derived_devices, devices_in_log
from fsadvisor.machine.port import Answer, Argv, MachineError, Reply
from fsadvisor.machine.redaction import settings_about_storage
from fsadvisor.machine.runner import MOST_NAMES, too_many
from fsadvisor.machine.sos_outputs import missing
from fsadvisor.machine.trees import FileTree, resolved

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


Entries: TypeAlias = tuple[str, ...] | Unknown

NOTHING_KNOWN = "neither sos_commands nor proc, sys or a kernel's log in it"

SPELLINGS: dict[Argv, tuple[str, ...]] = {
    ("nvme", "list"): ("nvme list",),
    ("nvme", "id-ctrl"): ("nvme id-ctrl -H {path}", "nvme id-ctrl {path}", "nvme id-ctrl -H {path}n1"),
    ("nvme", "id-ns"): ("nvme id-ns -H {path}", "nvme id-ns {path}"),
    ("nvme", "smart-log"): ("nvme smart-log {path}", "nvme smart-log {path}n1"),
    ("smartctl",): tuple(
        f"smartctl {form}"
        for json in (" -j", "")
        for form in (f"-x {{path}}{json}", f"-a {{path}}{json}", f"--all {{path}}{json}", f"--all {{path}}n1{json}")
    ),
    ("dumpe2fs", "-h"): ("dumpe2fs -h {path}", "dumpe2fs {path}"),
    ("xfs_info",): ("xfs_info {path}",),
    ("btrfs", "filesystem", "show"): ("btrfs filesystem show",),
    ("dmsetup", "table"): ("dmsetup table",),
}
"""What sos runs instead of a command of ours that begins so; {path} stands for its argument that is a path."""

_WHOLE_FOLDERS = re.compile(
    r"/sys/block/[^/]+/(?:queue|loop|md)(?:/.*)?|/sys/fs/xfs(?:/.*)?|/proc/fs(?:/.*)?|/etc/cron[^/]*"
    r"|/etc/systemd(?:/.*)?|/etc/lvm(?:/.*)?|/etc/my\.cnf\.d|/etc/mysql(?:/.*)?"
)
"""Folders that sos copies wholly, so that a name missing there is a name missing on the machine."""

_COMMANDS = ("sos_commands", "insights_commands")
_BARE = ("proc/self", "sys/block", "sys/class", "sys/devices")
_LOGS = ("dmesg", archived_logs.CRASHED)
_OF_NODE = {"dmesg": "dmesg", archived_logs.CRASHED: archived_logs.CRASHED, "lscpu": "lscpu"}
"""A file of a node's directory -> the command that it is the output of."""
_SAME = {
    "/proc/mounts": ("/proc/self/mounts", "/proc/1/mounts", "/etc/mtab"),
    "/proc/self/mountinfo": ("/proc/1/mountinfo",),
}
"""Where a dump may have the same table."""
_DEEPEST_TOP = 5
_SHOWN = 3
_MOST_TOPS = 100
"""Folders of one level that are looked into for the top: our own bound."""

_UDEV_DATABASE = "udevadm info --export-db"
_LONGEST_NAME = 255
_MOST_ANSWERED_BYTES = 1 << 30
"""Of all files together: thousands of links may lead to the same few megabytes."""


class SosMachine:
    """Answers from the tree of a sos report. Raises MachineError where it is none."""

    root = True

    def __init__(self, tree: FileTree, name: str) -> None:
        top = _top(tree, name)
        if top is None:
            wanted = "name a sos archive, a directory with /proc or /sys in it, or what `fsadvisor capture` wrote"
            raise MachineError(name, NOTHING_KNOWN, wanted)
        self._tree = tree
        self._folders: dict[str, str | None] = {}
        self.name = name
        self._top = top
        self._left_bytes = _MOST_ANSWERED_BYTES
        self._outputs = dict(self._command_outputs())
        self._derived = derived_devices(
            lambda path: port.text_of(self._copied(path)), lambda command: self._text_of(command) or "", self._links()
        )
        self._with_partitions = not self._outputs or any(
            (self._copied(PARTITIONS), *map(self._text_of, (port.UDEV_SOURCE, PAIRS, TREE)))
        )
        if not self._derived.folders and self._log is not None:
            self._derived = devices_in_log(self._log)
            self._with_partitions = True

    @property
    def today(self) -> dt.date:
        return dt.datetime.now().astimezone().date()

    @property
    def looked_on(self) -> dt.date | None:
        return sos_outputs.day(self._text_of("date") or "")

    def read(self, path: str) -> Answer:
        answer = self._copied(path) or self._derived.files.get(path)
        for other in _SAME.get(path, ()):
            answer = answer or self._copied(other)
        return answer or sos_outputs.file(path, self._text_of) or self._by_log(path) or missing(path)

    @cached_property
    def _log(self) -> Reply | None:
        crashes = self._tree.names(f"{self._top}/var/crash".lstrip("/")) or ()
        return archived_logs.kernel_log(self._text_of, lambda path: port.text_of(self._copied(path)), crashes)

    @cached_property
    def _boot(self) -> dict[str, str]:
        """Files of which the log's beginning is searched: once, and not for each file that is missing."""
        return archived_logs.boot_messages(self._log.text) if self._log else {}

    def _by_log(self, path: str) -> Reply | None:
        """What the kernel said of itself when it started, and for how long it ran."""
        if path == "/proc/uptime":
            return archived_logs.uptime(self._text_of, self._log)
        told = self._boot.get(path)
        return Reply(told, self._log.source) if told and self._log else None

    def entries(self, path: str) -> Entries:
        place = self._place(path)
        names = None if place is None else self._tree.names(place)
        derived = self._derived.folders.get(path)
        whole = _WHOLE_FOLDERS.fullmatch(path) and names is not None
        if not whole and not self._is_told(path, names or ()):
            return missing(path)
        seen = (name for name in names or () if path != "/sys/block" or not UNSEEN.fullmatch(name))
        every = tuple(sorted({*seen, *(derived or ())}))
        return too_many(path) if len(every) > MOST_NAMES else every

    def _is_told(self, path: str, copied: Sequence[str]) -> bool:
        """Whether a folder of block devices is told wholly: a device's own with its partitions and what is below."""
        derived = self._derived.folders.get(path, ())
        if path == "/sys/block":
            return bool(derived or copied)
        if path.endswith("/slaves") and path.startswith("/sys/block/"):
            return path in self._derived.folders or _is_folder(self._tree, self._place(path) or "/")
        below = "slaves" in copied or (self._with_partitions and "slaves" in derived)
        return below and path.startswith("/sys/block/")

    def link(self, path: str) -> Answer:
        folder, _, name = path.rstrip("/").rpartition("/")
        place = self._place(folder)
        target = None if place is None else self._tree.target(f"{place}/{name}".lstrip("/"))
        return Reply(target, path) if target is not None else self._derived.links.get(path) or missing(path)

    def run(self, commands: Sequence[Argv]) -> list[Answer]:
        return [self._output(argv) for argv in commands]

    def expect(self, commands: Sequence[Argv]) -> None:
        """Nothing has to be run ahead of its question."""

    def udev(self) -> Answer:
        place = self._outputs.get(_mangled(_UDEV_DATABASE))
        answer = _named(None if place is None else self._content(place), port.UDEV_SOURCE)
        if isinstance(answer, Unknown):
            return answer
        records = [record for record in answer.text.split("\n\n") if "\nE: SUBSYSTEM=block" in record]
        return Reply("".join(f"{record.strip()}\n\n" for record in records), port.UDEV_SOURCE)

    def processes(self, names: Sequence[str]) -> Answer:
        return sos_outputs.processes(names, self) or missing(port.PROCESSES_SOURCE)

    def counters(self) -> Answer:
        return missing(port.COUNTERS_SOURCE)

    def space(self, mount_point: str) -> Answer:
        return sos_outputs.space(mount_point, self._text_of) or missing(port.space_source(mount_point))

    def flags(self, path: str) -> Answer:
        return missing(port.flags_source(path))

    def settings(self, path: str) -> Answer:
        answer = self.read(path)
        return (
            answer if isinstance(answer, Unknown) else replace(answer, text=settings_about_storage(path, answer.text))
        )

    def extents(self, path: str) -> Answer:
        return missing(port.extents_source(path))

    def hidden(self, mount_point: str, above: str) -> Answer:  # noqa: ARG002
        return missing(port.hidden_source(mount_point))

    def _copied(self, path: str) -> Answer | None:
        place = self._place(path)
        content = None if place is None else self._content(place)
        return None if content is None else _named(content, path)

    def _content(self, path: str) -> Answer | None:
        if self._left_bytes < 0:
            return unreadable(f"more than {_MOST_ANSWERED_BYTES >> 20} MiB were asked for before it", path)
        content = self._tree.content(path)
        self._left_bytes -= len(content.text) if isinstance(content, Reply) else 0
        return content

    def _place(self, path: str) -> str | None:
        """The name in the tree, links followed as on the machine: '/' is the report's top."""
        above, _, last = path.rpartition("/")
        if last in ("", ".", ".."):
            return resolved(self._tree, path, self._top)
        if above not in self._folders:  # a disk's folder is asked for by each of its files
            lost = self._folders.get(above.rpartition("/")[0], "") is None
            self._folders[above] = None if lost else resolved(self._tree, above, self._top)
        folder = self._folders[above]
        if folder is None:
            return None
        name = f"{folder}/{last}" if folder else last
        return name if self._tree.target(name) is None else resolved(self._tree, path, self._top)

    def _command_outputs(self) -> Iterator[tuple[str, str]]:
        for folder in _COMMANDS:
            commands = f"{self._top}/{folder}".lstrip("/")
            for name in self._tree.names(commands) or ():
                below = self._tree.names(f"{commands}/{name}")
                if below is None:
                    yield name, f"{commands}/{name}"
                for output in below or ():
                    yield output, f"{commands}/{name}/{output}"
        for name in self._tree.names(self._top) or ():
            if name in _OF_NODE:
                yield _OF_NODE[name], f"{self._top}/{name}".lstrip("/")

    def _links(self) -> dict[str, str]:
        """Those of /sys/block in the archive; a folder there is an array's or a loop device's, so no link is told."""
        place = self._place("/sys/block")
        names = () if place is None else self._tree.names(place) or ()
        targets = ((name, self._tree.target(f"{place}/{name}")) for name in names)
        return {name: target for name, target in targets if target is not None}

    def _output(self, argv: Argv) -> Answer:
        for command in _spellings(argv):
            place = self._outputs.get(_mangled(command))
            content = None if place is None else self._content(place)
            if content is not None:
                return _named(content, command)
        if argv == (archived_logs.DMESG,):
            return self._log or missing(archived_logs.DMESG)
        told = sos_outputs.command(argv, self._text_of) or archived_tools.command(argv, self) or self._detected(argv)
        return told or missing(port.command_source(argv))

    def _detected(self, argv: Argv) -> Reply | None:
        """A kernel's log alone is that of a machine, of no container; what it runs on, the kernel said at boot."""
        if self._log is None or argv[:1] != ("systemd-detect-virt",):
            return None
        if word := archived_logs.hypervisor(self._log.text):
            return Reply(f"{word}\n", self._log.source)
        own = self._log.source.endswith(archived_logs.CRASHED) or {*self._outputs} <= {*_OF_NODE.values()}
        return Reply("none\n", self._log.source) if own and argv[1:] == ("--container",) else None

    def output(self, command: str) -> str | None:
        """A command's output, by sos's spelling; with '*' at its end, of the first that begins so."""
        return next(iter(self.outputs(command[:-1])), None) if command.endswith("*") else self._text_of(command)

    def outputs(self, beginning: str) -> list[str]:
        start = _mangled(beginning)
        names = sorted(it for it in self._outputs if it.startswith(start))[:_MOST_TOPS]
        return [answer.text for it in names if isinstance(answer := self._content(self._outputs[it]), Reply)]

    def file(self, path: str) -> str | None:
        answer = self._copied(path)
        return answer.text if isinstance(answer, Reply) else None

    def names(self, path: str) -> list[str] | None:
        place = self._place(path)
        return None if place is None else self._tree.names(place)

    def _text_of(self, command: str) -> str | None:
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
    return missing(source) if content is None else replace(content, source=source)


def _top(tree: FileTree, archive: str) -> str | None:
    """The folder that holds outputs, or else /proc or /sys, or a kernel's log: the tree itself, or one below it.

    Raises MachineError where several do: which of the machines is meant, nobody can guess.
    """
    for marks in (_COMMANDS, _BARE, _LOGS):
        level = [""]
        for _ in range(_DEEPEST_TOP):
            found = [it for it in level if any(_holds(tree, it, mark) for mark in marks)]
            if len(found) > 1:
                where = ", ".join(found[:_SHOWN]) + (", …" if len(found) > _SHOWN else "")
                raise MachineError(archive, f"holds {len(found)} machines", f"unpack it and name one of them: {where}")
            if found:
                return found[0]
            below = (f"{it}/{name}".lstrip("/") for it in level for name in tree.names(it) or ())
            level = sorted(below, key=lambda it: not it.endswith("/nodes"))[:_MOST_TOPS]
    return None


def _holds(tree: FileTree, folder: str, mark: str) -> bool:
    return mark in (tree.names(folder) or ()) if mark in _LOGS else _is_folder(tree, f"{folder}/{mark}")


def _is_folder(tree: FileTree, path: str) -> bool:
    return tree.names(path.lstrip("/")) is not None
