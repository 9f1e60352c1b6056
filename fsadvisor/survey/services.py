"""What programs that keep files do to a filesystem: their settings, their files, what they share."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.readers import file_attributes, json_text
from fsadvisor.storage import Below, Filesystem, Service
from fsadvisor.survey import database_settings, effective_settings, program_settings, read_fact, tenants, trends
from fsadvisor.survey.filesystem_types.registry import ON_DEVICES, mount_point_of, type_of
from fsadvisor.survey.identity import SubjectIdentities
from fsadvisor.survey.programs import refused
from fsadvisor.survey.raid import Redundancy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.file_attributes import FolderExtents
    from fsadvisor.storage import Facts, Subject
    from fsadvisor.survey.attested import Overlay
    from fsadvisor.survey.inventory import Surveyed
    from fsadvisor.survey.program_settings import Settings
    from fsadvisor.survey.programs import RunningProgram

_SOURCE = "the stack in sysfs"
_MOUNTINFO = "/proc/self/mountinfo"


def _shared(own: Fact[tuple[str, ...]], other: Fact[tuple[str, ...]]) -> Fact[bool]:
    """Whether two sets of disks have one in common."""
    if isinstance(own, Unknown):
        return own
    return other if isinstance(other, Unknown) else Known(bool({*own.value} & {*other.value}), _SOURCE)


class Neighbours:
    """Which programs have their folders on the same disks: all are looked up once, however many ask."""

    def __init__(self, folders: Iterable[Fact[str]], disks_of: Callable[[str], Fact[tuple[str, ...]]]) -> None:
        disks = [folder if isinstance(folder, Unknown) else disks_of(folder.value) for folder in folders]
        self._disks_of = disks_of
        self._others = len(disks) - 1
        self._programs_on = Counter(name for known in disks if isinstance(known, Known) for name in set(known.value))
        self._unknown = [unknown for unknown in disks if isinstance(unknown, Unknown)]

    def shares_disk(self, own: Fact[str]) -> Fact[bool]:
        """Whether another program's folder is on a disk of this one, which is among the folders itself."""
        if isinstance(own, Unknown):
            return own
        disks = self._disks_of(own.value)
        if isinstance(disks, Unknown) and self._others:
            return disks
        if isinstance(disks, Known) and any(self._programs_on[name] > 1 for name in disks.value):
            return Known(True, _SOURCE)
        if self._unknown and self._others:
            return read_fact.first(*self._unknown)
        return Known(False, _SOURCE if self._others == 1 else "no other program was found")


def apart(own: Fact[str], log: Fact[str], disks_of: Callable[[str], Fact[tuple[str, ...]]]) -> Fact[bool]:
    """Whether a program's log is on other disks than its files."""
    if isinstance(log, Unknown):
        return log
    if isinstance(own, Unknown):
        return own
    return read_fact.derive(_shared(disks_of(own.value), disks_of(log.value)), lambda it: not it)


def on_one_mount(own: Fact[str], log: Fact[str], place_of: Callable[[str], Fact[str]]) -> Fact[bool]:
    """Whether a program's log is on the mount of its files; not known where no mount is known for one of them."""
    if isinstance(log, Unknown):
        return log
    if isinstance(own, Unknown):
        return own
    files_on, log_on = place_of(own.value), place_of(log.value)
    if isinstance(files_on, Unknown):
        return files_on
    return log_on if isinstance(log_on, Unknown) else Known(files_on.value == log_on.value, log.source)


def lost_before_files(own: Fact[str], log: Fact[str], around: Around) -> Fact[bool]:
    """Whether one drive's loss takes a program's log, but not its files."""
    together = on_one_mount(own, log, around.place_of)
    if isinstance(own, Unknown) or isinstance(log, Unknown) or isinstance(together, Unknown):
        return together  # not known, either
    if together.value:
        return Known(False, _MOUNTINFO)
    files, written = around.survives(own.value), around.survives(log.value)
    if read_fact.value(files) is False or read_fact.value(written):
        return Known(False, _SOURCE)
    if isinstance(files, Unknown):
        return files
    return read_fact.derive(written, lambda it: not it)


def percent(part: Fact[int], whole: Fact[int]) -> Fact[int]:
    """A share in percent."""
    if isinstance(part, Unknown) or isinstance(whole, Unknown):
        return part if isinstance(part, Unknown) else whole
    return Known(part.value * 100 // whole.value if whole.value else 0, f"{part.source}, {whole.source}")


CROWDED = 100_000
"""Names in one folder from which rules speak of it."""
_GIB = 1 << 30


def file_facts(machine: Machine, directory: str) -> dict[str, Any]:
    """Facts by the largest files below a folder."""
    answer = machine.extents(directory)
    record = read_fact.understood(answer, file_attributes.parse_file_extents)
    if isinstance(record, Unknown):
        return dict.fromkeys(("extents", "extents_per_gib", "largest_folder"), record)
    source = answer.source
    extents = sum(file.extents for file in record.files)
    mapped = sum(file.mapped_bytes for file in record.files)
    return {
        "extents": Known(read_fact.steady(extents), source),
        "extents_per_gib": _density(record, extents, mapped, source),
        "largest_folder": _largest_folder(record, source),
    }


def _density(record: FolderExtents, extents: int, mapped: int, source: str) -> Fact[int]:
    """Extents per GiB. Of compressed files each 128 KiB is one by construction, so they tell nothing."""
    if any(file.encoded for file in record.files):
        return Unknown(Cause.NOT_EXPOSED, "", f"{source}: some are compressed")
    return Known(read_fact.steady(extents * _GIB // mapped) if mapped else 0, source)


def _largest_folder(record: FolderExtents, source: str) -> Fact[int]:
    """Where counting stopped early, a small number says nothing; a large one is large all the same."""
    if record.whole or record.largest_folder > CROWDED:
        return Known(read_fact.steady(record.largest_folder), source)
    return Unknown(Cause.NOT_EXPOSED, "", f"{source}: there are too many to look at all")


_FACTS = {
    "postgresql": (
        "server_version", "fsync", "full_page_writes", "synchronous_commit", "wal_sync_method", "wal_init_zero",
        "fastest_wal_sync_method", "wal_recycle", "io_method", "direct_io", "buffer_bytes",
        "checkpoint_flush_after_bytes", "log_directory",
    ),
    "redis": ("appendonly", "appendfsync"),
    "docker": ("storage_driver",),
}  # fmt: skip
_READ_INSIDE: Final = ("postgresql", "mysql", "redis")
_ELSEWHERE = Unknown(Cause.NOT_EXPOSED, "run fsadvisor in its container", "its root directory is not ours")


def _another_root(machine: Machine, found: RunningProgram) -> Unknown:
    """Why nothing is known of a program whose root directory is not ours, or was not seen."""
    return _ELSEWHERE if found.here is False else refused(machine, "the program's root directory")


def _names(program: str) -> tuple[str, ...]:
    """The facts that the program's settings tell."""
    if program == "mysql":
        return ("server_version", "edition", *database_settings.MYSQL_SETTINGS)
    return _FACTS.get(program, ())


def settings_facts(machine: Machine, found: RunningProgram, asked: Settings | None = None) -> dict[str, Any]:
    """Facts of a program by its settings; in a container its files are read by the root that it sees there."""
    program, directory = found.program.name, found.directory
    if program == "etcd":
        return database_settings.etcd_facts(machine, found)
    if program == "samba":
        known = found.here is True
        return {"flushes_ignored": tenants.flushes_ignored(machine) if known else _ELSEWHERE}
    names = _names(program)
    if found.here is not True and (found.inside is None or program not in _READ_INSIDE):
        return dict.fromkeys(names, _another_root(machine, found))
    if isinstance(directory, Unknown):
        return dict.fromkeys(names, directory)
    server = replace(_server(found), asked=asked)
    if program == "postgresql":
        return program_settings.postgresql_facts(machine, directory.value, server.given, server.inside, asked=asked)
    if program == "mysql":
        return database_settings.mysql_facts(machine, server)
    if program == "redis":
        return program_settings.redis_facts(machine, directory.value, server.inside, asked=asked)
    return {"storage_driver": _storage_driver(machine, directory.value)} if program == "docker" else {}


def _storage_driver(machine: Machine, directory: str) -> Fact[str]:
    """The driver that has images, where there is only one: another may have been used before."""
    path = f"{directory}/image"
    names = machine.entries(path)
    if isinstance(names, Unknown):
        return names
    return read_fact.fact_of(names[0] if len(names) == 1 else None, path, "ask it: docker info")


_OF_MANY_FILES = ("docker", "containerd", "crio", "buildkit")
"""Programs whose folders hold whole systems, too much to go through."""


def survey_services(found: Surveyed, mounts: Mapping[str, Subject], overlay: Overlay) -> dict[str, Subject]:
    """Stage 8: the running programs, with what stands below their files; `mounts` go by mount point."""
    programs = () if isinstance(found.inventory.programs, Unknown) else found.inventory.programs
    subjects: dict[str, Subject] = {}
    in_force = {it.mount_point for it in found.inventory.mounts}
    mounts = {point: mount for point, mount in mounts.items() if point in in_force}
    around = _around(programs, mounts, found)
    for program in programs:
        directory = read_fact.value(program.directory) or program.device or "?"
        point = read_fact.fact_of(None, _MOUNTINFO) if program.device else around.place_of(directory)
        mount = mounts.get(read_fact.value(point) or "")
        scope: dict[str, Facts] = {"service": facts(found.inventory.machine, program, point, mount, around)}
        raw = tenants.device_places(found, program)
        if raw is not None:
            scope |= {"below": tenants.below_program(found, raw[0])}
        elif mount is not None:
            scope |= {key: member for key, member in mount.scope.items() if key != "host"}
        name = f"{program.program.name} {directory}"
        subject = f"service:{name}"
        own = scope["service"]
        if isinstance(own, Service):
            level = trends.quota_level(own.quota_used_percent, found.inventory.past, subject)
            scope["service"] = replace(own, quota_level_percent=level)
            if raw is not None:
                log = tenants.below_program(found, raw[1])
                scope["service"] = replace(scope["service"], commit_plp=log.plp, commit_flush_ms_avg=log.flush_ms_avg)
        place = raw[0] if raw else mount.id if mount else None
        under = (place,) if place else ()
        subjects.setdefault(subject, found.subject(subject, "service", name, scope, under))
    on_disk = (*mounts.values(), *subjects.values())
    held_by = {subject.id: subject.below[0] for subject in on_disk if subject.below}
    return overlay.over_subjects(
        "service", subjects, SubjectIdentities(found.inventory.identifiers(), found.disks, held_by).of
    )


def _around(programs: Sequence[RunningProgram], mounts: Mapping[str, Subject], found: Surveyed) -> Around:
    redundancy = Redundancy(found.inventory.stack, found.layers, found.disks, found.filesystems)
    table = found.inventory.seen_mounts

    def place_of(folder: str) -> Fact[str]:
        point = mount_point_of(folder, mounts, found.inventory.passed_over)
        return table if isinstance(table, Unknown) else read_fact.fact_of(point, _MOUNTINFO)

    def below_of(folder: str) -> Below | Unknown:
        place = place_of(folder)
        below = place if isinstance(place, Unknown) else mounts[place.value].scope.get("below")
        return (
            below if isinstance(below, Below | Unknown) else Unknown(Cause.NOT_EXPOSED, "", f"what is below {folder}")
        )

    def disks_of(folder: str) -> Fact[tuple[str, ...]]:
        below = below_of(folder)
        return below if isinstance(below, Unknown) else below.disks

    def survives(folder: str) -> Fact[bool]:
        place = place_of(folder)
        if isinstance(place, Unknown):
            return place
        under = mounts[place.value].below
        return redundancy.survives(under[0]) if under else Unknown(Cause.NOT_EXPOSED, "", _SOURCE)

    return Around(
        neighbours=Neighbours((program.directory for program in programs), disks_of),
        place_of=place_of,
        disks_of=disks_of,
        below_of=below_of,
        survives=survives,
        memory_bytes=found.host.memory_bytes,
    )


class Around(Struct, frozen=True, kw_only=True):
    """What a program's facts need of the rest: other programs, a folder's mount, disks and redundancy, memory."""

    neighbours: Neighbours
    place_of: Callable[[str], Fact[str]]
    disks_of: Callable[[str], Fact[tuple[str, ...]]]
    below_of: Callable[[str], Below | Unknown]
    survives: Callable[[str], Fact[bool]]
    memory_bytes: Fact[int]


def facts(
    machine: Machine, found: RunningProgram, mount_point: Fact[str], mount: Subject | None, around: Around
) -> Service:
    """All facts of a program; `mount` is the place that its folder is on."""
    filesystem = mount.scope.get("filesystem") if mount else None
    fs_type = read_fact.value(filesystem.type) if isinstance(filesystem, Filesystem) else None
    directory = found.directory
    of_program: dict[str, Any] = {
        "own_checksums": Unknown(Cause.NOT_ATTESTED, f"ask {found.program.name} whether its data checksums are on")
    }
    noting = effective_settings.Noting(machine)
    settings = settings_facts(noting, found)
    changed = _changed(machine, found, noting)
    of_program |= effective_settings.as_in_force(found.program.name, settings, changed)
    asked = effective_settings.asked(machine, found)
    if not isinstance(asked, Unknown):
        own = settings_facts(machine, found, asked)
        of_program |= own | {"settings_differ": effective_settings.differences(settings, own)}
    elif getattr(machine, "asks_programs", False) and found.program.name in effective_settings.CLIENTS:
        of_program["settings_differ"] = asked
    if fs_type in ON_DEVICES and isinstance(directory, Known) and found.program.name not in _OF_MANY_FILES:
        of_program |= file_facts(machine, directory.value)
    of_program |= type_of(fs_type or "").program_facts(machine, found.program.name, directory)
    log: Fact[str] = of_program.get("log_directory", NOT_APPLICABLE)
    return Service(
        program=Known(found.program.name, "running processes"),
        directory=directory,
        workload=Known(found.program.workload, f"what {found.program.name} does"),
        mount_point=mount_point,
        container=found.container,
        in_container_layer=_in_layer(machine, found),
        guest_cache=found.guest_cache,
        settings_changed=changed,
        **of_program,
        buffer_percent=percent(of_program.get("buffer_bytes", NOT_APPLICABLE), around.memory_bytes),
        caches_percent=_caches_percent(of_program.get("buffer_bytes", NOT_APPLICABLE), filesystem, around.memory_bytes),
        quota_used_percent=_quota_used(machine, directory, filesystem),
        log_on_mount=on_one_mount(directory, log, around.place_of),
        log_apart=apart(directory, log, around.disks_of),
        log_lost_before_files=lost_before_files(directory, log, around),
        shares_disk=around.neighbours.shares_disk(directory),
        **_commits(directory if log is NOT_APPLICABLE else log, around.below_of),
    )


def _commits(folder: Fact[str], below_of: Callable[[str], Below | Unknown]) -> dict[str, Any]:
    """What a commit waits for."""
    below = folder if isinstance(folder, Unknown) else below_of(folder.value)
    if isinstance(below, Unknown):
        return {"commit_plp": below, "commit_flush_ms_avg": below}
    return {"commit_plp": below.plp, "commit_flush_ms_avg": below.flush_ms_avg}


def _caches_percent(own: Fact[int], filesystem: object, memory: Fact[int]) -> Fact[int]:
    """Of a program on ZFS."""
    if isinstance(own, Unknown) or not isinstance(filesystem, Filesystem):
        return own if isinstance(own, Unknown) else NOT_APPLICABLE
    both = read_fact.derive(filesystem.zfs_arc_max_bytes, lambda arc: arc + own.value)
    return percent(both, memory)


_QUOTAS: Final = ("prjquota", "pquota")


def _quota_used(machine: Machine, directory: Fact[str], filesystem: object) -> Fact[int]:
    """How full the project quota is that its directory is under: statvfs tells of that, where there is one."""
    if not isinstance(filesystem, Filesystem) or isinstance(filesystem.options, Unknown):
        return NOT_APPLICABLE
    if isinstance(directory, Unknown) or not any(it in _QUOTAS for it in filesystem.options.value):
        return NOT_APPLICABLE
    room = read_fact.understood(machine.space(directory.value), json_text.load)
    size = read_fact.field(room, f"statvfs of {directory.value}", lambda it: json_text.integer(it, "size"))
    if isinstance(size, Unknown) or isinstance(filesystem.size_bytes, Unknown):
        return size if isinstance(size, Unknown) else NOT_APPLICABLE
    if size.value >= filesystem.size_bytes.value:
        return Known(0, f"{size.source}: no quota below the filesystem's size")
    used = read_fact.field(room, size.source, _used)
    return read_fact.derive(used, lambda it: it * 100 // size.value if size.value else 0)


def _used(room: json_text.Json) -> int | None:
    size, free = json_text.integer(room, "size"), json_text.integer(room, "free")
    return None if size is None or free is None else size - free


def _changed(machine: Machine, found: RunningProgram, settings: effective_settings.Noting) -> Fact[bool]:
    """Whether one of its files was changed after the program started; one that can't be read may have been."""
    if settings.files:
        changed = effective_settings.changed_since_start(machine, found.pid, settings.files)
        return changed if read_fact.value(changed) or settings.failed is None else settings.failed
    if not _names(found.program.name):
        return NOT_APPLICABLE
    if found.here is not True:
        return _another_root(machine, found)
    return settings.failed or Known(False, "it has no configuration file in the usual places")


def _in_layer(machine: Machine, found: RunningProgram) -> Fact[bool]:
    if found.here is None:
        return _another_root(machine, found)
    return Known(False, "it has our root directory") if found.here else found.in_layer


def _server(found: RunningProgram) -> database_settings.MysqlServer:
    directory = read_fact.value(found.directory) or ""
    given = found.inside.settings if found.inside else found.settings
    return database_settings.MysqlServer(
        process=found.process,
        directory=directory,
        given=given,
        inside=found.inside,
        environment=dict(found.environment or ()),
    )
