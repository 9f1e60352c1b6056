"""What a recording holds of each text: all that verdicts are made of, no comment, no secret, nothing of a server's.

Lines keep their numbers, and what no reader understands stays something that it does not understand. What is left
then gets stand-ins (see identities.py).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from fsadvisor import secrecy
from fsadvisor.machine import attestation_file, boot_parameters, probe_file, sources

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.machine.port import Argv

_WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_COMMENT: Final = re.compile(r"(?:^|[ \t])[#;]")
_TABLES: Final = ("/etc/fstab", "/proc/self/mountinfo", "/proc/mounts")
_NAMES: Final = {"/etc/systemd/system": ".mount", "/etc/cron.weekly": "fstrim"}
_BROKEN: Final = "?"
"""A line that is no entry."""
_UDEV_KEY: Final = re.compile(
    r"DEVNAME|DEVTYPE|MAJOR|MINOR|SUBSYSTEM|ID_(?:ATA|BUS|FS_(?:LABEL|TYPE|USAGE|UUID|VERSION)|MODEL|NVME|"
    r"PART_ENTRY_(?:NUMBER|OFFSET|SCHEME|SIZE|TYPE)|PART_TABLE_TYPE|REVISION|SCSI|SERIAL|TYPE|USB|VENDOR|WWN)\w*"
)
_UNIT_KEYS: Final = frozenset(("Id", "Where", "What", "Type", "Options", "FragmentPath", "SourcePath"))
_OF_PROCESS: Final = ("pid", "name", "cwd", "paths", "settings", "here", "denied")


def of_file(path: str, text: str) -> str:
    """The text of a file."""
    told = _FILES.get(path) or (_mount_unit if path.endswith(".mount") else str)
    return told(text)


def of_command(argv: Argv, text: str) -> str:
    """What a command printed."""
    return _shown_units(text) if argv[:2] == ("systemctl", "show") else text


def of_names(folder: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names in a directory: of the jobs and units, whose names tell what a machine is for, those that are read."""
    wanted = _NAMES.get(folder)
    return names if wanted is None else tuple(name for name in names if name.endswith(wanted))


def names_places(where: str) -> bool:
    """Whether it is a table of mounts, or what programs run: with paths that people chose."""
    return where in (*_TABLES, sources.PROCESSES) or where.endswith(".mount") or where.startswith("systemctl show ")


def left_out_of_mounts(where: str, text: str) -> list[str]:
    """The words in a table of mounts that are left out of it, comments aside: servers, shares, buckets, people.

    They may stand in names of mount points too.
    """
    if not names_places(where) or where == sources.PROCESSES:
        return []
    told = _shown_units(text) if where.startswith("systemctl show ") else of_file(where, text)
    said = "\n".join(_COMMENT.split(line)[0] for line in text.split("\n"))
    return sorted(Counter(_WORD.findall(said)) - Counter(_WORD.findall(told)))


def of_udev(text: str) -> str:
    """The devices with the properties that tell what they are, without their links, which have all serials again."""
    return "".join(f"{line}\n" for line in text.split("\n")[:-1] if _is_told(line))


def _is_told(line: str) -> bool:
    if line.startswith("E: "):
        return _UDEV_KEY.fullmatch(line[3:].partition("=")[0]) is not None
    return not line.startswith("S: ")


def of_processes(text: str) -> str:
    """The processes without whose they are."""
    return json.dumps([{key: it[key] for key in _OF_PROCESS if key in it} for it in json.loads(text)])


def _fstab(text: str) -> str:
    return "\n".join(_fstab_line(line) for line in text.split("\n"))


def _fstab_line(line: str) -> str:
    fields = line.removesuffix("\r").split()
    if not fields or fields[0].startswith("#"):
        return "#" if fields else ""
    misplaced = secrecy.hides(secrecy.fstab_line(" ".join(("-", *fields[1:3]))))
    if len(fields) < 3 or misplaced or not all(number.isdigit() for number in fields[4:6]):
        return _BROKEN
    fields[0] = secrecy.anonymous_source(fields[2], fields[0])
    fields[3:4] = map(secrecy.written_options, fields[3:4])
    return " ".join(fields[:6])


def _mountinfo(text: str) -> str:
    return "\n".join(_mountinfo_line(line) for line in text.split("\n"))


def _mountinfo_line(line: str) -> str:
    front, dash, back = line.partition(" - ")
    first, last = front.split(" "), back.split(" ")
    if not dash or len(first) < 6 or len(last) < 3:
        return _BROKEN if line.strip() else ""
    first[5] = secrecy.written_options(first[5])
    last[1:] = [secrecy.anonymous_source(last[0], last[1]), secrecy.written_options(" ".join(last[2:]))]
    return " ".join((*first, "-", *last))


def _mounts(text: str) -> str:
    return "\n".join(_mounts_line(line) for line in text.split("\n"))


def _mounts_line(line: str) -> str:
    fields = line.split(" ")
    if len(fields) < 4 or " - " in line:
        return _mountinfo_line(line)  # an archive may keep it here
    fields[0] = secrecy.anonymous_source(fields[2], fields[0])
    fields[3] = secrecy.written_options(fields[3])
    return " ".join((*fields[:4], *("0" for _ in fields[4:6])))


def _mount_unit(text: str) -> str:
    """The sections and the assignments that are read, a continued line as one."""
    bare = "\n".join(line for line in re.split(r"\r\n|[\n\r\0]", text) if not line.lstrip().startswith(("#", ";")))
    lines = [line.strip() for line in re.sub(r"\\\n", " ", bare).split("\n")]
    kept = [line for line in lines if line in ("[Unit]", "[Mount]") or line.partition("=")[0].rstrip() in _UNIT_KEYS]
    return _with_mounts_told("\n".join((*kept, "")))


def _shown_units(text: str) -> str:
    return "\n\n".join(map(_with_mounts_told, text.split("\n\n")))


def _with_mounts_told(unit: str) -> str:
    """The unit with what it mounts, and with which options, as far as both may be told."""
    kind = re.search(r"^Type[ \t]*=[ \t]*(.*?)[ \t]*$", unit, re.MULTILINE)
    fs_type = kind[1] if kind else ""
    unit = re.sub(
        r"^(What[ \t]*=[ \t]*)(.*)$",
        lambda line: line[1] + secrecy.anonymous_source(fs_type, line[2]),
        unit,
        flags=re.MULTILINE,
    )
    return re.sub(
        r"^(Options[ \t]*=[ \t]*)(.*)$",
        lambda line: line[1] + secrecy.joined_options(line[2]),
        unit,
        flags=re.MULTILINE,
    )


_FILES: Final[dict[str, Callable[[str], str]]] = {
    boot_parameters.PATH: boot_parameters.about_storage,
    attestation_file.PATH: attestation_file.without_people,
    probe_file.PATH: probe_file.without_places,
    "/etc/fstab": _fstab,
    "/proc/self/mountinfo": _mountinfo,
    "/proc/mounts": _mounts,
}
