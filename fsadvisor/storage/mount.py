"""Places where filesystems are."""

from __future__ import annotations

from dataclasses import dataclass

from fsadvisor.facts import Fact
from fsadvisor.storage.about import ATTEST, about, some
from fsadvisor.storage.words import Atime, DataMode, Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A place where a filesystem is, or by configuration should be, mounted."""

    mounted: Fact[bool] = about("is mounted now", "/proc/self/mountinfo")
    point: Fact[str] = about("mount point", "/proc/self/mountinfo, /etc/fstab")
    fs_type: Fact[str] = about("kind of filesystem, running or else configured", "/proc/self/mountinfo, /etc/fstab")
    options: Fact[tuple[str, ...]] = about("options in force, of this mount and its superblock", "/proc/self/mountinfo")
    configured: Fact[bool] = about("is in /etc/fstab or a mount unit", "/etc/fstab, systemctl show")
    configured_options: Fact[tuple[str, ...]] = some("options asked for at the next mount", "/etc/fstab, mount unit")
    configured_in: Fact[str] = some("file and line of the configuration", "/etc/fstab, mount unit")
    options_not_in_force: Fact[tuple[str, ...]] = some("configured options that the running mount lacks", "both")
    root: Fact[bool] = about("is the root of the machine", "mount point")
    subtree: Fact[str] = some(
        "what part of the filesystem is mounted (bind mounts, subvolumes)", "/proc/self/mountinfo"
    )
    read_only: Fact[bool] = some("is read-only", "/proc/self/mountinfo")
    atime: Fact[Atime] = some("when access times are written", "/proc/self/mountinfo")
    nodiratime: Fact[bool] = some("folders' access times are not written", "/proc/self/mountinfo")
    sync: Fact[bool] = some("every write waits for the disk (sync or dirsync)", "/proc/self/mountinfo")
    sync_needed: Fact[bool] = some("a program counts on every write waiting for the disk", ATTEST, attested=True)
    configured_data_mode: Fact[DataMode] = some("ext4 data= mode asked for", "/etc/fstab, mount unit")
    workload: Fact[Workload] = some("what it is used for", "--workload, services, counters since boot", attested=True)
    workload_reasons: Fact[tuple[str, ...]] = some("why that workload", "services, counters since boot")
    atime_readers: Fact[tuple[str, ...]] = some("programs found that use access times on it", "services, mount point")
