"""The survey: a machine's answers become its storage, in stages, each a function of what was found before.

One mount or disk, with everything above and below it.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fsadvisor.storage import Storage
from fsadvisor.survey import attested
from fsadvisor.survey.attested import SubjectIdentities
from fsadvisor.survey.below import fold_below
from fsadvisor.survey.collect import collect
from fsadvisor.survey.disks import survey_disks, with_flush_shares, with_what_is_above
from fsadvisor.survey.filesystems import survey_filesystems, trim_wanted
from fsadvisor.survey.host import survey_host
from fsadvisor.survey.inventory import Surveyed
from fsadvisor.survey.layers import survey_layers
from fsadvisor.survey.mounts import survey_mounts
from fsadvisor.survey.overlay import Overlay
from fsadvisor.survey.services import survey_services
from fsadvisor.survey.tried import tried

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fsadvisor.machine.port import Machine
    from fsadvisor.storage import Facts, Subject, Supposition, Workload
    from fsadvisor.survey.attested import Identity


def survey(machine: Machine, declared: Mapping[str, Workload], supposed: Iterable[Supposition] = ()) -> Storage:
    """Look at the whole machine; `declared` are workloads by mount point, `supposed` what is taken to be otherwise."""
    return survey_with_identities(machine, declared, supposed)[0]


def survey_with_identities(
    machine: Machine, declared: Mapping[str, Workload], supposed: Iterable[Supposition] = ()
) -> tuple[Storage, Callable[[str], Identity]]:
    """The same, and for the id of a subject which drives and which filesystem it is."""
    with _out_of_the_collectors_sight():
        storage, identities = _in_stages(machine, declared, supposed)
    return storage, identities.of


@contextmanager
def _out_of_the_collectors_sight() -> Iterator[None]:
    """Facts make no cycles: the collector would walk a million of them time and again, now and later, and free none."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()


def _in_stages(
    machine: Machine, declared: Mapping[str, Workload], supposed: Iterable[Supposition]
) -> tuple[Storage, SubjectIdentities]:
    overlay = Overlay(attested.read(machine), supposed)
    inventory = overlay.over_inventory(collect(machine))
    alone = survey_disks(inventory, overlay)
    layers = survey_layers(inventory, alone, overlay)
    disks = with_what_is_above(inventory, alone, layers, overlay)
    filesystems = survey_filesystems(inventory, disks, overlay)
    below = fold_below(inventory, disks, layers, filesystems, overlay)
    host = survey_host(inventory, disks, layers, trim_wanted(filesystems, below), overlay)
    found = Surveyed(inventory=inventory, disks=disks, layers=layers, filesystems=filesystems, below=below, host=host)
    mounts = survey_mounts(found, declared, overlay)
    services = survey_services(found, mounts, overlay)
    storage = Storage(
        machine=machine.name,
        subjects=(*_hardware_up(found, mounts, overlay), *mounts.values(), *services.values()),
        waivers=overlay.attested.waivers(),
        ignored=(*overlay.attested.ignored(), *inventory.probed.ignored),
        tried=tuple(tried(inventory.probed.by_mount, mounts, services.values(), found.conditions)),
    )
    held_by = {subject.id: subject.below[0] for subject in (*mounts.values(), *services.values()) if subject.below}
    return storage, SubjectIdentities(inventory, disks, held_by)


def _hardware_up(found: Surveyed, mounts: Mapping[str, Subject], overlay: Overlay) -> Iterator[Subject]:
    """The host first, then from the disks up to the filesystems."""
    below = found.inventory.stack.below
    yield found.subject("host", "host", {}, ())
    for subject, disk in with_flush_shares(found.disks, mounts, overlay).items():
        yield found.subject(subject, "disk", {"disk": disk}, below.get(subject, ()))
    for subject, layer in found.layers.items():
        yield found.subject(subject, "layer", {"layer": layer, "below": found.below[subject]}, below.get(subject, ()))
    for subject, filesystem in found.filesystems.items():
        scope: dict[str, Facts] = {"filesystem": filesystem, "below": found.below[subject]}
        yield found.subject(subject, "filesystem", scope, below.get(subject, ()))


_CHOSEN_KINDS = ("mount", "disk", "filesystem", "layer", "service")


def names(storage: Storage) -> list[str]:
    """What can be chosen: mount points, and devices with or without /dev."""
    return [subject.name for subject in storage.subjects if subject.kind in ("mount", "disk", "layer")]


def only(storage: Storage, target: str) -> Storage | None:
    """The storage cut down to the subjects that stand on or under the target, and the host; None where it is not."""
    wanted = {target.rstrip("/") or "/", target.removeprefix("/dev/")}
    chosen = [it.id for it in storage.subjects if it.kind in _CHOSEN_KINDS and wanted & {it.id, it.name}]
    if not chosen:
        return None
    under = {it.id: it.below for it in storage.subjects}
    above: dict[str, list[str]] = {}
    for at, below in under.items():
        for one in below:
            above.setdefault(one, []).append(at)
    kept = {"host", *_reached(chosen, under), *_reached(chosen, above)}
    return replace(storage, subjects=tuple(it for it in storage.subjects if it.id in kept))


def _reached(start: Iterable[str], edges: Mapping[str, Iterable[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = list(start)
    while waiting:
        subject = waiting.pop()
        if subject not in seen:
            seen.add(subject)
            waiting.extend(edges.get(subject, ()))
    return seen
