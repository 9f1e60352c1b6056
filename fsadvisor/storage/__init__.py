"""What a machine's storage is made of: hosts, disks, layers, filesystems, mounts, services.

Every field is a Fact and says with `about` what it means, where it comes from and its unit; that line feeds
the type check of rules, `fsadvisor facts` and the docs. Fields with a default of NOT_APPLICABLE belong to some
subjects of the kind only (an ext4, a partition).
"""

from fsadvisor.storage.about import (
    About,
    Atime,
    CloudDisk,
    ControllerBattery,
    ControllerCache,
    DataMode,
    DriveCaches,
    FasterSync,
    FirmwareFault,
    HostCache,
    Kind,
    MemberOf,
    NfsExported,
    PlpVerdict,
    PowerState,
    RaidController,
    RaidVolume,
    Replicas,
    SelfTest,
    ShingledBy,
    Transport,
    TrimCommand,
    VdevKind,
    VolumeManager,
    Workload,
    WriteCache,
    about,
    some,
)
from fsadvisor.storage.disk import Disk
from fsadvisor.storage.filesystem import Filesystem, Mount
from fsadvisor.storage.host import Host, Service
from fsadvisor.storage.layer import Below, Layer
from fsadvisor.storage.now import Now
from fsadvisor.storage.subject import Facts, Ignored, Storage, Subject, Supposition, Tried, Waiver

__all__ = [
    "About",
    "Atime",
    "Below",
    "CloudDisk",
    "ControllerBattery",
    "ControllerCache",
    "DataMode",
    "Disk",
    "DriveCaches",
    "Facts",
    "FasterSync",
    "Filesystem",
    "FirmwareFault",
    "Host",
    "HostCache",
    "Ignored",
    "Kind",
    "Layer",
    "MemberOf",
    "Mount",
    "NfsExported",
    "Now",
    "PlpVerdict",
    "PowerState",
    "RaidController",
    "RaidVolume",
    "Replicas",
    "SelfTest",
    "Service",
    "ShingledBy",
    "Storage",
    "Subject",
    "Supposition",
    "Transport",
    "Tried",
    "TrimCommand",
    "VdevKind",
    "VolumeManager",
    "Waiver",
    "Workload",
    "WriteCache",
    "about",
    "some",
]
