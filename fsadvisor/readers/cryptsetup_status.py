"""An open encrypted device, as `cryptsetup status NAME` prints it. Needs root.

Written against cryptsetup 2.6; reads 1.x, and the bracketed units of later versions. Holds no key.

    /dev/mapper/cr_data is active and is in use.
      type:    LUKS2
      cipher:  aes-xts-plain64
      keysize: 512 bits
      key location: keyring
      device:  /dev/nvme0n1p3
      sector size:  512
      offset:  32768 sectors
      size:    61766752 sectors
      mode:    read/write
      flags:   discards no_read_workqueue no_write_workqueue

https://man7.org/linux/man-pages/man8/cryptsetup-status.8.html
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.readers.parsing import refusal, unread_pieces, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown
    from fsadvisor.machine.port import Argv

_HEAD = re.compile(r"(.*) is (active and is in use|active|inactive)\.")
_LINE = re.compile(r"\s+([a-zA-Z][a-zA-Z ]*):(.*)")
_SECTOR_BYTES = 512


class CryptsetupStatus(Struct, frozen=True, kw_only=True):
    """One device-mapper device."""

    path: str
    active: bool
    in_use: bool
    type: str | None
    """'LUKS1', 'LUKS2', 'PLAIN', 'BITLK', 'VERITY', 'INTEGRITY', …"""
    cipher: str | None
    """As dm-crypt names it: 'aes-xts-plain64'."""
    key_bits: int | None
    key_location: str | None
    """'keyring' or 'dm-crypt'."""
    device: str | None
    loop: str | None
    """The file behind `device` where that is a loop device."""
    sector_size_bytes: int | None
    """The unit of encryption."""
    offset_bytes: int | None
    """Where the ciphertext starts on `device`."""
    size_bytes: int | None
    read_only: bool | None
    flags: tuple[str, ...] | None
    """() where the tool printed all and no flags; None where the output ends early."""
    unread: tuple[str, ...] = ()


def argv(name: str) -> Argv:
    """The command that this reads."""
    return ("cryptsetup", "status", name)


def parse(text: str) -> CryptsetupStatus | Unknown:
    """Read the head line and the fields below it."""
    lines = text.split("\n")
    heads = [(at, head) for at, line in enumerate(lines) if (head := _HEAD.fullmatch(line))]
    if not heads:
        return refusal(text, "no status of an encrypted device in the output")
    at, head = heads[0]
    fields, unread = _fields(lines[at + 1 :])
    mode = fields.get("mode")
    return CryptsetupStatus(
        path=head[1],
        active=head[2] != "inactive",
        in_use=head[2] == "active and is in use",
        type=fields.get("type"),
        cipher=fields.get("cipher"),
        key_bits=_first_number(fields.get("keysize")),
        key_location=fields.get("key location"),
        device=fields.get("device"),
        loop=fields.get("loop"),
        sector_size_bytes=_first_number(fields.get("sector size")),
        offset_bytes=_sectors(fields.get("offset")),
        size_bytes=_sectors(fields.get("size")),
        read_only={"readonly": True, "read/write": False}.get((mode or "").split(" ")[0]),
        flags=_flags(fields),
        unread=unread_pieces(unread),
    )


def _fields(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    fields: dict[str, str] = {}
    unread = []
    for line in lines:
        if pair := _LINE.fullmatch(line):
            fields.setdefault(pair[1].strip(), pair[2].strip())
        elif line.strip():
            unread.append(line)
    return fields, unread


def _flags(fields: dict[str, str]) -> tuple[str, ...] | None:
    """The flags; the tool prints their line last, and only where there are some."""
    if "flags" in fields:
        return tuple(fields["flags"].split())
    return () if "mode" in fields else None


def _first_number(value: str | None) -> int | None:
    return whole((value or "").split(" ")[0])


def _sectors(value: str | None) -> int | None:
    number = _first_number(value)
    return None if number is None else number * _SECTOR_BYTES
