"""An NVMe controller's identity and abilities: `nvme id-ctrl DEVICE` (`nvme id ctrl` since 3.0).

Written against nvme-cli 1.8 to 3.1: JSON, plain text with and without -H, and the 4096-byte structure that
`--raw-binary` gives; told apart by content.

    NVME Identify Controller:
    vid       : 0x144d
    mn        : SAMSUNG MZQL2960HCJR-00A07
    vwc       : 0x6
      [2:1] : 0x3   The Flush command supports NSID set to FFFFFFFFh
      [0:0] : 0     Volatile Write Cache Not Present

NVM Express Base Specification, Identify Controller data structure; https://nvmexpress.org/specifications/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.facts import Unknown, unreadable
from fsadvisor.readers import nvme_output, unread_pieces, whole
from fsadvisor.readers.json_text import string

if TYPE_CHECKING:
    from collections.abc import Callable

_STRUCTURE_BYTES = 4096
_NUMBERS = {
    "vid": (0, 2),
    "ssvid": (2, 2),
    "ieee": (73, 3),
    "cmic": (76, 1),
    "mdts": (77, 1),
    "cntlid": (78, 2),
    "ver": (80, 4),
    "oaes": (92, 4),
    "ctratt": (96, 4),
    "plsi": (110, 1),
    "cntrltype": (111, 1),
    "oacs": (256, 2),
    "frmw": (260, 1),
    "lpa": (261, 1),
    "npss": (263, 1),
    "apsta": (265, 1),
    "wctemp": (266, 2),
    "cctemp": (268, 2),
    "hmpre": (272, 4),
    "hmmin": (276, 4),
    "tnvmcap": (280, 16),
    "unvmcap": (296, 16),
    "sanicap": (328, 4),
    "nn": (516, 4),
    "oncs": (520, 2),
    "fuses": (522, 2),
    "fna": (524, 1),
    "vwc": (525, 1),
    "awun": (526, 2),
    "awupf": (528, 2),
    "nwpc": (531, 1),
    "acwu": (532, 2),
    "sgls": (536, 4),
}
"""Field: offset and size in the structure."""
_STRINGS = {"sn": (4, 20), "mn": (24, 40), "fr": (64, 8), "subnqn": (768, 256)}
_HEXADECIMAL = {"ieee", "cntlid", "ver"}
"""In text without 0x in front, in some versions or in all."""


class IdCtrl(Struct, frozen=True, kw_only=True):
    """One controller; the specification's names."""

    vid: int | None
    """PCI vendor."""
    ssvid: int | None
    """PCI subsystem vendor."""
    sn: str | None
    """Serial number, without padding."""
    mn: str | None
    """Model number, without padding."""
    fr: str | None
    """Firmware revision, without padding."""
    subnqn: str | None
    """NVM subsystem's qualified name."""
    ieee: int | None
    """Vendor's OUI."""
    cmic: int | None
    """Bits: 0 several ports, 1 several controllers, 3 asymmetric access."""
    mdts: int | None
    """Largest transfer, as a power of two of the smallest memory page; 0: no limit."""
    cntlid: int | None
    ver: int | None
    """Specification version, 0x10400 is 1.4; 0 before 1.2."""
    oaes: int | None
    ctratt: int | None
    plsi: int | None
    """Power loss signalling: bit 0 emergency power fail, bit 1 forced quiescence."""
    cntrltype: int | None
    """1 I/O, 2 discovery, 3 administrative; 0: not reported (before 1.4)."""
    oacs: int | None
    frmw: int | None
    """Firmware: bit 0 slot 1 is read-only, bits 3:1 slots, bit 4 activation without reset."""
    lpa: int | None
    npss: int | None
    """Number of the last power state."""
    apsta: int | None
    """Bit 0: changes its power state by itself."""
    wctemp_kelvin: int | None
    """Temperature that draws a warning; 0: not reported."""
    cctemp_kelvin: int | None
    """Critical temperature; 0: not reported."""
    hmpre: int | None
    """Host memory wanted, in 4 KiB; above 0 usually means no DRAM in the drive."""
    hmmin: int | None
    """Host memory needed, in 4 KiB."""
    tnvmcap_bytes: int | None
    """Total capacity; 0: not reported."""
    unvmcap_bytes: int | None
    """Capacity in no namespace."""
    sanicap: int | None
    nn: int | None
    """Largest namespace number."""
    oncs: int | None
    """Bits: 0 compare, 1 write uncorrectable, 2 deallocate (discard), 3 write zeroes, 4 save features."""
    fuses: int | None
    fna: int | None
    vwc: int | None
    """Bit 0 volatile write cache present; bits 2:1 whether Flush takes all namespaces at once."""
    awun: int | None
    """Largest atomic write in operation, logical blocks minus one."""
    awupf: int | None
    """Largest write that stays atomic over a power failure, logical blocks minus one."""
    nwpc: int | None
    """Namespace write protection: bit 0 supported."""
    acwu: int | None
    sgls: int | None
    unread: tuple[str, ...] = ()

    @property
    def volatile_write_cache(self) -> bool | None:
        """Whether acknowledged writes may sit in memory that a power loss empties (vwc bit 0, nothing else)."""
        return None if self.vwc is None else bool(self.vwc & 1)


def argv(device: str, *, since_3: bool = False) -> tuple[str, ...]:
    """Ask a controller (/dev/nvme0) or a namespace's controller (/dev/nvme0n1); needs root.

    nvme-cli 3 may be built without the old command names.
    """
    command = ("id", "ctrl") if since_3 else ("id-ctrl",)
    return ("nvme", *command, device, "--output-format=json")


def parse(text: str) -> IdCtrl | Unknown:
    """Read JSON, text or the raw structure."""
    structure = nvme_output.raw_structure(text)
    if structure is not None:
        return _from_structure(structure)
    document = nvme_output.nvme_document(text)
    if isinstance(document, dict) and {"vid", "mn"} <= document.keys():
        return _record(
            lambda name: nvme_output.number(document.get(name), 8 * _NUMBERS[name][1]),
            lambda name: nvme_output.padded_string(string(document, name)),
        )
    return _from_lines(text)


def _from_structure(structure: bytes) -> IdCtrl | Unknown:
    model = structure[24:64].rstrip(b" \0")
    if len(structure) != _STRUCTURE_BYTES:
        return unreadable(f"{len(structure)} bytes where the Identify Controller structure has 4096")
    if not model or not model.isascii() or b"\0" in model:
        return unreadable("no model number where the Identify Controller structure has it")
    return _record(
        lambda name: nvme_output.unsigned(structure, *_NUMBERS[name]),
        lambda name: _structure_string(structure, *_STRINGS[name]),
    )


def _structure_string(structure: bytes, offset: int, size: int) -> str | None:
    content = structure[offset : offset + size].split(b"\0")[0]
    return nvme_output.padded_string(content.decode("utf-8", "surrogateescape"))


def _from_lines(text: str) -> IdCtrl | Unknown:
    lines, cut = nvme_output.ended_lines(text)
    values, unread = nvme_output.labelled_lines(lines, _NUMBERS.keys() | _STRINGS.keys())
    if not {"vid", "mn"} <= values.keys():
        return nvme_output.refused(text, "no Identify Controller data")

    def number(name: str) -> int | None:
        value = values.get(name)
        count = whole(value, 16) if name in _HEXADECIMAL else nvme_output.spelt_number(value)
        return nvme_output.number(count, 8 * _NUMBERS[name][1])

    return _record(number, lambda name: nvme_output.padded_string(values.get(name)), unread + cut)


def _record(
    number: Callable[[str], int | None], text: Callable[[str], str | None], unread: list[str] | None = None
) -> IdCtrl:
    texts: dict[str, str | None] = {name: text(name) for name in _STRINGS}
    return nvme_output.filled(IdCtrl, number, _NUMBERS, unread=unread_pieces(unread or []), **texts)
