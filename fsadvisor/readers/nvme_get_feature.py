"""Whether an NVMe drive's volatile write cache is on: `nvme get-feature DEVICE --feature-id=6`.

Written against nvme-cli 1.8 to 3.1: text in its spellings, -H, and JSON (only some versions after 2.3 take -o json).

    get-feature:0x06 (Volatile Write Cache), Current value:0x00000001

A drive without a volatile write cache answers INVALID_FIELD. NVM Express Base Specification, Volatile Write Cache
feature; https://nvmexpress.org/specifications/
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers import nvme_output
from fsadvisor.readers.json_text import Json, items, string
from fsadvisor.readers.parsing import whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

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


def argv(device: str) -> tuple[str, ...]:
    """Ask a controller (/dev/nvme0); needs root. Text, which every version prints."""
    return ("nvme", "get-feature", device, "--feature-id=6")


def parse(text: str) -> Feature | Unknown:
    """Read text or JSON."""
    found = [_from_line(match) for match in _LINE.finditer(text)] or _from_json(nvme_output.document(text))
    if len(set(found)) == 1:
        return found[0]
    return nvme_output.refused(text, "several features" if found else "no feature value")


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
        and (value := nvme_output.number(whole(string(entry, key), 16), 32)) is not None
    ]
