r"""/proc/fs/ext4/DEVICE/options: every option in force on a mounted ext4, the defaults too.

Written against Linux 6.18. Flags come as their positive or negative name (`barrier` or `nobarrier`); a kernel
that does not know an option prints neither. Sample:

    rw
    barrier
    commit=5
    data=ordered

https://docs.kernel.org/admin-guide/ext4.html#proc-entries
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.mount_fields import unescape
from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_OPTION = re.compile(r"([A-Za-z0-9_.]+)(?:=(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ext4Options:
    """The options in force."""

    options: tuple[tuple[str, str | None], ...]
    """(name, value) in the kernel's order; a flag's value is None."""
    unread: tuple[str, ...] = ()
    """Lines that are no option."""

    def has(self, name: str) -> bool:
        """Whether the option is listed, with a value or without."""
        return any(option == name for option, _ in self.options)

    def value(self, name: str) -> str | None:
        """The option's value; None for a flag and for what is not listed."""
        return next((value for option, value in self.options if option == name), None)


def parse(text: str) -> Ext4Options | Unknown:
    """The options, or Unknown where the first line is neither rw nor ro."""
    lines = [line for line in text.split("\n") if line]
    if not lines or lines[0] not in ("rw", "ro"):
        return refusal(text, "no options of ext4")
    options: list[tuple[str, str | None]] = []
    unread: list[str] = []
    for line in lines:
        option = _OPTION.fullmatch(line)
        if option is None:
            unread.append(line)
        else:
            options.append((option[1], None if option[2] is None else unescape(option[2])))
    return Ext4Options(options=tuple(options), unread=unread_pieces(unread))
