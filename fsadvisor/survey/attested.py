"""What people have said, held against the machine as it is: what counts, and what is ignored and why.

Which drives and which filesystem a subject is decides it, so that another one is not taken for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.machine.kept_files import ATTESTATIONS
from fsadvisor.readers import attestations
from fsadvisor.readers.attestations import Drive
from fsadvisor.storage import Ignored, Waiver
from fsadvisor.storage.catalogue import Kind, catalogue, did_you_mean
from fsadvisor.survey import read_fact
from fsadvisor.survey.attachment import is_same_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import date

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.attestations import Entry
    from fsadvisor.storage import Disk, Facts
    from fsadvisor.storage.catalogue import Entry as CatalogueEntry
    from fsadvisor.survey.inventory import Inventory

NO_UUID: Final = Unknown(Cause.NOT_EXPOSED, "", "udev ID_FS_UUID")


def has_none(fact: Fact[str]) -> bool:
    """Whether there is nothing to tell one from another by; what could not be asked, or not yet, may be there."""
    return isinstance(fact, Unknown) and fact.cause is Cause.NOT_EXPOSED


class SeenDrive(Struct, frozen=True, kw_only=True):
    """A drive as it is now."""

    name: str
    model: Fact[str]
    serial: Fact[str]
    firmware: Fact[str]

    def pin(self, *, firmware: bool = False) -> Drive:
        """What to write down of it."""
        return Drive(
            model=read_fact.value(self.model) or None,
            serial=read_fact.value(self.serial) or None,
            firmware=(read_fact.value(self.firmware) or None) if firmware else None,
        )

    def differs(self, pin: Drive) -> str:
        """Why this is not the drive that was written down, '' where it is."""
        if not is_same_model(pin.model, read_fact.value(self.model)):
            return f"{self.name} is another drive now: {_named(read_fact.value(self.model))}, not {_named(pin.model)}"
        if pin.serial is None or pin.serial == read_fact.value(self.serial):
            return self._firmware_differs(pin)
        if isinstance(self.serial, Unknown) and self.serial.cause is not Cause.NOT_EXPOSED:
            return f"the serial number of {self.name} can't be read: {self.serial.learn or self.serial.cause.value}"
        return f"{self.name} is another drive now: its serial number differs"

    def _firmware_differs(self, pin: Drive) -> str:
        if pin.firmware is None or pin.firmware == read_fact.value(self.firmware):
            return ""
        if isinstance(self.firmware, Unknown):
            return f"the firmware of {self.name} can't be read: {self.firmware.learn or self.firmware.cause.value}"
        return f"the firmware of {self.name} is another now: {self.firmware.value!r}, not {pin.firmware!r}"


class Identity(Struct, frozen=True, kw_only=True):
    """The drives under a subject, or the subject itself, and the UUID of its filesystem.

    `device` is what tells a layer from others: the UUID of device mapper, md or a partition.
    """

    drives: tuple[SeenDrive, ...] = ()
    uuid: Fact[str] = NO_UUID
    device: Fact[str] = NO_UUID

    @property
    def awaited(self) -> Unknown | None:
        """An answer that is still to come and tells which one this is."""
        facts = (
            self.uuid,
            *(
                fact
                for seen_drive in self.drives
                for fact in (seen_drive.model, seen_drive.serial, seen_drive.firmware)
            ),
        )
        return next((it for it in facts if isinstance(it, Unknown) and it.cause is Cause.BEING_ASKED), None)

    def differs(self, entry: Entry) -> str:
        """Why the entry does not speak of this, '' where it does."""
        if entry.uuid is not None and entry.uuid != read_fact.value(self.uuid):
            known = isinstance(self.uuid, Known)
            return "another filesystem is there now" if known else "the UUID of the filesystem can't be read"
        if entry.subject.startswith("filesystem:") and entry.uuid is None and not has_none(self.uuid):
            return "it does not say which filesystem it means: add its `uuid`"
        if not entry.drives and entry.kind_of_subject != "disk":
            return ""
        return next((why for why in (_unlike_all(seen_drive, entry.drives) for seen_drive in self.drives) if why), "")


def _unlike_all(seen_drive: SeenDrive, pins: tuple[Drive, ...]) -> str:
    if not pins and not has_none(seen_drive.model):
        return "it does not say which drive it means: add [[attestation.drive]] or [[waiver.drive]] with its model"
    reasons = [seen_drive.differs(pin) for pin in pins or (Drive(),)]
    return "" if "" in reasons else reasons[0]


def _named(name: str | None) -> str:
    return repr(name) if name else "of no model"


def seen_drive(machine: Machine, disk: Disk) -> SeenDrive:
    """A disk by its model and serial number: that of sysfs (NVMe, virtio), else udev's."""
    name = read_fact.value(disk.name) or "?"
    places = (f"/sys/block/{name}/device/serial", f"/sys/block/{name}/serial")
    told = [fact for fact in (read_fact.text(machine, place) for place in places) if read_fact.value(fact) != ""]
    known = next((fact for fact in (*told, disk.udev_serial) if isinstance(fact, Known)), None)
    hidden = (fact for fact in told if isinstance(fact, Unknown) and fact.cause is not Cause.NOT_EXPOSED)
    serial = known or next(hidden, disk.udev_serial)
    return SeenDrive(name=name, model=disk.model, serial=serial, firmware=disk.firmware)


_LAYER_KEYS: Final = ("DM_UUID", "MD_UUID", "ID_PART_ENTRY_UUID")


class SubjectIdentities(Struct, frozen=True):
    """Which drives and which filesystem each subject is.

    `disks` go by id; `held_by` has what a mount or a service is on: the id of a filesystem or a mount.
    """

    inventory: Inventory
    disks: Mapping[str, Disk]
    held_by: Mapping[str, str] = field(default_factory=dict)
    _drives: dict[str, SeenDrive] = field(default_factory=dict)

    def of(self, subject: str) -> Identity:
        """The drives under a subject, and the UUID of the filesystem that it is or is on."""
        while subject in self.held_by:
            subject = self.held_by[subject]
        leaves = [below for below in (subject, *self.inventory.stack.under(subject)) if below in self.disks]
        block = self.inventory.block(subject)
        devices = block.devices[:1] if block else ()
        layer = subject.removeprefix("layer:")
        uuids = (self.inventory.udev.fact(layer, key) for key in _LAYER_KEYS) if layer != subject else ()
        return Identity(
            drives=tuple(map(self._drive, leaves)),
            uuid=next((self.inventory.udev.fact(name, "ID_FS_UUID") for name in devices), NO_UUID),
            device=next((fact for fact in uuids if isinstance(fact, Known)), NO_UUID),
        )

    def _drive(self, disk: str) -> SeenDrive:
        """Read once: a disk is under each of its partitions, filesystems and mounts."""
        if disk not in self._drives:
            self._drives[disk] = seen_drive(self.inventory.machine, self.disks[disk])
        return self._drives[disk]


F = TypeVar("F", bound="Facts")

PINNED_TO_DRIVES = frozenset({"filesystem.power_loss_tested"})
"""Facts that hold for the drives below only, though they are facts of something else; all of a disk's do."""

PINNED_TO_FIRMWARE = frozenset({"disk.firmware_trusted"})
"""Facts that hold for the firmware only that the drive had then."""

_KEPT_SILENT = (Cause.NOT_EXPOSED,)
_TYPES: Mapping[Kind, tuple[type, ...]] = {
    Kind.YES_NO: (bool,),
    Kind.WHOLE: (int,),
    Kind.REAL: (int, float),
    Kind.TEXT: (str,),
}


ATTESTED: Final = "attested by "
"""Begins the source of what a person has said."""


def unfit(fact: CatalogueEntry, value: object) -> str:
    """Why a fact can't have this value, '' where it can."""
    fits = isinstance(value, _TYPES.get(fact.kind, ())) and isinstance(value, bool) == (fact.kind is Kind.YES_NO)
    if not fits or (fact.choices and value not in fact.choices):
        return f"{fact.name} is {fact.value}, not {value!r}"
    return ""


def source(entry: Entry) -> str:
    """Where an attested fact comes from."""
    words = f"{ATTESTED}{entry.by} on {entry.on} until {entry.until}"
    return ", ".join(filter(None, (words, entry.because, entry.link)))


class Attested:
    """The entries of the file.

    First each kind of subject is `met`, which decides whose entries speak of it; then `with_attested` adds what
    they say to a subject's facts.
    """

    def __init__(self, record: attestations.Attestations | Unknown, today: date) -> None:
        self._ignored: list[Ignored] = []
        self._settled: dict[str, list[Entry]] = {}
        self._open: dict[str, list[Entry]] = {}
        self._waits: dict[str, dict[str, Unknown]] = {}
        """What is attested of subjects of which it is still being asked which ones they are."""

        self._awaited = record if isinstance(record, Unknown) and record.cause is Cause.BEING_ASKED else None
        if self._awaited is not None:
            return
        if isinstance(record, Unknown):
            if record.cause not in _KEPT_SILENT:
                self._ignored.append(Ignored(place=record.source, what="the whole file", why=record.learn))
            return
        for piece in record.unread:
            place, _, why = piece.partition(": ")
            self._ignored.append(Ignored(place=place, what=place, why=why))
        for entry in _once(record.entries, self._ignore):
            why = _mistake(entry, today)
            if why:
                self._ignore(entry, why)
            else:
                self._open.setdefault(entry.kind_of_subject, []).append(entry)

    def speaks_of(self, kind: str) -> bool:
        """Whether there are entries on subjects of a kind, or may be."""
        return bool(self._open.get(kind)) or self._awaited is not None

    def meet(self, kind: str, identities: Mapping[str, Callable[[], Identity]]) -> None:
        """Decide which entries on subjects of a kind hold, from the ids and identities that there are."""
        entries = self._open.pop(kind, [])
        if not entries:
            return
        seen = {subject: identity() for subject, identity in identities.items()}
        for entry in entries:
            meant = _meant(entry, seen)
            why = {subject: _stranger(entry, seen[subject]) for subject in meant}
            for subject in meant:
                awaited = seen[subject].awaited if why[subject] else None
                if awaited is not None:
                    self._waits.setdefault(subject, {})[entry.about.partition(".")[2]] = awaited
                    why[subject] = ""
                elif not why[subject]:
                    self._settled.setdefault(subject, []).append(entry)
            if all(why.values()):
                self._ignore(entry, next(iter(why.values()), f"there is no {entry.subject} here"))

    def with_attested(self, subject: str, facts: F) -> F:
        """The facts with what was attested of this subject, where the machine itself does not know."""
        waits = self._waits.get(subject, {})
        awaited: dict[str, Any] = {name: waits.get(name, self._awaited) for name in _unsaid(facts)}
        facts = replace(facts, **{name: unknown for name, unknown in awaited.items() if unknown is not None})
        for entry in _once(self._settled.get(subject, ()), self._ignore, of_subject=False):
            if entry.kind == "attestation":
                name = entry.about.partition(".")[2]
                fact = getattr(facts, name)
                if isinstance(fact, Unknown) and fact.cause is not Cause.NOT_APPLICABLE:
                    attested: dict[str, Any] = {name: Known(entry.value, source(entry))}
                    facts = replace(facts, **attested)
                elif isinstance(fact, Unknown):
                    self._ignore(entry, f"{entry.about} makes no sense for it as it is now")
                elif fact.value != entry.value:
                    self._ignore(entry, f"the machine itself says otherwise: {fact.value!r} ({fact.source})")
        return facts

    def waivers(self) -> tuple[Waiver, ...]:
        """The waivers that hold."""
        return tuple(
            Waiver(
                rule=entry.about,
                subject=subject,
                by=entry.by,
                on=entry.on,
                until=entry.until,
                because=entry.because,
                link=entry.link,
                place=entry.place,
            )
            for subject, entries in self._settled.items()
            for entry in entries
            if entry.kind == "waiver"
        )

    def ignored(self) -> tuple[Ignored, ...]:
        """What does not count; entries on kinds of subjects that were not met are among them."""
        for kind in tuple(self._open):
            self.meet(kind, {})
        return tuple(self._ignored)

    def _ignore(self, entry: Entry, why: str) -> None:
        self._ignored.append(Ignored(place=entry.place, what=what(entry), why=why))


def what(entry: Entry) -> str:
    """An entry in words."""
    about = f"{entry.about} of {entry.subject}" if entry.kind == "attestation" else f"{entry.about} on {entry.subject}"
    return f"{about}, by {entry.by}"


def read(machine: Machine) -> Attested:
    """The machine's file, on the day that it is asked."""
    return Attested(read_fact.file_record(machine, ATTESTATIONS, attestations.parse), machine.today)


def _once(entries: Iterable[Entry], ignore: Callable[[Entry, str], None], *, of_subject: bool = True) -> list[Entry]:
    """Of entries on the same, the last; those that contradict each other do not count at all.

    Without `of_subject`, all are on the same one, though some name it and others its model.
    """
    by_matter: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in entries:
        by_matter.setdefault((entry.kind, entry.about, entry.subject if of_subject else ""), []).append(entry)
    kept: list[Entry] = []
    for alike in by_matter.values():
        if len({repr(entry.value) for entry in alike}) > 1:
            for entry in alike:
                ignore(entry, "another entry says otherwise of the same")
        else:
            kept.append(max(alike, key=lambda entry: entry.until))
    return kept


def _unsaid(facts: Facts) -> list[str]:
    """The facts that only people can tell, and have not told."""
    told: list[tuple[str, Any]] = [(name, getattr(facts, name)) for name in facts.__struct_fields__]
    return [name for name, fact in told if isinstance(fact, Unknown) and fact.cause is Cause.NOT_ATTESTED]


def _mistake(entry: Entry, today: date) -> str:
    """What is wrong with an entry whatever the machine is like, '' where nothing is."""
    if entry.until < today:
        return f"it has expired on {entry.until}"
    if entry.kind == "waiver":
        return ""
    fact = catalogue().get(entry.about)
    if fact is None:
        return f"no fact is called {entry.about!r}{did_you_mean(entry.about, catalogue())}"
    if not fact.attested:
        return f"{entry.about} can't be attested: it comes from {fact.source}"
    if fact.namespace != entry.kind_of_subject:
        return f"{entry.about} is a fact of a {fact.namespace}, and {entry.subject!r} is none"
    return unfit(fact, entry.value)


def _stranger(entry: Entry, identity: Identity) -> str:
    """Why an entry does not speak of the subject that has its name, '' where it does."""
    if entry.about in PINNED_TO_DRIVES and identity.drives and not entry.drives:
        return "it does not say which drives it means: add [[attestation.drive]] with their models"
    return identity.differs(entry)


def _is_of(model: str, identity: Identity) -> bool:
    return any(read_fact.value(drive.model) == model for drive in identity.drives)


def _meant(entry: Entry, seen: Mapping[str, Identity]) -> tuple[str, ...]:
    """The ids of the subjects that an entry speaks of: all of a model, else one.

    By serial number or UUID where only one has it, else by name.
    """
    if entry.model is not None:
        return tuple(at for at, it in seen.items() if it.awaited or _is_of(entry.model, it))
    kind = entry.subject.partition(":")[0]
    serials = {pin.serial for pin in entry.drives if pin.serial}
    if kind == "disk" and serials:
        alike = [at for at, it in seen.items() if {read_fact.value(drive.serial) for drive in it.drives} & serials]
    elif kind == "filesystem" and entry.uuid:
        alike = [at for at, it in seen.items() if read_fact.value(it.uuid) == entry.uuid]
    else:
        alike = []
    at = alike[0] if len(alike) == 1 else entry.subject
    return (at,) if at in seen else ()
