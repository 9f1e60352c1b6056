"""Which machine, drives and filesystems these are: by what outlives the names that the kernel gives them."""

from __future__ import annotations

import datetime as dt
import hmac
import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import attestations
from fsadvisor.storage import Disk, Filesystem
from fsadvisor.survey import read_fact
from fsadvisor.survey.attachment import is_same_model

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fsadvisor.facts import Fact
    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.attestations import PinnedDrive, Statement
    from fsadvisor.storage import Facts, Storage, Subject
    from fsadvisor.survey.inventory import Identifiers

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

    def pin(self, *, firmware: bool = False) -> PinnedDrive:
        """The model, serial number and firmware that an attestation is tied to."""
        return attestations.PinnedDrive(
            model=read_fact.value(self.model) or None,
            serial=read_fact.value(self.serial) or None,
            firmware=(read_fact.value(self.firmware) or None) if firmware else None,
        )

    def differs(self, pin: PinnedDrive) -> str:
        """Why this is not the drive that was written down, '' where it is."""
        if not is_same_model(pin.model, read_fact.value(self.model)):
            return f"{self.name} is another drive now: {_named(read_fact.value(self.model))}, not {_named(pin.model)}"
        if pin.serial is None or pin.serial == read_fact.value(self.serial):
            return self._firmware_differs(pin)
        if isinstance(self.serial, Unknown) and self.serial.cause is not Cause.NOT_EXPOSED:
            return f"the serial number of {self.name} can't be read: {self.serial.learn or self.serial.cause.value}"
        return f"{self.name} is another drive now: its serial number differs"

    def _firmware_differs(self, pin: PinnedDrive) -> str:
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

    def differs(self, entry: Statement) -> str:
        """Why the entry does not speak of this, '' where it does."""
        if entry.uuid is not None and entry.uuid != read_fact.value(self.uuid):
            known = isinstance(self.uuid, Known)
            return "another filesystem is there now" if known else "the UUID of the filesystem can't be read"
        if entry.subject.startswith("filesystem:") and entry.uuid is None and not has_none(self.uuid):
            return "it does not say which filesystem it means: add its `uuid`"
        if not entry.drives and entry.kind_of_subject != "disk":
            return ""
        return next((why for why in (_unlike_all(seen_drive, entry.drives) for seen_drive in self.drives) if why), "")


def _unlike_all(seen_drive: SeenDrive, pins: tuple[PinnedDrive, ...]) -> str:
    if not pins and not has_none(seen_drive.model):
        return "it does not say which drive it means: add [[attestation.drive]] or [[waiver.drive]] with its model"
    reasons = [seen_drive.differs(pin) for pin in pins or (attestations.PinnedDrive(),)]
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

    identifiers: Identifiers
    disks: Mapping[str, Disk]
    held_by: Mapping[str, str] = field(default_factory=dict)
    _drives: dict[str, SeenDrive] = field(default_factory=dict)

    def of(self, subject: str) -> Identity:
        """The drives under a subject, and the UUID of the filesystem that it is or is on."""
        while subject in self.held_by:
            subject = self.held_by[subject]
        udev, device = self.identifiers.udev, self.identifiers.first_devices.get(subject)
        leaves = [below for below in (subject, *self.identifiers.stack.under(subject)) if below in self.disks]
        layer = subject.removeprefix("layer:")
        uuids = (udev.fact(layer, key) for key in _LAYER_KEYS) if layer != subject else ()
        return Identity(
            drives=tuple(map(self._drive, leaves)),
            uuid=udev.fact(device, "ID_FS_UUID") if device else NO_UUID,
            device=next((fact for fact in uuids if isinstance(fact, Known)), NO_UUID),
        )

    def _drive(self, disk: str) -> SeenDrive:
        """Read once: a disk is under each of its partitions, filesystems and mounts."""
        if disk not in self._drives:
            self._drives[disk] = seen_drive(self.identifiers.machine, self.disks[disk])
        return self._drives[disk]


_HOST_NAMES: Final = ("/proc/sys/kernel/hostname", "/etc/hostname")
_PURPOSE: Final = "fsadvisor"
_PRETTY: Final = late(r'^PRETTY_NAME=["\']?(.*?)["\']?$', re.MULTILINE)
_DIGITS: Final = 32


class Which:
    """What tells a machine from others; None where it is not known, as of a recording.

    The hashes are keyed by the machine's id, so that nobody finds the id, or a serial number, by trying all; on another
    machine the same drive has another.
    """

    def __init__(self, machine: Machine, *, plain: bool) -> None:
        self._machine = machine
        self._key = (self._text("/etc/machine-id") or "").encode()
        own = self._key.decode() if plain else self._hash("")
        self.id = own or None
        boot = self._text("/proc/sys/kernel/random/boot_id")
        self.boot = boot if plain or boot is None else self._hash("boot", boot)

    @property
    def host(self) -> str | None:
        """Its name in the network."""
        return next(filter(None, map(self._text, _HOST_NAMES)), None)

    @property
    def os(self) -> str | None:
        """Its distribution, as that names itself."""
        found = _PRETTY.search(self._text("/etc/os-release") or "")
        return found[1] if found else None

    def time(self, *, live: bool) -> str | None:
        """The moment in UTC; of a recording or an archive the day that it tells."""
        if live:
            return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        day = self._machine.looked_on
        return None if day is None else day.isoformat()

    def stable(self, storage: Storage, identity: Callable[[str], Identity]) -> dict[str, str]:
        """By subject id; nothing where the machine's id is not known, which keys the hashes."""
        if not self._key:
            return {}
        named = ((subject.id, self._hash(*_names(subject, identity(subject.id)))) for subject in storage.subjects)
        return {subject: name for subject, name in named if name is not None}

    def _text(self, path: str) -> str | None:
        return read_fact.value(read_fact.text(self._machine, path)) or None

    def _hash(self, *parts: str) -> str | None:
        if not self._key or not parts:
            return None
        text = "\0".join((_PURPOSE, *parts)).encode("utf-8", "surrogateescape")
        return hmac.new(self._key, text, "sha256").hexdigest()[:_DIGITS]


def _names(subject: Subject, identity: Identity) -> tuple[str, ...]:
    """What tells it from all others of its kind; nothing where that is not known."""
    if subject.kind == "disk" and identity.drives:
        drive = identity.drives[0]
        serial = read_fact.value(drive.serial)
        return ("disk", read_fact.value(drive.model) or "", serial) if serial else ()
    if subject.kind == "layer" and isinstance(identity.device, Known):
        return ("layer", identity.device.value)
    if subject.kind in ("filesystem", "mount") and isinstance(identity.uuid, Known):
        return (subject.kind, identity.uuid.value, *([subject.name] if subject.kind == "mount" else ()))
    return ()


def keys_by(identity: Callable[[str], Identity]) -> Callable[[str, Facts], str | None]:
    """The key of a subject by its id and facts; None where nothing tells it from others."""
    return lambda subject, facts: _key(identity(subject), facts)


def _key(identity: Identity, facts: Facts) -> str | None:
    """A filesystem's UUID, else where it is and how large; a drive's model and serial number."""
    if isinstance(facts, Filesystem):
        told = [read_fact.value(it) for it in (facts.device, facts.mount_point, facts.size_bytes)]
        return read_fact.value(identity.uuid) or (None if None in told else " ".join(map(str, told)))
    drive = identity.drives[0] if isinstance(facts, Disk) and identity.drives else None
    serial = None if drive is None else read_fact.value(drive.serial)
    return f"{read_fact.value(drive.model) or ''} {serial}".strip() if drive and serial else None
