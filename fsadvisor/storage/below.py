"""What holds for the leaf disks under a subject."""

from __future__ import annotations

from dataclasses import dataclass

from fsadvisor.facts import Fact
from fsadvisor.storage.about import about, some
from fsadvisor.storage.words import PlpVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Below:
    """What lies under a layer, filesystem, mount or service, folded over every leaf disk.

    Kleene: one leaf that is known to spoil an 'all' decides; one that is not known leaves it open, and so does a
    stack that can't be followed to hardware.
    """

    disks: Fact[tuple[str, ...]] = about("names of the leaf disks", "the stack in sysfs")
    any_write_back: Fact[bool] = about("a leaf disk gets cache flushes from the kernel", "queue/write_cache")
    plp: Fact[PlpVerdict] = about(
        "the weakest power-loss verdict of the leaf disks: what is lost on one is lost", "disk.plp"
    )
    all_plp_proven: Fact[bool] = about("power-loss protection is proven for every leaf disk", "disk.plp")
    any_unprotected_cache: Fact[bool] = about(
        "a leaf disk is 'write back' and its power-loss protection is not proven",
        "disk.write_cache, disk.plp",
    )
    flush_ms_avg: Fact[float] = some(
        "average time of a cache flush since boot, of the slowest leaf disk that gets flushes",
        "/sys/block/D/stat",
        "ms",
    )
    any_virtual: Fact[bool] = about("a leaf disk is virtual", "disk.virtual")
    any_rotational: Fact[bool] = about("a leaf disk that is no virtual one spins", "disk.rotational, disk.virtual")
    any_discards: Fact[bool] = about("discards reach a leaf disk", "disk.discards")
    any_failing: Fact[bool] = about("a leaf disk fails, or has errors", "disk.failing")
    any_incomplete: Fact[bool] = about(
        "an array, mirror or multipath device lacks a member, or is being rebuilt", "layer.incomplete"
    )
    any_thin: Fact[bool] = about("something below is thinly provisioned", "disk.thin, dm and LVM tables")
    any_ephemeral: Fact[bool] = about("a leaf disk is a cloud host's own and gone with it", "disk.cloud_disk")
    raid_levels: Fact[tuple[str, ...]] = some(
        "levels of the software RAIDs below; a controller's are not seen", "layer.md_level"
    )
    read_ahead_kib: Fact[int] = some(
        "read-ahead of the one block device right below, which counts for reads of files", "queue/read_ahead_kb", "KiB"
    )
    any_removable: Fact[bool] = about("a leaf disk is removable", "disk.removable")
    transports: Fact[tuple[str, ...]] = about("how the leaf disks are attached", "disk.transport")
    all_datasheet_plp: Fact[bool] = about(
        "datasheets promise power-loss protection of every leaf", "disk.datasheet_plp"
    )
    all_firmware_trusted: Fact[bool] = about("the firmware of every leaf disk is trusted", "disk.firmware_trusted")
    all_paths_covered: Fact[bool] = about("no cache on the way to a leaf forgets at power loss", "disk.path_covered")
    all_swap_policy: Fact[bool] = about("replacements of every leaf disk are checked", "disk.swap_policy")
