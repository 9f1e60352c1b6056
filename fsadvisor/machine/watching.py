"""What udev and /proc say, through pyudev and psutil: these load slowly, so each is imported when it is needed."""

from __future__ import annotations

import contextlib
import json
import os
import posixpath
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import Cause, Unknown, unreadable
from fsadvisor.machine import sources
from fsadvisor.machine.fit_to_tell import ENVIRONMENT, argument_paths, settings_in_arguments
from fsadvisor.machine.port import Answer, MachineError, Reply

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def udev_database() -> Answer:
    """The block devices' udev properties, as `udevadm info --export-db` prints them, sorted by device path."""
    try:
        udev = udev_context()
    except ImportError as error:
        return Unknown(Cause.NO_TOOL, f"install libudev1 and python3-pyudev ({error})", sources.UDEV)
    try:
        devices = sorted(udev.list_devices(subsystem="block"), key=lambda device: device.device_path)
    except (OSError, ValueError) as error:
        return unreadable(f"udev: {error}", sources.UDEV)
    return Reply("".join(f"{line}\n" for device in devices for line in _udev_lines(device)), sources.UDEV)


def udev_context() -> Any:  # noqa: ANN401 - pyudev has no types
    """pyudev's door to libudev, which is loaded by its soname. Raises ImportError where it can't be.

    While it is imported it gets ours for the one function that it needs of ctypes.util: that module's may run gcc and
    ld, from wherever PATH says, and what it imports for that takes longer to load than pyudev.
    """
    with _IMPORTING, _instead("ctypes.util", find_library=_soname):
        import pyudev

    try:
        return pyudev.Context()
    except OSError as error:
        raise ImportError(str(error)) from error


_IMPORTING: Final = threading.Lock()


@contextlib.contextmanager
def _instead(name: str, **names: object) -> Iterator[None]:
    """Whoever imports that module meanwhile gets one that has these names alone."""
    before, stand_in = sys.modules.get(name), ModuleType(name)
    vars(stand_in).update(names)
    sys.modules[name] = stand_in
    try:
        yield
    finally:
        if before is None:
            del sys.modules[name]
        else:
            sys.modules[name] = before


def _soname(name: str) -> str | None:
    """Of a library that we know."""
    return {"udev": "libudev.so.1"}.get(name)


def _udev_lines(device: Any) -> Iterator[str]:  # noqa: ANN401 - pyudev has no types
    yield f"P: {device.device_path}"
    yield f"N: {(device.device_node or '').removeprefix('/dev/')}"
    for link in sorted(device.device_links):
        yield f"S: {link.removeprefix('/dev/')}"
    for key, value in sorted(device.properties.items()):
        if "\n" not in value:  # the form has no escape for it: the rest would pass for properties of its own
            yield f"E: {key}={value}"
    yield ""


def processes(names: Sequence[str]) -> Answer:
    """The running processes with one of these names, as JSON, sorted by name and pid."""
    if not os.path.exists("/proc/self"):  # noqa: PTH110 - as quick as can be; psutil ends in an IndexError
        return Unknown(Cause.NOT_EXPOSED, "run it where /proc is mounted", sources.PROCESSES)
    try:
        found = _called(names)
    except ImportError:
        return Unknown(Cause.NO_TOOL, "install python3-psutil", sources.PROCESSES)
    except (OSError, ValueError) as error:
        return unreadable(f"processes: {error}", sources.PROCESSES)
    found.sort(key=lambda process: (process["name"], process["pid"]))
    return Reply(json.dumps(found), sources.PROCESSES)


def _called(names: Sequence[str]) -> list[dict[str, Any]]:
    """Each with one of these names. Raises ImportError, OSError, ValueError."""
    pids = list(_perhaps_called({name[:_COMM_LENGTH] for name in names}))
    if not pids:
        return []
    import psutil

    found = []
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            if process.name() in names:
                found.append(_process(process.as_dict(["pid", "name", "username", "cwd", "cmdline"])))
    return found


_COMM_LENGTH: Final = 15
"""Of a process's name the kernel keeps so much; psutil takes the rest from its arguments."""


def _perhaps_called(beginnings: set[str]) -> Iterator[int]:
    for pid in filter(str.isdecimal, os.listdir("/proc")):  # noqa: PTH208 - names only
        with contextlib.suppress(OSError), open(f"/proc/{pid}/comm", "rb") as comm:  # noqa: PTH123 - quick
            if os.fsdecode(comm.read().rstrip(b"\n")) in beginnings:
                yield int(pid)


def _process(info: dict[str, Any]) -> dict[str, Any]:
    """One process; a folder that psutil was refused (None) is marked as denied."""
    from fsadvisor.machine import containers, guests

    process = {
        "pid": info["pid"],
        "name": info["name"],
        "user": info["username"],
        "cwd": info["cwd"] or None,
        "paths": argument_paths(info["cmdline"] or []),
        "settings": settings_in_arguments(info["cmdline"] or []),
        "here": _has_our_root(info["pid"]),
    }
    if process["here"]:
        process["writes"] = _written_folder(info["pid"])
    if info["name"] in ENVIRONMENT and (info["name"] == "etcd" or process["here"] is False):
        process["environment"] = _environment(info["pid"], info["name"])
    if info["name"] in guests.QEMU_NAMES:
        process["images"] = guests.qemu_disks(info["cmdline"] or [])
    if process["here"] is False:
        process |= containers.told_of(info["pid"], process["cwd"])
        if info["name"] in containers.OVERWRITES:
            process["started"] = containers.started_with(info["pid"])
    denied = info["cwd"] is None or info["cmdline"] is None or process["here"] is None
    return process | {"denied": True} if denied else process


_NO_DATA: Final = ("/var/log/", "/run/", "/var/run/", "/proc/", "/sys/", "/dev/", "/tmp/", "/etc/", "/usr/")  # noqa: S108


def _written_folder(pid: int) -> str | None:
    """The folder that holds all files that it has open for writing, logs aside; None where it has none of its own."""
    import psutil

    try:
        files = psutil.Process(pid).open_files()
    except (psutil.Error, OSError):
        return None
    folders = {
        posixpath.dirname(file.path) for file in files if file.mode != "r" and not file.path.startswith(_NO_DATA)
    }
    common = posixpath.commonpath(folders) if folders else "/"
    return common if common.count("/") > 1 and common not in ("/var/lib", "/var/spool") else None


def _environment(pid: int, process: str) -> list[list[str]] | None:
    """Of the variables that it was started with, those about storage; None where they can't be read."""
    from fsadvisor.machine.opening import captured_text

    try:
        text = captured_text(Path(f"/proc/{pid}/environ"))
    except MachineError:
        return None
    pairs = (variable.partition("=")[::2] for variable in text.split("\0"))
    return [[name, value] for name, value in pairs if name in ENVIRONMENT[process]]


def _has_our_root(pid: int) -> bool | None:
    """Whether a process sees our root folder: one in a container does not, one with a private /tmp does."""
    try:
        theirs, ours = os.stat(f"/proc/{pid}/root/."), os.stat("/")  # noqa: PTH116 - a path would lose the dot
    except OSError:
        return None
    return (theirs.st_dev, theirs.st_ino) == (ours.st_dev, ours.st_ino)
