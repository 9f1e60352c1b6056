"""One probe at a time on a filesystem, as far as its own user starts them: a lock that nobody else can hold.

It is a file of the filesystem's device in a directory where only this user writes, and is taken away afterwards. The
directory where the filesystem is mounted is locked too, for other users' probes to see; but anybody who may read it
can lock it for as long as they like, so that a lock of another's there is no more than a warning.

What we make tells by its name which process made it: boot, number and start, as two processes never share all three.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Cause, Fact, Known, Unknown, unreadable
from fsadvisor.machine import safe_files
from fsadvisor.machine.kept_files import user_probes_path
from fsadvisor.machine.port import MachineError
from fsadvisor.machine.runner import encoded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fsadvisor.measure.probe.target import Holder
    from fsadvisor.readers.mount_tables import Mount

_LABEL: Final = re.compile(r"([0-9a-f]{8})-([0-9]{1,10})-([0-9]{1,20})")
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


def label() -> str:
    """That of this process."""
    return f"{boot()}-{os.getpid()}-{_start_of(os.getpid()) or 0}"


def may_live(one: str) -> bool:
    """Whether the process runs that has this label, as far as this PID namespace shows."""
    found = _LABEL.fullmatch(one)
    if found is None:
        return True
    at, number, start = found.groups()
    return at == boot() and _start_of(int(number)) == int(start)


def boot() -> str:
    """The first eight digits of this boot's id; zeros where it cannot be read."""
    try:
        return _BOOT_ID.read_text()[:8]
    except OSError:
        return "0" * 8


def _start_of(number: int) -> int | None:
    """When a process started, in clock ticks since boot; None where there is none."""
    try:
        return int(Path(f"/proc/{number}/stat").read_text(errors="replace").rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None


_OF_ROOT: Final = Path("/run/fsadvisor")


@contextlib.contextmanager
def held(mount: Mount | None) -> Iterator[Fact[Holder]]:
    """Holds the locks while in it, where they can be had; tells who else has one."""
    if mount is None:
        yield Unknown(Cause.NOT_EXPOSED, "", "/proc/self/mountinfo")
        return
    with contextlib.ExitStack() as stack:
        try:
            own = _own(f"{boot()}-{mount.major_minor}", stack)
        except BlockingIOError:
            yield Known("you", f"the lock of {mount.major_minor}")
            return
        yield _seen(mount.mount_point, stack, own=own)


def _own(name: str, stack: contextlib.ExitStack) -> bool:
    """Whether the lock is ours; False where there is no place for it. Raises BlockingIOError where another has it."""
    try:
        directory = safe_files.directory(_directory(os.environ), 0o700)
    except (MachineError, FileNotFoundError):
        return False
    stack.callback(os.close, directory)
    try:
        descriptor = safe_files.locked(directory, name, wait=False)
    except BlockingIOError:
        raise
    except OSError:
        return False
    stack.callback(_given_back, descriptor, directory, name)
    return True


def _given_back(descriptor: int, directory: int, name: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(name, dir_fd=directory)
    os.close(descriptor)


def _directory(environment: Mapping[str, str]) -> Path:
    """Raises FileNotFoundError where an ordinary user has none."""
    if os.geteuid() == 0:
        return _OF_ROOT
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime):  # noqa: PTH117 - the specification: relative ones are ignored
        return Path(runtime, "fsadvisor")
    results = user_probes_path(environment)
    if results is None:
        raise FileNotFoundError
    return results.with_name("locks")


def _seen(mount_point: str, stack: contextlib.ExitStack, *, own: bool) -> Fact[Holder]:
    """What the lock that everybody sees tells. Without a lock of our own it has to be had."""
    source = f"flock {mount_point}"
    try:
        descriptor = os.open(encoded(mount_point), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        stack.callback(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return Known("another", source)
    except PermissionError:
        return Known("nobody", source) if own else Unknown(Cause.DENIED, "run as root", source)
    except (OSError, ValueError) as error:
        return Known("nobody", source) if own else unreadable(str(getattr(error, "strerror", error)), source)
    return Known("nobody", source)
