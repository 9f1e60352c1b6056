"""The machine as a whole: kernel, memory and write-back settings, timers, jobs, and who watches the drives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from msgspec.structs import replace

from fsadvisor import secrecy
from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.machine.kept_files import INCIDENT, LOOKS
from fsadvisor.readers import block_files, host_files, json_text, own_records, system_counters, systemd_units
from fsadvisor.readers.mount_tables import split_options
from fsadvisor.storage import Host
from fsadvisor.survey import arrays, block, configured, faults, hosting, raid, read_fact, tenants, trends
from fsadvisor.survey.identity import SubjectIdentities
from fsadvisor.version import Version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.storage import Disk, Filesystem, Layer
    from fsadvisor.storage.about import Transport
    from fsadvisor.survey.attested import Overlay
    from fsadvisor.survey.inventory import Inventory

_FOLDERS = (
    "/etc/crontab", "/etc/anacrontab", "/etc/cron.d", "/etc/cron.hourly", "/etc/cron.daily", "/etc/cron.weekly",
    "/etc/cron.monthly", "/etc/systemd/system", "/var/spool/cron",
)  # fmt: skip
DEFRAGMENTING: Argv = ("grep", "-rslE", "^[^#]*(e4defrag|xfs_fsr|btrfs fi[a-z]* defrag)", *_FOLDERS)
"""Only names of files come back, since jobs may hold passwords."""
TRIMMING: Argv = ("grep", "-rslE", "^[^#]*fstrim", *_FOLDERS, "/etc/periodic")
"""Asked where systemd does not run; the last is Alpine's."""


def defragmenting(machine: Machine) -> Fact[tuple[str, ...]]:
    """The files of jobs that defragment; only root sees them all."""
    return read_fact.files_named(machine, DEFRAGMENTING)


_SMARTD: Final = ("smartd.service", "smartmontools.service")
"""Debian has the second, and the first as another name of it."""

_TIMER: Final = "fsadvisor-write-cache.timer"
WATCHERS: Argv = ("systemctl", "show", *_SMARTD, _TIMER, "--property=Id,LoadState,ActiveState,UnitFileState")

_BY_SMARTD: Final = (
    "ask who reads what smartd sends, and look in /etc/smartd.conf whether it watches this drive. It runs, and tells of"
    " a critical warning, not of capacitor health or of a controller's battery"
)
_BY_TIMER: Final = (
    f"ask who would hear of it. ({_TIMER} sets drives that fail to 'write back' every ten minutes, but calls nobody.)"
)


def plp_monitored(machine: Machine, disks: Iterable[Disk], now: Fact[bool]) -> Fact[bool]:
    """The fact as it was, with what runs here said to whoever is to answer; asked where a drive may have protection."""
    worth = any(
        read_fact.value(it.transport) == "nvme" and read_fact.value(it.plp) in ("proven", "claimed") for it in disks
    )
    if not (worth and isinstance(now, Unknown) and now.cause is Cause.NOT_ATTESTED):
        return now
    record = read_fact.command_record(machine, WATCHERS, systemd_units.parse_systemctl_show)
    words = [] if isinstance(record, Unknown) else list(_running(record))
    rest = now.learn[now.learn.index(", then say it") :]
    return replace(now, sentence="; ".join(words) + rest, subject="") if words else now


def _running(shown: systemd_units.SystemctlShow) -> Iterator[str]:
    active = {unit.get("Id") for unit in shown.units if unit.get("ActiveState") == "active"}
    if active.intersection(_SMARTD):
        yield _BY_SMARTD
    if _TIMER in active:
        yield _BY_TIMER


FSTRIM_TIMER: Argv = ("systemctl", "show", "fstrim.timer", "--property=Id,LoadState,ActiveState,UnitFileState")
MOUNT_VERSION: Argv = ("mount", "--version")
COMMANDS: tuple[Argv, ...] = (*hosting.COMMANDS, FSTRIM_TIMER, DEFRAGMENTING, MOUNT_VERSION)

_STALLED_PERCENT = 10.0
_NVME_BYTES_PER_SECOND = 1_000_000_000
_CLOUD_BYTES_PER_SECOND = 125_000_000
"""What a gp3 volume of AWS gives unless more is paid for; others give less or more by their size."""

_SSD_BYTES_PER_SECOND = 400_000_000
"""Of SATA and SAS."""

_OTHER_BYTES_PER_SECOND = 200_000_000
"""Of a hard disk in sequence. Where the kind is not known, that it is one errs to the side of shorter stalls."""

_MIB = 1 << 20
_CGROUP_ROOTS = ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")


def kernel(machine: Machine) -> Fact[Version]:
    """The running kernel's version."""
    path = "/proc/sys/kernel/osrelease"
    record = read_fact.file_record(machine, path, host_files.parse_kernel_version)
    return read_fact.field(record, path, lambda it: it.version)


def survey_host(
    inventory: Inventory,
    disks: Mapping[str, Disk],
    layers: Mapping[str, Layer],
    filesystems: Mapping[str, Filesystem],
    trim_wanted: Fact[bool],
    overlay: Overlay,
) -> Host:
    """Stage 6: the host."""
    own = host(inventory, _all_disks(inventory, disks, layers), trim_wanted)
    redundancy = raid.without_redundancy(inventory, layers, disks, filesystems)
    own = replace(own, fstab_ignored=configured.ignored_lines(inventory.machine), **redundancy)
    if not isinstance(inventory.seen_devices, Unknown):
        own = replace(own, **arrays.watched(inventory.machine, layers))
        own = replace(own, md_inactive=arrays.inactive_arrays(inventory.machine))
    return overlay.over("host", {"host": own}, SubjectIdentities(inventory.identifiers(), disks).of)["host"]


def _all_disks(
    inventory: Inventory, disks: Mapping[str, Disk], layers: Mapping[str, Layer]
) -> Sequence[Disk] | Unknown:
    """The disks, or why some device may be one more."""
    unclear = [device.id for device in inventory.tree.devices.values() if device.slaves is None]
    why = (kind for subject in unclear if isinstance(kind := layers[subject].kind, Unknown))
    return next(why, list(disks.values()))


def host(inventory: Inventory, disks: Sequence[Disk] | Unknown, trim_wanted: Fact[bool]) -> Host:
    """All facts of the host; `disks` tell how fast dirty pages could be written."""
    machine, programs = inventory.machine, inventory.programs
    speed = _slowest_speed(disks)
    memory = _memory(machine)
    ratio = read_fact.number(machine, "/proc/sys/vm/dirty_ratio")
    dirty = read_fact.number(machine, "/proc/sys/vm/dirty_bytes")
    limit = _dirty_limit(memory, ratio, dirty)
    mem = read_fact.file_record(machine, "/proc/meminfo", system_counters.parse_meminfo)
    waiting = read_fact.field(mem, "/proc/meminfo", lambda it: it.dirty_bytes)
    io = read_fact.file_record(machine, "/proc/pressure/io", system_counters.parse_pressure)
    stalled = read_fact.field(io, "/proc/pressure/io", _full_avg60)
    stall = _worst_stall(machine, inventory.past)
    line = read_fact.file_record(machine, "/proc/cmdline", host_files.parse_kernel_cmdline)
    inside = hosting.container(machine)
    timer = _timer(machine)
    systemd = hosting.systemd(machine, timer)
    guests = tenants.runs_guests(programs)
    on_proxmox = tenants.proxmox_facts(machine, programs, {it.mount_point for it in inventory.mounts})
    cloud = hosting.cloud(machine)
    instance = hosting.cloud_size(machine, cloud)
    seen = Host(
        kernel=kernel(machine),
        kernel_release=read_fact.text(machine, "/proc/sys/kernel/osrelease"),
        util_linux=read_fact.field(
            read_fact.command_record(machine, MOUNT_VERSION, host_files.parse_mount_version),
            " ".join(MOUNT_VERSION),
            lambda it: Version.parse(it.number),
        ),
        virtual=inventory.in_vm,
        container=inside,
        uptime_seconds=block.uptime_seconds(machine, inside),
        cloud=cloud,
        instance_type=instance,
        **hosting.facts_of_cloud_size(cloud, instance),
        product=read_fact.text(machine, "/sys/class/dmi/id/product_name"),
        root_flags=read_fact.field(line, "/proc/cmdline", lambda it: _flags(it.get("rootflags"))),
        memory_bytes=memory,
        available_bytes=read_fact.derive(
            read_fact.field(mem, "/proc/meminfo", lambda it: it.mem_available_bytes), read_fact.steady
        ),
        dirty_now_bytes=waiting,
        dirty_now_seconds=_dirty_seconds(waiting, speed),
        stall_dirty_seconds=_dirty_seconds(read_fact.derive(stall, lambda it: it.dirty or 0 if it else 0), speed),
        stall_seen=read_fact.derive(stall, lambda it: f"{it.when:%Y-%m-%d %H:%M} UTC" if it else "never"),
        dirty_ratio=ratio,
        dirty_bytes=dirty,
        dirty_background_ratio=read_fact.number(machine, "/proc/sys/vm/dirty_background_ratio"),
        dirty_background_bytes=read_fact.number(machine, "/proc/sys/vm/dirty_background_bytes"),
        dirty_expire_centisecs=read_fact.number(machine, "/proc/sys/vm/dirty_expire_centisecs"),
        dirty_writeback_centisecs=read_fact.number(machine, "/proc/sys/vm/dirty_writeback_centisecs"),
        defrag_jobs=defragmenting(machine),
        dirty_limit_bytes=limit,
        dirty_limit_seconds=_dirty_seconds(limit, speed),
        dirty_wanted_bytes=read_fact.derive(speed, lambda it: _between(256 * _MIB, 4 * it, 4096 * _MIB)),
        dirty_background_wanted_bytes=read_fact.derive(speed, lambda it: _between(64 * _MIB, it, 1024 * _MIB)),
        io_full_avg60_percent=stalled,
        log_hung_tasks=faults.hung_tasks(inventory.log, inventory.uptime),
        io_stalled=read_fact.derive(stalled, lambda percent: percent > _STALLED_PERCENT),
        systemd=systemd,
        fstrim_timer=_fstrim_timer(machine, timer, systemd),
        trim_wanted=trim_wanted,
        runs_guests=guests,
        unsafe_guests=tenants.unsafe_guests(machine, guests),
        guests_without_discard=on_proxmox.guests_without_discard,
        unguarded_storages=on_proxmox.unguarded_storages,
        io_limits=_io_limits(machine),
        block_devices=inventory.seen_devices,
        mounts=inventory.seen_mounts,
        services=programs if isinstance(programs, Unknown) else Known(len(programs), "running processes"),
    )
    watch = plp_monitored(machine, () if isinstance(disks, Unknown) else disks, seen.plp_monitored)
    return replace(seen, plp_monitored=watch)


def _full_avg60(record: system_counters.Pressure) -> float | None:
    return record.full.avg60_percent if record.full else None


def _flags(rootflags: str | None) -> tuple[str, ...]:
    return secrecy.options(split_options(rootflags or ""))


def _memory(machine: Machine) -> Fact[int]:
    """MemTotal: psutil's word, else /proc/meminfo (archives have no psutil)."""
    answer = machine.counters()
    document = read_fact.understood(answer, json_text.load)
    counted: Fact[int] = (
        document
        if isinstance(document, Unknown)
        else read_fact.fact_of(json_text.integer(document, "memory", "total"), "psutil virtual_memory")
    )
    record = read_fact.file_record(machine, "/proc/meminfo", system_counters.parse_meminfo)
    return read_fact.first(counted, read_fact.field(record, "/proc/meminfo", lambda it: it.mem_total_bytes))


def _dirty_limit(memory: Fact[int], ratio: Fact[int], dirty: Fact[int]) -> Fact[int]:
    """vm.dirty_bytes where set, else the ratio of all memory (the kernel takes it of the available part)."""
    if isinstance(dirty, Unknown) or dirty.value > 0:
        return dirty
    if isinstance(ratio, Unknown):
        return ratio
    return read_fact.derive(memory, lambda total: total * ratio.value // 100)


def _slowest_speed(disks: Sequence[Disk] | Unknown) -> Fact[int]:
    """Bytes per second that the slowest class of disk in use is assumed to write."""
    if isinstance(disks, Unknown):
        return disks
    if not disks:
        return Unknown(Cause.NOT_EXPOSED, "", "no disk")
    speeds = [_assumed_speed(disk) for disk in disks]
    known = sorted((speed for speed in speeds if isinstance(speed, Known)), key=lambda it: it.value)
    unknown = [speed for speed in speeds if isinstance(speed, Unknown)]
    slow = [speed for speed in known if speed.value <= _OTHER_BYTES_PER_SECOND]
    first: Sequence[Fact[int]] = (*slow, *unknown, *known)
    return first[0]


def _assumed_speed(disk: Disk) -> Fact[int]:
    """By its class. Of a virtual disk, one at USB or a network, a card, a controller's volume: as of a hard disk."""

    def by_transport(kind: Transport) -> int:
        if read_fact.value(disk.cloud_disk) == "network":
            return _CLOUD_BYTES_PER_SECOND
        if kind == "nvme":
            pcie = read_fact.value(disk.nvme_transport) in ("pcie", None)
            return _NVME_BYTES_PER_SECOND if pcie else _OTHER_BYTES_PER_SECOND
        flash = read_fact.value(disk.rotational) is False and read_fact.value(disk.virtual) is False
        return _SSD_BYTES_PER_SECOND if flash and kind in ("sata", "sas", "scsi") else _OTHER_BYTES_PER_SECOND

    return read_fact.derive(disk.transport, by_transport)


def _dirty_seconds(limit: Fact[int], speed: Fact[int]) -> Fact[int]:
    """Seconds to write the dirty limit at the assumed speed."""
    if isinstance(limit, Unknown):
        return limit
    if isinstance(speed, Unknown):
        return speed
    return Known(
        limit.value // speed.value, f"{limit.source}; assumed {speed.value // 1_000_000} MB/s, a rule of thumb"
    )


_KEPT_NONE: Final = "fsadvisor watch has kept no incident"


def _worst_stall(machine: Machine, past: trends.Past) -> Fact[own_records.WindowRecord | None]:
    """The moment with most dirty of those in which all tasks waited: of watch's last incident, and of earlier looks."""
    read = read_fact.file_record(machine, INCIDENT, own_records.parse_incident)
    kept = [(it, INCIDENT) for it in (() if isinstance(read, Unknown) else read.moments)]
    kept += [(it, LOOKS) for it in trends.waited(past)]
    stalled = [one for one in kept if one[0].dirty and 100 * (one[0].io_full or 0) > _STALLED_PERCENT]
    peak, file = max(stalled, key=lambda one: one[0].dirty or 0, default=(None, ""))
    if peak is None and isinstance(read, Unknown):
        return Known(None, _KEPT_NONE) if read_fact.is_not_there(read) else read
    if peak is None:
        return Known(None, f"{INCIDENT}: in no window did all tasks wait with pages dirty")
    waited = f"all tasks waited {100 * (peak.io_full or 0):.0f} % of the time"
    return Known(peak, f"{peak.when:%Y-%m-%d %H:%M} UTC: {waited}, {peak.dirty or 0:,} bytes dirty ({file})")


def _between(low: int, amount: int, high: int) -> int:
    return max(low, min(amount, high))


def _timer(machine: Machine) -> Fact[str]:
    """The state of fstrim.timer in systemd's words."""
    record = read_fact.command_record(machine, FSTRIM_TIMER, systemd_units.parse_systemctl_show)
    source = " ".join(FSTRIM_TIMER)
    return read_fact.field(record, source, lambda it: it.units[0].get("ActiveState") if it.units else None)


def _fstrim_timer(machine: Machine, timer: Fact[str], systemd: Fact[bool]) -> Fact[Literal["active", "inactive"]]:
    jobs = machine.entries("/etc/cron.weekly")
    if not isinstance(jobs, Unknown) and "fstrim" in jobs:
        return Known("active", "/etc/cron.weekly/fstrim")
    if read_fact.value(systemd) is False:  # jobs that we do not know may run it: that none is found is no no
        named = read_fact.files_named(machine, TRIMMING)
        if read_fact.value(named):
            return read_fact.derive(named, lambda _: "active")
        if (
            isinstance(timer, Unknown) and timer.cause is Cause.NO_TOOL
        ):  # systemd would bring no fact: it is not at work
            return Unknown(Cause.NOT_EXPOSED, "look for a job that runs fstrim", "/run/systemd/system")
    return read_fact.derive(timer, lambda word: "active" if word == "active" else "inactive")


def _io_limits(machine: Machine) -> Fact[tuple[str, ...]]:
    """The cgroups with an io.max, two levels deep (slices and the services in them)."""
    root = next((it for it in _CGROUP_ROOTS if "cgroup.controllers" in read_fact.names(machine.entries(it))), None)
    if root is None:
        return Unknown(Cause.NOT_EXPOSED, "", "no cgroup v2 hierarchy")
    limited: list[str] = []
    for group in _groups(machine, root, depth=2):
        limits = _limits_io(machine, f"{root}/{group}")
        if isinstance(limits, Unknown):
            return limits
        limited += [group] if limits.value else []
    return Known(tuple(limited), f"{root}/**/io.max")


def _groups(machine: Machine, root: str, depth: int, under: str = "") -> list[str]:
    found: list[str] = []
    for name in read_fact.names(machine.entries(f"{root}/{under}".rstrip("/"))):
        if depth and name.endswith((".slice", ".service", ".scope")):
            group = f"{under}/{name}".lstrip("/")
            found += [group, *_groups(machine, root, depth - 1, group)]
    return found


def _limits_io(machine: Machine, folder: str) -> Fact[bool]:
    """Whether a group limits I/O; one that ended meanwhile does not."""
    names = machine.entries(folder)
    if isinstance(names, Unknown):
        return Known(False, folder) if read_fact.is_not_there(names) else names
    if "io.max" not in names:
        return Known(False, folder)
    record = read_fact.file_record(machine, f"{folder}/io.max", block_files.parse_io_max)
    return read_fact.field(record, f"{folder}/io.max", lambda it: bool(it.limited))
