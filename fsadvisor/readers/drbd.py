"""State of DRBD's replicated devices: `drbdsetup status --verbose --statistics --json`.

Written against drbd-utils 9.x, with the module of the kernel (8.4) and LINBIT's (9.x). Sample, cut:

    [{"name": "r0", "role": "Primary", "write-ordering": "flush",
      "devices": [{"volume": 0, "minor": 2, "disk-state": "UpToDate"}],
      "connections": [{"name": "b", "connection-state": "Connected", "peer_devices": [
         {"volume": 0, "replication-state": "Established", "peer-disk-state": "UpToDate"}]}]}]

https://linbit.com/drbd-user-guide/drbd-guide-9_0-en/#s-check-status
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Unknown
from fsadvisor.readers import json_text
from fsadvisor.readers.json_text import items, string
from fsadvisor.readers.parsing import refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.readers.json_text import Json

ARGV: Final = ("drbdsetup", "status", "--verbose", "--statistics", "--json")


class Peer(Struct, frozen=True, kw_only=True):
    """The copy of a device on another machine."""

    connection: str | None
    """Connected, Connecting, StandAlone, …"""
    replication: str | None
    """Established, SyncSource, SyncTarget, Off, …"""
    disk: str | None
    """UpToDate, Inconsistent, Outdated, DUnknown, Diskless, …"""


class DrbdDevice(Struct, frozen=True, kw_only=True):
    """A device by its minor number, drbd<minor>."""

    minor: int
    disk: str | None
    ordering: str | None
    """How writes are kept in order: flush; drain and none send no flushes."""
    peers: tuple[Peer, ...]


class DrbdStatus(Struct, frozen=True, kw_only=True):
    """All devices of all resources."""

    devices: tuple[DrbdDevice, ...] = ()


def parse(text: str) -> DrbdStatus | Unknown:
    """Read the list; an empty one has no resources."""
    document = json_text.load(text)
    if isinstance(document, Unknown):
        return document
    if not isinstance(document, list):
        return refusal(text, "no list of DRBD's resources")
    return DrbdStatus(devices=tuple(device for resource in document for device in _devices(resource)))


def _devices(resource: Json) -> Iterator[DrbdDevice]:
    for device in items(resource, "devices"):
        minor, volume = json_text.integer(device, "minor"), json_text.integer(device, "volume")
        if minor is not None:
            yield DrbdDevice(
                minor=minor,
                disk=string(device, "disk-state"),
                ordering=string(resource, "write-ordering"),
                peers=tuple(_peers(resource, volume)),
            )


def _peers(resource: Json, volume: int | None) -> Iterator[Peer]:
    for connection in items(resource, "connections"):
        for peer in items(connection, "peer_devices"):
            if json_text.integer(peer, "volume") == volume:
                yield Peer(
                    connection=string(connection, "connection-state"),
                    replication=string(peer, "replication-state"),
                    disk=string(peer, "peer-disk-state"),
                )
