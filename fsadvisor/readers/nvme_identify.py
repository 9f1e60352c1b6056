"""Identity and abilities of an NVMe controller, and size, block formats and atomicity of a namespace.

Since 3.0 nvme-cli may be built without the old names of its commands.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.facts import Unknown, unreadable
from fsadvisor.patterns import late
from fsadvisor.readers import nvme_output, whole
from fsadvisor.readers.json_text import Json, items, member, string

if TYPE_CHECKING:
    from collections.abc import Callable

_STRUCTURE_BYTES = 4096
_NUMBERS = {"wctemp": (266, 2), "vwc": (525, 1)}
_STRINGS = {"sn": (4, 20), "mn": (24, 40)}
"""Field: offset and size in the structure."""


class IdCtrl(Struct, frozen=True, kw_only=True):
    """One controller; the specification's names."""

    sn: str | None
    """Serial number, without padding."""
    mn: str | None
    """Model number, without padding."""
    wctemp_kelvin: int | None
    """Temperature that draws a warning; 0: not reported."""
    vwc: int | None
    """Bit 0 volatile write cache present; bits 2:1 whether Flush takes all namespaces at once."""

    @property
    def volatile_write_cache(self) -> bool | None:
        """Whether acknowledged writes may sit in memory that a power loss empties (vwc bit 0, nothing else)."""
        return None if self.vwc is None else bool(self.vwc & 1)


def id_ctrl_argv(device: str, *, since_3: bool = False) -> tuple[str, ...]:
    """Ask a controller (/dev/nvme0) or a namespace's controller (/dev/nvme0n1); needs root."""
    command = ("id", "ctrl") if since_3 else ("id-ctrl",)
    return ("nvme", *command, device, "--output-format=json")


def parse_nvme_id_ctrl(text: str) -> IdCtrl | Unknown:
    """A controller's identity and abilities: `nvme id-ctrl DEVICE` (`nvme id ctrl` since 3.0).

    Written against nvme-cli 1.8 to 3.1: JSON, text (with and without -H), the 4096 bytes of --raw-binary; told apart.

        NVME Identify Controller:
        vid       : 0x144d
        mn        : SAMSUNG MZQL2960HCJR-00A07
        vwc       : 0x6
          [2:1] : 0x3   The Flush command supports NSID set to FFFFFFFFh
          [0:0] : 0     Volatile Write Cache Not Present

    NVM Express Base Specification, Identify Controller data structure; https://nvmexpress.org/specifications/
    """
    structure = nvme_output.raw_structure(text)
    if structure is not None:
        return _from_structure(structure)
    document = nvme_output.nvme_document(text)
    if isinstance(document, dict) and {"vid", "mn"} <= document.keys():
        return _controller(
            lambda name: nvme_output.number(document.get(name), 8 * _NUMBERS[name][1]),
            lambda name: nvme_output.padded_string(string(document, name)),
        )
    return _controller_from_lines(text)


def _from_structure(structure: bytes) -> IdCtrl | Unknown:
    model = structure[24:64].rstrip(b" \0")
    if len(structure) != _STRUCTURE_BYTES:
        return unreadable(f"{len(structure)} bytes where the Identify Controller structure has 4096")
    if not model or not model.isascii() or b"\0" in model:
        return unreadable("no model number where the Identify Controller structure has it")
    return _controller(
        lambda name: nvme_output.unsigned(structure, *_NUMBERS[name]),
        lambda name: nvme_output.structure_string(structure, *_STRINGS[name]),
    )


def _controller_from_lines(text: str) -> IdCtrl | Unknown:
    values = nvme_output.labelled_lines(nvme_output.ended_lines(text), {"vid", *_NUMBERS, *_STRINGS})
    if not {"vid", "mn"} <= values.keys():
        return nvme_output.refused(text, "no Identify Controller data")
    return _controller(
        lambda name: nvme_output.number(nvme_output.spelt_number(values.get(name)), 8 * _NUMBERS[name][1]),
        lambda name: nvme_output.padded_string(values.get(name)),
    )


def _controller(number: Callable[[str], int | None], text: Callable[[str], str | None]) -> IdCtrl:
    return IdCtrl(
        sn=text("sn"),
        mn=text("mn"),
        wctemp_kelvin=number("wctemp"),
        vwc=number("vwc"),
    )


_SIZE_BITS, _FORMAT_BITS = 64, 8
"""Of the fields nsze and flbas."""
_SMALLEST_EXPONENT, _LARGEST_EXPONENT = 9, 31
"""Of a logical block; below, the format is not available."""
_USED = {"1": True, "yes": True, "0": False, "no": False}
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

    nsze: int | None
    """Size in logical blocks."""
    flbas: int | None
    """Block format in use: bits 3:0 and, above them, bits 6:5."""
    lbaf: tuple[LbaFormat, ...]

    @property
    def lba_format_in_use(self) -> LbaFormat | None:
        """The format marked as in use, else the one that flbas numbers."""
        index = None if self.flbas is None else self.flbas & 0xF | (self.flbas >> 5 & 3) << 4
        marked = [lbaf for lbaf in self.lbaf if lbaf.in_use]
        numbered = [lbaf for lbaf in self.lbaf if lbaf.in_use is None and lbaf.index == index]
        found = marked or numbered
        return found[0] if len(found) == 1 else None


def id_ns_argv(device: str, *, since_3: bool = False) -> tuple[str, ...]:
    """Ask a namespace (/dev/nvme0n1); needs root."""
    command = ("id", "ns") if since_3 else ("id-ns",)
    return ("nvme", *command, device, "--output-format=json")


def parse_nvme_id_ns(text: str) -> IdNs | Unknown:
    """A namespace's size, block formats and atomicity: `nvme id-ns DEVICE` (`nvme id ns` since 3.0).

    Written against nvme-cli 1.8 to 3.1: JSON (plain and verbose) and text (with and without -H).

        NVME Identify Namespace 1:
        nsze    : 0x1bf1f72b0
        nsfeat  : 0
        flbas   : 0
        lbaf  0 : ms:0   lbads:9  rp:0x2 (in use)
        lbaf  1 : ms:0   lbads:12 rp:0

    NVM Command Set Specification, Identify Namespace data structure; https://nvmexpress.org/specifications/
    """
    document = nvme_output.nvme_document(text)
    if isinstance(document, dict) and {"nsze", "flbas"} <= document.keys():
        return IdNs(
            nsze=nvme_output.number(document.get("nsze"), _SIZE_BITS),
            flbas=nvme_output.number(document.get("flbas"), _FORMAT_BITS),
            lbaf=tuple(_format_from_json(position, entry) for position, entry in enumerate(items(document, "lbafs"))),
        )
    return _namespace_from_lines(text)


def _format_from_json(position: int, entry: Json) -> LbaFormat:
    """A format as -o json has it or, in words, as -v -o json; before 2.x without its index and its use."""
    index = _first_given(entry, 8, "lbaf", "LBA Format")
    return LbaFormat(
        index=position if index is None else index,
        data_size_bytes=_block_bytes(
            exponent=nvme_output.number(member(entry, "ds"), 8), size=_first_given(entry, 128, "Data Size")
        ),
        metadata_size_bytes=_first_given(entry, 16, "ms", "Metadata Size"),
        relative_performance=_first_given(entry, 2, "rp", "Relative Performance"),
        in_use=_USED.get(str(member(entry, "in_use")), _USED.get(str(member(entry, "in use")))),
    )


def _first_given(entry: Json, bits: int, *names: str) -> int | None:
    """The number at the first of these names that has one; words may follow it ('512 bytes', '0x2 Good')."""
    values = (member(entry, name) for name in names)
    given = (nvme_output.number(it.partition(" ")[0] if isinstance(it, str) else it, bits) for it in values)
    return next((count for count in given if count is not None), None)


def _block_bytes(*, exponent: int | None, size: int | None) -> int | None:
    if exponent is not None and _SMALLEST_EXPONENT <= exponent <= _LARGEST_EXPONENT:
        return 1 << exponent
    return size if size is not None and size >= 1 << _SMALLEST_EXPONENT else None


def _namespace_from_lines(text: str) -> IdNs | Unknown:
    formats: list[LbaFormat] = []
    other: list[str] = []
    for line in nvme_output.ended_lines(text):
        match = _FORMAT.fullmatch(line.strip()) or _FORMAT_IN_WORDS.fullmatch(line.strip())
        if match:
            formats.append(_format_from_line(match.groupdict()))
        else:
            other.append(line)
    values = nvme_output.labelled_lines(other, {"nsze", "flbas"})
    if not {"nsze", "flbas"} <= values.keys():
        return nvme_output.refused(text, "no Identify Namespace data")
    return IdNs(
        nsze=nvme_output.number(nvme_output.spelt_number(values["nsze"]), _SIZE_BITS),
        flbas=nvme_output.number(nvme_output.spelt_number(values["flbas"]), _FORMAT_BITS),
        lbaf=tuple(formats),
    )


def _format_from_line(field: dict[str, str | None]) -> LbaFormat:
    return LbaFormat(
        index=whole(field["index"]) or 0,
        data_size_bytes=_block_bytes(exponent=whole(field.get("exponent")), size=whole(field.get("size"))),
        metadata_size_bytes=whole(field["metadata"]),
        relative_performance=nvme_output.spelt_number(field["performance"]),
        in_use=field["used"] is not None,
    )
