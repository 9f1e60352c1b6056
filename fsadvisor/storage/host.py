"""The machine as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsadvisor.facts import Fact
from fsadvisor.storage.about import about, attested
from fsadvisor.version import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The machine as a whole."""

    kernel: Fact[Version] = about("kernel version", "/proc/sys/kernel/osrelease")
    kernel_release: Fact[str] = about("kernel release as the distribution names it", "/proc/sys/kernel/osrelease")
    virtual: Fact[bool] = about("runs in a virtual machine", "systemd-detect-virt, DMI")
    container: Fact[bool] = about("fsadvisor itself runs in a container", "systemd-detect-virt, /run, cgroup")
    cloud: Fact[Literal["aws", "gcp", "azure", "none"]] = about("cloud that the machine runs in", "DMI")
    product: Fact[str] = about("product name of the machine", "/sys/class/dmi/id/product_name")
    root_flags: Fact[tuple[str, ...]] = about("mount options given to the root by the boot loader", "/proc/cmdline")
    memory_bytes: Fact[int] = about("memory", "psutil, /proc/meminfo", "bytes")
    available_bytes: Fact[int] = about("memory that could be had without swapping", "/proc/meminfo", "bytes")
    dirty_now_bytes: Fact[int] = about("pages waiting to be written", "/proc/meminfo Dirty", "bytes")
    dirty_now_seconds: Fact[int] = about(
        "what the slowest disk in use needs to write the pages that wait now", "derived, a heuristic", "s"
    )
    dirty_ratio: Fact[int] = about("share of available memory where writers must wait", "vm.dirty_ratio", "percent")
    dirty_bytes: Fact[int] = about("amount where writers must wait; 0: the ratio counts", "vm.dirty_bytes", "bytes")
    dirty_background_ratio: Fact[int] = about("share where writing starts", "vm.dirty_background_ratio", "percent")
    dirty_background_bytes: Fact[int] = about("amount where writing starts", "vm.dirty_background_bytes", "bytes")
    dirty_expire_centisecs: Fact[int] = about("age at which a page is written", "vm.dirty_expire_centisecs", "1/100 s")
    dirty_writeback_centisecs: Fact[int] = about(
        "pause between two looks for pages that are old enough to be written; 0: nobody looks",
        "vm.dirty_writeback_centisecs",
        "1/100 s",
    )
    defrag_jobs: Fact[tuple[str, ...]] = about(
        "files that have e4defrag, xfs_fsr or btrfs filesystem defragment run by the clock", "cron, systemd units"
    )
    dirty_limit_bytes: Fact[int] = about(
        "most that may wait to be written, as the kernel would reckon it for all of memory",
        "derived",
        "bytes",
    )
    dirty_limit_seconds: Fact[int] = about(
        "what the slowest disk in use needs to write that, at an assumed 1 GB/s (NVMe), 200 MB/s (others) or 125 MB/s"
        " (a cloud's network volume)",
        "derived, a heuristic",
        "s",
    )
    dirty_wanted_bytes: Fact[int] = about(
        "what the slowest disk in use writes in 4 s, 256 MiB to 4 GiB", "derived, a heuristic", "bytes"
    )
    dirty_background_wanted_bytes: Fact[int] = about(
        "what the slowest disk in use writes in 1 s, 64 MiB to 1 GiB", "derived, a heuristic", "bytes"
    )
    uptime_seconds: Fact[int] = about("time since boot", "/proc/uptime", "s")
    io_full_avg60_percent: Fact[float] = about(
        "share of the last minute in which all tasks waited for I/O", "/proc/pressure/io", "percent"
    )
    io_stalled: Fact[bool] = about("all tasks waited for I/O in over a tenth of the last minute", "/proc/pressure/io")
    fstrim_timer: Fact[Literal["active", "inactive"]] = about("whether fstrim.timer runs", "systemctl show")
    trim_wanted: Fact[bool] = about(
        "a mounted ext4 or XFS without online discard stands on devices that take discards", "derived"
    )
    io_limits: Fact[tuple[str, ...]] = about("cgroups with an io.max limit", "/sys/fs/cgroup/**/io.max")
    block_devices: Fact[int] = about("block devices in use", "/sys/block", "devices")
    mounts: Fact[int] = about("mounts that hold people's files", "/proc/self/mountinfo", "mounts")
    services: Fact[int] = about("programs found that keep files", "running processes", "programs")
    backed_up: Fact[bool] = attested(
        "there is a backup of what is kept here, and it was restored once",
        "ask who would restore this machine when it was last done",
    )
    plp_monitored: Fact[bool] = attested(
        "capacitor health, critical warnings and controller batteries are watched, and somebody is called",
        "ask who gets the alert when a drive's power-loss protection fails",
    )
