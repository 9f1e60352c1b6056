"""What this system runs in: a container, a hypervisor, a cloud, and what a cloud lets a disk and a machine do.

Nothing asks the network. AWS tells the size of the machine in DMI, Azure that and its disks to cloud-init as the
machine starts, GCP neither. Of a volume's type nothing is told on AWS and GCP; a person may say it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor import drives
from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown, unreadable
from fsadvisor.patterns import late
from fsadvisor.readers import host_files
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from fsadvisor.drives import Limits
    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.host_files import AzureDisk, InstanceData, Virtualization
    from fsadvisor.storage import Disk
    from fsadvisor.storage.about import CloudDisk, HostCache
    from fsadvisor.survey.block import BlockDevice

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
    systemd = _by_systemd(machine, DETECT_VM, "vm")
    if isinstance(systemd, Known):
        return systemd
    cpu = read_fact.text(machine, _CPU)
    if isinstance(cpu, Unknown):
        return systemd
    if " hypervisor" in cpu.value:
        return Known(True, f"{_CPU} flag hypervisor")
    if "User Mode Linux" in cpu.value:
        return Known(True, f"{_CPU} vendor_id")
    return _bare(machine, cpu.value) or systemd


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
    systemd = _by_systemd(machine, DETECT_CONTAINER, "container")
    marks = [path for path in _MARKS if not isinstance(machine.read(path), Unknown)]
    if marks:
        return Known(True, marks[0])
    return systemd if isinstance(systemd, Known) else _by_namespaces(machine, systemd)


def _by_namespaces(machine: Machine, undecided: Unknown) -> Fact[bool]:
    """In another process namespace than the kernel's first: yes; in the mount namespace of its init, too: no."""
    for kind, first in INITIAL.items():
        ours = _namespace(machine, "self", kind)
        if ours is None:
            return undecided
        if ours != first:
            return Known(True, f"/proc/self/ns/{kind}")
    init, ours = _namespace(machine, "1", "mnt"), _namespace(machine, "self", "mnt")
    if init is None or ours is None:
        return undecided if machine.root else Unknown(Cause.DENIED, "run as root", "/proc/1/ns/mnt")
    if init != ours:  # a container with the host's processes, or a shell of `unshare --mount`
        return undecided
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


Cloud = Literal["aws", "gcp", "azure", "none"]

_AZURE_ASSET_TAG: Final = "7783-7084-3265-9085-8269-3286-77"
_GIB: Final = 1 << 30

_CACHES: Final[dict[str, HostCache]] = {"None": "none", "ReadOnly": "read only", "ReadWrite": "read write"}

_SCSI_ADDRESS: Final = late(
    r"/(?P<controller>[0-9a-f]{8}-[0-9a-f]{4})-[0-9a-f-]{22}/host\d+/target[\d:]+/\d+:\d+:\d+:(?P<lun>\d+)/"
)
"""The SCSI controllers of VMBus: by their numbers the agent of Azure names its disks (66-azure-storage.rules)."""
_SYSTEM: Final = ("00000000-0000", "f8b3781a-1e82")
_DATA: Final = "f8b3781b-1e82"
_NVME_NAMESPACE: Final = late(r"nvme\d+n(\d+)")
_FIRST_DATA_NAMESPACE: Final = 2
"""azure-vm-utils: namespace 1 of Azure's NVMe controller is the system's disk, 2 is LUN 0."""


class Provisioned(Struct, frozen=True, kw_only=True):
    """What is known of a network disk; NOT_APPLICABLE of other disks."""

    kind: Fact[str] = NOT_APPLICABLE
    host_cache: Fact[HostCache] = NOT_APPLICABLE
    iops: Fact[int] = NOT_APPLICABLE
    burst_iops: Fact[int] = NOT_APPLICABLE
    throughput: Fact[int] = NOT_APPLICABLE


def cloud(machine: Machine) -> Fact[Cloud]:
    """By the firmware's words, which all three clouds give; AWS's older machines are Xen's with a BIOS of Amazon."""
    vendor = read_fact.text(machine, f"{_DMI}/sys_vendor")
    if isinstance(vendor, Unknown):
        return Known("none", f"{vendor.source}: there is none") if read_fact.is_not_there(vendor) else vendor
    if vendor.value == "Amazon EC2":
        return Known("aws", vendor.source)
    if vendor.value == "Xen":
        bios = read_fact.text(machine, f"{_DMI}/bios_version")
        return read_fact.derive(bios, lambda it: "aws" if "amazon" in it else "none")
    if vendor.value == "Google":
        return Known("gcp", vendor.source)
    tag = read_fact.text(machine, f"{_DMI}/chassis_asset_tag")
    if isinstance(tag, Known) and tag.value == _AZURE_ASSET_TAG:
        return Known("azure", tag.source)
    return Known("none", vendor.source)


_BY_MODEL: tuple[tuple[re.Pattern[str], CloudDisk], ...] = (
    (late(r"Amazon Elastic Block Store$|nvme_card-pd$|PersistentDisk$|MSFT NVMe Accelerator"), "network"),
    (late(r"Amazon EC2 NVMe Instance Storage$|nvme_card\d*$|EphemeralDisk$|Microsoft NVMe Direct Disk"), "local"),
)


def cloud_disk(
    model: Fact[str], in_vm: Fact[bool], vendor: Fact[str], hardware: str, machine: Machine
) -> Fact[CloudDisk]:
    """By the model's name, on Azure by its place; other names say nothing inside a virtual machine."""
    azure = _on_azure(vendor, hardware, machine)
    if azure is not None:
        return azure
    if isinstance(model, Known):
        for pattern, kind in _BY_MODEL:
            if pattern.match(model.value):
                return Known(kind, f"model {model.value}")
    if isinstance(in_vm, Unknown):
        return in_vm
    if not in_vm.value:
        return Known("none", in_vm.source)
    return Unknown(Cause.NOT_EXPOSED, "", "a model's name that no cloud is known to use")


def _on_azure(vendor: Fact[str], hardware: str, machine: Machine) -> Fact[CloudDisk] | None:
    """An Azure disk by its place: the first controller holds the system's disk and the temporary one."""
    address = _SCSI_ADDRESS.search(hardware)
    if address is None or (read_fact.value(vendor) or "").strip() != "Msft":
        return None
    tag = read_fact.text(machine, f"{_DMI}/chassis_asset_tag")
    if read_fact.value(tag) != _AZURE_ASSET_TAG:
        return None
    temporary = address["controller"] == "00000000-0001" or (
        address["controller"] == _SYSTEM[1] and address["lun"] == "1"
    )
    return Known("local" if temporary else "network", f"chassis tag of Azure, {hardware}")


_ASK_SIZE: Final[dict[str, str]] = {
    "aws": "ask `aws ec2 describe-instances`",
    "gcp": "ask `gcloud compute instances describe NAME --format='value(machineType)'`",
    "azure": "ask `az vm show --query hardwareProfile.vmSize`",
}


def cloud_size(machine: Machine, on: Fact[Cloud]) -> Fact[str]:
    """The size of the machine by its cloud's name: m5.large, Standard_D4s_v5."""
    if isinstance(on, Unknown):
        return on
    if on.value == "none":
        return NOT_APPLICABLE
    if on.value == "aws":
        name = read_fact.text(machine, f"{_DMI}/product_name")
        on_xen = Unknown(Cause.NOT_EXPOSED, _ASK_SIZE["aws"], f"{_DMI}/product_name")
        return on_xen if read_fact.value(name) == "HVM domU" else name
    size = (
        read_fact.field(_instance_data(machine), host_files.INSTANCE_DATA, lambda it: it.size)
        if on.value == "azure"
        else None
    )
    return (
        size if isinstance(size, Known) else Unknown(Cause.NOT_EXPOSED, _ASK_SIZE[on.value], host_files.INSTANCE_DATA)
    )


def facts_of_cloud_size(on: Fact[Cloud], name: Fact[str]) -> dict[str, Any]:
    """Facts of the host: what a machine of that size may do with all of its network disks together."""
    found = _limits_of_size(on, name)
    source = "" if isinstance(found, Unknown) else f"{read_fact.value(name)}: {found.source}"
    return {
        "instance_iops": read_fact.field(found, source, lambda it: it.iops),
        "instance_burst_iops": read_fact.field(found, source, lambda it: it.burst_iops),
        "instance_throughput": read_fact.field(found, source, lambda it: it.throughput),
        "instance_burst_throughput": read_fact.field(found, source, lambda it: it.burst_throughput),
    }


def _limits_of_size(on: Fact[Cloud], name: Fact[str]) -> Limits | Unknown:
    if isinstance(name, Unknown):
        return name
    found = drives.limits_of_size(read_fact.value(on) or "", name.value)
    return found or Unknown(Cause.NOT_EXPOSED, f"look up what {name.value} may do", "the table of clouds' limits")


_ASK_DISK: Final = (
    ("Amazon", "ask `aws ec2 describe-volumes`, then say it with `fsadvisor attest`"),
    ("nvme_card|(Google )?PersistentDisk", "ask `gcloud compute disks describe`, then say it with `fsadvisor attest`"),
    ("", "ask `az disk show`, then say it with `fsadvisor attest`"),
)


def provisioned(
    machine: Machine, device: BlockDevice, kind: Fact[CloudDisk], model: Fact[str], bytes_: Fact[int]
) -> Provisioned:
    """Of a network disk by its type and size."""
    if read_fact.value(kind) != "network":
        return Provisioned()
    on_azure = "Microsoft" in (name := read_fact.value(model) or "") or "MSFT" in name or "Virtual" in name
    given = _azure_disk(machine, device, read_fact.value(bytes_)) if on_azure else None
    learn = next(words for beginning, words in _ASK_DISK if late(beginning).match(name))
    unknown = Unknown(
        Cause.NOT_EXPOSED, learn, host_files.INSTANCE_DATA if on_azure else "no file of the machine tells it"
    )
    if given is None:
        return Provisioned(
            kind=unknown,
            host_cache=unknown if on_azure else NOT_APPLICABLE,
            iops=unknown,
            burst_iops=unknown,
            throughput=unknown,
        )
    at_start = f"{host_files.INSTANCE_DATA}, as the machine started"
    limits = drives.limits_of_disk(given.kind or "", given.gib or 0)
    source = f"{given.kind}, {given.gib} GiB: {limits.source}" if limits else at_start
    return Provisioned(
        kind=read_fact.fact_of(given.kind, at_start, learn),
        host_cache=read_fact.fact_of(_CACHES.get(given.caching or ""), at_start, learn),
        iops=read_fact.fact_of(given.iops or (limits.iops if limits else None), source, learn),
        burst_iops=read_fact.fact_of(limits.burst_iops if limits else None, source, learn),
        throughput=read_fact.fact_of(given.throughput or (limits.throughput if limits else None), source, learn),
    )


def _instance_data(machine: Machine) -> InstanceData | Unknown:
    return read_fact.file_record(machine, host_files.INSTANCE_DATA, host_files.parse_instance_data)


def _azure_disk(machine: Machine, device: BlockDevice, bytes_: int | None) -> AzureDisk | None:
    """What Azure told of this disk: by its place, and of the size that it told."""
    data = _instance_data(machine)
    address = _scsi_address(device)
    if isinstance(data, Unknown) or address is None:
        return None
    return next((it for it in data.disks if it.lun == address.lun and it.gib and it.gib * _GIB == bytes_), None)


class _ScsiAddress(Struct, frozen=True):
    """A LUN of the data disks; None: the system's disk."""

    lun: int | None


def _scsi_address(device: BlockDevice) -> _ScsiAddress | None:
    scsi = _SCSI_ADDRESS.search(device.hardware)
    if scsi is not None:
        if scsi["controller"] == _DATA:
            return _ScsiAddress(int(scsi["lun"]))
        return _ScsiAddress(None) if scsi["controller"] in _SYSTEM and scsi["lun"] == "0" else None
    found = _NVME_NAMESPACE.fullmatch(device.name)
    if found is None:
        return None
    number = int(found[1])
    return _ScsiAddress(None if number < _FIRST_DATA_NAMESPACE else number - _FIRST_DATA_NAMESPACE)


def with_use(disk: Disk, reads: Fact[int], uptime: Fact[int]) -> Disk:
    """The disk with what it does on average since boot, of what it may do: of operations or of bytes, the higher share.

    Reads that the host's cache answers are not limited: with such a cache writes alone are counted.
    """
    cached = read_fact.value(disk.host_cache) in ("read only", "read write")
    counted = (
        (disk.provisioned_iops, disk.writes, reads),
        (disk.provisioned_throughput, disk.written_bytes, disk.read_bytes),
    )
    shares: list[float] = []
    why: Unknown = NOT_APPLICABLE
    for most, written, read in counted:
        asked = [most, written, uptime, *([] if cached else [read])]
        unknown = next((it for it in asked if isinstance(it, Unknown)), None)
        if unknown is not None:
            why = unknown
            continue
        done = (read_fact.value(written) or 0) + (0 if cached else read_fact.value(read) or 0)
        shares.append(100 * done / max(1, (read_fact.value(most) or 1) * max(1, read_fact.value(uptime) or 1)))
    found = Known(read_fact.steady(max(shares)), "counters since boot, its limits") if shares else why
    return replace(disk, provisioned_used_percent=found)
