"""Arrays of md: what they are and do, whether they serve, who watches them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import systemd_units, whole
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.storage import Layer
    from fsadvisor.survey.block import BlockTree

COPIES: Final = ("raid1", "raid10", "raid4", "raid5", "raid6")
_PARITY = ("raid4", "raid5", "raid6")
WITHOUT_COPIES = ("raid0", "linear")
SPARED: Final = {"raid4": 1, "raid5": 1, "raid6": 2}
"""How many members an array can lose, whichever they are; RAID 1 all but one, and of RAID 10 it counts which."""
_SLOTS_OF_BAYS: Final = 8
"""Our own bound: no admin mirrors over so many disks and goes on with less than half of them."""
_SYNOLOGY: Final = "/proc/sys/kernel/syno_hw_version"
_RELEASE: Final = "/proc/sys/kernel/osrelease"
_QNAP: Final = "-qnap"
_THEIR_SYSTEM: Final = {"synology": ("md0", "md1"), "qnap": ("md9", "md13")}
_MOVING = ("resync", "recover", "reshape", "check", "repair")
_CONTAINER: Final = late(r"external:(?!/)")
"""An array in one says external:/md127/0."""


def array(machine: Machine, folder: str) -> dict[str, Any]:
    """The facts of an md array."""
    level = read_fact.text(machine, f"{folder}/md/level")
    found: dict[str, Any] = {
        "kind": Known("md", folder),
        "md_level": level,
        "md_chunk_bytes": read_fact.number(machine, f"{folder}/md/chunk_size"),
        "md_consistency": _consistency(machine, folder),
    }
    found["md_failed"] = _failed(machine, folder, level)
    if read_fact.value(level) not in WITHOUT_COPIES:
        found["md_degraded"] = _missing(machine, folder, level)
        found["md_mismatches"] = read_fact.number(machine, f"{folder}/md/mismatch_cnt")
        found["md_action"] = array_action(machine, folder)
        states = _states(machine, folder)
        found["md_spares"] = read_fact.derive(states, lambda it: sum("spare" in state for state in it.values()))
        found["md_faulty"] = read_fact.derive(
            states, lambda it: tuple(sorted(name for name, state in it.items() if "faulty" in state))
        )
        if read_fact.value(found["md_action"]) in _MOVING:
            found["md_at_speed_limit"] = _at_speed_limit(machine, folder)
        found["md_last_action"] = read_fact.text(machine, f"{folder}/md/last_sync_action")
    if read_fact.value(level) in _PARITY:
        found["md_stripe_cache"] = read_fact.number(machine, f"{folder}/md/stripe_cache_size")
    return found


def _consistency(machine: Machine, folder: str) -> Fact[str]:
    """What keeps the members in step over a crash; of the mainboard's RAID (Intel's, DDF) told apart.

    What mdadm can add to an array of md it may not to one of these, whose metadata the firmware reads, too.
    """
    policy = read_fact.text(machine, f"{folder}/md/consistency_policy")
    external = (read_fact.value(read_fact.text(machine, f"{folder}/md/metadata_version")) or "").startswith("external:")
    return read_fact.derive(policy, lambda it: f"{it} (external metadata)") if external else policy


def _missing(machine: Machine, folder: str, level: Fact[str]) -> Fact[int]:
    """Members missing; empty slots of the mirrors in which a NAS keeps its system are none.

    Synology and QNAP mirror it over a partition of each disk, and `md/degraded` counts bays without a disk, too. There
    the members that failed are counted; that a disk is gone altogether is told by the arrays of data.
    """
    missing = read_fact.number(machine, f"{folder}/md/degraded")
    if read_fact.value(level) != "raid1" or not read_fact.value(missing):
        return missing
    states = read_fact.value(_states(machine, folder)) or {}
    in_sync = sum("in_sync" in state for state in states.values())
    if not in_sync or not (_keeps_a_nas(machine, folder) or _is_hardly_filled(machine, folder, in_sync)):
        return missing
    return Known(sum("faulty" in state for state in states.values()), f"{folder}/md/dev-*/state")


def _keeps_a_nas(machine: Machine, folder: str) -> bool:
    """Whether it is the mirror in which the maker of a NAS, by what its kernel says, keeps the system."""
    release = read_fact.value(read_fact.text(machine, _RELEASE)) or ""
    qnap, synology = release.endswith(_QNAP), not isinstance(machine.read(_SYNOLOGY), Unknown)
    maker = "qnap" if qnap else "synology" if synology else ""
    return folder.rpartition("/")[2] in _THEIR_SYSTEM.get(maker, ())


def _is_hardly_filled(machine: Machine, folder: str, in_sync: int) -> bool:
    slots = read_fact.value(read_fact.number(machine, f"{folder}/md/raid_disks")) or 0
    return slots >= _SLOTS_OF_BAYS and 1 < in_sync < slots / 2


def _failed(machine: Machine, folder: str, level: Fact[str]) -> Fact[bool]:
    """Whether the array serves no more.

    The kernel says broken of RAID 0 and linear since 5.4 (62f7b1989c02), of other levels since 5.19 (57668f0a4cc4).
    """
    state = read_fact.text(machine, f"{folder}/md/array_state")
    if read_fact.value(state) == "broken":
        return Known(True, state.source)
    if isinstance(level, Unknown):
        return level
    if level.value in WITHOUT_COPIES:
        return read_fact.derive(state, lambda it: it == "broken")
    missing = read_fact.number(machine, f"{folder}/md/degraded")
    if isinstance(missing, Unknown):
        return missing
    if missing.value == 0:
        return Known(False, missing.source)
    if level.value in SPARED:
        return Known(missing.value > SPARED[level.value], missing.source)
    if level.value == "raid1":
        return read_fact.derive(read_fact.number(machine, f"{folder}/md/raid_disks"), lambda it: missing.value >= it)
    if level.value == "raid10" and missing.value == 1:  # it keeps two copies at least
        return Known(False, missing.source)
    return Unknown(
        Cause.NOT_EXPOSED,
        f"run `mdadm --detail /dev/{folder.rpartition('/')[2]}`: its State is FAILED or not",
        state.source,
    )


def _states(machine: Machine, folder: str) -> Fact[Mapping[str, tuple[str, ...]]]:
    """What each member is: in_sync, spare, faulty and the like."""
    names = machine.entries(f"{folder}/md")
    if isinstance(names, Unknown):
        return names
    states: dict[str, tuple[str, ...]] = {}
    for name in names:
        if name.startswith("dev-"):
            state = read_fact.text(machine, f"{folder}/md/{name}/state")
            if isinstance(state, Unknown):
                return state
            states[name.removeprefix("dev-")] = tuple(state.value.split(","))
    return Known(states, f"{folder}/md/dev-*/state")


def _at_speed_limit(machine: Machine, folder: str) -> Fact[bool]:
    """The limit is a number and who set it: '200000 (system)'."""
    speed = read_fact.number(machine, f"{folder}/md/sync_speed")
    maximum = read_fact.text(machine, f"{folder}/md/sync_speed_max")
    if isinstance(speed, Unknown):
        return speed
    if isinstance(maximum, Unknown):
        return maximum
    limit = whole(maximum.value.partition(" ")[0])
    return read_fact.fact_of(None if not limit else 10 * speed.value >= 9 * limit, maximum.source)


MD_UNITS: Argv = (
    "systemctl", "show", "mdmonitor.service", "mdadm.service", "mdcheck_start.timer", "raid-check.timer",
    "--property=Id,LoadState,ActiveState,UnitFileState",
)  # fmt: skip
MD_MAIL: Argv = (
    "grep", "-csE", "^(MAILADDR|PROGRAM)[[:space:]]+[^[:space:]]",
    "/etc/mdadm/mdadm.conf", "/etc/mdadm.conf", "/dev/null",
)  # fmt: skip
"""How many such lines each file has: whose mail it is stays there. Of /dev/null there is always an answer, at last."""
_CRON: Final = ("mdadm", "raid-check")


def has_arrays(tree: BlockTree) -> bool:
    """Whether an md array is there to ask about."""
    return any("md" in device.holds for device in tree.devices.values())


def watched(machine: Machine, layers: Mapping[str, Layer]) -> dict[str, Any]:
    """The host's facts about its arrays with copies: who watches them, who is told, whether they are checked."""
    own = [it for it in layers.values() if read_fact.value(it.kind) == "md"]
    arrays = [it for it in own if read_fact.value(it.md_level) in COPIES]
    if not arrays:
        unclear = next((it.md_level for it in own if isinstance(it.md_level, Unknown)), None)
        return {"md_arrays": unclear or Known(0, "/sys/block")}
    shown = read_fact.command_record(machine, MD_UNITS, systemd_units.parse_systemctl_show)
    units: Fact[frozenset[str]] = read_fact.field(shown, " ".join(MD_UNITS[:2]), lambda it: frozenset(_active(it)))
    jobs = machine.entries("/etc/cron.d")
    by_cron = not isinstance(jobs, Unknown) and bool(set(_CRON).intersection(jobs))
    return {
        "md_arrays": Known(len(arrays), "/sys/block"),
        "md_monitor": read_fact.derive(units, lambda it: bool(it & {"mdmonitor.service", "mdadm.service"})),
        "md_mail": _mail(machine),
        "md_check_scheduled": Known(True, "/etc/cron.d")
        if by_cron
        else read_fact.derive(units, lambda it: bool(it & {"mdcheck_start.timer", "raid-check.timer"})),
    }


def _mail(machine: Machine) -> Fact[bool]:
    """Whether a file names somebody; an answer that does not end with that of /dev/null is not grep's, or not all."""
    answer = machine.run([MD_MAIL])[0]
    if isinstance(answer, Unknown):
        return answer
    *files, last = [line.rpartition(":") for line in answer.text.splitlines()] or [("", "", "")]
    counts = [whole(count) for _, _, count in files]
    if last != ("/dev/null", ":", "0") or not {name for name, _, _ in files} <= set(MD_MAIL[3:]) or None in counts:
        return Unknown(Cause.UNREADABLE, "retry", answer.source)
    if not files and not machine.root:
        return Unknown(Cause.DENIED, "run as root", answer.source)
    return Known(any(counts), answer.source)


def _active(shown: systemd_units.SystemctlShow) -> Iterator[str]:
    for unit in shown.units:
        if unit.get("ActiveState") == "active":
            yield unit.get("Id") or ""


def data_offsets(machine: Machine, folder: str) -> Fact[tuple[int, ...]]:
    """Where the data starts on each member, in sectors."""
    names = machine.entries(f"{folder}/md")
    if isinstance(names, Unknown):
        return names
    found: list[int] = []
    for name in names:
        if name.startswith("dev-"):
            offset = read_fact.number(machine, f"{folder}/md/{name}/offset")
            if isinstance(offset, Unknown):
                return offset
            found.append(offset.value)
    return read_fact.fact_of(tuple(found) or None, f"{folder}/md/dev-*/offset")


def inactive_arrays(machine: Machine) -> Fact[tuple[str, ...]]:
    """The md arrays that have members and were not started: they have no size, and nothing can stand on them.

    A container of IMSM or DDF has members, and is never started: the arrays in it are.
    """
    found: list[str] = []
    unknown: list[Unknown] = []
    for name in (it for it in read_fact.names(machine.entries("/sys/block")) if it.startswith("md")):
        folder = f"/sys/block/{name}"
        size = read_fact.number(machine, f"{folder}/size")
        if isinstance(size, Known) and size.value:
            continue
        metadata = read_fact.text(machine, f"{folder}/md/metadata_version")
        state = read_fact.text(machine, f"{folder}/md/array_state")
        missing = [fact for fact in (size, metadata, state) if isinstance(fact, Unknown)]
        if missing:
            unknown.append(missing[0])
            continue
        if _CONTAINER.match(read_fact.value(metadata) or ""):
            continue
        members = [it for it in read_fact.names(machine.entries(f"{folder}/md")) if it.startswith("dev-")]
        if members and read_fact.value(state) == "inactive":
            wanted = read_fact.value(read_fact.number(machine, f"{folder}/md/raid_disks"))
            found.append(f"{name} with {len(members)}{f' of {wanted}' if wanted else ''} members")
    return unknown[0] if unknown and not found else Known(tuple(found), "/sys/block/md*/md/array_state")


def array_action(machine: Machine, folder: str) -> Fact[str]:
    """What an array does now; 'pending': a resync has to be done and has not begun, as mdstat's resync=PENDING says."""
    action = read_fact.text(machine, f"{folder}/md/sync_action")
    if read_fact.value(action) == "idle":
        begins = read_fact.number(machine, f"{folder}/md/resync_start")
        if isinstance(begins, Known):  # a sector; 'none' where nothing is left to do
            return Known("pending", begins.source)
    return action
