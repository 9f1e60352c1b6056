"""What each part of a generated machine answers: the readers' samples, and values composed for them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.readers import (
    block_files,
    btrfs_tools,
    ext4_reports,
    kernel_log,
    nvme_identify,
    nvme_logs,
    nvme_output,
    smartctl,
    xfs_reports,
)
from fsadvisor.survey import configured, host, hosting, programs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.machine.port import Argv

_OUTPUTS: Final = Path(__file__).resolve().parents[2] / "fixtures" / "outputs"
_SMARTCTL_LINES: Final = 300
"""Lines of text that `smartctl --json=o -x` adds to its JSON, about as many as a SATA drive gives."""


@cache
def _sample(reader: str, case: str) -> str:
    return (_OUTPUTS / reader / f"{case}.out").read_text(encoding="utf-8", errors="surrogateescape")


EXT4_OPTIONS: Final = _sample("ext4_options", "nobarrier").replace("nobarrier", "barrier")
JBD2_INFO: Final = _sample("jbd2_info", "fsyncs")
BTRFS_ERRORS: Final = _sample("btrfs_error_stats", "clean")
BTRFS_ENTRIES: Final = ("allocation", "devices", "devinfo", "features", "label")
LINK_FILES: Final = {
    "current_link_speed": "16.0 GT/s PCIe\n",
    "current_link_width": "4\n",
    "max_link_speed": "16.0 GT/s PCIe\n",
    "max_link_width": "4\n",
}
BTRFS_FEATURES: Final = ("extended_iref", "free_space_tree", "no_holes", "skinny_metadata")
SPACE: Final = json.dumps(
    {"size": 137438953472, "free": 68719476736, "available": 61847529062, "inodes": 8388608, "inodes_free": 8000000}
)
IO_COUNTERS: Final = {"read_bytes": 2814617088, "write_bytes": 5249572864, "read_count": 116623, "write_count": 101404}
SUPERBLOCK_OPTIONS: Final = {
    "ext4": "rw,errors=remount-ro",
    "xfs": "rw,attr2,inode64,logbufs=8,logbsize=32k,noquota",
    "btrfs": "rw,space_cache=v2,subvolid=5,subvol=/",
}
DISK_ENTRIES: Final = (
    "alignment_offset", "bdi", "capability", "dev", "device", "discard_alignment", "diskseq", "events",
    "events_async", "events_poll_msecs", "ext_range", "hidden", "holders", "inflight", "integrity", "mq", "power",
    "queue", "range", "removable", "ro", "size", "slaves", "stat", "subsystem", "trace", "uevent",
)  # fmt: skip
_QUEUE: Final = {
    "hidden": "0\n",
    "removable": "0\n",
    "ro": "0\n",
    "stat": _sample("block_stat", "linux-6.18"),
    "queue/discard_max_bytes": "2147450880\n",
    "queue/minimum_io_size": "4096\n",
    "queue/nr_requests": "1023\n",
    "queue/optimal_io_size": "0\n",
    "queue/physical_block_size": "4096\n",
    "queue/read_ahead_kb": "128\n",
    "queue/rotational": "0\n",
    "queue/wbt_lat_usec": "2000\n",
    "queue/write_cache": "write back\n",
    "queue/zoned": "none\n",
}
NVME_FILES: Final[dict[str, str | None]] = {
    **_QUEUE,
    "size": "3750748848\n",
    "device/model": "EXAMPLE DC900 1.92TB                    \n",
    "device/vendor": None,
    "device/firmware_rev": "EX01    \n",
    "device/rev": None,
    "queue/fua": "1\n",
    "queue/logical_block_size": "512\n",
    "queue/scheduler": "[none] mq-deadline kyber bfq\n",
}
SATA_FILES: Final[dict[str, str | None]] = {
    **_QUEUE,
    "size": "937703088\n",
    "device/model": "EXAMPLE DC480   \n",
    "device/vendor": "ATA     \n",
    "device/firmware_rev": None,
    "device/rev": "0420\n",
    "queue/fua": "0\n",
    "queue/logical_block_size": "512\n",
    "queue/scheduler": "none [mq-deadline] kyber bfq\n",
}
HOST_FILES: Final = {
    "/proc/cmdline": _sample("kernel_cmdline", "server"),
    "/proc/meminfo": _sample("meminfo", "linux-6.18"),
    "/proc/pressure/io": _sample("pressure", "io"),
    "/proc/uptime": "86400.00 172800.00\n",
    "/proc/sys/kernel/osrelease": "6.12.0-generated\n",
    "/proc/sys/vm/dirty_background_bytes": "0\n",
    "/proc/sys/vm/dirty_background_ratio": "10\n",
    "/proc/sys/vm/dirty_bytes": "0\n",
    "/proc/sys/vm/dirty_expire_centisecs": "3000\n",
    "/proc/sys/vm/dirty_ratio": "20\n",
    "/sys/class/dmi/id/chassis_asset_tag": "Example\n",
    "/sys/class/dmi/id/product_name": "Example Server\n",
    "/sys/class/dmi/id/sys_vendor": "Example\n",
    "/sys/fs/cgroup/system.slice/io.max": "8:0 rbps=1048576 wbps=max riops=max wiops=max\n",
}
ABSENT_FILES: Final = ("/run/.containerenv", "/.dockerenv")
HOST_ENTRIES: Final[dict[str, tuple[str, ...]]] = {
    "/etc/cron.weekly": (),
    "/etc/systemd/system": ("multi-user.target.wants",),
    "/sys/fs/btrfs/features/devices": (),
    "/sys/fs/cgroup": ("cgroup.controllers", "system.slice"),
    "/sys/fs/cgroup/system.slice": ("cgroup.controllers", "io.max"),
}
PROCESS_NAMES: Final = tuple(sorted({name for program in programs.PROGRAMS for name in program.processes}))


def host_answers(mount_units: str, devices: str) -> Iterator[tuple[Argv, str]]:
    """What is asked once for the whole machine."""
    yield hosting.DETECT_VM, _sample("detect_virt", "none")
    yield hosting.DETECT_CONTAINER, _sample("detect_virt", "none")
    yield host.FSTRIM_TIMER, "Id=fstrim.timer\nLoadState=loaded\nActiveState=active\nUnitFileState=enabled\n"
    yield configured.MOUNT_UNITS, mount_units
    yield block_files.LSBLK_LABELS_ARGV, devices
    yield kernel_log.ARGV, "[    0.000000] Linux version\n"


def drive_answers(device: str, *, is_nvme: bool) -> Iterator[tuple[Argv, str]]:
    """What a drive says of itself."""
    yield smartctl.argv(device), _smartctl("nvme-backup-failed" if is_nvme else "ata-ssd")
    if is_nvme:
        yield nvme_identify.id_ctrl_argv(device), _sample("nvme_id_ctrl", "json-2.16")
        yield nvme_identify.id_ns_argv(device), _sample("nvme_id_ns", "json-2.16")
        yield nvme_logs.smart_log_argv(device), _sample("nvme_smart_log", "json-2.16")
        yield nvme_output.get_feature_argv(device), _sample("nvme_get_feature", "text-2.8")
        yield nvme_logs.ocp_smart_log_argv(device), _sample("nvme_ocp_smart_log", "json-v1-2.16")


def filesystem_answers(fs_type: str, device: str, place: str) -> Iterator[tuple[Argv, str]]:
    """What a filesystem's own tools say."""
    if fs_type == "ext4":
        yield ext4_reports.dumpe2fs_argv(device), _sample("dumpe2fs", "ext4_fresh")
    if fs_type == "xfs":
        yield xfs_reports.xfs_info_argv(place), _sample("xfs_info", "default")
    if fs_type == "btrfs":
        yield btrfs_tools.btrfs_usage_argv(place), _sample("btrfs_usage", "single")
        yield btrfs_tools.btrfs_snapshots_argv(place), ""


@cache
def _smartctl(case: str) -> str:
    """A sample of smartctl with as much text in it as a drive gives."""
    document = json.loads(_sample("smartctl", case))
    lines = _sample("smartctl_text", "ata-ssd").splitlines()
    document["smartctl"]["output"] = (lines * _SMARTCTL_LINES)[:_SMARTCTL_LINES]
    return json.dumps(document, indent=2)
