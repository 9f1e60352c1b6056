"""The striping of an array or a volume that a filesystem stands on: md, LVM's stripes and RAID.

Documentation: https://docs.kernel.org/admin-guide/md.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers.dm_target import Raid, Striped
from fsadvisor.survey import look

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.dmsetup import Target
    from fsadvisor.survey.block import BlockDevice, BlockTree
    from fsadvisor.survey.stack import Stack

_STRIPED = frozenset(("raid0", "raid4", "raid5", "raid6", "raid10"))
_TABLE = "dmsetup table"
_NO_STRIPES = Known(0, "the stack in /sys/block")
_NOT_FOLLOWED = Unknown(Cause.NOT_EXPOSED, "", "the stack can't be followed to one array from here")
_NO_TABLE = Unknown(Cause.NOT_EXPOSED, "", f"{_TABLE}, which does not tell of the device below")
_NEVER_STRIPED = ("CRYPT-", "mpath-", "part")
"""What the UUIDs of mapped devices start with that have one place for each block."""


class Stripe(NamedTuple):
    """Bytes on one disk before the next one's turn, and on all data disks together; 0 where nothing is striped."""

    chunk_bytes: Fact[int]
    width_bytes: Fact[int]


def stripe(
    machine: Machine,
    tree: BlockTree,
    stack: Stack,
    tables: Mapping[str, tuple[Target, ...]] | Unknown,
    filesystem: str,
) -> Stripe:
    """The one array or striped volume below; of several, or below another filesystem's file, nothing can be said."""
    under = stack.under(filesystem)
    names = [at.partition(":")[2] for at in under if at.startswith("layer:")]
    layers = [tree.devices[name] for name in names if name in tree.devices]
    found = [one for one in (_of_layer(machine, it, tables) for it in layers) if one is not None]
    if not found and stack.followed(filesystem):
        return Stripe(_NO_STRIPES, _NO_STRIPES)
    not_told = next(
        (it.chunk_bytes for it in found if isinstance(it.chunk_bytes, Unknown) and it.chunk_bytes.learn), None
    )
    if not_told is not None:
        return Stripe(not_told, not_told)
    if len(found) != 1 or any(at.startswith("filesystem:") for at in under):
        return Stripe(_NOT_FOLLOWED, _NOT_FOLLOWED)
    return found[0]


def _of_layer(
    machine: Machine, device: BlockDevice, tables: Mapping[str, tuple[Target, ...]] | Unknown
) -> Stripe | None:
    """The striping of an array or a volume; None of what has no part in it."""
    if "md" in device.holds:
        return _of_array(machine, device.folder)
    if "dm" not in device.holds:
        return None
    if isinstance(tables, Unknown):
        uuid = look.value(look.text(machine, f"{device.folder}/dm/uuid")) or ""
        return None if uuid.startswith(_NEVER_STRIPED) else Stripe(tables, tables)
    targets = tables.get(look.value(look.text(machine, f"{device.folder}/dm/name")) or "")
    return _of_volume(machine, device.folder, targets) if targets else Stripe(_NO_TABLE, _NO_TABLE)


def _of_volume(machine: Machine, folder: str, targets: tuple[Target, ...]) -> Stripe | None:
    """One way of striping from the first block to the last."""
    striped = {(it.detail.chunk_bytes, len(it.legs or ())) for it in targets if isinstance(it.detail, Striped)}
    raids = [it for it in targets if isinstance(it.detail, Raid)]
    if not striped and not raids:
        return None
    if len(striped) == 1 and all(isinstance(it.detail, Striped) for it in targets):
        chunk, number = striped.pop()
        return Stripe(Known(chunk, _TABLE), Known(chunk * number, _TABLE))
    if len(targets) == 1 and isinstance(raids[0].detail, Raid):
        level = raids[0].detail.level.partition("_")[0]
        size: Fact[int] = Known(raids[0].detail.chunk_bytes if level in _STRIPED else 0, _TABLE)
        return Stripe(size, _width(machine, folder, size, len(raids[0].legs or ())) if level in _STRIPED else size)
    return Stripe(_NOT_FOLLOWED, _NOT_FOLLOWED)


def _of_array(machine: Machine, folder: str) -> Stripe:
    level = look.text(machine, f"{folder}/md/level")
    if isinstance(level, Unknown):
        return Stripe(level, level)
    if level.value not in _STRIPED:
        return Stripe(Known(0, level.source), Known(0, level.source))
    chunk = look.number(machine, f"{folder}/md/chunk_size")
    disks = look.number(machine, f"{folder}/md/raid_disks")
    return Stripe(chunk, disks if isinstance(disks, Unknown) else _width(machine, folder, chunk, disks.value))


def _width(machine: Machine, folder: str, chunk: Fact[int], disks: int) -> Fact[int]:
    """What md tells its queue, where it is chunks of at most as many disks as there are.

    A member's own optimal_io_size may have been mixed into it.
    """
    width = look.number(machine, f"{folder}/queue/optimal_io_size")
    if isinstance(chunk, Unknown):
        return chunk
    if isinstance(width, Unknown):
        return width
    sound = chunk.value > 0 and width.value % chunk.value == 0 and 0 < width.value // chunk.value <= disks
    return width if sound else Unknown(Cause.NOT_EXPOSED, "", width.source)
