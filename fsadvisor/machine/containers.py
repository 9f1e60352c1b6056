"""What the host tells of a process in a container: which container it is, and where its mounts come from.

Nothing below the container's own root is opened: its links would lead to files of the host.

https://docs.kernel.org/admin-guide/cgroup-v2.html#namespace, proc_pid_mountinfo(5)
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from fsadvisor import strict_json
from fsadvisor.machine import control_groups, untouched
from fsadvisor.machine.opening import captured_text
from fsadvisor.machine.port import MachineError
from fsadvisor.patterns import late

_LARGEST = 1 << 20
_DOCKER, _PODS = "/var/lib/docker/containers/{}/config.v2.json", "/var/log/containers"
_NAME = late(r"/?([A-Za-z0-9][\w.-]{0,127})")


def told_of(pid: int, cwd: str | None) -> dict[str, str | None]:
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


def _text(path: str) -> str | None:
    try:
        return captured_text(Path(path), _LARGEST)
    except MachineError:
        return None


def named_by(cgroup: str) -> str | None:
    """The container that /proc/PID/cgroup names, by its own name where its engine keeps one."""
    found = control_groups.ID.search(cgroup)
    number = (found["id"] or found["pod"]) if found else None
    return (number and (_pod(number) or _docker(number))) or control_groups.named_in(cgroup)


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
    try:
        record = strict_json.DECODER.decode(_text(_DOCKER.format(number)) or "null")
    except (ValueError, RecursionError):
        return None
    name = _NAME.fullmatch(str(record.get("Name"))) if isinstance(record, dict) else None
    return f"docker {name[1]}" if name else None
