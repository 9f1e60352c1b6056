"""DRBD: whether the copies are in step, and whether its writes are flushed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsadvisor.facts import Fact, Known
from fsadvisor.readers import drbd
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.drbd import Device, Peer
    from fsadvisor.storage import Replicas
    from fsadvisor.survey.block import BlockDevice

_UP_TO_DATE = "UpToDate"


def facts(machine: Machine, device: BlockDevice) -> dict[str, Any]:
    """Those of one device, by its minor number."""
    status = read_fact.command_record(machine, drbd.ARGV, drbd.parse)
    minor = device.number.partition(":")[2]
    own = read_fact.field(
        status, "drbdsetup status", lambda it: next((one for one in it.devices if str(one.minor) == minor), None)
    )
    if not isinstance(own, Known):
        return {"drbd_replicas": own, "drbd_write_ordering": own}
    ordering: Fact[str] = read_fact.fact_of(own.value.ordering, own.source)
    return {"drbd_replicas": read_fact.fact_of(_replicas(own.value), own.source), "drbd_write_ordering": ordering}


def _replicas(device: Device) -> Replicas | None:
    """The state of the whole; None where a word is not told."""
    if device.disk is None:
        return None
    if device.disk != _UP_TO_DATE:
        return "syncing" if device.disk in ("Inconsistent", "Negotiating") else "no good copy here"
    if not device.peers or None in [it.disk for it in device.peers]:
        return None
    if all(map(_in_step, device.peers)):
        return "in sync"
    return "syncing" if any((it.replication or "").startswith("Sync") for it in device.peers) else "alone"


def _in_step(peer: Peer) -> bool:
    """A peer without a disk of its own (a client) has no copy that could lag."""
    return peer.disk in (_UP_TO_DATE, "Diskless") and peer.connection == "Connected"
