"""From a window to its sentence, with the evidence under it and what would be needed where it can't be told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import FALSE, TRUE, UNKNOWN, Cause, Fact, Known, Truth, Unknown
from fsadvisor.measure.waits.rules import RULES, Measures
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.measure.waits.rules import Name, Rule, ThresholdTest
    from fsadvisor.measure.waits.threads import For, Threads
    from fsadvisor.measure.waits.window import Disk, WaitsWindow

MIXED: Final = "Nothing is at its limit, and something is busy: the time goes to several things in turn"
MIXED_OPEN: Final = "What a single operation waits for: shares of a whole window do not follow one request."
NOT_TOLD: Final = "It cannot be told where the time goes"
NOT_TOLD_OPEN: Final = "Everything that is named as not known: it is neither taken for busy nor for idle."


class Evidence(Struct, frozen=True, kw_only=True):
    """A condition, what was measured, and whether it holds."""

    condition: ThresholdTest
    measured: Fact[float]
    of: str
    """The disk or thread that it was measured on, '' for the machine."""
    holds: Truth


class Sentence(Struct, frozen=True, kw_only=True):
    """What the window supports. `id` is the rule's, 'mixed' or 'not told'."""

    id: str
    says: str
    evidence: tuple[Evidence, ...]
    leaves_open: str


class WindowMeasures(Struct, frozen=True, kw_only=True):
    """The measures, and what some of them are of."""

    measures: Measures
    of: dict[Name, str]


def measured(window: WaitsWindow) -> WindowMeasures:
    """What rules ask, from the window."""
    of: dict[Name, str] = {}
    busiest = _most(window, lambda disk: Known(disk.rates.busy, "/proc/diskstats"))
    flushing = _most(window, lambda disk: disk.flush)
    for name in ("disk", "queue"):
        of[name] = busiest.name if isinstance(busiest, _Of) else ""
    of["flush"] = flushing.name if isinstance(flushing, _Of) else ""
    cpu, threads = window.cpu, window.threads
    return WindowMeasures(
        measures=Measures(
            processor=cpu if isinstance(cpu, Unknown) else Known(cpu.value.busy, cpu.source),
            steal=cpu if isinstance(cpu, Unknown) else Known(cpu.value.steal, cpu.source),
            disk=_value(busiest, lambda one: one.share),
            disk_most=_disk_most(window, of),
            queue=_value(busiest, lambda one: one.disk.rates.queue if one.disk else 0.0),
            flush=_value(flushing, lambda one: one.share),
            io_some=window.pressure["io"].some,
            cpu_some=window.pressure["cpu"].some,
            memory_some=window.pressure["memory"].some,
            memory_lacking=window.memory_lacking,
            waiting=read_fact.derive(threads, lambda one: one.waiting),
            disk_waiting=_kinds(threads, "disk"),
            disk_waiting_most=_kinds(threads, "disk", "gone on"),
            lock_waiting=_kinds(threads, "lock", "journal"),
            lock_waiting_most=_kinds(threads, "lock", "journal", "gone on"),
            lock_traced=window.locks
            if isinstance(window.locks, Unknown)
            else Known(window.locks.value.waiting, window.locks.source),
            steadiest=_steadiest(threads, of),
        ),
        of=of,
    )


def sentences(found: WindowMeasures) -> tuple[Sentence, ...]:
    """All that hold, the gravest first, without those that a stronger one implies; else why there is none."""
    truths = {rule.id: rule.holds(found.measures) for rule in RULES}
    implied = {rule.implies for rule in RULES if truths[rule.id] is TRUE}
    told = tuple(_sentence(rule, found) for rule in RULES if truths[rule.id] is TRUE and rule.id not in implied)
    if told:
        return told
    open_rules = [rule for rule in RULES if truths[rule.id] is UNKNOWN]
    if not open_rules:
        return (Sentence(id="mixed", says=MIXED, evidence=_all(found), leaves_open=MIXED_OPEN),)
    return (Sentence(id="not told", says=NOT_TOLD, evidence=_unknown(open_rules, found), leaves_open=NOT_TOLD_OPEN),)


def _sentence(rule: Rule, found: WindowMeasures) -> Sentence:
    evidence = tuple(one for condition in rule.conditions if (one := _evidence(condition, found)).holds is TRUE)
    return Sentence(
        id=rule.id,
        says=f"{rule.says}{_which(evidence[0])}",
        evidence=evidence,
        leaves_open=rule.leaves_open,
    )


def _all(found: WindowMeasures) -> tuple[Evidence, ...]:
    """Why no sentence holds: the first condition of each that speaks against it."""
    against: dict[Name, Evidence] = {}
    for rule in RULES:
        first = next((it for it in (_evidence(one, found) for one in rule.conditions) if it.holds is FALSE), None)
        if first is not None:
            against.setdefault(first.condition.name, first)
    return tuple(against.values())


def _unknown(rules: list[Rule], found: WindowMeasures) -> tuple[Evidence, ...]:
    """What is not known, once each."""
    missing: dict[Name, Evidence] = {}
    for rule in rules:
        for condition in rule.conditions:
            one = _evidence(condition, found)
            if one.holds is UNKNOWN:
                missing.setdefault(condition.name, one)
    return tuple(missing.values())


def _evidence(condition: ThresholdTest, found: WindowMeasures) -> Evidence:
    return Evidence(
        condition=condition,
        measured=getattr(found.measures, condition.name),
        of=found.of.get(condition.name, ""),
        holds=condition.holds(found.measures),
    )


def _which(first: Evidence) -> str:
    """Which disk or thread it is, and its share: ' (vda, 72 % of the time)'; of flushes, several may go on at once."""
    if not first.of or isinstance(first.measured, Unknown):
        return ""
    share = first.measured.value
    return f" ({first.of}, {f'{100 * share:.0f} % of the time' if share <= 1 else f'{share:.1f} at a time'})"


class _Of(Struct, frozen=True):
    disk: Disk | None
    share: float
    source: str

    @property
    def name(self) -> str:
        return self.disk.name if self.disk else ""


def _most(window: WaitsWindow, share: Callable[[Disk], Fact[float]]) -> _Of | Unknown:
    """The disk with the largest share; unknown where one's is not told, which might be larger."""
    if isinstance(window.disks, Unknown):
        return window.disks
    disks = window.disks.value
    found = [(share(disk), disk) for disk in disks.each]
    unknown = next((it for it, _ in found if isinstance(it, Unknown)), None)
    if unknown is not None:
        return unknown
    if disks.untold:
        return _untold(disks.untold)
    known = [_Of(disk, it.value, it.source) for it, disk in found if isinstance(it, Known)]
    return max(known, key=lambda one: one.share, default=_Of(None, 0.0, window.disks.source))


def _untold(names: tuple[str, ...]) -> Unknown:
    return Unknown(Cause.NOT_MEASURED, f"watch again: {', '.join(names)} came or went meanwhile", "/proc/diskstats")


def _value(of: _Of | Unknown, pick: Callable[[_Of], float]) -> Fact[float]:
    return of if isinstance(of, Unknown) else Known(pick(of), of.source)


def _disk_most(window: WaitsWindow, of: dict[Name, str]) -> Fact[float]:
    most = _most(window, lambda disk: disk.busy_most)
    of["disk_most"] = most.name if isinstance(most, _Of) else ""
    return _value(most, lambda one: one.share)


def _kinds(threads: Fact[Threads], *kinds: For) -> Fact[float]:
    if isinstance(threads, Unknown):
        return threads
    facts = [threads.value.kinds[kind] for kind in kinds]
    unknown = next((one for one in facts if isinstance(one, Unknown)), None)
    if unknown is not None:
        return unknown
    return Known(sum(one.value for one in facts if isinstance(one, Known)), "/proc/PID/task/TID/stack")


def _steadiest(threads: Fact[Threads], of: dict[Name, str]) -> Fact[float]:
    if isinstance(threads, Unknown):
        return threads
    first = next(iter(threads.value.runners), None)
    of["steadiest"] = f"{first.name} ({first.thread})" if first else ""
    return Known(first.share if first else 0.0, threads.source)


class Account(Struct, frozen=True, kw_only=True):
    """`target` is the folder whose disks and journal were watched, '' for all; `job` the probe that ran meanwhile."""

    window: WaitsWindow
    sentences: tuple[Sentence, ...]
    when: str
    target: str = ""
    job: str = ""
    notes: tuple[str, ...] = ()


def account(window: WaitsWindow, when: str, target: str = "", job: str = "", notes: tuple[str, ...] = ()) -> Account:
    """With the sentences that the window supports."""
    return Account(window=window, sentences=sentences(measured(window)), when=when, target=target, job=job, notes=notes)
