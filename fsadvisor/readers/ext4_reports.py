"""What is told of an ext2, ext3 or ext4: its superblock by `dumpe2fs -h`, and /proc's files of it and its journal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers import read_lines, refusal, size_bytes, whole
from fsadvisor.readers.mount_tables import unescape

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_LONGEST_KEY = 41


class Dumpe2fs(Struct, frozen=True, kw_only=True):
    """A superblock. The tool omits a stride, stripe width, error count or journal that is zero: None here."""

    label: str | None
    """The volume name; '' where the filesystem has none."""
    features: tuple[str, ...] | None
    """The kernel's names; FEATURE_C12 and the like are bits that the tool was too old to name."""
    inode_size_bytes: int | None
    block_size_bytes: int | None
    raid_stride_blocks: int | None
    raid_stripe_width_blocks: int | None
    error_count: int | None
    journal_size_bytes: int | None
    journal_device: str | None
    """The device number of an external journal, in hexadecimal."""


def dumpe2fs_argv(device: str) -> tuple[str, ...]:
    """The command that this reads."""
    return ("dumpe2fs", "-h", device)


def parse_dumpe2fs(text: str) -> Dumpe2fs | Unknown:
    """The superblock of an ext2, ext3 or ext4, as `dumpe2fs -h DEVICE` prints it (`tune2fs -l` prints the same).

    Written against e2fsprogs 1.47.0; reads 1.41 too. Needs root.

        Filesystem volume name:   <none>
        Filesystem features:      has_journal ext_attr dir_index extent 64bit metadata_csum
        Block size:               4096
        Total journal size:       64M

    https://man7.org/linux/man-pages/man8/dumpe2fs.8.html
    """
    fields = _fields(text)
    label = fields.get("Filesystem volume name")
    features = _words(fields.get("Filesystem features"))
    if features is None:
        return refusal(text, "no ext2, ext3 or ext4 superblock in the output")
    return Dumpe2fs(
        label="" if label == "<none>" else label,
        features=features,
        inode_size_bytes=whole(fields.get("Inode size")),
        block_size_bytes=whole(fields.get("Block size")),
        raid_stride_blocks=whole(fields.get("RAID stride")),
        raid_stripe_width_blocks=whole(fields.get("RAID stripe width")),
        error_count=whole(fields.get("FS Error count")),
        # e2fsprogs before 1.46 called it "Journal size"
        journal_size_bytes=size_bytes(fields.get("Total journal size", fields.get("Journal size"))),
        journal_device=fields.get("Journal device"),
    )


def _fields(text: str) -> dict[str, str]:
    """The listing by key.

    A volume name or a mount point can hold a newline and so forge a line: of a key that comes twice with
    different values neither is believed.
    """
    fields: dict[str, str] = {}
    doubtful: set[str] = set()
    for line in text.split("\n"):
        key, colon, value = line.partition(":")
        is_key = "A" <= key[:1] <= "Z" and 1 < len(key) <= _LONGEST_KEY
        if not (colon and is_key) or (value and not value[0].isspace()):
            continue
        value = value.strip()
        if fields.setdefault(key, value) != value:
            doubtful.add(key)
    return {key: value for key, value in fields.items() if key not in doubtful}


def _words(value: str | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    return () if value == "(none)" else tuple(value.split())


_OPTION = late(r"([A-Za-z0-9_.]+)(?:=(.*))?", re.DOTALL)


class Ext4Options(Struct, frozen=True, kw_only=True):
    """The options in force."""

    options: tuple[tuple[str, str | None], ...]
    """(name, value) in the kernel's order; a flag's value is None."""

    def has(self, name: str) -> bool:
        """Whether the option is listed, with a value or without."""
        return any(option == name for option, _ in self.options)

    def value(self, name: str) -> str | None:
        """The option's value; None for a flag and for what is not listed."""
        return next((value for option, value in self.options if option == name), None)


def parse_ext4_options(text: str) -> Ext4Options | Unknown:
    """/proc/fs/ext4/DEVICE/options: every option in force on a mounted ext4, the defaults too.

    Unknown where the first line is neither rw nor ro, or the end is cut off.

    Written against Linux 6.18. Flags come as their positive or negative name (`barrier` or `nobarrier`); a kernel
    that does not know an option prints neither. Sample:

        rw
        barrier
        commit=5
        data=ordered

    https://docs.kernel.org/admin-guide/ext4.html#proc-entries
    """
    if not text.endswith("\n"):
        return refusal(text, "options of ext4 without their end")
    if text.lstrip("\n").partition("\n")[0] not in ("rw", "ro"):
        return refusal(text, "no options of ext4")
    found, _ = read_lines(text, _OPTION.fullmatch)
    options = tuple((it[1], None if it[2] is None else unescape(it[2])) for it in found)
    return Ext4Options(options=options)


_FIRST = late(r"([0-9]{1,20}) transactions \(([0-9]{1,20}) requested\), each up to [0-9]{1,20} blocks")
_AVERAGE = late(r"([0-9]{1,20}) ?(\D.*)")


class Jbd2Journal(Struct, frozen=True, kw_only=True):
    """The journal's statistics; an average that is not printed is None."""

    transactions: int
    """Transactions committed since the mount."""
    requested: int
    """Those of them that somebody asked for and waited on (fsync, sync), not the timer."""
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


_AVERAGES = {
    "ms waiting for transaction": "waiting_ms",
    "ms request delay": "request_delay_ms",
    "ms running transaction": "running_ms",
    "ms transaction was being locked": "locked_ms",
    "ms flushing data (in ordered mode)": "flushing_ms",
    "ms logging transaction": "logging_ms",
    "us average transaction commit time": "average_commit_us",
}


def parse_jbd2_info(text: str) -> Jbd2Journal | Unknown:
    """/proc/fs/jbd2/DEVICE-8/info: how the journal of a mounted ext4 has been committing since it was mounted.

    Unknown where no line counts the transactions.

    Written against Linux 6.18. Averages are per transaction, that of the request delay per requested one; times are cut
    down to whole ticks (jiffies), which are 1, 3⅓, 4 or 10 ms by the kernel's HZ. Before the first commit only the
    first line is there. Sample:

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
    first = _FIRST.search(text)
    if first is None:
        return refusal(text, "no count of transactions")
    averages: dict[str, int | None] = dict.fromkeys(_AVERAGES.values())
    for line in map(str.strip, text[first.end() :].split("\n")):
        average = _AVERAGE.fullmatch(line)
        field = _AVERAGES.get(average[2]) if average else None
        if average and field:
            averages[field] = whole(average[1])
    return Jbd2Journal(
        transactions=int(first[1]),
        requested=int(first[2]),
        **averages,
    )
