"""Whose guest a process is: the container of a control group by its name, and the disks that QEMU was given.

https://docs.kernel.org/admin-guide/cgroup-v2.html#namespace

Both spellings are read: `-blockdev` with JSON or names with dots (libvirt since 6.0, Proxmox since 9), and `-drive`.
What is configured of a guest that does not run is not in a process.

https://www.qemu.org/docs/master/system/qemu-manpage.html (Block device options)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from fsadvisor import strict_json
from fsadvisor.patterns import late

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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

QEMU_NAMES: Final = (
    "kvm",
    "qemu-kvm",
    "qemu-system-x86",
    "qemu-system-x86_64",
    "qemu-system-aarch64",
    "qemu-system-aar",
)
"""Process names; the kernel cuts them to 15 characters."""

_MOST: Final = 64
_COMMAS: Final = late(r"(?<!,),(?!,)")
_OF_DRIVES: Final[dict[str, CacheMode]] = {
    "unsafe": "unsafe",
    "writeback": "writeback",
    "none": "none",
    "off": "none",
    "writethrough": "writethrough",
    "directsync": "directsync",
}


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
