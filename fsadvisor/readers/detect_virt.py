"""What this system runs in: `systemd-detect-virt`, and with `--vm` or `--container`.

Written against systemd 252. Prints one word; 'none' comes with exit status 1, which is no failure. Without an
option the innermost is named: a container in a virtual machine hides the machine, so ask for both. 'none' denies
only what was asked for.

    kvm

https://man7.org/linux/man-pages/man1/systemd-detect-virt.1.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fsadvisor.readers.refusal import refusal

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_VMS = frozenset(
    {"kvm", "amazon", "qemu", "bochs", "xen", "uml", "vmware", "oracle", "microsoft", "zvm", "parallels"}
    | {"bhyve", "qnx", "acrn", "powervm", "apple", "sre", "google", "vm-other"}
)
_CONTAINERS = frozenset(
    {"systemd-nspawn", "lxc-libvirt", "lxc", "openvz", "docker", "podman", "rkt", "wsl", "proot", "pouch"}
    | {"container-other"}
)
_WORD = re.compile(r"[a-z0-9][a-z0-9-]{0,40}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Virtualization:
    """The word and what it stands for."""

    name: str
    """systemd's identifier, 'none' where there is no virtualization of the kind asked for."""
    kind: Literal["vm", "container", "none"] | None
    """None for an identifier that systemd 252 doesn't have."""


def parse(text: str) -> Virtualization | Unknown:
    """Read the word, whatever the exit status."""
    name = text.strip()
    if not _WORD.fullmatch(name):
        return refusal(text, "no virtualization identifier")
    return Virtualization(name=name, kind=_kind(name))


def _kind(name: str) -> Literal["vm", "container", "none"] | None:
    if name == "none":
        return "none"
    if name in _VMS:
        return "vm"
    return "container" if name in _CONTAINERS else None
