"""What the outputs in a sos archive say to questions that sos does not ask, in the form that is asked for.

| asked | told by |
|---|---|
| systemd-detect-virt | hostnamectl status |
| statvfs of a mount point | df -al, df -ali |
| systemctl show UNIT | systemctl list-unit-files, systemctl list-units |
| /proc/sys | sysctl -a; kernel and host name: uname -a |
| /sys/class/dmi/id | dmidecode |
| /proc/mounts | mount -l |
| dmsetup status of one target | dmsetup status |

https://github.com/sosreport/sos/tree/main/sos/report/plugins (host, filesys, systemd, kernel; 3.2 to 4.10)
"""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from fsadvisor.facts import unreadable
from fsadvisor.machine.port import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.machine.port import Answer, Argv

    Output = Callable[[str], str | None]
    """The text of the output of a command as sos spells it, None where the archive has none."""

_HOSTNAMECTL: Final = "hostnamectl status"
_SIZES: Final = ("df -al -x autofs", "df -al")
_INODES: Final = ("df -aliT -x autofs", "df -ali -x autofs", "df -ali")
_UNIT_FILES: Final = "systemctl list-unit-files"
_UNITS: Final = ("systemctl list-units --all", "systemctl list-units")
_SYSCTL: Final = "sysctl -a"
_UNAME: Final = "uname -a"
_BY_UNAME: Final = {"/proc/sys/kernel/hostname": 1, "/proc/sys/kernel/osrelease": 2}
_MOUNT: Final = ("mount -l", "mount")
_MOUNTED = re.compile(r"^(\S.*?) on (/.*?) type (\S+) \(([^()]*)\)(?: \[.*\])?$", re.MULTILINE)
_DMI: Final = {
    "/sys/class/dmi/id/sys_vendor": ("System", "Manufacturer"),
    "/sys/class/dmi/id/product_name": ("System", "Product Name"),
}

_LINE_OF_HOSTNAMECTL = re.compile(r"^ *(Chassis|Virtualization): ([a-z0-9-]+)(?: \S+)?$", re.MULTILINE)
_COLUMNS = re.compile(r" ([0-9]{1,19}) +([0-9]{1,19}) +(-?[0-9]{1,19}) +(?:[0-9]{1,3}%|-) (/.*)$", re.MULTILINE)
_SHOWN = "--property=Id,LoadState,ActiveState,UnitFileState"
_ENDS_OF_UNITS = re.compile(r"^[0-9]+ (?:loaded units listed|unit files listed)\b", re.MULTILINE)


_DAY = re.compile(r"\b([A-Z][a-z]{2}) +([0-9]{1,2}) [0-9]{1,2}:[0-9]{2}:[0-9]{2} .*\b([0-9]{4})$", re.MULTILINE)


def day(said: str) -> dt.date | None:
    """The day in what `date` prints where no language is set."""
    found = _DAY.search(said)
    try:
        return found and dt.datetime.strptime(" ".join(found.groups()), "%b %d %Y").replace(tzinfo=dt.UTC).date()
    except ValueError:
        return None


def command(argv: Argv, output: Output) -> Answer | None:
    """The answer to a command that sos does not run, None where nothing tells it."""
    if argv[:1] == ("systemd-detect-virt",):
        return _virtualization(output)
    if argv[:2] == ("systemctl", "show") and argv[-1] == _SHOWN:
        return _shown(argv[2:-1], output)
    if argv[:4] == ("dmsetup", "status", "--noflush", "--target") and len(argv) == 5:
        return _status(argv[4], output)
    return None


def _status(target: str, output: Output) -> Answer | None:
    """The lines of one kind of target."""
    text = output("dmsetup status")
    if text is None:
        return None
    lines = [line for line in text.splitlines() if re.match(rf"[^:]+: \d+ \d+ {re.escape(target)}\b", line)]
    return Reply("".join(f"{line}\n" for line in lines), "dmsetup status", 0)


def _virtualization(output: Output) -> Answer | None:
    """A virtual machine, a container, or `none` where the chassis is another: hostnamectl asks the same way."""
    told = dict(_LINE_OF_HOSTNAMECTL.findall(output(_HOSTNAMECTL) or ""))
    word = told.get("Virtualization")
    if word is None and told.get("Chassis") not in (None, "vm", "container"):
        word = "none"
    return None if word is None else Reply(f"{word}\n", _HOSTNAMECTL, 0)


def space(mount_point: str, output: Output) -> Answer | None:
    """Bytes and inodes of a filesystem, as df told them; None where it did not."""
    sizes = _row(_SIZES, "1K-blocks", mount_point, output)
    inodes = _row(_INODES, "Inodes", mount_point, output)
    if sizes is None or inodes is None:
        return None
    (size, used, available), (total, _, free) = sizes, inodes
    answer = {
        "size": size << 10,
        "free": max(size - used, 0) << 10,
        "available": max(available, 0) << 10,
        "inodes": total,
        "inodes_free": max(free, 0),
    }
    return Reply(json.dumps(answer), f"{_SIZES[0]}; df -ali")


def _row(commands: tuple[str, ...], unit: str, mount_point: str, output: Output) -> tuple[int, int, int] | None:
    """The numbers of a mount point; of one that is mounted over, df's rows differ, and none is believed."""
    text = next((text for it in commands if (text := output(it)) is not None), "")
    heading, _, rows = text.partition("\n")
    if unit not in heading.split():
        return None
    found = {(int(a), int(b), int(c)) for a, b, c, point in _COLUMNS.findall(rows) if point == mount_point}
    return found.pop() if len(found) == 1 else None


def _shown(names: tuple[str, ...], output: Output) -> Answer | None:
    told = [_unit(name, output) for name in names]
    texts = [it.text for it in told if it is not None]
    return replace(told[0], text="\n".join(texts)) if told[0] is not None and len(texts) == len(told) else None


def _unit(name: str, output: Output) -> Reply | None:
    """A unit's states: what is not among the loaded units is inactive, if the list is whole."""
    files, units = output(_UNIT_FILES), next((text for it in _UNITS if (text := output(it)) is not None), None)
    if files is None or units is None or not _ENDS_OF_UNITS.search(files) or not _ENDS_OF_UNITS.search(units):
        return None
    escaped = re.escape(name)
    file = re.search(rf"^{escaped} +([a-z-]+)\b", files, re.MULTILINE)
    unit = re.search(rf"^[ ●*]*{escaped} +([a-z-]+) +([a-z-]+) ", units, re.MULTILINE)
    loaded = unit[1] if unit else "loaded" if file else "not-found"
    lines = (f"Id={name}", f"LoadState={loaded}", f"ActiveState={unit[2] if unit else 'inactive'}")
    state = f"UnitFileState={file[1] if file else ''}"
    return Reply("\n".join((*lines, state, "")), f"{_UNIT_FILES}; systemctl list-units", 0)


def file(path: str, output: Output) -> Answer | None:
    """A file that the archive lacks, by what an output says of it; None where none does."""
    if path == "/proc/mounts":
        return _mounts(output)
    if (names := _DMI.get(path)) is not None:
        return _firmware(*names, output)
    return setting(path, output) or _named_by_uname(path, output)


def _named_by_uname(path: str, output: Output) -> Answer | None:
    at = _BY_UNAME.get(path)
    words = [] if at is None else (output(_UNAME) or "").split()
    return Reply(f"{words[at]}\n", _UNAME) if at is not None and words[:1] == ["Linux"] and len(words) > at else None


def _firmware(section: str, key: str, output: Output) -> Answer | None:
    found = re.search(rf"^{section} Information\n(?:\t.*\n)*?\t{key}: (.+)$", output("dmidecode") or "", re.MULTILINE)
    return Reply(f"{found[1]}\n", "dmidecode") if found else None


def _mounts(output: Output) -> Answer | None:
    """`mount -l` in the form of /proc/mounts."""
    text = next((text for it in _MOUNT if (text := output(it))), "")
    rows = ([it.replace("\\", "\\134").replace(" ", "\\040") for it in row] for row in _MOUNTED.findall(text))
    lines = [f"{' '.join(row)} 0 0\n" for row in rows]
    return Reply("".join(lines), _MOUNT[0]) if lines else None


def setting(path: str, output: Output) -> Answer | None:
    """A file below /proc/sys, by sysctl -a; None where that does not list it."""
    text = output(_SYSCTL) if path.startswith("/proc/sys/") else None
    if text is None:
        return None
    name = path.removeprefix("/proc/sys/").replace("/", ".")
    found = set(re.findall(rf"^{re.escape(name)} = (.*)$", text, re.MULTILINE))
    if len(found) > 1:
        return unreadable(f"{name} stands twice", _SYSCTL)
    return Reply(f"{found.pop()}\n", _SYSCTL) if found else None
