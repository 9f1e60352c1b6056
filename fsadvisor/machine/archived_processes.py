"""The running processes by `ps` in an archive, in the form that a live machine tells them.

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

import json
import re
from typing import TYPE_CHECKING, Any, Final

from fsadvisor.machine import guest_disks
from fsadvisor.machine.control_groups import named_in
from fsadvisor.machine.fit_to_tell import argument_paths, settings_in_arguments
from fsadvisor.machine.port import Reply

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.machine.archived_tools import Archive

_LISTS: Final = (
    "ps auxwwwm", "ps auxwww", "ps auxww", "ps aux", "ps auxfwww",
    "ps axwwo user,pid,ppid,%cpu,%mem,vsz,rss,stat,time,cmd",
)  # fmt: skip
_GROUPS: Final = "ps axo pid,ppid,user,group,lwp,nlwp,start_time,comm,cgroup"
_COLUMNS_BEFORE_COMM: Final = 7
_LONGEST_NAME: Final = 15
"""Of the kernel: TASK_COMM_LEN less its end."""
_MOST_LINES: Final = 100_000
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
        if len(cells) < len(columns) or not cells[1].isdigit() or cells[-1] == "-" or cells[-1].startswith("["):
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
        if len(cells) > _COLUMNS_BEFORE_COMM and cells[0].isdigit():
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
    if name in guest_disks.NAMES:
        process["images"] = guest_disks.disks(arguments)
    if here is False:
        process |= {"container": named_in(group), "mounts": mounts}
    return process


def _is_here(mounts: str | None, group: str, archive: Archive) -> bool | None:
    """Whether its root directory is the host's: the same device and directory; else by its control group."""
    host = _ROOT.search(archive.file("/proc/1/mountinfo") or archive.file("/proc/self/mountinfo") or "")
    own = _ROOT.search(mounts or "")
    if own and host:
        return own.groups() == host.groups()
    if named_in(group) is not None:
        return False
    return True if group and all(_OF_THE_HOST.fullmatch(it) for it in group.split(",")) else None
