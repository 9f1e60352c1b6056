"""The help of a place: its keys, and those that work everywhere.

What the command palette lists, and in which order: what is called so or begins so comes first, group by group, and
what applies to nothing here last.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct

from fsadvisor.facts import Unknown
from fsadvisor.pages.document import Block, Document, Gap, Heading, paragraph
from fsadvisor.pages.glyphs import Span, Tone, line, span
from fsadvisor.pages.values import cause, fact_line, full_name, short_name
from fsadvisor.report import finding_page as parts
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, SAID, Outcome
from fsadvisor.rulebook.shape import SEVERITIES
from fsadvisor.rulebook.words import found, without_verdict
from fsadvisor.storage.catalogue import catalogue
from fsadvisor.tui.views.rows import spelt_so, words_of
from fsadvisor.tui.views.snapshot import (
    A_WORD,
    ALL_WORDS,
    APART,
    BEGUN,
    EXACT,
    IN_TEXT_BEGUN,
    INSIDE,
    LONGEST_NAME,
    finding_key,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Subject
    from fsadvisor.tui.views.snapshot import Names, Snapshot


_Pairs: TypeAlias = "Iterable[tuple[str, str]]"
_KEYS_WIDTH: Final = 18
_SPELT: Final = {
    "slash": "/",
    "question_mark": "?",
    "colon": ":",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "plus": "+",
    "minus": "-",
    "space": "Space",
    "enter": "Enter",
    "escape": "Esc",
    "tab": "Tab",
    "backspace": "Backspace",
    "up": "Up",
    "down": "Down",
    "left": "Left",
    "right": "Right",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
}
"""Textual's names of keys as a keyboard has them."""
MOVING: Final = (
    ("up,k", "One line up"),
    ("down,j", "One line down"),
    ("pageup,ctrl+b", "One page up"),
    ("pagedown,ctrl+f", "One page down"),
    ("home,g", "To the top"),
    ("end,G", "To the bottom"),
    ("right_curly_bracket,left_curly_bracket", "To the next part, or the one before"),
    ("n,N", "To the next match of the search, or the one before"),
)


def spelt(keys: str) -> str:
    """Textual's 'ctrl+p,colon' as people write it: 'Ctrl+P, :'."""
    return ", ".join(_one(key.strip()) for key in keys.split(","))


def _one(key: str) -> str:
    *held, last = key.split("+")
    last = _SPELT.get(last, last.upper() if held else last)
    return "+".join((*(each.capitalize() for each in held), last))


def help_page(place: str, here: _Pairs, moving: _Pairs, everywhere: _Pairs) -> Document:
    """Pairs of keys (as Textual names them) and what they do."""
    parts = ((f"Here: {place}", here), ("Moving", moving), ("Everywhere", everywhere))
    blocks = [one for title, pairs in parts for one in _part(title, ((spelt(keys), words) for keys, words in pairs))]
    return Document(f"Keys of {place}", (*blocks, *_part("Signs", _SIGNS)))


_SIGNS: Final = (
    ("yes, no, unknown", "What is unknown is never taken for a no, and never for a yes."),
    ("safety not known", "There is advice, but something that must be safe is not known; no commands until it is."),
    ("not safe here", "There is advice, but something is not safe here; no commands."),
    ("waived", "Somebody has accepted it, until the day that the finding names."),
)


def _part(title: str, pairs: Iterable[tuple[str, str]]) -> Iterator[Block]:
    rows = list(pairs)
    if not rows:
        return
    yield Heading(title)
    for keys, words in rows:
        first = line(span("  "), span(keys, Tone.KEY), Span(" " * max(_KEYS_WIDTH - len(keys), 1)))
        yield paragraph(words, first=first, indent=_KEYS_WIDTH + 2)
    yield Gap()


MOST: Final = 50
"""Entries that are shown: a machine may have thousands of disks."""

_MOST_FACTS: Final = 12
"""Facts among them: "disk" begins the name of each fact of a disk."""

_FEW: Final = 3
"""Subjects of a rule that have an entry each."""

_SUBJECTS: Final = ("disk", "layer", "filesystem", "mount", "service", "host")
_SAID: Final = {
    Outcome.OK: "not found here",
    Outcome.UNDETERMINED: SAID[Outcome.UNDETERMINED],
    Outcome.NOT_APPLICABLE: "does not apply here",
}
FACT, ADVICE, ACTION, PROBE, COMMAND, SHOWN, WHY_NOT, RULE, NOWHERE = range(9)
"""Kinds of entries, in their order; the last are the rules that apply to nothing here."""


_NEAREST: Final = 5
_OF_RULES: Final = (ADVICE, WHY_NOT, RULE, NOWHERE)


class Entry(Struct, frozen=True):
    """One line, and under it one that says more; `about` is whom it speaks of: alone, that finds it only in advice."""

    kind: int
    what: str
    about: str = ""
    under: str = ""
    gravity: int = 0
    subplace: str = ""
    """What is opened, with `key`; '' of an action, whose key is its place in the list of actions."""

    key: str = ""

    @property
    def words(self) -> str:
        """The first line."""
        return f"{self.what}, on {self.about}" if self.about else self.what


def entries(snapshot: Snapshot, rules: Sequence[Rule]) -> Iterator[Entry]:
    """Every fact with its values, all advice, what is not advised and why, rules, probes and commands."""
    yield from _facts(snapshot)
    yield from _advice(snapshot)
    yield from _not_advised(snapshot, rules)
    from fsadvisor.arguments import commands  # not before the palette opens
    from fsadvisor.measure.probe.jobs import JOBS

    for job in JOBS.values():
        yield Entry(PROBE, f"Probe {job.id}", under=job.title, key=job.id)
    for name, says in commands():
        yield Entry(COMMAND, f"Command fsadvisor {name}", under=says, key=name)


def show(subject: Subject) -> Entry:
    """The page of a subject."""
    return Entry(SHOWN, shown(subject), subplace="subject", key=subject.id)


def action(label: str, keys: str, says: str, key: str = "") -> Entry:
    """One of what can be done now: its name, the keys that do it at once, and what it does; `key` is its own."""
    return Entry(ACTION, f"{label} ({spelt(keys)}): {says}", key=key)


def _facts(snapshot: Snapshot) -> Iterator[Entry]:
    """Each of its values once, and of whom; where it is not known, what would tell."""
    for name, values in snapshot.by_fact.items():
        for alike in values.values():
            fact, under = alike.fact, catalogue()[name].doc
            what = fact_line(name, fact, "")
            if isinstance(fact, Unknown):
                what, under = f"{name}: not known, {cause(fact)}", fact.learn or under
            more = f" and {alike.count - 1:,} more" if alike.count > 1 else ""
            yield Entry(
                FACT,
                span(what, longest=LONGEST_NAME).text,
                span(f"{short_name(alike.subject)}{more}", longest=LONGEST_NAME).text,
                span(under).text,
                _SUBJECTS.index(alike.subject.kind),
                "subject",
                f"{alike.subject.id}\n{name}",
            )


def _advice(snapshot: Snapshot) -> Iterator[Entry]:
    for finding in snapshot.findings:
        where = span(parts.where(finding, _FEW, ""), longest=LONGEST_NAME).text
        yield Entry(
            ADVICE,
            f"Advice: {finding.rule.id}",
            where,
            span(f"{parts.headline(finding)}: {finding.rule.title}").text,
            SEVERITIES.index(finding.rule.severity),
            "finding",
            finding_key(finding),
        )


def _not_advised(snapshot: Snapshot, rules: Sequence[Rule]) -> Iterator[Entry]:
    verdicts: dict[str, list[tuple[Outcome, Sequence[Subject]]]] = {}
    asked: set[str] = set()
    for rule, outcome, subjects in snapshot.verdicts.groups():
        asked.add(rule.id)
        if outcome not in CALLS_FOR_ACTION:
            verdicts.setdefault(rule.id, []).append((outcome, subjects))
    for rule in rules:
        gravity = SEVERITIES.index(rule.severity)
        if rule.id not in asked:
            here = without_verdict(rule)
            kind = NOWHERE if here.outcome is Outcome.NOT_APPLICABLE else RULE
            under = span(f"{rule.severity} {rule.kind}, {here.says}: {rule.title}").text
            yield Entry(kind, f"Rule {rule.id}", "", under, gravity, "rule", rule.id)
        else:
            yield from _why_not(rule, verdicts.get(rule.id, ()), gravity)


def _why_not(rule: Rule, verdicts: Sequence[tuple[Outcome, Sequence[Subject]]], gravity: int) -> Iterator[Entry]:
    """Of few subjects each; of many the first of those of whom the same is said."""
    few = sum(len(subjects) for _, subjects in verdicts) <= _FEW
    for outcome, subjects in verdicts:
        for subject in subjects if few else subjects[:1]:
            about = full_name(subject) if len(subjects) == 1 or few else short_name(subject)
            more = "" if few or len(subjects) == 1 else f" and {len(subjects) - 1:,} more"
            yield Entry(
                WHY_NOT,
                f"Why not {rule.id}",
                span(f"{about}{more}", longest=LONGEST_NAME).text,
                span(f"{rule.severity} {rule.kind}, {_SAID[outcome]}: {rule.title}").text,
                gravity,
                "finding",
                f"{rule.id}\n{subject.id}",
            )


class Folded(Struct, frozen=True):
    """An entry with its words as they are compared."""

    entry: Entry
    name: str
    text: str
    about: str


def folded(plain: Entry) -> Folded:
    """Made once, for each key compares it."""
    what = plain.what.casefold()
    name = (
        re.split(" = |: not known" if plain.kind == FACT else r" \(", what)[0] if plain.kind in (FACT, ACTION) else what
    )
    return Folded(plain, name, f"{what} {plain.under.casefold()}", plain.about.casefold())


class Index:
    """Entries to find by words, and subjects by their names: these may be tens of thousands."""

    def __init__(self, every: Iterable[Entry], names: Names) -> None:
        self._every = [folded(one) for one in every]
        self._names = names

    def found(self, typed: str, more: Iterable[Entry] = ()) -> list[Entry]:
        """Those that have the words; else the rules that the symptoms' index leads to. Scattered letters find nothing.

        `more` are entries besides: what can be done at this moment.
        """
        words = typed.casefold().split()
        phrase = " ".join(words)
        begins = re.compile(rf"(?<![^\W_]){re.escape(phrase)}").search
        every = chain(self._every, map(folded, more))
        fitting = [(fit, one.entry) for one in every if (fit := _fit(words, phrase, begins, one))]
        fitting += [(fit, show(subject)) for fit, subject in self._names.found(words, MOST)]
        ordered = [one for _, one in sorted(fitting, key=lambda pair: _order(*pair))]
        left_out = {id(one) for one in [one for one in ordered if one.kind == FACT][_MOST_FACTS:]}
        kept = [one for one in ordered if id(one) not in left_out][:MOST]
        return kept or _meant([one.entry for one in self._every], typed)[:MOST]

    def nearest(self, typed: str) -> list[Entry]:
        """Entries whose names are spelt most like it."""
        spelt = spelt_so(typed, {word for one in self._every for word in words_of(one.name)})
        return self.found(spelt)[:_NEAREST] if spelt else []


def _order(fit: int, entry: Entry) -> tuple[bool, bool, bool, int, int, int]:
    """What is called exactly so, or begins so, group by group; then what has the words elsewhere, or is not here."""
    return entry.kind == NOWHERE, fit < BEGUN, fit < EXACT, entry.kind, -fit, entry.gravity


def read_symptoms() -> None:
    """Once: what is asked of words that no entry has."""
    found("slow", own_rulebook().rules)


def _meant(listed: Sequence[Entry], typed: str) -> list[Entry]:
    """Entries of the rules that the words are about, in the index's order; what applies to nothing here comes last."""
    led = [one.key for one in found(typed, own_rulebook().rules) if one.kind == "rule"]
    among = [one for one in listed if one.kind in _OF_RULES and _rule_of(one) in led]
    return sorted(among, key=lambda one: (one.kind == NOWHERE, led.index(_rule_of(one)), one.kind))


def _rule_of(entry: Entry) -> str:
    return entry.key.partition("\n")[0]


def _fit(words: Sequence[str], phrase: str, begins: Callable[[str], object], entry: Folded) -> int:
    """How well the words fit; 0 not."""
    if phrase in entry.text:
        if phrase == entry.name:
            return EXACT
        if phrase in entry.name and begins(entry.name):
            return (
                A_WORD if any(part == phrase or part.endswith(f".{phrase}") for part in entry.name.split()) else BEGUN
            )
        return IN_TEXT_BEGUN if begins(entry.text) else INSIDE
    if len(words) == 1:
        return APART if entry.entry.kind == ADVICE and phrase in entry.about else 0
    if all(word in entry.text for word in words):
        return ALL_WORDS
    both = all(word in entry.text or word in entry.about for word in words)
    return APART if both and (entry.entry.kind == ADVICE or any(word in entry.text for word in words)) else 0
