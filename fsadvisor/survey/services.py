"""What programs that keep files do to a filesystem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.storage import Filesystem, Service
from fsadvisor.survey import configuration, look, mysql, placing, program_files
from fsadvisor.survey.filesystem_types.registry import ON_DEVICES, type_of
from fsadvisor.survey.identity import Identities
from fsadvisor.survey.superblocks import mount_point_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fsadvisor.machine.port import Machine
    from fsadvisor.storage import Facts, Host, Subject
    from fsadvisor.survey.overlay import Overlay
    from fsadvisor.survey.programs import RunningProgram
    from fsadvisor.survey.surveyed import Surveyed

_OF_MANY_FILES = ("docker", "containerd", "crio", "buildkit")
"""Programs whose folders hold whole systems, too much to go through."""


def survey_services(found: Surveyed, mounts: Mapping[str, Subject], overlay: Overlay) -> dict[str, Subject]:
    """Stage 8: the running programs, with what stands below their files; `mounts` go by mount point."""
    programs = () if isinstance(found.inventory.programs, Unknown) else found.inventory.programs
    subjects: dict[str, Subject] = {}
    for program in programs:
        directory = look.value(program.directory) or "?"
        point = mount_point_of(directory, mounts)
        mount = mounts.get(point or "")
        around = _around(program, programs, mounts, found.host)
        scope: dict[str, Facts] = {"service": facts(found.inventory.machine, program, point, mount, around)}
        if mount is not None:
            scope |= {key: member for key, member in mount.scope.items() if key != "host"}
        subject = f"service:{program.program.name} {directory}"
        subjects.setdefault(subject, found.subject(subject, "service", scope, (mount.id,) if mount else ()))
    on_disk = (*mounts.values(), *subjects.values())
    held_by = {subject.id: subject.below[0] for subject in on_disk if subject.below}
    return overlay.over_subjects("service", subjects, Identities(found.inventory, found.disks, held_by).of)


def _around(
    own: RunningProgram, programs: tuple[RunningProgram, ...], mounts: Mapping[str, Subject], host: Host
) -> Around:
    return Around(
        folders=tuple(program.directory for program in programs if program is not own),
        place_of=lambda folder: mount_point_of(folder, mounts),
        disks_of=lambda folder: placing.disks(mounts.get(mount_point_of(folder, mounts) or "")),
        memory_bytes=host.memory_bytes,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What a program's facts need of the rest of the machine: the other folders, a folder's mount and disks, memory."""

    folders: tuple[Fact[str], ...]
    place_of: Callable[[str], str | None]
    disks_of: Callable[[str], Fact[tuple[str, ...]]]
    memory_bytes: Fact[int]


def facts(machine: Machine, found: RunningProgram, place: str | None, mount: Subject | None, around: Around) -> Service:
    """All facts of a program; `mount` is the place that its folder is on."""
    filesystem = mount.scope.get("filesystem") if mount else None
    fs_type = look.value(filesystem.type) if isinstance(filesystem, Filesystem) else None
    directory = found.directory
    told: dict[str, Any] = {
        "own_checksums": Unknown(Cause.NOT_ATTESTED, f"ask {found.program.name} whether its data checksums are on")
    }
    told |= configuration.facts(machine, found.program.name, directory, _server(found), found.here)
    if fs_type in ON_DEVICES and isinstance(directory, Known) and found.program.name not in _OF_MANY_FILES:
        told |= program_files.facts(machine, directory.value)
    told |= type_of(fs_type or "").program_facts(machine, found.program.name, directory)
    log: Fact[str] = told.get("log_directory", NOT_APPLICABLE)
    return Service(
        program=Known(found.program.name, "running processes"),
        directory=directory,
        workload=Known(found.program.workload, f"what {found.program.name} does"),
        mount_point=look.told(place, "/proc/self/mountinfo"),
        **told,
        buffer_percent=placing.percent(told.get("buffer_bytes", NOT_APPLICABLE), around.memory_bytes),
        log_on_mount=look.derive(log, lambda folder: around.place_of(folder) == place),
        log_apart=placing.apart(directory, log, around.disks_of),
        shares_disk=placing.shares_disk(directory, around.folders, around.disks_of),
    )


def _server(found: RunningProgram) -> mysql.Server:
    directory = look.value(found.directory) or ""
    return mysql.Server(process=found.process, directory=directory, given=found.settings)
