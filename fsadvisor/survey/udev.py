"""What udev says of the block devices, or why it could not be asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers import udev_records
from fsadvisor.survey import look

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Machine

_KEYS: Final = {
    key: key
    for key in (
        "DM_MULTIPATH_DEVICE_PATH",
        "ID_FS_LABEL",
        "ID_FS_TYPE",
        "ID_FS_UUID",
        "ID_MODEL",
        "ID_MODEL_ENC",
        "ID_SERIAL",
        "ID_SERIAL_SHORT",
        "ID_VENDOR_ENC",
        "ID_WWN_WITH_EXTENSION",
    )
}
"""Each key by itself: so all devices share it."""
_NOTHING: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class Udev:
    """The properties that the survey asks for, by device; `unread` is why there are none, if it could not be asked."""

    properties: Mapping[str, Mapping[str, str]]
    unread: Unknown | None = None

    def of(self, device: str) -> Mapping[str, str]:
        """The properties of a device, for choosing among names, never for judging."""
        return self.properties.get(device, _NOTHING)

    def fact(self, device: str, key: str) -> Fact[str]:
        """A property in udev's own spelling; a device without it is one thing, a udev that was not asked another."""
        value = self.of(device).get(key)
        return self.missing(f"udev {key}") if value is None else Known(value, f"udev {key}")

    def missing(self, source: str) -> Unknown:
        """Why a property is not there."""
        return self.unread or Unknown(Cause.NOT_EXPOSED, "", source)


def asked(machine: Machine) -> Udev:
    """Ask it; the properties that nobody here wants are many, and are let go."""
    record = look.understood(machine.udev(), udev_records.parse_udev_export)
    if isinstance(record, Unknown):
        return Udev({}, record)
    return Udev(
        {
            it.name: {_KEYS[key]: value for key, value in it.properties if key in _KEYS}
            for it in record.devices
            if it.name
        }
    )
