"""The NVMe namespaces of a host: `nvme list`.

Written against nvme-cli 1.8 to 3.1, JSON only. Flat (all but 2.11), nested by subsystem (-v in 1.x), by host and
subsystem (-v in 2.x, and always in 2.11 and 2.12), and by host with paths below the namespace (2.13 and later with
multipath).

    {"Devices": [{"NameSpace": 1, "DevicePath": "/dev/nvme0n1", "Firmware": "1.0", "ModelNumber": "…", …}]}
    {"Devices": [{"HostNQN": "…", "Subsystems": [{"Subsystem": "nvme-subsys0", "Controllers": [{"Controller": "nvme0",
      "ModelNumber": "…", "Namespaces": [{"NameSpace": "nvme0n1", "NSID": 1, …}]}]}]}]}

https://github.com/linux-nvme/nvme-cli/blob/master/Documentation/nvme-list.txt
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.readers import nvme_output
from fsadvisor.readers.json_text import Json, items, member, string
from fsadvisor.readers.parsing import unread_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.facts import Unknown

_HIDDEN_PATH = re.compile(r"nvme\d+c\d+n\d+", re.ASCII)
"""One controller's path to a namespace, which has no device node."""


class Namespace(Struct, frozen=True, kw_only=True):
    """One namespace: a block device."""

    device_path: str
    """Such as /dev/nvme0n1."""
    nsid: int | None
    controllers: tuple[str, ...]
    """Through which it is reached, such as nvme0; empty where the flat layout doesn't say."""
    subsystem: str | None
    subsystem_nqn: str | None
    model_number: str | None
    """Without padding."""
    serial_number: str | None
    """Without padding."""
    firmware: str | None
    transport: str | None
    """'pcie', 'tcp', 'rdma', 'fc', 'loop', 'apple-nvme'; None in the flat layout."""
    address: str | None
    """PCI address, or a fabric's traddr and trsvcid."""
    used_bytes: int | None
    maximum_lba: int | None
    """Number of logical blocks."""
    physical_size_bytes: int | None
    sector_size_bytes: int | None
    """Logical block."""


class NvmeList(Struct, frozen=True, kw_only=True):
    """All namespaces."""

    namespaces: tuple[Namespace, ...]
    unread: tuple[str, ...] = ()


def argv() -> tuple[str, ...]:
    """Ask for all of them; complete only as root."""
    return ("nvme", "list", "--output-format=json")


def parse(text: str) -> NvmeList | Unknown:
    """Read any of the JSON layouts."""
    document = nvme_output.document(text)
    if not isinstance(document, dict) or not isinstance(document.get("Devices"), list):
        return nvme_output.refused(text, "no list of NVMe devices")
    namespaces: list[Namespace] = []
    unread: list[str] = []
    for position, entry in enumerate(items(document, "Devices")):
        found = list(_below(entry))
        namespaces += found
        if not found and not _nested(entry):
            unread.append(f"Devices[{position}]")
    return NvmeList(namespaces=tuple(namespaces), unread=unread_pieces(unread))


def _nested(entry: Json) -> bool:
    return isinstance(entry, dict) and not entry.keys().isdisjoint(("Subsystems", "Controllers", "Namespaces"))


def _below(entry: Json) -> Iterator[Namespace]:
    """The namespaces of one entry: itself one, a host with subsystems, or a subsystem."""
    path = string(entry, "DevicePath")
    if path:
        yield _namespace(path, entry, nsid=member(entry, "NameSpace"), subsystem=None, controllers=[entry])
    elif isinstance(member(entry, "Subsystems"), list):
        for subsystem in items(entry, "Subsystems"):
            yield from _below_subsystem(subsystem)
    else:
        yield from _below_subsystem(entry)


def _below_subsystem(subsystem: Json) -> Iterator[Namespace]:
    controllers = items(subsystem, "Controllers")
    for controller in controllers:
        for namespace in items(controller, "Namespaces"):
            yield from _node(namespace, subsystem, [controller])
    for namespace in items(subsystem, "Namespaces"):
        yield from _node(namespace, subsystem, controllers or items(namespace, "Paths"))


def _node(namespace: Json, subsystem: Json, controllers: list[Json]) -> Iterator[Namespace]:
    name = string(namespace, "NameSpace")
    if name and not _HIDDEN_PATH.fullmatch(name):
        path = f"/dev/{name.removeprefix('/dev/')}"
        nsid = member(namespace, "NSID")
        yield _namespace(path, namespace, nsid=nsid, subsystem=subsystem, controllers=controllers)


def _namespace(path: str, sizes: Json, *, nsid: Json, subsystem: Json, controllers: list[Json]) -> Namespace:
    first = controllers[0] if controllers else None
    return Namespace(
        device_path=path,
        nsid=nvme_output.number(nsid, 32),
        controllers=tuple(name for entry in controllers if (name := string(entry, "Controller"))),
        subsystem=string(subsystem, "Subsystem"),
        subsystem_nqn=string(subsystem, "SubsystemNQN"),
        model_number=nvme_output.padded_string(string(first, "ModelNumber")),
        serial_number=nvme_output.padded_string(string(first, "SerialNumber")),
        firmware=nvme_output.padded_string(string(first, "Firmware")),
        transport=string(first, "Transport"),
        address=string(first, "Address"),
        used_bytes=nvme_output.number(member(sizes, "UsedBytes"), 64),
        maximum_lba=nvme_output.number(member(sizes, "MaximumLBA"), 64),
        physical_size_bytes=nvme_output.number(member(sizes, "PhysicalSize"), 64),
        sector_size_bytes=nvme_output.number(member(sizes, "SectorSize"), 32),
    )
