"""The survey: a machine's answers become its storage."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from fsadvisor.facts import Fact, Known, Unknown
from fsadvisor.storage import Below, Mount, Storage, Subject
from fsadvisor.survey import (
    attested,
    below,
    caches,
    configured,
    disks,
    filesystems,
    folds,
    host,
    identity,
    layers,
    look,
    measured,
    mounts,
    multipath,
    placing,
    presence,
    queue,
    services,
    soundness,
    stripes,
    tried,
    workload,
)
from fsadvisor.survey.ground import Ground, lay
from fsadvisor.survey.identity import NO_UUID, Identity
from fsadvisor.survey.stack import Stack
from fsadvisor.survey.superblocks import IN_MEMORY, LOOKED_AT
from fsadvisor.survey.supposed import Supposed

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from fsadvisor.machine.port import Machine
    from fsadvisor.storage import Disk, Facts, Kind, Layer, Supposition, Workload
    from fsadvisor.survey.services import Found
    from fsadvisor.survey.superblocks import Superblock

F = TypeVar("F", bound="Facts")

_TRIMMED = ("ext4", "xfs")


def survey(machine: Machine, declared: Mapping[str, Workload], supposed: Iterable[Supposition] = ()) -> Storage:
    """Look at the whole machine; `declared` are workloads by mount point, `supposed` what is taken to be otherwise."""
    with _out_of_the_collectors_sight():
        return _Survey(lay(machine), declared, Supposed(supposed)).storage()


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


def survey_with_identities(
    machine: Machine, declared: Mapping[str, Workload]
) -> tuple[Storage, Callable[[str], Identity]]:
    """The same, and for the id of a subject which drives and which filesystem it is."""
    run = _Survey(lay(machine), declared, Supposed())
    return run.storage(), run.identity


class _Survey:
    """One run: the stack is laid first, then every subject from the bottom up."""

    def __init__(self, ground: Ground, declared: Mapping[str, Workload], supposed: Supposed) -> None:
        self._supposed = supposed
        self._ground = ground = supposed.ground(ground)
        self._declared = declared
        self._configured = configured.configured(ground.machine)
        self._blocks = {block.id: block for block in ground.blocks}
        self._block_of = {mount.mount_point: block for block in ground.blocks for mount in block.mounts}
        self._held_by: dict[str, str] = {}
        self._attested = attested.read(ground.machine)
        self._probed = measured.read(ground.machine)
        self._services = services.running(ground.machine)
        self._stack = lay_stack(ground)
        devices = ground.tree.devices.values()
        self._queues = {it.name: queue.queue(ground.machine, it.folder) for it in devices if it.parent is None}
        found = {
            f"disk:{device.name}": disks.disk(
                ground.machine, device, self._queues[device.name], ground.in_vm, ground.udev, ground.io, ground.uptime
            )
            for device in devices
            if device.is_disk
        }
        self._disks = {at: one.facts for at, one in found.items()}
        said = self._with_what_was_attested("disk", self._disks)
        said = {at: disks.with_pages(one, found[at], ground.machine.today) for at, one in said.items()}
        said = self._supposed.tell("disk", said)
        self._disks = {at: disks.heard(one, found[at]) for at, one in said.items()}
        self._disks = self._supposed.tell("disk", self._disks)
        self._disks = {at: replace(one, failing=soundness.failing(one)) for at, one in self._disks.items()}
        self._layers = {
            f"layer:{device.name}": layers.layer(
                ground.machine, device, self._queues[device.parent or device.name], ground.tables, ground.volumes
            )
            for device in devices
            if not device.is_disk
        }
        for at in caches.layers_that_cache(self._layers):
            names = caches.cache_devices(
                ground.machine, ground.tree, ground.tree.devices[at.partition(":")[2]], ground.tables
            )
            kept_twice = caches.redundant(names, self._stack, self._layers, self._disks)
            self._layers[at] = replace(self._layers[at], cache_redundant=kept_twice)
        for at, paths in multipath.usable(ground.machine, ground.tree, self._layers).items():
            self._layers[at] = replace(self._layers[at], usable_paths=paths)
        self._layers = self._supposed.tell("layer", self._layers)
        self._layers = {at: replace(one, incomplete=soundness.incomplete(one)) for at, one in self._layers.items()}
        self._layers = self._supposed.tell("layer", self._layers)
        for at, others in multipath.unjoined(self._disks, self._layers, self._stack, ground.udev).items():
            self._disks[at] = replace(self._disks[at], unjoined_paths=others)
        self._disks = presence.with_sorting(self._disks, ground, self._stack, self._layers)
        self._disks = self._supposed.tell("disk", self._disks)
        self._filesystems = {
            block.id: filesystems.filesystem(
                ground.machine,
                block,
                ground.kernel,
                ground.udev,
                ground.lsblk_labels,
                stripes.stripe(ground.machine, ground.tree, self._stack, ground.tables, block.id),
            )
            for block in ground.blocks
        }
        self._filesystems = self._with_what_was_said("filesystem", self._filesystems)
        self._filesystems = {at: replace(one, sound=soundness.sound(one)) for at, one in self._filesystems.items()}
        self._filesystems = self._supposed.tell("filesystem", self._filesystems)
        thin = {at: layers.thin(layer) for at, layer in self._layers.items()}
        folding = below.Folding(self._stack, self._disks, self._layers, thin)
        in_memory = {block.id for block in ground.blocks if block.type in IN_MEMORY}
        self._below = {
            at: below.NOTHING if at in in_memory else folding.below(at, self._discards(at), self._read_ahead(at))
            for at in (*self._layers, *self._filesystems)
        }
        self._below = self._supposed.tell("below", self._below)
        seen = host.survey(ground.machine, ground.in_vm, self._all_disks(), self._trim_wanted(), self._counts())
        self._host = self._with_what_was_said("host", {"host": seen})["host"]
        self._with_what_was_said("layer", self._layers)

    def storage(self) -> Storage:
        """Every subject, the host first, then from the disks up."""
        mounts = self._subjects_with_what_was_said("mount", self._mounts())
        found = [self._subject("host", "host", {})]
        found += [self._subject(at, "disk", {"disk": disk}) for at, disk in self._with_flush_shares(mounts).items()]
        found += [
            self._subject(at, "layer", {"layer": layer, "below": self._below[at]}) for at, layer in self._layers.items()
        ]
        found += [
            self._subject(at, "filesystem", {"filesystem": one, "below": self._below[at]})
            for at, one in self._filesystems.items()
        ]
        programs = self._subjects_with_what_was_said("service", self._service_subjects(mounts))
        return Storage(
            machine=self._ground.machine.name,
            subjects=(*found, *mounts.values(), *programs.values()),
            waivers=self._attested.waivers(),
            ignored=(*self._attested.ignored(), *self._probed.ignored),
            tried=tuple(tried.tried(self._probed.by_mount, mounts, programs.values(), self._conditions)),
        )

    def _conditions(self, mount: Subject) -> Mapping[str, str]:
        """Those of today on a mount, for what was measured on it."""
        under = [it for block in mount.below if block in self._blocks for it in self._under(block)]
        return measured.conditions({**mount.scope, "host": self._host}, under)

    def identity(self, at: str) -> Identity:
        """The drives under a subject, and the UUID of the filesystem that it is or is on."""
        while at in self._held_by:
            at = self._held_by[at]
        leaves = [it for it in (at, *self._stack.under(at)) if it in self._disks]
        devices = self._blocks[at].devices[:1] if at in self._blocks else ()
        return Identity(
            drives=tuple(identity.drive(self._ground.machine, self._disks[leaf]) for leaf in leaves),
            uuid=next((self._ground.udev.fact(name, "ID_FS_UUID") for name in devices), NO_UUID),
        )

    def _with_what_was_said(self, kind: Kind, found: dict[str, F]) -> dict[str, F]:
        """Subjects' facts by id, with what people attested of them, and what is supposed."""
        return self._supposed.tell(kind, self._with_what_was_attested(kind, found))

    def _with_what_was_attested(self, kind: Kind, found: dict[str, F]) -> dict[str, F]:
        if self._attested.speaks_of(kind):
            self._attested.meet(kind, {at: partial(self.identity, at) for at in found})
            found = {at: self._attested.tell(at, facts) for at, facts in found.items()}
        return found

    def _subjects_with_what_was_said(self, kind: Kind, found: dict[str, Subject]) -> dict[str, Subject]:
        told = self._with_what_was_said(kind, {it.id: it.scope[kind] for it in found.values()})
        return {
            key: it if told[it.id] is it.scope[kind] else replace(it, scope={**it.scope, kind: told[it.id]})
            for key, it in found.items()
        }

    def _subject(self, at: str, kind: Kind, scope: dict[str, Facts], under: tuple[str, ...] | None = None) -> Subject:
        if under:
            self._held_by[at] = under[0]
        return Subject(
            id=at,
            kind=kind,
            name=at.partition(":")[2] or at,
            below=self._stack.below.get(at, ()) if under is None else under,
            scope={**scope, "host": self._host},
        )

    def _all_disks(self) -> Sequence[Disk] | Unknown:
        """The disks, or why some device may be one more."""
        unclear = [f"layer:{it.name}" for it in self._ground.tree.devices.values() if it.slaves is None]
        why = (kind for at in unclear if isinstance(kind := self._layers[at].kind, Unknown))
        return next(why, list(self._disks.values()))

    def _counts(self) -> host.Counts:
        return host.Counts(
            block_devices=self._ground.seen_devices,
            mounts=self._ground.seen_mounts,
            services=self._services
            if isinstance(self._services, Unknown)
            else Known(len(self._services), "running processes"),
        )

    def _discards(self, at: str) -> tuple[Fact[bool], ...]:
        """Whether discards are taken right below: a queue already tells what its layers pass on."""
        device = at.partition(":")[2]
        names = (device,) if at.startswith("layer:") else self._blocks[at].devices
        found = (self._ground.tree.devices.get(name) for name in names)
        return tuple(self._queues[it.parent or it.name].discards for it in found if it is not None)

    def _read_ahead(self, at: str) -> Fact[int]:
        """The read-ahead of the block device right below, not that of a journal; those of several have their own."""
        devices = self._blocks[at].devices if at in self._blocks else (at.partition(":")[2],)
        own = at in self._blocks and self._blocks[at].type in ("btrfs", "zfs", "bcachefs")
        found = self._ground.tree.devices.get(devices[0]) if devices and not own else None
        return self._queues[found.parent or found.name].read_ahead_kib if found else look.told(None, "the block device")

    def _trim_wanted(self) -> Fact[bool]:
        """A writable ext4 or XFS without online discard, on devices that take discards."""
        wanted: list[Fact[bool]] = []
        for at, one in self._filesystems.items():
            if look.value(one.type) in _TRIMMED and look.value(one.read_only) is False:
                silent = folds.holds(one.online_discard, "none".__eq__)
                wanted.append(folds.both(silent, self._below[at].any_discards, "filesystems and their devices"))
        return folds.any_of(wanted, "filesystems and their devices")

    def _mounts(self) -> dict[str, Subject]:
        """Places in order of the mount table, then those that are only configured."""
        wanted, no_fstab = self._configured
        running = {mount.mount_point: mount for mount in self._ground.mounts}
        no_table = self._ground.seen_mounts if isinstance(self._ground.seen_mounts, Unknown) else None
        places = dict.fromkeys(
            [*running, *(it for it, one in wanted.items() if one.fs_type in LOOKED_AT or one.fs_type == "auto")]
        )
        by_place = self._services_by_place(places)
        found: dict[str, Subject] = {}
        for place in places:
            block = self._block_of.get(place)
            one = self._filesystems.get(block.id) if block else None
            facts = mounts.mount(
                running.get(place), wanted.get(place), no_table, no_fstab, one, self._use(place, block, by_place)
            )
            if place in wanted and place not in running:
                missing = presence.device_missing(wanted[place], self._ground.udev, self._ground.tree.devices)
                facts = replace(facts, device_missing=missing)
            scope: dict[str, Facts] = {"mount": facts}
            if block and one:
                scope |= {"filesystem": one, "below": self._below[block.id]}
                scope["mount"] = self._measured(place, facts, block.id, scope)
            found[place] = self._subject(f"mount:{place}", "mount", scope, (block.id,) if block else ())
        return found

    def _services_by_place(self, places: Container[str]) -> Mapping[str, list[Found]] | Unknown:
        if isinstance(self._services, Unknown):
            return self._services
        found: dict[str, list[Found]] = {}
        for service in self._services:
            place = services.holder(service.directory.value, places) if isinstance(service.directory, Known) else None
            found.setdefault(place or "", []).append(service)
        return found

    def _measured(self, place: str, facts: Mount, block: str, scope: Mapping[str, Facts]) -> Mount:
        """With what was measured, where one may measure: on what is mounted, writable and on disks."""
        if look.value(facts.mounted) is not True or look.value(facts.read_only) is not False:
            return facts
        under = self._below[block]
        if under is below.NOTHING:
            return facts
        around = {**scope, "host": self._host}
        return measured.told(
            facts,
            place,
            self._probed,
            lambda: measured.conditions(around, self._under(block)),
            under.any_virtual,
        )

    def _under(self, block: str) -> list[Disk | Layer]:
        found = [self._disks.get(at) or self._layers.get(at) for at in self._stack.under(block)]
        return [one for one in found if one is not None]

    def _with_flush_shares(self, mounts: Mapping[str, Subject]) -> dict[str, Disk]:
        """The disks with what was measured on the filesystems above them."""
        found = [
            (place, facts, under)
            for place, it in mounts.items()
            if isinstance(facts := it.scope["mount"], Mount) and isinstance(under := it.scope.get("below"), Below)
        ]
        shares = measured.flush_shares(found)
        by_id = {at: shares.get(at.partition(":")[2]) for at in self._disks}
        told = {
            at: one if (share := by_id[at]) is None else replace(one, flush_share_percent=share)
            for at, one in self._disks.items()
        }
        return self._supposed.tell("disk", told)

    def _use(self, place: str, block: Superblock | None, by_place: Mapping[str, list[Found]] | Unknown) -> workload.Use:
        leaves = [at for at in self._stack.under(block.id) if at in self._disks] if block else []
        alone = block is not None and all(self._stack.filesystems_on(at) == (block.id,) for at in leaves)
        return workload.use(
            place,
            self._declared,
            by_place if isinstance(by_place, Unknown) else by_place.get(place, ()),
            () if isinstance(by_place, Unknown) else by_place.get("", ()),
            [self._disks[at] for at in leaves],
            alone and bool(leaves),
        )

    def _around(self, service: Found, places: Mapping[str, Subject]) -> services.Around:
        found = () if isinstance(self._services, Unknown) else self._services
        return services.Around(
            folders=tuple(it.directory for it in found if it is not service),
            place_of=lambda folder: services.holder(folder, places),
            disks_of=lambda folder: placing.disks(places.get(services.holder(folder, places) or "")),
            memory_bytes=self._host.memory_bytes,
        )

    def _service_subjects(self, places: Mapping[str, Subject]) -> dict[str, Subject]:
        found: dict[str, Subject] = {}
        for service in () if isinstance(self._services, Unknown) else self._services:
            directory = service.directory.value if isinstance(service.directory, Known) else "?"
            place = services.holder(directory, places)
            subject = places.get(place or "")
            facts = services.facts(self._ground.machine, service, place, subject, self._around(service, places))
            scope: dict[str, Facts] = {"service": facts}
            if subject is not None:
                scope |= {key: member for key, member in subject.scope.items() if key != "host"}
            at = f"service:{service.program.name} {directory}"
            found.setdefault(at, self._subject(at, "service", scope, (subject.id,) if subject else ()))
        return found


def lay_stack(ground: Ground) -> Stack:
    """The ids right below each device and filesystem, and those that can't be followed."""
    under: dict[str, tuple[str, ...]] = {}
    open_ended: set[str] = set()
    at_place = {mount.mount_point: block.id for block in ground.blocks for mount in block.mounts}
    for device in ground.tree.devices.values():
        if device.is_disk:
            continue
        at = f"layer:{device.name}"
        slaves = device.slaves or ()
        under[at] = tuple(_id(ground, name) for name in slaves if name in ground.tree.devices)
        if device.slaves is None or len(under[at]) < len(slaves):
            open_ended.add(at)
        path = f"{device.folder}/loop/backing_file"
        backing = look.value(look.text(ground.machine, path)) if "loop" in device.holds else None
        place = services.holder(backing, at_place) if backing else None
        if place:
            under[at] = (at_place[place],)
    for block in ground.blocks:
        under[block.id] = tuple(_id(ground, name) for name in block.devices)
        place = services.holder(block.upper, at_place) if block.upper else None
        if place and at_place[place] != block.id:
            under[block.id] = (at_place[place],)
        elif not block.followed:
            open_ended.add(block.id)
    return Stack(under, frozenset(open_ended))


def _id(ground: Ground, name: str) -> str:
    return f"{'disk' if ground.tree.devices[name].is_disk else 'layer'}:{name}"
