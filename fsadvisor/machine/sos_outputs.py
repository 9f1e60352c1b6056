"""What outputs and `ps` in a sos archive say to questions that sos does not ask, and what no archive holds.

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

https://github.com/sosreport/sos/tree/main/sos/report/plugins, https://github.com/openSUSE/supportutils

| told | by |
|---|---|
| name | /proc/PID/status, the column comm of `ps axo …,comm,cgroup`, else the first argument |
| paths and settings | the column COMMAND of ps auxwww; where an argument has a space, its parts |
| in a container, or not | /proc/PID/mountinfo beside that of the first process, the column cgroup |

No archive has a process's working directory, so a program whose data lie there and whose arguments don't say where
is told without its directory (`listed`). Its environment is not there either.

https://man7.org/linux/man-pages/man1/ps.1.html
"""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from fsadvisor.facts import Cause, Unknown, unreadable
from fsadvisor.machine import port, watching
from fsadvisor.machine.port import Reply
from fsadvisor.machine.redaction import argument_paths, settings_in_arguments
from fsadvisor.machine.watching import container_named_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.machine.archived_tools import Archive

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
_HOW_MOUNTED = re.compile(r" type (\S+) \(([^()]*)\)$")
_HOW_MOUNTED_WITH_LABEL = re.compile(r" type (\S+) \(([^()]*)\) \[.*\]$")
_DMI: Final = {
    "/sys/class/dmi/id/sys_vendor": ("System", "Manufacturer"),
    "/sys/class/dmi/id/product_name": ("System", "Product Name"),
}

_LINE_OF_HOSTNAMECTL = re.compile(r"^ *(Chassis|Virtualization): ([a-z0-9-]+)(?: \S+)?$", re.MULTILINE)
_COLUMNS = re.compile(r" ([0-9]{1,19}) +([0-9]{1,19}) +(-?[0-9]{1,19}) +(?:[0-9]{1,3}%|-) (/.*)$", re.MULTILINE)
_SHOWN = "--property=Id,LoadState,ActiveState,UnitFileState"
_ENDS_OF_UNITS = re.compile(r"^[0-9]+ (?:loaded units listed|unit files listed)\b", re.MULTILINE)


_DAY = re.compile(r"\b([A-Z][a-z]{2}) +([0-9]{1,2}) [0-9]{1,2}:[0-9]{2}:[0-9]{2} .{0,40}\b([0-9]{4})$", re.MULTILINE)


def day(text: str) -> dt.date | None:
    """The day in what `date` prints where no language is set."""
    found = _DAY.search(text)
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
    rows = ([it.replace("\\", "\\134").replace(" ", "\\040") for it in row] for row in _mounted(text))
    lines = [f"{' '.join(row)} 0 0\n" for row in rows]
    return Reply("".join(lines), _MOUNT[0]) if lines else None


def _mounted(text: str) -> Iterator[tuple[str, str, str, str]]:
    """What is mounted, where, of which type and how. One expression for all four would try each pair of places."""
    for line in text.split("\n"):
        source, _, rest = line.partition(" on /")
        how = (_HOW_MOUNTED_WITH_LABEL if rest.endswith("]") else _HOW_MOUNTED).search(rest)
        if how and source[:1].strip():
            yield source, f"/{rest[: how.start()]}", how[1], how[2]


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


_ALL: Final = "`fsadvisor capture` there asks for all"
_LONGEST: Final = 60
_COMMANDS: Final = {port.PROCESSES_SOURCE: "ps auxww", port.COUNTERS_SOURCE: "cat /proc/meminfo /proc/diskstats"}
_KEPT_BY: Final = (
    ("nvme id-", "sos and supportconfig keep it where nvme-cli is installed"),
    ("nvme smart-log", "sos and supportconfig keep it where nvme-cli is installed"),
    ("smartctl", "sos and supportconfig keep it where smartmontools is installed"),
    ("dumpe2fs", "sos keeps it"),
    ("xfs_info", "sos keeps it"),
    ("btrfs filesystem usage", "supportconfig keeps it"),
    ("dmsetup", "sos and supportconfig keep it"),
    ("lvs", "sos and supportconfig keep it"),
    ("zpool", "sos keeps it, but of healthy pools no device"),
    ("zfs", "sos keeps it"),
    ("dmesg", "sos and supportconfig keep it"),
    ("systemctl show", "sos and supportconfig keep the lists of units"),
    ("systemd-detect-virt", "sos 3.6 and later keep hostnamectl, which tells it"),
    (port.UDEV_SOURCE, "sos 3.6 and later and supportconfig keep it"),
    (port.PROCESSES_SOURCE, "sos and supportconfig keep it"),
    ("stat -f ", "sos keeps df, which tells it"),
    ("/proc/self/mountinfo", "sos keeps it"),
    ("/proc/mounts", "sos and supportconfig keep it"),
    ("/etc/fstab", "sos and supportconfig keep it"),
    ("/proc/sys/", "sos keeps sysctl, which tells it"),
    ("/proc/cpuinfo", "sos keeps it"),
    ("/sys/class/dmi/id/", "sos keeps dmidecode, which tells it"),
)
"""How a source begins, and who keeps it."""
_BEGINNINGS: Final = tuple(beginning for beginning, _ in _KEPT_BY)


def missing(source: str) -> Unknown:
    """No answer to a question, by the name of its source."""
    command = _COMMANDS.get(source) or (f"cat {source}" if source.startswith("/") else source)
    if len(command) > _LONGEST:
        command = command.partition(" -")[0]
    kept = "this archive does not hold it"
    if source.startswith(_BEGINNINGS):
        kept = next(words for beginning, words in _KEPT_BY if source.startswith(beginning))
    asked = f"run `{command}` on the machine; {_ALL}" if _is_command(command) else f"run it there: {_ALL}"
    return Unknown(Cause.NOT_EXPOSED, f"{asked} ({kept})", source)


def _is_command(text: str) -> bool:
    """Not what is said in words alone, and no search through files."""
    return bool(text) and not text.startswith(("FIEMAP", "grep"))


_LISTS: Final = (
    "ps auxwwwm", "ps auxwww", "ps auxww", "ps aux", "ps auxfwww",
    "ps axwwo user,pid,ppid,%cpu,%mem,vsz,rss,stat,time,cmd",
)  # fmt: skip
_GROUPS: Final = "ps axo pid,ppid,user,group,lwp,nlwp,start_time,comm,cgroup"
_COLUMNS_BEFORE_COMM: Final = 7
_LONGEST_NAME: Final = 15
"""Of the kernel: TASK_COMM_LEN less its end."""
_MOST_LINES: Final = 100_000
_PID: Final = re.compile(r"[0-9]{1,10}")
_NAME: Final = re.compile(r"^Name:\t(.+)$", re.MULTILINE)
_ROOT: Final = re.compile(r"^\d+ \d+ (\d+:\d+) (\S+) / ", re.MULTILINE)
_OF_THE_HOST: Final = re.compile(r"(?:\d+:[^:]*:|)/(?:(?:system|user|init)\.(?:slice|scope)(?:/.*)?)?$")


def processes(names: Sequence[str], archive: Archive) -> Reply | None:
    """Those with one of these names; None where the archive has no list."""
    source, text = next(((it, text) for it in _LISTS if (text := archive.output(it))), ("", ""))
    heading, _, rows = text.partition("\n")
    columns = heading.split()
    if columns[:2] != ["USER", "PID"] or columns[-1] not in ("COMMAND", "CMD"):
        return None
    groups = dict(_groups(archive.output(_GROUPS) or ""))
    found: dict[int, dict[str, Any]] = {}
    for row in rows.splitlines()[:_MOST_LINES]:
        cells = row.split(None, len(columns) - 1)
        if len(cells) < len(columns) or not _PID.fullmatch(cells[1]) or cells[-1] == "-" or cells[-1].startswith("["):
            continue
        pid, arguments = int(cells[1]), cells[-1].removeprefix("\\_ ").split()
        comm, group = groups.get(pid, ("", ""))
        name = _own_name(pid, archive) or comm or arguments[0].rpartition("/")[2].rstrip(":")
        name = next((it for it in names if it[:_LONGEST_NAME] == name[:_LONGEST_NAME]), "")
        if name:
            found.setdefault(pid, _process(pid, name, cells[0], arguments, group, archive))
    ordered = sorted(found.values(), key=lambda it: (it["name"], it["pid"]))
    return Reply(json.dumps(ordered), source)


def _groups(text: str) -> Iterator[tuple[int, tuple[str, str]]]:
    """The name and the control group of each process: the two last columns, of which the first may have spaces."""
    for row in text.splitlines()[1:_MOST_LINES]:
        cells = row.split(None, _COLUMNS_BEFORE_COMM)
        if len(cells) > _COLUMNS_BEFORE_COMM and _PID.fullmatch(cells[0]):
            comm, _, group = cells[-1].strip().rpartition(" ")
            yield int(cells[0]), (comm.strip(), group)


def _own_name(pid: int, archive: Archive) -> str:
    found = _NAME.search(archive.file(f"/proc/{pid}/status") or "")
    return found[1] if found else ""


def _process(pid: int, name: str, user: str, arguments: list[str], group: str, archive: Archive) -> dict[str, Any]:
    mounts = archive.file(f"/proc/{pid}/mountinfo")
    here = _is_here(mounts, group, archive)
    process = {
        "pid": pid,
        "name": name,
        "user": user,
        "cwd": None,
        "listed": True,
        "paths": argument_paths(arguments),
        "settings": settings_in_arguments(arguments),
        "here": here,
    }
    if name in watching.QEMU_NAMES:
        process["images"] = watching.qemu_disks(arguments)
    if here is False:
        process |= {"container": container_named_in(group), "mounts": mounts}
    return process


def _is_here(mounts: str | None, group: str, archive: Archive) -> bool | None:
    """Whether its root directory is the host's: the same device and directory; else by its control group."""
    host = _ROOT.search(archive.file("/proc/1/mountinfo") or archive.file("/proc/self/mountinfo") or "")
    own = _ROOT.search(mounts or "")
    if own and host:
        return own.groups() == host.groups()
    if container_named_in(group) is not None:
        return False
    return True if group and all(_OF_THE_HOST.fullmatch(it) for it in group.split(",")) else None
