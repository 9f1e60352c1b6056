"""What udev says, through pyudev, which loads slowly and is imported when it is needed."""

from __future__ import annotations

import contextlib
import sys
import threading
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import Cause, Unknown, unreadable
from fsadvisor.machine import port
from fsadvisor.machine.port import Answer, Reply

if TYPE_CHECKING:
    from collections.abc import Iterator


def udev_database() -> Answer:
    """The block devices' udev properties, as `udevadm info --export-db` prints them, sorted by device path."""
    try:
        udev = udev_context()
    except ImportError as error:
        return Unknown(Cause.NO_TOOL, f"install libudev1 and python3-pyudev ({error})", port.UDEV_SOURCE)
    try:
        devices = sorted(udev.list_devices(subsystem="block"), key=lambda device: device.device_path)
    except (OSError, ValueError) as error:
        return unreadable(f"udev: {error}", port.UDEV_SOURCE)
    return Reply("".join(f"{line}\n" for device in devices for line in _udev_lines(device)), port.UDEV_SOURCE)


def udev_context() -> Any:  # noqa: ANN401 - pyudev has no types
    """pyudev's door to libudev, which is loaded by its soname. Raises ImportError where it can't be.

    While it is imported it gets ours for the one function that it needs of ctypes.util: that module's may run gcc and
    ld, from wherever PATH says, and what it imports for that takes longer to load than pyudev.
    """
    with _IMPORTING, _instead("ctypes.util", find_library={"udev": "libudev.so.1"}.get):
        import pyudev

    try:
        return pyudev.Context()
    except OSError as error:
        raise ImportError(str(error)) from error


_IMPORTING: Final = threading.Lock()


@contextlib.contextmanager
def _instead(name: str, **names: object) -> Iterator[None]:
    """Whoever imports that module meanwhile gets one that has these names alone."""
    before, stand_in = sys.modules.get(name), ModuleType(name)
    vars(stand_in).update(names)
    sys.modules[name] = stand_in
    try:
        yield
    finally:
        if before is None:
            del sys.modules[name]
        else:
            sys.modules[name] = before


def _udev_lines(device: Any) -> Iterator[str]:  # noqa: ANN401 - pyudev has no types
    yield f"P: {device.device_path}"
    yield f"N: {(device.device_node or '').removeprefix('/dev/')}"
    for link in sorted(device.device_links):
        yield f"S: {link.removeprefix('/dev/')}"
    for key, value in sorted(device.properties.items()):
        if "\n" not in value:  # the form has no escape for it: the rest would pass for properties of its own
            yield f"E: {key}={value}"
    yield ""
