"""What a window comes to: which causes hold, whom they name, what was excluded, and what could not be told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import FALSE, Cause
from fsadvisor.measure.now.facts import named, sends_discards, subjects
from fsadvisor.measure.now.mounts import devices_of, pool_of, with_below, works_on
from fsadvisor.measure.now.programs import inside, moved_by, movers_of
from fsadvisor.measure.now.since import since
from fsadvisor.rulebook.advise import RUNNING, judge
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, Outcome
from fsadvisor.rulebook.shape import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fsadvisor.measure.now import Program, Window
    from fsadvisor.rulebook.advise import Asked, Verdict
    from fsadvisor.rulebook.rule import Rule

_NAMED: Final = 3
_MOST: Final = 5


class Diagnosis(Struct, frozen=True, kw_only=True):
    """A cause that holds: the verdict, who does it, and who waits for it."""

    verdict: Verdict
    culprits: tuple[str, ...] = ()
    waiters: tuple[str, ...] = ()
    place: str = ""
    since: str = ""
    """When it began, UTC, where that is told; '' where all that is known is that the whole look saw it."""
    since_by: str = ""
    """What tells when it began."""
    alike: int = 0
    """More processes of the name and unit of whom the same is told, at the same place; the first are culprits, too."""

    @property
    def hurts(self) -> bool:
        """Whether it is more than work that limits other work."""
        return self.verdict.rule.severity != "low"


class Excluded(Struct, frozen=True, kw_only=True):
    """A cause that does not hold, and the answer that came nearest to it."""

    rule: Rule
    subject: str
    asked: Asked


class Answer(Struct, frozen=True, kw_only=True):
    """What the window comes to."""

    window: Window
    found: tuple[Diagnosis, ...]
    excluded: tuple[Excluded, ...]
    open: tuple[Verdict, ...]


def answer(window: Window, rules: Iterable[Rule], about: frozenset[str] | None = None) -> Answer:
    """The gravest cause first. `about` are names of subjects: others are told after these."""
    verdicts = [
        judge(rule, subject)
        for rule in rules
        if rule.subject == "now" and rule.status in RUNNING
        for subject in subjects(window)
    ]
    advised = [one for one in verdicts if one.outcome in CALLS_FOR_ACTION]
    causes = {one.rule.id for one in advised}
    reach = {_key(one): _reach(one, window) for one in advised}
    reach |= _through_groups(advised, reach)
    own = [one for one in advised if not any(_explains(other, one, reach) for other in advised)]
    own = [one for one in own if not any(_is_below(other, one, window) for other in own)]
    pools = {place.mount_point for place in window.filesystems if pool_of(place)}  # whose disks are not told
    after = [one for one in own if reach[_key(one)] & pools and any(it.rule.id in one.rule.explained_by for it in own)]
    own.sort(key=lambda it: (SEVERITIES.index(it.rule.severity), not _is_about(it, about), it in after, -_weight(it)))
    return Answer(
        window=window,
        found=tuple(_dated(one, reach[_key(one.verdict)], window) for one in _first_of_each(_together(own, window))),
        excluded=tuple(_excluded(verdicts, causes)),
        open=tuple(_open(verdicts, causes)),
    )


def _dated(diagnosis: Diagnosis, reach: frozenset[str], window: Window) -> Diagnosis:
    at, by = since(diagnosis.verdict, reach, window)
    return replace(diagnosis, since=at, since_by=by)


def _explains(cause: Verdict, verdict: Verdict, reach: Mapping[tuple[str, str], frozenset[str]]) -> bool:
    """Whether a cause is behind this one: its rule is named, and both are of the same storage, or of all."""
    if cause.rule.id not in verdict.rule.explained_by:
        return False
    both = reach[_key(cause)], reach[_key(verdict)]
    return not all(both) or bool(both[0] & both[1])


def _is_below(lower: Verdict, upper: Verdict, window: Window) -> bool:
    """Whether one rule holds of a device because it holds of what that is made of."""
    devices = lower.subject.id.startswith("now:device:") and upper.subject.id.startswith("now:device:")
    if not devices or lower.rule.id != upper.rule.id or lower is upper:
        return False
    return lower.subject.name in with_below({upper.subject.name}, window)


def _key(verdict: Verdict) -> tuple[str, str]:
    return verdict.rule.id, verdict.subject.id


def _through_groups(
    advised: Iterable[Verdict], reach: Mapping[tuple[str, str], frozenset[str]]
) -> dict[tuple[str, str], frozenset[str]]:
    """What the machine shows because of a control group concerns that group's storage, and no other's."""
    groups = [one for one in advised if one.subject.id.startswith("now:group:")]
    behind = {
        _key(one): [reach[_key(group)] for group in groups if group.rule.id in one.rule.explained_by]
        for one in advised
        if not reach[_key(one)]
    }
    return {key: frozenset().union(*reaches) for key, reaches in behind.items()}


def _reach(verdict: Verdict, window: Window) -> frozenset[str]:
    """The devices and mount points that it concerns; none where it is of the whole machine."""
    what, _, name = verdict.subject.id.removeprefix("now:").partition(":")
    if what == "machine":
        return frozenset()
    if what == "device":
        return with_below({name}, window) | {
            place.mount_point for place in window.filesystems if name in devices_of(place.mount_point, window)
        }
    places: tuple[str, ...] = (name,)
    if what == "group":
        places += tuple(group.device for group in window.groups if group.path == name)
        places += tuple(place for program in inside(name, window) for place in program.places)
    if what == "filesystem":
        places += _of_its_pool(name, window)
    if what == "program":
        places += next(program.places for program in window.programs if named(program) == name)
    return with_below(places, window).union(*(devices_of(place, window) for place in places))


def _of_its_pool(mount_point: str, window: Window) -> tuple[str, ...]:
    """The mount points of its ZFS pool's datasets; none of another type's."""
    pools = {pool_of(place) for place in window.filesystems if place.mount_point == mount_point} - {""}
    return tuple(place.mount_point for place in window.filesystems if pool_of(place) in pools)


def _is_about(verdict: Verdict, about: frozenset[str] | None) -> bool:
    return about is None or verdict.subject.name in about


def _weight(verdict: Verdict) -> float:
    """How far it is above its threshold, for the order of several of one rule: the largest figure that it asked."""
    values = (getattr(fact, "value", 0) for fact in verdict.facts().values())
    return max((float(value) for value in values if isinstance(value, (int, float))), default=0.0)


def _together(verdicts: Iterable[Verdict], window: Window) -> Iterable[Diagnosis]:
    """Processes of one name and unit that wait at one place are one finding, that of whom waits most."""
    units = {named(program): (program.name, program.unit) for program in window.programs}
    kept: dict[tuple[object, ...], Diagnosis] = {}
    for verdict in verdicts:
        finding = _finding(verdict, window)
        who = units.get(verdict.subject.name) if verdict.subject.id.startswith("now:program:") else None
        key = (verdict.rule.id, *(who or (verdict.subject.id,)), finding.place)
        first = kept.setdefault(key, finding)
        if first is not finding:
            kept[key] = replace(
                first,
                culprits=(*first.culprits, *finding.culprits)[: max(_NAMED, len(first.culprits))],
                alike=first.alike + 1,
            )
    return kept.values()


def _first_of_each(findings: Iterable[Diagnosis]) -> Iterator[Diagnosis]:
    shown: dict[str, int] = {}
    for finding in findings:
        rule = finding.verdict.rule.id
        shown[rule] = shown.get(rule, 0) + 1
        if shown[rule] <= _MOST:
            yield finding


def _excluded(verdicts: list[Verdict], causes: set[str]) -> Iterator[Excluded]:
    """Of each rule that holds nowhere, the subject that came nearest: whose last answers alone were no."""
    nearest: dict[str, tuple[int, Excluded]] = {}
    undecided = {verdict.rule.id for verdict in verdicts if _is_open(verdict)}
    for verdict in verdicts:
        key = verdict.rule.id
        if verdict.outcome is not Outcome.OK or key in causes | undecided or _is_of_others(verdict):
            continue
        answers = verdict.answers()
        asked = next((answer for answer in answers if answer.truth is FALSE), None)
        if asked is not None and (key not in nearest or nearest[key][0] < len(answers)):
            nearest[key] = (len(answers), Excluded(rule=verdict.rule, subject=verdict.subject.name, asked=asked))
    yield from (excluded for _, excluded in nearest.values())


def _open(verdicts: list[Verdict], causes: set[str]) -> Iterator[Verdict]:
    opened: set[str] = set()
    for verdict in verdicts:
        if verdict.rule.id not in causes | opened and _is_open(verdict):
            opened.add(verdict.rule.id)
            yield verdict


def _is_open(verdict: Verdict) -> bool:
    """Whether something that could be known is not."""
    return verdict.outcome is Outcome.UNDETERMINED and not _is_of_others(verdict)


def _is_of_others(verdict: Verdict) -> bool:
    """Whether it asks for what the subject has not: a plain disk has no state of the device mapper, no array's work."""
    return any(fact.cause is Cause.NOT_APPLICABLE for fact in verdict.to_learn().values())


def _finding(verdict: Verdict, window: Window) -> Diagnosis:
    what, _, name = verdict.subject.id.removeprefix("now:").partition(":")
    match what:
        case "device":
            return _of_device(verdict, name, window)
        case "filesystem":
            places = {name, *(_of_its_pool(name, window) if verdict.rule.id == "pool-suspended" else ())}
            here = [one for one in window.programs if places & set(one.places) or works_on(one, name, window)]
            if verdict.rule.id == "journal-full":
                here = [program for program in here if program.journal_full]
            return Diagnosis(
                verdict=verdict,
                culprits=tuple(_does(program) for program in here if program.job),
                waiters=_waiting([program for program in here if program.waiting and not program.job]),
                place=_device_of(name, window),
            )
        case "program":
            program = next(program for program in window.programs if named(program) == name)
            where = f", in {program.function}" if program.function else ""
            return Diagnosis(verdict=verdict, culprits=(f"{_does(program)}{where}",), place=_named_places(program))
        case "group":
            return _of_group(verdict, name, window)
    return _of_machine(verdict, window)


def _named_places(program: Program) -> str:
    """Those that it works in; of sync(2), which is of all, the first."""
    more = len(program.places) - _MOST
    return ", ".join(program.places[:_MOST]) + (f" and {more} more" if more > 0 else "")


def _of_device(verdict: Verdict, name: str, window: Window) -> Diagnosis:
    here = [program for program in window.programs if works_on(program, name, window)]
    least = sum(one.read_bytes + one.write_bytes for one in window.devices if one.name == name) / 100
    movers = sorted((program for program in here if moved_by(program) > least), key=moved_by, reverse=True)
    if verdict.rule.id == "discards-at-work":
        waits = [program for program in here if program.waiting and not sends_discards(program)]
        return Diagnosis(
            verdict=verdict, culprits=_discards(name, here, window), waiters=_waiting(waits), place=_on(name, window)
        )
    own = [each for each in movers if not (each.kernel or each.job)]
    culprits = movers_of(own) if verdict.rule.id == "disk-taken-by-one" else movers[:_NAMED]
    waiters = [program for program in here if program.waiting and program not in culprits]
    moving = _movers(culprits) if verdict.rule.id.startswith(("disk-", "device-at")) else ()
    return Diagnosis(
        verdict=verdict,
        culprits=(*moving, *_initialises(name, window)),
        waiters=_waiting(waiters if verdict.rule.id.startswith("disk-") else [*waiters, *culprits]),
        place=_on(name, window),
    )


_ZEROES: Final = frozenset({"submit_bio_wait", "blkdev_issue_zeroout"})
"""Where ext4lazyinit writes inode tables. (It reads block bitmaps, too.)"""


def _initialises(device: str, window: Window) -> tuple[str, ...]:
    """The thread that writes what mkfs.ext4 left out, where all that was busy while it waited is below one ext4."""
    writing = (one for one in window.programs if one.kernel and one.function in _ZEROES)
    thread = next((one for one in writing if one.name == "ext4lazyinit"), None)
    if thread is None:
        return ()
    busy = {one.name for one in window.devices if one.busy >= thread.waiting / 2}
    own = (one for one in window.filesystems if thread.name == f"{one.type}lazyinit")
    says = f"{_does(thread)}: it writes the inode tables that mkfs left out, and ends by itself (init_itable=)"
    below = any(busy <= devices_of(one.mount_point, window) for one in own)
    return (says,) if below and device in busy else ()


def _on(device: str, window: Window) -> str:
    """The device mapper's name for it, and the mount points that stand on it; those of images in its files left out."""
    mapped = (one.mapped for one in window.devices if one.name == device and one.mapped)
    images = {one.name for one in window.devices if one.stands_on and one.name != device}
    places = (one.mount_point for one in window.filesystems if one.device not in images)
    return ", ".join((*mapped, *(one for one in places if device in devices_of(one, window))))


def _of_directory(verdict: Verdict, window: Window) -> Diagnosis:
    """The directories in which those who wait for a lock work: the kernel does not tell which is locked."""
    waits = sorted((each for each in window.programs if each.directory), key=lambda each: -each.directory)
    where = tuple(dict.fromkeys(each.works_in for each in waits if each.works_in))[:3]
    return Diagnosis(
        verdict=verdict, waiters=_waiting(waits), place=f"they work in {', '.join(where)}" if where else ""
    )


def _discards(name: str, here: list[Program], window: Window) -> tuple[str, ...]:
    """Who sends discards: a tool, or a filesystem that is mounted so."""
    tools = [_does(each) for each in here if sends_discards(each)]
    mounts = [
        f"{place.mount_point}: mounted with {option}"
        for place in window.filesystems
        if name in devices_of(place.mount_point, window)
        for option in dict.fromkeys((*place.options, *place.super_options))
        if option.partition("=")[0] == "discard"
    ]
    return tuple(tools or mounts)


def _of_machine(verdict: Verdict, window: Window) -> Diagnosis:
    waiting = sorted(window.programs, key=lambda program: -program.waiting)
    if verdict.rule.id == "processors-busy":
        running = sorted((each for each in window.programs if each.running), key=lambda each: -each.running)
        return Diagnosis(
            verdict=verdict, culprits=tuple(f"{named(each)} ran in {_share(each.running)}" for each in running[:3])
        )
    if verdict.rule.id == "directory-locks":
        return _of_directory(verdict, window)
    if verdict.rule.id == "writers-held-back":
        writers = sorted(window.programs, key=lambda each: -(each.write_bytes or 0))
        return Diagnosis(
            verdict=verdict,
            culprits=tuple(_does(each) for each in writers[:3] if each.write_bytes),
            place=_longest_queue(window),
        )
    return Diagnosis(verdict=verdict, waiters=_waiting(waiting))


def _longest_queue(window: Window) -> str:
    """The device below which most writes are under way; of several with as many the one that is made of no other."""
    longest = max(window.devices, key=lambda one: (round(one.queue), not one.below), default=None)
    if longest is None or not longest.writes or round(longest.queue) < 1:
        return ""
    where = _on(longest.name, window)
    return f"longest queue: {longest.name}{f' of {where}' if where else ''}, {longest.queue:.0f} requests"


def _device_of(mount_point: str, window: Window) -> str:
    return next((f"{one.type} on {one.source}" for one in window.filesystems if one.mount_point == mount_point), "")


def _of_group(verdict: Verdict, path: str, window: Window) -> Diagnosis:
    """The limit is the culprit; those that wait are the group's programs."""
    group = next(group for group in window.groups if group.path == path)
    own = inside(path, window)
    if verdict.rule.id == "group-short-of-memory":
        users = sorted((each for each in own if moved_by(each)), key=lambda each: -moved_by(each))
        limit = f"memory limit {(group.memory_limit or 0) >> 20:,} MiB"
        return Diagnosis(verdict=verdict, culprits=tuple(map(_does, users[:3])), waiters=_waiting(own), place=limit)
    limit = f"{group.limit}{' of ' + group.device if group.device else ''}"
    return Diagnosis(verdict=verdict, waiters=_waiting(own), place=limit)


def _share(share: float) -> str:
    return f"{100 * share:.0f} % of the looks"


def _does(program: Program) -> str:
    words = [
        f"{verb} {number / 1e6:.1f} MB/s"
        for verb, number in (("reads", program.read_bytes), ("writes", program.write_bytes))
        if number and number >= 50_000
    ]
    if program.syncing:
        words.append(f"waits in a sync in {_share(program.syncing)}")
    elif program.waiting:
        words.append(f"waits in {_share(program.waiting)}")
    return f"{named(program)}: {', '.join(words)}" if words else named(program)


def _movers(found: list[Program]) -> tuple[str, ...]:
    """Each; of many of one unit the three that moved most, after the unit."""
    if len(found) <= _NAMED:
        return tuple(map(_does, found))
    together = f"{found[0].unit}: {len(found)} programs move {sum(map(moved_by, found)) / 1e6:.1f} MB/s together"
    return (together, *map(_does, found[:_NAMED]))


def _waiting(programs: list[Program]) -> tuple[str, ...]:
    return tuple(
        f"{named(one)}: in {_share(one.waiting)}{', in ' + one.function if one.function else ''}"
        for one in sorted(programs, key=lambda one: -one.waiting)[:_MOST]
        if one.waiting
    )
