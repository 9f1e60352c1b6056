"""What outputs of nvme-cli 1.x to 3.x have in common, and two short ones: a feature, and what an EBS volume waited.

In common are complaints, numbers, `name : value` lines, raw structures.

https://github.com/linux-nvme/nvme-cli/tree/master/Documentation
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Cause, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import json_text, refusal, whole
from fsadvisor.readers.json_text import Json, items, string

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

TOOL_TOO_OLD: Final = "install another nvme-cli: this one does not know the command"
DOES_NOT_ANSWER: Final = "ask another source: the device does not answer this command"

_LOOKED_AT = 2000
"""Signs at the beginning, and at the end: 3.0 prints five thousand of usage, then what was wrong."""
_UNSUPPORTED = late(
    r"invalid[ _](field|log[ _]page|(command )?opcode|namespace|ns\b|argument)|unknown guid|unable to read c0",
    re.IGNORECASE,
)
_TOO_OLD = late(r"unrecognized option|invalid sub-command", re.IGNORECASE)
_STATUS = late(r"failure reading the c0 log page, ret = ([0-9]{1,5})\b", re.IGNORECASE)
_REFUSALS: Final = (0x001, 0x002, 0x00B, 0x109)
"""NVMe's status codes: invalid opcode, field, namespace, log page."""
_STATUS_CODE: Final = 0x7FF
"""The bits of a status that say which it is; above them are `more` and `do not retry`."""
_DOCUMENT = late(r"^[ \t]*[{\[]", re.MULTILINE)
_NUMBER = late(
    r"(0x[0-9a-f]{1,32}|[0-9]{1,39}|[0-9]{1,3}(?:,[0-9]{3}){1,12})\s*(?:%|\(.*\))?", re.ASCII | re.IGNORECASE
)
_LABELLED = late(r"([A-Za-z][\w .\t]*):(?:\s(.*)|())", re.ASCII)


def refused(text: str, what: str) -> Unknown:
    """Why an output holds no record: `what` was not in it, or the tool's or the device's own complaint."""
    excerpt = f"{text[:_LOOKED_AT]}\n{text[-_LOOKED_AT:]}"
    if _TOO_OLD.search(excerpt):
        return Unknown(Cause.NOT_EXPOSED, TOOL_TOO_OLD)
    status = _STATUS.search(excerpt)
    if _UNSUPPORTED.search(excerpt) or (status and int(status[1]) & _STATUS_CODE in _REFUSALS):
        return Unknown(Cause.NOT_EXPOSED, DOES_NOT_ANSWER)
    return json_text.repeated_key(nvme_document(text)) or refusal(text, what)


def nvme_document(text: str) -> Json | Unknown:
    """The JSON document, which starts a line; warnings and a traced command before it are passed over."""
    start = _DOCUMENT.search(text)
    return json_text.load(text[start.start() :] if start else "")


def number(value: Json, bits: int = 128) -> int | None:
    """A count of so many bits in any of nvme-cli's spellings, or None.

    7, "7", "0x7"; 7.0 (2.2 and before), "3,200,631" (2.3), {"hi": 0, "lo": 7} (the OCP log); a negative
    number is one that 2.2 and before cut to 32 bits.
    """
    if isinstance(value, dict):
        high, low = _single_number(value.get("hi"), 64), _single_number(value.get("lo"), 64)
        return None if high is None or low is None else _single_number(high << 64 | low, bits)
    return _single_number(value, bits)


def _single_number(value: Json, bits: int) -> int | None:
    count: int | None = None
    if isinstance(value, str):
        count = spelt_number(value)
    elif isinstance(value, float):
        count = int(value) if value.is_integer() else None
    elif isinstance(value, int) and not isinstance(value, bool):
        count = value
    return count if count is not None and 0 <= count < 1 << bits else None


def spelt_number(text: str | None) -> int | None:
    """A number as text output has it: 7, 0x7, 1,024, '97%', '5305578 (2.72 TB)'."""
    match = _NUMBER.fullmatch((text or "").strip())
    if match is None:
        return None
    digits = match[1].lower()
    return whole(digits, 16) if digits.startswith("0x") else whole(digits.replace(",", ""))


def padded_string(value: str | None) -> str | None:
    """A device's fixed-length string without its padding; None where nothing but padding is there."""
    return (value or "").strip(" \0") or None


@lru_cache(maxsize=512)
def label(name: str) -> str:
    """A field's name as one token, whichever version printed it: 'Unaligned I/O' is 'unaligned_io'."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower().replace("i/o", "io")).strip("_")


def ended_lines(text: str) -> list[str]:
    """The lines with something on them; what comes after the last line end is cut short, so not to be believed."""
    return [line for line in text.split("\n")[:-1] if line.strip()]


def labelled_lines(lines: Iterable[str], wanted: Collection[str]) -> dict[str, str]:
    """The wanted `name : value` lines by label.

    A name that comes twice with different values (two outputs in one) has no value.
    """
    values: dict[str, str] = {}
    contradicted: set[str] = set()
    for line in lines:
        match = _LABELLED.fullmatch(line.strip())
        name = label(match[1]) if match else ""
        if match and name in wanted:
            value = (match[2] or "").strip()
            if values.setdefault(name, value) != value:
                contradicted.add(name)
    return {name: value for name, value in values.items() if name not in contradicted}


def raw_structure(text: str) -> bytes | None:
    """The bytes of an output that is not text (it has NUL bytes), or None."""
    if "\0" not in text:
        return None
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None


def unsigned(structure: bytes, offset: int, size: int) -> int:
    """A little-endian number in a raw structure."""
    return int.from_bytes(structure[offset : offset + size], "little")


def structure_string(structure: bytes, offset: int, size: int) -> str | None:
    """A text of fixed length in a raw structure, without its padding."""
    content = structure[offset : offset + size].split(b"\0")[0]
    return padded_string(content.decode("utf-8", "surrogateescape"))


VOLATILE_WRITE_CACHE = 6

_LINE = late(
    r"get-feature:\s{0,4}(?:0x)?(?P<fid>[0-9a-f]{1,2})\b[^,\n]{0,80},\s{0,4}"
    r"(?P<select>current|default|saved|supported capabilities)?\s{0,4}value\s{0,4}:\s{0,4}"
    r"(?:0x)?(?P<value>[0-9a-f]{1,8})\s{0,4}\n",
    re.ASCII | re.IGNORECASE,
)
_JSON_KEY = late(r"feature: (0x[0-9a-f]{1,2})", re.ASCII | re.IGNORECASE)
_SELECTS = ("current", "default", "saved", "supported capabilities")


class Feature(Struct, frozen=True, kw_only=True):
    """One feature's value."""

    fid: int
    """Feature identifier; 6 is the volatile write cache."""
    select: str
    """Which value: 'current', 'default', 'saved' or 'supported capabilities'."""
    value: int
    """Completion dword 0; of the volatile write cache, bit 0 says whether it is on."""

    @property
    def volatile_write_cache_enabled(self) -> bool | None:
        """Whether the volatile write cache is on now; None for another feature or another select."""
        if self.fid != VOLATILE_WRITE_CACHE or self.select != "current":
            return None
        return bool(self.value & 1)


def get_feature_argv(device: str) -> tuple[str, ...]:
    """Ask a controller (/dev/nvme0); needs root. Text, which every version prints."""
    return ("nvme", "get-feature", device, "--feature-id=6")


def parse_nvme_get_feature(text: str) -> Feature | Unknown:
    """Whether an NVMe drive's volatile write cache is on: `nvme get-feature DEVICE --feature-id=6`.

    Written against nvme-cli 1.8 to 3.1: text in its spellings, -H, and JSON (only some versions after 2.3 take -o
    json).

        get-feature:0x06 (Volatile Write Cache), Current value:0x00000001

    A drive without a volatile write cache answers INVALID_FIELD. NVM Express Base Specification, Volatile Write Cache
    feature; https://nvmexpress.org/specifications/
    """
    found = [_from_line(match) for match in _LINE.finditer(text)] or _from_json(nvme_document(text))
    if len(set(found)) == 1:
        return found[0]
    return refused(text, "several features" if found else "no feature value")


def _from_line(match: re.Match[str]) -> Feature:
    return Feature(
        fid=int(match["fid"], 16),
        select=(match["select"] or "current").lower(),
        value=int(match["value"], 16),
    )


def _from_json(document: Json | Unknown) -> list[Feature]:
    """The layouts of 2.4 and later: feature, name and value side by side, or below a 'feature: 0x06' key."""
    if not isinstance(document, dict):
        return []
    found = _from_object(string(document, "feature"), document)
    for key in document:
        match = _JSON_KEY.fullmatch(key)
        for entry in items(document, key) if match else []:
            found += _from_object(match[1] if match else None, entry)
    return found


def _from_object(identifier: str | None, entry: Json) -> list[Feature]:
    if not isinstance(entry, dict):
        return []
    named = VOLATILE_WRITE_CACHE if entry.get("name") == "Volatile Write Cache" else None
    fid = whole(identifier, 16) if identifier else named
    return [
        Feature(fid=fid, select=key.lower(), value=value)
        for key in entry
        if fid is not None
        and key.lower() in _SELECTS
        and (value := number(whole(string(entry, key), 16), 32)) is not None
    ]


_EXCEEDED = late(
    r"^(?P<whose>EBS Volume|EC2 Instance EBS) Performance Exceeded \(us\):\n"
    r" {1,8}IOPS: (?P<iops>[0-9]{1,20})\n {1,8}Throughput: (?P<throughput>[0-9]{1,20})$",
    re.MULTILINE,
)


class AmznStats(Struct, frozen=True, kw_only=True):
    """Microseconds since the volume was attached in which more was asked than allowed."""

    volume_iops_us: int
    volume_throughput_us: int
    instance_iops_us: int
    instance_throughput_us: int


def amzn_stats_argv(device: str) -> tuple[str, ...]:
    """Ask a volume (/dev/nvme1n1); needs root."""
    return ("nvme", "amzn", "stats", device)


def parse_nvme_amzn_stats(text: str) -> AmznStats | Unknown:
    """How long an EBS volume asked for more than it may have: `nvme amzn stats DEVICE`.

    Written against nvme-cli 2.11 to 3.1, whose amzn plug-in reads vendor log page D0h of volumes on Nitro instances.
    The counters begin when the volume is attached. Instance store has a log of its own, without the volume's part.

        EBS Volume Performance Exceeded (us):
          IOPS: 81234567
          Throughput: 0

        EC2 Instance EBS Performance Exceeded (us):
          IOPS: 0
          Throughput: 0

    https://docs.aws.amazon.com/ebs/latest/userguide/nvme-detailed-performance-stats.html
    """
    sections = {section["whose"]: section for section in _EXCEEDED.finditer(text)}
    counts = [
        whole(sections[whose][what]) if whose in sections else None
        for whose in ("EBS Volume", "EC2 Instance EBS")
        for what in ("iops", "throughput")
    ]
    known = [count for count in counts if count is not None]
    if len(known) != len(counts):
        return refusal(text, "the output is not that of `nvme amzn stats`")
    return AmznStats(
        volume_iops_us=known[0],
        volume_throughput_us=known[1],
        instance_iops_us=known[2],
        instance_throughput_us=known[3],
    )
