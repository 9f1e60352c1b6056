"""The running processes, as /proc shows them.

Of a process in a container: which container it is, and where its mounts come from. Nothing below the container's own
root is opened here: see untouched.py. Of QEMU: the disks that it was given, by `-blockdev` with JSON or names with dots
(libvirt since 6.0, Proxmox since 9) and by `-drive`. What is configured of a guest that does not run is in no process.

https://docs.kernel.org/admin-guide/cgroup-v2.html#namespace, proc_pid_mountinfo(5)
https://www.qemu.org/docs/master/system/qemu-manpage.html (Block device options)
"""

from __future__ import annotations

import contextlib
import json
import os
import posixpath
import pwd
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from fsadvisor import strict_json
from fsadvisor.facts import Cause, Unknown, unreadable
from fsadvisor.machine import port, untouched
from fsadvisor.machine.port import Answer, MachineError, Reply
from fsadvisor.machine.redaction import ENVIRONMENT, argument_paths, settings_in_arguments
from fsadvisor.machine.runner import OUTPUT_CAP_BYTES
from fsadvisor.machine.untouched import captured_text
from fsadvisor.patterns import late

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


_ENDED: Final = (FileNotFoundError, ProcessLookupError)
"""What the kernel says of a process that ended, and of a descriptor that was closed, since they were listed."""


def processes(names: Sequence[str]) -> Answer:
    """The running processes with one of these names, as JSON, sorted by name and pid."""
    if not os.path.exists("/proc/self"):  # noqa: PTH110 - as quick as can be
        return Unknown(Cause.NOT_EXPOSED, "run it where /proc is mounted", port.PROCESSES_SOURCE)
    try:
        found = _called(names)
    except (OSError, ValueError) as error:
        return unreadable(f"processes: {error}", port.PROCESSES_SOURCE)
    found.sort(key=lambda process: (process["name"], process["pid"]))
    return Reply(json.dumps(found), port.PROCESSES_SOURCE)


def _called(names: Sequence[str]) -> list[dict[str, Any]]:
    """Each with one of these names. Raises OSError where /proc is refused."""
    found = []
    for pid, comm in _perhaps_called({name[:_COMM_LENGTH] for name in names}):
        with contextlib.suppress(*_ENDED):
            arguments = _arguments(pid)
            program = posixpath.basename(arguments[0]) if arguments else ""
            name = program if len(comm) == _COMM_LENGTH and program.startswith(comm) else comm
            if name in names:
                found.append(_process(pid, name, arguments))
    return found


_COMM_LENGTH: Final = 15
"""Of a process's name the kernel keeps so much; its arguments tell the rest."""


def _perhaps_called(beginnings: set[str]) -> Iterator[tuple[int, str]]:
    for pid in filter(str.isdecimal, os.listdir("/proc")):  # noqa: PTH208 - names only
        with contextlib.suppress(OSError), open(f"/proc/{pid}/comm", "rb") as comm:  # noqa: PTH123 - quick
            if (name := os.fsdecode(comm.read().rstrip(b"\n"))) in beginnings:
                yield int(pid), name


def _arguments(pid: int) -> list[str] | None:
    """None where they can't be read. Of a program that wrote over its own there may be spaces between.

    Raises FileNotFoundError or ProcessLookupError of one that has ended.
    """
    try:
        words = os.fsdecode(Path(f"/proc/{pid}/cmdline").read_bytes()).removesuffix("\0")
    except _ENDED:
        raise
    except OSError:
        return None
    return words.split("\0" if "\0" in words else " ") if words else []


def _process(pid: int, name: str, arguments: list[str] | None) -> dict[str, Any]:
    """One process; what was refused (None) is marked as denied. Raises as those that it asks."""
    words, cwd = arguments or [], _working_directory(pid)
    process = {
        "pid": pid,
        "name": name,
        "user": _user(pid),
        "cwd": cwd,
        "paths": argument_paths(words),
        "settings": settings_in_arguments(words),
        "here": _has_our_root(pid),
    }
    if process["here"]:
        process["writes"] = _written_folder(pid)
    if name in ENVIRONMENT and (name == "etcd" or process["here"] is False):
        process["environment"] = _environment(pid, name)
    if name in QEMU_NAMES:
        process["images"] = qemu_disks(words)
    if process["here"] is False:
        process |= container_fields(pid, cwd)
        if name in OVERWRITES:
            process["started"] = started_with(pid)
    denied = cwd is None or arguments is None or process["here"] is None
    return process | {"denied": True} if denied else process


_DELETED: Final = " (deleted)"


def _working_directory(pid: int) -> str | None:
    """None where that can't be read, as where it is longer than a path may be.

    Raises FileNotFoundError or ProcessLookupError of one that has ended.
    """
    try:
        path = str(Path(f"/proc/{pid}/cwd").readlink())
    except _ENDED:
        raise
    except OSError:
        return None
    return path.removesuffix(_DELETED) if path.endswith(_DELETED) and not os.path.exists(path) else path  # noqa: PTH110


_UID: Final = late(r"\nUid:\t(\d+)")


def _user(pid: int) -> str:
    """Whose it is: his name, else his number."""
    found = _UID.search(_text(f"/proc/{pid}/status") or "")
    try:
        return pwd.getpwuid(int(found[1])).pw_name if found else ""
    except KeyError:
        return found[1] if found else ""


_NO_DATA: Final = ("/var/log/", "/run/", "/var/run/", "/proc/", "/sys/", "/dev/", "/tmp/", "/etc/", "/usr/")  # noqa: S108


def _written_folder(pid: int) -> str | None:
    """The folder that holds all files that it has open for writing, logs aside; None where it has none of its own."""
    folders: set[str] = set()
    try:
        for number in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208 - of thousands
            with contextlib.suppress(*_ENDED):
                path = os.readlink(f"/proc/{pid}/fd/{number}")  # noqa: PTH115 - of thousands
                folder = posixpath.dirname(path)
                if folder not in folders and not path.startswith(_NO_DATA) and _is_written(pid, number, path):
                    folders.add(folder)
    except OSError:
        return None
    common = posixpath.commonpath(folders) if folders else "/"
    return common if common.count("/") > 1 and common not in ("/var/lib", "/var/spool") else None


def _is_written(pid: int, number: str, path: str) -> bool:
    """Whether a descriptor that leads there is a regular file's, and open for writing."""
    if not path.startswith("/") or not os.path.isfile(path):  # noqa: PTH113 - of thousands
        return False
    flags = (_text(f"/proc/{pid}/fdinfo/{number}") or "").partition("flags:")[2].split()
    return bool(flags) and int(flags[0], 8) & os.O_ACCMODE != os.O_RDONLY


def _environment(pid: int, process: str) -> list[list[str]] | None:
    """Of the variables that it was started with, those about storage; None where they can't be read."""
    text = _text(f"/proc/{pid}/environ", OUTPUT_CAP_BYTES)
    pairs = (variable.partition("=")[::2] for variable in (text or "").split("\0"))
    return None if text is None else [[name, value] for name, value in pairs if name in ENVIRONMENT[process]]


def _has_our_root(pid: int) -> bool | None:
    """Whether a process sees our root folder: one in a container does not, one with a private /tmp does.

    None where that is refused. Raises FileNotFoundError or ProcessLookupError of one that has ended.
    """
    try:
        theirs, ours = os.stat(f"/proc/{pid}/root/."), os.stat("/")  # noqa: PTH116 - a path would lose the dot
    except _ENDED:
        raise
    except OSError:
        return None
    return (theirs.st_dev, theirs.st_ino) == (ours.st_dev, ours.st_ino)


_LARGEST = 1 << 20
_DOCKER, _PODS = "/var/lib/docker/containers/{}/config.v2.json", "/var/log/containers"
_TASKS = "/run/containerd/io.containerd.runtime.v2.task"
_PODMAN = "/var/lib/containers/storage/overlay-containers/containers.json"
_BUNDLES = (
    f"{_TASKS}/moby/{{}}/config.json",
    "/run/docker/containerd/daemon/io.containerd.runtime.v2.task/moby/{}/config.json",
    f"{_TASKS}/k8s.io/{{}}/config.json",
    "/run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/{}/config.json",
    "/var/lib/containers/storage/overlay-containers/{}/userdata/config.json",
    "/run/containers/storage/overlay-containers/{}/userdata/config.json",
)
"""Where containerd (the system's, Docker's own, k3s's), podman and CRI-O keep what they start (OCI runtime-spec)."""
OVERWRITES = ("redis-server", "valkey-server")
"""Programs that write over their own arguments."""
_ENTRY = "docker-entrypoint.sh"
"""Of the images of Redis and Valkey: it puts the server's name before options and files, and passes them on."""
_NAME = late(r"/?([A-Za-z0-9][\w.-]{0,127})")


def container_fields(pid: int, cwd: str | None) -> dict[str, str | None]:
    """`container`: its name, else its id; None where no engine that we know made it. `mounts`: its mountinfo.

    `cwd` as the process itself sees it: the kernel shows that of a chroot(2) with the way to its root.
    """
    with contextlib.suppress(OSError):
        root = f"{str(Path(f'/proc/{pid}/root').readlink()).rstrip('/')}/"
        cwd = f"/{cwd.removeprefix(root).lstrip('/')}" if cwd and f"{cwd}/".startswith(root) else None
    return {
        "cwd": cwd,
        "container": named_by(_text(f"/proc/{pid}/cgroup") or ""),
        "mounts": _text(f"/proc/{pid}/mountinfo"),
    }


def started_with(pid: int) -> list[list[str | None]] | None:
    """The settings that a server's engine started it with, first `config_file`; None where they are not known."""
    found = CONTAINER_ID.search(_text(f"/proc/{pid}/cgroup") or "")
    number = (found["id"] or found["pod"]) if found else None
    texts = (_text(place.format(number)) for place in _BUNDLES if number)
    return _settings_of(next(filter(None, texts), ""))


def _settings_of(bundle: str) -> list[list[str | None]] | None:
    """Of an OCI bundle whose words are those of a server, or of its image's own entry; another script may add any."""
    try:
        words = strict_json.DECODER.decode(bundle)["process"]["args"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return None
    if not isinstance(words, list) or not all(isinstance(it, str) for it in words):
        return None
    entered = bool(words) and posixpath.basename(words[0]) == _ENTRY
    words = words[1:] if entered else words
    if words and posixpath.basename(words[0]) in OVERWRITES:
        words = words[1:]
    elif not entered or not words or not (words[0].startswith("-") or words[0].endswith(".conf")):
        return None
    file = words[0] if words and not words[0].startswith("-") else None
    return [["config_file", file], *settings_in_arguments(["", *words])]


def _text(path: str, most: int = _LARGEST) -> str | None:
    try:
        return captured_text(Path(path), most)
    except MachineError:
        return None


def named_by(cgroup: str) -> str | None:
    """The container that /proc/PID/cgroup names, by its own name where its engine keeps one."""
    found = CONTAINER_ID.search(cgroup)
    number = (found["id"] or found["pod"]) if found else None
    by_engine = _podman if found and found["engine"] == "libpod" else _docker
    return (number and (_pod(number) or by_engine(number))) or container_named_in(cgroup)


def _pod(number: str) -> str | None:
    """By the links that kubelet makes: POD_NAMESPACE_CONTAINER-ID.log."""
    with contextlib.suppress(OSError):
        for name in untouched.names_in(os.fsencode(_PODS)):
            words = name.removesuffix(f"-{number}.log").split("_")
            if name.endswith(f"-{number}.log") and len(words) == 3 and all(map(_NAME.fullmatch, words)):
                return f"pod {words[1]}/{words[0]} ({words[2]})"
    return None


def _docker(number: str) -> str | None:
    """By Docker's own record; nothing but the name is taken from it."""
    record = _record(_DOCKER.format(number))
    name = _NAME.fullmatch(str(record.get("Name"))) if isinstance(record, dict) else None
    return f"docker {name[1]}" if name else None


def _podman(number: str) -> str | None:
    """By podman's list of containers."""
    listed = _record(_PODMAN)
    for one in listed if isinstance(listed, list) else ():
        names = one.get("names") if isinstance(one, dict) and one.get("id") == number else None
        if isinstance(names, list) and len(names) == 1 and (name := _NAME.fullmatch(str(names[0]))):
            return f"podman {name[1]}"
    return None


def _record(path: str) -> object:
    """The content of a file of JSON; None where there is none."""
    try:
        return strict_json.DECODER.decode(_text(path) or "null")
    except (ValueError, RecursionError):
        return None


CONTAINER_ID = late(
    r"(?P<engine>docker|cri-containerd|crio|libpod)[-/](?P<id>[0-9a-f]{64})(?:\.scope)?(?=/|\s|$)"
    r"|kubepods\S*/(?P<pod>[0-9a-f]{64})(?=/|\s|$)"
    r"|lxc(?:\.payload\.|/)(?P<lxc>[\w.-]{1,64})(?=/|\s|$)"
    r"|machine\.slice/(?:systemd-nspawn@|machine-)(?P<machine>[\w.\\-]{1,64})\.(?:service|scope)"
)
_ENGINES = {"cri-containerd": "containerd", "crio": "CRI-O", "libpod": "podman"}


def container_named_in(cgroup: str) -> str | None:
    """The container by the words of its control group alone, as for another machine's."""
    found = CONTAINER_ID.search(cgroup)
    if found is None:
        return None
    if name := found["lxc"] or found["machine"]:
        return f"{'LXC' if found['lxc'] else 'systemd-nspawn'} {name}"
    number = found["id"] or found["pod"]
    return f"{_ENGINES.get(found['engine'], found['engine'] or 'container')} {number[:12]}"


CacheMode: TypeAlias = Literal["unsafe", "writeback", "none", "writethrough", "directsync"]

QEMU_NAMES: Final = ("kvm", "qemu-kvm", *(f"qemu-system-{it}" for it in ("x86", "x86_64", "aarch64", "aar")))
"""Process names; the kernel cuts them to 15 characters."""

_MOST: Final = 64
_COMMAS: Final = late(r"(?<!,),(?!,)")
_OF_DRIVES: Final[dict[str, CacheMode]] = {**{mode: mode for mode in get_args(CacheMode)}, "off": "none"}


def qemu_disks(arguments: Sequence[str]) -> list[dict[str, str]]:
    """`[{"path", "cache"}]` of the disks that the guest may write to; those on the network have no path here."""
    found: list[dict[str, str]] = []
    for option, value in zip(arguments[1:], [*arguments[2:], ""], strict=False):
        words = _words(value)
        if option in ("-drive", "--drive"):
            path, cache = words.get("file", ""), _of_drive(words)
            read_only = (
                words.get("readonly") in ("on", "yes")
                or words.get("media") == "cdrom"
                or "pflash" in words.get("if", "")
            )
        elif option in ("-blockdev", "--blockdev"):
            path, cache = _path(words), _of_node(words)
            read_only = words.get("read-only") in ("on", "true")
        else:
            continue
        if path.startswith("/") and not read_only:
            found.append({"path": path, "cache": cache})
    return found[:_MOST]


def _words(value: str) -> dict[str, str]:
    """Names with dots, and their values: of JSON, and of name=value with ',,' for a comma."""
    if value.startswith("{"):
        try:
            return dict(_flat("", strict_json.DECODER.decode(value)))
        except (ValueError, RecursionError):
            return {}
    pairs = (it.replace(",,", ",").partition("=") for it in _COMMAS.split(value))
    return {name: told for name, _, told in pairs}


def _flat(above: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _flat(f"{above}.{name}" if above else str(name), inner)
    elif isinstance(value, bool):
        yield above, "on" if value else "off"
    else:
        yield above, str(value)


def _path(words: Mapping[str, str]) -> str:
    return next((words[name] for name in ("filename", "file.filename", "file.file.filename") if name in words), "")


def _of_drive(words: Mapping[str, str]) -> CacheMode:
    """'writeback' is QEMU's default; cache.no-flush and the like count, too."""
    mode = _OF_DRIVES.get(words.get("cache", ""), "writeback")
    if words.get("cache.no-flush") == "on":
        return "unsafe"
    return "none" if mode == "writeback" and words.get("cache.direct") == "on" else mode


def _of_node(words: Mapping[str, str]) -> CacheMode:
    """Of a node alone: whether the guest's disk writes through is told elsewhere, and loses nothing."""
    deep = [key for key in words if key.endswith("cache.no-flush")]
    if any(words[key] in ("on", "true") for key in deep):
        return "unsafe"
    direct = [key for key in words if key.endswith("cache.direct")]
    return "none" if any(words[key] in ("on", "true") for key in direct) else "writeback"
