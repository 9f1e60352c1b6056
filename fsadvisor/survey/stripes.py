"""The striping of an md array that a filesystem stands on.

Documentation: https://docs.kernel.org/admin-guide/md.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.survey import look

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.survey.block import BlockTree
    from fsadvisor.survey.stack import Stack

_STRIPED = frozenset(("raid0", "raid4", "raid5", "raid6", "raid10"))
_NO_STRIPES = Known(0, "the stack in /sys/block")
_NOT_FOLLOWED = Unknown(Cause.NOT_EXPOSED, "", "the stack can't be followed to one md array from here")


class Stripe(NamedTuple):
    """Bytes on one disk before the next one's turn, and on all data disks together; 0 where nothing is striped."""

    chunk_bytes: Fact[int]
    width_bytes: Fact[int]


def stripe(machine: Machine, tree: BlockTree, stack: Stack, filesystem: str) -> Stripe:
    """The one md array below; of several, or below another filesystem's file, nothing can be said."""
    under = stack.under(filesystem)
    names = [at.partition(":")[2] for at in under if at.startswith("layer:")]
    arrays = [tree.devices[name] for name in names if name in tree.devices and "md" in tree.devices[name].holds]
    if not arrays and stack.followed(filesystem):
        return Stripe(_NO_STRIPES, _NO_STRIPES)
    if len(arrays) != 1 or any(at.startswith("filesystem:") for at in under):
        return Stripe(_NOT_FOLLOWED, _NOT_FOLLOWED)
    return _of_array(machine, arrays[0].folder)


def _of_array(machine: Machine, folder: str) -> Stripe:
    level = look.text(machine, f"{folder}/md/level")
    if isinstance(level, Unknown):
        return Stripe(level, level)
    if level.value not in _STRIPED:
        return Stripe(Known(0, level.source), Known(0, level.source))
    chunk = look.number(machine, f"{folder}/md/chunk_size")
    return Stripe(chunk, _width(machine, folder, chunk))


def _width(machine: Machine, folder: str, chunk: Fact[int]) -> Fact[int]:
    """What md tells its queue, where it is chunks of at most as many disks as there are.

    A member's own optimal_io_size may have been mixed into it.
    """
    width = look.number(machine, f"{folder}/queue/optimal_io_size")
    disks = look.number(machine, f"{folder}/md/raid_disks")
    for fact in (chunk, width, disks):
        if isinstance(fact, Unknown):
            return fact
    if isinstance(chunk, Known) and isinstance(width, Known) and isinstance(disks, Known):
        sound = chunk.value > 0 and width.value % chunk.value == 0 and 0 < width.value // chunk.value <= disks.value
        return width if sound else Unknown(Cause.NOT_EXPOSED, "", width.source)
    return _NOT_FOLLOWED
