"""The archive of SUSE's supportconfig as a tree of files and outputs: it has all of them as sections of text files.

    #==[ Command ]======================================#
    # /usr/bin/lsblk -i -o 'NAME,KNAME,MAJ:MIN,…'
    NAME    KNAME   MAJ:MIN …

    #==[ Configuration File ]===========================#
    # /proc/partitions

Of a configuration file, comments and empty lines are left out, so nothing here may depend on them.

https://github.com/openSUSE/supportutils/blob/master/bin/supportconfig (and supportconfig.rc)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fsadvisor.machine.port import Reply
from fsadvisor.machine.trees import is_text_of_supportconfig

if TYPE_CHECKING:
    from fsadvisor.machine.port import Answer
    from fsadvisor.machine.trees import Tree

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


def seen_through(tree: Tree) -> Tree:
    """The tree that a supportconfig archive's texts describe; any other tree as it is."""
    tops = ["", *(tree.names("") or ())[:_MOST_FILES]]
    top = next((it for it in tops if MARK in (tree.names(it) or ())), None)
    return tree if top is None else _Described(tree, top)


class _Described:
    """Files by their paths, and outputs by sos's names for them."""

    def __init__(self, tree: Tree, top: str) -> None:
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
