"""What the host tells of a process in a container: which container it is, and where its mounts come from.

Nothing below the container's own root is opened here: see untouched.py.

https://docs.kernel.org/admin-guide/cgroup-v2.html#namespace, proc_pid_mountinfo(5)
"""

from __future__ import annotations

import contextlib
import os
import posixpath
from pathlib import Path

from fsadvisor import strict_json
from fsadvisor.machine import guests, untouched
from fsadvisor.machine.fit_to_tell import settings_in_arguments
from fsadvisor.machine.opening import captured_text
from fsadvisor.machine.port import MachineError
from fsadvisor.patterns import late

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


def started_with(pid: int) -> list[list[str | None]] | None:
    """The settings that a server's engine started it with, first `config_file`; None where they are not known."""
    found = guests.CONTAINER_ID.search(_text(f"/proc/{pid}/cgroup") or "")
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


def _text(path: str) -> str | None:
    try:
        return captured_text(Path(path), _LARGEST)
    except MachineError:
        return None


def named_by(cgroup: str) -> str | None:
    """The container that /proc/PID/cgroup names, by its own name where its engine keeps one."""
    found = guests.CONTAINER_ID.search(cgroup)
    number = (found["id"] or found["pod"]) if found else None
    by_engine = _podman if found and found["engine"] == "libpod" else _docker
    return (number and (_pod(number) or by_engine(number))) or guests.container_named_in(cgroup)


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
