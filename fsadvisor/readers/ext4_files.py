"""What /proc tells of an ext4 and its journal.

parse_ext4_options: /proc/fs/ext4/DEVICE/options: every option in force on a mounted ext4, the defaults too.

Written against Linux 6.18. Flags come as their positive or negative name (`barrier` or `nobarrier`); a kernel
that does not know an option prints neither. Sample:

    rw
    barrier
    commit=5
    data=ordered

https://docs.kernel.org/admin-guide/ext4.html#proc-entries

parse_jbd2_info:
/proc/fs/jbd2/DEVICE-8/info: how the journal of a mounted ext4 has been committing since it was mounted.

Written against Linux 6.18. Averages are per transaction, that of the request delay per requested one; times are cut
down to whole ticks (jiffies), which are 1, 3⅓, 4 or 10 ms by the kernel's HZ. Before the first commit only the first
line is there. Sample:

    1204 transactions (1187 requested), each up to 8192 blocks
    average:
      0ms waiting for transaction
      0ms request delay
      240ms running transaction
      0ms transaction was being locked
      0ms flushing data (in ordered mode)
      4ms logging transaction
      4300us average transaction commit time
      21 handles per transaction
      9 blocks per transaction
      10 logged blocks per transaction

https://docs.kernel.org/filesystems/ext4/journal.html
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers.mount_tables import unescape
from fsadvisor.readers.parsing import refusal, unread_pieces, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_OPTION = late(r"([A-Za-z0-9_.]+)(?:=(.*))?", re.DOTALL)


class Ext4Options(Struct, frozen=True, kw_only=True):
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


def parse_ext4_options(text: str) -> Ext4Options | Unknown:
    """The options, or Unknown where the first line is neither rw nor ro, or the end is cut off."""
    if not text.endswith("\n"):
        return refusal(text, "options of ext4 without their end")
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


_FIRST = late(r"([0-9]{1,20}) transactions \(([0-9]{1,20}) requested\), each up to ([0-9]{1,20}) blocks")
_AVERAGE = late(r"([0-9]{1,20}) ?(\D.*)")


class Jbd2Journal(Struct, frozen=True, kw_only=True):
    """The journal's statistics; an average that is not printed is None."""

    transactions: int
    """Transactions committed since the mount."""
    requested: int
    """Those of them that somebody asked for and waited on (fsync, sync), not the timer."""
    max_transaction_blocks: int
    """The largest transaction that the journal's size allows, in filesystem blocks."""
    waiting_ms: int | None
    """A handle's wait for a transaction to join."""
    request_delay_ms: int | None
    """From the request for a commit to its start."""
    running_ms: int | None
    """A transaction taking handles."""
    locked_ms: int | None
    """A transaction waiting for its last handles to end."""
    flushing_ms: int | None
    """Writing the files' data before the commit (data=ordered)."""
    logging_ms: int | None
    """Writing the journal."""
    average_commit_us: int | None
    """The running mean of the commit time, recent commits weighing more."""
    handles_per_transaction: int | None
    """Operations that a transaction gathered."""
    blocks_per_transaction: int | None
    """Metadata blocks that a transaction changed."""
    logged_blocks_per_transaction: int | None
    """Blocks that a transaction wrote to the journal, descriptors included."""
    unread: tuple[str, ...] = ()
    """Lines that are no statistic."""


_AVERAGES = {
    "ms waiting for transaction": "waiting_ms",
    "ms request delay": "request_delay_ms",
    "ms running transaction": "running_ms",
    "ms transaction was being locked": "locked_ms",
    "ms flushing data (in ordered mode)": "flushing_ms",
    "ms logging transaction": "logging_ms",
    "us average transaction commit time": "average_commit_us",
    "handles per transaction": "handles_per_transaction",
    "blocks per transaction": "blocks_per_transaction",
    "logged blocks per transaction": "logged_blocks_per_transaction",
}


def parse_jbd2_info(text: str) -> Jbd2Journal | Unknown:
    """The statistics, or Unknown where no line counts the transactions."""
    first = _FIRST.search(text)
    if first is None:
        return refusal(text, "no count of transactions")
    averages: dict[str, int | None] = dict.fromkeys(_AVERAGES.values())
    unread: list[str] = []
    for line in map(str.strip, text[first.end() :].split("\n")):
        average = _AVERAGE.fullmatch(line)
        field = _AVERAGES.get(average[2]) if average else None
        if average and field:
            averages[field] = whole(average[1])
        elif line and line != "average:":
            unread.append(line)
    return Jbd2Journal(
        transactions=int(first[1]),
        requested=int(first[2]),
        max_transaction_blocks=int(first[3]),
        **averages,
        unread=unread_pieces(unread),
    )
