"""What speaks against a probe in drives, RAIDs and pools below the filesystem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Unknown
from fsadvisor.probe.finding import Finding, bytes_text, refused, unknown, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.facts import Fact
    from fsadvisor.probe.cost import Cost
    from fsadvisor.probe.place import Drive, Place, Pool, Raid

_FULL_POOL_PERCENT: Final = 90
_WORN_PERCENT: Final = 100
_NEARLY_WORN_PERCENT: Final = 90
_SHARE_OF_DRIVE: Final = 0.20
"""Of a drive's capacity that one run may write: less than a day's share of a drive made for 0.3 drive writes a day."""
_NOTICEABLE: Final = 0.01

_REBUILDING = frozenset(("resync", "recover", "recovery", "reshape"))


def drives(cost: Cost, place: Place) -> Iterator[Finding]:
    """Health and wear of the leaf disks."""
    if isinstance(place.drives, Unknown):
        what = f"which drives are under {place.target}"
        written = f"up to {bytes_text(cost.written_bytes)} are written to them"
        yield from unknown("drives", what, place.drives, written if cost.writes else "a failing one may not last")
        return
    for drive in place.drives.value:
        yield from _health(drive)
        if cost.written_bytes and not _true(drive.virtual):
            yield from _written(cost.written_bytes, drive)
            yield from _worn(cost.written_bytes, drive)


def _true(fact: Fact[bool]) -> bool:
    return not isinstance(fact, Unknown) and fact.value


def _health(drive: Drive) -> Iterator[Finding]:
    """What a drive says of itself; a virtual one has nothing to say."""
    if _true(drive.virtual):
        return
    for fact, bad in ((drive.smart_passed, False), (drive.critical_warning, True)):
        if isinstance(fact, Unknown):
            what = f"whether {drive.name} says that it is failing"
            yield from unknown("drives", what, fact, "a failing drive may not last")
        elif bool(fact.value) is bad:
            yield refused(
                "drives",
                f"{drive.name} says that it is failing: save its data first, and replace it; probe another disk",
            )
            return


def _written(written: int, drive: Drive) -> Iterator[Finding]:
    if isinstance(drive.size_bytes, Unknown):
        what = f"the capacity of {drive.name}"
        yield from unknown("drives", what, drive.size_bytes, f"up to {bytes_text(written)} are written to it")
        return
    if written > drive.size_bytes.value * _SHARE_OF_DRIVE:
        yield refused(
            "drives",
            f"the probe may write {bytes_text(written)}, over a fifth of {drive.name}: choose fewer jobs",
        )
        return
    day = 0 if isinstance(drive.day_bytes, Unknown) else drive.day_bytes.value
    if written > max(day, drive.size_bytes.value * _NOTICEABLE):
        yield warning(
            "drives",
            f"the probe may write {bytes_text(written)}, over a hundredth of {drive.name} and more than it is known to "
            "be written on an average day",
        )


def _worn(written: int, drive: Drive) -> Iterator[Finding]:
    if _true(drive.rotational):
        return
    used = drive.percentage_used
    if isinstance(used, Unknown):
        more = f"up to {bytes_text(written)} are written to it"
        yield from unknown("drives", f"how worn {drive.name} is", used, more)
    elif used.value >= _WORN_PERCENT:
        yield refused(
            "drives",
            f"{drive.name} has used {used.value} % of the endurance it was made for: replace it, or probe another disk",
        )
    elif used.value >= _NEARLY_WORN_PERCENT:
        yield warning("drives", f"{drive.name} has used {used.value} % of its endurance, and the probe adds to it")


def raid(cost: Cost, place: Place) -> Iterator[Finding]:
    """RAIDs that are not whole, or at work by themselves."""
    del cost
    if isinstance(place.raids, Unknown):
        what = f"whether a RAID under {place.target} is whole"
        yield from unknown("raid", what, place.raids, "a probe would lengthen a rebuild")
        return
    for raid in place.raids.value:
        yield from _raid_of(raid)


def _raid_of(raid: Raid) -> Iterator[Finding]:
    if isinstance(raid.action, Unknown):
        what = f"whether {raid.name} is being rebuilt"
        yield from unknown("raid", what, raid.action, "a probe would lengthen that")
    elif raid.action.value in _REBUILDING:
        yield refused(
            "raid",
            f"{raid.name} is at its {raid.action.value}: a probe would lengthen the time in which a disk's failure "
            "costs data, and measure the rebuild; wait until it is done",
        )
        return
    elif raid.action.value not in ("idle", "frozen"):
        yield warning("raid", f"{raid.name} is at its {raid.action.value}, and the figures are lower than without it")
    if isinstance(raid.degraded, Unknown):
        yield from unknown("raid", f"whether {raid.name} is whole", raid.degraded, "a degraded one is slower")
    elif raid.degraded.value:
        yield warning("raid", f"{raid.name} is degraded: figures are not those of the whole RAID; replace what failed")


def pool(cost: Cost, place: Place) -> Iterator[Finding]:
    """Thin pools and snapshots that fill."""
    if not cost.room_bytes:
        return
    if isinstance(place.pools, Unknown):
        what = f"whether {place.target} takes its blocks from a pool that others share"
        yield from unknown("pool", what, place.pools, "a full pool damages all that is on it")
        return
    for pool in place.pools.value:
        yield from _pool_of(pool)


def _pool_of(pool: Pool) -> Iterator[Finding]:
    for fact, what in ((pool.fill_percent, "blocks"), (pool.metadata_percent, "metadata")):
        if isinstance(fact, Unknown):
            about = f"how full the {what} of the thin volume or snapshot {pool.name} are"
            yield from unknown("pool", about, fact, "a full pool damages all that is on it; name another folder")
        elif fact.value >= _FULL_POOL_PERCENT:
            yield refused(
                "pool",
                f"the {what} of the thin volume or snapshot {pool.name} are {fact.value:.0f} % used, and a full pool "
                "damages all that is on it: extend it (lvextend), or name another folder",
            )
