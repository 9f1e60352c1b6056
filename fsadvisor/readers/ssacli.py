"""`ssacli ctrl all show config detail` and `ssacli ctrl all show status`: HPE Smart Array controllers.

Written against ssacli 3.x to 6.x (hpssacli and hpacucli print alike); there is no JSON.

    Smart Array P440ar in Slot 0 (Embedded)
       Controller Status: OK
       Cache Status: OK
       Drive Write Cache: Disabled
       Battery/Capacitor Status: OK
       Array: A
          Logical Drive: 1
             Caching:  Enabled
             Disk Name: /dev/sda
          physicaldrive 1I:1:1
             Interface Type: Solid State SATA

https://support.hpe.com/ (HPE Smart Storage Administrator user guide)
"""

from __future__ import annotations

from msgspec import Struct, field

from fsadvisor.facts import Cause, Unknown, unreadable
from fsadvisor.patterns import late
from fsadvisor.readers import whole

CONFIG_ARGV = ("ssacli", "ctrl", "all", "show", "config", "detail")


class LogicalDrive(Struct, frozen=True, kw_only=True):
    """A volume that the controller shows to the kernel as one disk."""

    status: str | None
    caching: bool | None
    """Whether the controller's cache serves this volume."""
    device: str | None
    """/dev/sdX (older tools print the mount points behind it)."""


class SmartArrayDrive(Struct, frozen=True, kw_only=True):
    """A drive behind the controller."""

    id: str
    """Port, box and bay: '1I:1:1'."""
    status: str | None


class SmartArray(Struct, frozen=True, kw_only=True):
    """One controller."""

    cache_status: str | None
    """'OK', 'Not Configured', 'Temporarily Disabled', 'Permanently Disabled', …"""
    battery_status: str | None
    """Battery or capacitor: 'OK', 'Recharging', 'Failed (Replace Batteries/Capacitors)', …"""
    battery_count: int | None
    no_battery_write_cache: bool | None
    """Whether writes are cached also while the battery can't protect them."""
    drive_write_cache: bool | None
    """The drives' own write caches, where one switch serves all (before Gen10)."""
    configured_drive_write_cache: str | None
    """The same for drives in arrays (Gen10 and later): 'Enable', 'Disable' or 'Default'."""
    logical_drives: tuple[LogicalDrive, ...]
    physical_drives: tuple[SmartArrayDrive, ...]


class SsacliReport(Struct, frozen=True, kw_only=True):
    """All controllers that the tool knows."""

    controllers: tuple[SmartArray, ...]


class _Section(Struct):
    """A heading and the 'Key: value' lines below it; `kind` other holds what is of no interest here."""

    kind: str
    name: str = ""
    values: dict[str, str] = field(default_factory=dict)

    def text(self, key: str) -> str | None:
        return self.values.get(key) or None


_CONTROLLER = late(r"^\S.*\S in Slot \S+(?: .*)?$")
_HEADINGS = (
    ("logical", late(r"^Logical Drive: ([0-9]+)$")),
    ("physical", late(r"^physicaldrive ([^\s(]+)$")),
    ("other", late(r"^([Aa]rray:? [A-Z]{1,3}|Unassigned|HBA Drives)\b.*$")),
    ("other", late(r"^((?:Port Name|Sensor ID|SEP|Enclosure SEP|Expander|\S.* Drive Cage)\b).*$")),
)
_PROPERTY = late(r"^([A-Za-z][^:]{0,80}?) *: *(.*)$")
_SWITCH = {"Enabled": True, "Disabled": False, "Enable": True, "Disable": False}


def parse(text: str) -> SsacliReport | Unknown:
    """The controllers, or why there are none."""
    sections = _sections(text)
    starts = [at for at, section in enumerate(sections) if section.kind == "controller"]
    if not starts:
        return _refusal(text)
    ends = [*starts[1:], len(sections)]
    groups = [sections[start:end] for start, end in zip(starts, ends, strict=True)]
    controllers = tuple(_controller(group) for group in groups)
    return SsacliReport(controllers=controllers)


def _refusal(text: str) -> Unknown:
    lowered = text.lower()
    if "administrator rights" in lowered or "root" in lowered or "permission denied" in lowered:
        return Unknown(Cause.DENIED, "run as root")
    if "no controllers detected" in lowered:
        return Unknown(Cause.NOT_EXPOSED, "check that the controller's driver is loaded: ssacli found none")
    return unreadable("the output is not that of ssacli")


def _sections(text: str) -> list[_Section]:
    sections: list[_Section] = []
    for line in text.splitlines():
        if _CONTROLLER.match(line):
            sections.append(_Section("controller"))
        elif sections and (heading := _heading(line.strip())):
            sections.append(heading)
        elif sections and (pair := _PROPERTY.match(line.strip())):
            sections[-1].values.setdefault(pair[1], pair[2].strip())
    return sections


def _heading(line: str) -> _Section | None:
    found = ((kind, pattern.match(line)) for kind, pattern in _HEADINGS)
    return next((_Section(kind, match[1]) for kind, match in found if match), None)


def _switch(section: _Section, key: str) -> bool | None:
    return _SWITCH.get(section.text(key) or "")


def _controller(sections: list[_Section]) -> SmartArray:
    own = sections[0]
    return SmartArray(
        cache_status=own.text("Cache Status"),
        battery_status=own.text("Battery/Capacitor Status"),
        battery_count=whole(own.text("Battery/Capacitor Count")),
        no_battery_write_cache=_switch(own, "No-Battery Write Cache"),
        drive_write_cache=_switch(own, "Drive Write Cache"),
        configured_drive_write_cache=own.text("Configured Drive Write Cache Policy"),
        logical_drives=tuple(_logical(one) for one in sections if one.kind == "logical"),
        physical_drives=tuple(_physical(one) for one in sections if one.kind == "physical"),
    )


def _logical(section: _Section) -> LogicalDrive:
    device = section.text("Disk Name")
    return LogicalDrive(
        status=section.text("Status"),
        caching=_switch(section, "Caching"),
        device=device.split()[0] if device else None,
    )


def _physical(section: _Section) -> SmartArrayDrive:
    return SmartArrayDrive(id=section.name, status=section.text("Status"))
