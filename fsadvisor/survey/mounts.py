"""Mounts: in force and as configured, side by side; and what each is used for."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, cast, get_args

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor import secrecy
from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.storage import Mount
from fsadvisor.storage.about import Atime, DataMode
from fsadvisor.survey import configured, measured, read_fact, tenants
from fsadvisor.survey.below import NOTHING
from fsadvisor.survey.configured import FSTAB, lacking
from fsadvisor.survey.filesystem_types.registry import LOOKED_AT, mount_point_of
from fsadvisor.survey.identity import SubjectIdentities

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from fsadvisor.readers import mount_tables
    from fsadvisor.storage import Disk, Facts, Filesystem, Subject
    from fsadvisor.storage.about import Workload
    from fsadvisor.survey.attested import Overlay
    from fsadvisor.survey.configured import Configured
    from fsadvisor.survey.filesystem_types import Superblock
    from fsadvisor.survey.inventory import Inventory, Surveyed
    from fsadvisor.survey.programs import RunningProgram

_ENOUGH_WRITES = 10_000
_STREAMING_WRITE_BYTES = 256 * 1024
_SMALL_WRITE_BYTES = 16 * 1024
_FLUSHED_SHARE = 0.1

_READS_ATIME = {"dovecot": "mail delivery", "postfix": "mail delivery", "exim": "mail delivery"}
_CLEANED_BY_AGE = ("/tmp", "/var/tmp")  # noqa: S108 - systemd-tmpfiles(8) ages these
_MAIL_FOLDERS = ("/var/mail", "/var/spool/mail", "/var/vmail")


class Use(Struct, frozen=True, kw_only=True):
    """What a mount is used for, why we say so, and who needs its access times."""

    workload: Fact[Workload]
    reasons: Fact[tuple[str, ...]]
    atime_readers: Fact[tuple[str, ...]]


def use_of_mount(
    point: str,
    declared: Mapping[str, Workload],
    services: Sequence[RunningProgram] | Unknown,
    unplaced: Sequence[RunningProgram],
    leaves: Sequence[Disk],
    alone: bool,
) -> Use:
    """The use of one mount.

    `services` are those on it, `unplaced` those that may be anywhere, `leaves` its disks; `alone` says that no other
    filesystem is on those disks, so that their counters speak for it.
    """
    readers = _atime_readers(point, services, unplaced)
    if point in declared:
        return _with_reasons(declared[point], ("declared by --workload",), readers)
    if isinstance(services, Unknown):
        return Use(workload=services, reasons=services, atime_readers=readers)
    if services:
        kinds = {service.program.workload for service in services}
        reasons = tuple(sorted({f"{service.program.name} keeps its files here" for service in services}))
        return _with_reasons(kinds.pop() if len(kinds) == 1 else "mixed", reasons, readers)
    guess = _by_counters(leaves) if alone else None
    if guess:
        return _with_reasons(*guess, readers)
    learn = "declare it: --workload {} (or metadata-heavy, streaming, mixed)"
    unknown = Unknown(Cause.NOT_ATTESTED, learn, "services, counters since boot", shlex.quote(f"{point}=oltp"))
    return Use(workload=unknown, reasons=unknown, atime_readers=readers)


def _with_reasons(workload: Workload, reasons: tuple[str, ...], readers: Fact[tuple[str, ...]]) -> Use:
    source = "; ".join(reasons)
    return Use(workload=Known(workload, source), reasons=Known(reasons, "what was found"), atime_readers=readers)


def _by_counters(leaves: Sequence[Disk]) -> tuple[Workload, tuple[str, ...]] | None:
    """Large writes are streaming; small ones of which many are flushed are transactions; else no guess."""
    totals = [(disk.writes, disk.written_bytes, disk.flushes) for disk in leaves]
    writes = written = flushes = 0
    for counted in totals:
        if any(isinstance(fact, Unknown) for fact in counted):
            return None
        values = [fact.value for fact in counted if isinstance(fact, Known)]
        writes, written, flushes = writes + values[0], written + values[1], flushes + values[2]
    if writes < _ENOUGH_WRITES:
        return None
    if written / writes >= _STREAMING_WRITE_BYTES:
        return "streaming", ("writes since boot are 256 KiB or larger on average",)
    if written / writes <= _SMALL_WRITE_BYTES and flushes / writes >= _FLUSHED_SHARE:
        return "oltp", ("writes since boot are 16 KiB or smaller on average, a tenth of them flushed",)
    return None


def _atime_readers(
    point: str, services: Sequence[RunningProgram] | Unknown, unplaced: Sequence[RunningProgram]
) -> Fact[tuple[str, ...]]:
    """Programs known to look at access times: mail readers on spools, age-based cleaners on /tmp."""
    if point in _CLEANED_BY_AGE:
        return Known((f"systemd-tmpfiles ages {point}",), "mount point")
    if point in _MAIL_FOLDERS:
        return Known(("mail readers compare access times",), "mount point")
    if isinstance(services, Unknown):
        return services
    found = {_READS_ATIME[it.program.name] for it in services if it.program.name in _READS_ATIME}
    elsewhere = [it.directory for it in unplaced if it.program.name in _READS_ATIME]
    somewhere = next((it for it in elsewhere if isinstance(it, Unknown)), None)
    if somewhere is not None and not found:
        return somewhere
    return read_fact.shared_fact(tuple(sorted(found)), "services on the mount")


_MOUNTINFO = "/proc/self/mountinfo"
_OF_THE_TABLE = ("mounted", "options", "subtree", "read_only", "atime", "nodiratime", "sync")


def survey_mounts(found: Surveyed, declared: Mapping[str, Workload], overlay: Overlay) -> dict[str, Subject]:
    """Stage 7: mount points in order of the mount table, then those that are only configured.

    `declared` are workloads by mount point.
    """
    subjects = _subjects(found, declared)
    held_by = {subject.id: subject.below[0] for subject in subjects.values() if subject.below}
    identity = SubjectIdentities(found.inventory.identifiers(), found.disks, held_by).of
    return overlay.over_subjects("mount", subjects, identity)


def _subjects(found: Surveyed, declared: Mapping[str, Workload]) -> dict[str, Subject]:
    """By mount point."""
    inventory = found.inventory
    running = {mount.mount_point: mount for mount in inventory.mounts}
    blocks = {mount.mount_point: block for block in inventory.blocks.values() for mount in block.mounts}
    no_table = inventory.seen_mounts if isinstance(inventory.seen_mounts, Unknown) else None
    wanted = inventory.configured
    of_files = (point for point, each in wanted.items() if each.fs_type in LOOKED_AT or each.fs_type == "auto")
    points = dict.fromkeys([*running, *of_files])
    by_point = no_table or _programs_by_point(inventory, running)
    exported = tenants.exported(inventory.machine, points, _ganesha(inventory), inventory.passed_over)
    subjects: dict[str, Subject] = {}
    for point in points:
        block = blocks.get(point)
        filesystem = found.filesystems.get(block.id) if block else None
        use = _use(found, point, block, by_point, declared)
        facts = mount(running.get(point), wanted.get(point), no_table, inventory.no_fstab, filesystem, use)
        if point in wanted:
            facts = replace(
                facts,
                kernel_name=configured.kernel_name(wanted[point]),
                same_uuid=configured.same_uuid(wanted[point], inventory.udev),
                fsck_pass=read_fact.fact_of(wanted[point].fsck_pass, wanted[point].where),
            )
        if point in wanted and point not in running:
            missing = configured.device_missing(wanted[point], inventory.udev, inventory.tree, inventory.volumes)
            there = _programs_there(inventory, wanted[point], running)
            facts = replace(facts, device_missing=missing, programs_below=there)
        facts = replace(facts, nfs_exported=exported(point))
        scope: dict[str, Facts] = {"mount": facts}
        if block and filesystem:
            scope |= {"filesystem": filesystem, "below": found.below[block.id]}
            scope["mount"] = _with_measurements(found, point, facts, block.id, scope)
        subjects[point] = found.subject(f"mount:{point}", "mount", point, scope, (block.id,) if block else ())
    return subjects


def _programs_by_point(inventory: Inventory, points: Container[str]) -> Mapping[str, list[RunningProgram]] | Unknown:
    """The programs by the mount point that their files are on; '' for those that may be anywhere."""
    if isinstance(inventory.programs, Unknown):
        return inventory.programs
    found: dict[str, list[RunningProgram]] = {}
    for program in inventory.programs:
        directory = read_fact.value(program.directory)
        point = None if directory is None else mount_point_of(directory, points, inventory.passed_over)
        found.setdefault(point or "", []).append(program)
    return found


def _programs_there(inventory: Inventory, wanted: Configured, running: Iterable[str]) -> Fact[tuple[str, ...]]:
    """The programs that keep files where it is not mounted; an automount is there, and mounts when they come."""
    point = wanted.mount_point
    if point in inventory.passed_over:
        return NOT_APPLICABLE
    programs = _programs_by_point(inventory, {*running, point})
    if isinstance(programs, Unknown) or point not in programs:
        return programs if isinstance(programs, Unknown) else Known((), "running processes")
    names = tuple(sorted({it.program.name for it in programs[point]}))
    elsewhere = configured.mounted_elsewhere(wanted, inventory.udev, inventory.tree, inventory.blocks.values())
    return read_fact.derive(elsewhere, lambda it: () if it else names)


def _use(
    found: Surveyed,
    point: str,
    block: Superblock | None,
    by_point: Mapping[str, list[RunningProgram]] | Unknown,
    declared: Mapping[str, Workload],
) -> Use:
    stack = found.inventory.stack
    leaves = [subject for subject in stack.under(block.id) if subject in found.disks] if block else []
    alone = block is not None and all(stack.filesystems_on(leaf) == (block.id,) for leaf in leaves)
    return use_of_mount(
        point,
        declared,
        by_point if isinstance(by_point, Unknown) else by_point.get(point, ()),
        () if isinstance(by_point, Unknown) else by_point.get("", ()),
        [found.disks[leaf] for leaf in leaves],
        alone and bool(leaves),
    )


def _with_measurements(found: Surveyed, point: str, facts: Mount, block: str, scope: Mapping[str, Facts]) -> Mount:
    """With what was measured, where one may measure: on what is mounted, writable and on disks."""
    if read_fact.value(facts.mounted) is not True or read_fact.value(facts.read_only) is not False:
        return facts
    under = found.below[block]
    if under is NOTHING:
        return facts
    around = {**scope, "host": found.host}

    def now() -> Mapping[str, str]:
        return measured.conditions(around, found.disks_and_layers(block))

    return measured.with_measurements(facts, point, found.inventory.probed, now, under.any_virtual)


def mount(
    running: mount_tables.MountEntry | None,
    wanted: Configured | None,
    no_table: Unknown | None,
    no_fstab: Unknown | None,
    filesystem: Filesystem | None,
    use: Use,
) -> Mount:
    """All facts of a place; at least one of `running` and `wanted` is there.

    `no_table` is why the mount table is not known, `no_fstab` why configured mounts may be missing, if so.
    """
    mount_point, fs_type = _place(running, wanted)
    source = _MOUNTINFO if running else (wanted.where if wanted else FSTAB)
    in_force = (*secrecy.options(running.options), *_of_superblock(running, filesystem)) if running else ()
    return Mount(
        point=Known(mount_point, source),
        fs_type=Unknown(Cause.NOT_EXPOSED, "mount it", source)
        if fs_type == "auto"
        else read_fact.shared_fact(fs_type, source),
        root=read_fact.shared_fact(mount_point == "/", source),
        **(_configured(wanted, in_force, running, no_table) if wanted else _not_configured(no_fstab)),
        **(_running(running, in_force) if running else _not_running(no_table)),
        workload=use.workload,
        workload_reasons=use.reasons,
        atime_readers=use.atime_readers,
    )


def _place(running: mount_tables.MountEntry | None, wanted: Configured | None) -> tuple[str, str]:
    if running is not None:
        return running.mount_point, running.fs_type
    return (wanted.mount_point, wanted.fs_type) if wanted else ("?", "auto")


def _of_superblock(running: mount_tables.MountEntry, filesystem: Filesystem | None) -> tuple[str, ...]:
    """The superblock's options, with the defaults that only /proc/fs/ext4 shows."""
    known = filesystem.options if filesystem else NOT_APPLICABLE
    return (*secrecy.options(running.super_options), *(known.value if isinstance(known, Known) else ()))


def _not_running(no_table: Unknown | None) -> dict[str, Any]:
    if no_table is not None:
        return dict.fromkeys(_OF_THE_TABLE, no_table)
    return {"mounted": Known(False, _MOUNTINFO), "options": NOT_APPLICABLE}


def _running(running: mount_tables.MountEntry, in_force: tuple[str, ...]) -> dict[str, Any]:
    options = running.options
    superblock = running.super_options
    sync = any(word in (*options, *superblock) for word in ("sync", "dirsync"))
    return {
        "mounted": read_fact.shared_fact(True, _MOUNTINFO),
        "options": read_fact.shared_fact(tuple(dict.fromkeys(in_force)), _MOUNTINFO),
        "subtree": read_fact.shared_fact(running.root, _MOUNTINFO),
        "read_only": read_fact.shared_fact("ro" in options or "ro" in superblock, _MOUNTINFO),
        "atime": read_fact.shared_fact(_atime(options), _MOUNTINFO),
        "nodiratime": read_fact.shared_fact("nodiratime" in options, _MOUNTINFO),
        "sync": read_fact.shared_fact(sync, _MOUNTINFO),
        "sync_needed": Unknown(
            Cause.NOT_ATTESTED, "ask whoever set it why every write must wait, and `fsadvisor attest` it", _MOUNTINFO
        )
        if sync
        else NOT_APPLICABLE,
    }


def _atime(options: tuple[str, ...]) -> Atime:
    """The kernel prints noatime or relatime per mount; neither means that every read counts."""
    if "noatime" in options:
        return "noatime"
    return "relatime" if "relatime" in options else "strictatime"


_OF_FSTAB = (
    *("configured", "configured_options", "configured_in", "configured_data_mode", "options_not_in_force"),
    *("waits_at_boot", "kernel_name", "same_uuid", "fsck_pass"),
)


def _not_configured(no_fstab: Unknown | None) -> dict[str, Any]:
    if no_fstab is None:
        return {"configured": Known(False, f"{FSTAB}, mount units")}
    return dict.fromkeys(_OF_FSTAB, no_fstab)


def _configured(
    wanted: Configured, in_force: tuple[str, ...], running: mount_tables.MountEntry | None, no_table: Unknown | None
) -> dict[str, Any]:
    lost: Fact[tuple[str, ...]] = no_table or NOT_APPLICABLE
    if running is not None:
        missing = lacking(wanted.options, in_force, running.fs_type)
        lost = Known(missing, f"{wanted.where}, {_MOUNTINFO}")
    return {
        "configured": read_fact.shared_fact(True, wanted.where),
        "waits_at_boot": read_fact.shared_fact(
            not {"nofail", "noauto", "x-systemd.automount"} & set(wanted.options), wanted.where
        ),
        "configured_options": Known(read_fact.shared(wanted.options), wanted.where),
        "configured_in": Known(wanted.where, wanted.where),
        "configured_data_mode": _data_mode(wanted),
        "options_not_in_force": lost,
    }


def _data_mode(wanted: Configured) -> Fact[DataMode]:
    """The last data= of the configured options; without one, nothing is asked for."""
    given = [option.partition("=")[2] for option in wanted.options if option.startswith("data=")]
    if not given or given[-1] not in get_args(DataMode):
        return NOT_APPLICABLE
    return Known(cast("DataMode", given[-1]), wanted.where)


def _ganesha(inventory: Inventory) -> Fact[bool]:
    """Whether the NFS server of programs runs."""
    if isinstance(inventory.programs, Unknown):
        return inventory.programs
    return Known(any(it.program.name == "nfs-ganesha" for it in inventory.programs), "running processes")
