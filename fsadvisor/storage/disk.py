"""Leaf disks."""

from __future__ import annotations

from fsadvisor.facts import Fact
from fsadvisor.storage.about import (
    CloudDisk,
    ControllerBattery,
    ControllerCache,
    Described,
    DriveCaches,
    FirmwareFault,
    HostCache,
    MemberOf,
    PlpVerdict,
    PowerState,
    RaidController,
    RaidVolume,
    SelfTest,
    ShingledBy,
    Transport,
    TrimCommand,
    WriteCache,
    about,
    attested,
    some,
)


class Disk(Described, frozen=True, kw_only=True):
    """A leaf of the stack: hardware, or what a hypervisor shows as such."""

    name: Fact[str] = about("name that the kernel gives it", "/sys/block/D")
    transport: Fact[Transport] = about("how it is attached", "sysfs device path")
    nvme_transport: Fact[str] = some(
        "what carries its commands: pcie, or a network (tcp, rdma, fc, loop) with another machine behind it (NVMe)",
        "sysfs device path, /sys/block/D/device/transport",
    )
    model: Fact[str] = about("model as it names itself", "/sys/block/D/device/model, smartctl, udev ID_MODEL_ENC")
    vendor: Fact[str] = about("vendor as it names itself (SCSI)", "/sys/block/D/device/vendor")
    firmware: Fact[str] = about("firmware revision", "/sys/block/D/device/{firmware_rev,rev}, smartctl")
    firmware_fault: Fact[FirmwareFault] = some(
        "the worst that the table of firmware says of its revision. 'handled': the kernel works around it. "
        "'may be affected': the revision alone does not tell",
        "model, firmware, the table of firmware",
    )
    firmware_hours_left: Fact[int] = some(
        "hours of operation until the fault of its firmware strikes, where the fault is a count of hours; 0: reached",
        "the table of firmware, power-on hours",
        "hours",
    )
    size_bytes: Fact[int] = about("capacity", "/sys/block/D/size", "bytes")
    virtual: Fact[bool] = about(
        "shown by a hypervisor, cloud or network; its hardware can't be seen", "transport, model"
    )
    rotational: Fact[bool] = about(
        "is rotational; virtual disks say yes by default. Of a RAID controller's volume its tool alone tells",
        "queue/rotational, storcli64",
    )
    same_drive: Fact[tuple[str, ...]] = some(
        "other disks that are parts of the same drive: namespaces of NVMe, LUNs of a second actuator", "/sys/block"
    )
    removable: Fact[bool] = about("medium can be taken out", "/sys/block/D/removable")
    read_only: Fact[bool] = about("refuses writes", "/sys/block/D/ro")
    scheduler: Fact[str] = about("I/O scheduler in use", "queue/scheduler")
    schedulers: Fact[tuple[str, ...]] = about("I/O schedulers to choose from", "queue/scheduler")
    write_cache: Fact[WriteCache] = about("whether the kernel believes in a volatile cache", "queue/write_cache")
    fua: Fact[bool] = about("the driver passes forced unit access on", "queue/fua")
    volatile_cache: Fact[bool] = about(
        "whether the drive itself says that a volatile write cache is in use",
        "nvme id-ctrl vwc bit 0, get-feature 6, smartctl write_cache, scsi_disk cache_type",
    )
    driver_flushes: Fact[bool] = about(
        "its driver is ready to flush its cache, so that queue/write_cache alone decides", "scsi_disk cache_type"
    )
    plp: Fact[PlpVerdict] = about(
        "power-loss protection; 'unknown' only when all that could be asked was asked", "disk.plp_evidence"
    )
    plp_evidence: Fact[tuple[str, ...]] = about("what was weighed for the power-loss verdict", "all of them")
    plp_settle: Fact[tuple[str, ...]] = about("what would settle the power-loss verdict, step by step", "derived")
    known_lossy: Fact[bool] = about(
        "drives of its family lost data after a completed flush in a published test", "the drive table"
    )
    controller: Fact[RaidController] = about(
        "the tool that knows the RAID controller whose volume this is; 'none': a drive of its own", "SCSI vendor, model"
    )
    raid_volume: Fact[RaidVolume] = some(
        "whether the controller's volume is whole",
        "storcli, perccli, MegaCLI, ssacli, arcconf, /sys/class/raid_devices of mpt3sas",
    )
    raid_sick_drives: Fact[tuple[str, ...]] = some(
        "drives behind the controller that failed, are about to, are missing or being rebuilt",
        "storcli, perccli, MegaCLI, ssacli, arcconf",
    )
    raid_drive_errors: Fact[tuple[str, ...]] = some(
        "drives behind the controller with media errors, and how many", "storcli, perccli"
    )
    raid_foreign_drives: Fact[tuple[str, ...]] = some(
        "drives at the controller with a configuration of another one, or an old one", "storcli, perccli"
    )
    raid_patrol_read: Fact[bool] = some("the controller reads all of its drives in the background", "storcli, perccli")
    raid_drive_health: Fact[tuple[str, ...]] = some(
        "drives behind the controller that are sick by their own counts, by slot where its tool tells it",
        "smartctl --scan, smartctl -d megaraid,N or cciss,N",
    )
    raid_drive_firmware: Fact[tuple[str, ...]] = some(
        "drives behind the controller whose firmware is known to lose data, and when", "smartctl, the table of firmware"
    )
    controller_cache: Fact[ControllerCache] = some(
        "the controller's policy for this volume; 'write back' falls back without battery, 'always write back' not",
        "storcli, perccli, MegaCLI, ssacli, arcconf",
    )
    controller_battery: Fact[ControllerBattery] = some(
        "battery, CacheVault or capacitor of the controller", "storcli, perccli, MegaCLI, ssacli, arcconf"
    )
    controller_drive_caches: Fact[DriveCaches] = some(
        "write caches of the drives behind the controller, which its battery does not cover",
        "storcli, perccli, MegaCLI, ssacli, arcconf",
    )
    power_state: Fact[PowerState] = some(
        "whether it sleeps; one that does is not woken by questions but with --wake (SATA, SAS, SCSI, USB)",
        "smartctl -n standby, /sys/block/D/device/power/runtime_status",
    )
    critical_warning: Fact[int] = some("NVMe critical warning bits", "nvme smart-log", "bits")
    capacitor_health: Fact[int] = some(
        "energy margin of the power-loss capacitors", "nvme ocp smart-add-log", "percent"
    )
    incomplete_shutdowns: Fact[int] = some(
        "shutdowns in which not all data was saved", "nvme ocp smart-add-log", "shutdowns"
    )
    plp_starts: Fact[int] = some("times its power-loss protection went to work", "nvme ocp smart-add-log", "times")
    unsafe_shutdowns: Fact[int] = some("power losses without notice", "nvme smart-log, smartctl", "shutdowns")
    power_on_hours: Fact[int] = some("hours that it was powered on", "nvme smart-log, smartctl", "hours")
    smart_passed: Fact[bool] = about("the drive's own overall health", "smartctl")
    recovery_limit_ds: Fact[int] = some(
        "longest that it tries to read a bad sector; 0: no limit, or it has none to set (SATA)", "smartctl", "1/10 s"
    )
    command_timeout_seconds: Fact[int] = some(
        "after which the kernel gives a command up and resets the drive (SATA, EBS)",
        "/sys/block/D/device/timeout, nvme_core.io_timeout",
        "s",
    )
    joined: Fact[bool] = some("multipath joins it with other paths to the same disk", "the stack in sysfs")
    outage_seconds: Fact[int] = some(
        "longest that a disk of the network (iSCSI, NVMe-oF), not below multipath, holds requests when it is lost,"
        " before they fail; 0: no end",
        "recovery_tmo, ctrl_loss_tmo",
        "s",
    )
    self_test: Fact[SelfTest] = some("result of its last self-test that came to an end", "smartctl")
    percentage_used: Fact[int] = some(
        "endurance used up (flash); may exceed 100",
        "nvme smart-log, smartctl Device Statistics, attributes, of eMMC device/life_time",
        "percent",
    )
    emmc_spare: Fact[str] = some(
        "spare blocks of an eMMC: normal, warning (80 % are used up) or urgent (90 %)",
        "/sys/block/D/device/pre_eol_info",
    )
    available_spare_percent: Fact[int] = some("spare blocks left (NVMe)", "nvme smart-log, smartctl", "percent")
    available_spare_threshold_percent: Fact[int] = some(
        "spare blocks below which it warns (NVMe)", "nvme smart-log, smartctl", "percent"
    )
    media_errors: Fact[int] = some(
        "errors that it could not correct", "nvme smart-log, smartctl Reported_Uncorrect, SCSI error counters", "errors"
    )
    pending_sectors: Fact[int] = some(
        "sectors that it could not read (ATA)", "smartctl Current_Pending_Sector", "sectors"
    )
    reallocated_sectors: Fact[int] = some(
        "bad sectors that it replaced with spare ones (ATA, SCSI)",
        "smartctl Reallocated_Sector_Ct, grown defect list",
        "sectors",
    )
    temperature_c: Fact[int] = some("temperature now", "nvme smart-log, smartctl", "°C")
    temperature_level_c: Fact[int] = some(
        "temperature, or that of the last look, where it has fallen by 3 °C at most since",
        "temperature_c, kept looks",
        "°C",
    )
    temperature_limit_c: Fact[int] = some(
        "temperature up to which its maker lets it work", "nvme id-ctrl wctemp, smartctl", "°C"
    )
    link_errors: Fact[int] = some(
        "transfers damaged between drive and controller (SATA)", "smartctl UDMA_CRC_Error_Count", "errors"
    )
    looks: Fact[int] = some(
        "earlier looks of the last month to compare with", "/var/lib/fsadvisor/looks.jsonl", "looks"
    )
    damage_grown: Fact[tuple[str, ...]] = some(
        "counts of damage that grew in the last month, and by how much: unreadable sectors, uncorrected errors, "
        "reallocated sectors of hard disks",
        "/var/lib/fsadvisor/looks.jsonl",
    )
    link_errors_grown: Fact[int] = some(
        "transfers damaged between drive and controller in the last month (SATA)",
        "/var/lib/fsadvisor/looks.jsonl",
        "errors",
    )
    link_errors_rest: Fact[bool] = some(
        "earlier looks show that the count of damaged transfers has stood still for a week or longer",
        "/var/lib/fsadvisor/looks.jsonl",
    )
    offline: Fact[tuple[str, ...]] = some(
        "what says that the kernel sends it no requests any more; that nothing says so is no proof",
        "/sys/block/D/device/state, /sys/class/iscsi_session/*/state",
    )
    lost_paths: Fact[tuple[str, ...]] = some(
        "paths of an NVMe disk of several paths whose controllers do not answer", "/sys/block/nvmeXcYnZ/device/state"
    )
    log_errors: Fact[int] = some(
        "failed reads and writes, and losses of it, in the kernel's log of the last seven days", "dmesg", "lines"
    )
    log_said: Fact[str] = some("what most of these lines say, where there are any", "dmesg")
    log_link_troubles: Fact[int] = some(
        "resets, time-outs and damaged transfers in the kernel's log of the last seven days", "dmesg", "lines"
    )
    failing_attributes: Fact[tuple[str, ...]] = some(
        "attributes at or below their threshold now (ATA)", "smartctl when_failed"
    )
    failing: Fact[bool] = some(
        "it fails, or has errors: its own judgement, unreadable sectors, no spare blocks left",
        "derived from smartctl and nvme-cli",
    )
    discards: Fact[bool] = about("takes discards (TRIM)", "queue/discard_max_bytes")
    thin: Fact[bool] = about(
        "its blocks are backed on demand, so that discards give space back to a pool",
        "sysfs; unknown for virtual disks",
        attested=True,
    )
    zoned: Fact[bool] = about("its zones must be written in order", "queue/zoned")
    shingled_by: Fact[ShingledBy] = some(
        "what says that it records in shingles (SMR): a page that lists its model, its zones, or that it takes "
        "TRIM. 'no sign' is no proof of the contrary",
        "model, a table of models, queue/zoned, queue/discard_max_bytes",
    )
    member_of: Fact[MemberOf] = some("whether md with redundancy or ZFS stands on it", "the stack, udev ID_FS_TYPE")
    mount_points: Fact[tuple[str, ...]] = some(
        "where the filesystems on it are mounted; looked up of a disk that fails or is offline", "the stack, mountinfo"
    )
    logical_block_bytes: Fact[int] = about("smallest write", "queue/logical_block_size", "bytes")
    physical_block_bytes: Fact[int] = about("smallest write without read", "queue/physical_block_size", "bytes")
    minimum_io_bytes: Fact[int] = about("preferred smallest I/O", "queue/minimum_io_size", "bytes")
    optimal_io_bytes: Fact[int] = about("preferred I/O, 0 where none is told", "queue/optimal_io_size", "bytes")
    read_ahead_kib: Fact[int] = about("read-ahead", "queue/read_ahead_kb", "KiB")
    requests: Fact[int] = about("requests that may be queued", "queue/nr_requests", "requests")
    flushes: Fact[int] = about("cache flushes since boot", "/sys/block/D/stat field 16", "flushes")
    writes: Fact[int] = about("writes since boot", "/sys/block/D/stat field 5", "writes")
    written_bytes: Fact[int] = about("written since boot", "psutil, /sys/block/D/stat", "bytes")
    read_bytes: Fact[int] = about("read since boot", "psutil, /sys/block/D/stat", "bytes")
    flush_ms_avg: Fact[float] = about("average time of a cache flush since boot", "/sys/block/D/stat", "ms")
    flush_time_percent: Fact[float] = about(
        "time spent on cache flushes, of the time since boot; over 100 where queues flush side by side",
        "/sys/block/D/stat, /proc/uptime",
        "percent",
    )
    flush_share_percent: Fact[float] = some(
        "share of an fsync that flushes its cache, measured on a filesystem that stands on it alone",
        "`fsadvisor probe fsync-ladder`",
        "percent",
    )
    sorted_above: Fact[bool] = some(
        "what stands on it orders requests itself: a multipath device, or ZFS", "the stack, udev ID_FS_TYPE"
    )
    udev_model: Fact[str] = about("model as udev rules see it", "udev ID_MODEL")
    udev_serial: Fact[str] = about("serial number as udev rules see it", "udev ID_SERIAL_SHORT")
    cloud_disk: Fact[CloudDisk] = about(
        "kind of disk by the cloud that gave it", "model, DMI, the place on VMBus (Azure)"
    )
    cloud_type: Fact[str] = some(
        "type of a network disk by its cloud's name: Premium_LRS, gp3, pd-balanced",
        "cloud-init's instance-data.json (Azure)",
        attested=True,
    )
    host_cache: Fact[HostCache] = some(
        "how its host caches it, as the machine started (Azure)", "cloud-init's instance-data.json"
    )
    provisioned_iops: Fact[int] = some(
        "operations a second that it may do for any time",
        "type and size, a table of clouds' limits (Azure)",
        "operations",
        attested=True,
    )
    provisioned_burst_iops: Fact[int] = some(
        "operations a second that it may do in a burst of 30 minutes, where it has saved for one",
        "type and size, a table of clouds' limits (Azure)",
        "operations",
    )
    provisioned_throughput: Fact[int] = some(
        "bytes a second that it may move for any time", "the same table", "bytes", attested=True
    )
    provisioned_used_percent: Fact[float] = some(
        "what it does on average since boot, of its limit of operations or bytes, the higher share",
        "/sys/block/D/stat, provisioned_iops, provisioned_throughput",
        "percent",
    )
    beyond_volume_limit_percent: Fact[float] = some(
        "share of the time since boot in which more was asked of it than the volume is provisioned for (EBS)",
        "nvme amzn stats",
        "percent",
    )
    beyond_instance_limit_percent: Fact[float] = some(
        "share of the time since boot in which more was asked of it than the instance may (EBS)",
        "nvme amzn stats",
        "percent",
    )
    trim_command: Fact[TrimCommand] = some("how the kernel sends TRIM to it (SATA)", "/sys/class/ata_device/*/trim")
    queued_trim_trouble: Fact[bool] = some(
        "its family is known or reported to mishandle queued TRIM (SATA)", "model, libata's list"
    )
    pcie_link: Fact[str] = some("PCI Express link in use (NVMe)", "current_link_speed, current_link_width")
    pcie_link_reduced: Fact[bool] = some(
        "the link runs below what both drive and slot can do (NVMe)", "current_link_*, max_link_* of drive and port"
    )
    better_block_bytes: Fact[int] = some(
        "logical block of a format that it calls faster than the one in use, 0 where there is none (NVMe)",
        "nvme id-ns",
        "bytes",
    )
    unjoined_paths: Fact[tuple[str, ...]] = some(
        "other disks of the kernel that are this one by another path, without a multipath device above both (SCSI)",
        "udev ID_WWN_WITH_EXTENSION, ID_SERIAL; the stack",
    )
    write_throttle_us: Fact[int] = about(
        "latency of reads above which writing pages back is slowed down; 0: never", "queue/wbt_lat_usec", "µs"
    )
    datasheet_plp: Fact[bool] = attested(
        "its maker's datasheet says that this very model keeps acknowledged writes through a power loss",
        "look for power-loss protection in the datasheet of this very model and capacity",
        "a table of data sheets that were read",
    )
    firmware_trusted: Fact[bool] = attested(
        "its firmware revision was looked up: no fault is known that loses acknowledged writes",
        "look through the maker's release notes from this firmware revision on",
        "a table of pages on faults of firmware",
    )
    path_covered: Fact[bool] = attested(
        "every cache between the kernel and it (RAID controller, enclosure, bridge) survives a power loss, or is off",
        "list the caches on the way to the disk, and how each survives a power loss",
        "its place in sysfs (NVMe on PCI Express alone)",
    )
    swap_policy: Fact[bool] = attested(
        "a drive put in its place is checked for power-loss protection before it is used",
        "ask who replaces drives whether a new one is checked for power-loss protection",
    )
    runbook: Fact[bool] = attested(
        "a runbook says what to do after a power loss with all that is on it",
        "find the runbook for a power loss, and whether it covers what is on this disk",
    )
