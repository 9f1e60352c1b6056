"""What can be tried, compared and forecast here: a row for each, and what was tried before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.measure import compare
from fsadvisor.measure.compare import CHOICES
from fsadvisor.pages.document import Block, Document, Gap, Heading, paragraph
from fsadvisor.pages.glyphs import Line, Span, Tone, columns, cut, padded, span
from fsadvisor.pages.values import counted, listed
from fsadvisor.rulebook.rule import SAID, Outcome
from fsadvisor.storage import Filesystem, Mount
from fsadvisor.survey import read_fact
from fsadvisor.survey.tried import Ratio, rule_of, sentence
from fsadvisor.tui.views import probes, trials_compare
from fsadvisor.tui.views.probes import age_words
from fsadvisor.tui.views.rows import LazyRows, Row

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from datetime import datetime

    from fsadvisor.measure.probe.result import Result
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Subject
    from fsadvisor.tui.views.probes import ResultsByMount
    from fsadvisor.tui.views.snapshot import Snapshot

Kind: TypeAlias = Literal["title", "try", "option", "mount", "image", "forecast", "kept", "compared"]
MATTERS: Final = 0.05
"""A difference of 5 % or less does not matter, as `fsadvisor trial` has it."""
JOBS: Final = ("commit-fdatasync", "random-write-32", "random-read-32", "create-1", "mail")
"""What is compared from here: fewer jobs than by `fsadvisor compare`, so that it ends while one waits."""
TRY_S: Final = 180.0
"""As of `fsadvisor trial`."""
COMPARE_S: Final = 8.0
"""For each job on each side: one waits for it."""
_OUTCOMES: Final = {
    Outcome.ADVISE: ("advised", Tone.WARNING),
    Outcome.WITHHELD: (SAID[Outcome.WITHHELD], Tone.UNKNOWN),
    Outcome.BLOCKED: (SAID[Outcome.BLOCKED], Tone.BAD),
    Outcome.UNDETERMINED: (SAID[Outcome.UNDETERMINED], Tone.UNKNOWN),
}
_PLACED: Final = ("try", "option", "kept")
"""Kinds of rows with a mount besides their name, which holds no line break; a mount point may."""
_MOST_TRIED: Final = 200
"""Findings that are listed; a machine may have ten thousand mounts, and one of a kind is as good as all."""


class Chosen(Struct, frozen=True):
    """What a row stands for: of a trial `name` is the rule and `mount` where; of others `name` alone, be it a path."""

    kind: Kind
    name: str
    mount: str = ""


def key_of(kind: Kind, name: str, mount: str = "") -> str:
    """The row's key."""
    return f"{kind}\n{name}\n{mount}"


def chosen(key: str) -> Chosen:
    """What the row with this key stands for."""
    kind, _, rest = key.partition("\n")
    name, mount = rest.removesuffix("\n"), ""
    if kind in _PLACED:
        name, _, mount = rest.partition("\n")
    found: dict[str, Kind] = {it: it for it in ("try", "option", "mount", "image", "forecast", "kept", "compared")}
    return Chosen(found.get(kind, "title"), name, mount)


def mount_of(subject: Subject) -> str:
    """The mount point of what a verdict is on, '' where that is none, or nobody knows it."""
    scope = subject.scope
    mount, filesystem = scope.get("mount"), scope.get("filesystem")
    if isinstance(mount, Mount):
        return read_fact.value(mount.point) or ""
    return read_fact.value(filesystem.mount_point) or "" if isinstance(filesystem, Filesystem) else ""


def can_be_tried(snapshot: Snapshot) -> list[Verdict]:
    """Verdicts whose rule names a trial, on a mount, in rank order: what is advised, withheld, or hangs on unknowns."""
    once: dict[tuple[str, str], Verdict] = {}
    for verdict in snapshot.verdicts.among(_may_be_tried):
        if len(once) == _MOST_TRIED:
            break
        if mount := mount_of(verdict.subject):
            once.setdefault((verdict.rule.id, mount), verdict)
    return list(once.values())


def leads_to_trial(verdict: Verdict) -> bool:
    """Whether what it advises has a line among trials, or would have one where there are not too many."""
    return _may_be_tried(verdict.rule, verdict.outcome) and bool(mount_of(verdict.subject))


def _may_be_tried(rule: Rule, outcome: Outcome) -> bool:
    return rule.trial is not None and outcome in _OUTCOMES


def rows(
    snapshot: Snapshot,
    kept: ResultsByMount,
    picked: Collection[str],
    now: datetime,
    width: int,
    glyphs: Glyphs,
    *,
    live: bool,
) -> LazyRows:
    """All that can be done here, under titles; a row for each mount is made when it is seen."""
    mounts = probes.mounts(snapshot.storage, kept)
    verdicts = can_be_tried(snapshot)
    rooms = _Rooms.of(verdicts, width)
    tried = list(_tried(verdicts, rooms, kept, now, width, glyphs))
    nothing = _plain("nothing", "no rule that can be tried says anything of a mount here", width, glyphs)
    trying = f"Try what a rule would change, on scratch filesystems: {TRY_S / 60:.0f} min at most"
    before = [_title(trying, width, glyphs), *(tried or [nothing])]
    if live and mounts:
        before.append(_any_option(mounts[0][0], rooms, width, glyphs))
    if live:
        before.append(
            _title(
                f"Compare by the same jobs: Space picks, c compares; {len(JOBS) * COMPARE_S:.0f} s a side",
                width,
                glyphs,
            )
        )
    sides = mounts if live else []
    after = list(_images(picked, width, glyphs)) if live else []
    after.append(_title("Forecast what a faster device would bring", width, glyphs))
    forecasts = list(_forecasts((point for point, _, _ in mounts), kept, width, glyphs))
    none = f"no result {'that can be read' if kept.unread else 'is kept'} to forecast from: 4 measures"
    after += forecasts or [_plain("no forecast", none, width, glyphs)]
    results = list(_trial_rows(kept, now, width, glyphs))
    if results:
        after += [_title("Tried before", width, glyphs), *results]
    if kept.compared:
        after += [_title("Compared before", width, glyphs), *trials_compare.compared_rows(kept, now, width, glyphs)]

    def made(index: int) -> Row:
        if index < len(before):
            return before[index]
        if index < len(before) + len(sides):
            point, mount, _ = sides[index - len(before)]
            return _mount(point, mount, picked, width, glyphs)
        return after[index - len(before) - len(sides)]

    keys = [key_of("mount", point) for point, _, _ in sides]
    return LazyRows([*(one.key for one in before), *keys, *(one.key for one in after)], made)


def sides_of(snapshot: Snapshot, kept: ResultsByMount) -> frozenset[str]:
    """The keys of all that can be picked to be compared."""
    points = (key_of("mount", point) for point, _, _ in probes.mounts(snapshot.storage, kept))
    return frozenset((*points, *(key_of("image", name) for name in CHOICES)))


def _title(words: str, width: int, glyphs: Glyphs) -> Row:
    return Row(f"title\n{words}\n", (cut((span(f" {words}", Tone.TITLE),), width, glyphs.ellipsis),))


def _plain(name: str, words: str, width: int, glyphs: Glyphs) -> Row:
    return Row(f"title\n{name}\n", (cut((span(f"   {words}", Tone.DIM),), width, glyphs.ellipsis),))


def _row(key: str, called: str, words: Line, width: int, glyphs: Glyphs, mark: str = " ") -> Row:
    """The name takes at most half of the line, so that what is said of it is seen."""
    room = max(min(44, width * 3 // 8), 12)
    name = padded(cut((span(called),), room - 1, glyphs.ellipsis), room)
    return Row(key, (cut((Span(f" {mark} ", Tone.KEY), *name, *words), width, glyphs.ellipsis),), called)


class _Rooms(Struct, frozen=True):
    """Columns of a trial's row. Where there are few, what it came to stands in place of its state, or neither."""

    title: int
    state: int
    mount: int
    wide: bool

    @staticmethod
    def of(verdicts: Sequence[Verdict], width: int) -> _Rooms:
        """As wide as the longest; a title has no more than the others leave."""
        wide = width >= _WIDE
        mount = min(max((columns((span(mount_of(it.subject)),)) for it in verdicts), default=1), width // 5)
        state = max(len(word) for word, _ in _OUTCOMES.values()) if wide else _STATE if width >= _NARROW else 0
        left = width - 3 - 2 - (state + 2 if state else 0) - mount - (2 + _TOLD if wide else 0)
        longest = max((len(it.rule.title) for it in verdicts), default=0)
        return _Rooms(max(min(max(longest, len(_ANY)), left), 10), state, mount, wide)


_WIDE: Final = 110
_NARROW: Final = 70
_STATE: Final = len("faster by 8 to 15 %")
_TOLD: Final = len("faster by 8 to 15 %, 12 days ago")
_ANY: Final = "any mount option, or argument of mkfs"


def _trial(key: str, title: str, state: Span, mount: str, gain: Span, rooms: _Rooms, width: int, glyphs: Glyphs) -> Row:
    """Title, state, mount, and what it came to, below each other in all rows."""
    cells: Line = (Span("   "),)
    for room, cell in ((rooms.title, span(title)), (rooms.state, state), (rooms.mount, span(mount, Tone.STRONG))):
        cells += (*padded(cut((cell,), room, glyphs.ellipsis), room), Span("  ")) if room else ()
    return Row(key, (cut((*cells, gain) if rooms.wide else cells[:-1], width, glyphs.ellipsis),), title)


def _any_option(mount: str, rooms: _Rooms, width: int, glyphs: Glyphs) -> Row:
    told = span("such as noatime, commit=60, mkfs:-O ^has_journal", Tone.DIM)
    asks = span("Enter asks which", Tone.DIM)
    return _trial(key_of("option", "any", mount), _ANY, asks, mount, told, rooms, width, glyphs)


def _tried(
    verdicts: Iterable[Verdict], rooms: _Rooms, kept: ResultsByMount, now: datetime, width: int, glyphs: Glyphs
) -> Iterator[Row]:
    for verdict in verdicts:
        mount, rule = mount_of(verdict.subject), verdict.rule
        results = results_of(kept, mount, rule.id)
        newest = next(iter(results), None)
        gain = span("not known: results are unreadable", Tone.UNKNOWN) if kept.unread else span("not tried", Tone.DIM)
        state = span(*_OUTCOMES[verdict.outcome])
        if newest is not None:
            gain = span(f"{says(newest)}, {age_words(newest.when, now)}{_before(results)}")
        if not rooms.wide and (newest or kept.unread):
            state = span(says(newest)) if newest else span("results unreadable", Tone.UNKNOWN)
        row = _trial(key_of("try", rule.id, mount), rule.title, state, mount, gain, rooms, width, glyphs)
        yield replace(row, searched=rule.id)


def results_of(kept: ResultsByMount, mount: str, rule: str) -> list[Result]:
    """What a rule's trials on a mount came to, newest first."""
    return [held.result for job, found in kept.on(mount).items() if rule_of(job) == rule for held in found]


def _before(results: Sequence[Result]) -> str:
    """What the trial before came to."""
    if len(results) < 2:
        return ""
    return " (as before)" if probes.trend(results) == "as before" else f" (before: {says(results[1])})"


def says(result: Result) -> str:
    """'faster by 8 to 15 %'."""
    figure = result.figure
    if figure is None:
        return "no figure"
    return sentence(Ratio(middle=figure.median, low=figure.low, high=figure.high, blocks=figure.windows), MATTERS)


def _mount(point: str, mount: Mount, picked: Collection[str], width: int, glyphs: Glyphs) -> Row:
    key = key_of("mount", point)
    words: Line = (span(f"as it is mounted: {read_fact.value(mount.fs_type) or 'unknown'}", Tone.DIM),)
    return _row(key, point, words, width, glyphs, glyphs.chosen if key in picked else " ")


def _images(picked: Collection[str], width: int, glyphs: Glyphs) -> Iterator[Row]:
    for name, choice in CHOICES.items():
        key = key_of("image", name)
        danger: Line = (span("dangerous, ", Tone.WARNING),) if choice.dangers else ()
        words = (*danger, span(f"in an image: {choice.says}", Tone.DIM))
        yield _row(key, name, words, width, glyphs, glyphs.chosen if key in picked else " ")


def _forecasts(points: Iterable[str], kept: ResultsByMount, width: int, glyphs: Glyphs) -> Iterator[Row]:
    """Mounts in their order, then those that are no more."""
    for point in dict.fromkeys((*(one for one in points if one in kept.by_mount), *kept.by_mount)):
        held = [one.result for job, found in kept.on(point).items() if not rule_of(job) for one in found]
        if held:
            told = sum(bool(one.device_us) for one in held)
            words = (span(f"{counted(len(held), 'result')}, {told} with the device's latency", Tone.DIM),)
            yield _row(key_of("forecast", point), point, words, width, glyphs)


def _trial_rows(kept: ResultsByMount, now: datetime, width: int, glyphs: Glyphs) -> Iterator[Row]:
    """Newest first, of all mounts."""
    trials_kept = [
        (held, rule_of(job))
        for on_mount in kept.by_mount.values()
        for job, every in on_mount.items()
        for held in every
        if rule_of(job)
    ]
    for held, rule in sorted(trials_kept, key=lambda it: it[0].result.when, reverse=True):
        result = held.result
        words = (
            span(f"{says(result)}  ", Tone.STRONG),
            span(f"on {result.mount}, {age_words(result.when, now)}", Tone.DIM, 60),
            span(f"  {held.word}".rstrip(), Tone.WARNING),
        )
        yield _row(key_of("kept", f"{rule} {result.when}", result.mount), rule, words, width, glyphs)


def title(picked: Collection[str], kept: ResultsByMount, *, live: bool) -> Line:
    """Above the list, with how many results there are that cannot be read."""
    told = (span(f"  {counted(kept.unread, 'result')} unreadable", Tone.WARNING),) if kept.unread else ()
    return (*_title_of(picked, live=live), *told)


def _title_of(picked: Collection[str], *, live: bool) -> Line:
    if not live:
        return (
            span("Trials", Tone.TITLE),
            span("  a recording has no disk to try on: what was kept is shown", Tone.WARNING),
        )
    if picked:
        return (span("Trials", Tone.TITLE), span(f"  {counted(len(picked), 'side')} picked", Tone.KEY))
    return (span("Trials", Tone.TITLE), span("  Enter asks what it takes, and starts nothing", Tone.DIM))


def sides(picked: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Picked mounts and images."""
    every = [chosen(key) for key in picked]
    return tuple(it.name for it in every if it.kind == "mount"), tuple(it.name for it in every if it.kind == "image")


def about(key: str, snapshot: Snapshot, kept: ResultsByMount, now: datetime, *, live: bool) -> Document:
    """The row under the cursor, beside the list."""
    row = chosen(key)
    match row.kind:
        case "try" | "kept":
            return Document(key, tuple(_about_trial(row, snapshot, kept, now, live=live)))
        case "option":
            words = "Tries an option that you name, on scratch filesystems made like this mount. f names another place."
            return Document(key, (Heading(f"Any option, as on {row.mount}"), paragraph(words)))
        case "mount" | "image":
            return Document(key, tuple(_about_side(row)))
        case "compared":
            return Document(key, tuple(trials_compare.about_compared(kept.compared.get(row.name, ()), now)))
        case "forecast":
            words = "Enter shows what a device of another latency would bring, as far as kept results tell."
            return Document(key, (Heading(f"Forecast of {row.name}"), paragraph(words)))
        case "title":
            return Document(key, (paragraph(span(row.name, Tone.DIM)),))


def _about_trial(
    row: Chosen, snapshot: Snapshot, kept: ResultsByMount, now: datetime, *, live: bool
) -> Iterator[Block]:
    rule_id = row.name.partition(" ")[0]
    verdicts = (it for it in can_be_tried(snapshot) if it.rule.id == rule_id and mount_of(it.subject) == row.mount)
    verdict = next(verdicts, None)
    yield Heading(verdict.rule.title if verdict else rule_id)
    yield paragraph(span(f"{rule_id} on {row.mount}", Tone.DIM))
    trial = verdict.rule.trial if verdict else None
    if trial is not None:
        yield Gap()
        yield paragraph(trial.job, first=(span("job     ", Tone.STRONG),))
        before = " ".join((*trial.before, *trial.mkfs_before)) or "as it is"
        yield paragraph(before, first=(span("before  ", Tone.STRONG),))
        yield paragraph(
            " ".join((*trial.after, *trial.mkfs_after)) or "without it", first=(span("after   ", Tone.STRONG),)
        )
        if verdict is not None and not live:
            yield paragraph(span("It can be tried on the machine itself, not on a recording.", Tone.WARNING))
    yield from _earlier(results_of(kept, row.mount, rule_id), kept.unread, now)


def _earlier(results: Sequence[Result], unread: int, now: datetime) -> Iterator[Block]:
    yield Gap()
    yield Heading("Tried before")
    if unread:
        yield paragraph(
            span(f"Of the results that are kept {unread:,} cannot be read, and may be of this.", Tone.UNKNOWN)
        )
    elif not results:
        yield paragraph(span("Not yet.", Tone.DIM))
    for result in results:
        yield paragraph(
            span(says(result), Tone.STRONG),
            span(f"  95 % interval of {counted(result.windows, 'block')}, {age_words(result.when, now)}", Tone.DIM),
        )
        yield paragraph(span(f"{result.question}; {result.engine}", Tone.DIM), indent=2)
        for remark in result.remarks:
            yield paragraph(remark, first=(Span("  - "),))


def _about_side(side: Chosen) -> Iterator[Block]:
    yield Heading(side.name)
    if side.kind == "image":
        choice = CHOICES.get(side.name)
        if choice is not None:
            yield paragraph(choice.says)
            for words, name in ((choice.form.mkfs, "mkfs   "), (choice.form.options, "mount  ")):
                yield paragraph(" ".join(words) or "as it comes", first=(span(f"{name} ", Tone.STRONG),))
            for danger in choice.dangers:
                yield paragraph(span(danger, Tone.WARNING))
        yield paragraph(span("Made in an image on the first picked mount, and gone afterwards.", Tone.DIM))
    yield Gap()
    titles = listed(it.id for it in compare.jobs(JOBS))
    yield paragraph(span(f"All picked sides do the same in turn: {titles}.", Tone.DIM))
