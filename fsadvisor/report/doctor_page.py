"""What is wrong now: the answer of `fsadvisor doctor`, for people and as JSON.

What `fsadvisor doctor full PATH` says.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from fsadvisor.facts import Known, Unknown
from fsadvisor.measure.now import Window, full
from fsadvisor.measure.now.facts import THE_LOOK, named
from fsadvisor.measure.now.stored_windows import trouble
from fsadvisor.pages.document import Block, Commands, Gap, paragraph
from fsadvisor.pages.glyphs import clean, line
from fsadvisor.pages.published import encodable, json_escaped
from fsadvisor.pages.values import counted, day_and_time, fact_line
from fsadvisor.report import titles
from fsadvisor.report.fsync_page import traced_blocks
from fsadvisor.storage.catalogue import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.measure.now.answer import Answer, Diagnosis, Excluded
    from fsadvisor.measure.now.full import Full, FullCause
    from fsadvisor.rulebook.advise import Asked, Verdict
    from fsadvisor.storage import Subject

FORMAT: Final = "fsadvisor-doctor/1"
_IN: Final = line("  ")
_ITEM: Final = line("  - ")
_PLAIN_PATH: Final = re.compile(r"/[\w./@:+-]*", re.ASCII)
_OPEN: Final = 4
_SEVERAL: Final = 2
_UNITS: Final = {"percent": " %", "ms": " ms", "s": " s", "bytes": " bytes"}
"""Of others the description says what is counted."""


_MOST_TIMES: Final = 5


def timeline(windows: Sequence[Window], chosen: Window) -> Iterator[Block]:
    """Where several windows were kept: which one this is, and when else it hurt."""
    if len(windows) < _SEVERAL:
        return
    yield paragraph(
        f"{len(windows):,} windows were kept, {clean(windows[0].when)} to {clean(windows[-1].when)}. "
        "--at TIME chooses one. Those with most trouble:"
    )
    for window in sorted(sorted(windows, key=trouble, reverse=True)[:_MOST_TIMES], key=lambda window: window.when):
        waited, busy = trouble(window)
        pressure = f"I/O pressure {100 * waited:.0f} %" if window.io_some is not None else "I/O pressure not kept"
        mark = " (this one)" if window is chosen else ""
        yield paragraph(
            f"{clean(window.when)}: {pressure}, busiest disk {100 * busy:.0f} %{mark}", first=line("  - "), indent=4
        )
    yield Gap()


def document(answer: Answer, lasting: Iterable[str] = (), asked: Iterable[Block] = ()) -> Iterator[Block]:
    """The whole answer; `lasting` are findings of the audit that bear on it, `asked` what was asked about."""
    window = answer.window
    yield paragraph(f"What is wrong, in the {window.seconds:.0f} s until {day_and_time(window.when)}:")
    yield Gap()
    hurting = [one for one in answer.found if one.hurts]
    working = [one for one in answer.found if not one.hurts]
    yield paragraph(_headline(answer, hurting, working))
    yield from asked
    for number, one in enumerate((*hurting, *working), 1):
        yield Gap()
        yield from _finding(number, one, window)
    yield from traced_blocks(window)
    yield from _listed("For good, the audit says:", lasting)
    yield from _listed("Excluded:", map(no, answer.excluded))
    yield from _listed("Not known:", _not_known(answer))


def _listed(head: str, items: Iterable[str]) -> Iterator[Block]:
    """Items below a head; nothing where there are none."""
    for number, words in enumerate(items):
        if not number:
            yield Gap()
            yield paragraph(head)
        yield paragraph(words, first=_ITEM, indent=4)


def _headline(answer: Answer, hurting: list[Diagnosis], working: list[Diagnosis]) -> str:
    if hurting:
        first = hurting[0]
        return f"{title(first)}."
    unseen = bool(answer.open or answer.window.untold)
    if working:
        broken = "Nothing that could be seen is broken; not everything could be seen." if unseen else ""
        return f"{broken or 'Nothing is broken here.'} What limits the work that is done now:"
    if unseen:
        return "Nothing that could be seen is wrong; not everything could be seen."
    return _though_it_waits(answer.window) or f"Nothing hurts now: {_BELOW}."


_BELOW: Final = "no device, filesystem, program or limit of I/O is above its threshold"
_MUCH: Final = 0.5
_HELD_BACK: Final = ("rq_qos_wait", "wbt_wait")
"""In these the block layer holds writers back, whether the disk is busy or not: by wbt, io.latency or io.cost."""


def _though_it_waits(window: Window) -> str:
    """Where somebody waits half of the time for a limit that no rule knows, the function tells those who know it."""
    unusual = (one for one in window.programs if one.kind != "disk" or one.function in _HELD_BACK)
    waiting = [one for one in unusual if not one.kernel and one.function and one.waiting >= _MUCH]
    if not waiting:
        return ""
    most = max(waiting, key=lambda one: one.waiting)
    who = f"{clean(named(most))} waits in {100 * most.waiting:.0f} % of the looks, in {clean(most.function)}"
    return f"What is waited for is not known: {_BELOW}, but {who}."


def _finding(number: int, finding: Diagnosis, window: Window) -> Iterator[Block]:
    rule = finding.verdict.rule
    where = f" ({clean(finding.place)})" if finding.place else ""
    alike = (
        f"; likewise {counted(finding.alike, 'more process', 'more processes')} of this name" if finding.alike else ""
    )
    yield paragraph(f"{title(finding)}{where}{alike}", first=line(f"{number}. "), indent=3)
    for asked in finding.verdict.answers():
        if asked.ask.part == "checks":
            yield paragraph(f"{_values(asked)}{_threshold(asked)}{_by(asked)}", first=line("     seen:  "), indent=12)
    for says, names in (("     who:   ", finding.culprits), ("     waits: ", finding.waiters)):
        for name in names:
            yield paragraph(clean(name), first=line(says), indent=12)
    since = (
        f"{clean(finding.since)}, {clean(finding.since_by)}"
        if finding.since
        else f"the whole look, {window.seconds:.0f} s, or longer"
    )
    yield paragraph(since, first=line("     since: "), indent=12)
    instructions = finding.verdict.instructions()
    yield paragraph(" ".join(_advice(finding).split()), first=line("     do:    "), indent=12)
    if instructions.now:
        yield Commands(instructions.now, indent=12)
    yield paragraph(f"fsadvisor explain {rule.id}", first=line("     more:  "), indent=12)


def _advice(finding: Diagnosis) -> str:
    """With the directory in its command where one alone is concerned, and a shell takes its name as it is."""
    path = f" {finding.place}`" if _PLAIN_PATH.fullmatch(finding.place) else " PATH`"
    return finding.verdict.instructions().advice.replace(" PATH`", path)


def title(diagnosis: Diagnosis) -> str:
    """With the values that were seen, or the rule's title and where."""
    verdict = diagnosis.verdict
    here = titles.title(verdict.rule, (verdict.subject,))
    return f"{here}: {clean(verdict.subject.name)}" if here == verdict.rule.title else here


def _values(asked: Asked) -> str:
    return "; ".join(f"{catalogue()[name].doc}: {_value(name, fact)}" for name, fact in asked.facts.items())


def _by(asked: Asked) -> str:
    """What a figure was concluded from that no counter told."""
    return "".join(f", {one}" for one in sorted({fact.source for fact in asked.facts.values()} - {THE_LOOK}))


_HELD_AGAINST: Final = {">=": "{} or more", ">": "above {}", "<=": "{} or less", "<": "below {}"}


def _threshold(asked: Asked) -> str:
    """' (threshold: 90 % or more)': what a figure is held against."""
    name, _, rest = asked.ask.expression.text.partition(" ")
    first, others, _ = rest.partition(" or ")
    sign, _, figure = first.partition(" ")
    if name not in asked.facts or sign not in _HELD_AGAINST:
        return ""
    limit = _HELD_AGAINST[sign].format(f"{figure}{_UNITS.get(catalogue()[name].unit, '')}")
    return f" (threshold: {limit}{', or another of these' if others else ''})"


def _value(name: str, fact: Fact[object]) -> str:
    if isinstance(fact, Unknown):
        return "not known"
    unit = catalogue()[name].unit
    if isinstance(fact.value, bool):
        return "yes" if fact.value else "no"
    shown = f"{fact.value:,}" if isinstance(fact.value, (int, float)) else clean(str(fact.value))
    return f"{shown}{_UNITS.get(unit, '')}"


def _not_known(answer: Answer) -> Iterator[str]:
    for verdict in answer.open[:_OPEN]:
        name, fact = next(iter(verdict.to_learn().items()))
        yield f"{verdict.rule.id}: {name} of {clean(verdict.subject.name)}: {fact.learn}"
    if len(answer.open) > _OPEN:
        yield f"and {len(answer.open) - _OPEN} more"
    yield from map(clean, answer.window.untold)


def no(cause: Excluded) -> str:
    """What a cause that does not hold was held against."""
    of = f" on {clean(cause.subject)}" if cause.subject != "this machine" else ""
    return f"{cause.rule.id}{of}: {_values(cause.asked)}{_threshold(cause.asked)}"


class FoundJson(msgspec.Struct, frozen=True, kw_only=True):
    """A cause that holds."""

    rule: str
    title: str
    severity: str
    subject: str
    place: str
    hurts: bool
    culprits: tuple[str, ...]
    alike: int
    waiters: tuple[str, ...]
    since: str
    since_by: str
    facts: dict[str, str | int | float | bool | None]
    advice: str
    commands: tuple[str, ...]


class OthersJson(msgspec.Struct, frozen=True, kw_only=True):
    """A cause that does not hold, or could not be told."""

    rule: str
    subject: str
    asked: str
    facts: dict[str, str | int | float | bool | None]


class DoctorJson(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of `fsadvisor doctor --json`: what was found, excluded and not told, and the window itself."""

    format: str
    found: tuple[FoundJson, ...]
    excluded: tuple[OthersJson, ...]
    not_told: tuple[OthersJson, ...]
    window: Window


def as_json(answer: Answer) -> str:
    """One document."""
    content = DoctorJson(
        format=FORMAT,
        found=tuple(_found(one) for one in answer.found),
        excluded=tuple(
            OthersJson(
                rule=verdict.rule.id,
                subject=verdict.subject,
                asked=verdict.asked.ask.expression.text,
                facts=_facts(verdict.asked.facts),
            )
            for verdict in answer.excluded
        ),
        not_told=tuple(
            OthersJson(rule=one.rule.id, subject=one.subject.name, asked=", ".join(one.to_learn()), facts={})
            for one in answer.open
        ),
        window=answer.window,
    )
    lines = msgspec.json.format(msgspec.json.encode(encodable(msgspec.to_builtins(content)))).decode().split("\n")
    return "".join(f"{json_escaped(line)}\n" for line in lines)


def _found(finding: Diagnosis) -> FoundJson:
    instructions = finding.verdict.instructions()
    return FoundJson(
        rule=finding.verdict.rule.id,
        title=finding.verdict.rule.title,
        severity=finding.verdict.rule.severity,
        subject=finding.verdict.subject.name,
        place=finding.place,
        hurts=finding.hurts,
        culprits=finding.culprits,
        alike=finding.alike,
        waiters=finding.waiters,
        since=finding.since,
        since_by=finding.since_by,
        facts=_facts(finding.verdict.facts()),
        advice=_advice(finding),
        commands=instructions.now,
    )


def _facts(facts: Mapping[str, Fact[Any]]) -> dict[str, str | int | float | bool | None]:
    return {name: fact.value if isinstance(fact, Known) else None for name, fact in facts.items()}


_MIB: Final = 1 << 20


def full_document(space: Full, path: str) -> Iterator[Block]:
    """Which causes hold, safest first; nothing is deleted."""
    yield paragraph(f"The free space at {clean(path)}: {clean(space.subject.name)}, {_room(space.subject)}")
    if not space.causes:
        yield Gap()
        yield paragraph("No cause of a full filesystem that could be told holds.")
    for number, cause in enumerate(space.causes, 1):
        yield Gap()
        frees = "" if cause.frees is None else f" It frees about {cause.frees // _MIB:,} MiB."
        yield paragraph(f"{cause.verdict.rule.title}.{frees}", first=line(f"{number}. "), indent=3)
        yield paragraph(f"risk: {cause.risk}", first=line("   "), indent=9)
        for name, fact in (cause.verdict.facts() | _held_open_by(cause)).items():
            if isinstance(fact, Known):
                yield paragraph(f"seen: {fact_line(name, fact, '')}", first=line("   "), indent=9)
        instructions = cause.verdict.instructions()
        yield paragraph(" ".join(instructions.advice.split()), first=line("   do: "), indent=7)
        if instructions.now:
            yield Commands(instructions.now, indent=3)
        elif instructions.no_commands:
            yield paragraph(f"no commands: {clean(instructions.no_commands)}", first=line("   "), indent=5)
        yield paragraph(f"more: fsadvisor explain {cause.verdict.rule.id}", first=line("   "))
    yield from _listed("Excluded:", map(_seen, space.excluded))
    yield from _listed("Not known:", map(_to_learn, space.open))


def _held_open_by(cause: FullCause) -> dict[str, Fact[tuple[str, ...]]]:
    """The processes to look at, of deleted files that are open."""
    if cause.verdict.rule.id != "deleted-files-hold-space":
        return {}
    return {"filesystem.deleted_open_by": full.fact(cause.verdict.subject, "deleted_open_by")}


def _seen(verdict: Verdict) -> str:
    facts = verdict.answers()[-1].facts.items()
    return (
        f"{verdict.rule.id}: {', '.join(fact_line(name, fact, '') for name, fact in facts if isinstance(fact, Known))}"
    )


def _to_learn(verdict: Verdict) -> str:
    name, fact = next(iter(verdict.to_learn().items()))
    return f"{verdict.rule.id}: {name}: {fact.learn or 'not known'}"


def _room(subject: Subject) -> str:
    used, inodes = full.fact(subject, "used_percent"), full.fact(subject, "inodes_used_percent")
    words = [f"{used.value} % of the space"] if isinstance(used, Known) else []
    words += [f"{inodes.value} % of the inodes"] if isinstance(inodes, Known) else []
    return f"{' and '.join(words)} in use" if words else "how full it is could not be told"
