"""How a fact is described, and the words that some facts are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from msgspec import Struct, StructMeta

from fsadvisor.facts import NOT_APPLICABLE, Cause, Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

WriteCache: TypeAlias = Literal["write back", "write through"]
PlpVerdict: TypeAlias = Literal["proven", "claimed", "partial", "absent", "failed", "unknown"]
Workload: TypeAlias = Literal["oltp", "metadata-heavy", "streaming", "mixed"]
Transport: TypeAlias = Literal[
    "nvme", "sata", "sas", "scsi", "usb", "virtio", "mmc", "xen", "vmbus", "nbd", "rbd", "iscsi", "fc", "pmem", "ram"
]
PowerState: TypeAlias = Literal["awake", "standby", "sleep"]
Replicas: TypeAlias = Literal["in sync", "syncing", "alone", "no good copy here"]
RaidController: TypeAlias = Literal[
    "none", "storcli64", "perccli64", "ssacli", "arcconf", "mvcli", "sas3ircu", "another"
]
ControllerCache: TypeAlias = Literal["write back", "always write back", "write through"]
RaidVolume: TypeAlias = Literal["optimal", "rebuilding", "degraded", "offline"]
ControllerBattery: TypeAlias = Literal["optimal", "charging", "failed", "absent"]
DriveCaches: TypeAlias = Literal["disabled", "enabled", "default"]
TrimCommand: TypeAlias = Literal["queued", "unqueued", "forced_unqueued", "unsupported", "forced_unsupported"]
SelfTest: TypeAlias = Literal["passed", "failed", "never"]
ShingledBy: TypeAlias = Literal["model", "zones", "trim", "no sign"]
NfsExported: TypeAlias = Literal["sync", "async", "no"]
MemberOf: TypeAlias = Literal["array", "pool", "neither"]
FirmwareFault: TypeAlias = Literal["loses data", "misbehaves", "may be affected", "handled", "none listed"]
CloudDisk: TypeAlias = Literal["network", "local", "none"]
VolumeManager: TypeAlias = Literal["lvm", "stratis", "another"]
HostCache: TypeAlias = Literal["none", "read only", "read write"]
Atime: TypeAlias = Literal["noatime", "relatime", "strictatime"]
Kind: TypeAlias = Literal["host", "disk", "layer", "filesystem", "mount", "service", "now"]
FasterSync: TypeAlias = Literal["fdatasync", "O_DSYNC", "neither"]
DataVdevs: TypeAlias = Literal["single", "striped", "mixed", "redundant"]
VdevKind: TypeAlias = Literal["none", "single", "redundant"]
DataMode: TypeAlias = Literal["ordered", "writeback", "journal"]


ATTEST = "`fsadvisor attest`"
"""The source of what only a person can say."""


class About(Struct, frozen=True):
    """What a fact means, where it is read, and its unit ('' where it has none)."""

    doc: str
    source: str
    unit: str = ""
    attested: bool = False
    """Whether a person may say it where the machine does not."""


class _Declared(Struct):
    about: About
    default: Any = None


class _Facts(StructMeta):
    """Puts aside what the fields' declarations say: a Struct's own field holds nothing but its default."""

    abouts: Mapping[str, About]

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> _Facts:  # noqa: ANN401 - as StructMeta
        declared = {field: value for field, value in namespace.items() if isinstance(value, _Declared)}
        for field, value in declared.items():
            if value.default is None:
                del namespace[field]
            else:
                namespace[field] = value.default
        made = super().__new__(cls, name, bases, namespace, **options)
        made.abouts = {field: value.about for field, value in declared.items()}
        return made


class Described(Struct, metaclass=_Facts, frozen=True, kw_only=True, gc=False):
    """Facts of one kind of subject; `abouts` of the class has what each means.

    Facts lead back to no subject: as of Known, Python's collector need not know of them.
    """


def about(doc: str, source: str, unit: str = "", *, attested: bool = False) -> Any:  # noqa: ANN401 - as msgspec.field
    """Declare a fact that every subject of the kind has."""
    return _Declared(About(doc, source, unit, attested))


def some(doc: str, source: str, unit: str = "", *, attested: bool = False) -> Any:  # noqa: ANN401 - as msgspec.field
    """Declare a fact that only some subjects of the kind have."""
    return _Declared(About(doc, source, unit, attested), NOT_APPLICABLE)


def attested(doc: str, learn: str, known_by: str = "") -> Any:  # noqa: ANN401 - as msgspec.field
    """Declare a fact that people tell; `learn` says how to find out. The survey need not derive it.

    `known_by` is what tells that all is well where nobody says otherwise.
    """
    unknown = Unknown(Cause.NOT_ATTESTED, f"{learn}, then say it with {ATTEST}", ATTEST)
    source = f"{ATTEST}, else {known_by}" if known_by else ATTEST
    return _Declared(About(doc, source, attested=True), unknown)


CHECKLISTS: Final = {
    "plp": (
        "disk.datasheet_plp",
        "disk.firmware_trusted",
        "disk.path_covered",
        "disk.runbook",
        "disk.swap_policy",
        "host.plp_monitored",
        "host.backed_up",
    )
}
"""What people are asked on one page: a list's name -> its facts, of a disk and of the host."""
