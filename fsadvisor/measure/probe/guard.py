"""May a probe run here? What speaks against it, from facts alone: refusals and warnings.

What could not be told never counts as fine. Where data could be lost it refuses as the worst answer would; of the
questions in `WARNED` it warns, because those answers are often out of reach and a probe that ends early loses nothing.

"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Unknown
from fsadvisor.measure.probe.target import Objection, Question, bytes_text, refused, unknown, warning
from fsadvisor.survey.filesystem_types.registry import IN_MEMORY, OVER_THE_NETWORK, TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fsadvisor.facts import Fact
    from fsadvisor.measure.probe.cost import Cost
    from fsadvisor.measure.probe.target import Drive, PoolBelow, ProbePlace, Raid, Room

_FULL_POOL_PERCENT: Final = 90
_WORN_PERCENT: Final = 100
_NEARLY_WORN_PERCENT: Final = 90
_SHARE_OF_DRIVE: Final = 0.20
"""Of a drive's capacity that one run may write: less than a day's share of a drive made for 0.3 drive writes a day."""
_NOTICEABLE: Final = 0.01

_REBUILDING = frozenset(("resync", "recover", "recovery", "reshape"))


def drives(cost: Cost, place: ProbePlace) -> Iterator[Objection]:
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


def _health(drive: Drive) -> Iterator[Objection]:
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


def _written(written: int, drive: Drive) -> Iterator[Objection]:
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


def _worn(written: int, drive: Drive) -> Iterator[Objection]:
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


def raid(cost: Cost, place: ProbePlace) -> Iterator[Objection]:
    """RAIDs that are not whole, or at work by themselves."""
    del cost
    if isinstance(place.raids, Unknown):
        what = f"whether a RAID under {place.target} is whole"
        yield from unknown("raid", what, place.raids, "a probe would lengthen a rebuild")
        return
    for raid in place.raids.value:
        yield from _raid_of(raid)


def _raid_of(raid: Raid) -> Iterator[Objection]:
    if isinstance(raid.action, Unknown):
        what = f"whether {raid.name} is being rebuilt"
        yield from unknown("raid", what, raid.action, "a probe would lengthen that")
    elif raid.action.value in _REBUILDING:
        yield refused(
            "raid",
            f"{raid.name} is at its {raid.action.value}: wait until it is done. A probe would measure the rebuild, "
            "and lengthen the time in which a disk's failure costs data",
        )
        return
    elif raid.action.value not in ("idle", "frozen"):
        yield warning("raid", f"{raid.name} is at its {raid.action.value}, and the figures are lower than without it")
    if isinstance(raid.degraded, Unknown):
        yield from unknown("raid", f"whether {raid.name} is whole", raid.degraded, "a degraded one is slower")
    elif raid.degraded.value:
        yield warning("raid", f"{raid.name} is degraded: figures are not those of the whole RAID; replace what failed")


def pool(cost: Cost, place: ProbePlace) -> Iterator[Objection]:
    """Thin pools and snapshots that fill."""
    if not cost.room_bytes:
        return
    if isinstance(place.pools, Unknown):
        what = f"whether {place.target} takes its blocks from a pool that others share"
        yield from unknown("pool", what, place.pools, "a full pool damages all that is on it")
        return
    for pool in place.pools.value:
        yield from _pool_of(pool)


def _pool_of(pool: PoolBelow) -> Iterator[Objection]:
    for fact, what in ((pool.fill_percent, "blocks"), (pool.metadata_percent, "metadata")):
        if isinstance(fact, Unknown):
            about = f"how full the {what} of the thin volume or snapshot {pool.name} are"
            yield from unknown("pool", about, fact, "a full pool damages all that is on it; name another directory")
        elif fact.value >= _FULL_POOL_PERCENT:
            yield refused(
                "pool",
                f"the {what} of the thin volume or snapshot {pool.name} are {fact.value:.0f} % used: extend it "
                "(lvextend), or name another directory. A full pool damages all that is on it",
            )


SPARE: Final = 3
"""How many times the room that is needed has to be free."""
_SHARE_OF_FREE: Final = 0.05
_FREE_AFTER: Final = 0.10
_ON_A_DISK = "name a directory on a filesystem of a local disk"


def findings(cost: Cost, place: ProbePlace, *, in_data_directory: bool = False) -> tuple[Objection, ...]:
    """All that speaks against these jobs there; nothing else is asked where the target is no folder."""
    no_folder = tuple(_kind(place))
    if no_folder:
        return no_folder
    found = [it for ask in _ASKED for it in ask(cost, place)]
    if in_data_directory:
        found = [it for it in found if it.question != "database"]
    return tuple(sorted(found, key=lambda it: it.level))


def _kind(place: ProbePlace) -> Iterator[Objection]:
    if isinstance(place.kind, Unknown):
        yield from unknown("kind", f"what {place.target} is", place.kind, "nothing is written to it")
        return
    kind = place.kind.value
    if kind == "folder":
        return
    if kind == "absent":
        yield refused("kind", f"{place.target} does not exist: name a directory that does")
    elif kind == "not to be reached":
        yield refused("kind", f"{place.target} may not be looked into: name a directory of yours, or run as root")
    else:
        article = "a probe never touches a device itself: " if "device" in kind else ""
        where = (
            "the directory where its filesystem is mounted" if kind == "block device" else "the directory that it is in"
        )
        yield refused("kind", f"{place.target} is a {kind}, not a directory: {article}name {where}")


def _type(cost: Cost, place: ProbePlace) -> Iterator[Objection]:
    del cost
    if isinstance(place.fs_type, Unknown):
        yield from unknown("type", f"the filesystem under {place.target}", place.fs_type, _ON_A_DISK)
        return
    kind = place.fs_type.value
    if kind in IN_MEMORY:
        yield warning("type", f"{place.target} is on {kind}: its files lie in memory, and no figure tells of a disk")
    elif kind == "overlay":
        yield warning(
            "type", f"{place.target} is on an overlay: the disk of its upper directory is measured, under the overlay"
        )
    elif kind in OVER_THE_NETWORK:
        yield refused(
            "type", f"{place.target} is on {kind}, over a network: others would wait, and no disk is seen; {_ON_A_DISK}"
        )
    elif kind not in TYPES:
        yield refused("type", f"{place.target} is on {kind}, which is not known to keep files on a disk: {_ON_A_DISK}")


def _writable(cost: Cost, place: ProbePlace) -> Iterator[Objection]:
    if not cost.writes:
        return
    for fact, bad in (
        (place.shut_down, "was stopped by the kernel after an error, and takes no writes: look into the kernel's log"),
        (place.read_only, "is read-only, and a probe has to write: name a directory on a writable one"),
    ):
        if isinstance(fact, Unknown):
            what = f"whether the filesystem under {place.target} takes writes"
            yield from unknown("writable", what, fact, "name another")
        elif fact.value:
            yield refused("writable", f"the filesystem under {place.target} {bad}")
            return
    if isinstance(place.may_write, Unknown):
        yield from unknown("writable", f"whether you may write in {place.target}", place.may_write, "name another")
    elif not place.may_write.value:
        yield refused("writable", f"you may not write in {place.target}: name a directory of yours, or run as root")


def _errors(cost: Cost, place: ProbePlace) -> Iterator[Objection]:
    if not cost.writes:
        return
    if isinstance(place.errors, Unknown):
        what = f"whether the filesystem under {place.target} remembers errors"
        yield from unknown("errors", what, place.errors, "a probe on a damaged one may add to the damage")
    elif place.errors.value:
        count = "an error" if place.errors.value == 1 else f"{place.errors.value:,} errors"
        yield refused(
            "errors",
            f"the filesystem under {place.target} remembers {count}, and writing may add to the damage: "
            "check it first (e2fsck, btrfs scrub)",
        )


def _space(cost: Cost, place: ProbePlace) -> Iterator[Objection]:
    if not cost.writes:
        return
    if isinstance(place.room, Unknown):
        yield from unknown(
            "space", f"how much free space {place.target} has", place.room, "name a directory that tells"
        )
        return
    yield from _too_tight("space", cost, place.room.value)
    yield from _too_few(cost, place.room.value)


def _too_tight(question: Question, cost: Cost, room: Room) -> Iterator[Objection]:
    needed, free = cost.room_bytes, room.available_bytes
    if needed * SPARE > free:
        yield refused(
            question,
            f"{room.where} has {bytes_text(free)} free. The probe takes {bytes_text(needed)}, and {SPARE} times that "
            "has to be free: free some space, or choose jobs that take less (fsadvisor probe --list)",
        )
    elif free - needed < room.size_bytes * _FREE_AFTER:
        yield warning(
            question, f"{room.where} is nearly full: free extents are small, and figures are those of a full filesystem"
        )
    elif needed > free * _SHARE_OF_FREE:
        yield warning(
            question, f"the probe takes {bytes_text(needed)} at once, over a twentieth of what {room.where} has free"
        )


def _too_few(cost: Cost, room: Room) -> Iterator[Objection]:
    """Inodes; where there is no table of them, they take room alone."""
    if room.inodes and room.inodes_free < cost.files * SPARE:
        yield refused(
            "space",
            f"{room.where} has {room.inodes_free:,} free inodes. The probe makes {cost.files:,} files, and "
            f"{SPARE} times as many have to be free: delete files, or choose other jobs (fsadvisor probe --list)",
        )


def _behind(cost: Cost, place: ProbePlace) -> Iterator[Objection]:
    """An image of a loop device may be sparse: where its own filesystem is full, the one on it is damaged."""
    if not cost.room_bytes:
        return
    if isinstance(place.behind, Unknown):
        yield from unknown(
            "behind", f"the free space behind loop devices under {place.target}", place.behind, _ON_A_DISK
        )
        return
    for room in place.behind.value:
        yield from _too_tight("behind", cost, room)


def _quota(cost: Cost, place: ProbePlace) -> Iterator[Objection]:
    if not cost.writes:
        return
    if isinstance(place.quota, Unknown):
        what = f"whether a quota counts in {place.target}"
        yield from unknown("quota", what, place.quota, "where one is reached, the probe ends, as do your programs")
        return
    quota = place.quota.value
    if quota is None:
        return
    if quota.bytes_left is not None and quota.bytes_left < cost.room_bytes * SPARE:
        yield refused(
            "quota",
            f"your quota in {place.target} leaves {bytes_text(quota.bytes_left)}. The probe takes "
            f"{bytes_text(cost.room_bytes)}, and {SPARE} times that has to be left: delete files, or choose jobs that "
            "take less",
        )
    if quota.inodes_left is not None and quota.inodes_left < cost.files * SPARE:
        yield refused(
            "quota",
            f"your quota in {place.target} leaves {quota.inodes_left:,} files. The probe makes "
            f"{cost.files:,}, and {SPARE} times as many have to be left: delete files, or choose other jobs",
        )


def _memory(cost: Cost, place: ProbePlace) -> Iterator[Objection]:
    if not cost.room_bytes:
        return
    if isinstance(place.memory_bytes, Unknown):
        yield from unknown("memory", "how much memory can be had", place.memory_bytes, _ON_A_DISK)
    elif place.memory_bytes.value < cost.room_bytes * SPARE:
        yield refused(
            "memory",
            f"{place.target} lies in memory, of which {bytes_text(place.memory_bytes.value)} can be had and "
            f"the probe takes {bytes_text(cost.room_bytes)}: {_ON_A_DISK}",
        )


def _battery(cost: Cost, place: ProbePlace) -> Iterator[Objection]:
    del cost
    if isinstance(place.on_battery, Unknown):
        yield from unknown("battery", "whether this machine runs on battery", place.on_battery, "then it is throttled")
    elif place.on_battery.value:
        yield refused(
            "battery", "this machine runs on battery, where it is throttled and a probe drains it: plug it in"
        )


def _database(cost: Cost, place: ProbePlace) -> Iterator[Objection]:
    if not cost.writes:
        return
    if isinstance(place.data_folder, Unknown):
        what = f"whether {place.target} belongs to a database"
        yield from unknown("database", what, place.data_folder, "make sure of it")
    elif place.data_folder.value is not None:
        found = place.data_folder.value
        yield refused(
            "database",
            f"{place.target} is in the data directory of {found.program}, {found.folder}: name one beside it on "
            "the same mount, or say --yes-in-data-directory",
        )


def _busy(cost: Cost, place: ProbePlace) -> Iterator[Objection]:
    del cost
    if isinstance(place.busy, Unknown):
        what = f"whether another probe runs on the filesystem under {place.target}"
        yield from unknown("busy", what, place.busy, "two at once measure each other")
    elif place.busy.value == "you":
        yield refused("busy", f"another probe runs on the filesystem under {place.target}: wait until it is done")
    elif place.busy.value == "another":
        yield warning(
            "busy",
            f"somebody has locked the mount of {place.target}: if another user's probe runs there, two at once measure "
            "each other",
        )


_ASKED: Final[tuple[Callable[[Cost, ProbePlace], Iterator[Objection]], ...]] = (
    _type,
    _writable,
    _errors,
    _space,
    _behind,
    _quota,
    _memory,
    _battery,
    drives,
    raid,
    pool,
    _database,
    _busy,
)
