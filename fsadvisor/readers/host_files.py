"""What a host tells of itself (kernel, command line, virtualization), and what Azure told it of its size and disks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from fsadvisor.facts import Unknown, unreadable
from fsadvisor.patterns import late
from fsadvisor.readers import json_text, refusal, whole
from fsadvisor.version import Version

if TYPE_CHECKING:
    from fsadvisor.readers.json_text import Json

_NUMBER = "[0-9]{1,6}"
_RELEASE = late(rf"\s*(?:Linux version |Linux \S+ )?({_NUMBER})\.({_NUMBER})(?:\.({_NUMBER}))?(?![0-9])", re.ASCII)


class KernelVersion(Struct, frozen=True, kw_only=True):
    """Of a release such as 5.14.0-427.el9.x86_64, its numbers."""

    version: Version


def parse_kernel_version(text: str) -> KernelVersion | Unknown:
    """The running kernel: /proc/sys/kernel/osrelease, `uname -r`, or /proc/version (also `uname -a`).

    Written against Linux 6.18. A distribution's kernel may hold features of later releases: the number tells what
    a kernel has at least, not what it lacks.

        6.1.0-rc3
        5.14.0-427.el9.x86_64
        Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org) (gcc-12 …) #1 SMP …

    https://docs.kernel.org/admin-guide/sysctl/kernel.html#osrelease-ostype-version
    """
    match = _RELEASE.match(text)
    if match is None:
        return refusal(text, "no kernel release")
    return KernelVersion(version=Version(int(match[1]), int(match[2]), int(match[3] or 0)))


_WORD = late(r'(?:[^\s"]|"[^"]*(?:"|$))+', re.ASCII)
_COMPLAINTS = (": Permission denied", ": No such file or directory")


class KernelCmdline(Struct, frozen=True, kw_only=True):
    """The parameters in order; a name may come more than once."""

    parameters: tuple[tuple[str, str | None], ...]
    """(name, value); None where the word has no '='."""

    def values(self, name: str) -> tuple[str, ...]:
        """The values of a parameter, in order."""
        return tuple(value for each, value in self.parameters if value is not None and _same(name) == _same(each))

    def get(self, name: str) -> str | None:
        """The last value of a parameter, which for most is the one that counts."""
        return next(reversed(self.values(name)), None)


def parse_kernel_cmdline(text: str) -> KernelCmdline | Unknown:
    """What the kernel was booted with: /proc/cmdline.

    Written against Linux 6.18. Double quotes keep spaces together and are no part of the value (lib/cmdline.c,
    next_arg); there is no escape. '-' and '_' are the same in a parameter's name (kernel/params.c). What follows
    '--' goes to init.

        BOOT_IMAGE=/vmlinuz root=LABEL=root ro rootflags=data=writeback libata.force=noncqtrim quiet

    https://docs.kernel.org/admin-guide/kernel-parameters.html
    """
    line = text.strip()
    if "\n" in line or "\0" in line:
        return unreadable("a kernel command line is one line of text")
    if line.endswith(_COMPLAINTS):
        return refusal(line, "no kernel command line")
    words = _WORD.findall(line)
    end = words.index("--") if "--" in words else len(words)
    return KernelCmdline(parameters=tuple(map(_parameter, words[:end])))


def _parameter(word: str) -> tuple[str, str | None]:
    name, equals, value = _unquoted(word).partition("=")
    return name, _unquoted(value) if equals else None


def _unquoted(word: str) -> str:
    """The word without the quotes around it; quotes within stay, as in the kernel."""
    return word[1:].removesuffix('"') if word.startswith('"') else word


def _same(name: str) -> str:
    return name.replace("-", "_")


_UTIL_LINUX = late(r"\S+ from util-linux(?:-ng)? (\d+\.\d+(?:\.\d+)?)\b.*")


class MountVersion(Struct, frozen=True, kw_only=True):
    """Of which util-linux a tool is."""

    number: str


def parse_mount_version(text: str) -> MountVersion | Unknown:
    """Which mount(8) there is: `mount --version`.

    Written against util-linux 2.23 to 2.38. One line; BusyBox has no such option.

        mount from util-linux 2.38.1 (libmount 2.38.1: selinux, smack, btrfs, verity, namespaces, assert, debug)

    https://man7.org/linux/man-pages/man8/mount.8.html
    """
    found = _UTIL_LINUX.fullmatch(text.strip())
    return MountVersion(number=found[1]) if found else refusal(text, "no version of util-linux")


_VMS = frozenset(
    {"kvm", "amazon", "qemu", "bochs", "xen", "uml", "vmware", "oracle", "microsoft", "zvm", "parallels"}
    | {"bhyve", "qnx", "acrn", "powervm", "apple", "sre", "google", "vm-other"}
)
_CONTAINERS = frozenset(
    {"systemd-nspawn", "lxc-libvirt", "lxc", "openvz", "docker", "podman", "rkt", "wsl", "proot", "pouch"}
    | {"container-other"}
)
_DETECT_VIRT_WORD = late(r"[a-z0-9][a-z0-9-]{0,40}", re.ASCII)


class Virtualization(Struct, frozen=True, kw_only=True):
    """The word and what it stands for."""

    name: str
    """systemd's identifier, 'none' where there is no virtualization of the kind asked for."""
    kind: Literal["vm", "container", "none"] | None
    """None for an identifier that systemd 252 doesn't have."""


def parse_detect_virt(text: str) -> Virtualization | Unknown:
    """What this system runs in: `systemd-detect-virt`, and with `--vm` or `--container`.

    Written against systemd 252. Prints one word; 'none' comes with exit status 1, which is no failure. Without an
    option the innermost is named: a container in a virtual machine hides the machine, so ask for both. 'none' denies
    only what was asked for.

        kvm

    https://man7.org/linux/man-pages/man1/systemd-detect-virt.1.html
    """
    name = text.strip()
    if not _DETECT_VIRT_WORD.fullmatch(name):
        return refusal(text, "no virtualization identifier")
    return Virtualization(name=name, kind=_kind(name))


def _kind(name: str) -> Literal["vm", "container", "none"] | None:
    if name == "none":
        return "none"
    if name in _VMS:
        return "vm"
    return "container" if name in _CONTAINERS else None


INSTANCE_DATA: Final = "/run/cloud-init/instance-data.json"


class AzureDisk(Struct, frozen=True, kw_only=True):
    """A disk; `lun` is None of the system's own. The limits are told of Ultra disks alone."""

    lun: int | None
    gib: int | None
    kind: str | None
    """Premium_LRS, StandardSSD_ZRS, UltraSSD_LRS, …"""
    caching: str | None
    """None, ReadOnly, ReadWrite."""
    iops: int | None
    throughput: int | None


class InstanceData(Struct, frozen=True, kw_only=True):
    """The machine's size and its disks; nothing of other clouds."""

    size: str | None = None
    disks: tuple[AzureDisk, ...] = ()


def parse_instance_data(text: str) -> InstanceData | Unknown:
    """What Azure told the machine of its size and disks as it started: cloud-init's instance-data.json.

    Path: /run/cloud-init/instance-data.json; another cloud's file has none of it.

    Written against cloud-init 20.4 to 25.3, which keeps the answer of Azure's metadata service below ds.meta_data.imds,
    and that service's versions 2019-11-01 to 2025-04-07, which give numbers and yes and no as strings. It is the state
    of the last start: a disk that came or changed later is not in it. Sample, cut:

        {"ds": {"meta_data": {"imds": {"compute": {"vmSize": "Standard_D4s_v5", "storageProfile": {
          "osDisk": {"caching": "ReadWrite", "diskSizeGB": "30", "managedDisk": {"storageAccountType": "Premium_LRS"}},
          "dataDisks": [{"caching": "None", "diskSizeGB": "512", "lun": "0", "opsPerSecondThrottle": "",
                         "managedDisk": {"storageAccountType": "Premium_LRS"}}]}}}}}}

    https://learn.microsoft.com/en-us/azure/virtual-machines/instance-metadata-service (storage profile)
    """
    document = json_text.load(text)
    if isinstance(document, Unknown):
        return document
    compute = json_text.member(document, "ds", "meta_data", "imds", "compute")
    system = json_text.member(compute, "storageProfile", "osDisk")
    data = [_disk(it) for it in json_text.items(compute, "storageProfile", "dataDisks")]
    return InstanceData(
        size=json_text.string(compute, "vmSize") or None,
        disks=(*([_disk(system)] if isinstance(system, dict) else []), *(it for it in data if it.lun is not None)),
    )


def _disk(disk: Json) -> AzureDisk:
    return AzureDisk(
        lun=_number(disk, "lun"),
        gib=_number(disk, "diskSizeGB"),
        kind=json_text.string(disk, "managedDisk", "storageAccountType") or None,
        caching=json_text.string(disk, "caching") or None,
        iops=_number(disk, "opsPerSecondThrottle"),
        throughput=_number(disk, "bytesPerSecondThrottle"),
    )


def _number(told: Json, key: str) -> int | None:
    return whole(json_text.string(told, key) or "")
