"""Which drives and which filesystem a subject is, so that another one is not taken for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers.attestations import Drive
from fsadvisor.survey import look
from fsadvisor.survey.ata import is_same_model

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.attestations import Entry
    from fsadvisor.storage import Disk
    from fsadvisor.survey.inventory import Inventory


NO_UUID: Final = Unknown(Cause.NOT_EXPOSED, "", "udev ID_FS_UUID")


def has_none(fact: Fact[str]) -> bool:
    """Whether there is nothing to tell one from another by; what could not be asked, or not yet, may be there."""
    return isinstance(fact, Unknown) and fact.cause is Cause.NOT_EXPOSED


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenDrive:
    """A drive as it is now."""

    name: str
    model: Fact[str]
    serial: Fact[str]
    firmware: Fact[str]

    def pin(self, *, firmware: bool = False) -> Drive:
        """What to write down of it."""
        return Drive(
            model=look.value(self.model) or None,
            serial=look.value(self.serial) or None,
            firmware=(look.value(self.firmware) or None) if firmware else None,
        )

    def differs(self, pin: Drive) -> str:
        """Why this is not the drive that was written down, '' where it is."""
        if not is_same_model(pin.model, look.value(self.model)):
            return f"{self.name} is another drive now: {_model(look.value(self.model))}, not {_model(pin.model)}"
        if pin.serial is None or pin.serial == look.value(self.serial):
            return self._firmware_differs(pin)
        if isinstance(self.serial, Unknown) and self.serial.cause is not Cause.NOT_EXPOSED:
            return f"the serial number of {self.name} can't be read: {self.serial.learn or self.serial.cause.value}"
        return f"{self.name} is another drive now: its serial number differs"

    def _firmware_differs(self, pin: Drive) -> str:
        if pin.firmware is None or pin.firmware == look.value(self.firmware):
            return ""
        if isinstance(self.firmware, Unknown):
            return f"the firmware of {self.name} can't be read: {self.firmware.learn or self.firmware.cause.value}"
        return f"the firmware of {self.name} is another now: {self.firmware.value!r}, not {pin.firmware!r}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The drives under a subject, or the subject itself, and the UUID of its filesystem."""

    drives: tuple[SeenDrive, ...] = ()
    uuid: Fact[str] = NO_UUID

    @property
    def awaited(self) -> Unknown | None:
        """An answer that is still to come and tells which one this is."""
        told = (self.uuid, *(fact for drive in self.drives for fact in (drive.model, drive.serial, drive.firmware)))
        return next((it for it in told if isinstance(it, Unknown) and it.cause is Cause.BEING_ASKED), None)

    def differs(self, entry: Entry) -> str:
        """Why the entry does not speak of this, '' where it does."""
        if entry.uuid is not None and entry.uuid != look.value(self.uuid):
            known = isinstance(self.uuid, Known)
            return "another filesystem is there now" if known else "the UUID of the filesystem can't be read"
        if entry.subject.startswith("filesystem:") and entry.uuid is None and not has_none(self.uuid):
            return "it does not say which filesystem it means: add its `uuid`"
        if not entry.drives and entry.kind_of_subject != "disk":
            return ""
        return next((why for why in (_unlike_all(drive, entry.drives) for drive in self.drives) if why), "")


def _unlike_all(drive: SeenDrive, pins: tuple[Drive, ...]) -> str:
    if not pins and not has_none(drive.model):
        return "it does not say which drive it means: add [[attestation.drive]] or [[waiver.drive]] with its model"
    reasons = [drive.differs(pin) for pin in pins or (Drive(),)]
    return "" if "" in reasons else reasons[0]


def _model(name: str | None) -> str:
    return repr(name) if name else "of no model"


def drive(machine: Machine, disk: Disk) -> SeenDrive:
    """A disk by its model and serial number: that of sysfs (NVMe, virtio), else udev's."""
    name = look.value(disk.name) or "?"
    places = (f"/sys/block/{name}/device/serial", f"/sys/block/{name}/serial")
    told = [fact for fact in (look.text(machine, place) for place in places) if look.value(fact) != ""]
    known = next((fact for fact in (*told, disk.udev_serial) if isinstance(fact, Known)), None)
    hidden = (fact for fact in told if isinstance(fact, Unknown) and fact.cause is not Cause.NOT_EXPOSED)
    serial = known or next(hidden, disk.udev_serial)
    return SeenDrive(name=name, model=disk.model, serial=serial, firmware=disk.firmware)


@dataclass(frozen=True, slots=True)
class Identities:
    """Which drives and which filesystem each subject is.

    `disks` go by id; `held_by` has what a mount or a service is on: the id of a filesystem or a mount.
    """

    inventory: Inventory
    disks: Mapping[str, Disk]
    held_by: Mapping[str, str] = field(default_factory=dict)

    def of(self, subject: str) -> Identity:
        """The drives under a subject, and the UUID of the filesystem that it is or is on."""
        while subject in self.held_by:
            subject = self.held_by[subject]
        leaves = [below for below in (subject, *self.inventory.stack.under(subject)) if below in self.disks]
        block = self.inventory.block(subject)
        devices = block.devices[:1] if block else ()
        return Identity(
            drives=tuple(drive(self.inventory.machine, self.disks[leaf]) for leaf in leaves),
            uuid=next((self.inventory.udev.fact(name, "ID_FS_UUID") for name in devices), NO_UUID),
        )
