"""What could not be told, as a list of things to do: the gravest first, each with the way to do it."""

from __future__ import annotations

import re
import shlex
from enum import Enum
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Cause
from fsadvisor.machine.packages import install_command
from fsadvisor.pages.document import Block, Commands, Document, Gap, Heading, paragraph
from fsadvisor.pages.glyphs import Line, Span, Tone, cut, line, span
from fsadvisor.pages.values import cause, counted, full_name, listed
from fsadvisor.report.findings import Cure, cures, whose
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.rulebook.shape import SEVERITIES
from fsadvisor.storage.catalogue import catalogue
from fsadvisor.tui.views.rows import LazyRows, Row
from fsadvisor.tui.views.severity import TONES
from fsadvisor.tui.views.suppose import owner

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Subject
    from fsadvisor.tui.views.snapshot import Snapshot

_OPEN: Final = (Outcome.UNDETERMINED, Outcome.WITHHELD)
_PROBE: Final = re.compile(r"`fsadvisor probe ([a-z0-9-]+) ")
_INSTALL: Final = re.compile(r"install ((?!it\b)[a-z0-9.+-]+(?:(?:, | and )[a-z0-9.+-]+)*)(?: [0-9][0-9.]* or later)?")
_AS_ROOT: Final = re.compile(r"\bas root\b")
_AGAIN: Final = re.compile(r"(look|try) again\b|retry\b")
_THEN_ATTEST: Final = ", then say it with `fsadvisor attest`"
_AND_ATTEST: Final = ", and `fsadvisor attest` it"
_NAMED: Final = 12


class Means(Enum):
    """How an unknown is cured; the value is what the list shows."""

    WAIT = "wait"
    MEASURE = "measure"
    ROOT = "as root"
    INSTALL = "install"
    ATTEST = "attest"
    AGAIN = "again"
    HAND = "by hand"
    NONE = "no way"


class Task(Struct, frozen=True):
    """A cure and how it is done.

    `attestable` are ids of subjects and names of their own facts; `probes` are jobs and mount points; `packages` are to
    be installed.
    """

    cure: Cure
    means: Means
    attestable: tuple[tuple[str, str], ...] = ()
    probes: tuple[tuple[str, str], ...] = ()
    packages: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What stays the same of it from snapshot to snapshot."""
        subject, fact = next(iter(self.cure.asked))
        return f"{self.means.value}\n{fact}\n{subject}"

    @property
    def severity(self) -> str:
        """That of the gravest check that it would decide."""
        return SEVERITIES[self.cure.gravity]


def tasks(snapshot: Snapshot) -> list[Task]:
    """All that could be learnt, the gravest first; what holds back a finding is among it."""
    return [_task(cure, snapshot.subjects) for cure in cures(snapshot.verdicts, _OPEN)]


def _task(cure: Cure, subjects: Mapping[str, Subject]) -> Task:
    probes = tuple(dict.fromkeys(filter(None, (probe_of(fact.learn) for fact in cure.asked.values()))))
    packages = packages_of(cure.first.learn)
    attestable = tuple(_attestable(cure, subjects))
    return Task(cure, _means(cure, probes, packages, attestable), attestable, probes, packages)


def _means(
    cure: Cure,
    probes: tuple[tuple[str, str], ...],
    packages: tuple[str, ...],
    attestable: tuple[tuple[str, str], ...],
) -> Means:
    learn, why = cure.first.learn, cure.first.cause
    ways = (
        (why is Cause.BEING_ASKED, Means.WAIT),
        (why is Cause.NOT_APPLICABLE, Means.NONE),
        (bool(probes), Means.MEASURE),
        (bool(_AS_ROOT.search(learn)), Means.ROOT),
        (bool(packages), Means.INSTALL),
        (bool(attestable), Means.ATTEST),
        (bool(_AGAIN.match(learn)), Means.AGAIN),
        (not learn, Means.NONE),
    )
    return next((means for holds, means in ways if holds), Means.HAND)


def _attestable(cure: Cure, subjects: Mapping[str, Subject]) -> Iterator[tuple[str, str]]:
    """What of it people may say, of the subjects whose own facts these are."""
    seen: set[tuple[str, str]] = set()
    for (asked, name), fact in cure.asked.items():
        if not catalogue()[name].attested or fact.cause is Cause.NOT_APPLICABLE:
            continue
        subject = owner(subjects, cure.subjects[asked], name)
        if subject is not None and (subject, name) not in seen:
            seen.add((subject, name))
            yield subject, name


def probe_of(learn: str) -> tuple[str, str] | None:
    """The job and the mount point of a cure that is a probe: '`fsadvisor probe JOB PLACE`: why'."""
    match = _PROBE.match(learn)
    if match is None:
        return None
    rest = learn[match.end() :]
    for end in (place for place, sign in enumerate(rest) if sign == "`"):
        try:
            words = shlex.split(rest[:end])
        except ValueError:
            continue  # this backtick is part of a quoted name
        if len(words) == 1:
            return match[1], words[0]
    return None


def packages_of(learn: str) -> tuple[str, ...]:
    """The packages that a cure names: 'install nvme-cli and smartmontools'."""
    found = _INSTALL.fullmatch(learn)
    return tuple(re.split(r", | and ", found[1])) if found else ()


def title(tasks: Sequence[Task], checks: int) -> Line:
    """How many checks could not be told, as the head counts them, and what that leaves to do."""
    if not tasks:
        return line(span(" Not known: nothing", Tone.TITLE))
    advice = {rule for task in tasks for rule in task.cure.held_back}
    waits = f"{counted(len(advice), 'finding')} held back"
    hopeless = sum(task.means is Means.NONE for task in tasks)
    none = f", {hopeless:,} with no way" if hopeless else ""
    return line(
        span(" Not known", Tone.TITLE),
        span(f"  {counted(checks, 'check')}: {len(tasks) - hopeless:,} to do{none}"),
        span(f"; {waits}" if advice else "", Tone.UNKNOWN),
    )


def heading(task: Task) -> str:
    """What to do; how it is done from here stands beside it."""
    if task.means is Means.MEASURE:
        job, place = task.probes[0]
        more = f", and {len(task.probes) - 1:,} more" if len(task.probes) > 1 else ""
        return f"Measure {job} on {place}{more}"
    return task.cure.heading.replace(_THEN_ATTEST, "").replace(_AND_ATTEST, "")


def rows(tasks: Sequence[Task], width: int, glyphs: Glyphs) -> LazyRows:
    """Two lines each: how grave and what to do, then what it would tell."""

    def row(index: int) -> Row:
        task, cure = tasks[index], tasks[index].cure
        head = line(
            span(f" {task.severity:<8} ", TONES[task.severity]),
            span(f" {task.means.value:<7}  ", Tone.DIM if task.means is Means.NONE else Tone.STRONG),
            span(heading(task)),
        )
        rest = line(
            Span(" " * 10),
            span("holds back advice: " if cure.held_back else "", Tone.UNKNOWN),
            span(f"{listed(cure.facts)} of {whose(cure.subjects.values())}", Tone.DIM),
            span(f"; for {counted(len(cure.rules), 'check')}", Tone.DIM),
        )
        words = " ".join((*cure.rules, *cure.subjects))
        return Row(task.key, tuple(cut(one, width, glyphs.ellipsis) for one in (head, rest)), words)

    return LazyRows([task.key for task in tasks], row)


def document(task: Task, rules: Mapping[str, Rule], os_release: str, *, live: bool) -> Document:
    """A task from near."""
    cure = task.cure
    blocks: list[Block] = [
        Heading(heading(task)),
        Gap(),
        *_how(task, os_release, live=live),
        Gap(),
        Heading("It would tell"),
    ]
    blocks += (_fact(one) for one in cure.facts)
    blocks += [Gap(), Heading("Of"), *_subjects(list(cure.subjects.values())), Gap(), Heading("And so decide")]
    for rule, severity in sorted(cure.rules.items(), key=lambda pair: (SEVERITIES.index(pair[1]), pair[0])):
        blocks.append(_rule(rule, severity, rules, held=rule in cure.held_back))
    source = f" ({cure.first.source})" if cure.first.source else ""
    blocks += [Gap(), paragraph(span(f"Not known because: {cause(cure.first)}{source}", Tone.DIM))]
    return Document(task.key, tuple(blocks))


def _rule(rule: str, severity: str, rules: Mapping[str, Rule], *, held: bool) -> Block:
    title = rules[rule].title if rule in rules else rule
    waits = (span("; this advice is held back until then", Tone.UNKNOWN),) if held else ()
    return paragraph(span(title), *waits, first=(span(f"{severity:<8}  ", TONES[severity]),))


def _subjects(subjects: list[Subject]) -> Iterator[Block]:
    for subject in subjects[:_NAMED]:
        yield paragraph(span(full_name(subject)))
    if len(subjects) > _NAMED:
        yield paragraph(span(f"and {len(subjects) - _NAMED:,} more", Tone.DIM))


def _key(key: str, words: str) -> Block:
    return paragraph(words, first=(span(f"{key}  ", Tone.KEY),))


def _how(task: Task, os_release: str, *, live: bool) -> Iterator[Block]:
    match task.means:
        case Means.MEASURE:
            yield _key("m", "goes to Probes with the job and the mount chosen; nothing is measured before you confirm")
            yield Commands(tuple(f"fsadvisor probe {job} {shlex.quote(place)}" for job, place in task.probes[:_NAMED]))
        case Means.ATTEST:
            yield _key("a", "asks what you know, shows the lines it would write, and writes them when you say so")
            yield Commands(tuple(attest_command(fact, at) for at, fact in task.attestable[:_NAMED]))
        case Means.INSTALL:
            yield from _install(task, os_release)
        case Means.ROOT:
            yield paragraph(
                "Only root may look. Leave with q, and run:" if live else "Only root may look: record it as root."
            )
            yield Commands(("sudo fsadvisor",) if live else ("sudo fsadvisor capture DIR",))
        case _:
            yield paragraph(_PLAINLY[task.means])
    yield _key("w", "supposes an answer, to see what would follow from it: What if")


def _install(task: Task, os_release: str) -> Iterator[Block]:
    command = install_command(task.packages, os_release)
    if command:
        yield _key("i", "copies this command; fsadvisor never runs it. Then look again with r")
        yield Commands((command,))
    else:
        yield _key("i", "copies the names of the packages, for this machine's distribution is not known")
        yield Commands((" ".join(task.packages),))


_PLAINLY: Final = {
    Means.WAIT: "A tool has been asked and has not answered yet: wait.",
    Means.AGAIN: "Look again later, with r.",
    Means.HAND: "fsadvisor can't do this for you. Do it by hand, then look again with r.",
    Means.NONE: "Nothing can be learnt here: the machine does not show it, and no tool, probe or person could say.",
}


def attest_command(fact: str, at: str, value: str = "VALUE") -> str:
    """The command line that would attest it, but for who says so and why."""
    of = "host" if at == "host" else at
    return f"fsadvisor attest {fact} {shlex.quote(of)} {value} --by WHO --because WHY"


def probe_rows(probes: Sequence[tuple[str, str]], width: int, glyphs: Glyphs) -> list[Row]:
    """Jobs on mount points, to choose one from; the key is the place in the list."""
    return _choice_rows(((f" {job}", f"  on {place}") for job, place in probes), width, glyphs)


def attestable_rows(
    attestable: Sequence[tuple[str, str]], subjects: Mapping[str, Subject], width: int, glyphs: Glyphs
) -> list[Row]:
    """Facts of subjects, to choose one from; the key is the place in the list."""
    named = ((fact, full_name(subjects[at]) if at in subjects else at) for at, fact in attestable)
    return _choice_rows(((f" {fact}", f"  of {name}") for fact, name in named), width, glyphs)


def _choice_rows(pairs: Iterable[tuple[str, str]], width: int, glyphs: Glyphs) -> list[Row]:
    lines = (cut(line(span(one, Tone.STRONG), span(two)), width, glyphs.ellipsis) for one, two in pairs)
    return [Row(str(at), (one,)) for at, one in enumerate(lines)]


def _fact(name: str) -> Block:
    return paragraph(span(catalogue()[name].doc), first=(span(f"{name}: ", Tone.STRONG),), indent=2)
