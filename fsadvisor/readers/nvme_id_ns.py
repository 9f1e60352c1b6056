"""An NVMe namespace's size, block formats and atomicity: `nvme id-ns DEVICE` (`nvme id ns` since 3.0).

Written against nvme-cli 1.8 to 3.1: JSON (plain and verbose) and text (with and without -H).

    NVME Identify Namespace 1:
    nsze    : 0x1bf1f72b0
    nsfeat  : 0
    flbas   : 0
    lbaf  0 : ms:0   lbads:9  rp:0x2 (in use)
    lbaf  1 : ms:0   lbads:12 rp:0

NVM Express NVM Command Set Specification, Identify Namespace data structure; https://nvmexpress.org/specifications/
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers import nvme_output, unread_pieces, whole
from fsadvisor.readers.json_text import Json, items, member, string

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.facts import Unknown

_BITS = {
    **dict.fromkeys(("nsze", "ncap", "nuse"), 64),
    **dict.fromkeys(("nsfeat", "nlbaf", "flbas", "mc", "dps", "nmic", "rescap", "dlfeat"), 8),
    **dict.fromkeys(("nawun", "nawupf", "nacwu", "nabsn", "nabo", "nabspf", "noiob"), 16),
    **dict.fromkeys(("npwg", "npwa", "npdg", "npda", "nows"), 16),
    "nvmcap": 128,
}
_IDENTIFIERS = {"nguid", "eui64"}
_SMALLEST_EXPONENT, _LARGEST_EXPONENT = 9, 31
"""Of a logical block; below, the format is not available."""
_USED = {"1": True, "yes": True, "0": False, "no": False}
_HEADING = late(r"NVME Identify Namespace (\d{1,10}):", re.ASCII | re.IGNORECASE)
_FORMAT = late(
    r"lbaf\s+(?P<index>\d{1,3})\s*:\s*ms:(?P<metadata>\d{1,5})\s+lbads:(?P<exponent>\d{1,3})"
    r"\s+rp:(?P<performance>0x[0-9a-f]|\d)(?P<used>\s*\(in use\))?",
    re.ASCII | re.IGNORECASE,
)
_FORMAT_IN_WORDS = late(
    r"LBA Format\s+(?P<index>\d{1,3})\s*:\s*Metadata Size:\s*(?P<metadata>\d{1,5})\s+bytes\s*-"
    r"\s*Data Size:\s*(?P<size>\d{1,10})\s+bytes\s*-"
    r"\s*Relative Performance:\s*(?P<performance>0x[0-9a-f]|\d)(?:\s+[a-z]+)?(?P<used>\s*\(in use\))?",
    re.ASCII | re.IGNORECASE,
)


class LbaFormat(Struct, frozen=True, kw_only=True):
    """One block format that the namespace can be formatted with."""

    index: int
    data_size_bytes: int | None
    """Logical block; None where the format is not available."""
    metadata_size_bytes: int | None
    relative_performance: int | None
    """0 best, 1 better, 2 good, 3 degraded."""
    in_use: bool | None


class IdNs(Struct, frozen=True, kw_only=True):
    """One namespace; the specification's names."""

    nsid: int | None
    """Namespace number; only text output has it."""
    nsze: int | None
    """Size in logical blocks."""
    ncap: int | None
    """Capacity in logical blocks."""
    nuse: int | None
    """Logical blocks allocated."""
    nsfeat: int | None
    """Bits: 0 thin provisioning, 1 nawun/nawupf/nacwu are valid, 4 npwg and the like are valid."""
    nlbaf: int | None
    """Number of block formats minus one."""
    flbas: int | None
    """Block format in use: bits 3:0 and, above them, bits 6:5."""
    mc: int | None
    dps: int | None
    nmic: int | None
    """Bit 0: may be reached through several controllers."""
    rescap: int | None
    dlfeat: int | None
    """Bits 2:0 what deallocated blocks read as (1 zeroes, 2 ones), bit 3 Write Zeroes can deallocate."""
    nawun: int | None
    """Largest atomic write in operation, logical blocks minus one."""
    nawupf: int | None
    """Largest write atomic over a power failure, logical blocks minus one."""
    nacwu: int | None
    nabsn: int | None
    """Atomic boundary in operation, logical blocks minus one; 0: none."""
    nabo: int | None
    nabspf: int | None
    """Atomic boundary over a power failure, logical blocks minus one; 0: none."""
    noiob: int | None
    """Optimal I/O boundary in logical blocks; 0: not reported."""
    nvmcap_bytes: int | None
    npwg: int | None
    """Preferred write granularity, logical blocks minus one."""
    npwa: int | None
    npdg: int | None
    """Preferred deallocate granularity, logical blocks minus one."""
    npda: int | None
    nows: int | None
    nguid: str | None
    eui64: str | None
    lbaf: tuple[LbaFormat, ...]
    unread: tuple[str, ...] = ()

    @property
    def lba_format_in_use(self) -> LbaFormat | None:
        """The format marked as in use, else the one that flbas numbers."""
        index = None if self.flbas is None else _index_in_use(self.flbas)
        marked = [lbaf for lbaf in self.lbaf if lbaf.in_use]
        numbered = [lbaf for lbaf in self.lbaf if lbaf.in_use is None and lbaf.index == index]
        found = marked or numbered
        return found[0] if len(found) == 1 else None


def argv(device: str, *, since_3: bool = False) -> tuple[str, ...]:
    """Ask a namespace (/dev/nvme0n1); needs root.

    nvme-cli 3 may be built without the old command names.
    """
    command = ("id", "ns") if since_3 else ("id-ns",)
    return ("nvme", *command, device, "--output-format=json")


def parse(text: str) -> IdNs | Unknown:
    """Read JSON or text."""
    document = nvme_output.nvme_document(text)
    if isinstance(document, dict) and {"nsze", "flbas"} <= document.keys():
        return _record(
            lambda name: nvme_output.number(document.get(name), _BITS[name]),
            lambda name: _identifier(string(document, name)),
            [_format_from_json(position, entry) for position, entry in enumerate(items(document, "lbafs"))],
        )
    return _from_lines(text)


def _index_in_use(flbas: int) -> int:
    return flbas & 0xF | (flbas >> 5 & 3) << 4


def _identifier(value: str | None) -> str | None:
    """An NGUID or EUI-64; all zeroes means that there is none."""
    return (value or "").strip() if (value or "").strip(" 0") else None


def _format_from_json(position: int, entry: Json) -> LbaFormat:
    """A format as -o json has it or, in words, as -v -o json; before 2.x without its index and its use."""
    index = _first_given(entry, 8, "lbaf", "LBA Format")
    return LbaFormat(
        index=position if index is None else index,
        data_size_bytes=_block_bytes(
            exponent=nvme_output.number(member(entry, "ds"), 8), size=_leading_number(entry, "Data Size")
        ),
        metadata_size_bytes=_first_given(entry, 16, "ms", "Metadata Size"),
        relative_performance=_first_given(entry, 2, "rp", "Relative Performance"),
        in_use=_USED.get(str(member(entry, "in_use")), _USED.get(str(member(entry, "in use")))),
    )


def _first_given(entry: Json, bits: int, *names: str) -> int | None:
    given = (nvme_output.number(_leading_number(entry, name), bits) for name in names)
    return next((count for count in given if count is not None), None)


def _leading_number(entry: Json, name: str) -> int | None:
    """The number at a name, or the one that its words start with ('512 bytes', '0x2 Good')."""
    value = member(entry, name)
    if isinstance(value, str):
        return nvme_output.spelt_number(value.partition(" ")[0])
    return nvme_output.number(value)


def _block_bytes(*, exponent: int | None, size: int | None) -> int | None:
    if exponent is not None and _SMALLEST_EXPONENT <= exponent <= _LARGEST_EXPONENT:
        return 1 << exponent
    return size if size is not None and size >= 1 << _SMALLEST_EXPONENT else None


def _from_lines(text: str) -> IdNs | Unknown:
    formats: list[LbaFormat] = []
    other: list[str] = []
    lines, cut = nvme_output.ended_lines(text)
    for line in lines:
        match = _FORMAT.fullmatch(line.strip()) or _FORMAT_IN_WORDS.fullmatch(line.strip())
        if match:
            formats.append(_format_from_line(match.groupdict()))
        else:
            other.append(line)
    values, unread = nvme_output.labelled_lines(other, _BITS.keys() | _IDENTIFIERS)
    if not {"nsze", "flbas"} <= values.keys():
        return nvme_output.refused(text, "no Identify Namespace data")
    headings = _HEADING.findall(text)
    return _record(
        lambda name: nvme_output.number(nvme_output.spelt_number(values.get(name)), _BITS[name]),
        lambda name: _identifier(values.get(name)),
        formats,
        nsid=whole(headings[0]) if len(headings) == 1 else None,
        unread=unread + cut,
    )


def _format_from_line(field: dict[str, str | None]) -> LbaFormat:
    return LbaFormat(
        index=whole(field["index"]) or 0,
        data_size_bytes=_block_bytes(exponent=whole(field.get("exponent")), size=whole(field.get("size"))),
        metadata_size_bytes=whole(field["metadata"]),
        relative_performance=nvme_output.spelt_number(field["performance"]),
        in_use=field["used"] is not None,
    )


def _record(
    number: Callable[[str], int | None],
    identifier: Callable[[str], str | None],
    formats: list[LbaFormat],
    *,
    nsid: int | None = None,
    unread: list[str] | None = None,
) -> IdNs:
    identifiers: dict[str, str | None] = {name: identifier(name) for name in _IDENTIFIERS}
    return nvme_output.filled(
        IdNs, number, _BITS, nsid=nsid, lbaf=tuple(formats), unread=unread_pieces(unread or []), **identifiers
    )
