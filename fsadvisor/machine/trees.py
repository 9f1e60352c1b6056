# ruff: noqa: D102 - FileTree documents the methods
"""A file tree that came from a stranger: a folder or an archive, never extracted, links resolved only inside it.

The archive of SUSE's supportconfig as a tree of files and outputs: it has all of them as sections of text files.

    #==[ Command ]======================================#
    # /usr/bin/lsblk -i -o 'NAME,KNAME,MAJ:MIN,…'
    NAME    KNAME   MAJ:MIN …

    #==[ Configuration File ]===========================#
    # /proc/partitions

Of a configuration file, comments and empty lines are left out, so nothing here may depend on them.

https://github.com/openSUSE/supportutils/blob/master/bin/supportconfig (and supportconfig.rc)
"""

from __future__ import annotations

import lzma
import os
import re
import tarfile
import zlib
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Final, Protocol

from fsadvisor.facts import Unknown, unreadable
from fsadvisor.machine import unpacking, untouched
from fsadvisor.machine.port import MachineError, Reply
from fsadvisor.machine.runner import MOST_NAMES, OUTPUT_CAP_BYTES, decoded, encoded, too_much
from fsadvisor.machine.unpacking import OF_ITS_SIZE, Unpacked, too_large

if TYPE_CHECKING:
    from fsadvisor.machine.port import Answer
    from fsadvisor.machine.unpacking import Member

MOST_LINKS = 40
MOST_STEPS = 1000
"""Of one path with all links in it."""
DEEPEST = 100
"""Directories above a file; those of a real /sys are less than 40."""
_ENTRY_BYTES = 250
"""What Python takes to keep a name, beyond its characters."""
_DAMAGE = (tarfile.TarError, EOFError, lzma.LZMAError, zlib.error, OSError, ValueError)
_PARTS_OF_INTEREST = {
    "dev", "etc", "hostname", "insights_commands", "proc", "run", "sos_commands", "sys", "version.txt",
}  # fmt: skip
_LOG: Final = re.compile(r"(?:.*/)?(?:messages|syslog|kern\.log|dmesg|vmcore-dmesg\.txt|journalctl_[^/]*)", re.DOTALL)
"""Of these the end tells most: it is kept where all is too much."""
_ANYWHERE: Final = re.compile(
    r"(?:.*/)?(?:nodes/[^/]+/lscpu|dmesg|vmcore-dmesg\.txt|var/log/(?:messages|syslog|kern\.log)"
    r"|(?:var|opt)/.*\.(?:conf|cnf)|PG_VERSION|(?:mysql|mariadb)_upgrade_info)",
    re.DOTALL,
)


class FileTree(Protocol):
    """Names separated by slashes, '' for the top; no method follows a link."""

    def target(self, name: str) -> str | None:
        """Where a link points, None where there is none of that name."""
        ...

    def names(self, name: str) -> list[str] | None:
        """The names in a folder, MOST_NAMES and one more at most, None where there is none of that name."""
        ...

    def content(self, name: str) -> Answer | None:
        """The text of a regular file, None where there is none of that name."""
        ...


def resolved(tree: FileTree, path: str, top: str = "") -> str | None:
    """The name to which a path leads through links, '..' and all, never above `top`; None where in circles."""
    above = [top]
    left = list(reversed(path.split("/")))
    links = 0
    for _ in range(MOST_STEPS):
        if not left:
            return above[-1]
        part = left.pop()
        if part == "..":
            above = above[:-1] or [top]
        elif part not in ("", "."):
            name = f"{above[-1]}/{part}" if above[-1] else part
            target = tree.target(name)
            if target is None:
                above.append(name)
                continue
            links += 1
            if links > MOST_LINKS:
                return None
            above = [top] if target.startswith("/") else above
            left += reversed(target.split("/"))
    return None


class FolderTree:
    """A folder on disk."""

    def __init__(self, folder: str) -> None:
        self._folder = encoded(folder)
        self._targets: dict[str, str | None] = {}

    def target(self, name: str) -> str | None:
        if name not in self._targets:
            self._targets[name] = self._read_target(name)
        return self._targets[name]

    def _read_target(self, name: str) -> str | None:
        try:
            return decoded(os.readlink(self._path(name)))  # noqa: PTH115 - bytes
        except (OSError, ValueError):
            return None

    def names(self, name: str) -> list[str] | None:
        if self.target(name) is not None:
            return None
        try:
            with os.scandir(self._path(name)) as entries:
                return sorted(decoded(entry.name) for entry in islice(entries, MOST_NAMES + 1))
        except (OSError, ValueError):
            return None

    def content(self, name: str) -> Answer | None:
        def take(descriptor: int, size: int) -> Answer:
            if size > OUTPUT_CAP_BYTES:
                if not _LOG.fullmatch(name):
                    return too_much(name)
                os.lseek(descriptor, -OUTPUT_CAP_BYTES, os.SEEK_END)
                return Reply(_whole_lines(os.read(descriptor, OUTPUT_CAP_BYTES)), name)
            return Reply(decoded(os.read(descriptor, OUTPUT_CAP_BYTES)), name)

        return untouched.kept(self._folder + b"/", name, "the archive's files", take)

    def _path(self, name: str) -> bytes:
        return self._folder + b"/" + encoded(name)


class ArchiveTree:
    """A tar archive, packed or not, read once into memory: what is small and of interest.

    Raises MachineError for what is no archive, is damaged or cut short, or is more than its size allows. Members
    with absolute paths or '..', device nodes and sparse files are passed over.
    """

    def __init__(self, archive: str) -> None:
        self._archive = archive
        self._contents: dict[str, bytes | Unknown] = {}
        self._targets: dict[str, str] = {}
        self._folders: dict[str, set[str]] = {"": set()}
        try:
            with closing(Unpacked(archive)) as tar:
                self._most_names = self._names_left = tar.allowance.names_bytes
                self._contents_left = tar.allowance.content_bytes
                for member in unpacking.members(tar):
                    self._keep(tar, member)
                tar.finish()
        except _DAMAGE as damage:
            choice = "copy it again, or unpack it and name the directory"
            why = (isinstance(damage, OSError) and damage.strerror) or damage
            raise MachineError(archive, f"the archive is damaged or cut short ({why})", choice) from None

    def _keep(self, tar: Unpacked, member: Member) -> None:
        name = _name_of_interest(self._archive, member.name)
        if name is None or not (is_file := member.header.isreg() and not member.sparse):
            unpacking.skip(tar, member.size)
        if name is None:
            return
        if member.header.isdir():
            self._add_folder(name)
        elif member.header.issym():
            self._add(name)
            self._take_name(member.target)
            self._targets[name] = member.target
        elif is_file:
            self._add(name)
            self._contents[name] = self._content(tar, name, member.size)

    def _content(self, tar: Unpacked, name: str, size: int) -> bytes | Unknown:
        if size <= min(OUTPUT_CAP_BYTES, self._contents_left):
            self._contents_left -= size
            return unpacking.read(tar, size)
        if size > OUTPUT_CAP_BYTES and _LOG.fullmatch(name) and self._contents_left >= OUTPUT_CAP_BYTES:
            self._contents_left -= OUTPUT_CAP_BYTES
            tar.skip(size - OUTPUT_CAP_BYTES)
            content = tar.read(OUTPUT_CAP_BYTES)
            tar.skip(-size % tarfile.BLOCKSIZE)
            return encoded(_whole_lines(content))
        unpacking.skip(tar, size)
        if size > OUTPUT_CAP_BYTES:
            return too_much(name)
        return unreadable(f"the archive holds more than {tar.allowance.content_bytes >> 20} MiB before it", name)

    def _add(self, name: str) -> None:
        """A name to the directory that it is in."""
        folder, _, last = name.rpartition("/")
        self._add_folder(folder)
        self._take_name(last)
        self._folders[folder].add(last)

    def _add_folder(self, folder: str) -> None:
        """A directory and those above it, as far as they are not there yet."""
        missing = []
        while folder not in self._folders:
            missing.append(folder)
            folder = folder.rpartition("/")[0]
        for name in reversed(missing):
            self._take_name(name)
            above, _, last = name.rpartition("/")
            self._folders[above].add(last)
            self._folders[name] = set()

    def _take_name(self, name: str) -> None:
        self._names_left -= len(name) + _ENTRY_BYTES
        if self._names_left < 0:
            raise too_large(self._archive, f"holds names of more than {self._most_names >> 20} MiB", OF_ITS_SIZE)

    def target(self, name: str) -> str | None:
        return self._targets.get(name)

    def names(self, name: str) -> list[str] | None:
        names = self._folders.get(name)
        return None if names is None else sorted(islice(names, MOST_NAMES + 1))

    def content(self, name: str) -> Answer | None:
        content = self._contents.get(name)
        return Reply(decoded(content), name) if isinstance(content, bytes) else content


class LogTree:
    """A kernel's log by itself, as kdump leaves one."""

    def __init__(self, text: str) -> None:
        self._text = text

    def target(self, name: str) -> str | None:  # noqa: ARG002 - there are no links
        """None."""
        return None

    def names(self, name: str) -> list[str] | None:
        """The one name."""
        return ["vmcore-dmesg.txt"] if not name else None

    def content(self, name: str) -> Answer | None:
        """The log."""
        return Reply(self._text, name) if name == "vmcore-dmesg.txt" else None


def _whole_lines(end: bytes) -> str:
    """Without what is left of a line whose beginning is not there."""
    return decoded(end.partition(b"\n")[2])


def is_text_of_supportconfig(name: str) -> bool:
    """Whether a file at the top may hold its sections."""
    return name.endswith(".txt") or name.startswith("smartmon-")


def _name_of_interest(archive: str, name: str) -> str | None:
    """The name of what a machine's archive may answer with, None for what is passed over."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    of_supportconfig = 0 < len(parts) <= 2 and is_text_of_supportconfig(parts[-1])
    if (
        name.startswith("/")
        or ".." in parts
        or not (of_supportconfig or _PARTS_OF_INTEREST & set(parts[:3]) or _ANYWHERE.fullmatch("/".join(parts)))
    ):
        return None
    if len(parts) > DEEPEST:
        raise too_large(archive, f"has a path of more than {DEEPEST} names")
    return "/".join(parts)


MARK: Final = "basic-environment.txt"
_SECTION: Final = re.compile(r"^#==\[ (Command|Configuration File) \]=+#\n# (/\S+|\S+)(.*)\n", re.MULTILINE)
_END: Final = "\n#==["
_ALIKE: Final = {
    "udevadm info -e": "udevadm info --export-db",
    "hostnamectl": "hostnamectl status",
    "systemctl --no-pager --all list-units": "systemctl list-units --all",
    "systemctl --no-pager list-unit-files": "systemctl list-unit-files",
    "systemctl --no-pager list-timers --all": "systemctl list-timers --all",
    "df -i": "df -ali",
}
"""What is asked alike with other words; of df's other columns its readers look at the heading."""
_MOST_FILES: Final = 1000
"""Texts that are looked into: our own bound; an archive has about 100."""


def seen_through(tree: FileTree) -> FileTree:
    """The tree that a supportconfig archive's texts describe; any other tree as it is."""
    tops = ["", *(tree.names("") or ())[:_MOST_FILES]]
    top = next((it for it in tops if MARK in (tree.names(it) or ())), None)
    return tree if top is None else _Described(tree, top)


class _Described:
    """Files by their paths, and outputs by sos's names for them."""

    def __init__(self, tree: FileTree, top: str) -> None:
        self._contents: dict[str, str] = {}
        self._folders: dict[str, set[str]] = {"": set()}
        texts = [name for name in tree.names(top) or () if is_text_of_supportconfig(name)]
        for name in texts[:_MOST_FILES]:
            answer = tree.content(f"{top}/{name}".lstrip("/"))
            if isinstance(answer, Reply):
                self._take(answer.text)

    def _take(self, text: str) -> None:
        for section in _SECTION.finditer(text):
            kind, first, rest = section.groups()
            content = text[section.end() : text.find(_END, section.end() - 1) % (len(text) + 1)].strip("\n")
            if kind == "Command":
                command = f"{first.rpartition('/')[2]}{rest}".strip()
                name = re.sub(r"[^\w./-]+", "_", _spelled(command)).replace("/", ".").strip(" ._-")
                self._add(f"sos_commands/supportconfig/{name}", content)
            elif first.startswith("/") and not rest and ".." not in first:
                self._add(first.strip("/"), content)

    def _add(self, path: str, content: str) -> None:
        if path in self._contents or path in self._folders or not content:
            return
        self._contents[path] = f"{content}\n"
        while path:
            folder, _, name = path.rpartition("/")
            self._folders.setdefault(folder, set()).add(name)
            path = folder

    def target(self, name: str) -> str | None:  # noqa: ARG002 - there are no links
        return None

    def names(self, name: str) -> list[str] | None:
        return None if name not in self._folders else sorted(self._folders[name])

    def content(self, name: str) -> Answer | None:
        text = self._contents.get(name)
        return None if text is None else Reply(text, name)


def _spelled(command: str) -> str:
    """A command as sos spells it; lsblk with the columns that tell a tree counts as the plain one."""
    if command.startswith(("lsblk -i -o 'NAME,KNAME,MAJ:MIN", "lsblk -i -o NAME,KNAME,MAJ:MIN")):
        return "lsblk"
    return _ALIKE.get(command, command)
