"""The words that facts may have, spelt as the kernel and the specifications spell them."""

from __future__ import annotations

from typing import Literal, TypeAlias

WriteCache: TypeAlias = Literal["write back", "write through"]
PlpVerdict: TypeAlias = Literal["proven", "claimed", "partial", "absent", "failed", "unknown"]
Workload: TypeAlias = Literal["oltp", "metadata-heavy", "streaming", "mixed"]
Transport: TypeAlias = Literal[
    "nvme", "sata", "sas", "scsi", "usb", "virtio", "mmc", "xen", "vmbus", "nbd", "iscsi", "fc", "pmem", "ram"
]
PowerState: TypeAlias = Literal["awake", "standby", "sleep"]
RaidController: TypeAlias = Literal["none", "storcli64", "perccli64", "ssacli", "another"]
ControllerCache: TypeAlias = Literal["write back", "always write back", "write through"]
RaidVolume: TypeAlias = Literal["optimal", "rebuilding", "degraded", "offline"]
ControllerBattery: TypeAlias = Literal["optimal", "charging", "failed", "absent"]
DriveCaches: TypeAlias = Literal["disabled", "enabled", "default"]
TrimCommand: TypeAlias = Literal["queued", "unqueued", "forced_unqueued", "unsupported", "forced_unsupported"]
CloudDisk: TypeAlias = Literal["network", "local", "none"]
Atime: TypeAlias = Literal["noatime", "relatime", "strictatime"]
Kind: TypeAlias = Literal["host", "disk", "layer", "filesystem", "mount", "service"]
FasterSync: TypeAlias = Literal["fdatasync", "O_DSYNC", "neither"]
DataMode: TypeAlias = Literal["ordered", "writeback", "journal"]
