"""What this system runs in: systemd's word where it is there, else the kernel's and the firmware's own signs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from fsadvisor.facts import Cause, Fact, Known, Unknown, unreadable
from fsadvisor.patterns import late
from fsadvisor.readers import host_files
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.host_files import Virtualization

DETECT_VM: Argv = ("systemd-detect-virt", "--vm")
DETECT_CONTAINER: Argv = ("systemd-detect-virt", "--container")
COMMANDS: tuple[Argv, ...] = (DETECT_VM, DETECT_CONTAINER)

_CPU: Final = "/proc/cpuinfo"
_DMI: Final = "/sys/class/dmi/id"
_X86_FLAGS: Final = late(r"^flags\t*:.*$", re.MULTILINE)
_MAKERS: Final = late(
    r"QEMU|KVM|OpenStack|VMware|VMW\b|innotek|VirtualBox|Xen|Bochs|Parallels|BHYVE|Virtual Machine|Google|KubeVirt"
    r"|Amazon EC2|Nutanix|Apple Virtualization|Hyper-V|Alibaba|DigitalOcean|Hetzner|OVH|Linode|Vultr|UpCloud|Scaleway",
    re.IGNORECASE,
)
"""Makers of virtual machines, of which some sell bare machines, too: without another sign they decide nothing."""

INITIAL: Final = {"pid": "pid:[4026531836]", "cgroup": "cgroup:[4026531835]"}
"""The numbers of the first namespaces, the same in every kernel: include/uapi/linux/nsfs.h, before 6.17 proc_ns.h."""
_NAMESPACE: Final = late(r"[a-z]+:\[\d+\]")
_MARKS: Final = ("/run/.containerenv", "/.dockerenv")


def _identified(record: Virtualization | Unknown, source: str, kind: Literal["vm", "container"]) -> Fact[bool]:
    """Whether it is of that kind; a word that systemd does not print, as half of one is, says nothing."""
    if isinstance(record, Unknown):
        return record
    if record.kind is None:
        return unreadable(f"'{record.name}' is no identifier of systemd-detect-virt's", source)
    return read_fact.field(record, source, lambda it: it.kind == kind if it.kind in (kind, "none") else None)


def _by_systemd(machine: Machine, command: Argv, kind: Literal["vm", "container"]) -> Fact[bool]:
    record = read_fact.command_record(machine, command, host_files.parse_detect_virt)
    return _identified(record, " ".join(command), kind)


def virtual(machine: Machine) -> Fact[bool]:
    """Whether this is a virtual machine: systemd's word, else the CPU's hypervisor bit with the firmware's names."""
    told = _by_systemd(machine, DETECT_VM, "vm")
    if isinstance(told, Known):
        return told
    cpu = read_fact.text(machine, _CPU)
    if isinstance(cpu, Unknown):
        return told
    if " hypervisor" in cpu.value:
        return Known(True, f"{_CPU} flag hypervisor")
    if "User Mode Linux" in cpu.value:
        return Known(True, f"{_CPU} vendor_id")
    return _bare(machine, cpu.value) or told


def _bare(machine: Machine, cpu: str) -> Known[bool] | None:
    """On x86 a hypervisor shows in the CPU's flags, but for Xen's own ways; None where any of that is not seen.

    An archive seldom has /sys/hypervisor. It does not have to: guests without the flag have no firmware's names either.
    """
    names = [read_fact.text(machine, f"{_DMI}/{name}") for name in ("sys_vendor", "product_name")]
    words = [it.value for it in names if isinstance(it, Known)]
    xen = machine.entries("/sys/hypervisor")
    without_xen = xen == () or (isinstance(xen, Unknown) and xen.cause is Cause.NOT_EXPOSED)
    if not _X86_FLAGS.search(cpu) or len(words) < len(names) or not without_xen or _MAKERS.search(" ".join(words)):
        return None
    return Known(False, f"{_CPU} flags, {_DMI}/sys_vendor")


def container(machine: Machine) -> Fact[bool]:
    """Whether we run in a container, where /sys is the host's and mounts are our own."""
    told = _by_systemd(machine, DETECT_CONTAINER, "container")
    marks = [path for path in _MARKS if not isinstance(machine.read(path), Unknown)]
    if marks:
        return Known(True, marks[0])
    return told if isinstance(told, Known) else _by_namespaces(machine, told)


def _by_namespaces(machine: Machine, told: Unknown) -> Fact[bool]:
    """In another process namespace than the kernel's first: yes; in the mount namespace of its init, too: no."""
    for kind, first in INITIAL.items():
        ours = _namespace(machine, "self", kind)
        if ours is None:
            return told
        if ours != first:
            return Known(True, f"/proc/self/ns/{kind}")
    init, ours = _namespace(machine, "1", "mnt"), _namespace(machine, "self", "mnt")
    if init is None or ours is None:
        return told if machine.root else Unknown(Cause.DENIED, "run as root", "/proc/1/ns/mnt")
    if init != ours:  # a container with the host's processes, or a shell of `unshare --mount`
        return told
    return Known(False, "/proc/self/ns/pid, /proc/1/ns/mnt")


def _namespace(machine: Machine, process: str, kind: str) -> str | None:
    answer = machine.link(f"/proc/{process}/ns/{kind}")
    return None if isinstance(answer, Unknown) or not _NAMESPACE.fullmatch(answer.text) else answer.text


def systemd(machine: Machine, shown: Fact[str]) -> Fact[bool]:
    """Whether systemd is the service manager; `shown` is anything that systemctl told of a unit."""
    if isinstance(shown, Known):
        return Known(True, shown.source)
    entries = machine.entries("/run/systemd/system")
    if not isinstance(entries, Unknown):
        return Known(True, "/run/systemd/system")
    if read_fact.is_not_there(entries):
        return Known(False, "/run/systemd/system")
    return shown
