"""Volumes of Marvell's RAID controllers (Dell BOSS-S1 and S2, Lenovo M.2 mirrors): `mvcli info -o vd`.

Written against mvcli 4.1 and 5.0. Lines of `key: value`; a volume begins with its id. Sample, cut:

    Virtual Disk Information
    -------------------------
    id:                  0
    status:              functional
    RAID mode:           RAID1
    Cache mode:          Not Support
    BGA status:          not running
    PD RAID setup:       0 1
    VD status:           optimal

https://www.dell.com/support/manuals/en-us/boss-s-1/boss_s1_ug/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers.parsing import refusal, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

ARGV: Final = ("mvcli", "info", "-o", "vd")

_LINE: Final = late(r"[ \t]*([A-Za-z#][\w #./-]{0,40}?)[ \t]*:[ \t]*(.*)")
_NONE: Final = late(r"Total # of VD: *0\b")


class Volume(Struct, frozen=True, kw_only=True):
    """A virtual disk."""

    id: int
    status: str | None
    """functional, degraded, offline, …"""
    state: str | None
    """The same by newer ones: optimal, degraded, …"""
    activity: str | None
    """What runs in the background: 'rebuild', …"""
    running: bool
    cache_mode: str | None
    """'Not Support' where the controller has no cache."""
    members: tuple[int, ...]


class Mvcli(Struct, frozen=True, kw_only=True):
    """All volumes of the controller."""

    volumes: tuple[Volume, ...] = ()


def parse(text: str) -> Mvcli | Unknown:
    """Read the listing; a text without a volume that does not say that there is none is something else."""
    blocks: list[dict[str, str]] = []
    for line in text.splitlines():
        found = _LINE.fullmatch(line[:400].rstrip())
        if found is None:
            continue
        if found[1].lower() == "id":
            blocks.append({})
        if blocks:
            blocks[-1].setdefault(found[1].lower(), found[2].strip())
    volumes = tuple(volume for block in blocks if (volume := _volume(block)) is not None)
    if not volumes and not _NONE.search(text):
        return refusal(text, "no volume of mvcli")
    return Mvcli(volumes=volumes)


def _volume(words: dict[str, str]) -> Volume | None:
    number = whole(words.get("id"))
    if number is None or "raid mode" not in words:
        return None
    members = (whole(it) for it in words.get("pd raid setup", "").split())
    return Volume(
        id=number,
        status=words.get("status", "").lower() or None,
        state=words.get("vd status", "").lower() or None,
        activity=words.get("bga type", words.get("background activity", "")).lower() or None,
        running=words.get("bga status", "").lower() == "running",
        cache_mode=words.get("cache mode") or None,
        members=tuple(it for it in members if it is not None),
    )
