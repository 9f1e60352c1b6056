"""Folded facts: what holds for any, or for all, of the leaf disks under a subject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.storage import Below, Disk, Layer
from fsadvisor.survey import arrays, power_loss, raid, read_fact, soundness
from fsadvisor.survey.filesystem_types.registry import IN_MEMORY, type_of
from fsadvisor.survey.layers import thin as thin_layer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from fsadvisor.storage import Filesystem
    from fsadvisor.storage.about import PlpVerdict
    from fsadvisor.survey.attested import Overlay
    from fsadvisor.survey.inventory import Inventory, Stack

NOT_FOLLOWED = Unknown(Cause.NOT_EXPOSED, "", "the stack can't be followed down to hardware from here")

_PATHS = Unknown(Cause.NOT_EXPOSED, "", "several of the disks below are paths to the same one")
_ONE_PART = Known(False, "the stack in /sys/block")
_NO_LOG = Known(False, "no external log or journal")
NOTHING = Below(**dict.fromkeys(Below.__struct_fields__, NOT_APPLICABLE))
"""Under a filesystem that lives in memory."""


def fold_below(
    inventory: Inventory,
    disks: Mapping[str, Disk],
    layers: Mapping[str, Layer],
    filesystems: Mapping[str, Filesystem],
    overlay: Overlay,
) -> dict[str, Below]:
    """Stage 5: what is under each layer and each filesystem, by id."""
    thin = {subject: thin_layer(layer) for subject, layer in layers.items()}
    folding = Folding(inventory.stack, disks, layers, thin)
    found: dict[str, Below] = {}
    for subject in (*layers, *filesystems):
        block = inventory.block(subject)
        if block is not None and block.type in IN_MEMORY:
            found[subject] = NOTHING
        else:
            own = block is not None and type_of(block.type).uuid_in_common
            spread = filesystems[subject].one_copy_spread if own else _ONE_PART
            log = inventory.tree.devices[block.log].id if block is not None and block.log else None
            found[subject] = folding.below(
                subject, _discards(inventory, subject), _read_ahead(inventory, subject), spread, log
            )
    return overlay.suppose("below", found)


def _discards(inventory: Inventory, subject: str) -> tuple[Fact[bool], ...]:
    """Whether discards are taken right below: a queue already tells what its layers pass on. A log frees nothing."""
    block = inventory.block(subject)
    names = [it for it in block.devices if it != block.log] if block else [subject.partition(":")[2]]
    devices = (inventory.tree.devices.get(name) for name in names)
    return tuple(inventory.queue_of(device).discards for device in devices if device is not None)


def _read_ahead(inventory: Inventory, subject: str) -> Fact[int]:
    """The read-ahead of the block device right below, not that of a journal; those of several have their own."""
    block = inventory.block(subject)
    devices = block.devices if block else (subject.partition(":")[2],)
    own = block is not None and type_of(block.type).own_read_ahead
    device = inventory.tree.devices.get(devices[0]) if devices and not own else None
    return inventory.queue_of(device).read_ahead_kib if device else read_fact.fact_of(None, "the block device")


_JOINING = ("dm-linear", "dm-striped")


class Folding:
    """Folds the disks under each subject. Subjects that stand on the same disks share what was folded.

    `disks`, `layers` and `thin` (of layers) go by id.
    """

    def __init__(
        self, stack: Stack, disks: Mapping[str, Disk], layers: Mapping[str, Layer], thin: Mapping[str, Fact[bool]]
    ) -> None:
        self._stack = stack
        self._disks = disks
        self._layers = layers
        self._thin = thin
        self._folded: dict[tuple[object, ...], Below] = {}
        self._of_leaves: dict[tuple[tuple[str, ...], bool], Below] = {}
        self._names: dict[tuple[str, ...], str] = {}

    def below(
        self,
        subject: str,
        discards: tuple[Fact[bool], ...],
        read_ahead: Fact[int],
        spread: Fact[bool] = _ONE_PART,
        log: str | None = None,
    ) -> Below:
        """What is under a subject; `discards` of the devices right below: their queues tell what layers pass on.

        `spread` says whether the filesystem itself spans several devices, `log` which of them is its external log.
        """
        under = self._stack.under(subject)
        followed = self._stack.followed(subject)
        leaves = tuple(at for at in (subject, *under) if at in self._disks)
        names = self._names.setdefault(leaves, _names(leaves))
        thin = [self._disks[at].thin for at in leaves] + ([] if followed else [NOT_FOLLOWED])
        any_thin = read_fact.any_of([*thin, *(self._thin[at] for at in under if at in self._thin)], names)
        layers = [self._layers[at] for at in (subject, *under) if at in self._layers]
        raid_levels = raid.raid_levels(layers) if followed else NOT_FOLLOWED
        spans = [self._spans_disks(at) for at in (subject, *under) if len(self._stack.below.get(at, ())) > 1]
        spans += [spread if len(leaves) > 1 else _ONE_PART, *([] if followed else [NOT_FOLLOWED])]
        copies = any(level in arrays.COPIES for level in read_fact.value(raid_levels) or ())
        by_paths = any(read_fact.value(it.kind) == "dm-multipath" for it in layers)
        spans_disks = _ONE_PART if copies else read_fact.any_of(spans, names)
        if by_paths and read_fact.value(spans_disks):
            spans_disks = _PATHS
        one_drive = _PATHS if by_paths else _one_drive([self._disks[at] for at in leaves], followed)
        whole = [it.incomplete for it in layers if it.incomplete is not soundness.NO_ARRAY]
        any_incomplete = read_fact.any_of([*whole, *([] if followed else [NOT_FOLLOWED])], names)
        key = (
            leaves, followed, log, discards, any_thin, raid_levels, spans_disks, one_drive, read_ahead, any_incomplete
        )  # fmt: skip
        found = self._folded.get(key)
        if found is None:
            of_log = self._log_and_data(subject, log) if log else {}
            found = self._folded[key] = replace(
                self._of_disks(leaves, followed, names),
                **of_log,
                any_discards=read_fact.any_of(discards or (NOT_FOLLOWED,), names),
                any_thin=any_thin,
                raid_levels=raid_levels,
                spans_disks=spans_disks,
                one_drive=one_drive,
                read_ahead_kib=read_ahead,
                any_incomplete=any_incomplete,
            )
        return found

    def _log_and_data(self, subject: str, log: str) -> dict[str, Fact[Any]]:
        """What the disks of an external log tell, and those of the data alone; both may be on one."""
        data = self._of_devices([it for it in self._stack.below[subject] if it != log], subject)
        own = self._of_devices([log], subject)
        return {
            "data_rotational": data.any_rotational,
            "log_rotational": own.any_rotational,
            "log_lost_before_data": self._lost_before_data(self._stack.below[subject], log),
            "log_disks": own.disks,
            "log_plp": own.plp,
        }

    def _lost_before_data(self, devices: Sequence[str], log: str) -> Fact[bool]:
        redundancy = raid.Redundancy(self._stack, self._layers, self._disks)
        data = [redundancy.survives(it) for it in devices if it != log] or [NOT_FOLLOWED]
        lost = read_fact.derive(redundancy.survives(log), lambda it: not it)
        return read_fact.all_of([*data, lost], _names(devices))

    def _of_devices(self, devices: Sequence[str], subject: str) -> Below:
        """What the disks below some of a filesystem's devices tell."""
        found = dict.fromkeys(at for device in devices for at in (device, *self._stack.under(device)))
        leaves = tuple(at for at in found if at in self._disks)
        open_ended = subject in self._stack.open_ended or not devices
        return self._of_disks(leaves, not open_ended and all(map(self._stack.followed, devices)), _names(leaves))

    def _spans_disks(self, subject: str) -> Fact[bool]:
        """Whether a mapped device over several others joins parts of several disks; an array below it is one part."""
        layer = self._layers.get(subject)
        several = layer is not None and sum(at in self._disks for at in self._stack.under(subject)) > 1
        return read_fact.holds(layer.kind, _JOINING.__contains__) if layer and several else _ONE_PART

    def _of_disks(self, leaves: tuple[str, ...], followed: bool, names: str) -> Below:
        """What the disks alone tell."""
        key = (leaves, followed)
        if key not in self._of_leaves:
            self._of_leaves[key] = _fold({at: self._disks[at] for at in leaves}, followed, names)
        return self._of_leaves[key]


def _names(leaves: Iterable[str]) -> str:
    return "all of " + ", ".join(at.partition(":")[2] for at in leaves)


def _fold(leaves: Mapping[str, Disk], followed: bool, names: str) -> Below:
    """All that does not depend on what stands between the subject and its disks; `names` says which disks."""

    def every(pick: Callable[[Disk], Fact[bool]]) -> list[Fact[bool]]:
        return [*map(pick, leaves.values()), *([] if followed else [NOT_FOLLOWED])]

    unprotected = [_unprotected(disk) for disk in leaves.values()]
    any_rotational = read_fact.any_of(every(_spins), names)
    return Below(
        disks=Known(tuple(at.partition(":")[2] for at in leaves), "the stack in /sys/block")
        if followed
        else NOT_FOLLOWED,
        one_drive=NOT_FOLLOWED,
        any_write_back=read_fact.any_of(every(lambda it: read_fact.holds(it.write_cache, "write back".__eq__)), names),
        plp=_plp(leaves, followed),
        all_plp_proven=read_fact.all_of(every(lambda it: read_fact.holds(it.plp, "proven".__eq__)), names),
        any_unprotected_cache=read_fact.any_of([*unprotected, *([] if followed else [NOT_FOLLOWED])], names),
        flush_ms_avg=_slowest_flush(leaves, followed),
        least_worn_percent=_least_worn(leaves, followed),
        any_virtual=read_fact.any_of(every(lambda it: it.virtual), names),
        any_rotational=any_rotational,
        data_rotational=any_rotational,
        log_rotational=_NO_LOG if followed else NOT_FOLLOWED,
        log_lost_before_data=_NO_LOG if followed else NOT_FOLLOWED,
        log_disks=NOT_APPLICABLE,
        log_plp=NOT_APPLICABLE,
        any_shingled=read_fact.any_of(every(_shingled), names),
        any_discards=NOT_FOLLOWED,
        any_incomplete=NOT_FOLLOWED,
        any_thin=NOT_FOLLOWED,
        any_failing=read_fact.any_of(every(lambda it: it.failing), names),
        any_ephemeral=read_fact.any_of(every(lambda it: read_fact.holds(it.cloud_disk, "local".__eq__)), names),
        any_host_write_cache=read_fact.any_of(every(lambda it: _of_network(it, _host_writes)), names),
        any_hard_disk_type=read_fact.any_of(every(lambda it: _of_network(it, _on_hard_disks)), names),
        any_removable=read_fact.any_of(every(lambda it: it.removable), names),
        transports=_transports(leaves, followed),
        all_datasheet_plp=read_fact.all_of(every(lambda it: it.datasheet_plp), names),
        all_firmware_trusted=read_fact.all_of(every(lambda it: it.firmware_trusted), names),
        all_paths_covered=read_fact.all_of(every(lambda it: it.path_covered), names),
        all_swap_policy=read_fact.all_of(every(lambda it: it.swap_policy), names),
    )


def _one_drive(leaves: Sequence[Disk], followed: bool) -> Fact[bool]:
    """Whether there is one disk below, or parts of one drive, and copies of it can't be kept behind it."""
    parts = read_fact.value(leaves[0].same_drive) or () if leaves else ()
    if any(read_fact.value(it.name) not in parts for it in leaves[1:]):
        return read_fact.shared_fact(False, "the stack in /sys/block")
    if not (leaves and followed):
        return NOT_FOLLOWED
    disk = leaves[0]
    by_itself = read_fact.holds(disk.controller, "none".__eq__)
    source = f"{read_fact.value(disk.name)}: {by_itself.source}, {disk.virtual.source}"
    return read_fact.both(by_itself, read_fact.derive(disk.virtual, lambda it: not it), source)


def _plp(leaves: Mapping[str, Disk], followed: bool) -> Fact[PlpVerdict]:
    """The weakest verdict; one failure decides, one disk that is not known leaves it open."""
    verdicts = [disk.plp for disk in leaves.values()]
    failed = next((it for it in verdicts if isinstance(it, Known) and it.value == "failed"), None)
    unknown = [it for it in (*verdicts, *([] if followed else [NOT_FOLLOWED])) if isinstance(it, Unknown)]
    if failed is not None or unknown:
        return failed or read_fact.first(*unknown)
    words = ", ".join(f"{read_fact.value(disk.name)} {read_fact.value(disk.plp)}" for disk in leaves.values())
    return Known(power_loss.weakest(it.value for it in verdicts if isinstance(it, Known)), words)


def _slowest_flush(leaves: Mapping[str, Disk], followed: bool) -> Fact[float]:
    """Of the disks that get flushes, all of which have to be known."""
    flushed = [disk for disk in leaves.values() if read_fact.value(disk.write_cache) != "write through"]
    facts = [disk.flush_ms_avg for disk in flushed] + ([] if followed else [NOT_FOLLOWED])
    unknown = [it for it in facts if isinstance(it, Unknown)]
    known = [it for it in facts if isinstance(it, Known)]
    if unknown or not known:
        return read_fact.first(*unknown) if unknown else read_fact.fact_of(None, "no disk below gets flushes")
    return max(known, key=lambda it: it.value)


def _least_worn(leaves: Mapping[str, Disk], followed: bool) -> Fact[int]:
    """Of all disks, each of which has to tell."""
    facts = [disk.percentage_used for disk in leaves.values()] + ([] if followed else [NOT_FOLLOWED])
    unknown = [it for it in facts if isinstance(it, Unknown)]
    known = [it for it in facts if isinstance(it, Known)]
    return read_fact.first(*unknown) if unknown or not known else min(known, key=lambda it: it.value)


def _unprotected(disk: Disk) -> Fact[bool]:
    """A cache that the kernel believes volatile, or the drive says is, on a disk whose protection is not proven."""
    unproven = read_fact.holds(disk.plp, "proven".__ne__)
    name, cache, verdict = (read_fact.value(fact) for fact in (disk.name, disk.write_cache, disk.plp))
    source = f"{name}: {cache}, power-loss verdict {verdict}"
    return read_fact.both(_volatile(disk), unproven, f"{source}, {unproven.source}")


def _volatile(disk: Disk) -> Fact[bool]:
    """By the kernel, and by the drive where it can be asked: what the kernel believes can be written to sysfs."""
    by_kernel = read_fact.holds(disk.write_cache, "write back".__eq__)
    own = disk.volatile_cache
    silent = isinstance(own, Unknown) and (
        own.cause is Cause.NOT_APPLICABLE or (own.cause is Cause.NOT_EXPOSED and not own.learn)
    )  # what an archive lacks can be learnt
    return by_kernel if silent else read_fact.any_of((by_kernel, own), f"{by_kernel.source}, {own.source}")


def _spins(disk: Disk) -> Fact[bool]:
    """Rotational, where that means something: virtio says 1 whatever is behind it."""
    return read_fact.both(disk.rotational, read_fact.derive(disk.virtual, lambda it: not it), disk.rotational.source)


def _shingled(disk: Disk) -> Fact[bool]:
    """By a page, its zones or its TRIM; 'no sign' is taken for no, as rules on single disks take it."""
    if read_fact.value(disk.rotational) is False or read_fact.value(disk.virtual) is True:
        return read_fact.shared_fact(False, "queue/rotational")
    return read_fact.derive(disk.shingled_by, _TOLD_SHINGLED.__contains__)


_ON_HARD_DISKS = ("Standard_LRS", "standard", "st1", "sc1", "pd-standard", "hyperdisk-throughput")


def _on_hard_disks(disk: Disk) -> Fact[bool]:
    return read_fact.derive(disk.cloud_type, _ON_HARD_DISKS.__contains__)


def _host_writes(disk: Disk) -> Fact[bool]:
    """Whether the host caches writes; only Azure's does so by a setting."""
    if isinstance(disk.host_cache, Unknown) and disk.host_cache.cause is Cause.NOT_APPLICABLE:
        return read_fact.shared_fact(False, "no disk of Azure")
    return read_fact.derive(disk.host_cache, "read write".__eq__)


def _of_network(disk: Disk, pick: Callable[[Disk], Fact[bool]]) -> Fact[bool]:
    """Of a cloud's network disk; another has none of it."""
    network = read_fact.holds(disk.cloud_disk, "network".__eq__)
    return pick(disk) if read_fact.value(network) else network


_TOLD_SHINGLED = ("model", "zones", "trim")


def _transports(leaves: Mapping[str, Disk], followed: bool) -> Fact[tuple[str, ...]]:
    kinds: list[str] = []
    for disk in leaves.values():
        if isinstance(disk.transport, Unknown):
            return disk.transport
        kinds.append(disk.transport.value)
    return read_fact.shared_fact(tuple(sorted(set(kinds))), "sysfs device paths") if followed else NOT_FOLLOWED
